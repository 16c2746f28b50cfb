//! Local names, instance variables, constants.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, Expr};

use super::exprs;
use super::kinds::{Context, F, K, Node};
use crate::builder::NewDef;

/// Remembers that `name` is a local.
pub(super) fn note_local(cx: &mut Context<'_>, name: Node<'_>) {
    let local = (cx.b.scope(), cx.b.body.str(name.text()));
    cx.state.locals.insert(local);
}

pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    match left.kind() {
        K::Identifier => {
            let value = cx.b.body.value(right);
            note_local(cx, left);
            cx.b.bind(BindingKind::Local, left.text(), None, Some(value), node.end());
        }
        K::LeftAssignmentList => {
            let whole = cx.b.body.value(right);
            for (at, name) in left.children().enumerate().take(32).filter(|(_, name)| name.is(K::Identifier))
            {
                let value = cx.b.body.add(Expr::Item(whole, at as u8));
                note_local(cx, name);
                cx.b.bind(BindingKind::Local, name.text(), None, Some(value), node.end());
            }
        }
        K::InstanceVariable => {
            let value = cx.b.body.value(right);
            cx.b.bind(BindingKind::Field, left.text(), None, Some(value), node.start());
            let Some(of) = cx.b.receiver_type() else { return };
            let field = cx.b.find_def(of, left.text()).unwrap_or_else(|| {
                let new = NewDef::new(SymbolKind::Field, left.text(), left, node).header_to(left.end());
                let field = cx.b.leaf_of(of, new);
                cx.b.def_mut(field).visibility = sdl_model::Visibility::Private;
                field
            });
            cx.b.add_value(field, value, node.start());
        }
        K::Constant if cx.b.callable().is_none() => {
            let new = NewDef::new(SymbolKind::Constant, left.text(), left, node).header_to(left.end());
            let def = cx.b.open(new);
            cx.b.flag(def, DefFlags::EXPORTED.with(DefFlags::STATIC));
            cx.b.def_mut(def).value = Some(cx.b.out.value(right));
        }
        _ => {}
    }
}

/// The parameters of a block: the values that the call taking the block gives them.
pub(super) fn bind_block_params<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(block) = node.parent() else { return };
    let call = block.parent().filter(|call| call.is(K::Call));
    let callee = call.map(|call| exprs::callee_shape(&mut cx.b.body, call));
    for (at, name) in node.children().enumerate().take(32).filter(|(_, name)| name.is(K::Identifier)) {
        let value = callee.map(|callee| cx.b.body.add(Expr::Passed(callee, 0, at as u8)));
        note_local(cx, name);
        cx.b.bind_within(BindingKind::Param, name.text(), None, value, (block.start(), block.end()));
    }
}

/// `rescue A, B => e`.
pub(super) fn bind_rescue<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Variable).and_then(Node::first).filter(|name| name.is(K::Identifier))
    else {
        return;
    };
    let ty = node.first().filter(|list| list.field() != F::Variable).map(|list| {
        let all = cx.b.body.values(list.children());
        cx.b.body.union(all)
    });
    note_local(cx, name);
    cx.b.bind_within(BindingKind::Local, name.text(), ty, None, (name.end(), node.end()));
}
