//! Expressions that denote values.

use sdl_model::SymbolKind;
use sdl_model::facts::{Expr, ExprIx, StrIx};
use sdl_model::lang::Qualified;

use super::defs::union_types;
use super::given::Function;
use super::{Ctx, EXPR_DEPTH, How, Infer, Meaning, Part, Ty, Typed, Via, Want, containers};
use crate::modules::{self, ModRef, Place};
use crate::world::{DefRef, Sym};

/// A method that is called.
#[derive(Clone, Copy)]
struct MethodCall<'c, 'e> {
    ctx: &'c Ctx<'e>,
    name: &'c str,
    /// The number of its arguments.
    args: usize,
    /// The argument that is a function.
    function: Option<Function<'c>>,
    /// How the receiver's type became known.
    how: How,
    depth: u8,
}

impl Infer<'_, '_> {
    /// The type of the value of `ix`.
    pub(crate) fn eval(&self, ctx: &Ctx<'_>, ix: ExprIx) -> Typed {
        self.eval_at(ctx, ix, 0)
    }

    pub(crate) fn eval_at(&self, ctx: &Ctx<'_>, ix: ExprIx, depth: u8) -> Typed {
        if depth > EXPR_DEPTH || !self.w.step() {
            return Typed::UNKNOWN;
        }
        crate::stack::with_room(|| self.eval_fresh(ctx, ix, depth + 1))
    }

    fn eval_fresh(&self, ctx: &Ctx<'_>, ix: ExprIx, deeper: u8) -> Typed {
        match ctx.arena.expr(ix) {
            Expr::Name(name) => match (ctx.given(*name), self.latest_value(ctx, *name)) {
                (Some(given), _) => given,
                (None, Some(latest)) => self.local_type(latest),
                (None, None) => self.named_value(ctx, self.meaning(ctx, *name, Want::Any)),
            },
            Expr::SelfRef => self.receiver(ctx),
            Expr::SuperRef => {
                let class = self.rules(ctx.file).super_class(self, ctx);
                Typed::new(class.map_or(Ty::Unknown, Ty::Super), How::Named)
            }
            Expr::SelfType => {
                let class = self.self_class(ctx);
                Typed::new(class.map_or(Ty::Unknown, Ty::Class), How::Named)
            }
            Expr::Path(base, name)
                if self.file(ctx.file).traits().names.qualified == Qualified::First
                    && let Some(place) = self.spelled(ctx, *base, *name) =>
            {
                self.place_type(place)
            }
            Expr::Path(base, name) if let Some(bound) = self.projected(ctx, *base, *name) => {
                let file = self.file(ctx.file);
                let outline =
                    Ctx { arena: &file.outline.arena, body: false, at: u32::MAX, given: None, ..*ctx };
                let ty = self.stated(&outline, bound);
                Typed::new(ty.instance_of().map_or(ty, Ty::Class), How::Stated)
            }
            Expr::Attr(base, name) => self.attribute_value(ctx, *base, *name, deeper, false),
            Expr::Path(base, name) => self.attribute_value(ctx, *base, *name, deeper, true),
            Expr::Call(callee, args) => self.call_value(ctx, *callee, usize::from(*args), deeper),
            Expr::New(ty) => self.new_value(ctx, *ty, deeper),
            Expr::Index(inner) => self.element(ctx, *inner, deeper, Part::Index),
            Expr::Key(inner, key) => self.entry(ctx, *inner, *key, deeper),
            Expr::Iter(inner) => self.element(ctx, *inner, deeper, Part::Iter),
            Expr::Item(inner, at) => self.element(ctx, *inner, deeper, Part::Item(usize::from(*at))),
            Expr::Await(inner) | Expr::Unwrap(inner) => {
                let inner = self.eval_at(ctx, *inner, deeper);
                match &inner.ty {
                    Ty::External(Some(shape)) => match shape.unwrap() {
                        Some(ty) => Typed::new(ty, inner.how),
                        None => inner,
                    },
                    _ => inner,
                }
            }
            Expr::Generic(base, args) => self.generic_value(ctx, ix, *base, args, deeper),
            Expr::Union(list) | Expr::Either(list) => {
                let value = union_types(list.iter().map(|one| self.eval_at(ctx, *one, deeper)));
                if list.len() > 1 { value.at_least(How::Guessed) } else { value }
            }
            Expr::Tuple(list) => {
                let types: Vec<Ty> = list.iter().map(|one| self.eval_at(ctx, *one, deeper).ty).collect();
                Typed::new(super::Shape::ty(super::ShapeKind::Tuple, types), How::Guessed)
            }
            Expr::Callable(_, Some(ret)) => {
                let result = self.eval_at(ctx, *ret, deeper).ty;
                Typed::new(Ty::callable(Vec::new(), result), How::Guessed)
            }
            Expr::Callable(_, None) => Typed::EXTERNAL,
            Expr::Passed(callee, arg, param) => self.passed(ctx, *callee, *arg, *param, deeper),
            Expr::Lit(sdl_model::facts::Lit::Null) => Typed::new(Ty::Null, How::Named),
            Expr::Lit(_) => Typed::EXTERNAL,
            Expr::Record(_) => Typed::new(Self::written(ctx, ix, false), How::Named),
            Expr::Inner(name, member) => self.inner(ctx, *name, *member),
            Expr::Unknown => Typed::UNKNOWN,
        }
    }

