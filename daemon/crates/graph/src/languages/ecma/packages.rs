//! JavaScript and TypeScript: names that are not relative. `tsconfig.json` path maps, packages of the repository.

use std::rc::Rc;

use sdl_model::facts::ManifestKind;

use super::files::probe_file;
use crate::modules::paths::{folder_ancestors, in_dir, join_path};
use crate::modules::{ModRef, Place};
use crate::world::{FileIndex, FileIx, Question, World};

/// Most configurations that are combined into one.
const EXTENDS: usize = 8;
/// Folders into which builds write.
const BUILT_FOLDERS: [&str; 12] =
    ["build", "cjs", "dist", "dts", "es", "esm", "js", "lib", "out", "output", "types", "umd"];
/// How the names of built files end.
const BUILT_ENDS: [&str; 7] = [".d.ts", ".d.mts", ".d.cts", ".min.js", ".js", ".mjs", ".cjs"];

/// The module that the bare name `text` denotes in `file`.
pub(super) fn find_package_module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    for dir in folder_ancestors(file.path.dir()) {
        for name in ["tsconfig.json", "jsconfig.json"] {
            if let Some(config) = w.open_path(&in_dir(dir, name)) {
                let found = by_config(w, config, file, text);
                if found.is_found() {
                    return found;
                }
            }
        }
        if text.starts_with('#')
            && let Some(manifest) = w.open_path(&in_dir(dir, "package.json"))
        {
            return by_imports(w, manifest, file, text);
        }
    }
    let (name, rest) = split_package(text);
    match find_package(w, name) {
        Some(manifest) => in_package(w, manifest, file, rest),
        None => Place::Missing,
    }
}

/// `@scope/name/rest` as name and rest.
fn split_package(text: &str) -> (&str, &str) {
    let parts = if text.starts_with('@') { 2 } else { 1 };
    match text.match_indices('/').nth(parts - 1) {
        Some((at, _)) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    }
}

fn manifest_entries(file: &FileIndex, kind: ManifestKind) -> impl Iterator<Item = (&str, &str)> {
    let manifest = file.outline.manifest.as_ref().filter(move |manifest| manifest.kind == kind);
    manifest
        .into_iter()
        .flat_map(|manifest| &manifest.entries)
        .map(|(key, value)| (file.outline.str(*key), file.outline.str(*value)))
}

/// The module by the path maps and base folders of a configuration and of those that it references: `@app/cart` by
/// `"@app/*": ["src/*"]`.
fn by_config(w: &World<'_>, config: FileIx, from: &FileIndex, text: &str) -> Place {
    let found = mapped_path(w, config, from, text);
    if found.is_found() {
        return found;
    }
    // A configuration that only lists others (`"references"`) passes the question on, because they are for the same
    // files.
    let file = w.file(config);
    let mut beside = manifest_entries(&file, ManifestKind::TsConfig)
        .filter(|(key, _)| *key == "references")
        .filter_map(|(_, value)| find_config(w, &file, value))
        .filter(|at| *at != config && w.file(*at).path.dir() == file.path.dir());
    beside
        .find_map(|at| Some(mapped_path(w, at, from, text)).filter(|place| place.is_found()))
        .unwrap_or(Place::Missing)
}

/// The module by the path map and the base folder of a configuration and of those that it extends.
fn mapped_path(w: &World<'_>, config: FileIx, from: &FileIndex, text: &str) -> Place {
    let chain = config_chain(w, config);
    let base = chain.iter().find_map(|file| {
        let (_, base) = manifest_entries(file, ManifestKind::TsConfig).find(|(key, _)| *key == "baseUrl")?;
        join_path(file.path.dir(), base)
    });
    let patterns = |file: &'_ FileIndex| -> Vec<(String, String)> {
        let all = manifest_entries(file, ManifestKind::TsConfig);
        all.filter_map(|(key, value)| Some((key.strip_prefix("paths:")?.to_owned(), value.to_owned())))
            .collect()
    };
    // A map replaces those of the extended configurations.
    let map_of = chain.iter().map(|file| (file, patterns(file))).find(|(_, patterns)| !patterns.is_empty());
    if let Some((file, mut patterns)) = map_of {
        let dir = base.as_deref().unwrap_or_else(|| file.path.dir());
        // A whole name comes before any pattern, a longer pattern before a shorter one.
        patterns.sort_by_key(|(pattern, _)| match pattern.split_once('*') {
            None => (0, 0),
            Some((before, _)) => (1, usize::MAX - before.len()),
        });
        for (pattern, target) in &patterns {
            let path = apply_pattern(pattern, target, text).and_then(|path| join_path(dir, &path));
            let found = path.map_or(Place::Missing, |path| probe_file(w, &path, from.lang()));
            if found.is_found() {
                return found;
            }
        }
    }
    match base.and_then(|base| join_path(&base, text)) {
        Some(path) if !text.starts_with('@') => probe_file(w, &path, from.lang()),
        _ => Place::Missing,
    }
}

