//! Chooses among several definitions of one name in one place those that accept the call's arguments.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, ExprIx, ParamKind, Ref, RefForm};
use sdl_model::lang::Overloads;

use super::{CANDIDATES, Outcome, Overloaded, Resolver};
use crate::infer::accepts_args;
use crate::strategies::{ARGUMENT_TYPES, INHERITED, OVERLOADS};
use crate::world::{DefRef, FileIndex, FileIx, Sym};

/// Most overloads whose parameters are looked at.
pub(crate) const MAX_OVERLOADS: usize = 32;

impl Resolver<'_, '_> {
    /// The target where none of a type's own overloads accepts the call's arguments: one that the type inherits, one
    /// from around it, or none in the repository.
    fn overload_elsewhere(&self, target: DefRef, name: Sym, one: &Ref) -> Option<Outcome> {
        if !self.traits.calls.inherits_overloads || !matches!(one.form, RefForm::Call | RefForm::MethodCall) {
            return None;
        }
        let class = self.infer().owner_type(target)?;
        let args = usize::from(one.args);
        let line = self.infer().line(class);
        let mut fitting = line.types.iter().skip(1).filter_map(|base| {
            let file = self.infer().file(base.file);
            let takes = |ix: &DefIx| {
                let is_method = file.outline.def(*ix).is_some_and(|def| def.kind.is_callable());
                is_method && accepts_args(&file, *ix, args)
            };
            let def = file.children(base.def, name).find(takes)?;
            Some(DefRef { file: base.file, def })
        });
        if let Some(found) = fitting.next() {
            return Some(Outcome::one(found, &INHERITED));
        }
        self.rules.overload_around(self, one, name, line.outside)
    }

    /// The overload whose parameters fit the call's arguments best, or all of those that fit equally well.
    fn by_arguments(&self, given: ExprIx, one: &Ref, at: FileIx, all: &[DefIx]) -> Option<Outcome> {
        let infer = self.infer();
        let file = infer.file(at);
        let args = infer.arguments(&self.ctx(one), given);
        let scores: Vec<(i32, DefRef)> = all
            .iter()
            .take(MAX_OVERLOADS)
            .map(|def| DefRef { file: at, def: *def })
            .filter_map(|def| Some((infer.takes_arguments(&file, def, &args)?, def)))
            .collect();
        let most = scores.iter().map(|(score, _)| *score).max()?;
        let best: Vec<DefRef> =
            scores.iter().filter(|(score, _)| *score == most).map(|(_, def)| *def).collect();
        match best.len() {
            1 => Some(Outcome::Found(best, &ARGUMENT_TYPES)),
            several if several < all.len() && several <= CANDIDATES => Some(Outcome::Found(best, &OVERLOADS)),
            _ => None,
        }
    }

    /// Narrows `outcome` to the overloads that accept the call's arguments.
    pub(super) fn choose_overload(&self, outcome: Outcome, one: &Ref) -> Outcome {
        let Outcome::Found(targets, rule) = outcome else { return outcome };
        let [target] = targets.as_slice() else { return Outcome::Found(targets, rule) };
        let file = self.infer().file(target.file);
        if file.traits().calls.overloads != Overloads::Functions {
            return Outcome::Found(targets, rule);
        }
        let Some(def) = file.outline.def(target.def).filter(|def| def.kind != SymbolKind::Macro) else {
            return Outcome::Found(targets, rule);
        };
        // Calling a type means its constructors.
        let (scope, name) = if def.kind.is_type() {
            match self.infer().constructor(*target) {
                Some(constructor) => (Some(target.def), file.name(constructor.def)),
                None => return Outcome::Found(targets, rule),
            }
        } else {
            (def.parent, file.name(target.def))
        };
        let (Some(scope), Some(name)) = (scope, name) else { return Outcome::Found(targets, rule) };
        if file.is_crowded(scope, name) {
            return Outcome::Unresolved;
        }
        let all = self.overloads_beside(*target, scope, name);
        let args = usize::from(one.args);
        if !def.kind.is_type()
            && def.kind != SymbolKind::Constructor
            && !all.iter().any(|ix| accepts_args(&file, *ix, args))
            && let Some(outcome) = self.overload_elsewhere(*target, name, one)
        {
            return outcome;
        }
        let call = Overloaded { one, target: *target, file: &file, def, name, all: &all };
        if let Some(outcome) = self.rules.other_overload(self, &call) {
            return outcome;
        }
        if all.len() < 2 {
            return Outcome::Found(targets, rule);
        }
        let best = taking_so_many(&file, all, args);
        if let (Some(given), 2..) = (one.given, best.len())
            && let Some(found) = self.by_arguments(given, one, target.file, &best)
        {
            return found;
        }
        let best: Vec<DefRef> = best.into_iter().map(|def| DefRef { file: target.file, def }).collect();
        match best.len() {
            0 => Outcome::Found(targets, rule),
            1 => Outcome::Found(best, rule),
            n if n <= CANDIDATES => Outcome::Found(best, &OVERLOADS),
            _ => Outcome::Found(stand_in(&file, &best).into_iter().collect(), &OVERLOADS),
        }
    }

    /// The functions of `name` in `scope` that `target` is one of.
    fn overloads_beside(&self, target: DefRef, scope: DefIx, name: Sym) -> Vec<DefIx> {
        let file = self.infer().file(target.file);
        let Some(def) = file.outline.def(target.def) else { return Vec::new() };
        // The owners are compared too, because members of several types may be side by side outside of them, as in a
        // C++ file.
        let is_outside = def.owner.is_some();
        let owner = |ix: DefIx| self.infer().owner_type(DefRef { file: target.file, def: ix });
        let rules = self.infer().rules_of(&file);
        let named = |ix: DefIx| rules.stated_owner(&file, ix);
        let is_left_out =
            |ix: DefIx| file.outline.def(ix).is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT));
        file.children(scope, name)
            .filter(|ix| file.outline.def(*ix).is_some_and(|def| def.kind.is_callable()))
            .filter(|ix| !is_outside || (owner(*ix) == owner(target.def) && named(*ix) == named(target.def)))
            .filter(|ix| def.flags.has(DefFlags::LEFT_OUT) || !is_left_out(*ix))
            .filter(|ix| {
                let found = file.outline.def(*ix);
                *ix == target.def || found.is_none_or(|def| !def.flags.has(DefFlags::NAMELESS))
            })
            .collect()
    }
}

/// Those that can be called with `args` arguments. If any of them has no optional parameters, only such.
fn taking_so_many(file: &FileIndex, all: Vec<DefIx>, args: usize) -> Vec<DefIx> {
    let fitting: Vec<DefIx> = all.into_iter().filter(|ix| accepts_args(file, *ix, args)).collect();
    let is_exact = |ix: &DefIx| {
        file.outline.def(*ix).is_some_and(|def| {
            let mut params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
            params.clone().count() == args && params.all(|param| param.kind == ParamKind::Positional)
        })
    };
    let exact: Vec<DefIx> = fitting.iter().copied().filter(is_exact).collect();
    if exact.is_empty() { fitting } else { exact }
}

/// The overload that represents all: one for objects, if there is one, before those for primitive types.
fn stand_in(file: &FileIndex, all: &[DefRef]) -> Option<DefRef> {
    let takes_primitive = |def: &DefRef| {
        file.outline.def(def.def).is_none_or(|found| {
            let mut types = found.params.iter().filter_map(|param| param.ty_text);
            types.any(|ty| file.outline.str(ty).starts_with(|c: char| c.is_lowercase()))
        })
    };
    all.iter().copied().find(|def| !takes_primitive(def)).or(all.first().copied())
}
