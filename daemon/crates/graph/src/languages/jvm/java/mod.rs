//! Java: a variable, a method and a type of the same name are three separate things.

mod calls;

use sdl_model::SymbolKind;
use sdl_model::facts::DefIx;
use sdl_model::lang::Names;

use super::Java;
use crate::infer::{MemberRules, NameRules, TypeRules, Want};
use crate::world::{FileIndex, Sym};

impl NameRules for Java {
    fn may_be_local(&self, want: Want) -> bool {
        want == Want::Any
    }

    fn is_wanted(&self, _: &Names, kind: SymbolKind, want: Want) -> bool {
        match want {
            Want::Any => !kind.is_callable(),
            Want::Call => kind.is_callable() || kind.is_type(),
            // A constructor has its type's name.
            Want::Type => kind.is_type(),
        }
    }

    /// A member of an enumeration may have a body of its own. Code inside that body sees its names.
    fn is_object(&self, kind: SymbolKind) -> bool {
        matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
    }
}

impl MemberRules for Java {
    /// Without a call, the field is meant.
    fn read_member(&self, file: &FileIndex, at: DefIx, name: Sym, first: DefIx) -> DefIx {
        let is_callable = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| def.kind.is_callable());
        let field = file.children(at, name).find(|ix| !is_callable(ix));
        field.filter(|_| is_callable(&first)).unwrap_or(first)
    }
}

impl TypeRules for Java {}
