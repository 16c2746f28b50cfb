//! Properties: of files, of types, and local ones.

use sdl_model::SymbolKind;
use sdl_model::facts::BindingKind;

use super::kinds::{Context, K, Node};
use super::types::{plain_name, stated_type};
use super::{binds, exprs, functions, modifiers};
use crate::builder::NewDef;

/// `val x: T = …`, with accessors or without.
pub(super) fn read_property<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let value = exprs::assigned_value(node);
    let delegate = node.child_of(K::PropertyDelegate);
    if cx.b.callable().is_some() || cx.b.scope_kind().is_callable() || in_initializer(node) {
        if !functions::is_function(node) || cx.b.callable().is_none() {
            bind_local(cx, node, value.or(delegate.and_then(lazy_value)));
        }
        return;
    }
    let Some(variable) = node.child_of(K::VariableDeclaration) else { return };
    let Some(name) = variable.child_of(K::Identifier) else { return };
    let receiver = node.children().take_while(|part| *part != variable).find(|part| part.kind().is_type());
    let accessors = node.children().find(|part| matches!(part.kind(), K::Getter | K::Setter));
    let constant =
        node.child_of(K::Modifiers).is_some_and(|words| words.children().any(|word| word.text() == "const"));
    let kind = if accessors.is_some() || receiver.is_some() {
        SymbolKind::Property
    } else if constant {
        SymbolKind::Constant
    } else if cx.b.scope_kind() == SymbolKind::Module {
        SymbolKind::Variable
    } else {
        SymbolKind::Field
    };
    let mut new =
        NewDef::new(kind, plain_name(name.text()), name, node).header_from(modifiers::header_start(node));
    // Text stays out of signatures, because it may be long, or secret.
    if let Some(end) = value.filter(|value| !is_short(*value)).or(delegate).or(accessors) {
        new = new.header_to(end.start());
    }
    let def = cx.b.open(new);
    modifiers::complete_def(cx, def, node);
    if let Some(receiver) = receiver {
        functions::set_owner(cx, def, receiver, plain_name(name.text()));
    }
    if let Some(ty) = stated_type(variable) {
        let shape = cx.b.out.ty(ty);
        cx.b.def_mut(def).ty = Some(shape);
        if kind == SymbolKind::Property {
            functions::read_result(cx, def, ty);
        }
    } else if let Some(ty) = node.child_of(K::Getter).and_then(stated_type) {
        functions::read_result(cx, def, ty);
    }
    if let Some(value) = value.or_else(|| delegate.and_then(lazy_value)) {
        let shape = cx.b.out.value(value);
        if !cx.b.out.is_unknown(shape) {
            cx.b.def_mut(def).value = Some(shape);
        }
    }
    if accessors.is_some() {
        cx.state.enter_function(node, Some(def));
    }
}

/// Whether `node` is in a class's initializer: a local of it, not a member of the class.
fn in_initializer(node: Node<'_>) -> bool {
    node.ancestors()
        .take(200)
        .find(|around| {
            matches!(
                around.kind(),
                K::ClassBody | K::EnumClassBody | K::AnonymousInitializer | K::LambdaLiteral
            )
        })
        .is_some_and(|around| matches!(around.kind(), K::AnonymousInitializer | K::LambdaLiteral))
}

/// The value that `by lazy { … }` ends with.
fn lazy_value(delegate: Node<'_>) -> Option<Node<'_>> {
    let call = delegate.children().last().filter(|call| call.is(K::CallExpression))?;
    let named = exprs::callee_node(call).is_some_and(|callee| callee.text() == "lazy");
    let lambda = call.child_of(K::AnnotatedLambda).filter(|_| named)?.child_of(K::LambdaLiteral)?;
    lambda.children().last()
}

/// Whether a value is so plain that it may be in a signature, such as `true` or `30`.
fn is_short(value: Node<'_>) -> bool {
    let plain =
        matches!(value.kind(), K::NumberLiteral | K::FloatLiteral | K::Identifier | K::NavigationExpression);
    plain && value.end() - value.start() < 60
}

fn bind_local<'a>(cx: &mut Context<'a>, node: Node<'a>, value: Option<Node<'a>>) {
    let Some(target) = node
        .children()
        .find(|part| matches!(part.kind(), K::VariableDeclaration | K::MultiVariableDeclaration))
    else {
        return;
    };
    let value = value.map(|value| cx.b.body.value(value));
    let range = (node.end(), binds::scope_end(cx, node));
    binds::bind_declared(cx, target, value, BindingKind::Local, range);
}

/// `set(value) {…}`.
pub(super) fn read_setter<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child_of(K::Identifier) else { return };
    let property = node.parent().filter(|property| property.is(K::PropertyDeclaration));
    let ty = stated_type(node).or_else(|| property?.child_of(K::VariableDeclaration).and_then(stated_type));
    let ty = ty.map(|ty| cx.b.body.ty(ty));
    cx.b.bind_within(BindingKind::Param, plain_name(name.text()), ty, None, (node.start(), node.end()));
    // A setter has no result.
    cx.state.enter_function(node, None);
}