    fn attribute_value(&self, ctx: &Ctx<'_>, base: ExprIx, name: StrIx, depth: u8, in_path: bool) -> Typed {
        let text = ctx.arena.str(name);
        if self.rules(ctx.file).names_module(self, ctx, base, text) {
            return Typed::new(Ty::Module(ModRef::File(ctx.file)), How::Named);
        }
        let value = self.base_value(ctx, base, depth, in_path);
        let found = self.attribute(&value, text, false);
        match found.ty {
            Ty::Unknown | Ty::External(None) => {
                self.spelled(ctx, base, name).map_or(found, |place| self.place_type(place))
            }
            _ => found,
        }
    }

    fn generic_value(&self, ctx: &Ctx<'_>, ix: ExprIx, base: ExprIx, args: &[ExprIx], depth: u8) -> Typed {
        // `super(T, self)`.
        if matches!(ctx.arena.expr(base), Expr::SuperRef) {
            let of = args.first().and_then(|of| self.stated_at(ctx, *of, depth).instance_of());
            let class = of.or_else(|| self.rules(ctx.file).super_class(self, ctx));
            return Typed::new(class.map_or(Ty::Unknown, Ty::Super), How::Named);
        }
        let value = self.eval_at(ctx, base, depth);
        match value.ty {
            Ty::External(_) => Typed::new(self.stated_at(ctx, ix, depth), How::Stated),
            _ => value,
        }
    }

    /// The value before a member.
    pub(crate) fn receiver_value(&self, ctx: &Ctx<'_>, ix: ExprIx, depth: u8, in_path: bool) -> Typed {
        self.base_value(ctx, ix, depth, in_path)
    }

    /// The value before a dot. A bare name that means nothing here may be the first part of a path.
    fn base_value(&self, ctx: &Ctx<'_>, ix: ExprIx, depth: u8, in_path: bool) -> Typed {
        let mut value = None;
        if let Expr::Name(name) = ctx.arena.expr(ix)
            && ctx.given(*name).is_none()
        {
            if let Some(latest) = self.latest_value(ctx, *name) {
                return self.local_type(latest);
            }
            let rules = self.rules(ctx.file);
            let meaning = self.meaning(ctx, *name, if in_path { rules.path_start() } else { Want::Any });
            if let Meaning::Place(Place::Missing, _) = meaning {
                return match rules.root(self.w, ctx.file, ctx.arena.str(*name)) {
                    Place::Missing => self.missing_value(ctx),
                    place => self.place_type(place),
                };
            }
            value = Some(self.named_value(ctx, meaning));
        }
        let value = value.unwrap_or_else(|| self.eval_at(ctx, ix, depth));
        match value.ty {
            Ty::Func(def, None) => match self.rules(def.file).held_by(self, ctx, ix, def, depth) {
                Place::Def(same) if same == def => value,
                place => self.place_type(place),
            },
            _ => value,
        }
    }

