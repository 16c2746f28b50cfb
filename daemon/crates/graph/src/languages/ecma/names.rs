//! JavaScript and TypeScript: anonymous objects may hold methods, and anonymous functions may hold functions.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx};

use super::Ecma;
use crate::infer::{NameRules, Want};
use crate::world::{FileIndex, Sym};

impl NameRules for Ecma {
    /// A type parameter does not hide a value of its name, because a type and a value may share a name in TypeScript.
    fn may_be_parameter(&self, want: Want) -> bool {
        want == Want::Type || !self.is_typed
    }

    /// Methods may be in anonymous objects, which functions build and modules export.
    fn is_only_member(&self, kind: SymbolKind) -> bool {
        matches!(kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
    }

    fn local_function(&self, file: &FileIndex, at: DefIx, name: Sym) -> Option<DefIx> {
        file.children(at, name).find(|ix| {
            file.outline.def(*ix).is_some_and(|def| {
                def.kind == SymbolKind::Function && def.flags.has(DefFlags::LOCAL) && def.owner.is_none()
            })
        })
    }
}
