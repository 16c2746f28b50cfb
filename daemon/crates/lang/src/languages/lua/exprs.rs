//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::kinds::{F, K, Node};
use super::names;
use crate::builder::{Half, MAX_ELEMENTS};

pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier => half.name(node.text()),
        K::DotIndex | K::MethodIndex => match names::member_parts(node) {
            Some((table, name)) => {
                let table = half.value(table);
                half.attr(table, name.text())
            }
            None => half.unknown(),
        },
        K::BracketIndex => {
            let table = half.value_or_unknown(node.child(F::Table));
            match names::member_parts(node) {
                Some((_, name)) => half.attr(table, names::text_of(name)),
                None => half.add(Expr::Index(table)),
            }
        }
        K::FunctionCall => call_shape(half, node),
        K::Parenthesized => half.value_or_unknown(node.first()),
        K::BinaryExpression => binary_shape(half, node),
        K::UnaryExpression => {
            let operator = node.child(F::Operator).map(Node::kind);
            match operator {
                Some(K::Not) => half.lit(Lit::Bool),
                Some(K::Hash) => half.lit(Lit::Int),
                _ => half.unknown(),
            }
        }
        K::TableConstructor => table_shape(half, node),
        K::FunctionDefinition => half.lit(Lit::Lambda),
        K::String => half.lit(Lit::Str),
        K::Number => {
            let is_whole = node.text().bytes().all(|byte| byte.is_ascii_digit());
            half.lit(if is_whole { Lit::Int } else { Lit::Float })
        }
        K::True | K::False => half.lit(Lit::Bool),
        K::Nil => half.lit(Lit::Null),
        _ => half.unknown(),
    }
}

/// The type whose metatable `node` names.
pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier | K::DotIndex | K::Parenthesized => value_shape(half, node),
        // `{ __index = M }`.
        K::TableConstructor => match indexed(node) {
            Some(index) => half.ty(index),
            None => half.unknown(),
        },
        _ => half.unknown(),
    }
}

/// The table in which a metatable looks up missing members: `M` of `{ __index = M }`.
pub(super) fn indexed(metatable: Node<'_>) -> Option<Node<'_>> {
    let field = metatable.children().take(names::MAX_FIELDS).find(|field| {
        field.child(F::Name).is_some_and(|name| name.is(K::Identifier) && name.text() == "__index")
    })?;
    field.child(F::Value).filter(|value| names::dotted(*value).is_some())
}

/// The module that a call of `require` names, as the name of a local that no program has.
pub(super) fn module_name(module: &str) -> String {
    format!("require {module}")
}

/// The module that `call` requires: its name, or the rest of one that begins with the file's own, after a dot.
pub(super) fn required(call: Node<'_>) -> Option<String> {
    if !names::calls(call, "require") {
        return None;
    }
    named_module(names::arguments(call).next()?)
}

/// The module that the argument of `require` names.
pub(super) fn named_module(argument: Node<'_>) -> Option<String> {
    match argument.kind() {
        K::String => Some(names::text_of(argument).to_owned()).filter(|text| !text.is_empty()),
        // `require(… .. ".part")`: beside this file.
        K::BinaryExpression if argument.child_of(K::Concat).is_some() => {
            let last = argument.child(F::Right).filter(|last| last.is(K::String))?;
            let text = names::text_of(last).trim_start_matches(['.', '/']);
            (!text.is_empty()).then(|| format!(".{text}"))
        }
        _ => None,
    }
}

fn call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    if let Some(module) = required(node) {
        return half.type_name(&module_name(&module));
    }
    let callee = node.child(F::Name);
    let mut arguments = names::arguments(node);
    match callee.filter(|callee| callee.is(K::Identifier)).map_or("", Node::text) {
        "setmetatable" => {
            let table = arguments.next();
            let ty = half.ty_or_unknown(arguments.next());
            return if half.is_unknown(ty) { half.value_or_unknown(table) } else { half.add(Expr::New(ty)) };
        }
        "assert" => return half.value_or_unknown(arguments.next()),
        "tostring" | "type" => return half.lit(Lit::Str),
        "tonumber" => return half.lit(Lit::Float),
        _ => {}
    }
    let count = arguments.count();
    let callee = half.value_or_unknown(callee);
    half.call(callee, count)
}

fn binary_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let (left, right) = (node.child(F::Left), node.child(F::Right));
    match node.child(F::Operator).map(Node::kind) {
        Some(K::Or) => {
            // `a and b or c`.
            let left = half.value_or_unknown(left);
            let right = half.value_or_unknown(right);
            half.either(vec![left, right])
        }
        Some(K::And) => half.value_or_unknown(right),
        Some(K::Concat) => half.lit(Lit::Str),
        Some(K::Equal | K::Unequal | K::Less | K::LessEqual | K::Greater | K::GreaterEqual) => {
            half.lit(Lit::Bool)
        }
        _ => half.unknown(),
    }
}

fn table_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let named = |field: &Node<'_>| field.child(F::Name).is_some();
    if half.has_records() && node.children().take(MAX_ELEMENTS).any(|field| named(&field)) {
        let mut fields = Vec::new();
        for field in node.children().take(MAX_ELEMENTS).filter(named) {
            let (Some(name), Some(value)) = (field.child(F::Name), field.child(F::Value)) else { continue };
            if !matches!(name.kind(), K::Identifier | K::String) {
                continue;
            }
            let name = half.str(names::name_text(name));
            let value = if value.is(K::FunctionDefinition) {
                half.add(Expr::Inner(name, true))
            } else {
                half.value(value)
            };
            fields.push((name, value));
        }
        return half.add(Expr::Record(fields));
    }
    let mut values =
        node.children().take(MAX_ELEMENTS).map(|field| field.child(F::Value).filter(|_| !named(&field)));
    match values.by_ref().collect::<Option<Vec<_>>>() {
        Some(values) if !values.is_empty() => {
            let values = half.values(values.into_iter());
            half.add(Expr::Tuple(values))
        }
        // A table may get any members later.
        _ => half.unknown(),
    }
}
