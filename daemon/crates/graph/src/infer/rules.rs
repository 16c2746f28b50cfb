//! The rules of a language for names, members and types, and [`Infer`], which asks them and which they ask in turn.
//!
//! Each default is what most languages do. A home overrides a method where its language differs.

use std::cell::RefCell;
use std::rc::Rc;

use sdl_model::facts::{BaseKind, Def, DefIx, ExprIx};
use sdl_model::lang::Names;
use sdl_model::{Lang, SymbolKind};

use super::context::{Ctx, Sought};
use super::meaning::{Part, Via, Want};
use crate::own::Own;
use crate::values::{Bases, DefRef, Member, Place, Shape, Sym, Ty, Typed, Written};
use crate::world::{FileIndex, Memo, ModuleRules, World};

/// Finds a language's rules for names, members and types.
pub(crate) type RulesOf = fn(Lang) -> &'static dyn TypeRules;

/// Works out types for one file.
pub(crate) struct Infer<'r, 'w> {
    pub(crate) w: &'r World<'w>,
    pub(crate) own: &'r Own<'r>,
    pub(super) own_types: Memo<Typed>,
    pub(super) rules: RulesOf,
    /// The properties that are being looked for in what an object takes over, with the object.
    pub(super) taken_over: RefCell<Vec<(Written, String)>>,
}

/// How a language looks up a bare name.
#[allow(unused_variables, reason = "a default ignores its arguments")]
pub(crate) trait NameRules: ModuleRules {
    // The kinds of names.

    /// Whether a local may be meant where `want` is wanted.
    fn may_be_local(&self, want: Want) -> bool {
        true
    }

    /// Whether a generic parameter may be meant where `want` is wanted.
    fn may_be_parameter(&self, want: Want) -> bool {
        true
    }

    /// Whether a definition of this kind may be meant where `want` is wanted.
    fn is_wanted(&self, names: &Names, kind: SymbolKind, want: Want) -> bool {
        want != Want::Type || !kind.is_callable() || names.functions_name_types
    }

    /// What the first part of a path is looked up as.
    fn path_start(&self) -> Want {
        Want::Any
    }

    /// Whether a definition of this kind is always a member, so that no bare name leads to it.
    fn is_only_member(&self, kind: SymbolKind) -> bool {
        false
    }

    // Scopes, on the way outwards.

    /// Whether the code inside a definition of this kind does not see its members as bare names, as in an object
    /// literal.
    fn is_object(&self, kind: SymbolKind) -> bool {
        use SymbolKind::{Constant, EnumMember, Field, Variable};
        matches!(kind, Variable | Constant | Field | EnumMember)
    }

    /// Whether the code inside a definition of this kind sees nothing around the definition.
    fn is_closed(&self, kind: SymbolKind) -> bool {
        false
    }

    /// The function in the scope `at` that a call means although a local has its name.
    fn called_inside(&self, file: &FileIndex, at: DefIx, def: &Def, name: Sym) -> Option<DefIx> {
        None
    }

    /// A function declared inside the anonymous function that makes the value of the variable `at`.
    fn local_function(&self, file: &FileIndex, at: DefIx, name: Sym) -> Option<DefIx> {
        None
    }

    /// The definition that a name means in the scope `at`.
    fn child(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        at: DefIx,
        into_functions: bool,
    ) -> Option<DefIx> {
        infer.plain_child(sought, at, into_functions)
    }

    /// The meaning that comes before all definitions in the scope `at`.
    fn named_before(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        at: DefIx,
    ) -> Option<(Place, Via)> {
        None
    }

    /// Whether a name in the scope `at` is an alias, which an import binds.
    fn is_alias(&self, file: &FileIndex, at: DefIx, name: Sym) -> bool {
        false
    }

    /// The definition or import in `scope` that a default build uses instead of `found`, if it excludes `found`.
    fn built_instead(
        &self,
        infer: &Infer<'_, '_>,
        sought: &Sought<'_, '_>,
        scope: DefRef,
        found: DefIx,
    ) -> Option<(Place, Via)> {
        None
    }

    // Members that are named without a receiver.

    /// `found`, a member of the type `ty` or of one of its bases, or the one of its name that code in `ctx` means
    /// instead.
    fn on_side(
        &self,
        infer: &Infer<'_, '_>,
        ctx: &Ctx<'_>,
        ty: DefRef,
        name: Sym,
        found: (Place, Via),
    ) -> Option<(Place, Via)> {
        Some(found)
    }

    /// A member that the code of `owner` sees although `owner` does not have it.
    fn member_of_user(&self, infer: &Infer<'_, '_>, owner: DefRef, name: Sym, call: bool) -> Option<Member> {
        None
    }

