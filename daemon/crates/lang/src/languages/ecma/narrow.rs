//! Types that tests show: `if (x instanceof T) { … }`, `if (isT(x)) { … }`.

use sdl_model::Lang;
use sdl_model::facts::{BindingKind, Expr, ExprIx};

use super::calls::{callee_node, operator_text};
use super::kinds::{Context, F, K, Node};

/// How many tests of one condition are looked at.
const MAX_TESTS: usize = 16;
/// How many arguments of a function that tests are looked at.
const MAX_ARGS: usize = 4;

/// A name, and the test that it has passed.
type Fact<'a> = (Node<'a>, Test<'a>);

#[derive(Clone, Copy)]
enum Test<'a> {
    /// It is of this class.
    Class(Node<'a>),
    /// This call accepts it as the argument of that number.
    Call(Node<'a>, u8),
}

/// The facts that hold where `condition` is true (`holds`), or where it is false.
fn condition_facts(condition: Node<'_>, holds: bool) -> Vec<Fact<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![(condition, holds)];
    for _ in 0..MAX_TESTS {
        let Some((node, holds)) = todo.pop() else { break };
        match node.kind() {
            K::ParenthesizedExpression => todo.extend(node.first().map(|inner| (inner, holds))),
            K::UnaryExpression if node.text().starts_with('!') => {
                todo.extend(node.first().map(|inner| (inner, !holds)));
            }
            K::BinaryExpression => {
                let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { continue };
                match operator_text(node) {
                    // If an `and` is true, all its parts are; if an `or` is false, all its parts are.
                    "&&" if holds => todo.extend([(left, true), (right, true)]),
                    "||" if !holds => todo.extend([(left, false), (right, false)]),
                    "instanceof" if holds && left.is(K::Identifier) => {
                        let is_class = matches!(right.kind(), K::Identifier | K::MemberExpression);
                        found.extend(is_class.then_some((left, Test::Class(right))));
                    }
                    _ => {}
                }
            }
            K::CallExpression if holds => {
                let is_named =
                    |callee: &Node<'_>| matches!(callee.kind(), K::Identifier | K::MemberExpression);
                let args = callee_node(node).filter(is_named).and_then(|_| node.child(F::Arguments));
                let args = args.into_iter().flat_map(Node::children).zip(0_u8..).take(MAX_ARGS);
                found.extend(
                    args.filter(|(arg, _)| arg.is(K::Identifier))
                        .map(|(arg, at)| (arg, Test::Call(node, at))),
                );
            }
            _ => {}
        }
    }
    found
}

/// Binds `facts` from byte `from` to byte `to`.
fn apply_facts<'a>(cx: &mut Context<'a>, facts: Vec<Fact<'a>>, from: u32, to: u32) {
    for (name, test) in facts {
        // A name that is not local would become local.
        if from >= to || !cx.b.is_bound(name.text()) {
            continue;
        }
        let ty = match test {
            Test::Class(class) => cx.b.body.ty(class),
            // Functions of JavaScript don't state which type they test for.
            Test::Call(..) if cx.lang == Lang::JavaScript => continue,
            Test::Call(call, at) => accepted_type(cx, call, at),
        };
        cx.b.bind_within(BindingKind::Narrowed, name.text(), Some(ty), None, (from, to));
    }
}

/// The type of the argument `at` of a call if the call returns `true`.
fn accepted_type<'a>(cx: &mut Context<'a>, call: Node<'a>, at: u8) -> ExprIx {
    let args = call.child(F::Arguments).into_iter().flat_map(Node::children).take(MAX_ARGS);
    let callee = callee_node(call);
    let callee = cx.b.body.value_or_unknown(callee);
    let args: Vec<ExprIx> = args.map(|arg| cx.b.body.value(arg)).collect();
    let call = cx.b.body.add(Expr::Generic(callee, args));
    cx.b.body.add(Expr::Item(call, at))
}

/// `if (…) { … }`: the facts inside it, in its `else`, and after one that leaves.
pub(super) fn narrow_if<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(condition), Some(then)) = (node.child(F::Condition), node.child(F::Consequence)) else {
        return;
    };
    apply_facts(cx, condition_facts(condition, true), then.start(), then.end());
    if let Some(otherwise) = node.child(F::Alternative) {
        apply_facts(cx, condition_facts(condition, false), otherwise.start(), otherwise.end());
        return;
    }
    let last = if then.is(K::StatementBlock) { then.children().last() } else { Some(then) };
    let leaves = last.is_some_and(|last| matches!(last.kind(), K::ReturnStatement | K::ThrowStatement));
    if leaves && let Some(around) = node.parent() {
        apply_facts(cx, condition_facts(condition, false), node.end(), around.end());
    }
}

/// `a && b`: `a` holds in `b`; in the `b` of `a || b`, it does not.
pub(super) fn narrow_logical<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    match operator_text(node) {
        "&&" => apply_facts(cx, condition_facts(left, true), right.start(), right.end()),
        "||" => apply_facts(cx, condition_facts(left, false), right.start(), right.end()),
        _ => {}
    }
}

/// `condition ? a : b`.
pub(super) fn narrow_ternary<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(condition) = node.child(F::Condition) else { return };
    if let Some(then) = node.child(F::Consequence) {
        apply_facts(cx, condition_facts(condition, true), then.start(), then.end());
    }
    if let Some(otherwise) = node.child(F::Alternative) {
        apply_facts(cx, condition_facts(condition, false), otherwise.start(), otherwise.end());
    }
}
