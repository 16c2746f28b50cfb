//! Calls by a name that holds the function: variables, fields, locals, parameters.

use sdl_model::SymbolKind;
use sdl_model::facts::{Binding, BindingKind, DefFlags, DefIx, Expr, ExprIx, Lit, Ref};
use sdl_model::lang::{CalledLocals, NameHolders};

use super::{CANDIDATES, Outcome, Resolver};
use crate::infer::{How, Ty, Typed};
use crate::strategies::{ALIAS, HELD_FUNCTION, Rule};
use crate::world::DefRef;

/// The functions and types that a value may be. None if it may be something else.
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

impl Resolver<'_, '_> {
    /// `def`, or the function or class that it is set to by name, where the language counts such a variable, field or
    /// property as that.
    pub(super) fn one_or_named(&self, def: DefRef, rule: &'static Rule) -> Outcome {
        let named = match self.traits.calls.holders {
            NameHolders::Variables => self.infer.named_by(def),
            NameHolders::Properties if self.is_property(def) => self.infer.named_by(def),
            NameHolders::Properties | NameHolders::None => None,
        };
        match named {
            Some(named) => Outcome::one(named, &ALIAS),
            None => Outcome::one(def, rule),
        }
    }

    /// `def`, or if it is only a type, the value of the same name beside it. None if there is no such value.
    pub(super) fn as_value(&self, def: DefRef) -> Option<DefRef> {
        let file = self.infer.file(def.file);
        let is_type = |ix: DefIx| {
            let kind = file.outline.def(ix).map(|def| def.kind);
            matches!(kind, Some(SymbolKind::Type | SymbolKind::Interface))
        };
        if !file.traits().names.types_beside_values || !is_type(def.def) {
            return Some(def);
        }
        let scope = file.outline.def(def.def)?.parent?;
        let value = file.children(scope, file.name(def.def)?).find(|ix| !is_type(*ix))?;
        Some(DefRef { def: value, ..def })
    }

