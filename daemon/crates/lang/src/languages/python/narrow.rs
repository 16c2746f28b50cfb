//! Types that tests show: `if isinstance(x, T): …`.

use sdl_model::facts::BindingKind;

use super::kinds::{Context, F, K, Node};

/// How many tests of one condition are looked at.
const MAX_TESTS: usize = 16;

/// A name and the type that a test has shown it to have.
type Fact<'a> = (Node<'a>, Node<'a>);

/// The facts that hold where `condition` is true (`holds`), or where it is false.
fn condition_facts(condition: Node<'_>, holds: bool) -> Vec<Fact<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![(condition, holds)];
    for _ in 0..MAX_TESTS {
        let Some((node, holds)) = todo.pop() else { break };
        match node.kind() {
            K::ParenthesizedExpression => todo.extend(node.first().map(|inner| (inner, holds))),
            K::NotOperator => todo.extend(node.first().map(|inner| (inner, !holds))),
            K::BooleanOperator => {
                let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { continue };
                // If an `and` is true, all its parts are; if an `or` is false, all its parts are.
                if is_and(left, right) == holds {
                    todo.extend([(left, holds), (right, holds)]);
                }
            }
            K::Call if holds => found.extend(isinstance_fact(node)),
            _ => {}
        }
    }
    found
}

/// The type that `name` is shown to have where `condition` holds.
pub(super) fn shown_type<'a>(condition: Node<'a>, name: &str) -> Option<Node<'a>> {
    condition_facts(condition, true).into_iter().find(|(tested, _)| tested.text() == name).map(|(_, ty)| ty)
}

fn is_and(left: Node<'_>, right: Node<'_>) -> bool {
    let between = left.src().get(left.end() as usize..right.start() as usize).unwrap_or("");
    between.contains("and")
}

/// `isinstance(name, T)`.
fn isinstance_fact(call: Node<'_>) -> Option<Fact<'_>> {
    call.child(F::Function).filter(|callee| callee.is(K::Identifier) && callee.text() == "isinstance")?;
    let mut args = call.child(F::Arguments)?.children();
    let name = args.next().filter(|name| name.is(K::Identifier))?;
    let ty = args.next().filter(|ty| {
        let named = |node: Node<'_>| matches!(node.kind(), K::Identifier | K::Attribute);
        named(*ty) || (ty.is(K::Tuple) && ty.children().all(named))
    })?;
    Some((name, ty))
}

/// Binds `facts` from byte `from` to byte `to`.
fn apply_facts<'a>(cx: &mut Context<'a>, facts: Vec<Fact<'a>>, from: u32, to: u32) {
    for (name, ty) in facts {
        // A name that is not local would become local.
        if !cx.b.is_bound(name.text()) {
            continue;
        }
        let ty = if ty.is(K::Tuple) {
            let all = cx.b.body.types(ty.children());
            cx.b.body.union(all)
        } else {
            cx.b.body.ty(ty)
        };
        cx.b.bind_within(BindingKind::Narrowed, name.text(), Some(ty), None, (from, to));
    }
}

/// `if …`, `elif …`.
pub(super) fn narrow_if<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(condition), Some(block)) = (node.child(F::Condition), node.child(F::Consequence)) else {
        return;
    };
    apply_facts(cx, condition_facts(condition, true), block.start(), block.end());
    // After a branch that leaves the block, the opposite holds, because the code there is reached only if the test
    // failed.
    let leaves = block.children().last().is_some_and(|last| {
        matches!(
            last.kind(),
            K::ReturnStatement | K::RaiseStatement | K::ContinueStatement | K::BreakStatement
        )
    });
    if leaves
        && node.is(K::IfStatement)
        && node.child(F::Alternative).is_none()
        && let Some(around) = node.parent()
    {
        apply_facts(cx, condition_facts(condition, false), node.end(), around.end());
    }
}

/// `assert …`.
pub(super) fn narrow_assert<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let (Some(condition), Some(around)) = (node.first(), node.parent()) {
        apply_facts(cx, condition_facts(condition, true), node.end(), around.end());
    }
}

/// `a and b`: `a` holds in `b`.
pub(super) fn narrow_logical<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    apply_facts(cx, condition_facts(left, is_and(left, right)), right.start(), right.end());
}

/// `a if condition else b`.
pub(super) fn narrow_ternary<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node.children();
    if let (Some(then), Some(condition)) = (parts.next(), parts.next()) {
        apply_facts(cx, condition_facts(condition, true), then.start(), then.end());
    }
}

/// `… for x in y if condition`: holds in all of the comprehension, because elements that fail it are left out.
pub(super) fn narrow_comprehension<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let (Some(condition), Some(around)) = (node.first(), node.parent()) {
        apply_facts(cx, condition_facts(condition, true), around.start(), around.end());
    }
}
