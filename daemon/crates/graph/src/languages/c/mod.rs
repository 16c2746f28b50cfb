//! C and C++.

mod includes;
mod namespaces;
mod platform;

use sdl_model::facts::{DefIx, Import, ImportKind};

pub(super) use includes::{by_suffix, included_files};

use crate::modules::Place;
use crate::words::words;
use crate::world::{DefRef, FileIx, Rules, Sym, World};

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

        fn definition(&self, w: &World<'_>, declared: DefRef) -> Option<DefRef> {
            includes::linked_definition(w, declared)
        }

        fn has_firm_function(&self, w: &World<'_>, from: FileIx, name: Sym) -> bool {
            includes::has_firm_function(w, from, name)
        }

        fn renamed(&self, w: &World<'_>, from: FileIx, function: DefIx, at: u32) -> Option<DefIx> {
            includes::renaming_macro(w, from, function, at)
        }

        fn includes(&self, w: &World<'_>, file: FileIx, target: FileIx) -> bool {
            includes::includes_file(w, file, target)
        }

        fn is_elsewhere(&self, w: &World<'_>, def: DefRef) -> bool {
            includes::is_elsewhere(w, def)
        }

        fn is_of_platform(&self, name: &str) -> bool {
            platform::is_of_libc(name)
        }

        fn is_builtin_member(&self, name: &str) -> bool {
            BUILTIN.contains(name)
        }
    };
}

impl Rules for C {
    shared_rules!();

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        includes::find_implicit(w, from, name)
    }

    fn tagged(&self, w: &World<'_>, from: FileIx, name: Sym) -> Place {
        includes::find_tagged(w, from, name)
    }
}

impl Rules for Cpp {
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

words! {
    BUILTIN = "\
        append at back begin c_str capacity clear count data emplace emplace_back empty end erase find first \
        front get insert length lock max_size pop pop_back pop_front push push_back push_front rbegin \
        release rend reserve reset resize second shrink_to_fit size str substr swap top unlock";
}