    /// The meaning of a name in the types around the one that `from`, a member defined outside of it, belongs to.
    fn in_outer_types(&self, infer: &Infer<'_, '_>, from: DefRef, name: Sym, want: Want) -> Option<DefRef> {
        None
    }
}

/// How a language finds the members of a type.
#[allow(unused_variables, reason = "a default ignores its arguments")]
pub(crate) trait MemberRules: ModuleRules {
    // Types and their bases.

    /// Whether the function `at` is a type: it constructs objects and sets their fields.
    fn is_constructor_function(&self, file: &FileIndex, at: DefIx) -> bool {
        false
    }

    /// Whether a base of this kind is named by code inside the type, which sees the type's members.
    fn sees_members(&self, kind: BaseKind) -> bool {
        false
    }

    /// Adds the bases of `class` that its definition does not state.
    fn add_bases(&self, infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef, bases: &mut Bases) {}

    /// The blocks in other files that give `class` bases.
    fn blocks_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Vec<DefRef> {
        Vec::new()
    }

    /// The type whose members the block `at` adds.
    fn added_by_block(&self, infer: &Infer<'_, '_>, file: &FileIndex, at: DefRef) -> Option<DefRef> {
        None
    }

    /// Whether two definitions are of the same type.
    fn is_same(&self, infer: &Infer<'_, '_>, a: DefRef, b: DefRef) -> bool {
        a == b
    }

    // Members.

    /// Whether a definition that states an owner is a member of it.
    fn is_member(&self, def: &Def) -> bool {
        true
    }

    /// Of the definitions of `name` in the type `at`, the one that is meant without a call. `first` is the first.
    fn read_member(&self, file: &FileIndex, at: DefIx, name: Sym, first: DefIx) -> DefIx {
        first
    }

    /// The definition of a member that the type `class` declares as `found`, such as `void Cart::pay() {}` in C++.
    fn defined_apart(&self, infer: &Infer<'_, '_>, file: &FileIndex, class: DefRef, found: DefRef) -> DefRef {
        found
    }

    /// The definition of the constructor `name` that the type `class` only declares, as `found`.
    fn defined_constructor(
        &self,
        infer: &Infer<'_, '_>,
        class: DefRef,
        name: Sym,
        found: DefRef,
    ) -> Option<DefRef> {
        Some(found)
    }

    /// A member that a block gives a type by an alias of it, as in `impl Alias { … }` in Rust.
    fn member_by_alias(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        None
    }

    /// A member that is in another file than its type.
    fn member_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        let hits = infer.hits_elsewhere(file, class, name)?;
        infer.first_elsewhere(file, class, &hits, &SymbolKind::is_callable, &|_| false)
    }

    /// The name of the owner that a definition states, where that name tells overloads of several owners apart.
    fn stated_owner<'f>(&self, file: &'f FileIndex, def: DefIx) -> Option<&'f str> {
        file.outline.last_name(file.outline.def(def)?.owner?)
    }

    /// Whether `member` of the file `index`, which is not inside the type `class`, is a member of it.
    fn extends(&self, infer: &Infer<'_, '_>, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        infer.states_owner(index, member, class)
    }
}

/// How a language works out the type of an expression.
#[allow(unused_variables, reason = "a default ignores its arguments")]
pub(crate) trait TypeRules: NameRules + MemberRules {
    // Stated types.

    /// The type of a value of a parameter or a required type for which the text states no bound.
    fn unbound(&self) -> Option<Ty> {
        None
    }

    /// The bound of the type `name` that `base`, a generic parameter, names.
    fn projected(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, base: ExprIx, name: &str) -> Option<ExprIx> {
        None
    }

    /// The type of a value whose stated type is the definition `def` of this kind.
    fn value_of(&self, def: DefRef, kind: SymbolKind) -> Option<Ty> {
        None
    }

    /// Adds the arguments of the alias `def` that are omitted. `names` are those of all parameters.
    fn fill_arguments(
        &self,
        infer: &Infer<'_, '_>,
        def: DefRef,
        names: &[Box<str>],
        args: &mut Vec<Ty>,
        depth: u8,
    ) {
    }

    /// The type that a built-in generic type such as `ReturnType` makes of its arguments.
    fn utility(&self, infer: &Infer<'_, '_>, name: &str, args: &[Ty]) -> Option<Ty> {
        None
    }

