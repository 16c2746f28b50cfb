//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::blocks::block_tail;
use super::elements::first_element_shape;
use super::kinds::{F, K, Node};
use super::names::{is_pointer, plain_name};
use super::types::type_head;
use super::{arms, patterns};
use crate::builder::Half;

/// How many arms of a match are looked at.
const MAX_ARMS: usize = 6;
/// How many parameters of a closure are looked at.
const MAX_PARAMS: usize = 4;

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier | K::TypeIdentifier => match node.text() {
            "Self" => half.add(Expr::SelfType),
            text => half.name(plain_name(text)),
        },
        K::SelfName if in_path(node) => half.type_name("self"),
        K::SelfName => half.add(Expr::SelfRef),
        K::Crate | K::Super => half.type_name(node.text()),
        K::Metavariable if node.text() == "$crate" => half.type_name("crate"),
        K::ScopedIdentifier | K::ScopedTypeIdentifier => {
            let name = plain_name(node.child(F::Name).map_or("", Node::text));
            match node.child(F::Path) {
                Some(base) => {
                    let base = half.value(base);
                    half.path(base, name)
                }
                None => half.type_name(name),
            }
        }
        K::GenericType | K::GenericTypeTurbofish | K::BracketedType | K::QualifiedType => half.ty(node),
        K::FieldExpression => {
            let base = half.value_or_unknown(node.child(F::Value));
            half.attr(base, plain_name(node.child(F::Field).map_or("", Node::text)))
        }
        K::CallExpression => call_shape(half, node),
        K::GenericFunction => half.value_or_unknown(node.child(F::Function)),
        _ => operation_shape(half, node),
    }
}

/// The shape of operators.
fn operation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::AwaitExpression => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Await(inner))
        }
        K::TryExpression => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Unwrap(inner))
        }
        // `&x` has the shape of `x`, because a borrowed value has the members of the value.
        K::ReferenceExpression => half.value_or_unknown(node.child(F::Value)),
        // Dereferences the reference that a method has, and then applies `Deref`.
        K::UnaryExpression
            if node.text().trim_start_matches(['*', '(', ' ']) == "self" && node.text().starts_with("**") =>
        {
            let this = half.add(Expr::SelfRef);
            let deref = half.attr(this, "deref");
            half.call(deref, 0)
        }
        K::UnaryExpression | K::ParenthesizedExpression => half.value_or_unknown(node.first()),
        K::TypeCast => {
            let ty = half.ty_or_unknown(node.child(F::TypeField));
            half.add(Expr::New(ty))
        }
        K::StructExpression => {
            let ty = half.ty_or_unknown(node.child(F::Name));
            half.add(Expr::New(ty))
        }
        K::IndexExpression => {
            let base = half.value_or_unknown(node.first());
            let by_range = node.children().nth(1).is_some_and(|index| index.is(K::RangeExpression));
            if by_range { base } else { half.add(Expr::Index(base)) }
        }
        _ => block_shape(half, node),
    }
}

/// The shape of expressions with blocks.
fn block_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::IfExpression => {
            let then = arms::branch_shape(half, node.child(F::Condition), node.child(F::Consequence));
            let otherwise = node.child(F::Alternative).and_then(Node::first);
            let otherwise = otherwise.map(|other| half.value(other));
            half.either(std::iter::once(then).chain(otherwise).collect())
        }
        K::MatchExpression => {
            let arms = node.child(F::Body).into_iter().flat_map(Node::children);
            let arms = arms.filter(|arm| arm.child(F::Value).is_some()).take(MAX_ARMS);
            let subject = node.child(F::Value);
            let mut values: Vec<ExprIx> = arms.map(|arm| arms::arm_shape(half, subject, arm)).collect();
            if values.len() > 1 {
                values.retain(|ix| !half.is_unknown(*ix));
            }
            half.either(values)
        }
        K::Block | K::UnsafeBlock | K::AsyncBlock | K::TryBlock => {
            let block = if node.is(K::Block) { Some(node) } else { node.child_of(K::Block) };
            half.value_or_unknown(block.and_then(block_tail))
        }
        K::ClosureExpression => {
            let ret = match (node.child(F::ReturnType), node.child(F::Body)) {
                (Some(ty), _) => {
                    let ty = half.ty(ty);
                    Some(half.add(Expr::New(ty)))
                }
                (None, Some(body)) => Some(half.value(body)),
                (None, None) => None,
            };
            let params = node.child(F::Parameters).into_iter().flat_map(Node::children).take(MAX_PARAMS);
            let params = params.map(|param| {
                patterns::pattern_shape(
                    half,
                    if param.is(K::Parameter) { param.child(F::Pattern) } else { Some(param) },
                )
            });
            let params = params.collect();
            half.add(Expr::Callable(params, ret))
        }
        _ => literal_shape(half, node),
    }
}

