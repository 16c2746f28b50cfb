//! Names that patterns bind.

use sdl_model::facts::{BindingKind, Expr, ExprIx};

use super::kinds::{Context, F, K, Node};
use super::names::plain_name;
use super::tuples::{placed_parts, tuple_field_name};
use crate::builder::{Half, MAX_ELEMENTS};

/// Maximum number of patterns that are read inside one.
const MAX_PARTS: usize = 4_000;
/// Maximum number of borrowings around one name.
const MAX_WRAPS: usize = 4;

/// Whether a name in a pattern is bound, and not a constant or a variant.
pub(super) fn is_binding(name: &str) -> bool {
    !name.starts_with(char::is_uppercase)
}

/// Records that names up to the end of `pattern` are bound.
pub(super) fn enter_pattern(cx: &mut Context<'_>, pattern: Node<'_>) {
    cx.state.pattern_until = cx.state.pattern_until.max(pattern.next_ix());
}

/// Binds the names in `pattern`, whose type is `ty` or which is set to `value`, in `range`.
pub(super) fn bind_pattern<'a>(
    cx: &mut Context<'a>,
    kind: BindingKind,
    pattern: Node<'a>,
    ty: Option<ExprIx>,
    value: Option<ExprIx>,
    (from, to): (u32, u32),
) {
    if pattern.is(K::Identifier) {
        let name = plain_name(pattern.text());
        if is_binding(name) && name != "_" {
            cx.b.bind_within(kind, name, ty, value, (from, to));
        }
        return;
    }
    // A list of pending patterns instead of recursion, because patterns nest as deep as the text does.
    let mut todo = vec![(pattern, ty, value)];
    let mut parts = 0;
    while let Some((pattern, ty, value)) = todo.pop() {
        parts += 1;
        if parts > MAX_PARTS {
            break;
        }
        let first = todo.len();
        match pattern.kind() {
            K::Identifier | K::ShorthandField => {
                let name = plain_name(pattern.text());
                if is_binding(name) && name != "_" {
                    cx.b.bind_within(kind, name, ty, value, (from, to));
                }
            }
            K::MutPattern | K::RefPattern | K::ReferencePattern | K::CapturedPattern | K::OrPattern => {
                let inner = pattern.children().filter(|part| !part.is(K::MutableSpecifier));
                todo.extend(inner.map(|part| (part, ty, value)));
            }
            K::MatchPattern => {
                todo.extend(
                    pattern.children().find(|part| part.field() == F::None).map(|part| (part, ty, value)),
                );
            }
            K::TuplePattern => {
                let mut counted = true;
                for (at, part) in placed_parts(pattern, pattern.start(), pattern.children()) {
                    counted &= !part.is(K::RemainingField);
                    let (ty, value) = if counted { element_at(cx, ty, value, at) } else { (None, None) };
                    todo.push((part, ty, value));
                }
            }
            K::SlicePattern => {
                let of = typed_value(cx, ty, value).map(|whole| cx.b.body.add(Expr::Index(whole)));
                todo.extend(pattern.children().map(|part| (part, None, of)));
            }
            K::TupleStructPattern => {
                let whole = typed_value(cx, ty, value);
                tuple_struct(cx, pattern, whole, &mut todo);
            }
            K::StructPattern => {
                let ty = cx.b.body.ty_or_unknown(pattern.child(F::TypeField));
                let whole = cx.b.body.add(Expr::New(ty));
                for field in pattern.children().filter(|part| part.is(K::FieldPattern)) {
                    let Some(name) = field.child(F::Name) else { continue };
                    let value = cx.b.body.attr(whole, plain_name(name.text()));
                    todo.push((field.child(F::Pattern).unwrap_or(name), None, Some(value)));
                }
            }
            _ => {}
        }
        if let Some(added) = todo.get_mut(first..) {
            added.reverse();
        }
    }
}

/// The shape of a closure's parameter: a name, or a tuple of them.
pub(super) fn pattern_shape<'a>(half: &mut Half<'a>, pattern: Option<Node<'a>>) -> ExprIx {
    let mut pattern = pattern;
    for _ in 0..MAX_WRAPS {
        pattern = match pattern {
            Some(node) if matches!(node.kind(), K::MutPattern | K::RefPattern | K::ReferencePattern) => {
                node.children().find(|part| !part.is(K::MutableSpecifier))
            }
            _ => break,
        };
    }
    match pattern {
        Some(name) if name.is(K::Identifier) => half.type_name(plain_name(name.text())),
        Some(tuple) if tuple.is(K::TuplePattern) => {
            let mut parts = Vec::new();
            for (at, part) in placed_parts(tuple, tuple.start(), tuple.children()).take(MAX_ELEMENTS) {
                if part.is(K::RemainingField) || at >= MAX_ELEMENTS {
                    break;
                }
                parts.resize(at, half.unknown());
                parts.push(if part.is(K::Identifier) {
                    half.type_name(plain_name(part.text()))
                } else {
                    half.unknown()
                });
            }
            half.add(Expr::Tuple(parts))
        }
        _ => half.unknown(),
    }
}

