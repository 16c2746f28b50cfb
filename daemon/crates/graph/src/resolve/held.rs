//! Calls by a name that holds the function: variables, fields, locals, parameters.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, Expr, ExprIx, ParamKind, Ref, RefForm};

use super::calls::{rule_of, rule_of_receiver};
use super::passed::functions_among;
use super::{CANDIDATES, Outcome, Resolver};
use crate::infer::{Ctx, How, Meaning, Origin, Ty, Typed, Want};
use crate::modules::Place;
use crate::strategies::{
    ALIAS, CHOSEN_FUNCTION, HANDED_FUNCTION, HELD_FUNCTION, PASSED_FUNCTION, PROTOCOL, RETURNED_FUNCTION,
    Rule, TABLE_ENTRY,
};
use crate::world::DefRef;

impl Resolver<'_, '_> {
    /// `def`, or the function or class that it is set to by name, where the language counts such a variable, field or
    /// property as that.
    pub(crate) fn one_or_named(&self, def: DefRef, rule: &'static Rule) -> Outcome {
        if let Some(named) = self.rules.named_value(self, def) {
            return Outcome::one(named, &ALIAS);
        }
        if self.rules.follows_values()
            && matches!(self.infer.variable_origin(def), Origin::Returned | Origin::Entry)
            && let value = self.infer.def_type(def)
            && let found @ Outcome::Found(..) =
                self.called_value_from(&value, self.infer.variable_origin(def))
        {
            return found;
        }
        Outcome::one(def, rule)
    }

    /// A call of a value, which calls the function or class that the value is.
    pub(crate) fn held(&self, value: &Typed, sure: bool) -> Outcome {
        let mut targets = Vec::new();
        let mut outside = false;
        let mut sure = sure;
        for ty in value.ty.each() {
            match ty {
                Ty::Func(def, _) | Ty::Class(def) => targets.push(*def),
                Ty::Instance(_) | Ty::Of(_) => {
                    let class = ty.instance_of();
                    // A protocol is never the target itself, because it only describes how its values are called.
                    sure &= class.is_none_or(|class| !self.rules.is_protocol(self, class));
                    targets.extend(class.and_then(|class| self.call_operator(class)));
                }
                Ty::External(_) => outside = true,
                _ => {}
            }
        }
        match targets.len() {
            0 if outside => Outcome::External,
            0 => Outcome::Unresolved,
            1 if sure => Outcome::Found(targets, &ALIAS),
            1 => Outcome::Found(targets, &HELD_FUNCTION),
            // One of several, depending on the code that sets it.
            _ => Outcome::Unresolved,
        }
    }

    /// A call of a value that comes from `origin`.
    pub(crate) fn called_value_from(&self, value: &Typed, origin: Origin) -> Outcome {
        let rule = match origin {
            Origin::Named => &ALIAS,
            Origin::Returned if matches!(value.how, How::Named | How::Guessed) => &RETURNED_FUNCTION,
            Origin::Entry | Origin::Every => &TABLE_ENTRY,
            Origin::Element => &HELD_FUNCTION,
            Origin::Returned | Origin::Other => return self.held(value, false),
        };
        match possible_callables(value).as_slice() {
            [] => self.held(value, false),
            // The text sets the entry to different functions, and the order is not known.
            [_, _, ..] if origin == Origin::Entry => Outcome::Unresolved,
            several @ [_, _, ..] if origin == Origin::Named => {
                Outcome::Found(several.to_vec(), self.rules.chosen_rule())
            }
            several => Outcome::Found(several.to_vec(), rule),
        }
    }

