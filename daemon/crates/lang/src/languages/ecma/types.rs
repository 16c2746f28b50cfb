//! Shapes of stated types.

use sdl_model::facts::{Expr, ExprIx, Lit, PREDICATE};

use super::exprs;
use super::keys::{MAX_FIELDS, property_name, string_content};
use super::kinds::{F, K, Node};
use crate::builder::{Half, MAX_ELEMENTS};

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::TypeIdentifier | K::Identifier => half.type_name(node.text()),
        K::NestedTypeIdentifier | K::NestedIdentifier => dotted_shape(half, node),
        K::TypeAnnotation
        | K::ParenthesizedType
        | K::ReadonlyType
        | K::OptionalType
        | K::RestType
        | K::Constraint => half.ty_or_unknown(node.first()),
        K::GenericType => generic_shape(half, node),
        K::PredefinedType => predefined_shape(half, node.text()),
        K::LiteralType => match node.first() {
            Some(literal) => half.value(literal),
            None => half.lit(Lit::Null),
        },
        K::ArrayType => {
            let element = half.ty_or_unknown(node.first());
            half.add(Expr::Index(element))
        }
        K::TupleType => {
            let items = half.types(node.children());
            half.add(Expr::Tuple(items))
        }
        K::RequiredParameter | K::OptionalParameter => half.ty_or_unknown(node.child(F::TypeField)),
        // `A & B` is read like `A | B`, because for a receiver a member of any part is a member of the whole.
        K::UnionType | K::IntersectionType => union_shape(half, node),
        K::FlowMaybeType => {
            let inner = half.ty_or_unknown(node.first());
            half.optional(inner)
        }
        K::FunctionType => function_shape(half, node),
        K::ObjectType => object_shape(half, node),
        K::ConditionalType => {
            let then = half.ty_or_unknown(node.child(F::Consequence));
            let otherwise = half.ty_or_unknown(node.child(F::Alternative));
            half.union(vec![then, otherwise])
        }
        K::ThisType | K::This => half.add(Expr::SelfType),
        K::TypePredicateAnnotation => half.ty_or_unknown(node.first()),
        K::TypePredicate => predicate_shape(half, node),
        K::AssertsAnnotation => half.lit(Lit::Null),
        // `typeof x`.
        K::TypeQuery => {
            let value = half.value_or_unknown(node.first());
            if half.is_unknown(value) { value } else { half.add(Expr::Either(vec![value])) }
        }
        K::IndexTypeQuery | K::TemplateLiteralType => half.lit(Lit::Str),
        K::LookupType => lookup_shape(half, node),
        // `import('x').T`.
        K::MemberExpression | K::CallExpression => exprs::value_shape(half, node),
        _ => half.unknown(),
    }
}

/// `value is T`: a truth value that shows the type of a parameter.
fn predicate_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let name = node.child(F::Name).filter(|name| name.is(K::Identifier));
    let (Some(name), Some(ty)) = (name, node.child(F::TypeField)) else { return half.lit(Lit::Bool) };
    let ty = half.ty(ty);
    let name = half.type_name(name.text());
    let predicate = half.name(PREDICATE);
    half.add(Expr::Generic(predicate, vec![ty, name]))
}

/// `T['member']`, `T[number]`: the type of that member or element of T.
fn lookup_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let mut parts = node.children();
    let (Some(of), Some(at)) = (parts.next(), parts.next()) else { return half.unknown() };
    let name = at.first().filter(|name| at.is(K::LiteralType) && name.is(K::String)).map(string_content);
    if name.is_none() && !(at.is(K::PredefinedType) && at.text() == "number") {
        return half.unknown();
    }
    let of = half.ty(of);
    if half.is_unknown(of) {
        return of;
    }
    let of = half.add(Expr::New(of));
    let part = match name {
        Some(name) => half.attr(of, name),
        None => half.add(Expr::Index(of)),
    };
    half.add(Expr::Either(vec![part]))
}

