//! Python: packages, relative imports, `__init__` re-exports, `__all__`, source roots.

use sdl_model::Lang;
use sdl_model::facts::{DefFlags, DefIx, ImportKind};

use super::files::{find_module_file, has_module};
use super::projects;
use crate::modules::paths::{folder_ancestors, in_dir};
use crate::modules::{
    self, ModRef, Place, find_declared, find_member as module_member, find_wildcard, resolve_import,
};
use crate::world::{FileIndex, FileIx, Sym, World};

/// The module that `text` names in `file`.
pub(super) fn find_module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    let rest = text.trim_start_matches('.');
    let dots = text.len() - rest.len();
    if dots > 0 {
        let Some(base) = folder_ancestors(file.path.dir()).nth(dots - 1) else { return Place::Missing };
        return find_module_file(w, base, rest);
    }
    for dir in folder_ancestors(file.path.dir()) {
        if dir.is_empty() || w.path(&in_dir(dir, "__init__.py")).is_none() {
            if has_module(w, dir, rest) {
                return find_module_file(w, dir, rest).or_else(|| Place::External);
            }
            let found = projects::in_project(w, dir, rest);
            if found != Place::Missing {
                return found;
            }
        }
    }
    projects::by_name(w, rest).or_else(|| Place::External)
}

/// The place that `import text` binds to `local`: `a` for `import a.b`, and `a.b` for `import a.b as c`.
pub(super) fn import_module(w: &World<'_>, from: FileIx, text: &str, local: &str) -> Place {
    let text = match text.split_once('.') {
        Some((first, _)) if first == local => first,
        _ => text,
    };
    modules::find_module(w, from, DefIx::MODULE, text)
}

/// The place that `from module import name` binds in `from`.
pub(super) fn import_name(w: &World<'_>, from: FileIx, module: Place, name: &str) -> Place {
    match module {
        // A package that imports its own submodule.
        Place::Module(ModRef::File(target)) if target == from => {
            let file = w.file(target);
            find_declared(w, target, w.sym(name)).or_else(|| find_submodule(w, &file, name))
        }
        Place::Module(target) => module_member(w, target, w.sym(name)),
        other => other,
    }
}

/// The meaning of `name` in the module of the file `at`.
pub(super) fn find_member(w: &World<'_>, at: FileIx, file: &FileIndex, name: Sym) -> Place {
    let found = find_declared(w, at, name);
    // An excluded definition yields to an import that replaces it.
    let is_left_out = match found {
        Place::Def(def) => file.outline.def(def.def).is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT)),
        _ => false,
    };
    if found.is_found() && !(is_left_out && file.imports(DefIx::MODULE, name).next().is_some()) {
        return found;
    }
    let mut outside = Place::Missing;
    for ix in file.imports(DefIx::MODULE, name) {
        match resolve_import(w, at, ix) {
            found @ (Place::Def(_) | Place::Module(_)) => return found,
            other => outside = outside.or_else(|| other),
        }
    }
    let text = w.text(name);
    let found = find_submodule(w, file, &text);
    if found.is_found() {
        return found;
    }
    for import in file.wildcards.iter().filter_map(|ix| file.import(*ix)) {
        if import.kind == ImportKind::Wildcard && import.scope == DefIx::MODULE {
            match find_wildcard(w, at, file, import, name) {
                found @ (Place::Def(_) | Place::Module(_)) => return found,
                other => outside = outside.or_else(|| other),
            }
        }
    }
    outside
}

/// The definition that `from module import *` binds to `name`.
pub(super) fn public_member(w: &World<'_>, module: ModRef, name: Sym) -> Place {
    if let ModRef::File(at) = module {
        let file = w.file(at);
        let public = if file.exports.is_empty() {
            !w.text(name).starts_with('_')
        } else {
            file.exports.iter().any(|(exported, _)| *exported == name)
        };
        if !public {
            return Place::Missing;
        }
    }
    module_member(w, module, name)
}

fn find_submodule(w: &World<'_>, file: &FileIndex, name: &str) -> Place {
    if matches!(file.path.file_name(), "__init__.py" | "__init__.pyi") {
        find_module_file(w, file.path.dir(), name)
    } else {
        Place::Missing
    }
}

/// The meaning of `name` in a folder without `__init__.py`.
pub(super) fn dir_member(w: &World<'_>, dir: &str, name: Sym) -> Place {
    let found = find_module_file(w, dir, &w.text(name));
    match found {
        Place::Module(ModRef::File(at)) if w.file(at).lang() != Lang::Python => Place::Missing,
        other => other,
    }
}
