//! Local names.

use sdl_model::facts::{BindingKind, EffectKind, Expr, ExprIx, RefForm};

use super::held;
use super::kinds::{Context, F, K, Node};
use crate::driver::Visit;

/// Binds the names in `target` to the parts of `value` (of the body), known from byte `from` on.
pub(super) fn bind_pattern<'a>(
    cx: &mut Context<'a>,
    target: Node<'a>,
    value: Option<ExprIx>,
    from: u32,
    to: Option<u32>,
) {
    // A list of pending patterns instead of recursion, because patterns nest as deep as the text does.
    let mut todo = vec![(target, value)];
    while let Some((target, value)) = todo.pop() {
        match target.kind() {
            K::Identifier => {
                let to = to.unwrap_or_else(|| cx.b.scope_end());
                cx.b.bind_within(BindingKind::Local, target.text(), None, value, (from, to));
            }
            K::PatternList | K::TuplePattern | K::ListPattern | K::Tuple | K::List | K::ExpressionList => {
                let first = todo.len();
                let count = target.children().count();
                let splat = target.children().position(|part| part.is(K::ListSplatPattern));
                for (at, part) in target.children().enumerate() {
                    let after = splat.filter(|splat| *splat <= at).map(|_| count - at - 1);
                    let item = value.and_then(|value| match after {
                        Some(after) => rest_at(cx, value, at, after, part.is(K::ListSplatPattern)),
                        None => Some(element_at(cx, value, at)),
                    });
                    todo.push((part, item));
                }
                if let Some(added) = todo.get_mut(first..) {
                    added.reverse();
                }
            }
            K::ListSplatPattern | K::AsPatternTarget | K::ParenthesizedExpression => {
                if let Some(inner) = target.first() {
                    todo.push((inner, value));
                }
            }
            _ => {}
        }
    }
}

/// Element `at` of `value`; the element itself where the value is a tuple as written.
pub(super) fn element_at(cx: &mut Context<'_>, value: ExprIx, at: usize) -> ExprIx {
    if let Expr::Tuple(items) = cx.b.body.expr(value)
        && let Some(item) = items.get(at)
    {
        return *item;
    }
    cx.b.body.add(Expr::Item(value, at.min(255) as u8))
}

/// The elements of `value` that a starred name takes, or the element of a name after it, where `value` is written out.
/// `at` is the place of the name, `after` the number of names after it.
fn rest_at(cx: &mut Context<'_>, value: ExprIx, at: usize, after: usize, starred: bool) -> Option<ExprIx> {
    let Expr::Tuple(items) = cx.b.body.expr(value) else { return None };
    let last = items.len().checked_sub(after + 1)?;
    if !starred {
        return items.get(last).copied();
    }
    let taken = items.get(at..=last)?.to_vec();
    Some(cx.b.body.add(Expr::Tuple(taken)))
}

/// Whether `node`, an identifier, is a target that its statement binds.
pub(super) fn is_target(node: Node<'_>) -> bool {
    let mut at = node;
    for _ in 0..8 {
        let Some(parent) = at.parent() else { return false };
        match parent.kind() {
            K::PatternList | K::TuplePattern | K::ListPattern | K::ListSplatPattern => at = parent,
            K::Assignment | K::AugmentedAssignment | K::ForStatement | K::ForInClause => {
                return at.field() == F::Left;
            }
            K::NamedExpression => return at.field() == F::Name,
            K::AsPatternTarget => return true,
            K::AsPattern => return parent.first() != Some(at),
            K::ExceptClause => return at.field() == F::Alias,
            // `with … as (a, b)`, where the grammar sees a tuple.
            K::Tuple | K::ParenthesizedExpression if parent.parent_kind() == Some(K::AsPatternTarget) => {
                return true;
            }
            _ => return false,
        }
    }
    false
}

pub(super) fn for_statement<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let value = cx.b.body.value(right);
    let value = cx.b.body.add(Expr::Iter(value));
    held::iterate_over(cx, right);
    bind_pattern(cx, left, Some(value), right.end(), None);
}

/// `for x in y` of a comprehension: known in all of it, and only there.
pub(super) fn for_in_clause<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let value = cx.b.body.value(right);
    let value = cx.b.body.add(Expr::Iter(value));
    let around = node.parent().unwrap_or(node);
    held::iterate_over(cx, right);
    bind_pattern(cx, left, Some(value), around.start(), Some(around.end()));
}

pub(super) fn bind_walrus<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(value)) = (node.child(F::Name), node.child(F::Value)) else { return };
    let value = cx.b.body.value(value);
    bind_pattern(cx, name, Some(value), node.end(), None);
}

