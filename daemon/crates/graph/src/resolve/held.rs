//! Calls by a name that holds the function: variables, fields, locals, parameters.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, Ref, RefForm};

use super::calls::rule_of;
use super::passed::functions_among;
use super::{CANDIDATES, Outcome, Resolver};
use crate::infer::{How, Meaning, Origin, Ty, Typed, Want};
use crate::modules::Place;
use crate::strategies::{
    ALIAS, CHOSEN_FUNCTION, HELD_FUNCTION, PASSED_FUNCTION, PROTOCOL, RETURNED_FUNCTION, Rule, TABLE_ENTRY,
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
            Outcome::Unresolved => {
                let targets = functions_among(&self.values_by_arguments(&ctx, callee));
                let is_few = (1..=CANDIDATES).contains(&targets.len());
                if is_few { Outcome::Found(targets, &PASSED_FUNCTION) } else { Outcome::Nothing }
            }
            found => found,
        }
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
        let follows = [&ALIAS, &CHOSEN_FUNCTION, &RETURNED_FUNCTION, &TABLE_ENTRY].contains(&rule);
        if !follows || one.recv.is_some() || one.form != RefForm::Call {
            return None;
        }
        match self.infer.meaning(&self.ctx(one), one.name, Want::Call) {
            Meaning::Place(Place::Def(def), via) if !targets.contains(&def) => Some((def, rule_of(via))),
            _ => None,
        }
    }

    /// A call of a local, which certainly has the value that it was set to where it is not a parameter and was set by
    /// name.
    pub(crate) fn declared_local(&self, local: u32) -> Outcome {
        let value = self.infer.local_type(local);
        let binding = self.infer.own.body.bindings.get(local as usize);
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
