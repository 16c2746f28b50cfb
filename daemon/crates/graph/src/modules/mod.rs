//! The modules that imports name and the names that modules export, as far as all languages agree. The rules of one
//! language are in `languages`, reached through [`ModuleRules`](crate::world::ModuleRules).

pub mod paths;

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, Import, ImportKind};

pub(crate) use crate::values::{ModRef, Place};
use crate::world::{DefRef, FileIndex, FileIx, Question, Sym, World};

/// The module that an import's text names, seen from `scope` of `from`.
pub(crate) fn find_module(w: &World<'_>, from: FileIx, scope: DefIx, text: &str) -> Place {
    let rules = w.rules(w.file(from).lang());
    // Folder and text decide in most languages; asking per file keeps the question simple.
    let scope = rules.module_scope(scope);
    let q = Question::Module(DefRef { file: from, def: scope }, w.sym(text));
    w.derive(&w.memos.places, q, Place::Missing, || rules.module(w, from, scope, text))
}

/// The module that an import names.
pub(crate) fn imported_module(w: &World<'_>, from: FileIx, import: &Import) -> Place {
    let file = w.file(from);
    let text = file.outline.str(import.module);
    match w.rules(file.lang()).module_text(import, text) {
        Some(wanted) => find_module(w, from, import.scope, &wanted),
        None => find_module(w, from, import.scope, text),
    }
}

/// The place that the import numbered `ix` of `from` binds.
pub(crate) fn resolve_import(w: &World<'_>, from: FileIx, ix: u32) -> Place {
    w.derive(&w.memos.places, Question::Import(from, ix), Place::Missing, || {
        let file = w.file(from);
        let Some(import) = file.import(ix) else { return Place::Missing };
        let rules = w.rules(file.lang());
        match import.kind {
            ImportKind::Named => {
                let Some(name) = import.name else { return Place::Missing };
                let name = file.outline.str(name);
                rules
                    .import_name(w, from, import, name)
                    .unwrap_or_else(|| find_inside(w, imported_module(w, from, import), name))
            }
            ImportKind::Default => default_place(w, imported_module(w, from, import)),
            ImportKind::Module => {
                rules.import_module(w, from, import).unwrap_or_else(|| imported_module(w, from, import))
            }
            _ => imported_module(w, from, import),
        }
    })
}

/// The place that `place` denotes where its default export is wanted.
pub(crate) fn default_place(w: &World<'_>, place: Place) -> Place {
    match place {
        Place::Module(module) => default_of(w, module),
        other => other,
    }
}

/// The meaning of `name` directly inside a module or a definition.
pub(crate) fn find_inside(w: &World<'_>, place: Place, name: &str) -> Place {
    match place {
        Place::Module(module) => find_member(w, module, w.sym(name)),
        Place::Def(def) => {
            let (file, name) = (w.file(def.file), w.sym(name));
            w.ask_member(&file, def.def, name);
            file.child(def.def, name).map_or(Place::Missing, |child| as_place(&file, def, child))
        }
        other => other,
    }
}

/// The default export of a module, or the module itself if it has none.
pub(crate) fn default_of(w: &World<'_>, module: ModRef) -> Place {
    match module {
        ModRef::File(at) => {
            w.rules(w.file(at).lang()).default_export(w, at).or_else(|| Place::Module(module))
        }
        _ => Place::Module(module),
    }
}

/// The meaning of `name` inside a module, seen from outside.
pub(crate) fn find_member(w: &World<'_>, module: ModRef, name: Sym) -> Place {
    let q = Question::ModuleMember(module, name);
    w.derive(&w.memos.places, q, Place::Missing, || match module {
        ModRef::File(at) => {
            let found = w.rules(w.file(at).lang()).file_member(w, at, name);
            found.unwrap_or_else(|| find_declared(w, at, name))
        }
        ModRef::Inline(def) => {
            let file = w.file(def.file);
            w.rules(file.lang()).nested_member(w, def, name).unwrap_or_else(|| {
                std::iter::once(def.def)
                    .chain(file.merged(def.def))
                    .find_map(|holder| file.child(holder, name))
                    .map_or(Place::Missing, |child| as_place(&file, def, child))
            })
        }
        ModRef::Dir(lang, dir) => w.rules(lang).folder_member(w, &w.text(dir), name),
        ModRef::Package(lang, package) => w.rules(lang).package_member(w, lang, package, name),
    })
}

/// The definition of `name` at a file's top level, unless it is marked as local.
pub(crate) fn find_declared(w: &World<'_>, at: FileIx, name: Sym) -> Place {
    let file = w.file(at);
    let module = DefRef { file: at, def: DefIx::MODULE };
    if file.lang().includes_text() {
        w.ask_included(name);
    }
    match file.child(DefIx::MODULE, name) {
        Some(def) => as_place(&file, module, def),
        None => Place::Missing,
    }
}

/// A definition as a place. A namespace is a module, and a definition local to a function is out of reach.
pub(crate) fn as_place(file: &FileIndex, parent: DefRef, def: DefIx) -> Place {
    match file.outline.def(def) {
        Some(found) if found.flags.has(DefFlags::LOCAL) => Place::Missing,
        Some(found) if found.kind == SymbolKind::Namespace => {
            Place::Module(ModRef::Inline(DefRef { def, ..parent }))
        }
        Some(_) => Place::Def(DefRef { def, ..parent }),
        None => Place::Missing,
    }
}

/// The place that the wildcard import `import` of `from` binds `name` to.
pub(crate) fn find_wildcard(
    w: &World<'_>,
    from: FileIx,
    file: &FileIndex,
    import: &Import,
    name: Sym,
) -> Place {
    let text = file.outline.str(import.module);
    match find_module(w, from, import.scope, text) {
        Place::Module(ModRef::File(target)) if target == from && import.scope == DefIx::MODULE => {
            Place::Missing
        }
        Place::Module(target) => {
            let found = w.rules(file.lang()).wildcard(w, from, target, name);
            found.unwrap_or_else(|| find_member(w, target, name))
        }
        Place::Def(def) => find_inside(w, Place::Def(def), &w.text(name)),
        other => other,
    }
}

/// The imports of one name among `all` that a build takes.
pub(crate) fn built_imports(
    w: &World<'_>,
    at: FileIx,
    file: &FileIndex,
    all: impl Iterator<Item = u32>,
) -> Vec<u32> {
    let all: Vec<u32> = all.collect();
    if all.len() < 2 { all } else { w.rules(file.lang()).built_imports(w, at, file, all) }
}

/// Splits a dotted text into the text before the last part, and the last part.
pub(crate) fn split_last(text: &str) -> (&str, &str) {
    text.rsplit_once(['.', '\\']).unwrap_or(("", text))
}
