//! Shapes of values.

use sdl_model::facts::{Expr, ExprIx, Lit};

use super::calls::{
    arg_count, callee_node, passed_through, required_module, required_name, takes_type_arguments,
    template_tag, unwrap_value,
};
use super::keys::{MAX_FIELDS, is_symbol, property_name, string_content};
use super::kinds::{F, K, Node};
use super::written_params::written_params;
use crate::builder::Half;

/// The receiver's name where `this` is the receiver of the enclosing type's member.
pub(super) const THIS: &str = "this";
/// Its name where `this` is a parameter with a stated type.
pub(super) const TYPED_THIS: &str = "this:";

/// Its name where `this` is the module's exports.
pub(super) const EXPORTED_THIS: &str = "this.";

/// Maximum number of parameters that are read of a function passed as an argument.
const MAX_PARAMS: usize = 4;
pub(super) fn value_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Identifier | K::ShorthandProperty => half.type_name(node.text()),
        K::This => this_shape(half),
        K::Super => half.add(Expr::SuperRef),
        K::MemberExpression => {
            let base = half.value_or_unknown(node.child(F::ObjectField));
            half.attr(base, node.child(F::Property).map_or("", Node::text))
        }
        K::NestedIdentifier => half.dotted(node.text()),
        K::SubscriptExpression => {
            let base = half.value_or_unknown(node.child(F::ObjectField));
            match node.child(F::Index) {
                Some(index) if index.is(K::String) => half.attr(base, string_content(index)),
                Some(index) if is_symbol(index) => half.attr(base, &format!("[{}]", index.text())),
                Some(index) if index.is(K::Number) => {
                    let key = half.str(index.text());
                    half.add(Expr::Key(base, key))
                }
                _ => half.add(Expr::Index(base)),
            }
        }
        K::CallExpression => call_shape(half, node),
        K::NewExpression => creation_shape(half, node),
        _ => operation_shape(half, node),
    }
}

/// The shape of operators and conditions.
fn operation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::AwaitExpression => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Await(inner))
        }
        K::NonNullExpression => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Unwrap(inner))
        }
        K::ParenthesizedExpression => match super::jsdoc::cast_type(half, node) {
            Some(ty) => half.add(Expr::New(ty)),
            None => half.value_or_unknown(node.first()),
        },
        K::ExpressionStatement | K::InstantiationExpression | K::SatisfiesExpression => {
            half.value_or_unknown(node.first())
        }
        K::AsExpression => {
            let mut parts = node.children();
            cast_shape(half, parts.next(), parts.next())
        }
        K::TypeAssertion => {
            let mut parts = node.children();
            let ty = parts.next().and_then(Node::first);
            cast_shape(half, parts.next(), ty)
        }
        K::AssignmentExpression => half.value_or_unknown(node.child(F::Right)),
        K::SequenceExpression => half.value_or_unknown(node.children().take(64).last()),
        K::TernaryExpression => {
            let then = half.value_or_unknown(node.child(F::Consequence));
            let otherwise = half.value_or_unknown(node.child(F::Alternative));
            half.either(vec![then, otherwise])
        }
        K::BinaryExpression => binary_shape(half, node),
        K::UnaryExpression => {
            let text = node.text();
            half.lit(match text.as_bytes().first() {
                Some(b'!' | b'd') => Lit::Bool,
                Some(b't') => Lit::Str,
                Some(b'v') => Lit::Null,
                _ => Lit::Float,
            })
        }
        K::UpdateExpression | K::Number => half.lit(Lit::Float),
        _ => literal_shape(half, node),
    }
}

/// The shape of a literal.
fn literal_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Array => {
            let spreads =
                node.children().take(crate::builder::MAX_ELEMENTS).any(|item| item.is(K::SpreadElement));
            if node.first().is_none() {
                return half.lit(Lit::List);
            }
            let items = half.values(node.children());
            // Any of them may be at any place.
            if spreads {
                let element = half.either(items);
                return half.add(Expr::Tuple(vec![element, element]));
            }
            half.add(Expr::Tuple(items))
        }
        K::SpreadElement => {
            let inner = half.value_or_unknown(node.first());
            half.add(Expr::Iter(inner))
        }
        K::Object if half.has_records() && node.first().is_some() => object_shape(half, node),
        K::Object => half.lit(Lit::Object),
        K::TemplateString if let Some(tag) = template_tag(node) => {
            let tag = half.value(tag);
            half.call(tag, 1)
        }
        K::String | K::TemplateString => half.lit(Lit::Str),
        K::Regex => half.lit(Lit::Regex),
        K::True | K::False => half.lit(Lit::Bool),
        K::Null | K::Undefined => half.lit(Lit::Null),
        K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => half.lit(Lit::Lambda),
        _ => half.unknown(),
    }
}