/// A configuration and those that it extends, in descending precedence.
fn config_chain(w: &World<'_>, config: FileIx) -> Vec<Rc<FileIndex>> {
    let mut chain: Vec<FileIx> = Vec::new();
    let mut next = vec![config];
    while let Some(at) = next.pop() {
        if chain.contains(&at) || chain.len() >= EXTENDS {
            continue;
        }
        chain.push(at);
        let file = w.file(at);
        // Of several, the last takes precedence.
        let parents = manifest_entries(&file, ManifestKind::TsConfig).filter(|(key, _)| *key == "extends");
        next.extend(parents.filter_map(|(_, value)| find_config(w, &file, value)));
    }
    chain.into_iter().map(|at| w.file(at)).collect()
}

/// The configuration that `value`, a path or a package's file, names in another.
fn find_config(w: &World<'_>, file: &FileIndex, value: &str) -> Option<FileIx> {
    let path = if value.starts_with('.') {
        join_path(file.path.dir(), value)?
    } else {
        let (name, rest) = split_package(value);
        let rest = if rest.is_empty() { "tsconfig.json" } else { rest };
        join_path(w.file(find_package(w, name)?).path.dir(), rest)?
    };
    let at = [path.clone(), format!("{path}.json"), in_dir(&path, "tsconfig.json")];
    at.iter().find_map(|path| w.open_path(path)).filter(|at| w.file(*at).outline.manifest.is_some())
}

/// `text` through one entry of a map with at most one `*` on either side.
fn apply_pattern(pattern: &str, target: &str, text: &str) -> Option<String> {
    match pattern.split_once('*') {
        None => (pattern == text).then(|| target.to_owned()),
        Some((before, after)) => {
            let rest = text.strip_prefix(before)?.strip_suffix(after)?;
            Some(target.replacen('*', rest, 1))
        }
    }
}

