//! Lua: its library, and functions that nothing in sight has.

use sdl_model::facts::{Def, DefFlags, DefIx, Expr, ExprIx, ParamKind, Ref, RefForm, name_apart};
use sdl_model::{SymbolKind, Visibility};

use super::Lua;
use super::library::is_library;
use crate::infer::{Meaning, Ty, Via, Want};
use crate::modules::{self, Place};
use crate::resolve::{CallRules, Outcome, Resolver, rule_of};
use crate::strategies::QUALIFIED;
use crate::world::{DefRef, FileIndex, Sym};

/// The function of a metatable that runs when the table is called.
const CALL: &str = "__call";

impl CallRules for Lua {
    /// What a file returns without a name is the result of the code that made it.
    fn holds_result(&self, _: &FileIndex, def: &Def) -> bool {
        def.kind == SymbolKind::Constant && def.flags.has(DefFlags::DEFAULT_EXPORT)
    }

    /// Other files don't see the locals of a file.
    fn is_hidden(&self, file: &FileIndex, def: DefIx) -> bool {
        file.outline.def(def).is_none_or(|def| def.visibility == Visibility::Private && def.owner.is_none())
    }

    /// A table that is called runs the function that its metatable has for that.
    fn called_definition(
        &self,
        resolver: &Resolver<'_, '_>,
        _: &Ref,
        def: DefRef,
        kind: SymbolKind,
        via: Via,
    ) -> Option<Outcome> {
        let infer = resolver.infer();
        // The one inside of the table is found as in other languages.
        if kind != SymbolKind::Class || infer.constructor(def).is_some() {
            return None;
        }
        let called = infer.member(def, infer.sym(CALL), true)?;
        Some(Outcome::one(called.def, rule_of(via)))
    }

    /// A function that the repository adds to a table of the library: `function string.trim(s)`.
    fn member_call(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        recv: ExprIx,
        name: Sym,
    ) -> Option<Outcome> {
        let ctx = resolver.ctx(one);
        let Expr::Name(table) = ctx.arena.expr(recv) else { return None };
        let text = ctx.arena.str(*table);
        let infer = resolver.infer();
        let is_own = || matches!(infer.meaning(&ctx, *table, Want::Any), Meaning::Place(Place::Missing, _));
        if !is_library(text) || !is_own() {
            return None;
        }
        let apart = infer.sym(&name_apart(&infer.w.text(name), text));
        match resolver.hits(apart, SymbolKind::is_callable)?.as_slice() {
            [only] => Some(Outcome::one(*only, &QUALIFIED)),
            _ => None,
        }
    }

    /// A member of the module to which the table of a file adds more.
    fn extended(&self, resolver: &Resolver<'_, '_>, one: &Ref, receiver: &Ty, name: Sym) -> Option<Outcome> {
        let infer = resolver.infer();
        let Ty::Class(class) = *receiver else { return None };
        let file = infer.file(class.file);
        let bases = file.outline.def(class.def)?.bases.iter();
        let found = bases.filter_map(|base| {
            let ctx = infer.base_ctx(&file, class, base.kind);
            let Expr::Name(base) = ctx.arena.expr(base.ty) else { return None };
            match infer.meaning(&ctx, *base, Want::Type) {
                Meaning::Place(Place::Module(module), _) => match modules::find_member(infer.w, module, name)
                {
                    Place::Def(def) => Some(def),
                    _ => None,
                },
                _ => None,
            }
        });
        let found: Vec<DefRef> = found.take(1).collect();
        let is_called = one.form == RefForm::MethodCall;
        found.first().filter(|_| is_called).map(|def| Outcome::one(*def, &QUALIFIED))
    }

    fn unknown_function(&self, resolver: &Resolver<'_, '_>, one: &Ref, name: Sym) -> Outcome {
        if is_library(&resolver.infer.w.text(name)) {
            return Outcome::External;
        }
        resolver.only_function(one, name)
    }

    /// Calls may leave arguments out, but rarely pass more than there are parameters.
    fn narrow_guess(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &mut Vec<DefRef>) {
        found.retain(|def| {
            let file = resolver.infer.file(def.file);
            let Some(found) = file.outline.def(def.def) else { return false };
            let rest = found.params.iter().any(|param| param.kind == ParamKind::Rest);
            rest || usize::from(one.args) <= found.params.len()
        });
    }
}
