//! PHP: where `composer.json` says that a namespace's classes lie.

use sdl_model::facts::ManifestKind;

use crate::modules::Place;
use crate::modules::paths::{in_dir, join_path};
use crate::world::{DefRef, FileIx, Sym, World};

/// Most folders that one class is looked for in.
const FOLDERS: usize = 16;

/// The class `name` of `namespace`, in the file that has its name.
pub(in crate::languages) fn find_class(w: &World<'_>, namespace: &str, name: Sym) -> Place {
    let text = w.text(name);
    let whole = format!("{}\\{text}", namespace.trim_matches('\\').replace('.', "\\"));
    let mut paths: Vec<(usize, String)> = Vec::new();
    for id in w.files_named("composer.json").iter() {
        let Some(at) = w.open(*id) else { continue };
        let file = w.file(at);
        let Some(manifest) = file.outline.manifest.as_ref().filter(|m| m.kind == ManifestKind::Composer)
        else {
            continue;
        };
        for (key, dir) in &manifest.entries {
            let Some(prefix) = file.outline.str(*key).strip_prefix("psr-4:") else { continue };
            let Some(rest) = whole.strip_prefix(prefix.trim_start_matches('\\')) else { continue };
            let path = in_dir(file.outline.str(*dir).trim_end_matches('/'), &rest.replace('\\', "/"));
            paths.extend(join_path(file.path.dir(), &format!("{path}.php")).map(|path| (prefix.len(), path)));
        }
    }
    // The longest prefix counts first.
    paths.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    let mut found = paths.iter().take(FOLDERS).filter_map(|(_, path)| w.open_path(path));
    found.find_map(|at| declared_type(w, at, name)).map_or(Place::Missing, Place::Def)
}

/// The type called `name` at a file's top level or in its namespace.
fn declared_type(w: &World<'_>, at: FileIx, name: Sym) -> Option<DefRef> {
    let file = w.file(at);
    let is_own = |parent: Option<sdl_model::facts::DefIx>| {
        parent.and_then(|parent| file.outline.def(parent)).is_some_and(|parent| {
            matches!(parent.kind, sdl_model::SymbolKind::Module | sdl_model::SymbolKind::Namespace)
        })
    };
    let mut types = file.outline.iter().filter(|(_, def)| def.kind.is_type() && is_own(def.parent));
    types.find(|(ix, _)| file.name(*ix) == Some(name)).map(|(def, _)| DefRef { file: at, def })
}
