//! Local names.

use sdl_model::facts::{BindingKind, Expr, ExprIx};

use super::kinds::{Context, F, K, Node};
use super::{exprs, params, types};

/// One past the last byte at which a name declared by `node` is known: its block's end.
pub(super) fn scope_end(cx: &Context<'_>, node: Node<'_>) -> u32 {
    for around in node.ancestors().take(64) {
        match around.kind() {
            K::Block => {
                let whole =
                    matches!(around.parent_kind(), Some(K::MethodDeclaration | K::CompactConstructor));
                return if whole { cx.b.scope_end() } else { around.end() };
            }
            K::ConstructorBody => return cx.b.scope_end(),
            K::ForStatement
            | K::EnhancedFor
            | K::TryWithResources
            | K::CatchClause
            | K::LambdaExpression
            | K::SwitchGroup
            | K::SwitchRule
            | K::SwitchExpression => return around.end(),
            _ => {}
        }
    }
    cx.b.scope_end()
}

/// `for (T x : xs)`.
pub(super) fn enhanced_for<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(value)) = (node.child(F::Name), node.child(F::Value)) else { return };
    let ty = stated_shape(cx, node);
    let value = ty.is_none().then(|| {
        let whole = cx.b.body.value(value);
        cx.b.body.add(Expr::Iter(whole))
    });
    cx.b.bind_within(BindingKind::Local, name.text(), ty, value, (name.end(), node.end()));
}

fn stated_shape<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Option<ExprIx> {
    let ty = cx.b.body.ty(types::stated_type(node.child(F::TypeField))?);
    Some(types::array_shape(&mut cx.b.body, ty, node.child(F::DimensionsField)))
}

/// `catch (A | B e)`.
pub(super) fn bind_catch<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(clause)) = (node.child(F::Name), node.parent()) else { return };
    let ty = node.child_of(K::CatchType).map(|ty| cx.b.body.ty(ty));
    cx.b.bind_within(BindingKind::Local, name.text(), ty, None, (name.end(), clause.end()));
}

/// `try (T x = …)`.
pub(super) fn bind_resource<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(value)) = (node.child(F::Name), node.child(F::Value)) else { return };
    let ty = stated_shape(cx, node);
    let value = ty.is_none().then(|| cx.b.body.value(value));
    let to = scope_end(cx, node);
    cx.b.bind_within(BindingKind::Local, name.text(), ty, value, (name.end(), to));
}

/// A lambda's parameters: typed, or given by the call that takes the lambda.
pub(super) fn bind_lambda_params<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(list) = node.child(F::Parameters) else { return };
    let range = (node.start(), node.end());
    if list.is(K::FormalParameters) {
        for param in params::written_params(list).take(64) {
            params::bind_param(cx, param, range);
        }
        return;
    }
    let names: Vec<Node<'a>> = if list.is(K::Identifier) {
        vec![list]
    } else {
        list.children().filter(|part| part.is(K::Identifier)).take(64).collect()
    };
    let passed_to = passed_to(cx, node);
    for (at, name) in names.into_iter().enumerate() {
        let value = passed_to
            .map(|(callee, arg)| cx.b.body.add(Expr::Passed(callee, arg.min(255) as u8, at.min(255) as u8)));
        cx.b.bind_within(BindingKind::Param, name.text(), None, value, range);
    }
}

/// The callee that `node` is an argument of, and the argument's index.
fn passed_to<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Option<(ExprIx, usize)> {
    let list = node.parent().filter(|list| list.is(K::ArgumentList))?;
    let call = list.parent()?;
    let at = list.children().take(32).position(|arg| arg == node)?;
    match call.kind() {
        K::MethodInvocation => Some((exprs::callee_shape(&mut cx.b.body, call), at)),
        K::ObjectCreation => Some((cx.b.body.value(call), at)),
        _ => None,
    }
}

/// `x instanceof T t`: from there on, `t` may be known.
pub(super) fn instance_of<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(ty), Some(name)) = (node.child(F::Right), node.child(F::Name)) else { return };
    let ty = cx.b.body.ty(ty);
    let to = scope_end(cx, node);
    cx.b.bind_within(BindingKind::Local, name.text(), Some(ty), None, (name.end(), to));
}

/// `case T t`, the `T t` in `R(T t)`.
pub(super) fn bind_pattern<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node.children();
    let (Some(ty), Some(name)) = (parts.next(), parts.next()) else { return };
    if !name.is(K::Identifier) {
        return;
    }
    let ty = types::stated_type(Some(ty)).map(|ty| cx.b.body.ty(ty));
    let to = scope_end(cx, node);
    cx.b.bind_within(BindingKind::Local, name.text(), ty, None, (name.end(), to));
}
