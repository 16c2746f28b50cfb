//! Kotlin: annotations, aliases of types from outside, and calls of functions that extend types.

use sdl_model::facts::{Ref, RefForm};
use sdl_model::{EdgeKind, Lang};

use super::extensions::Receivers;
use super::{overloads, receivers};
use crate::infer::Ty;
use crate::languages::extensions::calls;
use crate::languages::jvm::Kotlin;
use crate::languages::jvm::words::{BUILTIN, OF_KOTLIN};
use crate::resolve::{CallRules, Outcome, Overloaded, Resolver};
use crate::world::{DefRef, Sym};

impl CallRules for Kotlin {
    /// An annotation runs no code.
    fn reference(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<(Outcome, EdgeKind)> {
        (one.form == RefForm::Decorator).then(|| (resolver.call(one), EdgeKind::Ref))
    }

    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        OF_KOTLIN.contains(name) || BUILTIN.contains(name)
    }

    fn run_on(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<Outcome> {
        (one.form == RefForm::Call).then(|| receivers::run_on(resolver, one)).flatten()
    }

    /// Calling an alias of a type from outside the repository calls that type's constructor.
    fn names_outside(&self, resolver: &Resolver<'_, '_>, one: &Ref, def: DefRef) -> bool {
        one.form != RefForm::Construct && matches!(resolver.infer.alias(def), Ty::External(_))
    }

    fn extended(&self, resolver: &Resolver<'_, '_>, one: &Ref, receiver: &Ty, name: Sym) -> Option<Outcome> {
        calls::extended_call(&Receivers, resolver, one, receiver, name)
    }

    fn extension_around(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: DefRef) -> Option<Outcome> {
        calls::call_around(&Receivers, resolver, one, found)
    }

    fn overload_around(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        name: Sym,
        outside: bool,
    ) -> Option<Outcome> {
        overloads::overload_around(resolver, one, name, outside)
    }

    fn other_overload(&self, resolver: &Resolver<'_, '_>, call: &Overloaded<'_>) -> Option<Outcome> {
        calls::call_of_other_types(&Receivers, resolver, call)
    }
}
