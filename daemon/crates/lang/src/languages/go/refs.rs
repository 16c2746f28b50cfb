//! References.

use sdl_model::facts::{Expr, ExprIx, RefForm};

use super::kinds::{Context, F, K, Node};
use super::{exprs, structs, types};
use crate::driver::Visit;

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: usize = 120;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = node.child(F::Function) else { return };
    let text = callee.text();
    match callee.kind() {
        K::Identifier if text == "panic" => {
            if let Some(def) = cx.state.function(node) {
                super::invariants::add_conditional(cx, def, node, node);
            }
        }
        K::Identifier => cx.b.effect_of(text),
        K::SelectorExpression if text.len() <= LONG_CALLEE => {
            cx.b.effect_of(text);
            if is_config(text) {
                add_config_ref(cx, node.child(F::Arguments).and_then(Node::first));
            }
        }
        _ => {}
    }
}

/// Whether calling `callee` reads a setting named by its first argument, such as `os.Getenv("HOME")`.
fn is_config(callee: &str) -> bool {
    match callee.split_once('.') {
        Some(("os", name)) => matches!(name, "Getenv" | "LookupEnv" | "Setenv" | "Unsetenv"),
        Some(("syscall", name)) => name == "Getenv",
        Some(("viper", name)) => {
            name.starts_with("Get") || matches!(name, "IsSet" | "BindEnv" | "SetDefault")
        }
        _ => false,
    }
}

fn add_config_ref(cx: &mut Context<'_>, key: Option<Node<'_>>) {
    if let Some(key) = key.filter(|key| matches!(key.kind(), K::InterpretedString | K::RawString)) {
        cx.b.reference(RefForm::Config, exprs::string_content(key), key.start(), None, 0);
    }
}

/// `T{…}`.
pub(super) fn read_composite_literal<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(ty) = node.child(F::TypeField) else { return };
    let args = node.child(F::Body).map_or(0, |body| body.children().count());
    let Some(named) = types::type_name_node(ty).filter(|_| !ty.is(K::PointerType)) else { return };
    if named.is(K::QualifiedType) {
        let (Some(package), Some(name)) = (named.child(F::Package), named.child(F::Name)) else { return };
        let recv = cx.b.body.name(package.text());
        cx.b.reference(RefForm::Construct, name.text(), name.start(), Some(recv), args);
    } else {
        cx.b.reference(RefForm::Construct, named.text(), named.start(), None, args);
    }
}

/// Whether `node` names the type of a composite literal, which is a construction already.
fn is_constructed(node: Node<'_>) -> bool {
    node.is_in(K::CompositeLiteral, F::TypeField)
        || node.is_in(K::GenericType, F::TypeField)
            && node.parent().is_some_and(|generic| generic.is_in(K::CompositeLiteral, F::TypeField))
}

pub(super) fn qualified_type<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if !is_constructed(node)
        && !structs::is_embedded(node)
        && let (Some(package), Some(name)) = (node.child(F::Package), node.child(F::Name))
    {
        let recv = cx.b.body.name(package.text());
        let (form, args) = type_form(node);
        cx.b.reference(form, name.text(), name.start(), Some(recv), args);
    }
    Visit::Skip
}

pub(super) fn type_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let declares = node.field() == F::Name && matches!(node.parent_kind(), Some(K::TypeSpec | K::TypeAlias));
    let name = node.text();
    if declares || types::is_builtin(name) || is_constructed(node) || structs::is_embedded(node) {
        return;
    }
    let (form, args) = type_form(node);
    cx.b.reference(form, name, node.start(), None, args);
}

/// How the name of a type is used: `F[T](x)` reads as a conversion, but may be a call.
fn type_form(node: Node<'_>) -> (RefForm, usize) {
    let converts = node.is_in(K::GenericType, F::TypeField)
        && node.parent().is_some_and(|generic| generic.is_in(K::TypeConversion, F::TypeField));
    if converts { (RefForm::PathCall, 1) } else { (RefForm::Type, 0) }
}

pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(operand), Some(name)) = (node.child(F::Operand), node.child(F::Field)) else { return };
    let recv = cx.b.body.value(operand);
    let (form, args) = match reference_form(node) {
        (RefForm::Call, args) => (RefForm::MethodCall, args),
        (RefForm::Value, args) => (RefForm::Attr, args),
        other => other,
    };
    cx.b.reference(form, name.text(), name.start(), Some(recv), args);
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let name = node.text();
    let Some(parent) = node.parent() else { return };
    let declares = match parent.kind() {
        K::FunctionDeclaration
        | K::ParameterDeclaration
        | K::VariadicParameter
        | K::TypeParameterDeclaration => node.field() == F::Name,
        K::ConstSpec | K::VarSpec => node.field() == F::Name,
        K::ExpressionList => match parent.parent_kind() {
            Some(K::ShortVarDeclaration | K::RangeClause) => parent.field() == F::Left,
            Some(K::ReceiveStatement) => parent.field() == F::Left,
            Some(K::TypeSwitch) => parent.field() == F::Alias,
            _ => false,
        },
        K::LiteralElement if parent.field() == F::Key => {
            return read_literal_key(cx, node, parent);
        }
        _ => false,
    };
    if declares || name == "_" || cx.b.body.is_receiver(name) {
        return;
    }
    // Nothing for a package before a dot, such as `fmt` in `fmt.Println`, because it is part of the member after it.
    if parent.is(K::SelectorExpression) && cx.state.packages.contains(name) {
        return;
    }
    match reference_form(node) {
        // Builtin functions and conversions to builtin types lead to no definition.
        (RefForm::Call, _) if is_builtin(name) => {}
        (form, args) => cx.b.reference(form, name, node.start(), None, args),
    }
}

fn is_builtin(name: &str) -> bool {
    matches!(name, "append" | "cap" | "delete" | "len" | "make" | "new" | "panic" | "recover")
        || types::is_builtin(name)
}

/// `K: …` in a literal: a field, or a value where the literal is a map's or a list's.
fn read_literal_key<'a>(cx: &mut Context<'a>, node: Node<'a>, element: Node<'a>) {
    let literal = element.parent().and_then(Node::parent);
    let Some(ty) = literal.and_then(literal_type) else { return };
    match ty.kind() {
        K::MapType | K::SliceType | K::ArrayType | K::ImplicitLengthArrayType => {
            cx.b.reference(RefForm::Value, node.text(), node.start(), None, 0);
        }
        _ if types::type_name_node(ty).is_some() => {
            let shape: ExprIx = cx.b.body.ty(ty);
            let recv = cx.b.body.add(Expr::New(shape));
            cx.b.reference(RefForm::Attr, node.text(), node.start(), Some(recv), 0);
        }
        _ => {}
    }
}

/// The type of the literal whose braces are `node`; it may be omitted inside another literal.
fn literal_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    let mut steps = 0;
    while !at.parent()?.is(K::CompositeLiteral) {
        let element = at.parent().filter(|element| element.is(K::LiteralElement))?;
        let keyed = element.parent().filter(|keyed| keyed.is(K::KeyedElement));
        at = keyed.unwrap_or(element).parent().filter(|outer| outer.is(K::LiteralValue))?;
        steps += 1;
        if steps > 4 {
            return None;
        }
    }
    let mut ty = at.parent()?.child(F::TypeField)?;
    for _ in 0..steps {
        ty = match ty.kind() {
            K::MapType => ty.child(F::Value)?,
            K::SliceType | K::ArrayType | K::ImplicitLengthArrayType => ty.child(F::Element)?,
            _ => return None,
        };
    }
    Some(ty)
}

/// How the value of `node` is used. In `f[x](…)`, `f` is a list of functions, or a generic one: a path that is called,
/// if it leads to a function.
fn reference_form(node: Node<'_>) -> (RefForm, usize) {
    let Some(parent) = node.parent() else { return (RefForm::Value, 0) };
    let args = |call: Option<Node<'_>>| exprs::arg_count(call.and_then(|call| call.child(F::Arguments)));
    if node.is_in(K::CallExpression, F::Function) {
        (RefForm::Call, args(Some(parent)))
    } else if node.is_in(K::IndexExpression, F::Operand) && parent.is_in(K::CallExpression, F::Function) {
        (RefForm::PathCall, args(parent.parent()))
    } else {
        (RefForm::Value, 0)
    }
}
