//! PHP.

pub(super) mod composer;

use sdl_model::facts::{DefIx, Import};

use super::namespaces;
use crate::modules::{self, Place, split_last};
use crate::world::{DefRef, FileIx, Rules, Sym, World};

/// PHP.
pub(super) struct Php;

impl Rules for Php {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        namespaces::find_module(w, &w.file(from), text)
    }

    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        let file = w.file(from);
        Some(namespaces::import_name(w, &file, file.outline.str(import.module), name))
    }

    fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
        let file = w.file(from);
        let (namespace, name) = split_last(file.outline.str(import.module));
        let module = modules::imported_module(w, from, import);
        Some(module.or_else(|| namespaces::import_name(w, &file, namespace, name)))
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
