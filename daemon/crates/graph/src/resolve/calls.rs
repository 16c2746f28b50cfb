//! Calls.

use sdl_model::SymbolKind;
use sdl_model::facts::{Expr, ExprIx, Ref, RefForm};
use sdl_model::lang::Qualified;

use super::{Outcome, Resolver};
use crate::infer::{How, Infer, Meaning, Ty, Typed, Via, Want};
use crate::modules::{self, Place};
use crate::strategies::{
    self as s, BUILT, ELEMENT, GUESSED, HELD_FUNCTION, INHERITED, QUALIFIED, RETURNED, Rule, SELF_MEMBER,
    STATED,
};
use crate::world::{DefRef, Sym};

/// The rule by which a name was found.
pub(crate) fn rule_of(via: Via) -> &'static Rule {
    match via {
        Via::Scope => &s::SCOPE,
        Via::Import => &s::IMPORT,
        Via::Wildcard => &s::WILDCARD,
        Via::Package => &s::PACKAGE,
        Via::Include => &s::INCLUDE,
        Via::Member => &SELF_MEMBER,
        Via::Inherited => &INHERITED,
    }
}

/// The rule by which a receiver's type became known.
pub(crate) fn rule_of_receiver(how: How) -> &'static Rule {
    match how {
        How::Named | How::Stated => &STATED,
        How::Built => &BUILT,
        How::Returned => &RETURNED,
        How::Element => &ELEMENT,
        How::Guessed => &GUESSED,
    }
}

/// The member that a use asks its receiver for.
#[derive(Clone, Copy)]
struct Asked {
    name: Sym,
    /// Whether the member is called.
    call: bool,
    /// Whether the receiver is the method's own.
    on_self: bool,
    /// How the receiver's type is known.
    how: How,
}

/// The members of a name, over all types that a receiver may have.
struct Members {
    targets: Vec<DefRef>,
    rule: &'static Rule,
    /// Whether a type from outside the repository may have it.
    outside: bool,
    /// Whether a possible type of the receiver is unknown.
    unknown: bool,
}

impl Members {
    fn new(rule: &'static Rule) -> Self {
        Self { targets: Vec::new(), rule, outside: false, unknown: false }
    }

    /// Adds a member that was found by a rule. Without a member, it is from outside.
    fn add(&mut self, member: Option<DefRef>, rule: &'static Rule) {
        match member {
            Some(def) => {
                self.targets.push(def);
                self.rule = rule;
            }
            None => self.outside = true,
        }
    }

    /// Adds the value of a member, if that is a function or a class.
    fn add_value(&mut self, held: &Ty) {
        match held {
            Ty::Func(def, _) | Ty::Class(def) => self.targets.push(*def),
            _ => self.outside = true,
        }
    }
}

impl Resolver<'_, '_> {
    /// A call, with or without a receiver.
    pub(crate) fn call(&self, one: &Ref) -> Outcome {
        let outcome = match one.recv {
            None => self.bare_call(one),
            Some(recv) => self.member_call(one, recv),
        };
        self.choose_overload(outcome, one)
    }

    pub(crate) fn bare_call(&self, one: &Ref) -> Outcome {
        let ctx = self.ctx(one);
        let meaning = match self.infer.meaning(&ctx, one.name, Want::Call) {
            Meaning::Place(Place::Missing | Place::External, _)
                if one.form == RefForm::Decorator
                    && let Some(whole) = self.rules.whole_decorator(ctx.arena.str(one.name)) =>
            {
                self.infer.meaning_of(&ctx, &whole, Want::Type)
            }
            found => found,
        };
        if matches!(meaning, Meaning::Place(Place::Def(_), _))
            && let Some(latest) = self.infer.latest_value(&ctx, one.name)
            && let found @ Outcome::Found(..) = self.rules.held_local(self, one, latest)
        {
            return found;
        }
        match meaning {
            Meaning::Local(ix) => self.rules.held_local(self, one, ix),
            Meaning::Param(..) | Meaning::Generic(_) | Meaning::Given(_) => Outcome::Unresolved,
            Meaning::Place(place, via) => {
                self.rules.run_on(self, one).unwrap_or_else(|| self.called_place(one, place, via))
            }
        }
    }

    fn called_place(&self, one: &Ref, place: Place, via: Via) -> Outcome {
        match place {
            Place::Def(def) => {
                let kind = self.infer.file(def.file).outline.def(def.def).map(|def| def.kind);
                if let Some(found) = self.rules.extension_around(self, one, def) {
                    return found;
                }
                let Some(def) = self.infer.rules(def.file).as_value(&self.infer, def) else {
                    return Outcome::External;
                };
                self.called_value(one, def, kind, via)
            }
            Place::Module(module) => match modules::default_of(self.infer.w, module) {
                Place::Def(def) => Outcome::one(def, rule_of(via)),
                _ => Outcome::Unresolved,
            },
            Place::External => Outcome::External,
            Place::Missing => self.unknown_function(one),
        }
    }

