//! References.

use sdl_model::facts::{BindingKind, EffectKind, Expr, ExprIx, Lit, RefForm};

use super::blocks::block_tail;
use super::effects::{LONG_CALLEE, method_effect, note_effect};
use super::kinds::{Context, F, K, Node};
use super::names::{is_prelude, plain_name};
use super::{elements, exprs, invariants, patterns};

/// Reads the side effects of calling `node`; the walk reads the reference itself later.
pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    read_push(cx, node);
    let Some(callee) = node.child(F::Function).map(exprs::plain_callee) else { return };
    match callee.kind() {
        K::Identifier => cx.b.effect_of(callee.text()),
        K::ScopedIdentifier if callee.end() - callee.start() <= LONG_CALLEE => {
            let text = callee.text();
            note_effect(cx, text);
            if matches!(
                text,
                "env::var" | "env::var_os" | "std::env::var" | "std::env::var_os" | "dotenvy::var"
            ) {
                add_config_ref(cx, node.child(F::ArgumentsField).and_then(Node::first));
            }
        }
        K::FieldExpression => {
            if let Some(name) = callee.child(F::Field) {
                method_effect(cx, callee.start(), name);
                invariants::read_unwrap(cx, node, name);
            }
        }
        _ => {}
    }
}

/// Adds a reference to an environment variable that is read.
fn add_config_ref(cx: &mut Context<'_>, key: Option<Node<'_>>) {
    if let Some(key) = key.filter(|key| key.is(K::StringLiteral)) {
        cx.b.reference(RefForm::Config, key.text().trim_matches('"'), key.start(), None, 0);
    }
}

pub(super) fn macro_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::MacroName) else { return };
    let tree = node.child_of(K::TokenTree);
    let args = tree.map_or(0, elements::arg_count);
    let text = name.text();
    if name.is(K::Identifier) {
        cx.b.reference(RefForm::Macro, plain_name(text), name.start(), None, args);
    }
    let last = text.rsplit("::").next().unwrap_or(text);
    let text = cx.b.slice(name.start(), name.end() + 1);
    cx.b.effect_of(text);
    if matches!(last, "env" | "option_env") {
        add_config_ref(cx, tree.and_then(Node::first));
    }
    invariants::macro_call(cx, node, last);
}

/// A static in capitals is assigned.
pub(super) fn note_static_write<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(left) = node.child(F::Left).filter(|left| left.is(K::Identifier)) {
        let text = left.text();
        if text.starts_with(char::is_uppercase) {
            cx.b.effect(cx.b.scope(), EffectKind::GlobalState, text);
        }
    }
}

pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(value), Some(name)) = (node.child(F::Value), node.child(F::Field)) else { return };
    if name.is(K::IntegerLiteral) {
        return;
    }
    let recv = cx.b.body.value(value);
    match call_arity(node) {
        Some(args) => {
            cx.b.reference(RefForm::MethodCall, plain_name(name.text()), name.start(), Some(recv), args)
        }
        None => cx.b.reference(RefForm::Attr, plain_name(name.text()), name.start(), Some(recv), 0),
    }
}

/// The number of arguments that `node` is called with, if it is called.
fn call_arity(node: Node<'_>) -> Option<usize> {
    let mut at = node;
    if at.is_in(K::GenericFunction, F::Function) {
        at = at.parent()?;
    }
    at.is_in(K::CallExpression, F::Function)
        .then(|| exprs::arg_count(at.parent().and_then(|call| call.child(F::ArgumentsField))))
}

