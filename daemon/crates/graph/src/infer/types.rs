//! Expressions that denote types.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, Lit, PREDICATE, StrIx};
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
                // A parameter without a bound has no members that the repository could define.
                Meaning::Generic(None) if self.file(ctx.file).traits().types.trait_bounds => {
                    Ty::External(None)
                }
                Meaning::Generic(None) | Meaning::Param(..) => Ty::Unknown,
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
            Expr::Index(inner) | Expr::Iter(inner) => {
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
            Expr::Name(name) if let Some(ty) = self.utility(ctx.arena.str(*name), &args) => ty,
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

    /// Evaluates utility types that work on the types of values: `ReturnType<typeof f>`.
    fn utility(&self, name: &str, args: &[Ty]) -> Option<Ty> {
        let [first, ..] = args else { return None };
        match (name, first) {
            ("ReturnType", Ty::Func(..) | Ty::Callable(_)) => {
                Some(self.called(&Typed::new(first.clone(), super::How::Returned)).ty)
            }
            ("InstanceType", Ty::Class(class)) => Some(Ty::Instance(*class)),
            (PREDICATE, _) => Some(Ty::External(None)),
            _ => None,
        }
    }

    /// The bound of the associated type `name` of a generic parameter: `T::Item: Bound`.
    pub(super) fn projected(&self, ctx: &Ctx<'_>, base: ExprIx, name: StrIx) -> Option<ExprIx> {
        let file = self.file(ctx.file);
        let Expr::Name(of) = ctx.arena.expr(base) else { return None };
        if !file.traits().types.trait_bounds {
            return None;
        }
        let (of, name) = (ctx.arena.str(*of), ctx.arena.str(name));
        let is_it = |bound: &str| {
            let rest = bound.strip_prefix(of).and_then(|rest| rest.strip_prefix("::"));
            rest == Some(name)
        };
        let mut at = Some(ctx.scope);
        while let Some(ix) = at {
            let def = file.outline.def(ix)?;
            let bound = def.bounds.iter().find(|(bound, _)| is_it(file.outline.str(*bound)));
            if let Some((_, bound)) = bound {
                return Some(*bound);
            }
            at = def.parent.filter(|parent| *parent < ix);
        }
        None
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
    pub(super) fn type_place(&self, ctx: &Ctx<'_>, ix: ExprIx, depth: u8) -> Place {
        if depth > EXPR_DEPTH || !self.w.step() {
            return Place::Missing;
        }
        match ctx.arena.expr(ix) {
            Expr::Name(name) => match self.meaning(ctx, *name, Want::Type) {
                // `new exports.Thing()`.
                Meaning::Place(Place::Missing, _)
                    if ctx.arena.str(*name) == "exports" && self.file(ctx.file).traits().names.commonjs =>
                {
                    Place::Module(ModRef::File(ctx.file))
                }
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
                let place = self.held_by(ctx, *base, place, depth + 1);
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

    /// `place`, which `base` leads to. Where more of a path follows and `place` is a function, the module or type of
    /// its name instead.
    pub(super) fn held_by(&self, ctx: &Ctx<'_>, base: ExprIx, place: Place, depth: u8) -> Place {
        let Place::Def(def) = place else { return place };
        let file = self.file(def.file);
        let is_function = file.outline.def(def.def).is_some_and(|def| def.kind.is_callable());
        if !file.traits().names.type_namespace || !is_function {
            return place;
        }
        let held = match ctx.arena.expr(base) {
            Expr::Name(name) => {
                self.rules(ctx.file).first_holder(self.w, ctx.file, ctx.scope, self.sym(ctx.arena.str(*name)))
            }
            Expr::Path(outer, name) => match self.type_place(ctx, *outer, depth + 1) {
                Place::Module(module) => modules::find_holder(self.w, module, self.sym(ctx.arena.str(*name))),
                _ => Place::Missing,
            },
            _ => Place::Missing,
        };
        if held.is_found() { held } else { place }
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
    fn value_of_type<'n>(&self, place: Place, name: impl Fn() -> &'n str, args: Vec<Ty>, depth: u8) -> Ty {
        match place {
            Place::Def(def) => {
                let file = self.file(def.file);
                let Some(found) = file.outline.def(def.def) else { return Ty::Unknown };
                match found.kind {
                    SymbolKind::Type if file.traits().types.distinct_aliases => Ty::Instance(def),
                    SymbolKind::Type if args.is_empty() => self.alias(def),
                    SymbolKind::Type => self.applied_alias(def, args, depth),
                    kind if kind.is_type() => Ty::of(def, args),
                    // Functions may be constructors.
                    SymbolKind::Function if self.has_prototype(def) => Ty::Instance(def),
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

    /// The type that an alias names.
    pub(crate) fn alias(&self, def: DefRef) -> Ty {
        let q = Question::Alias(def);
        let typed = self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
            let file = self.file(def.file);
            let Some(found) = file.outline.def(def.def) else { return Typed::UNKNOWN };
            let ctx = Self::outline_ctx(&file, def, None);
            let ty = match found.ty.or(found.value) {
                Some(ty) => self.stated(&ctx, ty),
                // A trait requires this type but states no bound for it.
                None if file.traits().types.trait_bounds && found.flags.has(DefFlags::ABSTRACT) => {
                    Ty::External(None)
                }
                // An alias that holds members itself: an object type.
                None => Ty::Instance(def),
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
        if file.traits().types.trait_bounds {
            // An argument that is omitted is the alias's default.
            let ctx = Self::outline_ctx(&file, def, None);
            for name in names.iter().skip(args.len()) {
                let Some(default) = default_of(generics, name) else { break };
                let ty = match self.meaning_of(&ctx, default, Want::Type) {
                    Meaning::Place(place, _) => self.value_of_type(place, || default, Vec::new(), depth + 4),
                    _ => Ty::Unknown,
                };
                args.push(ty);
            }
        }
        let env = Env { of: def.def, names, args, this: None };
        let ctx = Ctx { env: Some(&env), ..Self::outline_ctx(&file, def, None) };
        match self.stated_at(&ctx, target, depth + 4) {
            Ty::Unknown | Ty::External(None) => self.alias(def),
            other => other,
        }
    }

    /// Whether an alias names a pointer that owns its target. Constructing it does not construct the target type.
    pub(crate) fn points_to(&self, def: DefRef) -> bool {
        let file = self.file(def.file);
        let Some(ty) = file.outline.def(def.def).and_then(|found| found.ty) else { return false };
        let Expr::Generic(base, _) = file.outline.arena.expr(ty) else { return false };
        let pointers = file.traits().types.owning_pointers;
        crate::world::last_name(&file.outline, *base).is_some_and(|name| pointers.contains(&name))
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
            // Functions may be constructors, with the members that are set on them.
            SymbolKind::Function if file.traits().types.constructor_functions => Some(def),
            SymbolKind::Function if self.has_prototype(def) => {
                if let Some(ty) = found.ty {
                    // The stated type may lead back here.
                    let q = Question::Constructed(def);
                    let typed = self.w.derive(&self.w.memos.types, q, Typed::UNKNOWN, || {
                        let scope = found.parent.unwrap_or(DefIx::MODULE);
                        let ctx = Self::outline_ctx(&file, DefRef { def: scope, ..def }, None);
                        Typed::new(self.stated(&ctx, ty), super::How::Stated)
                    });
                    return typed.ty.instance_of();
                }
                let is_extended = file.name(def.def).is_some_and(|name| file.owns_any(name))
                    || file.merged(def.def).next().is_some();
                (is_extended || file.holds_any(def.def)).then_some(def)
            }
            _ => None,
        }
    }

    /// Whether a definition is local to a function: other files cannot see it.
    pub(crate) fn is_local(&self, def: DefRef) -> bool {
        self.file(def.file).outline.def(def.def).is_some_and(|def| def.flags.has(DefFlags::LOCAL))
    }
}

/// The default of a type parameter: `Error` for `E` in `<T, E = Error>`.
fn default_of<'g>(generics: &'g str, name: &str) -> Option<&'g str> {
    let parts = generics.trim_start_matches('<').trim_end_matches('>').split(',');
    let stated = parts
        .filter_map(|part| part.split_once('='))
        .find(|(left, _)| left.split(':').next().is_some_and(|left| left.trim() == name));
    let default = stated?.1.trim();
    default.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(default)
}
