//! Destructuring patterns.

use sdl_model::facts::{BindingKind, Expr, ExprIx, Lit};

use super::keys::property_name;
use super::kinds::{Context, F, K, Node};

/// How many names one pattern may bind.
const MAX_NAMES: usize = 4_096;

/// One name in a pattern.
pub(super) struct Part<'a> {
    pub(super) name: Node<'a>,
    /// The part of the value that it is bound to, of the body.
    pub(super) value: Option<ExprIx>,
    /// The type that an annotation states for it.
    pub(super) ty: Option<Node<'a>>,
}

/// A part of a pattern that is still to be read.
struct Todo<'a> {
    node: Node<'a>,
    value: Option<ExprIx>,
    ty: Option<Node<'a>>,
}

/// The names in `pattern` with the parts of `value` (of the body) that they are bound to. `annotation` is the type
/// that is stated for all of it.
pub(super) fn pattern_parts<'a>(
    cx: &mut Context<'a>,
    pattern: Node<'a>,
    value: Option<ExprIx>,
    annotation: Option<Node<'a>>,
) -> Vec<Part<'a>> {
    let mut found = Vec::new();
    // A list of pending patterns instead of recursion, because patterns nest as deep as the text does.
    let mut todo = vec![Todo { node: pattern, value, ty: annotation }];
    while let Some(Todo { node, value, ty }) = todo.pop() {
        let first = todo.len();
        match node.kind() {
            K::Identifier | K::ShorthandPattern => found.push(Part { name: node, value, ty }),
            K::ObjectPattern => todo.extend(object_parts(cx, node, value, ty)),
            K::ArrayPattern => {
                // Holes, as in `[, b]`, are counted in the text, because commas are not on the tape.
                let mut at = 0;
                let mut from = node.start();
                for part in node.children() {
                    let gap = node.src().get(from as usize..part.start() as usize).unwrap_or("");
                    at += gap.bytes().filter(|byte| *byte == b',').count();
                    from = part.end();
                    let spread = part.is(K::RestPattern);
                    let target = if spread { part.first() } else { Some(part) };
                    let value = match value {
                        Some(value) if spread => rest_from(cx, value, at),
                        value => value.map(|value| element_at(cx, value, at)),
                    };
                    let ty =
                        ty.filter(|ty| ty.is(K::TupleType) && !spread).and_then(|ty| ty.children().nth(at));
                    todo.extend(target.map(|node| Todo { node, value, ty }));
                }
            }
            K::AssignmentPattern | K::ObjectAssignmentPattern => {
                let default = node.child(F::Right).map(|right| cx.b.body.value(right));
                let value = match (value, default) {
                    (Some(value), Some(default)) if !is_literal(cx, default) => {
                        Some(cx.b.body.either(vec![value, default]))
                    }
                    (value, default) => value.or(default),
                };
                todo.extend(node.child(F::Left).map(|node| Todo { node, value, ty }));
            }
            K::RestPattern | K::ParenthesizedExpression => {
                todo.extend(node.first().map(|node| Todo { node, value: None, ty: None }));
            }
            _ => {}
        }
        if let Some(added) = todo.get_mut(first..) {
            added.reverse();
        }
        if found.len() >= MAX_NAMES {
            break;
        }
    }
    found
}

/// The parts of an object's pattern, still with their own patterns.
fn object_parts<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    value: Option<ExprIx>,
    ty: Option<Node<'a>>,
) -> Vec<Todo<'a>> {
    let mut parts = Vec::new();
    for part in node.children() {
        let (key, target) = match part.kind() {
            K::ShorthandPattern => (Some(part), Some(part)),
            K::PairPattern => (part.child(F::Key), part.child(F::Value)),
            K::ObjectAssignmentPattern => {
                let left = part.child(F::Left);
                (left.filter(|left| left.is(K::ShorthandPattern)), Some(part))
            }
            // The rest has no shape of its own.
            K::RestPattern => (None, part.first()),
            _ => (None, None),
        };
        let Some(target) = target else { continue };
        let key = key.filter(|key| !key.is(K::ComputedPropertyName)).map(property_name);
        let value = match (value, key) {
            (Some(value), Some(key)) => Some(cx.b.body.attr(value, key)),
            // The rest has at most the properties of all.
            (Some(value), None) if part.is(K::RestPattern) => Some(value),
            _ => None,
        };
        let ty = key.and_then(|key| property_type(ty?, key));
        parts.push(Todo { node: target, value, ty });
    }
    parts
}

fn is_literal(cx: &Context<'_>, ix: ExprIx) -> bool {
    matches!(cx.b.body.expr(ix), Expr::Lit(lit) if *lit != Lit::Null)
}

/// Element `at` of `value`; the element itself where the value is an array as written.
fn element_at(cx: &mut Context<'_>, value: ExprIx, at: usize) -> ExprIx {
    if let Expr::Tuple(items) = cx.b.body.expr(value)
        && let Some(item) = items.get(at)
    {
        return *item;
    }
    cx.b.body.add(Expr::Item(value, at.min(255) as u8))
}

/// The elements of `value` from place `at` on, where it is an array as written.
fn rest_from(cx: &mut Context<'_>, value: ExprIx, at: usize) -> Option<ExprIx> {
    let Expr::Tuple(items) = cx.b.body.expr(value) else { return None };
    let rest = items.get(at..)?.to_vec();
    Some(cx.b.body.add(Expr::Tuple(rest)))
}

/// The type that the object type `ty` states for the property `key`.
fn property_type<'a>(ty: Node<'a>, key: &str) -> Option<Node<'a>> {
    if !ty.is(K::ObjectType) {
        return None;
    }
    let found = ty.children().take(64).find(|member| {
        member.is(K::PropertySignature)
            && member.child(F::Name).is_some_and(|name| property_name(name) == key)
    })?;
    found.child(F::TypeField)?.first()
}

/// Binds every name in `pattern`, known in `range`.
pub(super) fn bind_pattern<'a>(
    cx: &mut Context<'a>,
    kind: BindingKind,
    pattern: Node<'a>,
    value: Option<ExprIx>,
    annotation: Option<Node<'a>>,
    range: (u32, u32),
) {
    for part in pattern_parts(cx, pattern, value, annotation) {
        let ty = part.ty.map(|ty| cx.b.body.ty(ty)).filter(|ty| !cx.b.body.is_unknown(*ty));
        let value = part.value.filter(|_| ty.is_none());
        cx.b.bind_within(kind, part.name.text(), ty, value, range);
    }
}
