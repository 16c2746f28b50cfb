//! JavaScript and TypeScript.

mod files;
mod lookup;
mod packages;

use sdl_model::facts::{DefIx, Import};

use crate::modules::{self, Place};
use crate::words::words;
use crate::world::{FileIx, Rules, Sym, World};

/// JavaScript and TypeScript.
pub(super) struct Ecma;

impl Rules for Ecma {
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

    fn is_builtin_member(&self, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

words! {
    BUILTIN = "\
        abort add addEventListener addListener all appendChild apply arrayBuffer assign at bind blob call \
        catch charAt charCodeAt clear close codePointAt concat copyWithin create debug defineProperty delete \
        destroy dispatchEvent emit end endsWith entries error every exec fill filter finally find findIndex \
        findLast findLastIndex flat flatMap forEach freeze get getAttribute getTime has hasOwnProperty \
        includes indexOf info isPrototypeOf join json keys lastIndexOf listeners localeCompare log map match \
        matchAll next normalize off on once open padEnd padStart parse pipe pop push querySelector \
        querySelectorAll race read reduce reduceRight reject removeAllListeners removeChild \
        removeEventListener removeListener repeat replace replaceAll resolve return reverse search set \
        setAttribute shift size slice some sort splice split startsWith stringify substr substring test text \
        then throw toFixed toISOString toJSON toLocaleString toLowerCase toPrecision toReversed toSorted \
        toString toUpperCase trim trimEnd trimStart unshift valueOf values warn with write";
}
