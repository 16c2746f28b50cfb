//! C#.

mod calls;
mod extensions;
mod parts;

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Import};
use sdl_model::lang::Names;

use super::namespaces::{self, namespace_rules};
use crate::infer::{Ctx, Infer, NameRules, Ty, TypeRules, Want};
use crate::modules::{self, Place, split_last};
use crate::world::{DefRef, FileIx, ModuleRules, Sym, World};

/// C#.
pub(super) struct CSharp;

impl ModuleRules for CSharp {
    namespace_rules!();
}

impl NameRules for CSharp {
    /// A field does not hide the type of its name: `Color Color;`.
    fn is_wanted(&self, _: &Names, kind: SymbolKind, want: Want) -> bool {
        use SymbolKind::{Constant, EnumMember, Field, Variable};
        want != Want::Type
            || !(kind.is_callable() || matches!(kind, Constant | EnumMember | Field | Variable))
    }
}

impl TypeRules for CSharp {
    fn extension(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        super::extensions::only_extension(&extensions::StaticMethods, infer, ctx, ty, name)
    }
}