/// `with x as y`, `except X as y`, `case X() as y`.
pub(super) fn as_pattern<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // In a case, the name has no field.
    let alias =
        node.child(F::Alias).or_else(|| node.children().skip(1).find(|child| child.is(K::Identifier)));
    let (Some(source), Some(target)) = (node.first(), alias) else { return };
    match node.parent_kind() {
        Some(K::ExceptClause) => bind_exception(cx, source, target),
        Some(K::WithItem) => {
            let value = entered_shape(cx, node, source);
            bind_pattern(cx, target, Some(value), node.end(), None);
        }
        _ => {
            // A case: the class that it matches is its type.
            let class = source.first().filter(|class| class.is(K::ClassPattern)).and_then(Node::first);
            let ty = class.map(|class| cx.b.body.dotted(class.text()));
            if target.is(K::Identifier) {
                cx.b.bind(BindingKind::Local, target.text(), ty, None, node.end());
            } else {
                bind_pattern(cx, target, None, node.end(), None);
            }
        }
    }
}

/// The value that entering the context manager `source` gives: `f` in `with open(p) as f`.
fn entered_shape<'a>(cx: &mut Context<'a>, node: Node<'a>, source: Node<'a>) -> ExprIx {
    let value = cx.b.body.value(source);
    // These library functions give their argument when entered.
    if source.is(K::Call)
        && let Some(callee) = source.child(F::Function)
        && matches!(callee.text().rsplit('.').next(), Some("closing" | "aclosing" | "nullcontext"))
        && let Some(inner) = source.child(F::Arguments).and_then(Node::first)
    {
        return cx.b.body.value(inner);
    }
    let statement = node.ancestors().take(4).find(|around| around.is(K::WithStatement));
    if statement.is_some_and(|statement| statement.child_of(K::Async).is_some()) {
        let method = cx.b.body.attr(value, "__aenter__");
        let entered = cx.b.body.call(method, 0);
        return cx.b.body.add(Expr::Await(entered));
    }
    let method = cx.b.body.attr(value, "__enter__");
    cx.b.body.call(method, 0)
}

pub(super) fn except_clause<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let (Some(source), Some(target)) = (node.child(F::Value), node.child(F::Alias)) {
        bind_exception(cx, source, target);
    }
}

fn bind_exception<'a>(cx: &mut Context<'a>, source: Node<'a>, target: Node<'a>) {
    let ty = if source.is(K::Tuple) {
        let all = cx.b.body.types(source.children());
        cx.b.body.union(all)
    } else {
        cx.b.body.ty(source)
    };
    let name = if target.is(K::AsPatternTarget) { target.first().unwrap_or(target) } else { target };
    if name.is(K::Identifier) {
        cx.b.bind(BindingKind::Local, name.text(), Some(ty), None, source.end());
    }
}

/// `global a, b`, `nonlocal a`.
pub(super) fn read_outer_names<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    for name in node.children().filter(|child| child.is(K::Identifier)) {
        cx.b.bind(BindingKind::Outer, name.text(), None, None, node.start());
    }
    if node.is(K::GlobalStatement) {
        cx.b.effect(cx.b.scope(), EffectKind::GlobalState, node.text());
        let names = node.children().filter(|child| child.is(K::Identifier));
        let scope = cx.b.scope();
        cx.state.globals.extend(names.map(|name| (scope, name.text().to_owned())));
    }
    Visit::Skip
}

/// A name in a case: a capture, a constant, a class.
pub(super) fn case_name<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if node.is(K::SplatPattern) {
        if let Some(name) = node.child_of(K::Identifier).filter(|name| name.text() != "_") {
            cx.b.bind(BindingKind::Local, name.text(), None, None, node.end());
        }
        return Visit::Skip;
    }
    let class = node.parent_kind() == Some(K::ClassPattern);
    match node.text().rsplit_once('.') {
        None if class => cx.b.reference(RefForm::Type, node.text(), node.start(), None, 0),
        None if node.text() == "_" => {}
        None => {
            // The whole case is one name, which is bound to the subject.
            let clause = node.ancestors().take(2).find(|around| around.is(K::CaseClause));
            let subject = clause
                .and_then(|clause| clause.ancestors().take(2).find(|around| around.is(K::MatchStatement)))
                .and_then(|around| around.child(F::Subject));
            let value = subject.map(|subject| cx.b.body.value(subject));
            cx.b.bind(BindingKind::Local, node.text(), None, value, node.end());
        }
        Some((base, last)) => {
            let recv = cx.b.body.dotted(base);
            let form = if class { RefForm::Type } else { RefForm::Attr };
            let at = node.end() - last.len() as u32;
            cx.b.reference(form, last.trim(), at, Some(recv), 0);
        }
    }
    Visit::Skip
}