    /// A call of a value that no name gives: `f()()`, `table["run"]()`.
    pub(crate) fn held_call(&self, one: &Ref) -> Outcome {
        let Some(callee) = one.recv else { return Outcome::Nothing };
        let ctx = self.ctx(one);
        let value = self.infer.eval(&ctx, callee);
        match self.called_value_from(&value, self.infer.origin(&ctx, callee)) {
            Outcome::Unresolved if let Some(target) = self.handed_back(one, &ctx, callee) => {
                Outcome::one(target, &RETURNED_FUNCTION)
            }
            Outcome::Unresolved => {
                let targets = functions_among(&self.values_by_arguments(&ctx, callee));
                let is_few = (1..=CANDIDATES).contains(&targets.len());
                if is_few { Outcome::Found(targets, &PASSED_FUNCTION) } else { Outcome::Nothing }
            }
            found => found,
        }
    }

    /// The argument of the call `made` that its function returns as it is: `keep(f)()` with `def keep(f): return f`.
    fn handed_back(&self, one: &Ref, ctx: &Ctx<'_>, made: ExprIx) -> Option<DefRef> {
        let (Expr::Call(callee, _), Expr::Tuple(args)) = (ctx.arena.expr(made), ctx.arena.expr(one.given?))
        else {
            return None;
        };
        let Ty::Func(function, _) = self.infer.eval(ctx, *callee).ty else { return None };
        let file = self.infer.file(function.file);
        let def = file.outline.def(function.def)?;
        let [returned] = def.returns.as_slice() else { return None };
        let Expr::Name(name) = file.outline.arena.expr(*returned) else { return None };
        let params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
        let place = params.into_iter().position(|param| param.name == *name)?;
        match self.infer.eval(ctx, *args.get(place)?).ty {
            Ty::Func(target, _) | Ty::Class(target) => Some(target),
            _ => None,
        }
    }

    /// A function that is passed to one of the standard library which runs it. A type of the repository may have a
    /// method of that name which does something else.
    pub(crate) fn handed_call(&self, one: &Ref) -> Outcome {
        let Some(function) = one.recv else { return Outcome::Nothing };
        let ctx = self.ctx(one);
        let is_own = |whole: ExprIx| {
            let whole = self.infer.eval(&ctx, whole);
            whole.ty.each().iter().any(|ty| ty.instance_of().is_some() || matches!(ty, Ty::Class(_)))
        };
        if let Some(Expr::Tuple(on)) = one.given.map(|given| ctx.arena.expr(given))
            && on.iter().any(|whole| is_own(*whole))
        {
            return Outcome::Nothing;
        }
        let value = self.infer.eval(&ctx, function);
        let [Ty::Func(target, _)] = value.ty.each() else { return Outcome::Nothing };
        let is_known = self.infer.origin(&ctx, function) <= Origin::Returned;
        if is_known { Outcome::one(*target, &HANDED_FUNCTION) } else { Outcome::Nothing }
    }

    /// The function that `recv` is, where a method of it runs it: `f.call(…)`. Of a parameter, those that calls pass.
    pub(crate) fn applied_function(&self, one: &Ref, recv: ExprIx) -> Option<Outcome> {
        let ctx = self.ctx(one);
        let value = self.infer.eval(&ctx, recv);
        let mut targets = match value.ty.each() {
            [Ty::Func(target, _)] => vec![*target],
            [] | [Ty::Unknown] => functions_among(&self.values_by_arguments(&ctx, recv)),
            _ => return None,
        };
        targets.retain(|target| !self.is_around(one, &[*target]));
        (1..=CANDIDATES).contains(&targets.len()).then_some(Outcome::Found(targets, &HANDED_FUNCTION))
    }