/// An object type as it is written; one with an index is a map.
fn object_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let mut fields = Vec::new();
    for part in node.children().take(MAX_FIELDS) {
        let ty = match part.kind() {
            K::PropertySignature => half.ty_or_unknown(part.child(F::TypeField)),
            K::MethodSignature => {
                let ret = part.child(F::ReturnType).map(|ret| half.ty(ret));
                half.add(Expr::Callable(Vec::new(), ret))
            }
            K::IndexSignature if fields.is_empty() => {
                let element = half.ty_or_unknown(part.child(F::TypeField));
                let map = half.type_name("Record");
                let key = half.lit(Lit::Str);
                return half.add(Expr::Generic(map, vec![key, element]));
            }
            _ => continue,
        };
        let Some(name) = part.child(F::Name) else { continue };
        let name = half.str(property_name(name));
        fields.push((name, ty));
    }
    if fields.is_empty() { half.lit(Lit::Object) } else { half.add(Expr::Record(fields)) }
}

/// A qualified name, outer parts first. It may nest as deep as the text does.
fn dotted_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    if node.end() - node.start() > 400 {
        return half.unknown();
    }
    let mut parts = node.text().split('.').map(str::trim);
    let mut ix = half.type_name(parts.next().unwrap_or(""));
    for part in parts.take(MAX_ELEMENTS) {
        ix = half.attr(ix, part);
    }
    ix
}

fn generic_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let base = half.ty_or_unknown(node.child(F::Name));
    let args = node.child(F::TypeArgumentsField).map(Node::children).into_iter().flatten();
    let args = half.types(args);
    if args.is_empty() { base } else { half.add(Expr::Generic(base, args)) }
}

fn predefined_shape(half: &mut Half<'_>, name: &str) -> ExprIx {
    let lit = match name {
        "string" => Lit::Str,
        "number" => Lit::Float,
        "boolean" => Lit::Bool,
        "void" | "never" => Lit::Null,
        "object" => Lit::Object,
        _ => return half.unknown(),
    };
    half.lit(lit)
}

/// `A | B | C`, which nests to the left, flat.
fn union_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let mut parts = Vec::new();
    let mut todo = vec![node];
    while let Some(part) = todo.pop() {
        if matches!(part.kind(), K::UnionType | K::IntersectionType) {
            let first = todo.len();
            todo.extend(part.children().take(MAX_ELEMENTS));
            if let Some(added) = todo.get_mut(first..) {
                added.reverse();
            }
        } else {
            parts.push(part);
        }
        if todo.len() > 4 * MAX_ELEMENTS {
            break;
        }
    }
    let mut all: Vec<ExprIx> = Vec::new();
    for part in parts.into_iter().take(MAX_ELEMENTS) {
        let ty = half.ty(part);
        match half.expr(ty) {
            Expr::Union(list) => all.extend(list.clone()),
            _ => all.push(ty),
        }
    }
    all.truncate(MAX_ELEMENTS);
    half.union(all)
}

fn function_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let list = node.child(F::Parameters).map(Node::children).into_iter().flatten();
    // `this` is no parameter that anyone passes.
    let params: Vec<ExprIx> = list
        .filter(|param| !param.child(F::Pattern).is_some_and(|name| name.is(K::This)))
        .take(MAX_ELEMENTS)
        .map(|param| half.ty_or_unknown(param.child(F::TypeField)))
        .collect();
    let ret = node.child(F::ReturnType).map(|ret| half.ty(ret));
    half.add(Expr::Callable(params, ret))
}

/// The object types in `node`, an alias's target: their members are the alias's.
pub(super) fn object_types(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![node];
    let mut steps = 0;
    while let Some(part) = todo.pop() {
        steps += 1;
        match part.kind() {
            K::ObjectType => found.push(part),
            K::UnionType | K::IntersectionType | K::ParenthesizedType | K::ReadonlyType if steps < 256 => {
                todo.extend(part.children().take(64));
            }
            _ => {}
        }
    }
    found
}
