//! Rust: pointers are used like their targets, except for the methods that they have themselves.

use sdl_model::SymbolKind;
use sdl_model::facts::{Expr, ExprIx};

use crate::infer::{Ctx, Infer, Meaning, Want};

/// Whether `name` is a trait's method that pointers have themselves, whatever they point to.
fn is_of_pointers(name: &str) -> bool {
    matches!(name, "clone" | "hash" | "cmp" | "partial_cmp" | "eq" | "ne" | "lt" | "le" | "gt" | "ge")
}

/// Whether `name` is a method of `Pin` itself, which comes before those of its target.
fn is_of_pin(name: &str) -> bool {
    matches!(
        name,
        "as_ref"
            | "as_mut"
            | "get_mut"
            | "get_ref"
            | "set"
            | "get_unchecked_mut"
            | "into_ref"
            | "map_unchecked_mut"
    )
}

/// Whether `name` belongs to the pointer `ix` and not to its target. For example, cloning a box is done by the box.
pub(super) fn is_of_pointer(infer: &Infer<'_, '_>, ctx: &Ctx<'_>, ix: ExprIx, name: &str) -> bool {
    let (of_pointers, of_pin) = (is_of_pointers(name), is_of_pin(name));
    if !of_pointers && !of_pin {
        return false;
    }
    let is_it = |last: &str| match last {
        "Box" | "Rc" | "Arc" | "Weak" => of_pointers,
        "Pin" => of_pin,
        _ => false,
    };
    let file = infer.file(ctx.file);
    match ctx.arena.expr(ix) {
        Expr::SelfRef => {
            let around = file.enclosing(ctx.scope, SymbolKind::is_callable);
            let def = around.and_then(|around| file.outline.def(around));
            let stated = def.and_then(|def| def.params.first()?.ty);
            stated.and_then(|ty| file.outline.last_name(ty)).is_some_and(is_it)
        }
        Expr::Name(local) => match infer.meaning(ctx, *local, Want::Any) {
            Meaning::Local(at) => {
                let arena = infer.own.arena();
                let Some(binding) = infer.own.binding(infer.w, at) else { return false };
                match binding.ty {
                    Some(ty) => last_of(arena, ty).is_some_and(is_it),
                    // A part that a pattern takes out.
                    None if let Some(part) = binding.value
                        && matches!(arena.expr(part), Expr::Attr(..)) =>
                    {
                        is_of_pointer(infer, &Ctx { at: binding.from.saturating_sub(1), ..*ctx }, part, name)
                    }
                    None => {
                        let name = arena.str(binding.name);
                        let def = file.outline.def(binding.scope).filter(|_| binding.value.is_none());
                        let param = def.and_then(|def| {
                            def.params.iter().find(|param| file.outline.str(param.name) == name)
                        });
                        param.and_then(|param| file.outline.last_name(param.ty?)).is_some_and(is_it)
                    }
                }
            }
            Meaning::Param(def, at) => {
                let stated = file.outline.def(def).and_then(|def| def.params.get(at)?.ty);
                stated.and_then(|ty| file.outline.last_name(ty)).is_some_and(is_it)
            }
            _ => false,
        },
        Expr::Attr(base, field) => {
            let Some(class) = infer.eval(ctx, *base).ty.instance_of() else { return false };
            let field = infer.sym(ctx.arena.str(*field));
            let Some(member) = infer.member(class, field, false) else { return false };
            let file = infer.file(member.def.file);
            let stated = file.outline.def(member.def.def).and_then(|def| def.ty);
            stated.and_then(|ty| file.outline.last_name(ty)).is_some_and(is_it)
        }
        _ => false,
    }
}

/// The last name of a type's expression.
fn last_of(arena: &sdl_model::facts::Arena, mut ix: ExprIx) -> Option<&str> {
    for _ in 0..16 {
        match arena.expr(ix) {
            Expr::Name(name) | Expr::Attr(_, name) | Expr::Path(_, name) => return Some(arena.str(*name)),
            Expr::Generic(base, _) | Expr::Unwrap(base) => ix = *base,
            _ => return None,
        }
    }
    None
}
