//! Values of branches whose result is a name that the branch's own pattern binds: `match x { Some(y) => y, … }`.

use sdl_model::facts::{Expr, ExprIx};

use super::blocks::block_tail;
use super::kinds::{F, K, Node};
use super::names::plain_name;
use super::patterns;
use super::tuples::{placed_parts, tuple_field_name};
use crate::builder::Half;

/// Maximum number of patterns that are read inside one.
const MAX_PARTS: usize = 24;
/// Maximum number of borrowings around a name.
const MAX_WRAPS: usize = 4;

/// The value of the arm `arm` of a match of `subject`.
pub(super) fn arm_shape<'a>(half: &mut Half<'a>, subject: Option<Node<'a>>, arm: Node<'a>) -> ExprIx {
    let value = arm.child(F::Value).map(branch_result);
    let pattern = arm.child(F::Pattern);
    // Without the guard.
    let pattern = pattern.and_then(|pattern| {
        if pattern.is(K::MatchPattern) {
            pattern.children().find(|part| part.field() == F::None)
        } else {
            Some(pattern)
        }
    });
    bound_shape(half, subject, pattern, value).unwrap_or_else(|| half.value_or_unknown(value))
}

/// The value of the branch `block` of `if let`, whose condition is `condition`.
pub(super) fn branch_shape<'a>(
    half: &mut Half<'a>,
    condition: Option<Node<'a>>,
    block: Option<Node<'a>>,
) -> ExprIx {
    let value = block.and_then(block_tail).map(branch_result);
    let condition = condition.filter(|condition| condition.is(K::LetCondition));
    let (subject, pattern) = (
        condition.and_then(|condition| condition.child(F::Value)),
        condition.and_then(|condition| condition.child(F::Pattern)),
    );
    bound_shape(half, subject, pattern, value).unwrap_or_else(|| half.value_or_unknown(value))
}

/// The result of a branch: the last expression of a block, borrowed or not.
fn branch_result(mut value: Node<'_>) -> Node<'_> {
    for _ in 0..MAX_WRAPS {
        let inner = match value.kind() {
            K::Block => block_tail(value),
            K::ReferenceExpression => value.child(F::Value),
            K::ParenthesizedExpression => value.first(),
            _ => None,
        };
        let Some(inner) = inner else { break };
        value = inner;
    }
    value
}

/// The part of the matched value that `value`, a name that `pattern` binds, refers to.
fn bound_shape<'a>(
    half: &mut Half<'a>,
    subject: Option<Node<'a>>,
    pattern: Option<Node<'a>>,
    value: Option<Node<'a>>,
) -> Option<ExprIx> {
    let name = value.filter(|value| value.is(K::Identifier)).map(|value| plain_name(value.text()))?;
    let (subject, pattern) = (subject?, pattern?);
    if !patterns::is_binding(name) || !pattern.text().contains(name) {
        return None;
    }
    let whole = half.value(subject);
    let mut todo = vec![(pattern, whole)];
    for _ in 0..MAX_PARTS {
        let (pattern, whole) = todo.pop()?;
        match pattern.kind() {
            K::Identifier | K::ShorthandField if plain_name(pattern.text()) == name => return Some(whole),
            K::MutPattern | K::RefPattern | K::ReferencePattern | K::CapturedPattern => {
                todo.extend(
                    pattern.children().filter(|part| !part.is(K::MutableSpecifier)).map(|part| (part, whole)),
                );
            }
            K::TuplePattern => {
                for (at, part) in placed_parts(pattern, pattern.start(), pattern.children()) {
                    if part.is(K::RemainingField) {
                        break;
                    }
                    todo.push((part, half.add(Expr::Item(whole, at.min(255) as u8))));
                }
            }
            K::TupleStructPattern => {
                let Some(ty) = pattern.child(F::TypeField) else { continue };
                let parts = pattern.children().filter(|part| part.field() != F::TypeField);
                let last = ty.text().rsplit("::").next().unwrap_or("");
                if matches!(last, "Some" | "Ok" | "Ready") {
                    let inner = half.add(Expr::Unwrap(whole));
                    todo.extend(parts.map(|part| (part, inner)));
                } else if last == "Err" {
                    let error = half.add(Expr::Item(whole, 1));
                    todo.extend(parts.map(|part| (part, error)));
                } else if !matches!(last, "Break" | "Continue") {
                    let end = ty.end();
                    let ty = half.ty(ty);
                    let made = half.add(Expr::New(ty));
                    for (at, part) in placed_parts(pattern, end, parts) {
                        let Some(field) = tuple_field_name(at).filter(|_| !part.is(K::RemainingField)) else {
                            break;
                        };
                        todo.push((part, half.attr(made, field)));
                    }
                }
            }
            K::StructPattern => {
                let ty = half.ty_or_unknown(pattern.child(F::TypeField));
                let made = half.add(Expr::New(ty));
                for field in pattern.children().filter(|part| part.is(K::FieldPattern)) {
                    let Some(of) = field.child(F::Name) else { continue };
                    let value = half.attr(made, plain_name(of.text()));
                    todo.push((field.child(F::Pattern).unwrap_or(of), value));
                }
            }
            _ => {}
        }
    }
    None
}
