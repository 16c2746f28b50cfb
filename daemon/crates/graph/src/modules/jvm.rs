//! Java and Kotlin: packages by declaration, classes by import, package or wildcard.

use sdl_model::facts::DefIx;
use sdl_model::{FileId, Lang};

use super::{ModRef, Place, declared, inside, split_last};
use crate::world::{FileIndex, Sym, World};

/// The package or class that `text` names.
pub(super) fn module(w: &World<'_>, text: &str) -> Place {
    if text.is_empty() {
        return Place::Missing;
    }
    if !w.files_of_package(text).is_empty() {
        return Place::Module(ModRef::Package(w.sym(text)));
    }
    // A class, perhaps inside another: packages are in lower case, so few questions are asked for names from outside.
    let (outer, name) = split_last(text);
    if outer.is_empty() || !name.starts_with(char::is_uppercase) {
        return Place::External;
    }
    match module(w, outer) {
        Place::Missing => Place::External,
        found @ (Place::Module(_) | Place::Def(_)) => inside(w, found, name),
        other => other,
    }
}

/// What `import module.name` binds.
pub(super) fn import_name(w: &World<'_>, module: Place, text: &str, name: &str) -> Place {
    match module {
        Place::External | Place::Missing => {
            let whole = format!("{text}.{name}");
            if w.files_of_package(&whole).is_empty() {
                Place::External
            } else {
                Place::Module(ModRef::Package(w.sym(&whole)))
            }
        }
        found => inside(w, found, name),
    }
}

/// What `name` is in a package.
pub(super) fn package_member(w: &World<'_>, package: Sym, name: Sym) -> Place {
    let files = w.files_of_package(&w.text(package));
    let text = w.text(name);
    // By rule a public class lies in a file of its name.
    let by_stem = |id: &&FileId| w.path_of(**id).is_some_and(|path| path.stem() == &*text);
    let mut candidates: Vec<FileId> = files.iter().filter(by_stem).copied().collect();
    match w.named(name) {
        Some(hits) => candidates.extend(hits.iter().map(|hit| hit.file).filter(|file| files.contains(file))),
        None => candidates.extend(files.iter().copied().take(256)),
    }
    // Of copies in one tree, the one that lies least deep.
    candidates.sort_by_cached_key(|id| {
        w.path_of(*id).map(|path| {
            let text = path.as_str();
            (text.starts_with('.') || text.contains("/."), text.matches('/').count(), path.clone())
        })
    });
    candidates
        .into_iter()
        .filter_map(|id| w.open(id))
        .map(|at| declared(w, at, name))
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

/// What `name` is in the file's own package.
pub(super) fn implicit(w: &World<'_>, file: &FileIndex, name: Sym) -> Place {
    let found = file
        .outline
        .package
        .map_or(Place::Missing, |package| package_member(w, w.sym(file.outline.str(package)), name));
    if found == Place::Missing && file.outline.package.is_none() && file.lang() == Lang::Java {
        let dir = w.files_in_dir(file.path.dir());
        return dir
            .iter()
            .filter(|id| w.path_of(**id).is_some_and(|path| path.stem() == &*w.text(name)))
            .filter_map(|id| w.open(*id))
            .filter_map(|at| Some((at, w.file(at).child(DefIx::MODULE, name)?)))
            .map(|(file, def)| Place::Def(crate::world::DefRef { file, def }))
            .next()
            .unwrap_or(Place::Missing);
    }
    found
}

/// The first part of a name that is written out with its package.
pub(super) fn root(w: &World<'_>, name: &str) -> Place {
    if w.files_of_package(name).is_empty() {
        Place::Missing
    } else {
        Place::Module(ModRef::Package(w.sym(name)))
    }
}
