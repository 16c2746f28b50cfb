//! C and C++: calls of macros and of functions that are only declared; the copying of values in C++.

use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, Ref, RefForm};
use sdl_model::{EdgeKind, Lang, SymbolKind};

use super::{C, Cpp, includes, macros, platform, types};
use crate::infer::{Ctx, Infer, Via};
use crate::resolve::{CallRules, MAX_OVERLOADS, Outcome, Overloaded, Resolver};
use crate::strategies::ARGUMENT_TYPES;
use crate::words::words;
use crate::world::{DefRef, FileIndex, FileIx, Sym};

/// The rules that the two share: macros, declarations and the system's library.
macro_rules! shared_rules {
    () => {
        fn reference(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<(Outcome, EdgeKind)> {
            (one.form == RefForm::Macro).then(|| macros::handed_to_macro(resolver, one))
        }

        fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
            BUILTIN.contains(name)
        }

        fn is_out_of_sight(&self, resolver: &Resolver<'_, '_>, from: FileIx, def: DefRef) -> bool {
            is_private_to_other(resolver, from, def)
                && !includes::includes_file(resolver.infer.w, def.file, from)
        }

        fn unknown_function(&self, resolver: &Resolver<'_, '_>, one: &Ref, name: Sym) -> Outcome {
            let is_of_system =
                one.form == RefForm::Call && platform::is_of_libc(&resolver.infer.w.text(name));
            if is_of_system { Outcome::External } else { resolver.only_function(one, name) }
        }
    };
}

impl CallRules for C {
    shared_rules!();

    fn called_definition(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        def: DefRef,
        kind: SymbolKind,
        via: Via,
    ) -> Option<Outcome> {
        let is_of_system = || is_of_system(resolver, one, def);
        match kind {
            SymbolKind::Function => {
                (!has_body(resolver, def, one) && is_of_system()).then_some(Outcome::External)
            }
            _ => macros::called_macro(resolver, one, def, kind, via),
        }
    }
}

impl CallRules for Cpp {
    shared_rules!();

    /// A function without a body in the repository is from outside, for example `int printf(const char *, …);` in a
    /// header of the repository.
    fn called_definition(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        def: DefRef,
        kind: SymbolKind,
        via: Via,
    ) -> Option<Outcome> {
        match kind {
            SymbolKind::Function => (!has_body(resolver, def, one)).then_some(Outcome::External),
            _ => macros::called_macro(resolver, one, def, kind, via),
        }
    }

    fn names_outside(&self, resolver: &Resolver<'_, '_>, _: &Ref, def: DefRef) -> bool {
        types::names_pointer(&resolver.infer, def)
    }

    /// A value constructed from one of its own type: the copy constructor, or none if it is not written.
    fn other_overload(&self, resolver: &Resolver<'_, '_>, call: &Overloaded<'_>) -> Option<Outcome> {
        let (infer, one, target) = (&resolver.infer, call.one, call.target);
        let constructs = call.def.kind.is_type() || call.def.kind == SymbolKind::Constructor;
        let may_copy = constructs && one.args == 1 && call.all.len() <= MAX_OVERLOADS;
        let given = one.given.filter(|_| may_copy)?;
        let class = infer.owner_type(target)?;
        if !is_value_of(infer, &resolver.ctx(one), given, class) {
            return None;
        }
        let copies = |ix: &&DefIx| takes_first(infer, call.file, DefRef { def: **ix, ..target }, class);
        Some(match call.all.iter().find(copies) {
            Some(def) => Outcome::one(DefRef { def: *def, ..target }, &ARGUMENT_TYPES),
            None => Outcome::External,
        })
    }
}

/// Whether `given` holds exactly one argument, a value of `class`.
fn is_value_of(infer: &Infer<'_, '_>, ctx: &Ctx<'_>, given: ExprIx, class: DefRef) -> bool {
    let Expr::Tuple(list) = ctx.arena.expr(given) else { return false };
    matches!(list.as_slice(), [only] if infer.eval(ctx, *only).ty.instance_of() == Some(class))
}

/// Whether the first parameter of `def` is stated to be of `class`.
fn takes_first(infer: &Infer<'_, '_>, file: &FileIndex, def: DefRef, class: DefRef) -> bool {
    let first = file.outline.def(def.def).and_then(|found| found.params.first()).and_then(|param| param.ty);
    first
        .is_some_and(|ty| infer.stated(&Infer::outline_ctx(file, def, None), ty).instance_of() == Some(class))
}

/// Whether a function, or one of its name, has a body somewhere. With very many of the name, some surely has.
fn has_body(resolver: &Resolver<'_, '_>, def: DefRef, one: &Ref) -> bool {
    let name = resolver.infer.own.sym(resolver.infer.w, one.name);
    !resolver.is_declaration(def)
        || resolver
            .hits(name, |kind| kind == SymbolKind::Function)
            .is_none_or(|all| all.iter().any(|def| !resolver.is_declaration(*def)))
}

/// Whether the system provides the function that `one` names and `def` only declares. Otherwise a macro defines a
/// function that a header of the repository declares.
fn is_of_system(resolver: &Resolver<'_, '_>, one: &Ref, def: DefRef) -> bool {
    let infer = &resolver.infer;
    let file = infer.file(def.file);
    let is_static = file.outline.def(def.def).is_some_and(|def| def.flags.has(DefFlags::STATIC));
    is_static
        || def.file == infer.own.file
        || resolver.is_elsewhere(&[def])
        || platform::is_of_libc(infer.own.arena().str(one.name))
}

/// Whether a definition is private to another file than `from`, such as a `static` function. It can be meant only
/// there, and in files that include that file.
fn is_private_to_other(resolver: &Resolver<'_, '_>, from: FileIx, def: DefRef) -> bool {
    let file = resolver.infer.file(def.file);
    def.file != from
        && file.outline.def(def.def).is_some_and(|found| match found.kind {
            SymbolKind::Function => found.flags.has(DefFlags::STATIC),
            // Only headers are included.
            SymbolKind::Macro => matches!(file.path.extension(), Some("c" | "cc" | "cpp" | "cxx")),
            _ => false,
        })
}

words! {
    BUILTIN = "\
        append at back begin c_str capacity clear count data emplace emplace_back empty end erase find first \
        front get insert length lock max_size pop pop_back pop_front push push_back push_front rbegin \
        release rend reserve reset resize second shrink_to_fit size str substr swap top unlock";
}