/// `a::b`, in any place.
pub(super) fn read_path<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let text = plain_name(name.text());
    let base = node.child(F::Path);
    let is_type = node.is(K::ScopedTypeIdentifier);
    let mut args = 0;
    let form = match node.parent_kind() {
        _ if is_base(node) => return,
        Some(K::ScopedIdentifier | K::ScopedTypeIdentifier) if node.field() == F::Path => {
            // Modules in the path, such as `std::fs` in `std::fs::read`, get no references of their own.
            if !text.starts_with(char::is_uppercase) {
                return;
            }
            RefForm::Type
        }
        Some(K::StructExpression) if node.field() == F::Name => RefForm::Construct,
        Some(K::GenericTypeTurbofish)
            if node.parent().is_some_and(|ty| ty.is_in(K::StructExpression, F::Name)) =>
        {
            RefForm::Construct
        }
        Some(K::MacroInvocation) if node.field() == F::MacroName => {
            args = node.next_sibling().map_or(0, elements::arg_count);
            RefForm::Macro
        }
        // A variant or a struct.
        Some(K::StructPattern) => RefForm::Attr,
        _ if is_type => RefForm::Type,
        Some(K::CallExpression | K::GenericFunction) => match call_arity(node) {
            Some(count) => {
                args = count;
                RefForm::PathCall
            }
            None => RefForm::Attr,
        },
        _ => RefForm::Attr,
    };
    let recv = base.map(|base| if is_type { cx.b.body.ty(base) } else { cx.b.body.value(base) });
    let form = if recv.is_none() && form == RefForm::PathCall { RefForm::Call } else { form };
    if form == RefForm::PathCall
        && let Some((form, recv)) = trait_call(cx, node, base, recv)
    {
        cx.b.reference(form, text, name.start(), Some(recv), args);
        return;
    }
    cx.b.reference(form, text, name.start(), recv, args);
}

/// The form and receiver of the call of `node`, a path whose first part `base` may be a trait. The receiver of
/// `Default::default()` is the place that is set to the result; that of `Trait::method(value, …)` may be the value.
fn trait_call<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    base: Option<Node<'a>>,
    recv: Option<ExprIx>,
) -> Option<(RefForm, ExprIx)> {
    let base = base.filter(|base| matches!(base.kind(), K::Identifier | K::ScopedIdentifier))?;
    let last = base.text().rsplit("::").next().unwrap_or("");
    let call = node.parent().filter(|call| call.is(K::CallExpression))?;
    let arg = call.child(F::ArgumentsField).and_then(Node::first);
    if last == "Default" && arg.is_none() {
        return Some((RefForm::MethodCall, set_to(cx, call)?));
    }
    let is_value = |node: Node<'_>| {
        matches!(node.kind(), K::SelfName | K::Identifier | K::FieldExpression | K::ReferenceExpression)
    };
    let arg = arg.filter(|arg| last.starts_with(char::is_uppercase) && last != "Self" && is_value(*arg))?;
    let value = cx.b.body.value(arg);
    if cx.b.body.is_unknown(value) || recv == Some(value) {
        return None;
    }
    Some((RefForm::PathCall, cx.b.body.add(Expr::Either(vec![recv?, value]))))
}

/// The place that is set to the value of `call`: a field of a struct, a local with a stated type.
fn set_to<'a>(cx: &mut Context<'a>, call: Node<'a>) -> Option<ExprIx> {
    let parent = call.parent()?;
    match parent.kind() {
        K::FieldInitializer => {
            let whole = parent.ancestors().take(2).find(|node| node.is(K::StructExpression))?;
            let ty = cx.b.body.ty(whole.child(F::Name)?);
            let built = cx.b.body.add(Expr::New(ty));
            Some(cx.b.body.attr(built, plain_name(parent.child(F::Field)?.text())))
        }
        K::BaseFieldInitializer => {
            let whole = parent.ancestors().take(2).find(|node| node.is(K::StructExpression))?;
            let ty = cx.b.body.ty(whole.child(F::Name)?);
            Some(cx.b.body.add(Expr::New(ty)))
        }
        K::LetDeclaration => {
            let ty = cx.b.body.ty(parent.child(F::TypeField)?);
            Some(cx.b.body.add(Expr::New(ty)))
        }
        // The function's return value.
        K::Block if block_tail(parent) == Some(call) => {
            let function = parent.parent().filter(|function| function.is(K::FunctionItem))?;
            let ty = cx.b.body.ty(function.child(F::ReturnType)?);
            Some(cx.b.body.add(Expr::New(ty)))
        }
        _ => None,
    }
}

