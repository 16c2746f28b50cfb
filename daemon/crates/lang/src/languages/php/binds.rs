//! Local names. They keep their `$`, because otherwise `$count` could be taken for the function `count`.

use sdl_model::facts::{BindingKind, Expr};

use super::kinds::{Context, F, K, Node};

/// `$x = …`, `$this->x = …`.
pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    match left.kind() {
        K::VariableName => {
            let value = cx.b.body.value(right);
            cx.b.bind(BindingKind::Local, left.text(), None, Some(value), node.end());
        }
        K::MemberAccess => {
            let (Some(object), Some(name)) = (left.child(F::Object), left.child(F::NameField)) else {
                return;
            };
            if object.text() != "$this" || !name.is(K::Name) {
                return;
            }
            let value = cx.b.body.value(right);
            cx.b.bind(BindingKind::Field, name.text(), None, Some(value), node.start());
            if let Some(field) = cx.b.receiver_type().and_then(|of| cx.b.find_def(of, name.text()))
                && cx.b.def(field).ty.is_none()
            {
                cx.b.add_value(field, value, node.start());
            }
        }
        _ => {}
    }
}

/// `foreach ($xs as $k => $v)`.
pub(super) fn bind_foreach<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut parts = node.children();
    let (Some(whole), Some(target)) = (parts.next(), parts.next()) else { return };
    let target = match target.kind() {
        K::Pair => target.children().last(),
        _ => Some(target),
    };
    let Some(target) = target.filter(|target| target.is(K::VariableName)) else { return };
    let whole = cx.b.body.value(whole);
    let value = cx.b.body.add(Expr::Iter(whole));
    cx.b.bind(BindingKind::Local, target.text(), None, Some(value), target.end());
}

/// `catch (A | B $e)`.
pub(super) fn bind_catch<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    let ty = node.child(F::TypeField).map(|ty| cx.b.body.ty(ty));
    cx.b.bind_within(BindingKind::Local, name.text(), ty, None, (name.end(), node.end()));
}

/// `global $x;`
pub(super) fn bind_global<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    for name in node.children().filter(|name| name.is(K::VariableName)) {
        cx.b.bind(BindingKind::Outer, name.text(), None, None, name.start());
    }
}

/// `static $x = …;`
pub(super) fn static_variable<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    let value = node.child(F::Value).map(|value| cx.b.body.value(value));
    cx.b.bind(BindingKind::Local, name.text(), None, value, node.end());
}
