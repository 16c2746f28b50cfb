//! Functions, constructors, lambdas.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr, ExprIx, PASSED_RECEIVER, RECEIVER};

use super::kinds::{Context, F, K, Node};
use super::types::{last_name, plain_name, type_name_node};
use super::{exprs, modifiers, params};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

pub(super) fn read_function<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let receiver = node.children().take_while(|part| *part != name).find(|part| part.kind().is_type());
    let member =
        receiver.is_some() || cx.b.scope_kind().is_type() || cx.b.scope_kind() == SymbolKind::EnumMember;
    let kind = if member { SymbolKind::Method } else { SymbolKind::Function };
    let list = node.child_of(K::FunctionValueParameters);
    let new = modifiers::new_declaration(kind, name.text(), name, node).without_comments_in(list);
    let def = cx.b.open(new);
    modifiers::complete_def(cx, def, node);
    if let Some(receiver) = receiver {
        set_owner(cx, def, receiver, plain_name(name.text()));
    }
    read_signature(cx, def, node);
    if node.child_of(K::FunctionBody).is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    cx.state.enter_function(node, Some(def));
}

/// States the type that an extension belongs to.
pub(super) fn set_owner<'a>(cx: &mut Context<'a>, def: DefIx, receiver: Node<'a>, name: &str) {
    let Some(named) = type_name_node(receiver) else { return };
    let shape = cx.b.out.ty(named);
    let text = last_name(named).map_or("", Node::text);
    let qualified = cx.b.out.str(&format!("{text}.{name}"));
    let top = cx.b.def(def).parent == Some(DefIx::MODULE);
    let def = cx.b.def_mut(def);
    def.owner = Some(shape);
    if top {
        def.qualified = qualified;
    }
}

/// Parameters and result of `def`.
fn read_signature<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let Some(list) = node.child_of(K::FunctionValueParameters) else { return };
    params::read_params(cx, def, list);
    let ret = node.children().skip_while(|part| *part != list).find(|part| part.kind().is_type());
    if let Some(ret) = ret {
        read_result(cx, def, ret);
    }
}

/// States the result of `def`.
pub(super) fn read_result<'a>(cx: &mut Context<'a>, def: DefIx, ty: Node<'a>) {
    let text = cx.b.out.str(&fold_line(ty.text(), 200));
    let shape = (ty.text() != "Unit").then(|| cx.b.out.ty(ty));
    let def = cx.b.def_mut(def);
    def.ret_text = Some(text);
    def.ret = shape;
}

/// `constructor(…)`.
pub(super) fn read_constructor<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(at) = node.child_of(K::ConstructorToken) else { return };
    let class = node
        .ancestors()
        .take(4)
        .find(|around| matches!(around.kind(), K::ClassDeclaration | K::ObjectDeclaration))
        .and_then(|class| class.child(F::Name));
    let Some(class) = class else { return };
    let mut new = modifiers::new_declaration(SymbolKind::Constructor, class.text(), at, node);
    if let Some(call) = node.child_of(K::ConstructorDelegationCall) {
        new = new.header_to(call.start());
    }
    let def = cx.b.open(new);
    modifiers::complete_def(cx, def, node);
    read_signature(cx, def, node);
    cx.state.enter_function(node, Some(def));
}

/// The name that the function `node` is bound to, and the whole declaration: `val f = {…}`.
fn bound_name(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let whole = node.parent().filter(|parent| parent.is(K::PropertyDeclaration))?;
    let name = whole.child_of(K::VariableDeclaration)?.child_of(K::Identifier)?;
    Some((name, whole))
}

/// Whether the local `property` holds a function and is its definition.
pub(super) fn is_function(property: Node<'_>) -> bool {
    property.child_of(K::VariableDeclaration).is_some()
        && exprs::assigned_value(property)
            .is_some_and(|value| matches!(value.kind(), K::LambdaLiteral | K::AnonymousFunction))
}

/// Opens the definition of a local that holds the function `node`.
fn open_bound_function<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Option<DefIx> {
    let (name, whole) = bound_name(node).filter(|_| cx.b.callable().is_some())?;
    let new = NewDef::new(SymbolKind::Function, plain_name(name.text()), name, whole).body(Some(node));
    let def = cx.b.open(new);
    cx.b.def_mut(def).visibility = sdl_model::Visibility::Private;
    Some(def)
}

/// `fun(x: T): R = …` as a value.
pub(super) fn read_anonymous_function<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let def = open_bound_function(cx, node);
    match def {
        Some(def) => read_signature(cx, def, node),
        None => {
            if let Some(list) = node.child_of(K::FunctionValueParameters) {
                params::bind_params(cx, list, (node.start(), node.end()));
            }
        }
    }
    cx.state.enter_function(node, def);
}