    /// A name that nothing in the repository defines: a builtin such as `len`, or a global from outside.
    fn missing_value(&self, ctx: &Ctx<'_>) -> Typed {
        let is_external = self.file(ctx.file).traits().names.missing_is_external;
        if is_external { Typed::EXTERNAL } else { Typed::UNKNOWN }
    }

    /// The type of the value that a name means.
    pub(crate) fn named_value(&self, ctx: &Ctx<'_>, meaning: Meaning) -> Typed {
        match meaning {
            Meaning::Local(ix) => self.local_type(ix),
            Meaning::Param(def, at) => self.param_type(ctx, def, at),
            // The parameter itself, as in `T::new()`: the type of its bound.
            Meaning::Generic(Some(bound)) => {
                let file = self.file(ctx.file);
                let outline =
                    Ctx { arena: &file.outline.arena, body: false, at: u32::MAX, given: None, ..*ctx };
                match self.stated(&outline, bound) {
                    ty if ty.instance_of().is_some() => {
                        Typed::new(ty.instance_of().map_or(Ty::Unknown, Ty::Class), How::Stated)
                    }
                    other => Typed::new(other, How::Stated),
                }
            }
            Meaning::Generic(None) | Meaning::Given(_) => Typed::UNKNOWN,
            Meaning::Place(Place::Missing, _) => self.missing_value(ctx),
            Meaning::Place(place, _) => {
                if let (Some(class), Place::Def(def)) = (self.implied_receiver(ctx, meaning), place)
                    && let Some(value) = self.applied_value(&class, def)
                {
                    return value;
                }
                self.place_type(place)
            }
        }
    }

    /// The value that has a bare name as its member.
    fn implied_receiver(&self, ctx: &Ctx<'_>, meaning: Meaning) -> Option<Ty> {
        match meaning {
            Meaning::Place(Place::Def(_), Via::Inherited) => self.self_class(ctx).map(Ty::Instance),
            _ => None,
        }
    }

    fn call_value(&self, ctx: &Ctx<'_>, callee: ExprIx, args: usize, depth: u8) -> Typed {
        // `list.map(x => …)`: the method and the function passed to it.
        let (callee, function) = match ctx.arena.expr(callee) {
            Expr::Generic(inner, args) if let Some(function) = Function::of(ctx, args) => {
                (*inner, Some(function))
            }
            _ => (callee, None),
        };
        let (Expr::Attr(spelled, name) | Expr::Path(spelled, name)) = ctx.arena.expr(callee) else {
            return self.bare_call_value(ctx, callee, args, depth);
        };
        let in_path = matches!(ctx.arena.expr(callee), Expr::Path(..));
        let base = self.base_value(ctx, *spelled, depth + 1, in_path);
        if matches!(base.ty, Ty::Unknown | Ty::External(None))
            && let Some(place) = self.spelled(ctx, *spelled, *name)
        {
            return self.called(&self.place_type(place));
        }
        let name = ctx.arena.str(*name);
        if let Some(result) = self.rules(ctx.file).called_on(self, ctx, callee, &base, name) {
            return result;
        }
        let call = MethodCall { ctx, name, args, function, how: base.how, depth: depth + 1 };
        union_types(base.ty.each().iter().map(|ty| self.method_value(&call, ty)))
    }

    /// The type of the result of a call without a receiver.
    fn bare_call_value(&self, ctx: &Ctx<'_>, callee: ExprIx, args: usize, depth: u8) -> Typed {
        let callee = match ctx.arena.expr(callee) {
            Expr::Name(name) => {
                let meaning = self.meaning(ctx, *name, Want::Call);
                // A member of the enclosing type, named without a receiver: `close()` for `this.close()`.
                if let Some(class) = self.implied_receiver(ctx, meaning)
                    && let Some(value) = self.applied_call(&class, ctx.arena.str(*name), Some(args))
                {
                    return value;
                }
                self.named_value(ctx, meaning)
            }
            Expr::Index(inner) => {
                let instantiated = self.rules(ctx.file).instantiated(self, ctx, *inner, depth);
                instantiated.unwrap_or_else(|| self.eval_at(ctx, callee, depth))
            }
            _ => self.eval_at(ctx, callee, depth),
        };
        self.called(&self.taking(callee, args))
    }

