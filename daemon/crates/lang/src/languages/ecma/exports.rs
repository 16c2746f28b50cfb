//! Exports of values without a name, and of values that are assigned.

use sdl_model::SymbolKind;
use sdl_model::facts::DefFlags;

use super::calls::unwrap_value;
use super::headers::with_header;
use super::kinds::{Context, F, K, Node};
use super::objects;
use super::state::Holder;
use crate::builder::NewDef;

pub(super) fn is_exports(node: Node<'_>) -> bool {
    let short = node.end() - node.start() < 24;
    short && matches!(node.text(), "exports" | "module.exports")
}

/// A value without a name that is the default export: `export default …`, `module.exports = …`.
pub(super) fn add_default_export<'a>(cx: &mut Context<'a>, value: Node<'a>, whole: Node<'a>) {
    let inner = unwrap_value(value);
    let named = inner.child(F::Name).filter(|_| inner.is(K::Class) || inner.kind().is_function_value());
    let kind = match inner.kind() {
        kind if kind.is_function_value() => SymbolKind::Function,
        K::Class => SymbolKind::Class,
        _ => SymbolKind::Constant,
    };
    let new = NewDef::new(kind, named.map_or("default", Node::text), named.unwrap_or(value), whole);
    let new = match kind {
        SymbolKind::Function => with_header(new, inner),
        SymbolKind::Class => new.body(inner.child(F::Body)),
        _ => new.header_to(value.start()),
    };
    let def = cx.b.open(new);
    cx.b.flag(def, DefFlags::EXPORTED.with(DefFlags::DEFAULT_EXPORT));
    if kind == SymbolKind::Constant {
        let shape = cx.b.body.value(value);
        cx.b.add_value(def, shape, value.start());
        objects::hold_objects(cx, value, Holder::of(def));
    } else {
        cx.state.hold(inner, Holder::of(def));
    }
}

/// `var a = module.exports = …`: the variable is the exported value.
pub(super) fn add_chained_export<'a>(cx: &mut Context<'a>, name: Node<'a>, value: Node<'a>) {
    let mut at = value;
    for _ in 0..4 {
        if at.child(F::Left).is_some_and(is_exports) {
            cx.state.is_module = true;
            cx.b.export(name.text(), "default");
            return;
        }
        match at.child(F::Right).filter(|right| right.is(K::AssignmentExpression)) {
            Some(right) => at = right,
            None => return,
        }
    }
}