/// The instance that `new` makes.
fn creation_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let constructor = node.child(F::Constructor);
    let stated = node.child(F::TypeArgumentsField);
    let filled = || Some((constructor?.text(), node.child(F::Arguments)?.first()?));
    // A collection made from a list holds the list's elements.
    if let (None, Some(("Set", list))) = (stated, filled()) {
        let list = half.value(list);
        let element = half.add(Expr::Iter(list));
        return of_values(half, "Set", vec![element]);
    }
    if let (None, Some(("Map", list))) = (stated, filled()) {
        let list = half.value(list);
        let pair = half.add(Expr::Iter(list));
        let pair = [0, 1].map(|at| half.add(Expr::Item(pair, at)));
        return of_values(half, "Map", pair.to_vec());
    }
    let class = half.value_or_unknown(constructor);
    match stated {
        Some(list) => {
            let args = half.types(list.children());
            let class = half.add(Expr::Generic(class, args));
            half.add(Expr::New(class))
        }
        None => half.add(Expr::New(class)),
    }
}

/// An object as it is written.
fn object_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let mut fields = Vec::new();
    for part in node.children().take(MAX_FIELDS) {
        let (name, value) = match part.kind() {
            K::ShorthandProperty => (part.text(), half.value(part)),
            K::SpreadElement => ("", half.value_or_unknown(part.first())),
            K::MethodDefinition => {
                let name = part.child(F::Name).map_or("", property_name);
                let text = half.str(name);
                (name, half.add(Expr::Inner(text, true)))
            }
            K::Pair => {
                let (Some(key), Some(value)) = (part.child(F::Key), part.child(F::Value)) else { continue };
                let name = property_name(key);
                let inner = unwrap_value(value);
                if inner.kind().is_function_value() || inner.is(K::Class) {
                    let text = half.str(name);
                    (name, half.add(Expr::Inner(text, true)))
                } else {
                    (name, half.value(value))
                }
            }
            _ => continue,
        };
        let name = half.str(name);
        fields.push((name, value));
    }
    half.add(Expr::Record(fields))
}

fn this_shape(half: &mut Half<'_>) -> ExprIx {
    if half.is_receiver(THIS) {
        half.name(THIS)
    } else if half.is_receiver(TYPED_THIS) {
        half.type_name(THIS)
    } else if half.is_receiver(EXPORTED_THIS) {
        half.type_name("exports")
    } else {
        half.unknown()
    }
}

/// `value as ty`.
fn cast_shape<'a>(half: &mut Half<'a>, value: Option<Node<'a>>, ty: Option<Node<'a>>) -> ExprIx {
    let says_nothing = |ty: Node<'_>| {
        ty.is(K::Const) || (ty.is(K::PredefinedType) && matches!(ty.text(), "any" | "unknown"))
    };
    match ty.filter(|ty| !says_nothing(*ty)) {
        Some(ty) => {
            let ty = half.ty(ty);
            if half.is_unknown(ty) { half.value_or_unknown(value) } else { half.add(Expr::New(ty)) }
        }
        None => half.value_or_unknown(value),
    }
}

fn binary_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else {
        return half.unknown();
    };
    let between = node.src().get(left.end() as usize..right.start() as usize).unwrap_or("");
    let operator = between.trim_start();
    let either = operator.starts_with("||") || operator.starts_with("??");
    if either {
        let left = half.value(left);
        let right = half.value(right);
        return half.either(vec![left, right]);
    }
    if operator.starts_with("&&") {
        return half.value(right);
    }
    match operator.as_bytes().first() {
        Some(b'+') => {
            let mut is_text = |side| {
                let side = half.value(side);
                matches!(half.expr(side), Expr::Lit(Lit::Str))
            };
            let text = is_text(left) || is_text(right);
            if text { half.lit(Lit::Str) } else { half.unknown() }
        }
        Some(b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^') => half.lit(Lit::Float),
        _ => half.lit(Lit::Bool),
    }
}

fn call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    // `await f<T>(…)` gives the awaited value, `!f<T>(…)` the operator's result.
    match node.child(F::Function).filter(|outer| takes_type_arguments(*outer)) {
        Some(outer) if outer.is(K::AwaitExpression) => {
            let called = plain_call_shape(half, node);
            half.add(Expr::Await(called))
        }
        Some(outer) => half.value(outer),
        None => plain_call_shape(half, node),
    }
}

