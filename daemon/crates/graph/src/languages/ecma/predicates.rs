//! The type that a function with the return type `value is T` proves for its argument.

use sdl_model::facts::{Arena, Expr, ExprIx, PREDICATE};

use crate::infer::{Ctx, Infer, Ty};
use crate::world::DefRef;

/// The text of a name.
fn name_text(arena: &Arena, ix: ExprIx) -> Option<&str> {
    match arena.expr(ix) {
        Expr::Name(name) => Some(arena.str(*name)),
        _ => None,
    }
}

/// The type of the argument `at` of `call`, a function with its arguments, where the call returns `true`.
pub(super) fn accepted_type(infer: &Infer<'_, '_>, ctx: &Ctx<'_>, call: ExprIx, at: usize) -> Option<Ty> {
    let Expr::Generic(callee, args) = ctx.arena.expr(call) else { return None };
    let values = Ctx { members: false, ..*ctx };
    let Ty::Func(def, _) = infer.eval(&values, *callee).ty else { return None };
    let file = infer.file(def.file);
    let arena = &file.outline.arena;
    let found = file.outline.def(def.def)?;
    let Expr::Generic(kind, parts) = arena.expr(found.ret?) else { return None };
    let [ty, of] = parts.as_slice() else { return None };
    let is_of_it = name_text(arena, *kind) == Some(PREDICATE)
        && found.params.get(at).map(|param| file.outline.str(param.name)) == name_text(arena, *of);
    if !is_of_it {
        return None;
    }
    // `value is InstanceType<T>`, where another parameter is a `T`.
    if let Expr::Generic(made, of) = arena.expr(*ty)
        && name_text(arena, *made) == Some("InstanceType")
        && let [of] = of.as_slice()
        && let Some(of) = name_text(arena, *of)
    {
        let is_class =
            |param: &sdl_model::facts::Param| param.ty.is_some_and(|ty| name_text(arena, ty) == Some(of));
        let class = args.get(found.params.iter().position(is_class)?)?;
        return match infer.eval(&values, *class).ty {
            Ty::Class(class) => Some(Ty::Instance(class)),
            _ => None,
        };
    }
    let outline = Infer::outline_ctx(&file, DefRef { def: def.def, ..def }, None);
    Some(infer.stated(&outline, *ty))
}