type Todo<'a> = Vec<(Node<'a>, Option<ExprIx>, Option<ExprIx>)>;

/// `Some(x)`, `Shape::Circle(x)`, `Metres(x)`.
fn tuple_struct<'a>(cx: &mut Context<'a>, pattern: Node<'a>, whole: Option<ExprIx>, todo: &mut Todo<'a>) {
    let Some(ty) = pattern.child(F::TypeField) else { return };
    let parts = pattern.children().filter(|part| part.field() != F::TypeField);
    let ty_end = ty.end();
    match ty.text().rsplit("::").next().unwrap_or("") {
        "Some" | "Ok" | "Ready" => {
            let inner = whole.map(|whole| cx.b.body.add(Expr::Unwrap(whole)));
            todo.extend(parts.map(|part| (part, None, inner)));
        }
        // The error, which is the value's second part.
        "Err" => {
            let error = whole.map(|whole| cx.b.body.add(Expr::Item(whole, 1)));
            todo.extend(parts.map(|part| (part, None, error)));
        }
        "Break" | "Continue" => todo.extend(parts.map(|part| (part, None, None))),
        _ => {
            let ty = cx.b.body.ty(ty);
            let made = cx.b.body.add(Expr::New(ty));
            let mut counted = true;
            for (at, part) in placed_parts(pattern, ty_end, parts) {
                counted &= !part.is(K::RemainingField);
                let name = tuple_field_name(at).filter(|_| counted);
                let value = name.map(|name| cx.b.body.attr(made, name));
                todo.push((part, None, value));
            }
        }
    }
}

/// The value of type `ty`, or `value`.
fn typed_value(cx: &mut Context<'_>, ty: Option<ExprIx>, value: Option<ExprIx>) -> Option<ExprIx> {
    match ty {
        Some(ty) => Some(cx.b.body.add(Expr::New(ty))),
        None => value,
    }
}

/// Element `at` of a tuple of type `ty` or of `value`.
fn element_at(
    cx: &mut Context<'_>,
    ty: Option<ExprIx>,
    value: Option<ExprIx>,
    at: usize,
) -> (Option<ExprIx>, Option<ExprIx>) {
    let element = |whole: Option<ExprIx>| match cx.b.body.expr(whole?) {
        Expr::Tuple(items) => items.get(at).copied(),
        _ => None,
    };
    if let Some(ty) = element(ty) {
        return (Some(ty), None);
    }
    if let Some(value) = element(value).filter(|_| ty.is_none()) {
        return (None, Some(value));
    }
    let whole = typed_value(cx, ty, value);
    (None, whole.map(|whole| cx.b.body.add(Expr::Item(whole, at.min(255) as u8))))
}

/// `let pattern: type = value;`: known to the end of the block.
pub(super) fn let_declaration<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(pattern) = node.child(F::Pattern) else { return };
    let ty = node.child(F::TypeField).map(|ty| cx.b.body.ty(ty));
    let value = node.child(F::Value).map(|value| cx.b.body.value(value));
    // `let x: Vec<_>` and the like carry less information than the value, but some.
    let ty = ty.filter(|ty| !cx.b.body.is_unknown(*ty));
    let to = node.parent().map_or_else(|| cx.b.scope_end(), Node::end);
    enter_pattern(cx, pattern);
    bind_pattern(cx, BindingKind::Local, pattern, ty, value, (node.end(), to));
}

/// `if let pattern = value`: the names are known in the code after the condition.
pub(super) fn let_condition<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(pattern) = node.child(F::Pattern) else { return };
    let value = node.child(F::Value).map(|value| cx.b.body.value(value));
    let mut to = None;
    for around in node.ancestors().take(6) {
        to = match around.kind() {
            K::IfExpression => around.child(F::Consequence).map(Node::end),
            K::WhileExpression => around.child(F::Body).map(Node::end),
            K::MatchArm => Some(around.end()),
            K::LetChain | K::MatchPattern | K::BinaryExpression => continue,
            _ => None,
        };
        break;
    }
    let to = to.unwrap_or_else(|| cx.b.scope_end());
    enter_pattern(cx, pattern);
    bind_pattern(cx, BindingKind::Local, pattern, None, value, (node.end(), to));
}

pub(super) fn match_arm<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(pattern) = node.child(F::Pattern) else { return };
    let subject = node
        .ancestors()
        .take(3)
        .find(|around| around.is(K::MatchExpression))
        .and_then(|around| around.child(F::Value));
    let value = subject.map(|subject| cx.b.body.value(subject));
    if let Some(inner) = pattern.children().find(|part| part.field() == F::None) {
        enter_pattern(cx, inner);
    }
    bind_pattern(cx, BindingKind::Local, pattern, None, value, (node.start(), node.end()));
}

pub(super) fn for_expression<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(pattern), Some(value), Some(body)) =
        (node.child(F::Pattern), node.child(F::Value), node.child(F::Body))
    else {
        return;
    };
    let value = cx.b.body.value(value);
    let value = cx.b.body.add(Expr::Iter(value));
    enter_pattern(cx, pattern);
    bind_pattern(cx, BindingKind::Local, pattern, None, Some(value), (body.start(), body.end()));
}
