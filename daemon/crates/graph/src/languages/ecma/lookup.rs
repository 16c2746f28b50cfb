//! JavaScript and TypeScript: relative paths with extension and index resolution, exports, barrels, CommonJS.

use sdl_model::facts::{DefFlags, DefIx, ImportKind};

use super::files::probe_file;
use super::packages;
use crate::modules::paths::join_path;
use crate::modules::{self, ModRef, Place, as_place, find_module as module_at, resolve_import};
use crate::world::{DefRef, FileIndex, FileIx, Sym, World};

/// The module that `text` names in `file`.
pub(super) fn find_module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    if text == "." || text == ".." || text.starts_with("./") || text.starts_with("../") {
        let Some(base) = join_path(file.path.dir(), text) else { return Place::Missing };
        // A folder means the main module that its manifest names (`"main"` in `package.json`), before any index.
        let names_folder = text.ends_with(['.', '/']);
        let place = if names_folder { Place::Missing } else { probe_file(w, &base, file.lang()) };
        return place
            .or_else(|| packages::main_of(w, file, &base))
            .or_else(|| if names_folder { probe_file(w, &base, file.lang()) } else { Place::Missing });
    }
    if text.is_empty() || text.starts_with('/') || text.contains(':') {
        return Place::External;
    }
    packages::find_package_module(w, file, text).or_else(|| Place::External)
}

/// The meaning of `name` among a module's exports.
pub(super) fn find_member(w: &World<'_>, at: FileIx, file: &FileIndex, name: Sym) -> Place {
    let module = DefRef { file: at, def: DefIx::MODULE };
    for (_, local) in file.exports.iter().filter(|(exported, _)| *exported == name) {
        let found = local_name(w, at, file, *local);
        if found != Place::Missing {
            return found;
        }
    }
    let exported = top_level(file, name).map_or(Place::Missing, |def| as_place(file, module, def));
    if exported.is_found() {
        return exported;
    }
    let mut outside = Place::Missing;
    for ix in file.imports(DefIx::MODULE, name) {
        if file.import(ix).is_some_and(|import| import.reexport) {
            let found = resolve_import(w, at, ix);
            if found.is_found() {
                return found;
            }
            outside = outside.or_else(|| found);
        }
    }
    for import in file.wildcards.iter().filter_map(|ix| file.import(*ix)) {
        if import.kind == ImportKind::Wildcard && import.reexport {
            match module_at(w, at, import.scope, file.outline.str(import.module)) {
                Place::Module(ModRef::File(target)) if target == at => {}
                Place::Module(target) => {
                    let found = modules::find_member(w, target, name);
                    if found.is_found() {
                        return found;
                    }
                }
                other => outside = outside.or_else(|| other),
            }
        }
    }
    // `module.exports = Thing; Thing.part = …`, or an object that is the whole export.
    if let Place::Def(whole) = default_of(w, at) {
        let of = w.file(whole.file);
        let stated = || {
            let mut owned = of.owned_by(of.name(whole.def)?, name);
            owned.find(|ix| of.outline.def(*ix).is_some_and(|def| def.flags.has(DefFlags::STATIC)))
        };
        if let Some(def) = of.child(whole.def, name).or_else(stated) {
            return Place::Def(DefRef { def, ..whole });
        }
    }
    outside
}

/// The definition of `name` at a module's top level. A member that is written apart from its type, as in
/// `X.prototype.name = …`, is not meant.
fn top_level(file: &FileIndex, name: Sym) -> Option<DefIx> {
    let is_own = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| def.owner.is_none());
    let found = file.child(DefIx::MODULE, name)?;
    if is_own(&found) { Some(found) } else { file.children(DefIx::MODULE, name).find(is_own) }
}

/// The default export of a module.
pub(super) fn default_of(w: &World<'_>, at: FileIx) -> Place {
    let file = w.file(at);
    let default = w.sym("default");
    if let Some((_, local)) = file.exports.iter().find(|(exported, _)| *exported == default) {
        let found = local_name(w, at, &file, *local);
        if found != Place::Missing {
            return found;
        }
    }
    if let Some(def) = file.default_export() {
        return Place::Def(DefRef { file: at, def });
    }
    for ix in file.imports(DefIx::MODULE, default) {
        if file.import(ix).is_some_and(|import| import.reexport) {
            return resolve_import(w, at, ix);
        }
    }
    Place::Missing
}

/// The meaning of `local` at the top level of a module, exported or not.
fn local_name(w: &World<'_>, at: FileIx, file: &FileIndex, local: Sym) -> Place {
    let module = DefRef { file: at, def: DefIx::MODULE };
    if let Some(def) = top_level(file, local) {
        return as_place(file, module, def);
    }
    let mut found = Place::Missing;
    for ix in file.imports(DefIx::MODULE, local) {
        found = resolve_import(w, at, ix);
        if found.is_found() {
            break;
        }
    }
    found
}