    /// The return type of a method of a value of type `ty`.
    fn method_value(&self, call: &MethodCall<'_, '_>, ty: &Ty) -> Typed {
        let MethodCall { ctx, name, args, function, how, depth } = *call;
        let library = &self.file(ctx.file).traits().stdlib;
        let made = |shape| function.and_then(|function| self.made_by(ctx, shape, name, function, depth));
        let how_made = how.max(How::Element);
        if let Ty::External(shape) = ty {
            if let Some(value) = made(shape.as_deref()) {
                return value.at_least(how_made);
            }
            let ty = shape.as_ref().map_or(Ty::External(None), |shape| shape.method(name, library));
            return Typed::new(ty, how_made);
        }
        if let Ty::Object(written) = ty
            && self.rules(written.file).has_tables()
        {
            // The methods of a table are those of a map with its entries.
            let entries = [Ty::External(None), self.any_entry(*written)];
            let map = super::Shape::ty(super::ShapeKind::Map, entries);
            let Ty::External(Some(map)) = map else { return Typed::EXTERNAL };
            return Typed::new(map.method(name, library), how_made.max(How::Guessed));
        }
        if let Some(value) = self.applied_call(ty, name, Some(args)) {
            return value.at_least(how);
        }
        if let Some(iterator) = self.rules(ctx.file).as_iterator(self, ty, name) {
            return match made(Some(&iterator)) {
                Some(value) => value.at_least(how_made),
                None => Typed::new(iterator.method(name, library), how_made),
            };
        }
        let one = Typed::new(ty.clone(), how);
        let mut callee = self.taking(self.attribute(&one, name, true), args);
        // A base's method that returns `self` returns the type that it is called on, for example a builder's.
        if let (Ty::Super(_), Ty::Func(_, of), Some(subject)) = (ty, &mut callee.ty, ctx.subject) {
            *of = Some(subject);
        }
        if matches!(callee.ty, Ty::Unknown | Ty::External(None))
            && let Some(extension) = self.rules(ctx.file).extension(self, ctx, ty, self.sym(name))
        {
            return self.result(extension, None).at_least(how);
        }
        match callee.ty {
            // Derived, or from a trait outside the repository.
            Ty::External(None) if ty.instance_of().is_some() && containers::gives_copy(name, library) => one,
            Ty::Unknown if ty.instance_of().is_some() && library.keeps_value.contains(&name) => one,
            _ => self.called(&callee),
        }
    }

    fn new_value(&self, ctx: &Ctx<'_>, ty: ExprIx, depth: u8) -> Typed {
        let built = self.stated_at(ctx, ty, depth);
        if built != Ty::Unknown {
            return Typed::new(built, How::Built);
        }
        match self.eval_at(ctx, ty, depth) {
            Typed { ty: Ty::Class(class), how } => Typed::new(Ty::Instance(class), how.max(How::Built)),
            Typed { ty: Ty::External(_), .. } => Typed::EXTERNAL,
            Typed { ty: Ty::Func(def, _), how } => Typed::new(Ty::Instance(def), how.max(How::Built)),
            module @ Typed { ty: Ty::Module(_), .. } => self.called(&module),
            _ => Typed::UNKNOWN,
        }
    }

    pub(super) fn element(&self, ctx: &Ctx<'_>, inner: ExprIx, depth: u8, part: Part) -> Typed {
        let whole = self.eval_at(ctx, inner, depth);
        let types = &self.file(ctx.file).traits().types;
        let parts = whole.ty.each().iter().map(|ty| match ty {
            Ty::External(Some(shape)) => shape.part(part, types),
            Ty::External(None) => Ty::External(None),
            Ty::Object(written) if part == Part::Index => self.any_entry(*written),
            other => {
                let part_of = |class: DefRef| self.rules(class.file).part_of(self, other, class, part);
                other.instance_of().and_then(part_of).unwrap_or(Ty::Unknown)
            }
        });
        Typed::new(Ty::union(parts), whole.how.max(How::Element))
    }

