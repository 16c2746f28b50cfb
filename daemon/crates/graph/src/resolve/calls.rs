//! Calls.

use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, Ref, RefForm};
use sdl_model::lang::Qualified;
use sdl_model::{EdgeKind, SymbolKind};

use super::{CANDIDATES, Outcome, Resolver};
use crate::infer::{Ctx, How, Infer, Meaning, Ty, Typed, Via, Want};
use crate::modules::{self, Place};
use crate::strategies::{
    self as s, ALTERNATIVES, BUILT, ELEMENT, GUESSED, HELD_FUNCTION, INHERITED, QUALIFIED, RETURNED, Rule,
    SELF_MEMBER, STATED,
};
use crate::world::{DefRef, FileIndex, Rules, Sym};

/// The rule by which a name was found.
pub(super) fn rule_of(via: Via) -> &'static Rule {
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
fn rule_of_receiver(how: How) -> &'static Rule {
    match how {
        How::Named | How::Stated => &STATED,
        How::Built => &BUILT,
        How::Returned => &RETURNED,
        How::Element => &ELEMENT,
        How::Guessed => &GUESSED,
    }
}

/// Whether `ix` calls a method that acquires a lock, such as `lock` or `try_read`.
fn is_lock(ctx: &Ctx<'_>, ix: ExprIx) -> bool {
    let Expr::Call(callee, 0) = ctx.arena.expr(ix) else { return false };
    let Expr::Attr(_, name) = ctx.arena.expr(*callee) else { return false };
    matches!(ctx.arena.str(*name), "lock" | "read" | "write" | "try_lock" | "try_read" | "try_write")
}

