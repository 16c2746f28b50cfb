//! Return types that depend on a callback's return type: `list.map(x => x.owner)`.

use sdl_model::facts::{Expr, ExprIx, StrIx};
use sdl_model::lang::{Library, Types};

use super::{Ctx, Given, Infer, Shape, ShapeKind, Ty, Typed};

/// Most parameters of a callback that are looked at.
const PARAMS: usize = 4;

/// A function that is written as an argument.
#[derive(Clone, Copy)]
pub(super) struct Function<'e> {
    params: &'e [ExprIx],
    gives: ExprIx,
}

impl<'e> Function<'e> {
    /// The last of `args`, if it is a function.
    pub(super) fn of(ctx: &Ctx<'e>, args: &[ExprIx]) -> Option<Self> {
        match ctx.arena.expr(*args.last()?) {
            Expr::Callable(params, Some(gives)) => Some(Self { params, gives: *gives }),
            _ => None,
        }
    }
}

impl Infer<'_, '_> {
    /// The return type of the method `name` of a value from outside when it is called with `function`. None if it does
    /// not depend on `function`.
    pub(super) fn made_by(
        &self,
        ctx: &Ctx<'_>,
        shape: Option<&Shape>,
        name: &str,
        function: Function<'_>,
        depth: u8,
    ) -> Option<Typed> {
        let traits = self.file(ctx.file).traits();
        let makes = method_result(shape.map(|shape| shape.kind), name, &traits.stdlib)?;
        let given: Vec<(ExprIx, Typed)> = function
            .params
            .iter()
            .take(PARAMS)
            .enumerate()
            .map(|(at, param)| {
                let ty = shape.map_or(Ty::External(None), |shape| shape.passed(name, 0, at, &traits.types));
                (*param, Typed::new(ty, super::How::Element))
            })
            .collect();
        let result = self.with_given(ctx, &given, function.gives, depth);
        Some(Typed { ty: makes.of(&result.ty, &traits.types), how: result.how })
    }

    /// The type of `ix`, where the parameter `name` has the given value.
    pub(crate) fn eval_given(&self, ctx: &Ctx<'_>, (name, value): (StrIx, Typed), ix: ExprIx) -> Typed {
        let one = Given { name, value, before: ctx.given };
        self.eval(&Ctx { given: Some(&one), ..*ctx }, ix)
    }

    /// The type of `ix`, where each parameter in `given` has the type beside it.
    fn with_given(&self, ctx: &Ctx<'_>, given: &[(ExprIx, Typed)], ix: ExprIx, depth: u8) -> Typed {
        if depth > super::EXPR_DEPTH || !self.w.step() {
            return Typed::UNKNOWN;
        }
        let Some(((pattern, value), rest)) = given.split_first() else {
            return self.eval_at(ctx, ix, depth);
        };
        match ctx.arena.expr(*pattern) {
            Expr::Name(name) => {
                let one = Given { name: *name, value: value.clone(), before: ctx.given };
                self.with_given(&Ctx { given: Some(&one), ..*ctx }, rest, ix, depth + 1)
            }
            // A tuple parameter, taken apart at once.
            Expr::Tuple(parts) => {
                let mut all: Vec<(ExprIx, Typed)> = parts
                    .iter()
                    .take(PARAMS)
                    .enumerate()
                    .map(|(at, part)| {
                        let items = value.ty.each().iter().map(|ty| match ty {
                            Ty::External(Some(shape)) => shape.item(at),
                            _ => Ty::Unknown,
                        });
                        (*part, Typed::new(Ty::union(items), value.how))
                    })
                    .collect();
                all.extend_from_slice(rest);
                self.with_given(ctx, &all, ix, depth + 1)
            }
            _ => self.with_given(ctx, rest, ix, depth + 1),
        }
    }
}

/// How a method's return type is made from the return type of its callback.
#[derive(Clone, Copy)]
enum Makes {
    /// A sequence of it.
    Sequence,
    /// A sequence of its elements.
    Flat,
    /// A sequence of the values it holds, such as the values of options.
    Held,
    /// A wrapper of the value it holds, which must be taken out.
    OneHeld,
    /// A wrapper of it, or it itself if it is a wrapper already.
    Wrapper,
    /// It itself.
    Itself,
}

impl Makes {
    fn of(self, result: &Ty, types: &Types) -> Ty {
        let each = |part: fn(&Shape, &Types) -> Ty| {
            Ty::union(result.each().iter().map(|ty| match ty {
                Ty::External(Some(shape)) => part(shape, types),
                other => other.clone(),
            }))
        };
        let held = || each(|shape, _| shape.unwrap().unwrap_or(Ty::External(None)));
        match self {
            Self::Sequence => Shape::ty(ShapeKind::Sequence, [result.clone()]),
            Self::Flat => Shape::ty(ShapeKind::Sequence, [each(Shape::element)]),
            Self::Held => Shape::ty(ShapeKind::Sequence, [held()]),
            Self::OneHeld => Shape::ty(ShapeKind::Wrapper, [held()]),
            Self::Wrapper => Shape::ty(ShapeKind::Wrapper, [held()]),
            Self::Itself => result.clone(),
        }
    }
}

/// How the return type of the method `name` of a value from outside is made from that of its callback.
fn method_result(kind: Option<ShapeKind>, name: &str, library: &Library) -> Option<Makes> {
    let holds_many = matches!(kind, Some(ShapeKind::Sequence | ShapeKind::Map | ShapeKind::Tuple));
    let holds_one = kind == Some(ShapeKind::Wrapper);
    Some(match name {
        "map" if holds_one => Makes::Wrapper,
        // Taken for a list, because the receiver of `map` is a list more often than anything else.
        "map" if holds_many || library.maps_are_of_lists => Makes::Sequence,
        "flatMap" | "flat_map" if holds_many || (kind.is_none() && library.promises) => Makes::Flat,
        "filter_map" | "map_while" if !holds_one => Makes::Held,
        "find_map" if !holds_one => Makes::OneHeld,
        "and_then" if !holds_many => Makes::Wrapper,
        "then" if library.optional_lookups && kind.is_none() => Makes::Wrapper,
        "then" if library.promises && !holds_many => Makes::Wrapper,
        "map_or" | "map_or_else" if holds_one => Makes::Itself,
        _ => return None,
    })
}
