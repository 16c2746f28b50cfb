//! C#: static methods of any class in a visible namespace, whose first parameter is the value.

use crate::infer::{Ctx, Infer};
use crate::languages::extensions::{Form, Takes};
use crate::languages::namespaces;
use crate::resolve::Resolver;
use crate::strategies::{EXTENSION, Rule};
use crate::world::{DefRef, FileIndex, Sym};

/// Static methods.
pub(super) struct StaticMethods;

impl Form for StaticMethods {
    fn crowded(&self, _: &Infer<'_, '_>, _: &FileIndex, _: Sym) -> Vec<DefRef> {
        Vec::new()
    }

    fn drop_hidden(&self, _: &Infer<'_, '_>, _: &FileIndex, _: Sym, _: &mut Vec<DefRef>) {}

    fn sees(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, index: &FileIndex, def: DefRef) -> bool {
        let parent = index.outline.def(def.def).and_then(|found| found.parent);
        parent.is_some_and(|parent| {
            namespaces::sees_class(infer.w, ctx.file, ctx.scope, DefRef { def: parent, ..def })
        })
    }

    fn takes_class(&self, _: &Infer<'_, '_>, _: DefRef, _: Option<DefRef>, _: &str) -> Option<Takes> {
        None
    }

    fn add_beside(&self, _: &Infer<'_, '_>, _: &FileIndex, _: DefRef, _: &mut Vec<DefRef>) {}

    /// Static methods mostly replace a method that some version of the type has itself.
    fn rule_by_name(&self, resolver: &Resolver<'_, '_>, name: Sym) -> Option<&'static Rule> {
        let is_built_in = resolver.is_builtin_member(&resolver.infer.w.text(name));
        (!is_built_in).then_some(&EXTENSION)
    }
}
