//! Ruby.

mod calls;
mod members;
mod names;

use sdl_model::facts::DefIx;

use super::{namespaces, required};
use crate::modules::Place;
use crate::world::{DefRef, FileIx, ModuleRules, Sym, World};

/// Ruby.
pub(super) struct Ruby;

impl ModuleRules for Ruby {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        required::find_module(w, &w.file(from), text)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        required::find_implicit(w, from, name)
    }

    fn nested_member(&self, w: &World<'_>, module: DefRef, name: Sym) -> Option<Place> {
        Some(namespaces::namespace_member(w, module, name))
    }

    fn root(&self, w: &World<'_>, _: FileIx, name: &str) -> Place {
        required::find_root_name(w, name)
    }
}
