//! The types of definitions and locals, and the return types of functions.

use sdl_model::SymbolKind;
use sdl_model::facts::{Binding, BindingKind, DefFlags, DefIx, Expr, ExprIx, Lit, ParamKind};
use sdl_model::lang::Overloads;

use super::{Ctx, How, Infer, Shape, ShapeKind, Ty, Typed};
use crate::modules::{self, ModRef, Place};
use crate::world::{DefRef, FileIndex, Question};

impl Infer<'_, '_> {
    /// The type of the value at a place.
    pub(crate) fn place_type(&self, place: Place) -> Typed {
        match place {
            Place::Def(def) => self.def_type(def),
            Place::Module(module) => Typed::new(Ty::Module(module), How::Named),
            Place::External => Typed::EXTERNAL,
            Place::Missing => Typed::UNKNOWN,
        }
    }

    /// The type of a definition, as a value.
    pub(crate) fn def_type(&self, def: DefRef) -> Typed {
        let file = self.file(def.file);
        let Some(found) = file.outline.def(def.def) else { return Typed::UNKNOWN };
        let named = |ty| Typed::new(ty, How::Named);
        match found.kind {
            SymbolKind::Type => named(self.class_behind(def).map_or(Ty::Unknown, Ty::Class)),
            kind if kind.is_type() => named(Ty::Class(def)),
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Macro => {
                named(Ty::Func(def, None))
            }
            SymbolKind::Module => named(Ty::Module(ModRef::File(def.file))),
            SymbolKind::Namespace => named(Ty::Module(ModRef::Inline(def))),
            SymbolKind::EnumMember => {
                named(found.parent.map_or(Ty::Unknown, |parent| Ty::Instance(DefRef { def: parent, ..def })))
            }
            SymbolKind::Property => self.result(def, None),
            SymbolKind::Impl => Typed::UNKNOWN,
            _ => self.variable_type(def),
        }
    }

