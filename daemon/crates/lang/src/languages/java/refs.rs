//! References.

use sdl_model::facts::RefForm;

use super::kinds::{Context, F, K, Node};
use super::{exprs, invariants, types};
use crate::driver::Visit;

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: u32 = 120;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let args = exprs::arg_count(node);
    let Some(object) = node.child(F::Object) else {
        cx.b.reference(RefForm::Call, name.text(), name.start(), None, args);
        return;
    };
    let recv = exprs::receiver_shape(&mut cx.b.body, node, object);
    cx.b.reference(RefForm::MethodCall, name.text(), name.start(), Some(recv), args);
    if matches!(object.kind(), K::Identifier | K::FieldAccess) && name.end() - node.start() <= LONG_CALLEE {
        let text = cx.b.slice(node.start(), name.end());
        cx.b.effect_of(text);
        invariants::read_check(cx, node, object.text(), name.text());
        let reads = match object.text() {
            "System" => matches!(name.text(), "getenv" | "getProperty" | "setProperty"),
            "Boolean" => name.text() == "getBoolean",
            "env" | "environment" | "config" | "properties" | "props" => {
                matches!(name.text(), "getProperty" | "getRequiredProperty" | "getString" | "getInt")
            }
            _ => false,
        };
        if reads && let Some(key) = node.child(F::Arguments).and_then(Node::first) {
            add_config_ref(cx, key);
        }
    }
}

fn add_config_ref(cx: &mut Context<'_>, key: Node<'_>) {
    if key.is(K::StringLiteral) {
        let text = exprs::string_content(key);
        // `${app.path:/tmp}` as Spring writes it.
        let text = text.strip_prefix("${").map_or(text, |rest| rest.split([':', '}']).next().unwrap_or(rest));
        cx.b.reference(RefForm::Config, text, key.start(), None, 0);
    }
}

/// `new T(…)`.
pub(super) fn read_creation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(named) = node.child(F::TypeField).and_then(types::type_name_node) else { return };
    let args = exprs::arg_count(node);
    if let Some(outer) = exprs::outer_object(node).filter(|_| named.is(K::TypeIdentifier)) {
        let recv = cx.b.body.value(outer);
        cx.b.reference(RefForm::Construct, named.text(), named.start(), Some(recv), args);
    } else {
        // The last part of `Outer.Inner` is the name.
        add_construction(cx, named, named.end() - types::last_part(named).len() as u32, args);
    }
}

fn add_construction<'a>(cx: &mut Context<'a>, named: Node<'a>, at: u32, args: usize) {
    if named.is(K::ScopedTypeIdentifier) {
        let recv = named.first().map(|base| cx.b.body.ty(base));
        cx.b.reference(RefForm::Construct, types::last_part(named), at, recv, args);
    } else {
        cx.b.reference(RefForm::Construct, named.text(), at, None, args);
    }
}

/// `this(…)`, `super(…)`.
pub(super) fn explicit_constructor<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(which) = node.child(F::Constructor) else { return };
    let around = node.ancestors().take(6).find(|around| {
        matches!(around.kind(), K::ClassDeclaration | K::EnumDeclaration | K::RecordDeclaration)
    });
    let Some(class) = around else { return };
    let args = exprs::arg_count(node);
    if which.is(K::This) {
        if let Some(name) = class.child(F::Name) {
            cx.b.reference(RefForm::Construct, name.text(), which.start(), None, args);
        }
    } else if let Some(named) =
        class.child(F::SuperclassField).and_then(Node::first).and_then(types::type_name_node)
    {
        add_construction(cx, named, which.start(), args);
    }
}

/// `a::m`; of `T::new`, only T is a reference.
pub(super) fn method_reference<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(object), Some(name)) = (node.first(), node.children().last()) else { return };
    if name.is(K::Identifier) && name != object {
        let recv = cx.b.body.value(object);
        cx.b.reference(RefForm::Attr, name.text(), name.start(), Some(recv), 0);
    }
}

pub(super) fn field_access<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(object), Some(field)) = (node.child(F::Object), node.child(F::Field)) else { return };
    if field.is(K::Identifier) {
        let recv = cx.b.body.value(object);
        cx.b.reference(RefForm::Attr, field.text(), field.start(), Some(recv), 0);
    }
}

/// `@A(…)`.
pub(super) fn read_annotation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let args = exprs::arg_count(node);
    let text = name.text();
    match text.rsplit_once('.') {
        Some((base, last)) => {
            let recv = cx.b.body.dotted(base);
            let at = name.end() - last.len() as u32;
            cx.b.reference(RefForm::Decorator, last.trim(), at, Some(recv), args);
        }
        None => cx.b.reference(RefForm::Decorator, text, name.start(), None, args),
    }
    if text == "Value"
        && let Some(key) = node.child(F::Arguments).and_then(Node::first)
    {
        add_config_ref(cx, key);
    }
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(parent) = node.parent() else { return };
    if parent.is(K::SwitchLabel) {
        read_label(cx, node);
        return;
    }
    let declares = match parent.kind() {
        K::LabeledStatement => parent.first() == Some(node),
        K::BreakStatement | K::ContinueStatement | K::InferredParameters | K::RecordPatternComponent => true,
        K::TypePattern => true,
        K::LambdaExpression => node.field() == F::Parameters,
        K::ElementValuePair => node.field() == F::Key,
        K::FieldAccess => node.field() == F::Field,
        K::MethodReference => parent.first() != Some(node),
        K::RecordPattern => {
            cx.b.reference(RefForm::Type, node.text(), node.start(), None, 0);
            true
        }
        // Every other name in a field of that name is a declaration's or a call's.
        _ => node.field() == F::Name,
    };
    if !declares {
        cx.b.reference(RefForm::Value, node.text(), node.start(), None, 0);
    }
}

/// `case RED:`, which means the `RED` of the enumeration that the `switch` is over.
fn read_label<'a>(cx: &mut Context<'a>, name: Node<'a>) {
    let around = name.ancestors().take(4).find(|around| around.is(K::SwitchExpression));
    let over = around.and_then(|around| around.child(F::Condition));
    let recv = over.map(|value| cx.b.body.value(value));
    cx.b.reference(RefForm::Label, name.text(), name.start(), recv, 0);
}

/// Whether `node` names a constructed or inherited type, which has its reference already, or a declared name.
fn is_said(node: Node<'_>) -> bool {
    let mut at = node;
    for _ in 0..5 {
        let Some(parent) = at.parent() else { return false };
        match parent.kind() {
            K::GenericType if parent.first() == Some(at) => {}
            K::AnnotatedType | K::TypeList => {}
            K::ObjectCreation => return at.field() == F::TypeField,
            K::Superclass | K::SuperInterfaces | K::ExtendsInterfaces => return true,
            K::TypeParameter => return at == node,
            _ => return false,
        }
        at = parent;
    }
    false
}

pub(super) fn type_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.text() != "var" && !is_said(node) {
        cx.b.reference(RefForm::Type, node.text(), node.start(), None, 0);
    }
}

/// `a.B`: B, with the part before it as its qualifier.
pub(super) fn scoped_type<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if !is_said(node)
        && let Some(base) = node.first()
    {
        let recv = cx.b.body.ty(base);
        let last = types::last_part(node);
        cx.b.reference(RefForm::Type, last, node.end() - last.len() as u32, Some(recv), 0);
    }
    Visit::Skip
}
