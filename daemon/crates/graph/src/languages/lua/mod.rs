//! Lua.

mod calls;
mod library;
mod lookup;
mod names;
mod types;

use sdl_model::facts::{DefIx, Import};

use crate::infer::MemberRules;
use crate::modules::{self, Place};
use crate::world::{FileIx, ModuleRules, Sym, World};

/// Lua.
pub(super) struct Lua;

impl ModuleRules for Lua {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        lookup::find_module(w, &w.file(from), text)
    }

    fn default_export(&self, w: &World<'_>, at: FileIx) -> Place {
        lookup::returned(w, at)
    }

    /// `require` gives what the module returns.
    fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
        Some(modules::default_place(w, modules::imported_module(w, from, import)))
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, at, name))
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        lookup::find_required(w, from, name)
    }

    fn tagged(&self, w: &World<'_>, _: FileIx, name: Sym) -> Place {
        lookup::only_class(w, name, false)
    }

    fn root(&self, w: &World<'_>, _: FileIx, name: &str) -> Place {
        if library::is_library(name) { Place::External } else { lookup::only_class(w, w.sym(name), true) }
    }
}

impl MemberRules for Lua {}
