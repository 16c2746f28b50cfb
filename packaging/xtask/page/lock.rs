//! Which packages a page is made of: pinned versions with their hashes, from `package-lock.json`.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::Outcome;

/// The largest lock file, and the most packages that it may ask for.
const MOST_BYTES: u64 = 4 << 20;
const MOST_PACKAGES: usize = 300;

/// The bytes of a SHA-512.
pub(crate) const HASH_BYTES: usize = 64;

/// One package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// Such as `sigma` or `@preact/signals`.
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) hash: [u8; HASH_BYTES],
}

impl Package {
    /// Where the registry has it. Computed, because a lock file could name any server.
    pub(crate) fn address(&self) -> String {
        let bare = self.name.rsplit('/').next().unwrap_or(&self.name);
        format!("https://registry.npmjs.org/{}/-/{bare}-{}.tgz", self.name, self.version)
    }

    /// A name for a file about it.
    pub(crate) fn file_name(&self) -> String {
        self.hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What a page needs.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) packages: Vec<Package>,
    /// The one among them that has esbuild's program.
    pub(crate) esbuild: String,
    /// Tells this set of packages from others.
    pub(crate) mark: String,
}

/// What npm calls this machine.
pub(crate) fn own_platform() -> Outcome<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        ("freebsd", "x86_64") => "freebsd-x64",
        (system, machine) => return Err(format!("esbuild is not known for {system} on {machine}")),
    })
}