fn plain_call_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    if let Some(module) = required_module(node) {
        return half.type_name(&required_name(module));
    }
    let Some(callee) = callee_node(node) else { return half.unknown() };
    if let Some(inner) = passed_through(node) {
        return half.value(inner);
    }
    if callee.is(K::MemberExpression) {
        // A bound function is that function.
        if callee.child(F::Property).is_some_and(|name| name.text() == "bind") {
            return half.value_or_unknown(callee.child(F::ObjectField));
        }
        if callee.text() == "Object.create" {
            return half.unknown();
        }
    }
    let args = node.child(F::Arguments);
    if let Some(made) = args.and_then(Node::first).and_then(|arg| of_library(half, callee, arg)) {
        return made;
    }
    // The callee may return the result of the function passed to it.
    let name = callee.child(F::Property).filter(|_| callee.is(K::MemberExpression)).map_or("", Node::text);
    let function = args.and_then(Node::first).filter(|_| matches!(name, "map" | "flatMap" | "then"));
    let function = function.and_then(|function| callback_shape(half, function));
    let mut callee = half.value(callee);
    if let Some(function) = function {
        callee = half.add(Expr::Generic(callee, vec![function]));
    }
    half.call(callee, arg_count(args))
}

/// Results of standard library functions that are derived from their argument.
fn of_library<'a>(half: &mut Half<'a>, callee: Node<'a>, arg: Node<'a>) -> Option<ExprIx> {
    if callee.end() - callee.start() > 24 {
        return None;
    }
    match callee.text() {
        "structuredClone" => Some(half.value(arg)),
        "Object.values" => {
            let whole = half.value(arg);
            let element = half.add(Expr::Index(whole));
            Some(of_values(half, "Array", vec![element]))
        }
        "Object.entries" => {
            let whole = half.value(arg);
            let element = half.add(Expr::Index(whole));
            let key = half.lit(Lit::Str);
            let pair = half.add(Expr::Tuple(vec![key, element]));
            Some(of_values(half, "Array", vec![pair]))
        }
        "Promise.all" => {
            let whole = half.value(arg);
            match half.expr(whole) {
                Expr::Tuple(items) => {
                    let items = items.clone();
                    let items = items.into_iter().map(|item| half.add(Expr::Await(item))).collect();
                    Some(half.add(Expr::Tuple(items)))
                }
                _ => {
                    let element = half.add(Expr::Iter(whole));
                    let element = half.add(Expr::Await(element));
                    Some(of_values(half, "Array", vec![element]))
                }
            }
        }
        "Promise.resolve" => {
            let held = half.value(arg);
            let held = half.add(Expr::Await(held));
            Some(of_values(half, "Promise", vec![held]))
        }
        _ => None,
    }
}

/// A value of the type `name` of the standard library that holds `elements`.
pub(super) fn of_values(half: &mut Half<'_>, name: &str, elements: Vec<ExprIx>) -> ExprIx {
    let elements = elements.into_iter().map(|element| half.add(Expr::Either(vec![element]))).collect();
    let name = half.type_name(name);
    let ty = half.add(Expr::Generic(name, elements));
    half.add(Expr::New(ty))
}

/// A function passed as an argument, with its result: its expression body, or the expression that it returns at its
/// end.
fn callback_shape<'a>(half: &mut Half<'a>, function: Node<'a>) -> Option<ExprIx> {
    if !matches!(function.kind(), K::ArrowFunction | K::FunctionExpression) {
        return None;
    }
    let body = function.child(F::Body)?;
    let result = if body.is(K::StatementBlock) {
        body.children().last().filter(|last| last.is(K::ReturnStatement))?.first()?
    } else {
        body
    };
    let mut params = Vec::new();
    for param in written_params(function).take(MAX_PARAMS) {
        params.push(match param.pattern.kind() {
            K::Identifier => half.type_name(param.pattern.text()),
            K::ArrayPattern if !param.pattern.text().contains(",,") => {
                let parts = param.pattern.children().take(MAX_PARAMS);
                let parts = parts.map(|part| match part.kind() {
                    K::Identifier => half.type_name(part.text()),
                    _ => half.unknown(),
                });
                let parts = parts.collect();
                half.add(Expr::Tuple(parts))
            }
            _ => half.unknown(),
        });
    }
    let result = half.value(result);
    (!half.is_unknown(result)).then(|| half.add(Expr::Callable(params, Some(result))))
}
