//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::types;
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::SelectorExpression => {
            let base = half.value_or_unknown(node.child(F::Operand));
            half.attr(base, node.child(F::Field).map_or("", Node::text))
        }
        K::CallExpression => call_shape(half, node),
        K::TypeConversion if let Some(callee) = instantiated_callee(half, node) => half.call(callee, 1),
        K::CompositeLiteral | K::TypeConversion | K::TypeAssertion => {
            let ty = half.ty_or_unknown(node.child(F::TypeField));
            half.add(Expr::New(ty))
        }
        K::IndexExpression => {
            let base = half.value_or_unknown(node.child(F::Operand));
            half.add(Expr::Index(base))
        }
        K::SliceExpression => half.value_or_unknown(node.child(F::Operand)),
        K::UnaryExpression => {
            let operator = node.child(F::Operator).map(Node::kind);
            if operator == Some(K::Bang) {
                return half.lit(Lit::Bool);
            }
            let inner = half.value_or_unknown(node.child(F::Operand));
            if operator == Some(K::Arrow) { half.add(Expr::Iter(inner)) } else { inner }
        }
        K::ParenthesizedExpression | K::VariadicArgument | K::LiteralElement | K::ExpressionStatement => {
            half.value_or_unknown(node.first())
        }
        K::ExpressionList => {
            let mut items = half.values(node.children());
            if items.len() == 1 {
                items.pop().unwrap_or_else(|| half.unknown())
            } else {
                half.add(Expr::Tuple(items))
            }
        }
        K::BinaryExpression => {
            let compares = node.child(F::Operator).is_some_and(|operator| operator.kind() != K::Other);
            if compares { half.lit(Lit::Bool) } else { half.unknown() }
        }
        K::FuncLiteral | K::TypeInstantiation => half.ty(node),
        K::InterpretedString | K::RawString => half.lit(Lit::Str),
        K::IntLiteral | K::RuneLiteral | K::Iota => half.lit(Lit::Int),
        K::FloatLiteral | K::ImaginaryLiteral => half.lit(Lit::Float),
        K::True | K::False => half.lit(Lit::Bool),
        K::Nil => half.lit(Lit::Null),
        _ => half.unknown(),
    }
}

fn call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let Some(callee) = node.child(F::Function) else { return half.unknown() };
    let args = node.child(F::Arguments);
    let first = args.and_then(Node::first);
    if callee.is(K::Identifier) {
        match callee.text() {
            "new" | "make" => {
                let ty = half.ty_or_unknown(first);
                return half.add(Expr::New(ty));
            }
            "append" => return half.value_or_unknown(first),
            "len" | "cap" | "copy" => return half.lit(Lit::Int),
            name if types::is_builtin(name) => return half.unknown(),
            _ => {}
        }
    }
    let callee = half.value(callee);
    half.call(callee, arg_count(args))
}

/// `F[T](x)` reads as a conversion, but may be a call: returns its callee.
fn instantiated_callee<'a>(half: &mut Half<'a>, node: Node<'a>) -> Option<ExprIx> {
    let generic = node.child(F::TypeField).filter(|ty| ty.is(K::GenericType))?;
    let named = types::type_name_node(generic)?;
    let callee = if named.is(K::QualifiedType) {
        let package = half.name(named.child(F::Package)?.text());
        half.attr(package, named.child(F::Name)?.text())
    } else {
        half.name(named.text())
    };
    Some(half.add(Expr::Index(callee)))
}

/// How many arguments are in an argument list.
pub(super) fn arg_count(args: Option<Node<'_>>) -> usize {
    args.map_or(0, |args| args.children().count())
}

/// The text between a string's quotes.
pub(super) fn string_content(node: Node<'_>) -> &str {
    let text = node.text();
    text.get(1..text.len().saturating_sub(1)).unwrap_or("")
}
