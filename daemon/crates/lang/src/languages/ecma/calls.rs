//! Calls as they are written: callee, arguments, and the values that only pass through.

use super::keys::string_content;
use super::kinds::{F, K, Node};

/// How many wrappings of a value are looked through.
const MAX_WRAPS: usize = 16;

/// The callee of a call. The grammar takes `await f<T>(…)` for a call of `await f`, and likewise with `!`, `typeof`
/// and other operators.
pub(super) fn callee_node(node: Node<'_>) -> Option<Node<'_>> {
    let mut callee = node.child(F::Function)?;
    for _ in 0..MAX_WRAPS {
        if !takes_type_arguments(callee) {
            break;
        }
        callee = callee.first()?;
    }
    Some(callee)
}

/// Whether `node` is an operator with its operand that the grammar takes for a callee with type arguments.
pub(super) fn takes_type_arguments(node: Node<'_>) -> bool {
    let is_operator = matches!(node.kind(), K::AwaitExpression | K::UnaryExpression);
    node.parent().filter(|_| is_operator).is_some_and(|parent| match parent.kind() {
        K::CallExpression => node.field() == F::Function && parent.child(F::TypeArgumentsField).is_some(),
        K::AwaitExpression | K::UnaryExpression => takes_type_arguments(parent),
        K::BinaryExpression => is_template_tag(node),
        _ => false,
    })
}

/// The tag of a template with type arguments: the grammar takes `` tag<T>`…` `` for two comparisons.
pub(super) fn template_tag(template: Node<'_>) -> Option<Node<'_>> {
    let mut at = template;
    for _ in 0..MAX_WRAPS {
        let parent = at.parent()?;
        match parent.kind() {
            K::MemberExpression | K::CallExpression if parent.first() == Some(at) => at = parent,
            K::BinaryExpression if at.field() == F::Right => {
                let left = parent.child(F::Left).filter(|left| left.end() + 1 == template.start())?;
                let tag = left.child(F::Left).filter(|_| left.is(K::BinaryExpression))?;
                return (operator_text(left) == "<" && operator_text(parent) == ">").then_some(tag);
            }
            _ => return None,
        }
    }
    None
}

/// Whether `node` is the tag of a template with type arguments.
pub(super) fn is_template_tag(node: Node<'_>) -> bool {
    let outer = node.parent().filter(|inner| inner.is(K::BinaryExpression)).and_then(Node::parent);
    let template = outer.filter(|outer| outer.is(K::BinaryExpression)).and_then(|outer| {
        let mut at = outer.child(F::Right)?;
        for _ in 0..MAX_WRAPS {
            if !matches!(at.kind(), K::MemberExpression | K::CallExpression) {
                break;
            }
            at = at.first()?;
        }
        Some(at)
    });
    template.filter(|at| at.is(K::TemplateString)).and_then(template_tag) == Some(node)
}

/// The text between the sides of a binary expression.
pub(super) fn operator_text(node: Node<'_>) -> &str {
    let sides = node.child(F::Left).zip(node.child(F::Right));
    let between = sides.and_then(|(left, right)| node.src().get(left.end() as usize..right.start() as usize));
    between.unwrap_or("").trim()
}

/// The number of arguments in an argument list.
pub(super) fn arg_count(args: Option<Node<'_>>) -> usize {
    match args {
        Some(args) if args.is(K::TemplateString) => 1,
        Some(args) => args.children().take(255).count(),
        None => 0,
    }
}

/// The argument that a call returns unchanged: `Object.freeze(x)`.
pub(super) fn passed_through(node: Node<'_>) -> Option<Node<'_>> {
    let callee = callee_node(node).filter(|callee| callee.is(K::MemberExpression))?;
    let same = callee.end() - callee.start() < 32
        && matches!(
            callee.text(),
            "Object.freeze"
                | "Object.seal"
                | "Object.preventExtensions"
                | "Object.assign"
                | "Object.defineProperties"
        );
    node.child(F::Arguments).filter(|_| same)?.first()
}

/// The value within parentheses, casts, `Object.freeze(…)`, chained assignments.
pub(super) fn unwrap_value(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..MAX_WRAPS {
        let inner = match node.kind() {
            K::ParenthesizedExpression
            | K::AsExpression
            | K::SatisfiesExpression
            | K::NonNullExpression
            | K::InstantiationExpression => node.first(),
            K::TypeAssertion => node.children().nth(1),
            K::AssignmentExpression => node.child(F::Right),
            K::CallExpression => passed_through(node),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The module that `require('…')` or `import('…')` loads.
pub(super) fn required_module(node: Node<'_>) -> Option<&str> {
    let callee = callee_node(node)?;
    let loads = callee.is(K::Import) || (callee.is(K::Identifier) && callee.text() == "require");
    let argument = node.child(F::Arguments).filter(|_| loads)?.first()?;
    let plain = argument.is(K::String)
        || (argument.is(K::TemplateString) && argument.child_of(K::TemplateSubstitution).is_none());
    plain.then(|| string_content(argument)).filter(|module| !module.is_empty())
}

/// The local name of a module that an expression loads without naming it.
pub(super) fn required_name(module: &str) -> String {
    format!("import {module}")
}
