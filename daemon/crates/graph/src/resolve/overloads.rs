//! Chooses among several definitions of one name in one place those that accept the call's arguments.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, ExprIx, ParamKind, Ref, RefForm};
use sdl_model::lang::{ExtensionForm, Overloads};

use super::{CANDIDATES, Outcome, Resolver};
pub(super) use crate::infer::accepts_args;
use crate::modules::{self, Place};
use crate::strategies::{ARGUMENT_TYPES, INHERITED, OVERLOADS, PACKAGE};
use crate::world::{DefRef, FileIndex, FileIx, Sym};

/// Most overloads whose parameters are looked at.
const MAX_OVERLOADS: usize = 32;

/// Whether a method with parameters of the types `own` overrides one of a base with those of `base`, which may be
/// generic parameters there: `T`.
fn is_overridden(base: &[Option<String>], own: &[Option<String>]) -> bool {
    let plain = |ty: &str| ty.split('<').next().unwrap_or(ty).trim().to_owned();
    base.iter().zip(own).all(|(base, own)| {
        let (Some(base), Some(own)) = (base, own) else { return true };
        let is_parameter = base.len() <= 2 && base.starts_with(|c: char| c.is_ascii_uppercase());
        is_parameter || plain(base) == plain(own)
    })
}

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
        // A function that does not accept the arguments does not hide one that does.
        if self.traits.calls.overloads_across_scopes {
            let further = match one.recv {
                Some(recv) => {
                    let value = self.infer().receiver_value(&self.ctx(one), recv, 0, false);
                    self.extended(one, &value.ty, name)
                }
                None => self.top_level(one, name, args),
            };
            if let Some(found @ Outcome::Found(..)) = further {
                return Some(found);
            }
            return (one.recv.is_none() || line.outside).then_some(Outcome::External);
        }
        let universal = self.traits.members.universal;
        let is_outside = line.outside || universal.contains(&&*self.infer().w.text(name));
        is_outside.then_some(Outcome::External)
    }

    /// `void put(String s) { put(parse(s)); }`, where a base has another `put` with as many parameters: a method that
    /// delegates to its own name means that one, if it does not override one.
    fn delegated(&self, target: DefRef, name: Sym, one: &Ref) -> Option<DefRef> {
        let infer = self.infer();
        let own = infer.file(infer.own.file);
        let is_own = target.file == infer.own.file
            && own.enclosing(one.scope, SymbolKind::is_callable) == Some(target.def);
        if !self.traits.calls.overloads_delegate || one.recv.is_some() || !is_own || one.args == 0 {
            return None;
        }
        let types = |file: &FileIndex, ix: DefIx| -> Option<Vec<Option<String>>> {
            let params = file.outline.def(ix)?.params.iter();
            Some(params.map(|param| param.ty_text.map(|ty| file.outline.str(ty).to_owned())).collect())
        };
        let written = types(&own, target.def)?;
        let line = infer.line(infer.owner_type(target)?);
        let mut found = None;
        for base in line.types.iter().skip(1) {
            let file = infer.file(base.file);
            for ix in file.children(base.def, name) {
                let is_method = file.outline.def(ix).is_some_and(|def| def.kind.is_callable());
                if !is_method || !accepts_args(&file, ix, usize::from(one.args)) {
                    continue;
                }
                if types(&file, ix).is_none_or(|other| is_overridden(&other, &written)) {
                    return None;
                }
                found = found.or(Some(DefRef { file: base.file, def: ix }));
            }
        }
        found
    }

    /// The function `name` outside of all types that a file sees, if it accepts `args` arguments.
    fn top_level(&self, one: &Ref, name: Sym, args: usize) -> Option<Outcome> {
        let infer = self.infer();
        let at = infer.own.file;
        let file = infer.file(at);
        let imported = file.imports(DefIx::MODULE, name).map(|ix| modules::resolve_import(infer.w, at, ix));
        let around = self.rules().implicit(infer.w, at, one.scope, name);
        let own = file.child(DefIx::MODULE, name).map(|def| Place::Def(DefRef { file: at, def }));
        let found = imported.chain(own).chain([around]).find_map(|place| {
            let Place::Def(found) = place else { return None };
            let file = infer.file(found.file);
            let takes = |ix: &DefIx| {
                let plain =
                    file.outline.def(*ix).is_some_and(|def| def.kind.is_callable() && def.owner.is_none());
                plain && accepts_args(&file, *ix, args)
            };
            let def = file.children(DefIx::MODULE, name).find(takes)?;
            Some(DefRef { file: found.file, def })
        });
        found.map(|found| Outcome::one(found, &PACKAGE))
    }

    /// A value constructed from one of its own type: the copy constructor, or none if it is not written.
    fn copied(&self, one: &Ref, target: DefRef, all: &[DefIx]) -> Option<Outcome> {
        let infer = self.infer();
        let copies = self.traits.calls.copies && one.args == 1 && all.len() <= MAX_OVERLOADS;
        let given = one.given.filter(|_| copies)?;
        let class = infer.owner_type(target)?;
        if !infer.is_value_of(&self.ctx(one), given, class) {
            return None;
        }
        let file = infer.file(target.file);
        let copies = |ix: &&DefIx| infer.takes_first(&file, DefRef { def: **ix, ..target }, class);
        Some(match all.iter().find(copies) {
            Some(def) => Outcome::one(DefRef { def: *def, ..target }, &ARGUMENT_TYPES),
            None => Outcome::External,
        })
    }

    /// The target where the types of a call's arguments rule out all of a type's own overloads: an overload that the
    /// type inherits, or a function that extends it.
    fn of_other_types(
        &self,
        given: ExprIx,
        one: &Ref,
        target: DefRef,
        name: Sym,
        all: &[DefIx],
    ) -> Option<Outcome> {
        let infer = self.infer();
        let is_call = matches!(one.form, RefForm::Call | RefForm::MethodCall);
        if !is_call || self.traits.members.extensions == ExtensionForm::None || all.len() > MAX_OVERLOADS {
            return None;
        }
        let file = infer.file(target.file);
        let args = infer.arguments(&self.ctx(one), given);
        let takes = |file: &FileIndex, def: DefRef| {
            let found = file.outline.def(def.def);
            found.is_some_and(|found| found.kind.is_callable() && !found.flags.has(DefFlags::EXPLICIT))
                && accepts_args(file, def.def, usize::from(one.args))
                && infer.takes_arguments(file, def, &args).is_some()
        };
        if all.iter().any(|ix| takes(&file, DefRef { def: *ix, ..target })) {
            return None;
        }
        let class = infer.owner_type(target)?;
        for base in infer.line(class).types.iter().skip(1) {
            let file = infer.file(base.file);
            let found = file.children(base.def, name).map(|def| DefRef { def, ..*base });
            if let Some(found) = found.into_iter().find(|def| takes(&file, *def)) {
                return Some(Outcome::one(found, &INHERITED));
            }
        }
        let recv = one.recv?;
        let value = infer.receiver_value(&self.ctx(one), recv, 0, false);
        let extended = self.extended(one, &value.ty, name)?;
        match &extended {
            Outcome::Found(all, _) => {
                all.iter().any(|def| takes(&infer.file(def.file), *def)).then_some(extended)
            }
            _ => None,
        }
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
        if (def.kind.is_type() || def.kind == SymbolKind::Constructor)
            && let Some(outcome) = self.copied(one, *target, &all)
        {
            return outcome;
        }
        if let Some(given) = one.given
            && let Some(outcome) = self.of_other_types(given, one, *target, name, &all)
        {
            return outcome;
        }
        if all.len() < 2 {
            return match self.delegated(*target, name, one) {
                Some(found) => Outcome::one(found, &INHERITED),
                None => Outcome::Found(targets, rule),
            };
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
        // Members of several types may be side by side outside of them.
        let is_outside = def.owner.is_some();
        let owner = |ix: DefIx| self.infer().owner_type(DefRef { file: target.file, def: ix });
        let named = |ix: DefIx| {
            let owner = file.outline.def(ix).and_then(|def| def.owner);
            owner
                .filter(|_| !file.traits().members.out_of_line)
                .and_then(|owner| file.outline.last_name(owner))
        };
        let is_left_out =
            |ix: DefIx| file.outline.def(ix).is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT));
        file.children(scope, name)
            .filter(|ix| file.outline.def(*ix).is_some_and(|def| def.kind.is_callable()))
            .filter(|ix| !is_outside || (owner(*ix) == owner(target.def) && named(*ix) == named(target.def)))
            .filter(|ix| def.flags.has(DefFlags::LEFT_OUT) || !is_left_out(*ix))
            .filter(|ix| {
                let found = file.outline.def(*ix);
                *ix == target.def || found.is_none_or(|def| !def.flags.has(DefFlags::EXPLICIT))
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