    /// A loop over the elements of a value: it runs the methods that make and advance its iterator.
    pub(crate) fn iteration(&self, one: &Ref) -> Outcome {
        let members = &self.traits.members;
        let (Some(whole), Some(iterator)) = (one.recv, members.iterator) else { return Outcome::Nothing };
        let ctx = self.ctx(one);
        let mut value = self.infer.eval(&ctx, whole);
        if value.ty == Ty::Unknown {
            let values = self.values_by_arguments(&ctx, whole);
            value = Typed::new(Ty::union(values.into_iter().map(|value| value.ty)), How::Guessed);
        }
        let mut targets = Vec::new();
        for ty in value.ty.each() {
            let Some(class) = ty.instance_of() else { continue };
            let Some(member) = self.infer.member(class, self.infer.sym(iterator), true) else { continue };
            targets.push(member.def);
            let advanced = self.infer.given_by(ty, iterator).and_then(|made| made.instance_of());
            let next = advanced
                .zip(members.next)
                .and_then(|(class, next)| self.infer.member(class, self.infer.sym(next), true));
            targets.extend(next.map(|member| member.def));
        }
        targets.sort_unstable();
        targets.dedup();
        match targets.len() {
            0 => Outcome::Nothing,
            n if n > CANDIDATES => Outcome::Nothing,
            _ => Outcome::Found(targets, &PROTOCOL),
        }
    }

    /// Whether `found` is the function that contains the reference. Its name may have meant something else before.
    pub(crate) fn is_around(&self, one: &Ref, found: &[DefRef]) -> bool {
        let own = self.infer.own.file;
        let around = self.infer.file(own).enclosing(one.scope, SymbolKind::is_callable);
        matches!(found, [only] if only.file == own && Some(only.def) == around)
    }

    /// The variable that a call names, where the call runs the function that it holds.
    pub(crate) fn named_holder(
        &self,
        one: &Ref,
        rule: &Rule,
        targets: &[DefRef],
    ) -> Option<(DefRef, &'static Rule)> {
        let follows =
            [&ALIAS, &CHOSEN_FUNCTION, &PASSED_FUNCTION, &RETURNED_FUNCTION, &TABLE_ENTRY].contains(&rule);
        if follows && one.form == RefForm::MethodCall {
            return self.held_member(one, targets);
        }
        if !follows || one.recv.is_some() || one.form != RefForm::Call {
            return None;
        }
        match self.infer.meaning(&self.ctx(one), one.name, Want::Call) {
            Meaning::Place(Place::Def(def), via) if !targets.contains(&def) => Some((def, rule_of(via))),
            _ => None,
        }
    }

    /// The field or property that a call of a member names.
    fn held_member(&self, one: &Ref, targets: &[DefRef]) -> Option<(DefRef, &'static Rule)> {
        let name = self.infer.own.sym(self.infer.w, one.name);
        let value = self.infer.receiver_value(&self.ctx(one), one.recv?, 0, false);
        let member = value.ty.each().iter().find_map(|ty| {
            let class = match ty {
                Ty::Class(class) => Some(*class),
                other => other.instance_of(),
            };
            self.infer.member(class?, name, true)
        })?;
        (!targets.contains(&member.def)).then_some((member.def, rule_of_receiver(value.how)))
    }

    /// A call of a local, which certainly has the value that it was set to where it is not a parameter and was set by
    /// name.
    pub(crate) fn declared_local(&self, local: u32) -> Outcome {
        let value = self.infer.local_type(local);
        let binding = self.infer.own.binding(self.infer.w, local);
        let sure = binding.is_some_and(|one| one.kind != BindingKind::Param && value.how == How::Named);
        self.held(&value, sure)
    }

    fn call_operator(&self, class: DefRef) -> Option<DefRef> {
        let name = self.infer.file(class.file).traits().members.call_operator?;
        Some(self.infer.member(class, self.infer.sym(name), true)?.def)
    }
}

/// The functions and types that a value may be. None if it may be something else, or any of many.
fn possible_callables(value: &Typed) -> Vec<DefRef> {
    let each = value.ty.each().iter().filter(|ty| **ty != Ty::Null);
    let found: Option<Vec<DefRef>> = each
        .map(|ty| match ty {
            Ty::Func(def, _) | Ty::Class(def) => Some(*def),
            _ => None,
        })
        .collect();
    found.filter(|found| found.len() <= CANDIDATES).unwrap_or_default()
}
