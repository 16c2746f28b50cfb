//! Types that tests show: `if ($x instanceof T) { … }`.

use sdl_model::facts::BindingKind;

use super::kinds::{Context, F, K, Node};

/// How many tests of one condition are looked at.
const MOST_TESTS: usize = 16;

/// A name and the class that a test has shown it to have.
type Fact<'a> = (Node<'a>, Node<'a>);

/// The facts that hold where `condition` is true (`holds`), or where it is false.
fn condition_facts(condition: Node<'_>, holds: bool) -> Vec<Fact<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![(condition, holds)];
    for _ in 0..MOST_TESTS {
        let Some((node, holds)) = todo.pop() else { break };
        match node.kind() {
            K::Parenthesized => todo.extend(node.first().map(|inner| (inner, holds))),
            K::UnaryOp if node.text().starts_with('!') => {
                todo.extend(node.children().last().map(|inner| (inner, !holds)));
            }
            K::Binary => {
                let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { continue };
                match is_conjunction(left, right) {
                    // If an `and` is true, all its parts are; if an `or` is false, all its parts are.
                    Some(and) if and == holds => todo.extend([(left, holds), (right, holds)]),
                    None if holds => found.extend(instanceof_fact(node, left, right)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the operator between two conditions is an `and`; none if it is neither `and` nor `or`.
fn is_conjunction(left: Node<'_>, right: Node<'_>) -> Option<bool> {
    let between = left.src().get(left.end() as usize..right.start() as usize).unwrap_or("");
    match between.trim() {
        "&&" | "and" | "AND" => Some(true),
        "||" | "or" | "OR" => Some(false),
        _ => None,
    }
}

/// `$name instanceof T`.
fn instanceof_fact<'a>(node: Node<'a>, left: Node<'a>, right: Node<'a>) -> Option<Fact<'a>> {
    let is_test = node.child(F::Operator).is_some_and(|operator| operator.is(K::Instanceof));
    let is_class = matches!(right.kind(), K::Name | K::QualifiedName | K::RelativeName);
    (is_test && is_class && left.is(K::VariableName)).then_some((left, right))
}

/// Binds `facts` from byte `from` to byte `to`.
fn apply_facts<'a>(cx: &mut Context<'a>, facts: Vec<Fact<'a>>, from: u32, to: u32) {
    for (name, class) in facts {
        // A variable that is set in between may be anything.
        if name.text() == "$this" || from >= to {
            continue;
        }
        let ty = cx.b.body.ty(class);
        cx.b.bind_within(BindingKind::Narrowed, name.text(), Some(ty), None, (from, to));
    }
}

/// `if (…) { … }`: the facts inside it, and those after one that leaves if the condition does not hold.
pub(super) fn narrow_if<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(test), Some(body)) = (node.child(F::Condition), node.child(F::Body)) else { return };
    let (from, to) = (body.start(), body.end());
    apply_facts(cx, condition_facts(test, true), from, to);
    if node.child(F::Alternative).is_none() && always_leaves(body) {
        let around = node.ancestors().take(64).find(|around| {
            matches!(around.kind(), K::Compound | K::MethodDeclaration | K::FunctionDefinition)
        });
        let end = around.map_or(to, Node::end);
        apply_facts(cx, condition_facts(test, false), to, end);
    }
}

/// `… ? a : b`.
pub(super) fn narrow_ternary<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(test), Some(then)) = (node.child(F::Condition), node.child(F::Body)) else { return };
    let otherwise = node.child(F::Alternative);
    apply_facts(cx, condition_facts(test, true), then.start(), then.end());
    if let Some(otherwise) = otherwise {
        apply_facts(cx, condition_facts(test, false), otherwise.start(), otherwise.end());
    }
}

/// `a && b`, `a || b`: the facts of the first part apply in the second.
pub(super) fn narrow_logical<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    if let Some(and) = is_conjunction(left, right) {
        apply_facts(cx, condition_facts(left, and), right.start(), right.end());
    }
}

/// Whether a block's last statement leaves the enclosing block.
fn always_leaves(body: Node<'_>) -> bool {
    let last = if body.is(K::Compound) { body.children().last() } else { Some(body) };
    let Some(last) = last else { return false };
    let text = last.text();
    last.is(K::Return)
        || ["throw ", "continue", "break", "exit", "die"].iter().any(|word| text.starts_with(word))
}
