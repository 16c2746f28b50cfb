//! Rust: bounds, associated types and the values that traits make iterators of.

use std::rc::Rc;

use sdl_model::SymbolKind;
use sdl_model::facts::{Expr, ExprIx};

use super::lookup::{find_holder, first_holder};
use super::{Rust, blocks, pointers};
use crate::infer::{Ctx, How, Infer, Meaning, Part, Shape, ShapeKind, Ty, TypeRules, Typed, Want};
use crate::modules::{ModRef, Place};
use crate::world::DefRef;

/// The type that an iterator names as that of its elements.
const ITEM: &str = "Item";

impl TypeRules for Rust {
    /// A parameter without a bound, such as `T` in `fn f<T>(x: T)`, has no members that the repository could define.
    fn unbound(&self) -> Option<Ty> {
        Some(Ty::External(None))
    }

    /// `T::Item: Bound`.
    fn projected(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, base: ExprIx, name: &str) -> Option<ExprIx> {
        let file = infer.file(ctx.file);
        let Expr::Name(of) = ctx.arena.expr(base) else { return None };
        let of = ctx.arena.str(*of);
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

    /// An argument that is omitted is the alias's default.
    fn fill_arguments(
        &self,
        infer: &Infer<'_, '_>,
        def: DefRef,
        names: &[Box<str>],
        args: &mut Vec<Ty>,
        depth: u8,
    ) {
        let file = infer.file(def.file);
        let Some(generics) = file.outline.def(def.def).and_then(|found| found.generics) else { return };
        let ctx = Infer::outline_ctx(&file, def, None);
        for name in names.iter().skip(args.len()) {
            let Some(default) = default_of(file.outline.str(generics), name) else { break };
            let ty = match infer.meaning_of(&ctx, default, Want::Type) {
                Meaning::Place(place, _) => infer.value_of_type(place, || default, Vec::new(), depth + 4),
                _ => Ty::Unknown,
            };
            args.push(ty);
        }
    }

    /// A function does not hide a module or a type of its name.
    fn held_by(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, base: ExprIx, def: DefRef, depth: u8) -> Place {
        let found = infer.file(def.file);
        if !found.outline.def(def.def).is_some_and(|def| def.kind.is_callable()) {
            return Place::Def(def);
        }
        let held = match ctx.arena.expr(base) {
            Expr::Name(name) => first_holder(infer.w, ctx.file, ctx.scope, infer.sym(ctx.arena.str(*name))),
            Expr::Path(outer, name) => {
                let name = infer.sym(ctx.arena.str(*name));
                match infer.type_place(ctx, *outer, depth + 1) {
                    Place::Module(ModRef::File(file)) => {
                        find_holder(infer.w, DefRef { file, def: sdl_model::facts::DefIx::MODULE }, name)
                    }
                    Place::Module(ModRef::Inline(module)) => find_holder(infer.w, module, name),
                    _ => Place::Missing,
                }
            }
            _ => Place::Missing,
        };
        if held.is_found() { held } else { Place::Def(def) }
    }

    fn self_type(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, class: Option<DefRef>) -> Ty {
        match class {
            Some(class) => blocks::value_of_self(infer, ctx, class),
            None => blocks::outside_self(infer, ctx),
        }
    }

    fn part_of(&self, infer: &Infer<'_, '_>, ty: &Ty, class: DefRef, part: Part) -> Option<Ty> {
        match part {
            Part::Iter => associated_type(infer, ty, ITEM),
            _ => infer.part_by_methods(ty, class, part),
        }
    }

    fn called_on(
        &self,
        infer: &Infer<'_, '_>,
        ctx: &Ctx<'_>,
        callee: ExprIx,
        base: &Typed,
        name: &str,
    ) -> Option<Typed> {
        let (Expr::Attr(receiver, _) | Expr::Path(receiver, _)) = ctx.arena.expr(callee) else { return None };
        let in_path = matches!(ctx.arena.expr(callee), Expr::Path(..));
        if !in_path && pointers::is_of_pointer(infer, ctx, *receiver, name) {
            return Some(base.clone());
        }
        blocks::call_in_block(infer, ctx, *receiver, base, name)
    }

    /// Where traits give methods, a type that can be iterated has those of all iterators.
    fn as_iterator(&self, infer: &Infer<'_, '_>, ty: &Ty, name: &str) -> Option<Rc<Shape>> {
        if infer.member(ty.instance_of()?, infer.sym(name), true).is_some() {
            return None;
        }
        match Shape::ty(ShapeKind::Sequence, [associated_type(infer, ty, ITEM)?]) {
            Ty::External(shape) => shape,
            _ => None,
        }
    }

    fn passed(&self, infer: &Infer<'_, '_>, ty: &Ty, name: &str, arg: usize, param: usize) -> Option<Ty> {
        if let Some(iterator) = self.as_iterator(infer, ty, name) {
            let class = ty.instance_of()?;
            return Some(iterator.passed(name, arg, param, &infer.file(class.file).traits().types));
        }
        // A method of an option on a value of this type: a raw pointer is used here as its target.
        (param == 0 && is_of_option(infer, ty, name)).then(|| ty.clone())
    }
}

/// Whether `name` is a method of an option and not of a value of type `ty`.
fn is_of_option(infer: &Infer<'_, '_>, ty: &Ty, name: &str) -> bool {
    matches!(name, "map" | "and_then" | "map_or" | "map_or_else" | "is_some_and" | "inspect")
        && ty.instance_of().is_some_and(|class| infer.member(class, infer.sym(name), true).is_none())
}

/// A type that a trait names and `ty` defines.
fn associated_type(infer: &Infer<'_, '_>, ty: &Ty, name: &str) -> Option<Ty> {
    let class = ty.instance_of()?;
    let member = infer.member(class, infer.sym(name), false)?.def;
    let file = infer.file(member.file);
    let found = file.outline.def(member.def).filter(|def| def.kind == SymbolKind::Type)?;
    if let Some(applied) = infer.applied_type(ty, member, found.ty?, How::Stated) {
        return Some(applied.ty);
    }
    Some(infer.stated(&Infer::outline_ctx(&file, member, Some(class)), found.ty?))
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