/// The shape of a literal.
fn literal_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::ArrayExpression => {
            let items = half.values(node.children());
            if items.is_empty() { half.lit(Lit::List) } else { half.add(Expr::Tuple(items)) }
        }
        K::TupleExpression => {
            let items = half.values(node.children());
            half.add(Expr::Tuple(items))
        }
        K::MacroInvocation => macro_value(half, node),
        K::StringLiteral | K::RawStringLiteral => {
            half.lit(if node.text().starts_with('b') { Lit::Bytes } else { Lit::Str })
        }
        K::CharLiteral => half.lit(Lit::Str),
        K::IntegerLiteral => half.lit(Lit::Int),
        K::FloatLiteral => half.lit(Lit::Float),
        K::BooleanLiteral => half.lit(Lit::Bool),
        K::UnitExpression => half.lit(Lit::Null),
        _ => half.unknown(),
    }
}

/// The result of a macro of the standard library.
fn macro_value<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.child(F::MacroName).map_or("", Node::text).rsplit("::").next().unwrap_or("") {
        // Their argument, or the value that it holds.
        "ready" | "try_ready" | "try" | "tri" | "dbg" | "pin" => {
            let given = node.child_of(K::TokenTree).and_then(|tree| first_element_shape(half, tree));
            match given {
                Some(given) => half.add(Expr::Unwrap(given)),
                None => half.unknown(),
            }
        }
        "vec" => match node.child_of(K::TokenTree).and_then(|tree| first_element_shape(half, tree)) {
            Some(element) => of_values(half, "Vec", element),
            None => half.lit(Lit::List),
        },
        "format" | "concat" | "stringify" | "env" | "include_str" | "file" => half.lit(Lit::Str),
        "matches" | "cfg" => half.lit(Lit::Bool),
        "line" | "column" => half.lit(Lit::Int),
        _ => half.unknown(),
    }
}

/// `self` as the module: `self::x`.
fn in_path(node: Node<'_>) -> bool {
    node.field() == F::Path
}

fn call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let args = node.child(F::ArgumentsField);
    let Some(callee) = node.child(F::Function).map(plain_callee) else { return half.unknown() };
    if callee.is(K::ScopedIdentifier) {
        let path = callee.child(F::Path);
        let last = path.map_or("", |path| type_head(path).text());
        let last = last.rsplit("::").next().unwrap_or(last);
        match (last, callee.child(F::Name).map_or("", Node::text)) {
            // Pointers, and functions that return a value of the type they are given.
            (of, name) if is_pointer(of, name) || (of == "mem" && matches!(name, "take" | "replace")) => {
                return half.value_or_unknown(args.and_then(Node::first));
            }
            ("Default", "default") => return half.unknown(),
            // These return the type itself, whether derived or written out.
            (of, "default" | "from") if of.starts_with(char::is_uppercase) => {
                let ty = half.ty_or_unknown(path);
                return half.add(Expr::New(ty));
            }
            _ => {}
        }
    }
    let first = args.and_then(Node::first);
    if let (K::Identifier, "Some", Some(first)) = (callee.kind(), callee.text(), first) {
        let held = half.value(first);
        return of_values(half, "Option", held);
    }
    // The callee may return the result of the function passed to it.
    let function = match callee.child(F::Field).filter(|_| callee.is(K::FieldExpression)) {
        Some(name) if is_made_by(name.text()) => args
            .and_then(|args| args.children().take(3).filter(|arg| arg.is(K::ClosureExpression)).last())
            .map(|function| half.value(function)),
        _ => None,
    };
    let mut callee = half.value(callee);
    if let Some(function) = function {
        callee = half.add(Expr::Generic(callee, vec![function]));
    }
    half.call(callee, arg_count(args))
}

/// A value of the type `name` from outside that holds `element`.
pub(super) fn of_values(half: &mut Half<'_>, name: &str, element: ExprIx) -> ExprIx {
    let element = half.add(Expr::Either(vec![element]));
    let name = half.type_name(name);
    let ty = half.add(Expr::Generic(name, vec![element]));
    half.add(Expr::New(ty))
}

/// Methods that return the result of the function passed to them, or a container of it, such as `map`.
fn is_made_by(name: &str) -> bool {
    matches!(
        name,
        "map"
            | "and_then"
            | "filter_map"
            | "find_map"
            | "flat_map"
            | "map_or"
            | "map_or_else"
            | "map_while"
            | "then"
    )
}

/// A callee without its type arguments.
pub(super) fn plain_callee(node: Node<'_>) -> Node<'_> {
    if node.is(K::GenericFunction) { node.child(F::Function).unwrap_or(node) } else { node }
}

/// How many arguments are in an argument list.
pub(super) fn arg_count(args: Option<Node<'_>>) -> usize {
    args.map_or(0, |args| args.children().filter(|arg| !arg.is(K::AttributeItem)).count())
}
