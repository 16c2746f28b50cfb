//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::tables;
use crate::builder::Half;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::Attribute => {
            let base = half.value_or_unknown(node.child(F::Object));
            let name = node.child(F::AttributeName).map_or("", Node::text);
            half.attr(base, name)
        }
        K::Call => call_shape(half, node),
        // `Box[int](1)`: the type before the brackets is built.
        K::Subscript if is_generic_class(node) => half.value_or_unknown(node.child(F::Value)),
        K::Subscript => tables::subscript_shape(half, node),
        K::Await => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Await(inner))
        }
        K::ParenthesizedExpression | K::ExpressionStatement => half.value_or_unknown(node.first()),
        K::NamedExpression => half.value_or_unknown(node.child(F::Value)),
        K::ConditionalExpression => {
            // `a if condition else b`.
            let mut parts = node.children();
            let then = half.value_or_unknown(parts.next());
            let otherwise = half.value_or_unknown(parts.nth(1));
            half.either(vec![then, otherwise])
        }
        K::BooleanOperator => {
            let left = half.value_or_unknown(node.child(F::Left));
            let right = half.value_or_unknown(node.child(F::Right));
            half.either(vec![left, right])
        }
        K::Tuple | K::ExpressionList | K::List => list_shape(half, node),
        K::Type => half.ty(node),
        K::BinaryOperator => {
            // Only text keeps its type whatever is added to it: `"a" + b` is text.
            let left = node.child(F::Left).map(|left| half.value(left));
            match left.map(|left| half.expr(left)) {
                Some(Expr::Lit(Lit::Str)) => half.lit(Lit::Str),
                _ => half.unknown(),
            }
        }
        K::NotOperator | K::ComparisonOperator | K::True | K::False => half.lit(Lit::Bool),
        K::String | K::ConcatenatedString => {
            let quote = node.text().find(['"', '\'']).unwrap_or(0);
            let bytes = node.text().get(..quote).is_some_and(|prefix| prefix.contains(['b', 'B']));
            half.lit(if bytes { Lit::Bytes } else { Lit::Str })
        }
        K::Integer => half.lit(Lit::Int),
        K::Float => half.lit(Lit::Float),
        K::NoneLiteral => half.lit(Lit::Null),
        K::ListComprehension | K::GeneratorExpression => comprehension_shape(half, node, Lit::List),
        K::SetComprehension => comprehension_shape(half, node, Lit::Set),
        K::Dictionary => tables::dictionary_shape(half, node),
        K::DictionaryComprehension => half.lit(Lit::Dict),
        K::Set => half.lit(Lit::Set),
        K::Lambda => half.lit(Lit::Lambda),
        _ => half.unknown(),
    }
}

/// The shape of a list or tuple. With elements copied from another one, any of them may be at any place.
fn list_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let mut items = Vec::new();
    let mut copies = false;
    for item in node.children().take(crate::builder::MAX_ELEMENTS) {
        let splat = item.is(K::ListSplat);
        let value = if splat { half.value_or_unknown(item.first()) } else { half.value(item) };
        items.push(if splat { half.add(Expr::Iter(value)) } else { value });
        copies |= splat;
    }
    if copies {
        let element = half.either(items);
        return half.add(Expr::Tuple(vec![element, element]));
    }
    if items.is_empty() && node.is(K::List) { half.lit(Lit::List) } else { half.add(Expr::Tuple(items)) }
}

/// Whether `node`, a subscript, is called and, by naming custom, is a class with its type arguments.
pub(super) fn is_generic_class(node: Node<'_>) -> bool {
    let is_class = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
        name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase)
    };
    node.is_in(K::Call, F::Function) && node.child(F::Value).is_some_and(|base| is_class(base.text()))
}