    fn variable_type(&self, def: DefRef) -> Typed {
        let q = Question::Variable(def);
        self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
            let file = self.file(def.file);
            let Some(found) = file.outline.def(def.def) else { return Typed::UNKNOWN };
            let rules = self.rules_of(&file);
            let parent = DefRef { def: rules.value_scope(&file, found, found.ty), ..def };
            let ctx = Self::outline_ctx(&file, parent, None);
            if let Some(ty) = found.ty {
                let ty = self.stated(&ctx, ty);
                if ty != Ty::Unknown {
                    return Typed::new(ty, How::Stated);
                }
            }
            // An object literal, unless it is an argument of a call that makes the value.
            let holds = file.holds_any(def.def) || rules.is_extended(&file, def.def);
            let object = || Typed::new(Ty::Instance(def), How::Named);
            let Some(value) = found.value else { return if holds { object() } else { Typed::UNKNOWN } };
            let made = matches!(file.outline.arena.expr(value), Expr::New(_) | Expr::Call(..));
            if holds && !made {
                return object();
            }
            let scope = rules.value_scope(&file, found, Some(value));
            let value = self.eval(&Ctx { members: false, scope, ..ctx }, value);
            if holds && value.ty.each().iter().all(|ty| ty.instance_of().is_none()) {
                object()
            } else {
                value
            }
        })
    }

    /// The function or class that a variable or field is set to by name, wherever it is set; none if it is set to
    /// anything else.
    pub(crate) fn named_by(&self, def: DefRef) -> Option<DefRef> {
        let file = self.file(def.file);
        let found = file.outline.def(def.def)?;
        let is_variable =
            matches!(found.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
        let value = found.value.filter(|_| is_variable)?;
        let arena = &file.outline.arena;
        let parts: &[ExprIx] = match arena.expr(value) {
            Expr::Either(list) => list,
            _ => std::slice::from_ref(&value),
        };
        let scope = self.rules_of(&file).value_scope(&file, found, Some(value));
        let parent = DefRef { def: scope, ..def };
        let ctx = Ctx { members: false, ..Self::outline_ctx(&file, parent, None) };
        let mut target = None;
        for part in parts {
            let named = match arena.expr(*part) {
                Expr::Lit(Lit::Null) | Expr::Unknown => continue,
                Expr::Name(_) | Expr::Attr(..) => match self.eval(&ctx, *part).ty {
                    Ty::Class(named) | Ty::Func(named, _) => named,
                    _ => return None,
                },
                _ => return None,
            };
            if target.is_some_and(|other| other != named) {
                return None;
            }
            target = Some(named);
        }
        target
    }

    /// The return type of `callee`, reached through the type `subject`.
    pub(crate) fn result(&self, callee: DefRef, subject: Option<DefRef>) -> Typed {
        let q = Question::Result(callee, subject);
        self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
            let file = self.file(callee.file);
            let Some(found) = file.outline.def(callee.def) else { return Typed::UNKNOWN };
            if found.kind == SymbolKind::Constructor {
                let class = subject.or_else(|| self.owner_type(callee));
                return Typed::new(class.map_or(Ty::Unknown, Ty::Instance), How::Built);
            }
            let ctx = Self::outline_ctx(&file, callee, subject);
            if let Some(ret) = found.ret {
                let ty = self.stated(&ctx, ret);
                if ty != Ty::Unknown {
                    return Typed::new(ty, How::Returned);
                }
            }
            let values = Ctx { members: false, ..ctx };
            let types: Vec<Ty> = found.returns.iter().map(|value| self.eval(&values, *value).ty).collect();
            let mut ty = Ty::union(types);
            if found.flags.has(DefFlags::GENERATOR) && found.ret.is_none() {
                ty = Shape::ty(ShapeKind::Sequence, [ty]);
            }
            Typed::new(ty, How::Guessed)
        })
    }

    /// `callee` for a call with `args` arguments. Of several functions of one name, the one that accepts them.
    pub(super) fn taking(&self, callee: Typed, args: usize) -> Typed {
        match callee.ty {
            Ty::Func(def, of) => Typed { ty: Ty::Func(self.overload(def, args), of), ..callee },
            _ => callee,
        }
    }

    /// The first function beside `def` that has its name and accepts `args` arguments, else one that its type inherits.
    /// Returns `def` if there is none.
    pub(super) fn overload(&self, def: DefRef, args: usize) -> DefRef {
        let file = self.file(def.file);
        let traits = file.traits();
        if traits.calls.overloads != Overloads::Functions || accepts_args(&file, def.def, args) {
            return def;
        }
        let Some((scope, name)) =
            file.outline.def(def.def).and_then(|found| found.parent).zip(file.name(def.def))
        else {
            return def;
        };
        let takes = |file: &FileIndex, ix: DefIx| {
            file.outline.def(ix).is_some_and(|other| other.kind.is_callable()) && accepts_args(file, ix, args)
        };
        let owner = |ix: DefIx| self.owner_type(DefRef { def: ix, ..def });
        let is_outside = file.outline.def(def.def).is_some_and(|found| found.owner.is_some());
        let beside = |ix: &DefIx| takes(&file, *ix) && (!is_outside || owner(*ix) == owner(def.def));
        if let Some(found) = file.children(scope, name).find(beside) {
            return DefRef { def: found, ..def };
        }
        let Some(class) = owner(def.def).filter(|_| traits.calls.inherits_overloads) else { return def };
        let line = self.line(class);
        let inherited = line.types.iter().skip(1).find_map(|base| {
            let file = self.file(base.file);
            let found = file.children(base.def, name).find(|ix| takes(&file, *ix))?;
            Some(DefRef { file: base.file, def: found })
        });
        inherited.unwrap_or(def)
    }

    /// The type of a parameter, as the outline states it.
    pub(crate) fn param_type(&self, ctx: &Ctx<'_>, def: DefIx, at: usize) -> Typed {
        let file = self.file(ctx.file);
        let Some(found) = file.outline.def(def) else { return Typed::UNKNOWN };
        let Some(param) = found.params.get(at) else { return Typed::UNKNOWN };
        let here = Self::outline_ctx(&file, DefRef { file: ctx.file, def }, ctx.subject);
        match (param.ty, param.kind) {
            (Some(ty), kind) => {
                let ty = self.stated(&here, ty);
                Typed::new(rest_type(ty, kind), How::Stated)
            }
            (None, ParamKind::Receiver) => self.receiver(&here),
            (None, ParamKind::Rest | ParamKind::KeywordRest) => Typed::EXTERNAL,
            (None, _) => self.rules_of(&file).expected(self, DefRef { file: ctx.file, def }, at),
        }
    }

    /// The type of `self` in `ctx`.
    pub(crate) fn receiver(&self, ctx: &Ctx<'_>) -> Typed {
        let ty = match self.self_class(ctx) {
            Some(class) if self.is_static(ctx) => Ty::Class(class),
            class => self.rules(ctx.file).self_type(self, ctx, class),
        };
        Typed::new(ty, How::Named)
    }

    /// The type that `ctx` is in.
    pub(crate) fn self_class(&self, ctx: &Ctx<'_>) -> Option<DefRef> {
        ctx.subject.or_else(|| self.owner_type(DefRef { file: ctx.file, def: ctx.scope }))
    }

    /// Whether the method around `ctx` belongs to the type and not to its instances.
    fn is_static(&self, ctx: &Ctx<'_>) -> bool {
        let file = self.file(ctx.file);
        let mut at = Some(ctx.scope);
        while let Some(ix) = at {
            let Some(def) = file.outline.def(ix) else { return false };
            let parent = def.parent.filter(|parent| *parent < ix);
            let of_type = parent
                .and_then(|parent| file.outline.def(parent))
                .is_some_and(|parent| parent.kind.is_type() || parent.kind == SymbolKind::Impl);
            if of_type {
                return def.flags.has(DefFlags::CLASS_METHOD)
                    || (def.flags.has(DefFlags::STATIC) && def.kind.is_callable());
            }
            at = parent;
        }
        false
    }

    /// The type of a local of the file being resolved.
    pub(crate) fn local_type(&self, ix: u32) -> Typed {
        let q = Question::Local(ix);
        self.w.derive(&self.own_types, q, Typed::UNKNOWN, || self.fresh_local_type(ix))
    }

    fn fresh_local_type(&self, ix: u32) -> Typed {
        let arena = self.own.arena();
        let Some(binding) = self.own.binding(self.w, ix) else { return Typed::UNKNOWN };
        let file = self.file(self.own.file);
        let ctx = Ctx {
            file: self.own.file,
            scope: binding.scope,
            at: binding.from.saturating_sub(1),
            arena,
            body: true,
            members: true,
            owner: false,
            subject: None,
            env: None,
            given: None,
        };
        if binding.kind == BindingKind::Narrowed {
            return self.narrowed(&ctx, binding);
        }
        // A stated type holds wherever the name is assigned; the nearest counts.
        let stated = binding.ty.or_else(|| {
            let all = self.own.bindings(self.w, binding.scope, binding.name);
            let earlier = all.iter().rev().filter(|other| **other < ix);
            earlier
                .filter_map(|other| self.own.binding(self.w, *other))
                .filter(|other| other.from <= binding.from && binding.from < other.to)
                .filter(|other| other.kind != BindingKind::Narrowed)
                // A declaration in an inner block is skipped, because it is another local of the same name.
                .filter(|other| !file.traits().names.block_scopes || other.to <= binding.to)
                .find_map(|other| other.ty)
        });
        if let Some(ty) = stated {
            let mut ty = self.stated(&ctx, ty);
            if binding.kind == BindingKind::Param
                && let Some(kind) = Self::param_kind(&file, binding.scope, arena.str(binding.name))
            {
                ty = rest_type(ty, kind);
            }
            if ty != Ty::Unknown {
                return Typed::new(ty, How::Stated);
            }
        }
        let param = || {
            let def = file.outline.def(binding.scope).filter(|_| binding.kind == BindingKind::Param)?;
            let name = arena.str(binding.name);
            def.params.iter().position(|param| file.outline.str(param.name) == name)
        };
        let param = param();
        let is_stated = |at: &usize| {
            let def = file.outline.def(binding.scope);
            def.and_then(|def| def.params.get(*at)).is_some_and(|param| param.ty.is_some())
        };
        if let Some(at) = param.filter(is_stated) {
            let stated = self.param_type(&ctx, binding.scope, at);
            if stated.ty != Ty::Unknown {
                return stated;
            }
        }
        let value = binding.value.map(|value| self.eval(&Ctx { members: false, ..ctx }, value));
        // A caller may pass another function than the default one.
        let value = value.map(|value| match value.ty {
            Ty::Func(..) | Ty::Class(_) if binding.kind == BindingKind::Param => value.at_least(How::Guessed),
            _ => value,
        });
        let says_nothing = value.as_ref().is_none_or(|value| matches!(value.ty, Ty::Unknown | Ty::Null));
        let expected = param.filter(|_| says_nothing).map(|at| self.param_type(&ctx, binding.scope, at));
        match (value, expected) {
            (Some(value), Some(expected)) if expected.ty == Ty::Unknown => value,
            (_, Some(expected)) => expected,
            (Some(value), None) => value,
            (None, None) => Typed::UNKNOWN,
        }
    }

    /// The type of a name that a test has narrowed, as in `if isinstance(x, Cart)`. Of the types that it may have,
    /// those that derive from `Cart`, else `Cart` itself.
    fn narrowed(&self, ctx: &Ctx<'_>, binding: &Binding) -> Typed {
        let all = self.own.bindings(self.w, binding.scope, binding.name).iter().rev();
        let before = all.copied().find(|other| {
            self.own.binding(self.w, *other).is_some_and(|other| {
                other.kind != BindingKind::Narrowed && other.from <= binding.from && binding.from < other.to
            })
        });
        let before = before.map_or(Typed::UNKNOWN, |other| self.local_type(other));
        let shown = binding.ty.map(|ty| match ctx.arena.expr(ty) {
            Expr::Item(call, at) => {
                let accepted = self.rules(ctx.file).accepted(self, ctx, *call, usize::from(*at));
                accepted.unwrap_or(Ty::Unknown)
            }
            _ => self.stated(ctx, ty),
        });
        let Some(shown) = shown else { return before };
        if shown == Ty::Unknown {
            return before;
        }
        let classes: Vec<DefRef> = shown.each().iter().filter_map(Ty::instance_of).collect();
        let derives = |ty: &&Ty| {
            let line = ty.instance_of().map(|class| self.line(class));
            line.is_some_and(|line| line.types.iter().any(|ty| classes.contains(ty)))
        };
        let kept: Vec<Ty> = before.ty.each().iter().filter(derives).cloned().collect();
        if kept.is_empty() { Typed::new(shown, How::Stated) } else { Typed::new(Ty::union(kept), before.how) }
    }

    fn param_kind(file: &FileIndex, def: DefIx, name: &str) -> Option<ParamKind> {
        let def = file.outline.def(def)?;
        def.params.iter().find(|param| file.outline.str(param.name) == name).map(|param| param.kind)
    }

    /// The type of the result of calling a value of type `callee`.
    pub(crate) fn called(&self, callee: &Typed) -> Typed {
        let how = callee.how;
        match &callee.ty {
            Ty::Class(class) => Typed::new(Ty::Instance(*class), How::Built).at_least(how),
            Ty::Func(def, subject) => self.result(*def, *subject).at_least(how),
            Ty::Callable(signature) => Typed::new(signature.result.clone(), How::Returned).at_least(how),
            Ty::External(_) => Typed::new(Ty::External(None), how),
            Ty::Instance(_) | Ty::Of(_) => {
                let Some(class) = callee.ty.instance_of() else { return Typed::UNKNOWN };
                let operator = self.file(class.file).traits().members.call_operator;
                let Some(name) = operator else { return Typed::UNKNOWN };
                match self.member(class, self.sym(name), true) {
                    Some(member) => self.result(member.def, Some(class)).at_least(how),
                    None => Typed::UNKNOWN,
                }
            }
            Ty::Union(list) => {
                let all = list.iter().map(|ty| self.called(&Typed::new(ty.clone(), how)));
                union_types(all)
            }
            // `require('x')()`: the module is its default export.
            Ty::Module(module) => {
                let callee = self.place_type(modules::default_of(self.w, *module));
                if matches!(callee.ty, Ty::Module(_)) { Typed::UNKNOWN } else { self.called(&callee) }
            }
            // `super(…)` returns the base part of the object.
            Ty::Super(class) => Typed::new(Ty::Super(*class), how),
            Ty::Null | Ty::Unknown | Ty::Object(_) => Typed::UNKNOWN,
        }
    }
}

