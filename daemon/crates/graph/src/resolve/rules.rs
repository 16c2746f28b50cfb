//! The rules of a language for references and calls, and [`Resolver`], which asks them and which they ask in turn.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::rc::Rc;

use sdl_model::facts::{Def, DefIx, ExprIx, Ref};
use sdl_model::lang::Traits;
use sdl_model::{EdgeKind, Lang, SymbolKind};

use crate::infer::{Ctx, Infer, Ty, TypeRules, Via};
use crate::strategies::{ALIAS, Rule};
use crate::world::{DefRef, FileIndex, FileIx, Sym};

/// Finds a language's rules for calls.
pub(crate) type RulesOf = fn(Lang) -> &'static dyn CallRules;

/// How one reference came out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// These are the targets, by this rule.
    Found(Vec<DefRef>, &'static Rule),
    /// The target is outside the repository.
    External,
    /// The target is not known.
    Unresolved,
    /// Not a reference to a definition: a local, a keyword.
    Nothing,
}

impl Outcome {
    pub(crate) fn one(target: DefRef, rule: &'static Rule) -> Self {
        Self::Found(vec![target], rule)
    }
}

/// Resolves the references of one file.
pub(crate) struct Resolver<'r, 'w> {
    pub(crate) infer: Infer<'r, 'w>,
    pub(crate) lang: Lang,
    pub(crate) traits: &'static Traits,
    /// The rules of the file's language.
    pub(crate) rules: &'static dyn CallRules,
    /// The arguments of the calls of the file's own functions.
    pub(super) passed: OnceCell<super::arguments::Arguments<'r>>,
    /// The places that set a field of the receiver, by the field's name.
    pub(super) kept: OnceCell<HashMap<&'r str, Vec<u32>>>,
    /// Whether these are being gathered.
    pub(super) gathers: Cell<bool>,
    /// Definitions that the language's home has found in sight of the file, each with the scope that sees it.
    pub(crate) in_sight: OnceCell<Vec<(DefIx, DefRef)>>,
}

/// A call whose function has overloads.
pub(crate) struct Overloaded<'o> {
    pub(crate) one: &'o Ref,
    /// The overload that the name leads to, or the type whose constructors are meant.
    pub(crate) target: DefRef,
    pub(crate) file: &'o Rc<FileIndex>,
    /// The definition of `target`.
    pub(crate) def: &'o Def,
    pub(crate) name: Sym,
    /// All overloads beside each other.
    pub(crate) all: &'o [DefIx],
}

/// A use of a definition by a convention, such as that of a fixture by the test with a parameter of its name.
pub(crate) struct Implied {
    /// The definition that uses it.
    pub(crate) user: DefIx,
    /// The definition that is used.
    pub(crate) target: DefRef,
    /// The convention.
    pub(crate) rule: &'static Rule,
    /// The line that follows the convention.
    pub(crate) line: u32,
}

/// How a language turns references into edges.
///
/// Each default is what most languages do. A home overrides a method where its language differs.
#[allow(unused_variables, reason = "a default ignores its arguments")]
pub(crate) trait CallRules: TypeRules {
    // References as a whole.

