//! Bash.

use sdl_model::facts::DefIx;

use super::required;
use crate::modules::Place;
use crate::world::{FileIx, Rules, Sym, World};

/// Bash.
pub(super) struct Bash;

impl Rules for Bash {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        required::find_module(w, &w.file(from), text)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        required::find_implicit(w, from, name)
    }
}
