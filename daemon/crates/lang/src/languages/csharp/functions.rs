//! Methods, constructors, operators, local functions, lambdas.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr};

use super::kinds::{Context, F, K, Node};
use super::types::plain_name;
use super::{modifiers, params};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// A function that is a member of a type.
pub(super) fn read_method<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (kind, text, at) = match node.kind() {
        K::OperatorDeclaration | K::ConversionOperator => {
            let Some(list) = node.child(F::Parameters) else { return };
            (SymbolKind::Method, operator_name(cx, node, list), list)
        }
        _ => {
            let Some(name) = node.child(F::Name) else { return };
            match node.kind() {
                K::ConstructorDeclaration => (SymbolKind::Constructor, name.text(), name),
                // With the tilde before it.
                K::DestructorDeclaration => {
                    let before = cx.b.slice(name.start().saturating_sub(1), name.end());
                    (SymbolKind::Method, if before.starts_with('~') { before } else { name.text() }, name)
                }
                _ => (SymbolKind::Method, name.text(), name),
            }
        }
    };
    let def = cx.b.open(cut_header(modifiers::new_declaration(kind, text, at, node), node));
    modifiers::complete_def(cx, def, node);
    read_signature(cx, def, node);
    if node.child(F::Body).is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    if node.child_of(K::ExplicitInterface).is_some() {
        cx.b.flag(def, DefFlags::NAMELESS);
    }
    cx.state.enter_function(node, Some(def));
}

/// An operator's name: the text from `operator` (or the direction of a conversion) to its parameters.
fn operator_name<'a>(cx: &Context<'a>, node: Node<'a>, list: Node<'a>) -> &'a str {
    let text = cx.b.slice(node.start(), list.start());
    let word = if node.is(K::ConversionOperator) {
        text.rfind("implicit ").or_else(|| text.rfind("explicit "))
    } else {
        text.rfind("operator")
    };
    text.get(word.unwrap_or(0)..).unwrap_or(text).trim()
}

/// Cuts the header before the body, the constraints and the call of another constructor.
fn cut_header<'a>(new: NewDef<'a>, node: Node<'a>) -> NewDef<'a> {
    match node.child_of(K::ConstructorInitializer) {
        Some(other) => new.header_to(other.start()),
        None => new,
    }
}

/// Parameters and result of `def`.
pub(super) fn read_signature<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    if let Some(list) = node.child(F::Parameters) {
        params::read_params(cx, def, list);
    }
    if let Some(ret) = node.child(F::Returns).or_else(|| node.child(F::TypeField)) {
        read_result(cx, def, ret);
    }
}

/// Sets the result of `def`.
pub(super) fn read_result<'a>(cx: &mut Context<'a>, def: DefIx, ty: Node<'a>) {
    let text = cx.b.out.str(&fold_line(ty.text(), 200));
    let shape = (ty.text() != "void").then(|| cx.b.out.ty(ty));
    let def = cx.b.def_mut(def);
    def.ret_text = Some(text);
    def.ret = shape;
}

/// A function in a function.
pub(super) fn read_local_function<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let def = cx.b.open(modifiers::new_declaration(SymbolKind::Function, name.text(), name, node));
    modifiers::complete_def(cx, def, node);
    cx.b.def_mut(def).visibility = sdl_model::Visibility::Private;
    read_signature(cx, def, node);
    cx.state.enter_function(node, Some(def));
}

/// A lambda or an anonymous method: a definition where it is bound to a name, otherwise part of the definition around
/// it.
pub(super) fn read_lambda<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some((name, whole)) = bound_name(node) else {
        if let Some(list) = node.child(F::Parameters) {
            bind_lambda(cx, node, list);
        }
        cx.state.enter_function(node, None);
        return;
    };
    let new =
        NewDef::new(SymbolKind::Function, plain_name(name.text()), name, whole).body(function_body(node));
    let def = cx.b.open(new.without_comments_in(node.child(F::Parameters)));
    cx.b.def_mut(def).visibility = sdl_model::Visibility::Private;
    if node.children().any(|word| word.is(K::Modifier) && word.text() == "async") {
        cx.b.flag(def, DefFlags::ASYNC);
    }
    read_signature(cx, def, node);
    cx.state.enter_function(node, Some(def));
    read_lambda_result(cx, node);
}

/// The result of a lambda whose body is an expression.
fn read_lambda_result<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(body) = node.child(F::Body).filter(|body| !body.is(K::Block))
        && let Some(def) = cx.state.function(body)
    {
        let shape = cx.b.body.value(body);
        cx.b.returns(def, shape, body.start());
    }
}

fn function_body(node: Node<'_>) -> Option<Node<'_>> {
    node.child(F::Body).or_else(|| node.child_of(K::Block))
}

/// The local that the function `node` is bound to, and the whole declaration.
pub(super) fn bound_name(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let declarator = node.parent().filter(|parent| parent.is(K::VariableDeclarator))?;
    let declaration = declarator.parent()?;
    let statement = declaration.parent().filter(|statement| statement.is(K::LocalDeclaration))?;
    let many = declaration.children().filter(|part| part.is(K::VariableDeclarator)).nth(1).is_some();
    Some((declarator.child(F::Name)?, if many { declarator } else { statement }))
}

/// Binds a lambda's parameters; where their types are not stated, to the values that the function taking the lambda
/// passes.
fn bind_lambda<'a>(cx: &mut Context<'a>, node: Node<'a>, list: Node<'a>) {
    let range = (node.start(), node.end());
    let written = params::written_params(list);
    if written.iter().any(|param| param.ty.is_some()) {
        params::bind_params(cx, list, range);
        return;
    }
    let taker = taking_call(node).map(|(call, at)| {
        let shape = if call.is(K::Invocation) {
            cx.b.body.value_or_unknown(call.child(F::Function))
        } else {
            cx.b.body.value(call)
        };
        (shape, at)
    });
    for (at, param) in written.iter().enumerate() {
        let value = taker
            .map(|(taker, arg)| cx.b.body.add(Expr::Passed(taker, arg.min(255) as u8, at.min(255) as u8)));
        let name = plain_name(param.name.text());
        cx.b.bind_within(BindingKind::Param, name, None, value, range);
    }
}

/// The call that takes the function `node` as an argument, and the argument's index.
fn taking_call(node: Node<'_>) -> Option<(Node<'_>, usize)> {
    let argument = node.parent().filter(|parent| parent.is(K::Argument))?;
    let list = argument.parent().filter(|list| list.is(K::ArgumentList))?;
    let call = list.parent().filter(|call| matches!(call.kind(), K::Invocation | K::ObjectCreation))?;
    let at = list.children().take(32).position(|other| other == argument)?;
    Some((call, at))
}

/// `return x`, `yield return x`, `=> x`.
pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.state.function(node) else { return };
    if node.is(K::Yield) {
        cx.b.flag(def, DefFlags::GENERATOR);
        return;
    }
    if let Some(value) = node.first().filter(|value| !value.is(K::ThrowExpression)) {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}
