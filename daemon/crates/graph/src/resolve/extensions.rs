//! Calls of functions that extend their receiver's type.

use sdl_model::facts::Ref;
use sdl_model::lang::ExtensionForm;

use super::{CANDIDATES, Outcome, Resolver};
use crate::infer::{Extensions, Ty, accepts_args, is_extension};
use crate::strategies::{EXTENSION, EXTENSION_OF, OVERLOADS, Rule};
use crate::world::{DefRef, Sym};

/// How many steps the name of a receiver's type is searched for.
const NAMES: u8 = 4;

impl Resolver<'_, '_> {
    /// A member that the type does not have: a function that extends the receiver's type.
    pub(super) fn extended(&self, one: &Ref, receiver: &Ty, name: Sym) -> Option<Outcome> {
        let found = self.infer.extensions(&self.ctx(one), receiver, name);
        if let Some(sure) = self.among(one, found.sure, &EXTENSION_OF) {
            return Some(sure);
        }
        // A value of a type from outside: the functions that extend a type of its name.
        let of_name = one.recv.and_then(|recv| self.infer.name_of_type(&self.ctx(one), recv, NAMES));
        let mut perhaps = found.perhaps;
        if let Some(of_name) = of_name.filter(|_| matches!(receiver, Ty::External(_))) {
            let (same, others): (Vec<DefRef>, Vec<DefRef>) =
                perhaps.into_iter().partition(|def| self.infer.extends_called(*def, &of_name));
            let fitting = self.fitting(one, same.clone());
            // Static methods mostly replace a method that some version of the type has itself.
            let by_receiver = self.traits.members.extensions == ExtensionForm::Receivers;
            let rule = if by_receiver { &EXTENSION_OF } else { &EXTENSION };
            let is_own = by_receiver || !self.rules().is_builtin_member(&self.infer.w.text(name));
            if is_own
                && self.are_overloads(&fitting)
                && let Some(sure) = self.among(one, fitting, rule)
            {
                return Some(sure);
            }
            perhaps = same.into_iter().chain(others).collect();
            perhaps.retain(|def| !self.infer.extends_other_plain(*def, &of_name));
        }
        if self.rules().is_builtin_member(&self.infer.w.text(name)) {
            return None;
        }
        let mut fitting: Vec<DefRef> = self.fitting(one, perhaps);
        if self.infer.extend_plain_ones(&fitting) {
            fitting.retain(|def| self.infer.extends_all(*def));
        }
        // If several may be meant, none is chosen.
        self.are_overloads(&fitting).then(|| self.among(one, fitting, &EXTENSION)).flatten()
    }

    /// Where a function that extends types was found by its name alone: the one of that name that extends a type
    /// around.
    pub(super) fn extension_around(&self, one: &Ref, found: DefRef) -> Option<Outcome> {
        let file = self.infer.file(found.file);
        if !is_extension(&file, found.def) {
            return None;
        }
        let name = self.infer.own.sym(self.infer.w, one.name);
        let Extensions { sure, perhaps } = self.infer.extensions_around(&self.ctx(one), name);
        if let Some(sure) = self.among(one, sure, &EXTENSION_OF) {
            return Some(sure);
        }
        // A lambda may have been given a receiver, and several functions may be meant for it.
        let several = perhaps.len() > 1 && !self.are_overloads(&perhaps);
        several.then_some(Outcome::Unresolved)
    }

    fn fitting(&self, one: &Ref, mut found: Vec<DefRef>) -> Vec<DefRef> {
        let args = usize::from(one.args);
        found.retain(|def| accepts_args(&self.infer.file(def.file), def.def, args));
        found
    }

    /// Whether all are overloads side by side, which differ only by their parameters.
    fn are_overloads(&self, found: &[DefRef]) -> bool {
        let place = |def: &DefRef| {
            let parent = self.infer.file(def.file).outline.def(def.def).and_then(|found| found.parent);
            (def.file, parent)
        };
        found.first().is_some_and(|first| found.iter().all(|other| place(other) == place(first)))
    }

    fn among(&self, one: &Ref, found: Vec<DefRef>, rule: &'static Rule) -> Option<Outcome> {
        let fitting = self.fitting(one, found.clone());
        let best = if fitting.is_empty() { found } else { fitting };
        match best.as_slice() {
            [] => None,
            [first, ..] if self.are_overloads(&best) => Some(Outcome::one(*first, rule)),
            several if several.len() <= CANDIDATES => Some(Outcome::Found(best, &OVERLOADS)),
            _ => Some(Outcome::Unresolved),
        }
    }
}