    /// The type that the function `def` is, where functions construct values.
    fn function_class(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<DefRef> {
        None
    }

    /// `def`, or if it is only a type, the value of the same name beside it. None if there is no such value.
    fn as_value(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<DefRef> {
        Some(def)
    }

    /// The definition `def`, which `base` leads to, or the place that `base` means where more of a path follows.
    fn held_by(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, base: ExprIx, def: DefRef, depth: u8) -> Place {
        Place::Def(def)
    }

    // Values.

    /// The type of `self` in `ctx`, which is in the type `class`, if that is known.
    fn self_type(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, class: Option<DefRef>) -> Ty {
        class.map_or(Ty::Unknown, Ty::Instance)
    }

    /// The type whose bases `super` searches: the one around the text, whatever derives from it.
    fn super_class(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>) -> Option<DefRef> {
        infer.owner_type(DefRef { file: ctx.file, def: ctx.scope }).or_else(|| infer.self_class(ctx))
    }

    /// The scope in which the value `of` a variable or field is looked up.
    fn value_scope(&self, file: &FileIndex, found: &Def, of: Option<ExprIx>) -> DefIx {
        found.parent.unwrap_or(DefIx::MODULE)
    }

    /// Whether functions are added to the object that the variable `def` holds.
    fn is_extended(&self, file: &FileIndex, def: DefIx) -> bool {
        false
    }

    /// The type of the argument `at` of `call`, a function with its arguments, where the call returns `true`.
    fn accepted(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, call: ExprIx, at: usize) -> Option<Ty> {
        None
    }

    /// The receiver that the function type `ty` states before its parameters: `Cart` of Kotlin's `Cart.() -> Unit`.
    fn stated_receiver(&self, file: &FileIndex, ty: ExprIx) -> Option<ExprIx> {
        None
    }

    /// The type of parameter `at` of the function `def`, which states none for it.
    fn expected(&self, infer: &Infer<'_, '_>, def: DefRef, at: usize) -> Typed {
        Typed::UNKNOWN
    }

    /// Whether an expression that is written like an object is a table, whose entries are found by subscript and are not its members:
    /// a dictionary of Python.
    fn has_tables(&self) -> bool {
        false
    }

    // Members of values.

    /// Whether `base.name` is the module of the file itself.
    fn names_module(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, base: ExprIx, name: &str) -> bool {
        false
    }

    /// The attribute `name` that all classes and functions have, such as JavaScript's `prototype`.
    fn class_attribute(&self, infer: &Infer<'_, '_>, class: DefRef, name: &str) -> Option<Ty> {
        None
    }

    /// The type of reading the member `def` of a value of type `class`, where reading it runs code, such as a Python
    /// descriptor's `__get__`.
    fn read_value(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        def: DefRef,
        class: DefRef,
    ) -> Option<Typed> {
        None
    }

    /// The function `name` inside the function `def`, where a field holds that by name.
    fn inner_function(&self, infer: &Infer<'_, '_>, def: DefRef, name: Sym) -> Option<DefRef> {
        None
    }

    /// The value that the name of the decorated function `def` denotes, where its decorators put one of a type of the
    /// repository in its place. For example, `@click.command()` puts a `Command`.
    fn decorated(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<Typed> {
        None
    }

    /// The function that the decorators of the function `def` put in its place, such as `inner` of `def decorate(f)`.
    fn wrapper(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<DefRef> {
        None
    }

    /// The target of an iterator or smart pointer that the repository defines, such as a `unique_ptr` of its own.
    fn pointed_to(&self, infer: &Infer<'_, '_>, ty: &Ty) -> Option<Ty> {
        None
    }

    /// A part of a value of the type `class` of the repository.
    fn part_of(&self, infer: &Infer<'_, '_>, ty: &Ty, class: DefRef, part: Part) -> Option<Ty> {
        infer.part_by_methods(ty, class, part)
    }

    // Calls.

    /// How well an argument fits a parameter to whose type it must be converted. None if that takes a cast.
    fn misfit(&self) -> Option<i32> {
        None
    }

    /// The type of the result of calling `callee[…]`, where that only states type arguments of a function.
    fn instantiated(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, callee: ExprIx, depth: u8) -> Option<Typed> {
        None
    }

    /// The type of the result of calling `callee`, the member `name` of `base`, where something else than the type of
    /// `base` has it.
    fn called_on(
        &self,
        infer: &Infer<'_, '_>,
        ctx: &Ctx<'_>,
        callee: ExprIx,
        base: &Typed,
        name: &str,
    ) -> Option<Typed> {
        None
    }

    /// `ty` as an iterator, whose method `name` is called.
    fn as_iterator(&self, infer: &Infer<'_, '_>, ty: &Ty, name: &str) -> Option<Rc<Shape>> {
        None
    }

    /// The type that the method `name` of a value of type `ty` passes for parameter `param` of the function that is its
    /// argument `arg`.
    fn passed(&self, infer: &Infer<'_, '_>, ty: &Ty, name: &str, arg: usize, param: usize) -> Option<Ty> {
        None
    }

    /// The only function called `name` that is visible in `ctx` and extends exactly the type `ty`.
    fn extension(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        None
    }
}
