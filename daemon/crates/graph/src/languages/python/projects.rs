//! Python: the folders in which a project states that its packages are (`pyproject.toml`, `setup.cfg`).

use std::rc::Rc;

use sdl_model::facts::ManifestKind;

use super::files::{find_module_file, has_module};
use crate::modules::paths::{in_dir, join_path, parent_dir as dir_of};
use crate::modules::{ModRef, Place};
use crate::world::{FileIndex, Question, World};

const MANIFESTS: [&str; 2] = ["pyproject.toml", "setup.cfg"];

fn manifest_entries(file: &FileIndex) -> impl Iterator<Item = (&str, &str)> {
    let manifest = file.outline.manifest.as_ref().filter(|manifest| manifest.kind == ManifestKind::PyProject);
    manifest
        .into_iter()
        .flat_map(|manifest| &manifest.entries)
        .map(|(key, value)| (file.outline.str(*key), file.outline.str(*value)))
}

/// The manifests directly in `dir`.
fn folder_manifests(w: &World<'_>, dir: &str) -> Vec<Rc<FileIndex>> {
    MANIFESTS.iter().filter_map(|name| w.open_path(&in_dir(dir, name))).map(|at| w.file(at)).collect()
}

/// The meaning of `text`, a module's dotted name, in the project at `dir`, if a project there holds it.
pub(super) fn in_project(w: &World<'_>, dir: &str, text: &str) -> Place {
    let manifests = folder_manifests(w, dir);
    let is_project = dir.is_empty() || !manifests.is_empty() || w.path(&in_dir(dir, "setup.py")).is_some();
    if !is_project {
        return Place::Missing;
    }
    if let Some(found) = manifests.iter().find_map(|file| mapped_package(w, file, text)) {
        return found;
    }
    let stated = manifests.iter().flat_map(|file| package_folders(file));
    for root in stated.chain([in_dir(dir, "src")]) {
        if root != dir && has_module(w, &root, text) {
            return find_module_file(w, &root, text).or_else(|| Place::External);
        }
    }
    Place::Missing
}

/// The folders that contain packages according to a manifest, for example `src`.
fn package_folders(file: &FileIndex) -> Vec<String> {
    manifest_entries(file)
        .filter_map(|(key, value)| match key {
            "where" | "package-dir:" => join_path(file.path.dir(), value),
            "packages" => join_path(file.path.dir(), dir_of(value)),
            _ => None,
        })
        .collect()
}

/// The meaning of `text` where the manifest states a folder for its package, or for one around it.
fn mapped_package(w: &World<'_>, file: &FileIndex, text: &str) -> Option<Place> {
    let inside = |package: &str| -> Option<String> {
        let rest = text.strip_prefix(package)?;
        if rest.is_empty() { Some(String::new()) } else { rest.strip_prefix('.').map(str::to_owned) }
    };
    let (_, dir, rest) = manifest_entries(file)
        .filter_map(|(key, dir)| {
            let package = key.strip_prefix("package-dir:").filter(|package| !package.is_empty())?;
            Some((package.len(), dir, inside(package)?))
        })
        .max_by_key(|(length, ..)| *length)?;
    let base = join_path(file.path.dir(), dir)?;
    Some(find_module_file(w, &base, &rest).or_else(|| Place::External))
}

/// The meaning of `text` in the repository's project with the name of its first part.
pub(super) fn by_name(w: &World<'_>, text: &str) -> Place {
    let first = text.split('.').next().unwrap_or(text);
    let q = Question::Project(w.sym(first));
    let project = w.derive(&w.memos.places, q, Place::Missing, || {
        let mut found: Vec<_> = MANIFESTS
            .iter()
            .flat_map(|name| w.files_named(name).to_vec())
            .filter_map(|id| {
                let at = w.open(id)?;
                let file = w.file(at);
                let manifest = file.outline.manifest.as_ref()?;
                let name = file.outline.str(manifest.name?).replace(['-', '.'], "_");
                name.eq_ignore_ascii_case(first).then(|| (file.path.clone(), at))
            })
            .collect();
        found.sort();
        found.first().map_or(Place::Missing, |(_, at)| Place::Module(ModRef::File(*at)))
    });
    let Place::Module(ModRef::File(at)) = project else { return Place::Missing };
    let dir = w.file(at).path.dir().to_owned();
    if has_module(w, &dir, text) {
        return find_module_file(w, &dir, text);
    }
    in_project(w, &dir, text)
}