    /// A reference whose form means something else than in other languages.
    fn reference(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<(Outcome, EdgeKind)> {
        None
    }

    /// Whether built-in types have a member called `name`, such as `append`. On a receiver of unknown type, a call of
    /// such a name more likely means the built-in member than that of the one type of the repository with a member of
    /// the name.
    fn is_builtin_member(&self, lang: Lang, name: &str) -> bool {
        lang.traits().stdlib.builtin_members.contains(&name)
    }

    /// Whether the reference `one`, which constructs a value of the type `def`, runs its constructor.
    fn runs_constructor(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        def: &Def,
        constructor: DefRef,
    ) -> bool {
        true
    }

    /// Whether calling `def` runs nothing, because it holds the result of the code that made it.
    fn holds_result(&self, file: &FileIndex, def: &Def) -> bool {
        false
    }

    /// The definitions that the file's definitions use by a convention, without a word of code that names them.
    fn implied(&self, resolver: &Resolver<'_, '_>) -> Vec<Implied> {
        Vec::new()
    }

    // Calls by name.

    /// The full name of a decorator `name` that nothing in sight has: `SerializableAttribute` for C#'s
    /// `[Serializable]`.
    fn whole_decorator(&self, name: &str) -> Option<String> {
        None
    }

    /// The target of a call without a receiver, where a function around it has one, as in Kotlin's `x.apply { f() }`.
    fn run_on(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<Outcome> {
        None
    }

    /// The outcome of a call by a name that means the definition `def` of this kind, found by `via`.
    fn called_definition(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        def: DefRef,
        kind: SymbolKind,
        via: Via,
    ) -> Option<Outcome> {
        None
    }

    /// Whether the type `def` is an alias of one from outside, so that `one`, a call of it, leads there.
    fn names_outside(&self, resolver: &Resolver<'_, '_>, one: &Ref, def: DefRef) -> bool {
        false
    }

    /// A call of the local with this number.
    fn held_local(&self, resolver: &Resolver<'_, '_>, one: &Ref, local: u32) -> Outcome {
        resolver.declared_local(local)
    }

    /// The function or class that the variable, field or property `def` counts as: `run` for `handler = run`.
    fn named_value(&self, resolver: &Resolver<'_, '_>, def: DefRef) -> Option<DefRef> {
        resolver.traits.calls.variables_hold.then(|| resolver.infer.named_by(def)).flatten()
    }

    /// Whether a call of a variable runs the function that is in it, where that comes from a call or a table.
    fn follows_values(&self) -> bool {
        false
    }

    /// The rule for a call of a variable that the text sets to one of a few functions. A type checker that knows the type
    /// of the variable from what it is set to says which these are; one that does not names the variable alone.
    fn chosen_rule(&self) -> &'static Rule {
        &ALIAS
    }

    /// Whether the type `class` only describes how its values are called, such as a Python protocol with `__call__`.
    fn is_protocol(&self, resolver: &Resolver<'_, '_>, class: DefRef) -> bool {
        false
    }

    // Calls of members.

    /// A call of the member `name` whose receiver means something else than in other languages.
    fn member_call(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        recv: ExprIx,
        name: Sym,
    ) -> Option<Outcome> {
        None
    }

    /// Whether the member `name` of `recv` belongs to the pointer and not to the value, such as `clone` on Rust's
    /// `Rc`.
    fn is_of_pointer(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, recv: ExprIx, name: &str) -> bool {
        false
    }

    /// The target of `super.name`, or of `super(…)`, in the type `class`.
    fn super_member(&self, infer: &Infer<'_, '_>, class: DefRef, name: Sym, call: bool) -> Option<DefRef> {
        Some(infer.base_member(class, name, call)?.def)
    }

    /// The member that code around has for `self`, where the type `ty` of `self` has none.
    fn own_member(&self, resolver: &Resolver<'_, '_>, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        None
    }

    /// Whether `one` constructs a value of the class of its receiver, which may derive from the one `found`.
    fn is_own_constructor(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &[DefRef]) -> bool {
        false
    }

    /// A function that extends the type `receiver`, which has no member of the name.
    fn extended(&self, resolver: &Resolver<'_, '_>, one: &Ref, receiver: &Ty, name: Sym) -> Option<Outcome> {
        None
    }

    /// Where `found`, a function that extends types, was found by its name alone: the one that extends a type around.
    fn extension_around(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: DefRef) -> Option<Outcome> {
        None
    }

    /// The target of a call of a member of `recv`, which is of type `ty`, that has no such member. `outside` is whether
    /// a type from outside may have it.
    fn by_trait(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        recv: ExprIx,
        ty: &Ty,
        outside: bool,
    ) -> Option<Outcome> {
        None
    }

    // Overloads.

    /// Where no overload of a type accepts the arguments of `one`, and none that it inherits: the target elsewhere.
    /// `outside` is whether the type inherits from outside.
    fn overload_around(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        name: Sym,
        outside: bool,
    ) -> Option<Outcome> {
        outside.then_some(Outcome::External)
    }

    /// The target of a call where the arguments rule out all overloads, or none of them is meant.
    fn other_overload(&self, resolver: &Resolver<'_, '_>, call: &Overloaded<'_>) -> Option<Outcome> {
        None
    }

    // Guesses by name.

    /// Whether code in other files does not see the definition `def` of `file`, such as a private one.
    fn is_hidden(&self, file: &FileIndex, def: DefIx) -> bool {
        false
    }

    /// Whether the definition `def` of another file can't be meant in the file `from`.
    fn is_out_of_sight(&self, resolver: &Resolver<'_, '_>, from: FileIx, def: DefRef) -> bool {
        false
    }

    /// A bare call of a name that nothing in sight has.
    fn unknown_function(&self, resolver: &Resolver<'_, '_>, one: &Ref, name: Sym) -> Outcome {
        resolver.only_function(one, name)
    }

    /// The target of a call on a receiver of unknown type, by more than the name. `found` are the methods of the name.
    fn guessed_by_trait(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        name: Sym,
        found: &[DefRef],
    ) -> Option<Outcome> {
        None
    }

    /// Drops those of the methods of a name that `one`, a call on a receiver of unknown type, can't mean.
    fn narrow_guess(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &mut Vec<DefRef>) {
        resolver.drop_unfitting(one, found);
    }
}
