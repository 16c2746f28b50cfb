//! Java and Kotlin.

mod java;
mod kotlin;
mod lookup;
mod words;

use sdl_model::Lang;
use sdl_model::facts::{DefIx, Import};

use crate::modules::{self, ModRef, Place, split_last};
use crate::world::{FileIx, ModuleRules, Sym, World};

/// Java.
pub(super) struct Java;
/// Kotlin.
pub(super) struct Kotlin;

/// The rules that the two share: packages that files declare, and the source sets of one build.
macro_rules! shared_rules {
    () => {
        fn module(&self, w: &World<'_>, _: FileIx, _: DefIx, text: &str) -> Place {
            lookup::find_module(w, text)
        }

        fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
            let module = modules::imported_module(w, from, import);
            let found = lookup::import_name(w, module, w.file(from).outline.str(import.module), name);
            Some(lookup::in_source_set(w, from, found))
        }

        fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
            let file = w.file(from);
            let (package, name) = split_last(file.outline.str(import.module));
            Some(modules::imported_module(w, from, import).or_else(|| {
                let found = lookup::import_name(w, lookup::find_module(w, package), package, name);
                lookup::in_source_set(w, from, found)
            }))
        }

        fn package_member(&self, w: &World<'_>, _: Lang, package: Sym, name: Sym) -> Place {
            lookup::package_member(w, package, name)
        }

        fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
            lookup::in_source_set(w, from, lookup::find_implicit(w, &w.file(from), name))
        }

        fn spelled(&self, w: &World<'_>, from: FileIx, _: DefIx, dotted: &str, name: &str) -> Place {
            match modules::find_module(w, from, DefIx::MODULE, dotted) {
                found @ (Place::Module(_) | Place::Def(_)) => modules::find_inside(w, found, name),
                _ => Place::Missing,
            }
        }

        fn root(&self, w: &World<'_>, _: FileIx, name: &str) -> Place {
            lookup::find_root_name(w, name)
        }
    };
}

impl ModuleRules for Java {
    shared_rules!();
}

impl ModuleRules for Kotlin {
    shared_rules!();

    fn wildcard(&self, w: &World<'_>, from: FileIx, target: ModRef, name: Sym) -> Option<Place> {
        Some(lookup::in_source_set(w, from, modules::find_member(w, target, name)))
    }
}
