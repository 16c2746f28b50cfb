//! JavaScript and TypeScript.

mod calls;
mod files;
mod lookup;
mod members;
mod names;
mod packages;
mod predicates;
mod types;

use sdl_model::facts::{DefIx, Import};

use crate::modules::{self, ModRef, Place};
use crate::world::{FileIx, ModuleRules, Sym, World};

/// JavaScript and TypeScript.
pub(super) struct Ecma {
    /// Whether types are written, as in TypeScript.
    pub(super) is_typed: bool,
}

impl ModuleRules for Ecma {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        lookup::find_module(w, &w.file(from), text)
    }

    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        (name == "default").then(|| modules::default_place(w, modules::imported_module(w, from, import)))
    }

    fn default_export(&self, w: &World<'_>, at: FileIx) -> Place {
        lookup::default_of(w, at)
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, at, &w.file(at), name))
    }

    fn root(&self, _: &World<'_>, from: FileIx, name: &str) -> Place {
        // `exports.f(…)`, `new exports.Thing()`.
        if name == "exports" && !self.is_typed { Place::Module(ModRef::File(from)) } else { Place::Missing }
    }
}
