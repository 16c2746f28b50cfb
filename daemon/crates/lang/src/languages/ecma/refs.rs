//! References.

use sdl_model::facts::{BindingKind, Expr, Lit, RefForm};

use super::calls::{arg_count, callee_node, is_template_tag, takes_type_arguments};
use super::keys::{is_symbol, string_content};
use super::kinds::{Context, F, K, Node};
use super::{classes, commonjs, exprs, functions, held, hooks, imports, invariants, tables};
use crate::driver::Visit;

/// How many wrappings of a callee are looked through.
const MAX_WRAPS: usize = 6;

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: u32 = 120;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = callee_node(node) else { return };
    held::call_held(cx, node, callee);
    held::note_arguments(cx, node, callee);
    held::hand_over(cx, node, callee);
    match callee.kind() {
        K::Super => {
            let recv = cx.b.body.add(Expr::SuperRef);
            let args = arg_count(node.child(F::Arguments));
            cx.b.reference(RefForm::MethodCall, "constructor", callee.start(), Some(recv), args);
        }
        K::Import => imports::read_require(cx, node),
        K::Identifier => {
            let text = callee.text();
            if text == "require" {
                imports::read_require(cx, node);
            }
            cx.b.effect_of(text);
            functions::open_test(cx, node);
            invariants::read_assert(cx, node, text);
        }
        K::MemberExpression if callee.end() - callee.start() <= LONG_CALLEE => {
            cx.b.effect_of(callee.text());
            functions::open_test(cx, node);
            invariants::read_assert(cx, node, callee.text());
            commonjs::mixed_in(cx, node);
            tables::read_assign(cx, node);
            read_push(cx, node, callee);
        }
        // `it.each(…)('…', () => …)`.
        K::CallExpression => functions::open_test(cx, node),
        _ => {}
    }
}

/// `list.push(element)`: the element type of an empty list from here on.
fn read_push<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let (Some(list), Some(name)) = (callee.child(F::ObjectField), callee.child(F::Property)) else { return };
    if !list.is(K::Identifier) || !matches!(name.text(), "push" | "unshift") {
        return;
    }
    let Some(element) = node.child(F::Arguments).and_then(Node::first) else { return };
    let Some((value, to)) = cx.b.latest_local(list.text()) else { return };
    if !matches!(cx.b.body.expr(value), Expr::Lit(Lit::List)) {
        return;
    }
    let element = cx.b.body.value(element);
    if !matches!(cx.b.body.expr(element), Expr::Unknown | Expr::Lit(_)) {
        let value = exprs::of_values(&mut cx.b.body, "Array", vec![element]);
        cx.b.bind_within(BindingKind::Local, list.text(), None, Some(value), (node.end(), to));
    }
}

pub(super) fn read_creation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(class) = node.child(F::Constructor) {
        held::note_arguments(cx, node, class);
    }
    let class = node.child(F::Constructor).filter(|class| class.end() - class.start() <= LONG_CALLEE);
    if let Some(class) = class.filter(|class| matches!(class.kind(), K::Identifier | K::MemberExpression)) {
        cx.b.effect_of(class.text());
    }
}

fn is_env(node: Node<'_>) -> bool {
    node.end() - node.start() <= 16 && matches!(node.text(), "process.env" | "import.meta.env")
}

pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let (Some(object), Some(name)) = (node.child(F::ObjectField), node.child(F::Property)) else {
        return Visit::Into;
    };
    if classes::is_base(node) {
        return Visit::Skip;
    }
    if commonjs::only_defines(node) {
        return Visit::Skip;
    }
    if is_env(object) {
        cx.b.reference(RefForm::Config, name.text(), name.start(), None, 0);
        cx.b.effect_of(object.text());
        return Visit::Skip;
    }
    if is_env(node) {
        cx.b.effect_of(node.text());
        return Visit::Skip;
    }
    let (form, args) = reference_form(node);
    let form = match form {
        RefForm::Call => RefForm::MethodCall,
        RefForm::Value => RefForm::Attr,
        other => other,
    };
    if node.parent_kind() != Some(K::JsxClosingElement) {
        let recv = cx.b.body.value(object);
        cx.b.reference(form, name.text(), name.start(), Some(recv), args);
    }
    Visit::Into
}

/// `object['name']`.
pub(super) fn read_subscript<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(object), Some(index)) = (node.child(F::ObjectField), node.child(F::Index)) else { return };
    if is_symbol(index) {
        let (form, args) = reference_form(node);
        let recv = cx.b.body.value(object);
        let form = if form == RefForm::Call { RefForm::MethodCall } else { RefForm::Attr };
        cx.b.reference(form, &format!("[{}]", index.text()), index.start(), Some(recv), args);
        return;
    }
    if !index.is(K::String) {
        hooks::read_made_up(cx, object, index);
        return;
    }
    let name = string_content(index);
    if is_env(object) {
        cx.b.reference(RefForm::Config, name, index.start(), None, 0);
        return;
    }
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    if name.len() > 80 || !name.chars().all(is_word) {
        return;
    }
    let (form, args) = reference_form(node);
    let form = if form == RefForm::Call { RefForm::MethodCall } else { RefForm::Attr };
    let recv = cx.b.body.value(object);
    cx.b.reference(form, name, index.start() + 1, Some(recv), args);
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let name = node.text();
    if is_declared(node) || classes::is_base(node) {
        return;
    }
    let (form, args) = reference_form(node);
    let silent = match form {
        RefForm::Value => matches!(name, "arguments" | "exports" | "module" | "require"),
        RefForm::Call => name == "require",
        // A lower-case name, such as `<div>`, is an element of the page, not a component.
        RefForm::Construct if is_tag(node) => !name.starts_with(|c: char| c.is_uppercase() || c == '_'),
        _ => false,
    };
    if !silent && node.parent_kind() != Some(K::JsxClosingElement) {
        cx.b.reference(form, name, node.start(), None, args);
    }
}