/// `{ x -> … }`.
pub(super) fn read_lambda<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let def = open_bound_function(cx, node);
    let taker = taking_call(cx, node);
    let range = (node.start(), node.end());
    bind_receiver(cx, node, taker);
    let list = node.child_of(K::LambdaParameters);
    let Some(list) = list else {
        let value = taker.map(|taker| taker.gives(cx, 0));
        cx.b.bind_within(BindingKind::Param, "it", None, value, range);
        return;
    };
    for (at, param) in list.children().take(32).enumerate() {
        let value = taker.map(|taker| taker.gives(cx, at));
        super::binds::bind_declared(cx, param, value, BindingKind::Param, range);
    }
    if let (Some(def), Some(last)) = (def, node.children().last()) {
        let shape = cx.b.body.value(last);
        cx.b.returns(def, shape, last.start());
    }
}

/// Binds the receiver of bare calls in the lambda `node`, as [`RECEIVER`]: `x.apply {…}`, or the receiver that the
/// function taking the lambda states.
fn bind_receiver<'a>(cx: &mut Context<'a>, node: Node<'a>, taker: Option<Taker>) {
    let call = node.parent().filter(|parent| parent.is(K::AnnotatedLambda)).and_then(Node::parent);
    let callee = call.and_then(exprs::callee_node);
    let scope = callee.and_then(|callee| {
        let name = if callee.is(K::NavigationExpression) { exprs::member_name(callee)? } else { callee };
        match (name.text(), callee.is(K::NavigationExpression)) {
            ("apply" | "run", true) => Some(cx.b.body.value_or_unknown(callee.first())),
            ("with", false) => {
                let call = callee.parent().filter(|call| call.is(K::CallExpression))?;
                let first = call.child_of(K::ValueArguments).and_then(Node::first)?;
                Some(cx.b.body.value(first))
            }
            ("buildList" | "buildSet" | "buildMap" | "buildString", false) => {
                Some(cx.b.body.lit(sdl_model::facts::Lit::List))
            }
            _ => None,
        }
    });
    let value = match (scope, taker) {
        (Some(scope), _) => scope,
        (None, Some(Taker::Call(callee, arg))) => {
            cx.b.body.add(Expr::Passed(callee, arg.min(255) as u8, PASSED_RECEIVER))
        }
        _ => return,
    };
    cx.b.bind_within(BindingKind::Param, RECEIVER, None, Some(value), (node.start(), node.end()));
}

/// Who is given a lambda.
#[derive(Clone, Copy)]
enum Taker {
    /// A function, as which argument.
    Call(ExprIx, usize),
    /// A scope function: it hands its receiver to the lambda.
    Scope(ExprIx),
}

impl Taker {
    /// The value that parameter `at` of the lambda is given.
    fn gives(self, cx: &mut Context<'_>, at: usize) -> ExprIx {
        match self {
            Self::Call(callee, arg) => {
                cx.b.body.add(Expr::Passed(callee, arg.min(255) as u8, at.min(255) as u8))
            }
            Self::Scope(subject) => subject,
        }
    }
}

fn taking_call<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Option<Taker> {
    let parent = node.parent()?;
    let (call, at) = match parent.kind() {
        K::AnnotatedLambda => {
            let call = parent.parent()?;
            (call, exprs::arg_count(call).saturating_sub(1))
        }
        K::ValueArgument => {
            let list = parent.parent()?;
            let at = list.children().take(32).position(|other| other == parent)?;
            (list.parent()?, at)
        }
        _ => return None,
    };
    let callee = exprs::callee_node(call).filter(|_| call.is(K::CallExpression))?;
    if callee.is(K::NavigationExpression)
        && let Some(name) = exprs::member_name(callee)
        && matches!(name.text(), "let" | "also" | "takeIf" | "takeUnless" | "use")
    {
        let subject = cx.b.body.value_or_unknown(callee.first());
        return Some(Taker::Scope(subject));
    }
    let callee = cx.b.body.value(callee);
    Some(Taker::Call(callee, at))
}

/// `= x` as a function's body.
pub(super) fn read_expression_body<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(value) = exprs::assigned_value(node) else { return };
    // A setter gives nothing.
    if node.parent_kind() == Some(K::Setter) {
        return;
    }
    if let Some(def) = cx.state.function(node)
        && !value.is(K::ThrowExpression)
    {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, value.start());
    }
}

/// `return x`.
pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.text().starts_with("return@") {
        return;
    }
    if let Some(def) = cx.state.function(node)
        && let Some(value) = node.first()
    {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}
