//! What functions and files return.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx};

use super::kinds::{Context, K, Node};
use super::state::Holder;
use super::{docs, exprs, functions, names, scopes};
use crate::builder::NewDef;

/// The name of the value that a file returns, where it has no other.
const WHOLE: &str = "default";

pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(value) = node.child_of(K::ExpressionList).and_then(Node::first) else { return };
    let value = names::unwrapped(value);
    match cx.state.function() {
        Some(function) => {
            // Of an anonymous function nobody knows who calls it.
            let Some(def) = function.def else { return };
            if value.is(K::TableConstructor) {
                cx.state.hold(value, Holder::Function);
            }
            let shape = match made_object(cx, value) {
                Some(object) => object,
                None => cx.b.body.object_value(value),
            };
            cx.b.returns(def, shape, node.start());
        }
        None => read_whole(cx, node, value),
    }
}

/// The object that the local `value` is: a table with functions, or what `setmetatable(value, …)` made of it, whatever
/// it was before.
fn made_object<'a>(cx: &mut Context<'a>, value: Node<'a>) -> Option<ExprIx> {
    let name = Some(value).filter(|value| value.is(K::Identifier))?.text();
    if scopes::object_around(cx, name).is_some() {
        let name = cx.b.body.str(name);
        return Some(cx.b.body.add(Expr::Inner(name, false)));
    }
    let (object, to) = cx.b.latest_local(name)?;
    (value.start() < to && matches!(cx.b.body.expr(object), Expr::New(_))).then_some(object)
}

/// The value of the file, which `require` gives.
fn read_whole<'a>(cx: &mut Context<'a>, node: Node<'a>, value: Node<'a>) {
    let table = match names::arguments(value).next() {
        Some(table) if names::calls(value, "setmetatable") => names::unwrapped(table),
        _ => value,
    };
    if let Some(module) = exprs::required(value) {
        cx.b.export(&exprs::module_name(&module), WHOLE);
    } else if table.is(K::Identifier) {
        cx.b.export(table.text(), WHOLE);
    } else if table.is(K::TableConstructor) {
        cx.state.hold(table, Holder::Module);
    } else if value.is(K::FunctionDefinition) {
        functions::open_whole(cx, node, value, WHOLE);
    } else if matches!(value.kind(), K::FunctionCall | K::DotIndex) && cx.b.scope() == DefIx::MODULE {
        let def = cx.b.leaf(NewDef::new(SymbolKind::Constant, WHOLE, value, node));
        cx.b.flag(def, DefFlags::DEFAULT_EXPORT);
        scopes::show(cx, def, true);
        docs::read_doc(cx, def, node);
        let value = cx.b.body.value(value);
        cx.b.add_value(def, value, node.start());
    }
}