fn is_tag(node: Node<'_>) -> bool {
    node.field() == F::Name
        && matches!(node.parent_kind(), Some(K::JsxOpeningElement | K::JsxSelfClosingElement))
}

/// Whether `node`, an identifier, is a name being declared, or does not name a value.
fn is_declared(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return true };
    match parent.kind() {
        K::VariableDeclarator
        | K::FunctionDeclaration
        | K::GeneratorFunctionDeclaration
        | K::FunctionExpression
        | K::GeneratorFunction
        | K::FunctionSignature
        | K::ClassDeclaration
        | K::Class
        | K::EnumDeclaration
        | K::InternalModule
        | K::Module
        | K::TypePredicate
        | K::IndexSignature => node.field() == F::Name,
        K::RequiredParameter | K::OptionalParameter => matches!(node.field(), F::Pattern | F::Name),
        K::FormalParameters
        | K::RestPattern
        | K::ArrayPattern
        | K::NamespaceExport
        | K::AssertsAnnotation
        | K::NestedIdentifier => true,
        K::AssignmentPattern => node.field() == F::Left,
        K::AssignmentExpression => commonjs::only_defines(node),
        K::PairPattern => node.field() == F::Value,
        K::CatchClause | K::ArrowFunction => node.field() == F::Parameter,
        K::ForInStatement => node.field() == F::Left && parent.child(F::Kind).is_some(),
        _ => false,
    }
}

/// A name in the place of a type.
pub(super) fn type_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let declared = match node.parent_kind() {
        Some(
            K::ClassDeclaration
            | K::AbstractClassDeclaration
            | K::Class
            | K::InterfaceDeclaration
            | K::TypeAliasDeclaration
            | K::TypeParameter
            | K::MappedTypeClause,
        ) => node.field() == F::Name,
        Some(K::InferType) => true,
        _ => false,
    };
    if !declared && !classes::is_base(node) {
        cx.b.reference(RefForm::Type, node.text(), node.start(), None, 0);
    }
}

/// `a.B` in the place of a type.
pub(super) fn qualified_type<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let (Some(module), Some(name)) = (node.child(F::ModuleField), node.child(F::Name)) else {
        return Visit::Skip;
    };
    if !classes::is_base(node) {
        let recv = cx.b.body.ty(module);
        cx.b.reference(RefForm::Type, name.text(), name.start(), Some(recv), 0);
    }
    Visit::Skip
}

/// How the value of `node` is used, for example called (`f()`) or built from (`new F()`).
fn reference_form(node: Node<'_>) -> (RefForm, usize) {
    let mut at = node;
    let Some(mut parent) = at.parent() else { return (RefForm::Value, 0) };
    // `f!(…)`, `(f)(…)`, `f<T>(…)`, `(f as T)(…)`, `(0, m.f)(…)`, `await f<T>(…)`.
    for _ in 0..MAX_WRAPS {
        let wraps = match parent.kind() {
            K::NonNullExpression
            | K::ParenthesizedExpression
            | K::InstantiationExpression
            | K::AsExpression
            | K::SatisfiesExpression => parent.first() == Some(at),
            K::TypeAssertion => parent.children().nth(1) == Some(at),
            K::AwaitExpression | K::UnaryExpression => takes_type_arguments(parent),
            K::SequenceExpression => at.next_ix() == parent.next_ix(),
            _ => false,
        };
        match parent.parent().filter(|_| wraps) {
            Some(outer) => (at, parent) = (parent, outer),
            None => break,
        }
    }
    match parent.kind() {
        K::CallExpression if at.field() == F::Function => {
            let decorates = parent.parent_kind() == Some(K::Decorator);
            let form = if decorates { RefForm::Decorator } else { RefForm::Call };
            (form, arg_count(parent.child(F::Arguments)))
        }
        K::NewExpression if at.field() == F::Constructor => {
            (RefForm::Construct, arg_count(parent.child(F::Arguments)))
        }
        K::JsxOpeningElement | K::JsxSelfClosingElement if at.field() == F::Name => (RefForm::Construct, 1),
        K::Decorator => (RefForm::Decorator, 0),
        K::BinaryExpression if is_template_tag(at) => (RefForm::Call, 1),
        _ => (RefForm::Value, 0),
    }
}
