//! C#.

mod calls;
mod extensions;
mod parts;

use sdl_model::facts::{DefIx, Import};

use super::namespaces::{self, namespace_rules};
use crate::infer::{Ctx, Infer, NameRules, Ty, TypeRules};
use crate::modules::{self, Place, split_last};
use crate::world::{DefRef, FileIx, ModuleRules, Sym, World};

/// C#.
pub(super) struct CSharp;

impl ModuleRules for CSharp {
    namespace_rules!();
}

impl NameRules for CSharp {}

impl TypeRules for CSharp {
    fn extension(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        super::extensions::only_extension(&extensions::StaticMethods, infer, ctx, ty, name)
    }
}
