//! Calls by a name that holds the function: variables, fields, locals, parameters.

use sdl_model::facts::BindingKind;

use super::{Outcome, Resolver};
use crate::infer::{How, Ty, Typed};
use crate::strategies::{ALIAS, HELD_FUNCTION, Rule};
use crate::world::DefRef;

impl Resolver<'_, '_> {
    /// `def`, or the function or class that it is set to by name, where the language counts such a variable, field or
    /// property as that.
    pub(crate) fn one_or_named(&self, def: DefRef, rule: &'static Rule) -> Outcome {
        let named = self.rules.named_value(self, def);
        match named {
            Some(named) => Outcome::one(named, &ALIAS),
            None => Outcome::one(def, rule),
        }
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
