//! Expressions that denote types.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, Expr, ExprIx, Lit, StrIx};
use sdl_model::lang::Qualified;

use super::generics::parameter_names;
use super::{Ctx, EXPR_DEPTH, Env, Infer, Meaning, Shape, ShapeKind, Ty, Typed, Want, outside};
use crate::modules::{self, ModRef, Place};
use crate::world::{DefRef, Question};

impl Infer<'_, '_> {
    /// The type of a value whose stated type is `ix`.
    pub(crate) fn stated(&self, ctx: &Ctx<'_>, ix: ExprIx) -> Ty {
        self.stated_at(ctx, ix, 0)
    }

    pub(super) fn stated_at(&self, ctx: &Ctx<'_>, ix: ExprIx, depth: u8) -> Ty {
        if depth > EXPR_DEPTH || !self.w.step() {
            return Ty::Unknown;
        }
        let deeper = depth + 1;
        match ctx.arena.expr(ix) {
            Expr::Name(name) => match self.meaning(ctx, *name, Want::Type) {
                Meaning::Place(place, _) => {
                    self.value_of_type(place, || ctx.arena.str(*name), Vec::new(), deeper)
                }
                Meaning::Generic(Some(bound)) => self.bound(ctx, bound, deeper),
                Meaning::Given(at) => {
                    ctx.env.and_then(|env| env.args.get(at)).cloned().unwrap_or(Ty::Unknown)
                }
                Meaning::Generic(None) => self.rules(ctx.file).unbound().unwrap_or(Ty::Unknown),
                Meaning::Param(..) => Ty::Unknown,
                Meaning::Local(ix) => match self.local_type(ix).ty {
                    Ty::Class(def) => Ty::Instance(def),
                    Ty::External(_) => Ty::External(None),
                    _ => Ty::Unknown,
                },
            },
            Expr::Path(base, name) if let Some(bound) = self.projected(ctx, *base, *name) => {
                self.bound(ctx, bound, deeper)
            }
            Expr::Attr(..) | Expr::Path(..) => {
                let place = self.type_place(ctx, ix, depth);
                let name = || match ctx.arena.expr(ix) {
                    Expr::Attr(_, name) | Expr::Path(_, name) => ctx.arena.str(*name),
                    _ => "",
                };
                self.value_of_type(place, name, Vec::new(), deeper)
            }
            Expr::SelfType | Expr::SelfRef => match ctx.env.and_then(|env| env.this.clone()) {
                Some(this) => this,
                None => self.self_class(ctx).map_or(Ty::Unknown, Ty::Instance),
            },
            // `parent` as a type.
            Expr::SuperRef => {
                let base = self.self_class(ctx).and_then(|class| self.line(class).types.get(1).copied());
                base.map_or(Ty::Unknown, Ty::Instance)
            }
            Expr::Generic(base, args) => self.stated_generic(ctx, *base, args, deeper),
            Expr::Either(list) if list.len() == 1 => {
                self.eval_at(&Ctx { members: false, ..*ctx }, list[0], deeper).ty
            }
            Expr::Union(list) | Expr::Either(list) => {
                Ty::union(list.iter().map(|ty| self.stated_at(ctx, *ty, deeper)))
            }
            Expr::Tuple(list) => Shape::ty(
                ShapeKind::Tuple,
                list.iter().map(|ty| self.stated_at(ctx, *ty, deeper)).collect::<Vec<_>>(),
            ),
            Expr::Callable(params, ret) => {
                let params = params.iter().map(|param| self.stated_at(ctx, *param, deeper)).collect();
                Ty::callable(params, ret.map_or(Ty::Null, |ret| self.stated_at(ctx, ret, deeper)))
            }
            Expr::Unwrap(inner) | Expr::New(inner) | Expr::Await(inner) => {
                self.stated_at(ctx, *inner, deeper)
            }
            // `T[]`, `[]T`, `[T]`: a sequence, which yields a `T` when it is subscripted or iterated.
            Expr::Index(inner) | Expr::Iter(inner) | Expr::Key(inner, _) => {
                let element = self.stated_at(ctx, *inner, deeper);
                Shape::ty(ShapeKind::Sequence, [element])
            }
            Expr::Lit(Lit::Null) => Ty::Null,
            Expr::Lit(_) => Ty::External(None),
            Expr::Record(_) => Self::written(ctx, ix, true),
            // `typeof x`, `ReturnType<…>` and the like.
            Expr::Call(..) | Expr::Item(..) | Expr::Passed(..) | Expr::Inner(..) | Expr::Unknown => {
                Ty::Unknown
            }
        }
    }