    /// The member `name` of a value, as a value.
    pub(crate) fn attribute(&self, base: &Typed, name: &str, call: bool) -> Typed {
        let how = base.how;
        if let (Some(class), "__class__" | "constructor") = (base.ty.instance_of(), name) {
            return Typed::new(Ty::Class(class), how);
        }
        if let Ty::Class(class) | Ty::Func(class, _) = &base.ty
            && let Some(value) = self.rules(class.file).class_attribute(self, *class, name)
        {
            return Typed::new(value, how);
        }
        // The instance around that of an inner class: `Outer.this`.
        if let (Ty::Class(class), "this") = (&base.ty, name) {
            return Typed::new(Ty::Instance(*class), how);
        }
        let sym = self.sym(name);
        match &base.ty {
            Ty::Module(module) => {
                let place = modules::find_member(self.w, *module, sym);
                self.place_type(place).at_least(how)
            }
            Ty::Class(class) => self.member_value(&base.ty, *class, sym, call).at_least(how),
            Ty::Instance(_) | Ty::Of(_) => match base.ty.instance_of() {
                Some(class) => self.member_value(&base.ty, class, sym, call).at_least(how),
                None => Typed::UNKNOWN,
            },
            Ty::Super(class) => match self.base_member(*class, sym, call) {
                Some(member) => self
                    .applied_value(&Ty::Instance(*class), member.def)
                    .unwrap_or_else(|| self.bound_member(member.def, *class))
                    .at_least(how),
                None => Typed::EXTERNAL,
            },
            Ty::Union(list) => {
                union_types(list.iter().map(|ty| self.attribute(&Typed::new(ty.clone(), how), name, call)))
            }
            Ty::External(Some(shape)) => {
                // `pair.0`, `pair.first`
                let at = match name {
                    "first" if shape.kind == super::ShapeKind::Tuple => Some(0),
                    "second" if shape.kind == super::ShapeKind::Tuple => Some(1),
                    _ => name.parse().ok(),
                };
                let part = at.map_or(Ty::External(None), |at| shape.item(at));
                Typed::new(part, how.max(How::Element))
            }
            Ty::External(None) => Typed::new(Ty::External(None), how),
            Ty::Func(def, _) => match self.class_behind(*def) {
                Some(class) => self.member_value(&Ty::Class(class), class, sym, call).at_least(how),
                None => match self.rules(def.file).inner_function(self, *def, sym) {
                    Some(inner) => Typed::new(Ty::Func(inner, None), how),
                    None => match self.decorated_value(*def) {
                        Some(value) => self.attribute(&value, name, call).at_least(how),
                        None => Typed::UNKNOWN.at_least(how),
                    },
                },
            },
            Ty::Callable(_) => Typed::EXTERNAL,
            Ty::Object(written) if self.rules(written.file).has_tables() => Typed::EXTERNAL,
            Ty::Object(written) => self.property(*written, name).at_least(how),
            Ty::Null | Ty::Unknown => Typed::UNKNOWN,
        }
    }

    fn member_value(&self, of: &Ty, class: DefRef, name: Sym, call: bool) -> Typed {
        match self.member(class, name, call) {
            Some(member) => {
                self.applied_value(of, member.def).unwrap_or_else(|| self.bound_member(member.def, class))
            }
            None if let Some(target) = self.pointed_to(of)
                && let Some(class) = target.instance_of()
                && let Some(member) = self.member(class, name, call) =>
            {
                self.applied_value(&target, member.def)
                    .unwrap_or_else(|| self.bound_member(member.def, class))
            }
            None => match self.written_of(class) {
                Some(written) => self.property(written, &self.w.text(name)),
                None if self.line(class).outside => Typed::EXTERNAL,
                None => Typed::UNKNOWN,
            },
        }
    }

    fn bound_member(&self, def: DefRef, class: DefRef) -> Typed {
        let file = self.file(def.file);
        let Some(found) = file.outline.def(def.def) else { return Typed::UNKNOWN };
        if let Some(read) = self.rules_of(&file).read_value(self, &file, def, class) {
            return read;
        }
        match found.kind {
            SymbolKind::Property => self.result(def, Some(class)),
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => {
                Typed::new(Ty::Func(def, Some(class)), How::Named)
            }
            _ => self.def_type(def),
        }
    }
}
