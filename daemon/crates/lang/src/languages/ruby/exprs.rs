//! Shapes of values; types are values too.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::Constant => half.type_name(node.text()),
        K::SelfNode => half.name("self"),
        K::Super => half.add(Expr::SuperRef),
        K::InstanceVariable => {
            let base = half.add(Expr::SelfRef);
            half.attr(base, node.text())
        }
        K::ScopeResolution => {
            let base = match node.child(F::Scope) {
                Some(scope) => half.value(scope),
                // `::A`: its first part is empty.
                None => half.type_name(""),
            };
            half.path(base, node.child(F::NameField).map_or("", Node::text))
        }
        K::Call => {
            if let Some(class) = constructed_class(node) {
                let class = half.value(class);
                return half.add(Expr::New(class));
            }
            // A bare `new` of a class method.
            let bare = node.child(F::Receiver).is_none();
            if bare && node.child(F::MethodField).is_some_and(|name| name.text() == "new") {
                let class = half.add(Expr::SelfType);
                return half.add(Expr::New(class));
            }
            let callee = callee_shape(half, node);
            half.call(callee, arg_count(node))
        }
        K::ElementReference => {
            let base = half.value_or_unknown(node.child(F::ObjectField));
            half.add(Expr::Index(base))
        }
        K::Assignment | K::OperatorAssignment => half.value_or_unknown(node.child(F::Right)),
        K::Parenthesized | K::Begin => half.value_or_unknown(node.children().last()),
        K::Conditional => {
            let then = half.value_or_unknown(node.child(F::Consequence));
            let otherwise = half.value_or_unknown(node.child(F::Alternative));
            half.either(vec![then, otherwise])
        }
        K::Array => {
            let items = half.values(node.children());
            if items.is_empty() { half.lit(Lit::List) } else { half.add(Expr::Tuple(items)) }
        }
        K::StringNode | K::Symbol => half.lit(Lit::Str),
        K::Integer => half.lit(Lit::Int),
        K::Float => half.lit(Lit::Float),
        K::True | K::False => half.lit(Lit::Bool),
        K::Nil => half.lit(Lit::Null),
        K::Hash => half.lit(Lit::Dict),
        K::Regex => half.lit(Lit::Regex),
        K::Lambda => half.lit(Lit::Lambda),
        _ => half.unknown(),
    }
}

/// The shape of the callee of the call `node`.
pub(super) fn callee_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let Some(name) = node.child(F::MethodField) else { return half.unknown() };
    match node.child(F::Receiver) {
        Some(receiver) => {
            let base = half.value(receiver);
            half.attr(base, name.text())
        }
        None if name.is(K::Super) => half.add(Expr::SuperRef),
        None => half.name(name.text()),
    }
}

/// The class of `C.new(…)`.
pub(super) fn constructed_class(node: Node<'_>) -> Option<Node<'_>> {
    let class = node.child(F::Receiver)?;
    let constant = matches!(class.kind(), K::Constant | K::ScopeResolution);
    (constant && node.child(F::MethodField)?.text() == "new").then_some(class)
}

/// How many arguments the call `node` has.
pub(super) fn arg_count(node: Node<'_>) -> usize {
    node.child(F::Arguments).map_or(0, |list| list.children().count())
}

/// The text of a plain string.
pub(super) fn string_content(node: Node<'_>) -> Option<&str> {
    let text = node.text();
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    (node.is(K::StringNode) && !inner.contains("#{")).then_some(inner)
}
