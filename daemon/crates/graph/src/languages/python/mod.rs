//! Python.

mod calls;
mod files;
mod fixtures;
mod lookup;
mod names;
mod projects;
mod types;

use sdl_model::facts::{DefIx, Import};

use crate::modules::{self, ModRef, Place};
use crate::world::{FileIx, ModuleRules, Sym, World};

/// Python.
pub(super) struct Python;

impl ModuleRules for Python {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        lookup::find_module(w, &w.file(from), text)
    }

    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        Some(lookup::import_name(w, from, modules::imported_module(w, from, import), name))
    }

    fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
        let file = w.file(from);
        let local = file.outline.str(import.local?);
        Some(lookup::import_module(w, from, file.outline.str(import.module), local))
    }

    fn wildcard(&self, w: &World<'_>, _: FileIx, target: ModRef, name: Sym) -> Option<Place> {
        Some(lookup::public_member(w, target, name))
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        Some(lookup::find_member(w, at, &w.file(at), name))
    }

    fn folder_member(&self, w: &World<'_>, dir: &str, name: Sym) -> Place {
        lookup::dir_member(w, dir, name)
    }
}