    /// Whether all of `defs` are for another system than the one of a default build.
    pub(crate) fn is_elsewhere(&self, defs: &[DefRef]) -> bool {
        defs.iter().all(|def| self.infer.rules(def.file).is_elsewhere(self.infer.w, *def))
    }

    /// A call by a name that means `def`, or the value of its name beside a definition of this kind.
    fn called_value(&self, one: &Ref, def: DefRef, kind: Option<SymbolKind>, via: Via) -> Outcome {
        let Some(kind) = kind else { return self.one_or_named(def, rule_of(via)) };
        if let Some(outcome) = self.rules.called_definition(self, one, def, kind, via) {
            return outcome;
        }
        match kind {
            SymbolKind::Type if self.rules.names_outside(self, one, def) => Outcome::External,
            SymbolKind::Type => Outcome::one(self.infer.class_behind(def).unwrap_or(def), rule_of(via)),
            _ => self.one_or_named(def, rule_of(via)),
        }
    }

    pub(crate) fn is_function(&self, def: DefRef) -> bool {
        let file = self.infer.file(def.file);
        file.outline.def(def.def).is_some_and(|def| def.kind == SymbolKind::Function)
    }

    fn member_call(&self, one: &Ref, recv: ExprIx) -> Outcome {
        let name = self.infer.own.sym(self.infer.w, one.name);
        let special = self.rules.member_call(self, one, recv, name);
        special.unwrap_or_else(|| self.member_of(one, recv, name, true))
    }

    /// The member `name` of the receiver `recv`.
    pub(crate) fn member_of(&self, one: &Ref, recv: ExprIx, name: Sym, call: bool) -> Outcome {
        let ctx = self.ctx(one);
        let is_method = call && one.form == RefForm::MethodCall;
        if is_method && self.rules.is_of_pointer(&self.infer, &ctx, recv, &self.infer.w.text(name)) {
            return Outcome::External;
        }
        let value = self.infer.receiver_value(&ctx, recv, 0, one.form == RefForm::PathCall);
        let on_self = matches!(ctx.arena.expr(recv), Expr::SelfRef);
        let asked = Asked { name, call, on_self, how: value.how };
        let mut found = Members::new(rule_of_receiver(value.how));
        for ty in value.ty.each() {
            match ty {
                Ty::Class(_) | Ty::Instance(_) | Ty::Of(_) => {
                    self.member_of_type(&mut found, ty, asked);
                }
                other => self.member_of_other(&mut found, other, asked),
            }
        }
        found.targets.sort_unstable();
        found.targets.dedup();
        let Members { targets, rule, outside, unknown } = found;
        if targets.is_empty() {
            let is_spelled = unknown || outside || self.traits.names.qualified == Qualified::Always;
            if is_spelled && let Some(Place::Def(def)) = self.infer.spelled(&ctx, recv, one.name) {
                return Outcome::one(def, &s::QUALIFIED);
            }
            if on_self
                && call
                && let Some(def) = self.rules.own_member(self, &ctx, &value.ty, name)
            {
                return Outcome::one(def, &s::SELF_MEMBER);
            }
        }
        match targets.len() {
            0 if call && let Some(found) = self.rules.extended(self, one, &value.ty, name) => found,
            0 if unknown
                && call
                && let Some(found) = self.passed_member(&ctx, recv, name) =>
            {
                found
            }
            0 if unknown => self.unknown_receiver(one, name, call),
            0 if call && let Some(found) = self.rules.by_trait(self, one, recv, &value.ty, outside) => found,
            0 if outside => Outcome::External,
            0 => Outcome::Unresolved,
            1 if call => match self.one_or_named(targets[0], rule) {
                Outcome::Found(found, _) if found == targets => {
                    let kept = self.passed_field(targets[0]).filter(|_| !self.is_handed_out(one, recv));
                    kept.unwrap_or(Outcome::Found(found, rule))
                }
                named => named,
            },
            1 => Outcome::Found(targets, rule),
            _ => Outcome::Found(targets, &s::ALTERNATIVES),
        }
    }

    /// The member of a type of the repository, or of a value of one.
    fn member_of_type(&self, found: &mut Members, ty: &Ty, asked: Asked) {
        let Asked { name, call, on_self, how } = asked;
        let class = match ty {
            Ty::Class(class) => Some(*class),
            other => other.instance_of(),
        };
        let Some(class) = class else { return };
        match self.infer.member(class, name, call) {
            Some(member) => {
                let of_type = matches!(ty, Ty::Class(_));
                found.targets.push(self.infer.same_side(member.def, of_type));
                if on_self {
                    found.rule = if member.inherited { &s::INHERITED } else { &s::SELF_MEMBER };
                } else if how == How::Named {
                    found.rule = &s::CLASS_MEMBER;
                }
            }
            // `it->f()`.
            None if let Some(member) = self
                .infer
                .pointed_to(ty)
                .and_then(|target| self.infer.member(target.instance_of()?, name, call)) =>
            {
                found.targets.push(member.def);
            }
            None if let Some(written) = self.infer.written_of(class) => {
                found.add_value(&self.infer.property(written, &self.infer.w.text(name)).ty);
            }
            None if self.infer.line(class).outside => found.outside = true,
            // A member that no text shows: one of a type that includes this mixin, or one created at run time.
            None => found.unknown |= on_self,
        }
    }

