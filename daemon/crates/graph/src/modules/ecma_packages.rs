//! JavaScript and TypeScript: names that are not relative. `tsconfig.json` path maps, packages of the repository.

use sdl_model::facts::{DefIx, ManifestKind};

use super::ecma::probe;
use super::paths::{ancestors, in_dir, join};
use super::{ModRef, Place};
use crate::infer::{Tag, question};
use crate::world::{DefRef, FileIndex, FileIx, World};

/// How many `extends` of a configuration are followed.
const EXTENDS: usize = 4;

/// The module that the bare name `text` stands for in `file`.
pub(super) fn module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    for dir in ancestors(file.path.dir()) {
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
    match package(w, name) {
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

fn entries(file: &FileIndex, kind: ManifestKind) -> impl Iterator<Item = (&str, &str)> {
    let manifest = file.outline.manifest.as_ref().filter(move |manifest| manifest.kind == kind);
    manifest
        .into_iter()
        .flat_map(|manifest| &manifest.entries)
        .map(|(key, value)| (file.outline.str(*key), file.outline.str(*value)))
}

/// What the path map and the base folder of a configuration say.
fn by_config(w: &World<'_>, config: FileIx, from: &FileIndex, text: &str) -> Place {
    let mut at = config;
    for _ in 0..EXTENDS {
        let file = w.file(at);
        let base_url =
            entries(&file, ManifestKind::TsConfig).find(|(key, _)| *key == "baseUrl").map(|(_, v)| v);
        let base = join(file.path.dir(), base_url.unwrap_or("."));
        if let Some(base) = &base {
            for (key, value) in entries(&file, ManifestKind::TsConfig) {
                if let Some(pattern) = key.strip_prefix("paths:")
                    && let Some(path) = map(pattern, value, text)
                    && let Some(path) = join(base, &path)
                {
                    let found = probe(w, &path, from.lang());
                    if found.is_found() {
                        return found;
                    }
                }
            }
            if base_url.is_some() && !text.starts_with('@') {
                let found = join(base, text).map_or(Place::Missing, |path| probe(w, &path, from.lang()));
                if found.is_found() {
                    return found;
                }
            }
        }
        let parent = entries(&file, ManifestKind::TsConfig)
            .find(|(key, value)| *key == "extends" && value.starts_with('.'))
            .and_then(|(_, value)| {
                let path = join(file.path.dir(), value)?;
                w.open_path(&path).or_else(|| w.open_path(&format!("{path}.json")))
            });
        match parent {
            Some(parent) if parent != at => at = parent,
            _ => break,
        }
    }
    Place::Missing
}

/// `text` through one entry of a map with at most one `*` on either side.
fn map(pattern: &str, target: &str, text: &str) -> Option<String> {
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
    entries(&file, ManifestKind::PackageJson)
        .filter_map(|(key, value)| Some((key.strip_prefix("imports:")?, value)))
        .filter_map(|(pattern, value)| join(file.path.dir(), &map(pattern, value, text)?))
        .map(|path| probe(w, &path, from.lang()))
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

/// The manifest of the repository's package called `name`.
fn package(w: &World<'_>, name: &str) -> Option<FileIx> {
    let at = DefRef { file: FileIx(0xff_fffd), def: DefIx::MODULE };
    let q = question(Tag::Package, at, u64::from(w.sym(name).0));
    let place = w.derive(&w.memos.places, q, Place::Missing, || {
        let mut found: Vec<_> = w
            .files_named("package.json")
            .iter()
            .filter_map(|id| {
                let at = w.open(*id)?;
                let file = w.file(at);
                let manifest = file.outline.manifest.as_ref()?;
                (file.outline.str(manifest.name?) == name).then(|| (file.path.clone(), at))
            })
            .collect();
        found.sort();
        found.first().map_or(Place::Missing, |(_, at)| Place::Module(ModRef::File(*at)))
    });
    match place {
        Place::Module(ModRef::File(at)) => Some(at),
        _ => None,
    }
}

/// The module `rest` (empty: the main one) of a package of the repository. What is built is not there, so the sources
/// that usually make it are tried as well.
fn in_package(w: &World<'_>, manifest: FileIx, from: &FileIndex, rest: &str) -> Place {
    let file = w.file(manifest);
    let dir = file.path.dir();
    let wanted = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let mut paths: Vec<String> = Vec::new();
    for (key, value) in entries(&file, ManifestKind::PackageJson) {
        let target = match key.strip_prefix("exports:") {
            Some(pattern) => map(pattern, value, &wanted),
            None if rest.is_empty() && matches!(key, "source" | "module" | "main" | "types" | "typings") => {
                Some(value.to_owned())
            }
            None => None,
        };
        paths.extend(target.and_then(|target| join(dir, &target)));
    }
    let tail = if rest.is_empty() { "index" } else { rest };
    paths.extend(["", "src", "lib"].iter().filter_map(|sub| join(dir, &format!("{sub}/{tail}"))));
    paths
        .iter()
        .map(|path| probe(w, path, from.lang()))
        .find(|place| place.is_found())
        .unwrap_or(Place::External)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps() {
        assert_eq!(map("@app/*", "src/*", "@app/x/y").as_deref(), Some("src/x/y"));
        assert_eq!(map("@app", "src/index.ts", "@app").as_deref(), Some("src/index.ts"));
        assert_eq!(map("@app/*", "src/*", "@lib/x"), None);
        assert_eq!(split_package("@a/b/c/d"), ("@a/b", "c/d"));
        assert_eq!(split_package("a"), ("a", ""));
    }
}