    /// The type of a value whose stated type is a generic one with arguments.
    fn stated_generic(&self, ctx: &Ctx<'_>, base: ExprIx, args: &[ExprIx], deeper: u8) -> Ty {
        let args: Vec<Ty> = args.iter().map(|arg| self.stated_at(ctx, *arg, deeper)).collect();
        match ctx.arena.expr(base) {
            Expr::Name(name)
                if let Some(ty) = self.rules(ctx.file).utility(self, ctx.arena.str(*name), &args) =>
            {
                ty
            }
            Expr::Name(name) => match self.meaning(ctx, *name, Want::Type) {
                Meaning::Place(place, _) => self.value_of_type(place, || ctx.arena.str(*name), args, deeper),
                _ => Ty::Unknown,
            },
            Expr::Attr(_, name) | Expr::Path(_, name) => {
                let place = self.type_place(ctx, base, deeper);
                self.value_of_type(place, || ctx.arena.str(*name), args, deeper)
            }
            _ => self.stated_at(ctx, base, deeper),
        }
    }

    /// The bound of the type `name` that `base`, a generic parameter, names.
    pub(super) fn projected(&self, ctx: &Ctx<'_>, base: ExprIx, name: StrIx) -> Option<ExprIx> {
        self.rules(ctx.file).projected(self, ctx, base, ctx.arena.str(name))
    }

    /// The type of a value of a generic parameter, from its bound.
    fn bound(&self, ctx: &Ctx<'_>, bound: ExprIx, depth: u8) -> Ty {
        // The bound is an outline expression, wherever its parameter is used.
        let file = self.file(ctx.file);
        let outline = Ctx { arena: &file.outline.arena, body: false, at: u32::MAX, given: None, ..*ctx };
        match self.stated_at(&outline, bound, depth) {
            // Several bounds, all of which hold: any may have the member.
            Ty::External(_) => Ty::External(None),
            other => other,
        }
    }

    /// The place that a qualified name leads to.
    pub(crate) fn place_of(&self, ctx: &Ctx<'_>, ix: ExprIx) -> Place {
        self.type_place(ctx, ix, 0)
    }

    /// The place that a qualified type name leads to.
    pub(crate) fn type_place(&self, ctx: &Ctx<'_>, ix: ExprIx, depth: u8) -> Place {
        if depth > EXPR_DEPTH || !self.w.step() {
            return Place::Missing;
        }
        match ctx.arena.expr(ix) {
            Expr::Name(name) => match self.meaning(ctx, *name, Want::Type) {
                Meaning::Place(Place::Missing, _) => {
                    self.rules(ctx.file).root(self.w, ctx.file, ctx.arena.str(*name))
                }
                Meaning::Place(place, _) => place,
                _ => Place::Missing,
            },
            Expr::Attr(base, name) | Expr::Path(base, name) => {
                if matches!(ctx.arena.expr(ix), Expr::Path(..))
                    && self.file(ctx.file).traits().names.qualified == Qualified::First
                    && let Some(place) = self.spelled(ctx, *base, *name)
                {
                    return place;
                }
                let place = self.type_place(ctx, *base, depth + 1);
                let place = match place {
                    Place::Def(def) => self.rules(def.file).held_by(self, ctx, *base, def, depth + 1),
                    other => other,
                };
                let found = self.inside(place, ctx.arena.str(*name));
                if found.is_found() { found } else { self.spelled(ctx, *base, *name).unwrap_or(found) }
            }
            Expr::Generic(base, _) | Expr::Unwrap(base) | Expr::New(base) => {
                self.type_place(ctx, *base, depth + 1)
            }
            Expr::SelfType => self.self_class(ctx).map_or(Place::Missing, Place::Def),
            _ => Place::Missing,
        }
    }