/// Whether `def` can be called with `args` arguments.
pub(crate) fn accepts_args(file: &FileIndex, def: DefIx, args: usize) -> bool {
    let Some(def) = file.outline.def(def) else { return false };
    let params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
    let (mut least, mut most) = (0, 0);
    for param in params {
        match param.kind {
            ParamKind::Rest | ParamKind::KeywordRest => most = usize::MAX,
            _ => {
                most = usize::saturating_add(most, 1);
                least += usize::from(!param.optional);
            }
        }
    }
    (least..=most).contains(&args)
}

/// One of several: the union of their types, as sure as the least sure.
pub(super) fn union_types(all: impl Iterator<Item = Typed>) -> Typed {
    let mut how = How::Named;
    let types: Vec<Ty> = all
        .map(|typed| {
            how = how.max(typed.how);
            typed.ty
        })
        .collect();
    Typed::new(Ty::union(types), how)
}

fn rest_type(ty: Ty, kind: ParamKind) -> Ty {
    match kind {
        ParamKind::Rest if !matches!(ty, Ty::External(_)) => Shape::ty(ShapeKind::Sequence, [ty]),
        ParamKind::KeywordRest => Shape::ty(ShapeKind::Map, [Ty::External(None), ty]),
        _ => ty,
    }
}