fn by_imports(w: &World<'_>, manifest: FileIx, from: &FileIndex, text: &str) -> Place {
    let file = w.file(manifest);
    manifest_entries(&file, ManifestKind::PackageJson)
        .filter_map(|(key, value)| Some((key.strip_prefix("imports:")?, value)))
        .filter_map(|(pattern, value)| join_path(file.path.dir(), &apply_pattern(pattern, value, text)?))
        .map(|path| probe_file(w, &path, from.lang()))
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

/// The name of the package that others write types in for the package `name`: `@types/a__b` for `@a/b`.
fn typings_of(name: &str) -> String {
    format!("@types/{}", name.trim_start_matches('@').replace('/', "__"))
}

/// The manifest of the repository's package called `name`, else of its types.
fn find_package(w: &World<'_>, name: &str) -> Option<FileIx> {
    let q = Question::PackageManifest(w.sym(name));
    let place = w.derive(&w.memos.places, q, Place::Missing, || {
        let typings = typings_of(name);
        let mut found: Vec<_> = w
            .files_named("package.json")
            .iter()
            .filter_map(|id| {
                let at = w.open(*id)?;
                let file = w.file(at);
                let manifest = file.outline.manifest.as_ref()?;
                let stated = file.outline.str(manifest.name?);
                (stated == name || stated == typings).then(|| (stated != name, file.path.clone(), at))
            })
            .collect();
        found.sort();
        found.first().map_or(Place::Missing, |(_, _, at)| Place::Module(ModRef::File(*at)))
    });
    match place {
        Place::Module(ModRef::File(at)) => Some(at),
        _ => None,
    }
}

/// The main module of the package whose manifest is in the folder `dir`.
pub(super) fn main_of(w: &World<'_>, from: &FileIndex, dir: &str) -> Place {
    let manifest = w.open_path(&in_dir(dir, "package.json"));
    let main = manifest.map_or(Place::Missing, |manifest| in_package(w, manifest, from, ""));
    if main.is_found() { main } else { Place::Missing }
}

/// The module `rest` of a package of the repository. Empty means the main one. The usual sources are tried as well,
/// because build output such as `dist/` is not in the repository.
fn in_package(w: &World<'_>, manifest: FileIx, from: &FileIndex, rest: &str) -> Place {
    let file = w.file(manifest);
    let dir = file.path.dir();
    let wanted = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let mut targets: Vec<String> = Vec::new();
    for (key, value) in manifest_entries(&file, ManifestKind::PackageJson) {
        targets.extend(match key.strip_prefix("exports:") {
            Some(pattern) => apply_pattern(pattern, value, &wanted),
            None if rest.is_empty() && matches!(key, "source" | "module" | "main" | "types" | "typings") => {
                Some(value.to_owned())
            }
            None => None,
        });
    }
    let tail = if rest.is_empty() { "index" } else { rest };
    let stated = targets.iter().cloned();
    let sources = targets.iter().flat_map(|target| sources_of(target));
    let usual = ["", "src", "lib"].iter().map(|sub| format!("{sub}/{tail}"));
    stated
        .chain(sources)
        .chain(usual)
        .filter_map(|path| join_path(dir, &path))
        .map(|path| {
            // The code that a declaration file describes may be beside it.
            let declared = [".d.ts", ".d.mts", ".d.cts"].iter().find_map(|end| path.strip_suffix(end));
            let code = declared.map_or(Place::Missing, |stem| probe_file(w, stem, from.lang()));
            if code.is_found() { code } else { probe_file(w, &path, from.lang()) }
        })
        .find(|place| place.is_found())
        .unwrap_or(Place::External)
}

/// The usual places of the sources of a built file: `src/x` for `dist/esm/x.mjs`.
fn sources_of(built: &str) -> Vec<String> {
    let path = built.trim_start_matches("./");
    let path = BUILT_ENDS.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    let mut found = Vec::new();
    let mut rest = path;
    while let Some((_, tail)) = rest.split_once('/').filter(|(folder, _)| BUILT_FOLDERS.contains(folder)) {
        rest = tail;
        found.push(format!("src/{rest}"));
        found.push(rest.to_owned());
    }
    // `part/dist/x.mjs`, whose source is `part/src/x` or the only entry of `part/src`.
    let inner = path.split('/').skip(1).position(|folder| BUILT_FOLDERS.contains(&folder));
    if let Some(at) = inner.filter(|_| found.is_empty()) {
        let folders: Vec<&str> = path.split('/').collect();
        if let (Some(part), Some(tail)) = (folders.get(..=at), folders.get(at + 2..)) {
            let part = part.join("/");
            found.push(format!("{part}/src/{}", tail.join("/")));
            found.push(format!("{part}/src/index"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps() {
        assert_eq!(apply_pattern("@app/*", "src/*", "@app/x/y").as_deref(), Some("src/x/y"));
        assert_eq!(apply_pattern("@app", "src/index.ts", "@app").as_deref(), Some("src/index.ts"));
        assert_eq!(apply_pattern("@app/*", "src/*", "@lib/x"), None);
        assert_eq!(split_package("@a/b/c/d"), ("@a/b", "c/d"));
        assert_eq!(split_package("a"), ("a", ""));
        assert_eq!(sources_of("./dist/esm/x/y.d.mts"), ["src/esm/x/y", "esm/x/y", "src/x/y", "x/y"]);
        assert!(sources_of("./x.js").is_empty());
        assert_eq!(sources_of("./part/dist/x.mjs"), ["part/src/x", "part/src/index"]);
    }
}
