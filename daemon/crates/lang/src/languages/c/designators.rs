//! Lists that set fields by name: `{ .open = my_open }`.

use sdl_model::facts::{Expr, ExprIx, RefForm};

use super::declarators::{Declared, is_deduced};
use super::kinds::{Context, F, K, Node, is_cpp};
use super::state::InitList;

/// Most designators of one value, as in `.a.b[1] = 2`.
const MAX_DESIGNATORS: usize = 16;

/// Notes the value that a list initializes.
pub(super) fn read_list<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    leave_lists(cx, node);
    let (value, dimensions) = initialized(cx, node).unwrap_or_default();
    cx.state.lists.push(InitList { end: node.next_ix(), value, dimensions });
}

/// `.open` in a list.
pub(super) fn read_designator<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    leave_lists(cx, node);
    let Some(name) = node.first() else { return };
    let recv = node.parent().and_then(|pair| designated(cx, pair, Some(node)));
    if let Some(recv) = recv {
        cx.b.reference(RefForm::Attr, name.text(), name.start(), Some(recv), 0);
    }
}

fn leave_lists(cx: &mut Context<'_>, node: Node<'_>) {
    while cx.state.lists.last().is_some_and(|list| list.end <= node.ix()) {
        cx.state.lists.pop();
    }
}

/// The value that a list initializes, and how many dimensions it has as an array.
fn initialized<'a>(cx: &mut Context<'a>, list: Node<'a>) -> Option<(Option<ExprIx>, u8)> {
    let parent = list.parent()?;
    match parent.kind() {
        K::InitDeclarator => {
            let declared = Declared::of(parent)?;
            let ty = parent.parent()?.child(F::Type)?;
            // A local is known from the end of its declarator on.
            let is_local = cx.b.callable().is_some();
            let value = if is_local { new_value(cx, ty)? } else { cx.b.body.value(declared.name) };
            Some((Some(value), declared.dimensions))
        }
        K::CompoundLiteral => {
            let ty = parent.child(F::Type)?;
            let dimensions = u8::from(ty.child_of(K::AbstractArrayDeclarator).is_some());
            let ty = if ty.is(K::TypeDescriptor) { ty.child(F::Type)? } else { ty };
            Some((Some(new_value(cx, ty)?), dimensions))
        }
        K::InitializerPair => Some((designated(cx, parent, None), 0)),
        K::InitializerList => {
            let InitList { value, dimensions, .. } = *cx.state.lists.last()?;
            // An element; else the field at this place, whose name is not known.
            Some((Some(element_of(cx, value.filter(|_| dimensions > 0)?)), dimensions - 1))
        }
        _ => None,
    }
}

/// A value of a type that has a name.
fn new_value<'a>(cx: &mut Context<'a>, ty: Node<'a>) -> Option<ExprIx> {
    if is_deduced(ty) {
        return None;
    }
    let ty = cx.b.body.ty(ty);
    Some(cx.b.body.add(Expr::New(ty)))
}

/// An element of an array. In C an array and a pointer to its first element are used alike.
fn element_of(cx: &mut Context<'_>, array: ExprIx) -> ExprIx {
    if is_cpp(cx) { cx.b.body.add(Expr::Index(array)) } else { array }
}

/// The part that the designators of `pair` lead to, those from `before` on left out.
fn designated<'a>(cx: &mut Context<'a>, pair: Node<'a>, before: Option<Node<'a>>) -> Option<ExprIx> {
    let mut value = cx.state.lists.last()?.value?;
    for designator in pair.children_in(F::Designator).take(MAX_DESIGNATORS) {
        if Some(designator) == before {
            return Some(value);
        }
        value = match designator.kind() {
            K::FieldDesignator => cx.b.body.attr(value, designator.first()?.text()),
            K::SubscriptDesignator => element_of(cx, value),
            _ => return None,
        };
    }
    before.is_none().then_some(value)
}
