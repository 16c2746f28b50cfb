//! Rust's crates: their roots and their names in code, by `Cargo.toml`.

use std::rc::Rc;

use sdl_model::facts::ManifestKind;

use crate::modules::paths::{folder_ancestors, in_dir, join_path};
use crate::modules::{ModRef, Place};
use crate::world::{FileIndex, FileIx, Question, World};

fn manifest_entries(file: &FileIndex) -> impl Iterator<Item = (&str, &str)> {
    let manifest = file.outline.manifest.as_ref().filter(|manifest| manifest.kind == ManifestKind::Cargo);
    manifest
        .into_iter()
        .flat_map(|manifest| &manifest.entries)
        .map(|(key, value)| (file.outline.str(*key), file.outline.str(*value)))
}

/// The manifests of `dir` and of the folders around it, innermost first.
fn enclosing_manifests<'w>(
    w: &'w World<'_>,
    dir: &'w str,
) -> impl Iterator<Item = (FileIx, Rc<FileIndex>)> + 'w {
    folder_ancestors(dir).filter_map(|dir| w.open_path(&in_dir(dir, "Cargo.toml"))).map(|at| (at, w.file(at)))
}

/// A package's name, as the manifest writes it.
fn package_name(file: &FileIndex) -> Option<&str> {
    let manifest = file.outline.manifest.as_ref().filter(|manifest| manifest.kind == ManifestKind::Cargo)?;
    manifest.name.map(|name| file.outline.str(name))
}

/// The roots of crates whose paths the package of `dir` states.
pub(super) fn stated_roots(w: &World<'_>, dir: &str) -> Vec<String> {
    let Some(at) = package_with_roots(w, dir) else { return Vec::new() };
    let file = w.file(at);
    let roots = manifest_entries(&file).filter(|(key, _)| states_root(key));
    roots.filter_map(|(_, path)| join_path(file.path.dir(), path)).collect()
}

fn states_root(key: &str) -> bool {
    key == "lib.path" || key.starts_with("bin:")
}

/// The manifest of the package that the files in `dir` belong to, if it states roots.
fn package_with_roots(w: &World<'_>, dir: &str) -> Option<FileIx> {
    of_folder(w, dir, 0, || {
        let package = enclosing_manifests(w, dir).find(|(_, file)| package_name(file).is_some());
        package.filter(|(_, file)| manifest_entries(file).any(|(key, _)| states_root(key)))
    })
}

/// The manifest nearest to the files in `dir`.
fn nearest_manifest(w: &World<'_>, dir: &str) -> Option<FileIx> {
    of_folder(w, dir, 1, || enclosing_manifests(w, dir).next())
}

/// Caches which manifest `find` returns for a folder; `which` tells questions apart.
fn of_folder(
    w: &World<'_>,
    dir: &str,
    which: u32,
    find: impl FnOnce() -> Option<(FileIx, Rc<FileIndex>)>,
) -> Option<FileIx> {
    let q = Question::CrateFolder { which, dir: w.sym(dir) };
    let place = w.derive(&w.memos.places, q, Place::Missing, || {
        find().map_or(Place::Missing, |(at, _)| Place::Module(ModRef::File(at)))
    });
    match place {
        Place::Module(ModRef::File(at)) => Some(at),
        _ => None,
    }
}

/// Whether the package of the file `from` has the feature `name` by default. None if no manifest states it.
pub(super) fn has_feature(w: &World<'_>, from: FileIx, name: &str) -> Option<bool> {
    let file = w.file(from);
    let dir = file.path.dir();
    let package =
        of_folder(w, dir, 2, || enclosing_manifests(w, dir).find(|(_, file)| package_name(file).is_some()))?;
    Some(manifest_entries(&w.file(package)).any(|(key, value)| key == "feature" && value == name))
}

/// The root of a package's library, if the package has one.
fn library_root(w: &World<'_>, manifest: &FileIndex) -> Option<FileIx> {
    let stated = manifest_entries(manifest).find(|(key, _)| *key == "lib.path").map(|(_, path)| path);
    w.open_path(&join_path(manifest.path.dir(), stated.unwrap_or("src/lib.rs"))?)
}

/// Whether code calls a package's library `name`.
fn is_called(manifest: &FileIndex, name: &str) -> bool {
    let stated = manifest_entries(manifest).find(|(key, _)| *key == "lib.name").map(|(_, name)| name);
    stated.or_else(|| package_name(manifest)).is_some_and(|own| is_same_name(own, name))
}

/// Code writes `_` where a manifest may write `-`.
fn is_same_name(manifest: &str, code: &str) -> bool {
    manifest.len() == code.len()
        && manifest.bytes().zip(code.bytes()).all(|(a, b)| a == b || (a == b'-' && b == b'_'))
}

/// The root of the crate that `name` denotes in the file `from`: its package's own library, a dependency with that name
/// in its manifests, else the repository's crate of that name.
pub(super) fn crate_named(w: &World<'_>, from: FileIx, name: &str) -> Place {
    let nearest = nearest_manifest(w, w.file(from).path.dir());
    let q = Question::CrateRoot { nearest, name: w.sym(name) };
    w.derive(&w.memos.places, q, Place::Missing, || {
        // Every file below the nearest manifest shares this answer, so the walk starts there and not at `from`.
        let found = nearest.and_then(|at| {
            let dir = w.file(at).path.dir().to_owned();
            enclosing_manifests(w, &dir).find_map(|(_, file)| by_manifest(w, &file, name))
        });
        match found {
            Some(found) => found,
            None if matches!(name, "std" | "core" | "alloc" | "proc_macro" | "test") => Place::External,
            None => by_name(w, name),
        }
    })
}

/// The crate that a manifest calls `name`: its own library, or a dependency whose folder or real name it states.
fn by_manifest(w: &World<'_>, manifest: &FileIndex, name: &str) -> Option<Place> {
    if is_called(manifest, name) {
        return Some(root_place(library_root(w, manifest)));
    }
    let stated = |wanted: &str| {
        manifest_entries(manifest)
            .find(|(key, _)| key.strip_prefix(wanted).is_some_and(|key| is_same_name(key, name)))
            .map(|(_, value)| value)
    };
    if let Some(path) = stated("path:") {
        let at = w.open_path(&join_path(manifest.path.dir(), &in_dir(path, "Cargo.toml"))?)?;
        return Some(root_place(library_root(w, &w.file(at))));
    }
    let real = stated("package:")?.replace('-', "_");
    Some(by_name(w, &real))
}

/// The root of a library, if the package has one.
fn root_place(library: Option<FileIx>) -> Place {
    library.map_or(Place::External, |at| Place::Module(ModRef::File(at)))
}

fn by_name(w: &World<'_>, name: &str) -> Place {
    let mut found: Vec<_> = w
        .files_named("Cargo.toml")
        .iter()
        .filter_map(|id| {
            let file = w.file(w.open(*id)?);
            is_called(&file, name).then_some(())?;
            Some((file.path.clone(), library_root(w, &file)?))
        })
        .collect();
    found.sort();
    root_place(found.first().map(|(_, at)| *at))
}
