//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::types;
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::VariableName => half.name(node.text()),
        K::Name | K::QualifiedName | K::RelativeName | K::RelativeScope => {
            types::name_shape(half, node.text())
        }
        K::MemberAccess | K::NullsafeMemberAccess => {
            let base = half.value_or_unknown(node.child(F::Object));
            named_member(half, base, node)
        }
        K::MemberCall | K::NullsafeMemberCall => {
            let base = half.value_or_unknown(node.child(F::Object));
            let callee = named_member(half, base, node);
            half.call(callee, arg_count(node))
        }
        K::ScopedPropertyAccess | K::ScopedCall => {
            let base = half.value_or_unknown(node.child(F::Scope));
            let Some(name) = node.child(F::NameField).filter(is_plain) else { return half.unknown() };
            let member = half.path(base, name.text().trim_start_matches('$'));
            if node.is(K::ScopedCall) { half.call(member, arg_count(node)) } else { member }
        }
        K::ClassConstantAccess => {
            let mut parts = node.children();
            let (Some(scope), Some(name)) = (parts.next(), parts.next()) else { return half.unknown() };
            if name.text() == "class" {
                return half.lit(Lit::Str);
            }
            let base = half.value(scope);
            half.path(base, name.text())
        }
        K::FunctionCall => {
            let callee = half.value_or_unknown(node.child(F::Function));
            half.call(callee, arg_count(node))
        }
        K::ObjectCreation => {
            let ty = node.children().find(is_class_name);
            let ty = half.ty_or_unknown(ty);
            half.add(Expr::New(ty))
        }
        _ => operation_shape(half, node),
    }
}

/// The shape of operators and conditions.
fn operation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Subscript => {
            let base = half.value_or_unknown(node.first());
            half.add(Expr::Index(base))
        }
        K::Parenthesized | K::ExpressionStatement | K::Clone => half.value_or_unknown(node.first()),
        K::Assignment => half.value_or_unknown(node.child(F::Right)),
        K::Conditional => {
            let then = node.child(F::Body).or_else(|| node.child(F::Condition));
            let then = half.value_or_unknown(then);
            let otherwise = half.value_or_unknown(node.child(F::Alternative));
            half.either(vec![then, otherwise])
        }
        K::Match => {
            let arms: Vec<Node<'a>> = node
                .child(F::Body)
                .into_iter()
                .flat_map(Node::children)
                .filter_map(|arm| arm.child(F::ReturnExpression))
                .collect();
            let all = half.values(arms.into_iter());
            half.either(all)
        }
        K::Binary => match node.child(F::Operator).map(Node::kind) {
            Some(K::Coalesce) => {
                let left = half.value_or_unknown(node.child(F::Left));
                let right = half.value_or_unknown(node.child(F::Right));
                half.either(vec![left, right])
            }
            Some(K::Concat) => half.lit(Lit::Str),
            Some(K::Instanceof) => half.lit(Lit::Bool),
            _ => half.unknown(),
        },
        _ => literal_shape(half, node),
    }
}

/// The shape of a literal.
fn literal_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::ArrayCreation => array_shape(half, node),
        K::AnonymousFunction => half.lit(Lit::Lambda),
        K::ArrowFunction => {
            let ret = half.value_or_unknown(node.child(F::Body));
            half.add(Expr::Callable(Vec::new(), Some(ret)))
        }
        K::StringLiteral | K::Encapsed | K::Heredoc => half.lit(Lit::Str),
        K::Integer => half.lit(Lit::Int),
        K::Float => half.lit(Lit::Float),
        K::Boolean => half.lit(Lit::Bool),
        K::Null => half.lit(Lit::Null),
        _ => half.unknown(),
    }
}

fn array_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let Some(first) = node.first() else { return half.lit(Lit::List) };
    if first.child_of(K::Arrow).is_some() {
        return half.lit(Lit::Dict);
    }
    let items: Vec<Node<'a>> = node.children().filter_map(Node::first).collect();
    let items = half.values(items.into_iter());
    half.add(Expr::Tuple(items))
}

fn named_member<'a>(half: &mut Half<'a>, base: ExprIx, node: Node<'a>) -> ExprIx {
    match node.child(F::NameField).filter(|name| name.is(K::Name)) {
        Some(name) => half.attr(base, name.text()),
        None => half.unknown(),
    }
}

/// Whether a member's name is written out, not computed.
pub(super) fn is_plain(node: &Node<'_>) -> bool {
    matches!(node.kind(), K::Name | K::VariableName)
}

/// Whether `node`, of a `new`, names the class.
pub(super) fn is_class_name(node: &Node<'_>) -> bool {
    matches!(node.kind(), K::Name | K::QualifiedName | K::RelativeName | K::RelativeScope)
}

/// How many arguments the call `node` has.
pub(super) fn arg_count(node: Node<'_>) -> usize {
    let list = node.child(F::ArgumentsField).or_else(|| node.child_of(K::Arguments));
    list.map_or(0, |list| list.children().count())
}

/// The first argument of the call `node` if it is plain text.
pub(super) fn first_text(node: Node<'_>) -> Option<(&str, u32)> {
    let list = node.child(F::ArgumentsField).or_else(|| node.child_of(K::Arguments))?;
    let value = list.first()?.first()?;
    string_content(value).map(|text| (text, value.start()))
}

/// The text in a literal's quotes.
pub(super) fn string_content(node: Node<'_>) -> Option<&str> {
    let plain = matches!(node.kind(), K::StringLiteral | K::Encapsed);
    let text = node.text();
    plain.then(|| text.get(1..text.len().saturating_sub(1)).unwrap_or("")).filter(|text| !text.contains('$'))
}
