//! Lua: the file that `require` loads, what it returns, and the names that all files share.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{Lang, SymbolKind, Visibility};

use crate::languages::c;
use crate::modules::paths::join_path;
use crate::modules::{self, ModRef, Place, as_place};
use crate::world::{DefRef, FileIndex, FileIx, Sym, World};

/// The file that `text` names: `a/b.lua` or `a/b/init.lua` of `a.b`, below any folder. A text that begins with a dot is
/// looked up beside the file first.
pub(super) fn find_module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    if text.rsplit_once('.').is_some_and(|(_, extension)| extension == "lua") {
        let beside = join_path(file.path.dir(), text).and_then(|path| w.open_path(&path));
        return match beside {
            Some(at) => Place::Module(ModRef::File(at)),
            None => c::by_suffix(w, file, text, false),
        };
    }
    let path = text.trim_start_matches('.').replace('.', "/");
    let files = [format!("{path}.lua"), format!("{path}/init.lua")];
    if text.starts_with('.') {
        let inside = format!("{}/{}", file.path.dir(), file.path.stem());
        let beside = [file.path.dir(), &inside]
            .iter()
            .flat_map(|dir| files.iter().filter_map(|path| join_path(dir, path)))
            .find_map(|path| w.open_path(&path));
        if let Some(at) = beside {
            return Place::Module(ModRef::File(at));
        }
    }
    files
        .iter()
        .map(|path| c::by_suffix(w, file, path, false))
        .find(|place| place.is_found())
        .unwrap_or(Place::External)
}

/// What a file returns, if it has a name.
pub(super) fn returned(w: &World<'_>, at: FileIx) -> Place {
    let file = w.file(at);
    let whole = w.sym("default");
    let named = file.exports.iter().filter(|(exported, _)| *exported == whole);
    let found = named.map(|(_, local)| local_name(w, at, &file, *local)).find(|place| place.is_found());
    let default = || Some(Place::Def(DefRef { file: at, def: file.default_export()? }));
    found.or_else(default).unwrap_or(Place::Missing)
}

/// The meaning of `local` at the top level of a file.
fn local_name(w: &World<'_>, at: FileIx, file: &FileIndex, local: Sym) -> Place {
    let module = DefRef { file: at, def: DefIx::MODULE };
    let is_own = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| def.owner.is_none());
    match file.children(DefIx::MODULE, local).find(is_own) {
        Some(def) => as_place(file, module, def),
        None => file
            .imports(DefIx::MODULE, local)
            .map(|ix| modules::resolve_import(w, at, ix))
            .find(|place| place.is_found())
            .unwrap_or(Place::Missing),
    }
}

/// The member `name` of the table that a file returns.
pub(super) fn find_member(w: &World<'_>, at: FileIx, name: Sym) -> Place {
    let file = w.file(at);
    if let Some((_, local)) = file.exports.iter().find(|(exported, _)| *exported == name) {
        return local_name(w, at, &file, *local);
    }
    let module = DefRef { file: at, def: DefIx::MODULE };
    if let Place::Def(whole) = returned(w, at) {
        let of = w.file(whole.file);
        let owned = || of.owned_by(of.name(whole.def)?, name).next();
        return match of.child(whole.def, name).or_else(owned) {
            Some(def) => Place::Def(DefRef { def, ..whole }),
            None => Place::Missing,
        };
    }
    let mut children = file.children(DefIx::MODULE, name);
    // The fields of a table without a name, or the names that the file shares with all others.
    let found = children.find(|ix| is_field(&file, *ix) || is_global(&file, *ix));
    found.map_or(Place::Missing, |def| as_place(&file, module, def))
}

/// Whether a definition is a field of the table without a name that a file returns.
fn is_field(file: &FileIndex, def: DefIx) -> bool {
    file.outline
        .def(def)
        .is_some_and(|def| def.owner.is_none() && matches!(def.kind, SymbolKind::Method | SymbolKind::Field))
}

/// Whether a definition is a name that all files share.
fn is_global(file: &FileIndex, def: DefIx) -> bool {
    let is_local = file.name(def).is_some_and(|name| file.exports.iter().any(|(_, local)| *local == name));
    file.outline.def(def).is_some_and(|def| {
        def.owner.is_none()
            && def.parent == Some(DefIx::MODULE)
            && def.visibility == Visibility::Public
            && !def.flags.has(DefFlags::DEFAULT_EXPORT)
            && !matches!(def.kind, SymbolKind::Method | SymbolKind::Field)
    }) && !is_local
}

/// The name that a file which this one requires shares with all files.
pub(super) fn find_required(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let shared = |at: &FileIx| {
        let file = w.file(*at);
        let def = file.children(DefIx::MODULE, name).find(|ix| is_global(&file, *ix))?;
        Some(Place::Def(DefRef { file: *at, def }))
    };
    c::loaded_files(w, from).iter().find_map(shared).unwrap_or(Place::Missing)
}

/// The only table with members called `name`: that all files share, or of which the text just states the name.
pub(super) fn only_class(w: &World<'_>, name: Sym, shared: bool) -> Place {
    let hits = w.named(name);
    let classes = hits.iter().flat_map(|hits| hits.iter()).filter(|hit| hit.kind == SymbolKind::Class);
    let found = classes.filter_map(|hit| {
        let at = w.open(hit.file)?;
        let file = w.file(at);
        let def = file
            .find(hit.symbol)
            .filter(|def| file.lang() == Lang::Lua && (!shared || is_global(&file, *def)))?;
        Some(DefRef { file: at, def })
    });
    let found: Vec<DefRef> = found.take(2).collect();
    match found.as_slice() {
        [only] => Place::Def(*only),
        _ => Place::Missing,
    }
}