/// `x: 1` in `Point { x: 1 }`, and `x` or `x: a` in a pattern: a field of the struct or variant. In `Point { x }`, which builds one, `x`
/// is the value.
pub(super) fn read_field_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let around = node.ancestors().take(2).find_map(|around| match around.kind() {
        K::StructExpression => around.child(F::Name),
        K::StructPattern => around.child(F::TypeField),
        _ => None,
    });
    let (Some(ty), Some(name)) = (around, node.child(F::Field).or_else(|| node.child(F::Name))) else {
        return;
    };
    let ty = cx.b.body.ty(ty);
    let whole = cx.b.body.add(Expr::New(ty));
    cx.b.reference(RefForm::Attr, plain_name(name.text()), name.start(), Some(whole), 0);
}

/// `list.push(element)`: the element type of an empty list from here on.
pub(super) fn read_push<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = node.child(F::Function).filter(|callee| callee.is(K::FieldExpression)) else { return };
    let name = callee.child(F::Field).map_or("", Node::text);
    let Some(list) = callee.child(F::Value).filter(|list| list.is(K::Identifier)) else { return };
    if !matches!(name, "push" | "push_back" | "push_front" | "insert") {
        return;
    }
    let args = node.child(F::ArgumentsField);
    let mut args = args.into_iter().flat_map(Node::children).filter(|arg| !arg.is(K::AttributeItem));
    let (Some(element), None) = (args.next(), args.next()) else { return };
    let Some((value, to)) = cx.b.latest_local(plain_name(list.text())) else { return };
    let of = match cx.b.body.expr(value) {
        Expr::Lit(Lit::List) => "Vec",
        Expr::Call(made, 0 | 1) => match *cx.b.body.expr(*made) {
            Expr::Path(of, made) if matches!(cx.b.body.text(made), "new" | "with_capacity") => {
                match *cx.b.body.expr(of) {
                    Expr::Name(of) => match cx.b.body.text(of) {
                        "Vec" => "Vec",
                        "VecDeque" => "VecDeque",
                        "HashSet" | "BTreeSet" => "HashSet",
                        _ => return,
                    },
                    _ => return,
                }
            }
            _ => return,
        },
        _ => return,
    };
    let element = cx.b.body.value(element);
    if !cx.b.body.is_unknown(element) {
        let value = exprs::of_values(&mut cx.b.body, of, element);
        let from = node.end();
        cx.b.bind_within(BindingKind::Local, plain_name(list.text()), None, Some(value), (from, to));
    }
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let text = node.text();
    let Some(parent) = node.parent() else { return };
    if is_prelude(text) || matches!(node.field(), F::Name | F::Alias | F::MacroName) {
        return;
    }
    if node.ix() < cx.state.pattern_until && patterns::is_binding(text) {
        return;
    }
    let (form, args) = match parent.kind() {
        // These are read together with the nodes around them.
        K::TokenTree | K::TokenRepetition | K::Attribute => return,
        K::ScopedIdentifier | K::ScopedTypeIdentifier => {
            if !text.starts_with(char::is_uppercase) {
                return;
            }
            (RefForm::Type, 0)
        }
        K::CallExpression | K::GenericFunction => match call_arity(node) {
            Some(args) => (RefForm::Call, args),
            None => (RefForm::Value, 0),
        },
        _ => (RefForm::Value, 0),
    };
    cx.b.reference(form, plain_name(text), node.start(), None, args);
}

pub(super) fn type_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let text = node.text();
    let Some(parent) = node.parent() else { return };
    let builds = |node: Node<'_>| node.is_in(K::StructExpression, F::Name);
    let form = match parent.kind() {
        K::StructExpression if builds(node) => RefForm::Construct,
        K::GenericTypeTurbofish if builds(parent) => RefForm::Construct,
        _ if node.field() == F::Name || is_base(node) => return,
        _ => RefForm::Type,
    };
    if text != "Self" {
        cx.b.reference(form, plain_name(text), node.start(), None, 0);
    }
}

/// Whether `node` is the trait that an impl block implements or a trait extends, by itself or before its arguments.
/// That is a base, not a reference.
fn is_base(node: Node<'_>) -> bool {
    let stated = |node: Node<'_>| {
        node.is_in(K::ImplItem, F::Trait)
            || node.parent().is_some_and(|bounds| bounds.is_in(K::TraitItem, F::Bounds))
    };
    stated(node) || (node.is_in(K::GenericType, F::TypeField) && node.parent().is_some_and(stated))
}