/// Whether a macro without parameters is an alias of a function of the system's library.
fn is_name_of_platform(rules: &dyn Rules, file: &FileIndex, def: DefRef) -> bool {
    let value = file.outline.def(def.def).and_then(|def| def.value);
    let Some(Expr::Name(name)) = value.map(|value| file.outline.arena.expr(value)) else { return false };
    rules.is_of_platform(file.outline.str(*name))
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
    pub(super) fn call(&self, one: &Ref) -> Outcome {
        let outcome = match one.recv {
            None => self.bare_call(one),
            Some(recv) => self.member_call(one, recv),
        };
        self.choose_overload(outcome, one)
    }

    fn bare_call(&self, one: &Ref) -> Outcome {
        let ctx = self.ctx(one);
        let meaning = match self.infer.meaning(&ctx, one.name, Want::Call) {
            // `[Test]` may mean `TestAttribute`.
            Meaning::Place(Place::Missing | Place::External, _)
                if one.form == RefForm::Decorator
                    && let Some(suffix) = self.traits.calls.attribute_suffix =>
            {
                let whole = format!("{}{suffix}", ctx.arena.str(one.name));
                self.infer.meaning_of(&ctx, &whole, Want::Type)
            }
            found => found,
        };
        match meaning {
            Meaning::Local(ix) => match self.held_local(ix) {
                // A function that calls its own name calls what the name meant before.
                Outcome::Found(found, _) if self.is_around(one, &found) => Outcome::Unresolved,
                held => held,
            },
            Meaning::Param(..) | Meaning::Generic(_) | Meaning::Given(_) => Outcome::Unresolved,
            Meaning::Place(place, via) => {
                let run_on = (self.traits.calls.lambda_receivers && one.form == RefForm::Call)
                    .then(|| self.run_on(one, self.infer.own.sym(self.infer.w, one.name)));
                match run_on.flatten() {
                    Some(found) => found,
                    None => self.called_place(one, place, via),
                }
            }
        }
    }

    fn called_place(&self, one: &Ref, place: Place, via: Via) -> Outcome {
        match place {
            Place::Def(def) => {
                let file = self.infer.file(def.file);
                let kind = file.outline.def(def.def).map(|def| def.kind);
                if let Some(found) = self.extension_around(one, def) {
                    return found;
                }
                let Some(def) = self.as_value(def) else { return Outcome::External };
                match kind {
                    // A macro that renames the called function.
                    Some(SymbolKind::Constant) if file.traits().names.preprocessor => {
                        if let Some(renamed) = self.renamed(one, &file, def) {
                            return Outcome::one(renamed, rule_of(via));
                        }
                        // `#define my_free free`.
                        if is_name_of_platform(self.rules(), &file, def) {
                            return Outcome::External;
                        }
                        match self.unknown_function(one) {
                            Outcome::Found(all, rule) if !self.is_elsewhere(&all) => {
                                Outcome::Found(all, rule)
                            }
                            _ => Outcome::one(def, rule_of(via)),
                        }
                    }
                    // The build's settings decide between several definitions.
                    Some(SymbolKind::Macro) => match self.twins(&file, def) {
                        several if several.len() > 1 && several.len() <= CANDIDATES => {
                            Outcome::Found(several, &ALTERNATIVES)
                        }
                        _ => Outcome::one(def, rule_of(via)),
                    },
                    // A function declared here but defined nowhere is of the system's library, or a macro defines it.
                    Some(SymbolKind::Function)
                        if file.traits().names.preprocessor
                            && !self.has_body(def, one)
                            && self.is_of_system(one, def) =>
                    {
                        Outcome::External
                    }
                    Some(SymbolKind::Type) if self.infer.points_to(def) => Outcome::External,
                    Some(SymbolKind::Type) if self.is_of_elsewhere(def) => Outcome::External,
                    Some(SymbolKind::Type) => match self.infer.class_behind(def).unwrap_or(def) {
                        // An alias of a type from outside the repository.
                        same if same == def && self.traits.names.rebindable => Outcome::External,
                        class => Outcome::one(class, rule_of(via)),
                    },
                    _ => self.one_or_named(def, rule_of(via)),
                }
            }
            Place::Module(module) => match modules::default_of(self.infer.w, module) {
                Place::Def(def) => Outcome::one(def, rule_of(via)),
                _ => Outcome::Unresolved,
            },
            Place::External => Outcome::External,
            Place::Missing => self.unknown_function(one),
        }
    }

    /// The definitions that a macro has in its file.
    fn twins(&self, file: &FileIndex, def: DefRef) -> Vec<DefRef> {
        let is_macro = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| def.kind == SymbolKind::Macro);
        let scope = file.outline.def(def.def).and_then(|def| def.parent).unwrap_or(DefIx::MODULE);
        let name = file.name(def.def).filter(|_| self.traits.names.preprocessor);
        let all = name.into_iter().flat_map(|name| file.children(scope, name));
        let mut all: Vec<DefRef> = all.filter(is_macro).map(|def_ix| DefRef { def: def_ix, ..def }).collect();
        // Another included header may define it, too.
        let hits = name.and_then(|name| self.infer.w.named(name));
        let of_others = hits.iter().flat_map(|hits| hits.iter()).filter(|hit| hit.kind == SymbolKind::Macro);
        for hit in of_others.filter(|hit| hit.file != file.id) {
            let Some(at) = self.infer.w.open(hit.file) else { continue };
            let other = self.infer.file(at).find(hit.symbol);
            if let Some(other) =
                other.filter(|_| self.rules().includes(self.infer.w, self.infer.own.file, at))
            {
                all.push(DefRef { file: at, def: other });
            }
        }
        if !self.is_elsewhere(&[def]) {
            all.retain(|def| !self.is_elsewhere(&[*def]));
        }
        all
    }

    /// Whether all of `defs` are for another system than the one of a default build.
    pub(super) fn is_elsewhere(&self, defs: &[DefRef]) -> bool {
        defs.iter().all(|def| self.infer.rules(def.file).is_elsewhere(self.infer.w, *def))
    }

    /// The function with a body that a macro without parameters expands to, if the file defines the macro in one way
    /// only.
    fn renamed(&self, one: &Ref, file: &FileIndex, def: DefRef) -> Option<DefRef> {
        let own_name = file.name(def.def)?;
        let twins = file.children(DefIx::MODULE, own_name).filter_map(|ix| {
            let def = file.outline.def(ix)?;
            (def.kind == SymbolKind::Constant && !def.flags.has(DefFlags::LEFT_OUT)).then_some(def)
        });
        let value = file.outline.def(def.def)?.value?;
        let Expr::Name(name) = file.outline.arena.expr(value) else { return None };
        let same =
            |value: ExprIx| matches!(file.outline.arena.expr(value), Expr::Name(other) if other == name);
        twins.map(|def| def.value).all(|value| value.is_some_and(same)).then_some(())?;
        // The text of a macro has the meaning of the place where the macro is used.
        let text = file.outline.str(*name);
        let Meaning::Place(Place::Def(found), _) = self.infer.meaning_of(&self.ctx(one), text, Want::Call)
        else {
            return None;
        };
        let target = self.infer.file(found.file);
        let is_function = target
            .outline
            .def(found.def)
            .is_some_and(|def| def.kind == SymbolKind::Function && !def.flags.has(DefFlags::ABSTRACT));
        is_function.then_some(found)
    }

    /// Whether the system provides the function that `one` names and `def` only declares. Else a macro defines a
    /// function that a header of the repository declares.
    fn is_of_system(&self, one: &Ref, def: DefRef) -> bool {
        let name = self.infer.own.body.arena.str(one.name);
        let file = self.infer.file(def.file);
        let is_static = file.outline.def(def.def).is_some_and(|def| def.flags.has(DefFlags::STATIC));
        self.traits.calls.bodiless_is_external
            || is_static
            || def.file == self.infer.own.file
            || self.is_elsewhere(&[def])
            || self.rules().is_of_platform(name)
    }

    /// Whether a type is an alias of one from outside, so that a call of it calls that type's constructor.
    fn is_of_elsewhere(&self, def: DefRef) -> bool {
        self.traits.calls.aliases_of_outside && matches!(self.infer.alias(def), Ty::External(_))
    }

    pub(super) fn is_function(&self, def: DefRef) -> bool {
        let file = self.infer.file(def.file);
        file.outline.def(def.def).is_some_and(|def| def.kind == SymbolKind::Function)
    }

    /// A name is passed to a call that looks like a macro. Where the macro calls its parameter, this is a call.
    pub(super) fn handed_to_macro(&self, one: &Ref) -> (Outcome, EdgeKind) {
        let calls = || {
            let ctx = self.ctx(one);
            let Expr::Passed(callee, at, _) = ctx.arena.expr(one.recv?) else { return None };
            let Expr::Name(name) = ctx.arena.expr(*callee) else { return None };
            let Meaning::Place(Place::Def(def), _) = self.infer.meaning(&ctx, *name, Want::Call) else {
                return None;
            };
            let file = self.infer.file(def.file);
            let found = file.outline.def(def.def).filter(|def| def.kind == SymbolKind::Macro)?;
            found.params.get(usize::from(*at))?.ty
        };
        if calls().is_some() {
            let called = Ref { form: RefForm::Call, recv: None, ..*one };
            if let Outcome::Found(found, rule) = self.bare_call(&called)
                && found.iter().all(|def| self.is_function(*def))
            {
                return (Outcome::Found(found, rule), EdgeKind::Call);
            }
        }
        self.value(&Ref { form: RefForm::Value, recv: None, ..*one })
    }

    /// The target of `super.name`, or of `super(…)`. Where a constructor is a property, `super()` means the base class,
    /// like `new Base()`, even where the base inherits its constructor.
    fn super_member(&self, class: DefRef, name: Sym, call: bool) -> Option<DefRef> {
        let is_constructor =
            self.traits.members.constructor_property && call && &*self.infer.w.text(name) == "constructor";
        if let Some(base) = self.infer.base_class(class).filter(|_| is_constructor) {
            return Some(self.infer.constructor(base).unwrap_or(base));
        }
        let found = self.infer.base_member(class, name, call)?;
        // A base from outside is assumed to have a member that only an interface declares.
        let asked_for = self.traits.members.outside_implements
            && self.infer.line(class).outside
            && self.infer.is_asked_for(found.def);
        (!asked_for).then_some(found.def)
    }

    fn member_call(&self, one: &Ref, recv: ExprIx) -> Outcome {
        let name = self.infer.own.sym(self.infer.w, one.name);
        let Expr::Either(parts) = self.infer.own.body.arena.expr(recv) else {
            return self.member_of(one, recv, name, true);
        };
        // `Trait::name(value, …)`.
        match (parts.as_slice(), one.form) {
            ([path, value], RefForm::PathCall) => match self.member_of(one, *path, name, true) {
                Outcome::External => {
                    self.of_outside_trait(one, *path, *value, name).unwrap_or(Outcome::External)
                }
                found => found,
            },
            _ => self.member_of(one, recv, name, true),
        }
    }

    /// The method with which a type of the repository implements one of a trait from outside.
    fn of_outside_trait(&self, one: &Ref, path: ExprIx, value: ExprIx, name: Sym) -> Option<Outcome> {
        let ctx = self.ctx(one);
        let (Expr::Name(last) | Expr::Path(_, last)) = ctx.arena.expr(path) else { return None };
        if self.infer.is_of_pointer(&ctx, value, &self.infer.w.text(name)) {
            return Some(Outcome::External);
        }
        let value = self.infer.eval(&ctx, value);
        let mut found = Vec::new();
        for ty in value.ty.each() {
            found.push(self.infer.implemented(ty.instance_of()?, ctx.arena.str(*last), name)?);
        }
        (!found.is_empty()).then(|| Outcome::Found(found, rule_of_receiver(value.how)))
    }

    /// The member `name` of the receiver `recv`.
    pub(super) fn member_of(&self, one: &Ref, recv: ExprIx, name: Sym, call: bool) -> Outcome {
        let ctx = self.ctx(one);
        let is_method = call && one.form == RefForm::MethodCall;
        if is_method && self.infer.is_of_pointer(&ctx, recv, &self.infer.w.text(name)) {
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
                && let Some(def) = self.of_own_block(&ctx, &value.ty, name)
            {
                return Outcome::one(def, &s::SELF_MEMBER);
            }
        }
        let is_function = matches!(value.ty, Ty::Func(..) | Ty::Callable(_));
        match targets.len() {
            0 if call && let Some(found) = self.extended(one, &value.ty, name) => found,
            0 if unknown => self.unknown_receiver(one, name, call),
            0 if outside => self.by_trait(one, name, call, is_function).unwrap_or(Outcome::External),
            // Acquiring a lock does not return the guarded value itself.
            0 if is_lock(&ctx, recv) => self.by_trait(one, name, call, false).unwrap_or(Outcome::Unresolved),
            0 => Outcome::Unresolved,
            1 if call => self.one_or_named(targets[0], rule),
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
            Ty::Super(class) => found.add(self.super_member(*class, name, call), &s::SUPER_MEMBER),
            Ty::Func(def, _) => {
                let class = self.infer.class_behind(*def);
                let member = class.and_then(|class| self.infer.member(class, name, call));
                let rule = found.rule;
                found.add(member.map(|member| member.def), rule);
            }
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

    /// The member that the impl block around has for `self`, which is of type `ty`. None if `ty` is from outside and
    /// may have it itself.
    fn of_own_block(&self, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        let is_outside =
            matches!(ty, Ty::External(_)) && self.rules().is_builtin_member(&self.infer.w.text(name));
        if is_outside { None } else { self.infer.of_own_block(ctx, name) }
    }

    /// `new T(…)`, `T {…}`.
    pub(super) fn construct(&self, one: &Ref) -> Outcome {
        let ctx = self.ctx(one);
        let (place, rule) = match one.recv {
            None => match self.infer.meaning(&ctx, one.name, Want::Type) {
                Meaning::Place(place, via) => (place, rule_of(via)),
                Meaning::Local(ix) => {
                    return self.held_local(ix);
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
                    Outcome::Found(found, _) if self.is_own_constructor(one, &found) => {
                        Outcome::Found(found, &HELD_FUNCTION)
                    }
                    Outcome::Unresolved => Outcome::External,
                    found => self.choose_overload(found, one),
                };
            }
        };
        let outcome = match place {
            Place::Def(def) => {
                let Some(def) = self.as_value(def) else { return Outcome::External };
                let kind = self.infer.file(def.file).outline.def(def.def).map(|def| def.kind);
                let target = match kind {
                    Some(SymbolKind::Type) if self.infer.points_to(def) => return Outcome::External,
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
    pub(super) fn macro_call(&self, one: &Ref) -> Outcome {
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

    pub(super) fn infer(&self) -> &Infer<'_, '_> {
        &self.infer
    }
}
