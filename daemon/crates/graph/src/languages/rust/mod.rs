//! Rust.

mod blocks;
mod calls;
mod conditions;
mod crates;
mod lookup;
mod members;
mod names;
mod pointers;
mod traits;
mod types;

use sdl_model::facts::DefIx;

use crate::modules::Place;
use crate::world::{DefRef, FileIndex, FileIx, ModuleRules, Sym, World};

/// Rust.
pub(super) struct Rust;

impl ModuleRules for Rust {
    fn module(&self, w: &World<'_>, from: FileIx, scope: DefIx, text: &str) -> Place {
        lookup::find_module(w, from, scope, text)
    }

    fn module_scope(&self, scope: DefIx) -> DefIx {
        scope
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, DefRef { file: at, def: DefIx::MODULE }, name))
    }

    fn nested_member(&self, w: &World<'_>, module: DefRef, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, module, name))
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        lookup::find_implicit(w, from, name)
    }

    fn root(&self, w: &World<'_>, from: FileIx, name: &str) -> Place {
        lookup::find_root_name(w, from, name)
    }

    fn built_imports(&self, w: &World<'_>, at: FileIx, file: &FileIndex, all: Vec<u32>) -> Vec<u32> {
        let is_built = |ix: &u32| !conditions::leaves_out_import(w, at, file, *ix);
        let built: Vec<u32> = all.iter().copied().filter(is_built).collect();
        if built.is_empty() { all } else { built }
    }

    fn built_first(&self, w: &World<'_>, at: FileIx, file: &FileIndex, all: Vec<u32>) -> Vec<u32> {
        let is_built = |ix: &u32| !conditions::leaves_out_import(w, at, file, *ix);
        let (mut built, left_out): (Vec<u32>, Vec<u32>) = all.into_iter().partition(is_built);
        built.extend(left_out);
        built
    }
}