    /// Looks up `name` in the namespace that `base` spells out, if nothing here has the name of its first part.
    pub(crate) fn spelled(&self, ctx: &Ctx<'_>, base: ExprIx, name: StrIx) -> Option<Place> {
        let qualified = self.file(ctx.file).traits().names.qualified;
        if qualified == Qualified::Never {
            return None;
        }
        let dotted = ctx.arena.dotted(base)?;
        if qualified != Qualified::Always {
            let mut first = base;
            while let Expr::Attr(inner, _) | Expr::Path(inner, _) = ctx.arena.expr(first) {
                first = *inner;
            }
            let Expr::Name(root) = ctx.arena.expr(first) else { return None };
            let is_unknown = |name| {
                let meaning = self.meaning(ctx, name, Want::Any);
                matches!(meaning, Meaning::Place(Place::Missing | Place::External, _))
            };
            if qualified == Qualified::UnknownRoot && !is_unknown(*root) {
                return None;
            }
        }
        let place = self.rules(ctx.file).spelled(self.w, ctx.file, ctx.scope, &dotted, ctx.arena.str(name));
        place.is_found().then_some(place)
    }

    /// Looks up `name` inside `place`.
    pub(crate) fn inside(&self, place: Place, name: &str) -> Place {
        match place {
            Place::Module(module) => modules::find_member(self.w, module, self.sym(name)),
            Place::Def(def) => {
                let file = self.file(def.file);
                let kind = file.outline.def(def.def).map(|def| def.kind);
                match kind {
                    Some(SymbolKind::Namespace) => {
                        modules::find_member(self.w, ModRef::Inline(def), self.sym(name))
                    }
                    Some(_) => {
                        let class = self.class_behind(def).unwrap_or(def);
                        self.member(class, self.sym(name), false)
                            .map_or(Place::Missing, |member| Place::Def(member.def))
                    }
                    None => Place::Missing,
                }
            }
            Place::External => Place::External,
            Place::Missing => Place::Missing,
        }
    }