    /// The member of a receiver that is not of a type of the repository.
    fn member_of_other(&self, found: &mut Members, ty: &Ty, asked: Asked) {
        let Asked { name, call, how, .. } = asked;
        match ty {
            Ty::Module(module) => match modules::find_member(self.infer.w, *module, name) {
                Place::Def(def) => found.add(Some(def), &s::QUALIFIED),
                Place::Module(module) => {
                    if let Place::Def(def) = modules::default_of(self.infer.w, module) {
                        found.add(Some(def), &s::QUALIFIED);
                    }
                }
                Place::External => found.outside = true,
                Place::Missing => {}
            },
            Ty::Super(class) => {
                let member = self.rules.super_member(&self.infer, *class, name, call);
                found.add(member, &s::SUPER_MEMBER);
            }
            Ty::Func(def, _) => match self.infer.decorated_value(*def) {
                Some(value) => {
                    found.rule = rule_of_receiver(value.how);
                    for ty in value.ty.each() {
                        self.member_of_type(found, ty, Asked { how: value.how, ..asked });
                    }
                }
                None => {
                    let class = self.infer.class_behind(*def);
                    let member = class.and_then(|class| self.infer.member(class, name, call));
                    let rule = found.rule;
                    found.add(member.map(|member| member.def), rule);
                }
            },
            // The code that makes a value of an object type decides which members it has.
            Ty::Object(written) if written.is_type() => found.outside = true,
            Ty::Object(_) => {
                let text = self.infer.w.text(name);
                found.add_value(&self.infer.attribute(&Typed::new(ty.clone(), how), &text, call).ty);
            }
            Ty::External(_) | Ty::Callable(_) | Ty::Null => found.outside = true,
            Ty::Unknown => found.unknown = true,
            Ty::Class(_) | Ty::Instance(_) | Ty::Of(_) | Ty::Union(_) => {}
        }
    }

    /// `new T(…)`, `T {…}`.
    pub(crate) fn construct(&self, one: &Ref) -> Outcome {
        let ctx = self.ctx(one);
        let (place, rule) = match one.recv {
            None => match self.infer.meaning(&ctx, one.name, Want::Type) {
                Meaning::Place(place, via) => (place, rule_of(via)),
                Meaning::Local(ix) => {
                    return self.rules.held_local(self, one, ix);
                }
                Meaning::Param(..) | Meaning::Generic(_) | Meaning::Given(_) => return Outcome::Unresolved,
            },
            Some(recv) => {
                // Only namespaces are before the name of a type.
                if self.traits.names.qualified == Qualified::First
                    && let Some(Place::Def(def)) = self.infer.spelled(&ctx, recv, one.name)
                {
                    return self.choose_overload(Outcome::one(def, &QUALIFIED), one);
                }
                let name = self.infer.own.sym(self.infer.w, one.name);
                return match self.member_of(one, recv, name, true) {
                    // `new this.constructor()` constructs the object's own class, which may derive from the type here.
                    Outcome::Found(found, _) if self.rules.is_own_constructor(self, one, &found) => {
                        Outcome::Found(found, &HELD_FUNCTION)
                    }
                    Outcome::Unresolved => Outcome::External,
                    found => self.choose_overload(found, one),
                };
            }
        };
        let outcome = match place {
            Place::Def(def) => {
                let Some(def) = self.infer.rules(def.file).as_value(&self.infer, def) else {
                    return Outcome::External;
                };
                let kind = self.infer.file(def.file).outline.def(def.def).map(|def| def.kind);
                let target = match kind {
                    Some(SymbolKind::Type) if self.rules.names_outside(self, one, def) => {
                        return Outcome::External;
                    }
                    Some(
                        SymbolKind::Type | SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field,
                    ) => self.infer.class_behind(def).unwrap_or(def),
                    _ => def,
                };
                Outcome::one(target, rule)
            }
            Place::Module(module) => match modules::default_of(self.infer.w, module) {
                Place::Def(def) => Outcome::one(def, rule),
                _ => Outcome::Unresolved,
            },
            Place::External => Outcome::External,
            Place::Missing => self.unknown_function(one),
        };
        self.choose_overload(outcome, one)
    }

    /// `f!(…)`.
    pub(crate) fn macro_call(&self, one: &Ref) -> Outcome {
        if one.recv.is_some() {
            return self.call(one);
        }
        let ctx = self.ctx(one);
        match self.infer.meaning(&ctx, one.name, Want::Call) {
            Meaning::Place(Place::Def(def), via) => Outcome::one(def, rule_of(via)),
            Meaning::Place(Place::External, _) => Outcome::External,
            _ => self.unknown_macro(one),
        }
    }

    pub(crate) fn infer(&self) -> &Infer<'_, '_> {
        &self.infer
    }
}