    /// Whether `def` is a property of an object literal, and not a field that each object of a class has.
    fn is_property(&self, def: DefRef) -> bool {
        let file = self.infer.file(def.file);
        let kind = |ix: DefIx| file.outline.def(ix).map(|def| def.kind);
        let parent = file.outline.def(def.def).and_then(|def| def.parent);
        // An alias on a prototype: in a class it is a member of the class, but other functions may be anything.
        let of_class = || {
            let owner = self.infer.owner_of(&file, def);
            owner.is_some_and(|owner| {
                let file = self.infer.file(owner.file);
                file.outline.def(owner.def).is_some_and(|def| def.kind == SymbolKind::Class)
            })
        };
        let arena = &file.outline.arena;
        let is_of_prototype = || {
            let Expr::Attr(base, _) = arena.expr(file.outline.def(def.def)?.value?) else { return None };
            let Expr::Attr(_, name) = arena.expr(*base) else { return None };
            Some(arena.str(*name) == "prototype")
        };
        kind(def.def) == Some(SymbolKind::Field)
            && (is_of_prototype() != Some(true) || of_class())
            && matches!(
                parent.and_then(kind),
                Some(SymbolKind::Module | SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
            )
    }

    /// A call of a value, which calls the function or class that the value is.
    fn held(&self, value: &Typed, sure: bool) -> Outcome {
        let mut targets = Vec::new();
        let mut outside = false;
        let mut sure = sure;
        for ty in value.ty.each() {
            match ty {
                Ty::Func(def, _) | Ty::Class(def) => targets.push(*def),
                Ty::Instance(_) | Ty::Of(_) => {
                    let class = ty.instance_of();
                    // A protocol only describes how its values are called.
                    sure &= class.is_none_or(|class| !self.is_protocol(class));
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

    /// A call of a local. It leads to one function or class if the text sets the local to that by name. A value passed
    /// by a caller, also `cls`, may be another.
    pub(super) fn held_local(&self, ix: u32) -> Outcome {
        let value = self.infer.local_type(ix);
        let body = self.infer.own.body;
        // The values set in branches, each by a name.
        let mut several = false;
        let sure = body.bindings.get(ix as usize).is_some_and(|one| {
            let is_name = |value: &ExprIx| {
                matches!(body.arena.expr(*value), Expr::Name(_) | Expr::Attr(..) | Expr::Path(..))
            };
            several = one.value.is_some_and(|value| match body.arena.expr(value) {
                Expr::Either(all) => all
                    .iter()
                    .all(|one| is_name(one) || matches!(body.arena.expr(*one), Expr::Lit(Lit::Null))),
                _ => false,
            });
            let named = several || one.value.as_ref().is_some_and(is_name);
            match self.traits.calls.locals {
                CalledLocals::Unsure => false,
                CalledLocals::ByText => {
                    named && (several || value.how < How::Guessed) && !self.may_be_passed(one)
                }
                CalledLocals::Declared => one.kind != BindingKind::Param && value.how == How::Named,
            }
        });
        if sure && self.traits.calls.locals == CalledLocals::ByText {
            let targets = if several { possible_callables(&value) } else { self.all_named(ix) };
            if targets.len() > 1 {
                return Outcome::Found(targets, &ALIAS);
            }
        }
        self.held(&value, sure)
    }

    /// The functions or classes that a local may hold, where it is set in several places, each time by name.
    fn all_named(&self, ix: u32) -> Vec<DefRef> {
        let own = self.infer.own;
        let Some(one) = own.body.bindings.get(ix as usize) else { return Vec::new() };
        let mut targets = Vec::new();
        for ix in own.bindings(one.scope, one.name) {
            for ty in self.infer.local_type(*ix).ty.each() {
                match ty {
                    Ty::Func(def, _) | Ty::Class(def) => targets.push(*def),
                    Ty::Null => {}
                    _ => return Vec::new(),
                }
            }
            if targets.len() > CANDIDATES {
                return Vec::new();
            }
        }
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Whether a name is a parameter with a stated type, or is declared outside. The value set by the code is then only
    /// one of those it may have.
    fn may_be_passed(&self, one: &Binding) -> bool {
        let own = self.infer.own;
        let file = self.infer.file(own.file);
        let name = own.body.arena.str(one.name);
        let states_type = || {
            let def = file.outline.def(one.scope);
            let param =
                def.and_then(|def| def.params.iter().find(|param| file.outline.str(param.name) == name));
            param.is_some_and(|param| param.ty.is_some())
        };
        let all = own.bindings(one.scope, one.name).iter();
        all.filter_map(|ix| own.body.bindings.get(*ix as usize)).any(|other| match other.kind {
            BindingKind::Outer => true,
            BindingKind::Param => other.ty.is_some() || other.from == one.from || states_type(),
            _ => false,
        })
    }

    fn is_protocol(&self, class: DefRef) -> bool {
        let file = self.infer.file(class.file);
        file.traits().types.protocols
            && file.outline.def(class.def).is_some_and(|def| def.flags.has(DefFlags::ABSTRACT))
    }

    fn call_operator(&self, class: DefRef) -> Option<DefRef> {
        let name = self.infer.file(class.file).traits().members.call_operator?;
        Some(self.infer.member(class, self.infer.sym(name), true)?.def)
    }

    /// Whether `found` is the function that contains the reference. Its name may have meant something else before.
    pub(super) fn is_around(&self, one: &Ref, found: &[DefRef]) -> bool {
        let file = self.infer.file(self.infer.own.file);
        let around = file.enclosing(one.scope, SymbolKind::is_callable);
        let [only] = found else { return false };
        self.traits.names.rebindable && only.file == self.infer.own.file && Some(only.def) == around
    }

    pub(super) fn is_own_constructor(&self, one: &Ref, found: &[DefRef]) -> bool {
        self.traits.members.constructor_property
            && self.infer.own.body.arena.str(one.name) == "constructor"
            && !found.iter().any(|def| self.is_function(*def))
    }
}