    /// The type of a value whose stated type is at `place`, called `name` there.
    pub(crate) fn value_of_type<'n>(
        &self,
        place: Place,
        name: impl Fn() -> &'n str,
        args: Vec<Ty>,
        depth: u8,
    ) -> Ty {
        match place {
            Place::Def(def) => {
                let file = self.file(def.file);
                let Some(found) = file.outline.def(def.def) else { return Ty::Unknown };
                if let Some(value) = self.rules_of(&file).value_of(def, found.kind) {
                    return value;
                }
                match found.kind {
                    SymbolKind::Type if args.is_empty() => self.alias(def),
                    SymbolKind::Type => self.applied_alias(def, args, depth),
                    kind if kind.is_type() => Ty::of(def, args),
                    // A variant has fields of its own, and inherits from its enumeration.
                    SymbolKind::EnumMember => Ty::Instance(def),
                    // A class made by a call.
                    SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => {
                        match self.def_type(def).ty {
                            Ty::Class(class) => Ty::Instance(class),
                            Ty::Instance(object) if object == def => Ty::Instance(def),
                            Ty::External(_) => Ty::External(None),
                            other @ Ty::Union(_) => Ty::union(other.each().iter().map(|ty| match ty {
                                Ty::Class(class) => Ty::Instance(*class),
                                Ty::External(_) => Ty::External(None),
                                _ => Ty::Unknown,
                            })),
                            _ => Ty::Unknown,
                        }
                    }
                    _ => Ty::Unknown,
                }
            }
            Place::External | Place::Missing => outside::external_type(name(), args),
            Place::Module(module) => match modules::default_of(self.w, module) {
                Place::Def(def) => Ty::Instance(def),
                _ => Ty::Unknown,
            },
        }
    }

    /// The value that the name of a decorated function denotes, where that is one of a type of the repository.
    pub(crate) fn decorated_value(&self, def: DefRef) -> Option<Typed> {
        let q = Question::Decorated(def);
        let value = self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
            self.rules(def.file).decorated(self, def).unwrap_or(Typed::UNKNOWN)
        });
        (value.ty != Ty::Unknown).then_some(value)
    }

    /// The function that the decorators of the function `def` put in its place.
    pub(crate) fn wrapper_of(&self, def: DefRef) -> Option<DefRef> {
        let file = self.file(def.file);
        file.outline.def(def.def).filter(|found| !found.decorators.is_empty())?;
        let q = Question::Wrapper(def);
        let value = self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
            let wrapper = self.rules_of(&file).wrapper(self, def);
            wrapper.map_or(Typed::UNKNOWN, |wrapper| Typed::new(Ty::Func(wrapper, None), super::How::Guessed))
        });
        match value.ty {
            Ty::Func(wrapper, _) => Some(wrapper),
            _ => None,
        }
    }

    /// The type that an alias names.
    pub(crate) fn alias(&self, def: DefRef) -> Ty {
        let q = Question::Alias(def);
        let typed = self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
            let file = self.file(def.file);
            let Some(found) = file.outline.def(def.def) else { return Typed::UNKNOWN };
            let ctx = Self::outline_ctx(&file, def, None);
            let unbound = || self.rules_of(&file).unbound().filter(|_| found.flags.has(DefFlags::ABSTRACT));
            let ty = match found.ty.or(found.value) {
                Some(ty) => self.stated(&ctx, ty),
                // A required type, or an alias that holds members itself: an object type.
                None => unbound().unwrap_or(Ty::Instance(def)),
            };
            Typed::new(ty, super::How::Stated)
        });
        match typed.ty {
            // A type that is written out: its members, if any, are the alias's children.
            Ty::Unknown | Ty::External(_) | Ty::Object(_) if self.file(def.file).holds_any(def.def) => {
                Ty::Instance(def)
            }
            Ty::Union(parts) if parts.iter().any(|part| matches!(part, Ty::Object(_))) => {
                let holds = self.file(def.file).holds_any(def.def);
                Ty::union(parts.iter().map(|part| match part {
                    Ty::Object(_) if holds => Ty::Instance(def),
                    other => other.clone(),
                }))
            }
            other => other,
        }
    }

    /// The type that an alias with arguments names. Not cached: the depth continues from the place of use, so a cycle
    /// of aliases ends.
    fn applied_alias(&self, def: DefRef, args: Vec<Ty>, depth: u8) -> Ty {
        let file = self.file(def.file);
        let Some(found) = file.outline.def(def.def) else { return Ty::Unknown };
        let (Some(target), Some(generics)) = (found.ty, found.generics) else { return self.alias(def) };
        let generics = file.outline.str(generics);
        let names: Vec<Box<str>> = parameter_names(generics, &file.traits().types).map(Into::into).collect();
        let mut args = args;
        self.rules_of(&file).fill_arguments(self, def, &names, &mut args, depth);
        let env = Env { of: def.def, names, args, this: None };
        let ctx = Ctx { env: Some(&env), ..Self::outline_ctx(&file, def, None) };
        match self.stated_at(&ctx, target, depth + 4) {
            Ty::Unknown | Ty::External(None) => self.alias(def),
            other => other,
        }
    }

    /// The type that a definition denotes when it is used as a type: itself, the target of an alias, the class in a
    /// variable.
    pub(crate) fn class_behind(&self, def: DefRef) -> Option<DefRef> {
        let file = self.file(def.file);
        let found = file.outline.def(def.def)?;
        match found.kind {
            SymbolKind::Type => Some(self.alias(def).instance_of().unwrap_or(def)),
            kind if kind.is_type() => Some(def),
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => match self.def_type(def).ty {
                Ty::Class(class) => Some(class),
                ty if ty.instance_of() == Some(def) => Some(def),
                _ => None,
            },
            SymbolKind::EnumMember => self.owner_type(def),
            SymbolKind::Function => self.rules_of(&file).function_class(self, def),
            _ => None,
        }
    }

    /// Whether a definition is local to a function: other files cannot see it.
    pub(crate) fn is_local(&self, def: DefRef) -> bool {
        self.file(def.file).outline.def(def.def).is_some_and(|def| def.flags.has(DefFlags::LOCAL))
    }
}
