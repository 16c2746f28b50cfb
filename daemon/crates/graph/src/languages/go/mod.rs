//! Go.

mod calls;
mod lookup;
mod types;

use sdl_model::facts::DefIx;

use crate::infer::NameRules;
use crate::modules::Place;
use crate::world::{FileIx, ModuleRules, Sym, World};

/// Go.
pub(super) struct Go;

impl ModuleRules for Go {
    fn module(&self, w: &World<'_>, _: FileIx, _: DefIx, text: &str) -> Place {
        lookup::find_module(w, text)
    }

    fn folder_member(&self, w: &World<'_>, dir: &str, name: Sym) -> Place {
        lookup::dir_member(w, dir, name)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        lookup::find_implicit(w, &w.file(from), name)
    }
}

impl NameRules for Go {}
