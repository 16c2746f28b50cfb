//! C and C++.

mod calls;
mod includes;
mod macros;
mod members;
mod names;
mod namespaces;
mod platform;
mod types;

use sdl_model::facts::{DefIx, Import, ImportKind};

pub(super) use includes::{by_suffix, loaded_files};

use crate::modules::Place;
use crate::world::{DefRef, FileIx, Inclusion, ModuleRules, Question, Sym, World};

/// C.
pub(super) struct C;
/// C++.
pub(super) struct Cpp;

/// The rules that the two share: files that include each other.
macro_rules! shared_rules {
    () => {
        fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
            includes::resolve_include(w, &w.file(from), text)
        }

        fn module_text(&self, import: &Import, text: &str) -> Option<String> {
            // An angle bracket marks headers that are looked for along the compiler's path.
            (import.kind == ImportKind::SystemInclude).then(|| format!("<{text}"))
        }

        fn inclusion(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Inclusion> {
            let file = w.file(from);
            let text = file.outline.str(import.module);
            let wanted = self.module_text(import, text);
            let is_text = matches!(import.kind, ImportKind::Include | ImportKind::SystemInclude);
            let text = wanted.as_deref().unwrap_or(text);
            is_text.then(|| includes::find_included(w, file.id, &file.path, w.sym(text)))
        }

        fn definition(&self, w: &World<'_>, declared: DefRef) -> Option<DefRef> {
            includes::linked_definition(w, declared)
        }

        fn is_elsewhere(&self, w: &World<'_>, def: DefRef) -> bool {
            includes::is_elsewhere(w, def)
        }
    };
}

impl ModuleRules for C {
    shared_rules!();

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        includes::find_implicit(w, from, name)
    }

    fn tagged(&self, w: &World<'_>, from: FileIx, name: Sym) -> Place {
        let q = Question::Tagged(from, name);
        w.derive(&w.memos.places, q, Place::Missing, || includes::find_tagged(w, from, name))
    }
}

impl ModuleRules for Cpp {
    shared_rules!();

    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        let text = w.file(from).outline.str(import.module).to_owned();
        Some(namespaces::import_name(w, from, &text, name))
    }

    fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
        // `namespace short = long::name;`
        import.local?;
        Some(namespaces::find_namespace(w, from, w.file(from).outline.str(import.module)))
    }

    fn nested_member(&self, w: &World<'_>, module: DefRef, name: Sym) -> Option<Place> {
        Some(namespaces::namespace_member(w, module, name))
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
        namespaces::find_implicit(w, from, scope, name)
    }

    fn spelled(&self, w: &World<'_>, from: FileIx, scope: DefIx, dotted: &str, name: &str) -> Place {
        namespaces::find_qualified(w, from, scope, dotted, name)
    }
}