/// Reads a lock file: the packages that are not for development alone, and esbuild for `platform`.
pub(crate) fn read_lock(path: &Path, platform: &str) -> Outcome<Wanted> {
    let failed = |why: String| format!("{}: {why}", path.display());
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > MOST_BYTES {
        return Err(failed(format!("it has {size} bytes, more than {MOST_BYTES}")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    parse_lock(&text, platform).map_err(failed)
}

fn parse_lock(text: &str, platform: &str) -> Outcome<Wanted> {
    let lock: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if lock["lockfileVersion"] != 3 {
        return Err("it is not of version 3; make it with npm 7 or newer".to_owned());
    }
    let entries = lock["packages"].as_object().ok_or("it has no packages")?;
    let esbuild = format!("@esbuild/{platform}");
    let mut packages = Vec::new();
    for (place, entry) in entries {
        let Some(name) = place.strip_prefix("node_modules/") else {
            if place.is_empty() {
                continue;
            }
            return Err(format!("{place:?} is outside of node_modules"));
        };
        if entry["dev"] == true && name != esbuild {
            continue;
        }
        packages.push(read_package(name, entry).map_err(|why| format!("{name}: {why}"))?);
    }
    if !packages.iter().any(|package| package.name == esbuild) {
        return Err(format!("it names no {esbuild}"));
    }
    if packages.len() > MOST_PACKAGES {
        return Err(format!("it names {} packages, more than {MOST_PACKAGES}", packages.len()));
    }
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    let mut mark = Sha256::new();
    packages.iter().for_each(|package| {
        mark.update(package.name.as_bytes());
        mark.update(package.hash);
    });
    let mark = mark.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(Wanted { packages, esbuild, mark })
}

fn read_package(name: &str, entry: &Value) -> Outcome<Package> {
    if entry["link"] == true {
        return Err("it is a link; the page is made of packages of the registry alone".to_owned());
    }
    // A package inside of another one, for a second version, is a path of several parts.
    if !is_package_name(name) {
        return Err("it is not the name of a package at the top of node_modules".to_owned());
    }
    let version =
        entry["version"].as_str().filter(|version| is_plain(version)).ok_or("it has no plain version")?;
    let integrity = entry["integrity"].as_str().ok_or("it has no integrity")?;
    let hash = parse_integrity(integrity).ok_or("its integrity is no SHA-512")?;
    let package = Package { name: name.to_owned(), version: version.to_owned(), hash };
    match entry["resolved"].as_str() {
        Some(resolved) if resolved != package.address() => {
            Err(format!("it is at {resolved}, not in npm's registry"))
        }
        _ => Ok(package),
    }
}

/// `name` or `@scope/name`, of the letters that npm allows.
fn is_package_name(name: &str) -> bool {
    match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_plain(scope) && is_plain(name)),
        None => is_plain(name),
    }
}

fn is_plain(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    !text.is_empty() && text.len() <= 128 && !text.starts_with('.') && text.bytes().all(is_letter)
}

fn parse_integrity(text: &str) -> Option<[u8; HASH_BYTES]> {
    decode_base64(text.strip_prefix("sha512-")?)?.try_into().ok()
}

/// Base64 with its padding, as npm writes hashes.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let bytes = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(bytes.len() * 3 / 4);
    for four in bytes.chunks(4) {
        let mut bits = 0_u32;
        for (at, byte) in four.iter().enumerate() {
            let six = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits |= u32::from(six) << (18 - 6 * at);
        }
        let [_, first, second, third] = bits.to_be_bytes();
        out.extend(
            [first, second, third].into_iter().take(four.len().checked_sub(1).filter(|count| *count > 0)?),
        );
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The integrity of 64 zero bytes.
    fn zeros() -> String {
        format!("sha512-{}==", "A".repeat(86))
    }

    fn lock(packages: &Value) -> String {
        json!({ "lockfileVersion": 3, "packages": packages }).to_string()
    }

    fn good() -> Value {
        json!({
            "": { "name": "page" },
            "node_modules/sigma": { "version": "3.0.3", "integrity": zeros() },
            "node_modules/@preact/signals": { "version": "2.11.4", "integrity": zeros() },
            "node_modules/typescript": { "version": "7.0.2", "dev": true },
            "node_modules/@esbuild/linux-x64": { "version": "0.28.2", "integrity": zeros(), "dev": true, "optional": true },
            "node_modules/@esbuild/win32-x64": { "version": "0.28.2", "integrity": zeros(), "dev": true, "optional": true },
        })
    }

    #[test]
    fn what_the_page_needs_is_read_and_nothing_else() {
        let wanted = parse_lock(&lock(&good()), "linux-x64").unwrap();
        let names: Vec<&str> = wanted.packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["@esbuild/linux-x64", "@preact/signals", "sigma"]);
        assert_eq!(wanted.packages[1].hash, [0; HASH_BYTES]);
        assert_eq!(
            wanted.packages[1].address(),
            "https://registry.npmjs.org/@preact/signals/-/signals-2.11.4.tgz"
        );
        assert_eq!(wanted.packages[2].address(), "https://registry.npmjs.org/sigma/-/sigma-3.0.3.tgz");
        assert!(parse_lock(&lock(&good()), "linux-arm64").is_err(), "no program for that machine");
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        let entry = |name: &str, entry: Value| {
            let mut packages = good();
            packages[name] = entry;
            parse_lock(&lock(&packages), "linux-x64").map(|_| ()).unwrap_err()
        };
        let fine = json!({ "version": "1.0.0", "integrity": zeros() });
        for name in [
            "node_modules/../evil",
            "evil",
            "node_modules/a/node_modules/b",
            "node_modules/@x",
            "node_modules/.bin",
        ] {
            entry(name, fine.clone());
        }
        for wrong in [
            json!({ "version": "1.0.0" }),
            json!({ "version": "1.0.0", "integrity": "sha1-AAAA" }),
            json!({ "version": "1.0.0", "integrity": "sha512-AAAA" }),
            json!({ "version": "1.0.0", "integrity": format!("{}!", zeros()) }),
            json!({ "version": "../1", "integrity": zeros() }),
            json!({ "integrity": zeros() }),
            json!({ "link": true, "version": "1.0.0", "integrity": zeros() }),
            json!({ "version": "1.0.0", "integrity": zeros(), "resolved": "https://evil.example/a-1.0.0.tgz" }),
        ] {
            entry("node_modules/a", wrong);
        }
        assert!(parse_lock("{}", "linux-x64").is_err());
        assert!(parse_lock("{\"lockfileVersion\":2,\"packages\":{}}", "linux-x64").is_err());
    }

    #[test]
    fn base64_is_read_as_others_write_it() {
        assert_eq!(decode_base64("aGVsbG8=").unwrap(), b"hello");
        assert_eq!(decode_base64("aGVsbG8h").unwrap(), b"hello!");
        assert_eq!(decode_base64("+/8=").unwrap(), [0xfb, 0xff]);
        assert!(decode_base64("a").is_none() && decode_base64("a-_b").is_none());
    }
}
