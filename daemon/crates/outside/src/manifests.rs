//! Which version of a package a project uses, by its lock files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// A larger lock file is not read.
const MAX_BYTES: u64 = 8 << 20;

/// A small file of settings as text; none if it is missing, too large, or no regular file.
pub(crate) fn read_small(path: &Path) -> Option<String> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_BYTES {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The packages of a `Cargo.lock`: name and version.
pub(crate) fn cargo_lock(text: &str) -> Vec<(String, String)> {
    let value = |line: &str, key: &str| -> Option<String> {
        let quoted = line.strip_prefix(key)?.trim().strip_prefix('=')?.trim();
        Some(quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned())
    };
    let mut packages: Vec<(String, String)> = Vec::new();
    let mut name = None;
    for line in text.lines() {
        if line == "[[package]]" {
            name = None;
        } else if let Some(found) = value(line, "name") {
            name = Some(found);
        } else if let (Some(version), Some(name)) = (value(line, "version"), &name) {
            packages.push((name.clone(), version));
        }
    }
    packages
}

/// The dependencies of a `Cargo.toml` that code knows under another name: that name, and the crate's.
pub(crate) fn cargo_renames(text: &str) -> Vec<(String, String)> {
    let quoted = |text: &str| -> Option<String> {
        let text = text.trim_start().strip_prefix('=')?.trim_start();
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(text.get(1..)?.split(quote).next()?.to_owned())
    };
    let mut found = Vec::new();
    // The table of one dependency: `[dependencies.foo]`.
    let mut table: Option<&str> = None;
    let mut is_list = false;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            is_list = name.ends_with("dependencies");
            table = name.rsplit_once("dependencies.").map(|(_, name)| name.trim_matches('"'));
            continue;
        }
        if let (Some(name), Some(rest)) = (table, line.strip_prefix("package")) {
            found.extend(quoted(rest).map(|real| (name.to_owned(), real)));
        }
        let Some((name, value)) = line.split_once('=').filter(|_| is_list) else { continue };
        let Some((before, rest)) = value.split_once("package") else { continue };
        if before.trim_end().ends_with(['{', ',']) {
            let name = name.trim().trim_matches('"').to_owned();
            found.extend(quoted(rest).map(|real| (name, real)));
        }
    }
    found
}

/// The modules that a `go.mod` requires: path and version.
pub(crate) fn go_requirements(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if line == ")" {
            inside = false;
        }
        let required = match line.strip_prefix("require") {
            Some(rest) if rest.trim() == "(" => {
                inside = true;
                continue;
            }
            Some(rest) => rest.trim(),
            None if inside => line,
            None => continue,
        };
        let mut words = required.split_whitespace();
        if let (Some(module), Some(version)) = (words.next(), words.next()) {
            found.push((module.to_owned(), version.to_owned()));
        }
    }
    found
}

/// A module's path as a folder of Go's cache: a capital letter is written as `!` and the small one.
pub(crate) fn go_folder(module: &str, version: &str) -> String {
    let mut folder = String::new();
    for letter in module.chars() {
        if letter.is_ascii_uppercase() {
            folder.push('!');
        }
        folder.push(letter.to_ascii_lowercase());
    }
    format!("{folder}@{version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn lock_files_name_versions() {
        let lock = "version = 4\n\n[[package]]\nname = \"serde\"\nversion = \"1.0.2\"\ndependencies = [\n \"name\",\n]\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n";
        assert_eq!(cargo_lock(lock), pairs(&[("serde", "1.0.2"), ("shop", "0.1.0")]));
        let toml = "[dependencies]\nwire = { version = \"1\", package = \"wire-core\" }\nother = \"1\"\n# x = { package = \"y\" }\n[dev-dependencies.cart]\npackage = 'shop-cart'\n[package]\na = { package = \"b\" }\n";
        assert_eq!(cargo_renames(toml), pairs(&[("wire", "wire-core"), ("cart", "shop-cart")]));
        let go = "module x\n\nrequire a.com/b v1.2.3\nrequire (\n\tc.com/D v0.1.0 // indirect\n)\n";
        assert_eq!(go_requirements(go), pairs(&[("a.com/b", "v1.2.3"), ("c.com/D", "v0.1.0")]));
        assert_eq!(go_folder("c.com/D", "v0.1.0"), "c.com/!d@v0.1.0");
    }
}
