//! Bash.

use sdl_model::facts::DefIx;

use super::required;
use crate::infer::{MemberRules, NameRules, TypeRules};
use crate::modules::Place;
use crate::resolve::CallRules;
use crate::world::{FileIx, ModuleRules, Sym, World};

/// Bash.
pub(super) struct Bash;

impl ModuleRules for Bash {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        required::find_module(w, &w.file(from), text)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        required::find_implicit(w, from, name)
    }
}

impl NameRules for Bash {}

impl MemberRules for Bash {}

impl TypeRules for Bash {}

impl CallRules for Bash {}