fn call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let callee = node.child(F::Function);
    let args = node.child(F::Arguments);
    let first = args.and_then(Node::first);
    match callee.map_or("", Node::text) {
        "super" => {
            let base = half.add(Expr::SuperRef);
            let named = first.filter(|of| matches!(of.kind(), K::Identifier | K::Attribute));
            return match named.filter(|of| of.text() != "__class__") {
                Some(of) => {
                    let of = half.ty(of);
                    half.add(Expr::Generic(base, vec![of]))
                }
                None => base,
            };
        }
        "copy.copy" | "copy.deepcopy" | "deepcopy" | "update_wrapper" | "functools.update_wrapper" => {
            return half.value_or_unknown(first);
        }
        "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "deque" | "collections.deque"
        | "iter" | "next" | "enumerate" | "zip"
            if first.is_some() =>
        {
            return of_elements(half, callee.map_or("", Node::text), args);
        }
        "type" if first.is_some_and(|arg| half.is_receiver(arg.text())) => return half.add(Expr::SelfType),
        "cast" | "typing.cast" | "t.cast" => {
            let ty = half.ty_or_unknown(first);
            return half.add(Expr::New(ty));
        }
        _ => {}
    }
    let callee = half.value_or_unknown(callee);
    half.call(callee, arg_count(args))
}

/// The result of a builtin for the elements of its arguments, read one by one.
fn of_elements<'a>(half: &mut Half<'a>, callee: &str, args: Option<Node<'a>>) -> ExprIx {
    let args = args.map(Node::children).into_iter().flatten();
    let mut elements = Vec::new();
    for arg in args.filter(|arg| !arg.is(K::KeywordArgument)).take(crate::builder::MAX_ELEMENTS) {
        let whole = half.value(arg);
        elements.push(half.add(Expr::Iter(whole)));
    }
    let element = match (callee, elements.first()) {
        (_, None) => return half.lit(Lit::List),
        ("next", Some(first)) => return *first,
        ("enumerate", Some(first)) => {
            let at = half.lit(Lit::Int);
            half.add(Expr::Tuple(vec![at, *first]))
        }
        ("zip", _) => half.add(Expr::Tuple(elements)),
        (_, Some(first)) => *first,
    };
    half.add(Expr::Tuple(vec![element, element]))
}

/// `[f(x) for x in y]`: elements of the expression before the `for`, unless it leads through the loop's names.
fn comprehension_shape<'a>(half: &mut Half<'a>, node: Node<'a>, otherwise: Lit) -> ExprIx {
    let (Some(body), Some(clause)) = (node.first(), node.child_of(K::ForInClause)) else {
        return half.lit(otherwise);
    };
    let (Some(left), Some(right)) = (clause.child(F::Left), clause.child(F::Right)) else {
        return half.lit(otherwise);
    };
    let mut root = body;
    for _ in 0..8 {
        let inner = root.child(F::Function).or_else(|| root.child(F::Object));
        root = inner.unwrap_or(root);
    }
    let element = if body.is(K::Identifier) && body.text() == left.text() {
        let test = node.child_of(K::IfClause).and_then(Node::first);
        match test.and_then(|test| super::narrow::shown_type(test, body.text())) {
            Some(ty) => {
                let ty = if ty.is(K::Tuple) { half.unknown() } else { half.ty(ty) };
                half.add(Expr::New(ty))
            }
            None => {
                let whole = half.value(right);
                half.add(Expr::Iter(whole))
            }
        }
    } else {
        let loops = node.children().filter(|part| part.is(K::ForInClause)).take(4);
        let mut names = loops.filter_map(|part| part.child(F::Left)).flat_map(|left| {
            std::iter::once(left).chain(left.descendants().take(16)).filter(|name| name.is(K::Identifier))
        });
        if !root.is(K::Identifier) || names.any(|name| name.text() == root.text()) {
            return half.lit(otherwise);
        }
        half.value(body)
    };
    half.add(Expr::Tuple(vec![element, element]))
}

/// How many arguments are in an argument list.
pub(super) fn arg_count(args: Option<Node<'_>>) -> usize {
    match args {
        Some(args) if args.is(K::GeneratorExpression) => 1,
        Some(args) => args.children().count(),
        None => 0,
    }
}
