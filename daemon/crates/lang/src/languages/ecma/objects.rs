//! Object literals: their functions are definitions, their plain properties as well where others can reach them.

use sdl_model::facts::{DefFlags, DefIx, ImportKind};
use sdl_model::{SymbolKind, Visibility};

use super::calls::{required_module, unwrap_value};
use super::headers::{is_short, method_kind, with_header};
use super::keys::{plain_key, property_name};
use super::kinds::{Context, F, K, Node};
use super::state::{Holder, Open};
use super::{functions, names};
use crate::builder::NewDef;
use crate::driver::Visit;

/// How many plain properties of one object become definitions: an object with more is data.
const MAX_FIELDS: u32 = 200;
/// How deep objects may be nested for their properties to become definitions.
const MAX_DEPTH: u32 = 4;
/// How many properties are searched for functions in an object.
const MAX_LOOK: usize = 256;

/// Whether the object `node` has a function or class in it, at the top.
pub(super) fn has_functions(node: Node<'_>) -> bool {
    node.is(K::Object)
        && node.children().take(MAX_LOOK).any(|part| match part.kind() {
            K::MethodDefinition => true,
            K::Pair => part
                .child(F::Value)
                .is_some_and(|value| value.kind().is_function_value() || value.is(K::Class)),
            _ => false,
        })
}

fn enclosing_object(cx: &mut Context<'_>, node: Node<'_>) -> Option<Open> {
    let parent = node.parent()?;
    cx.state.object(node.ix()).filter(|open| open.node == parent.ix()).copied()
}

/// Opens a member of the object that `open` describes.
fn open_member<'a>(cx: &mut Context<'a>, open: Option<Open>, new: NewDef<'a>) -> DefIx {
    let holder = open.and_then(|open| open.holder);
    let Some(holder) = holder else {
        let def = cx.b.open(new);
        cx.b.flag(def, DefFlags::LOCAL);
        cx.b.def_mut(def).visibility = Visibility::Private;
        return def;
    };
    let def = cx.b.open_of(holder.def, new);
    set_owner(cx, def, holder);
    if let Some(whole) = cx.state.exported_type.filter(|_| holder.exported) {
        let name = cx.b.name_of(def).to_owned();
        let ty = cx.b.out.attr(whole, &name);
        cx.b.def_mut(def).ty = Some(ty);
    }
    def
}

/// Sets the owner of `def`.
pub(super) fn set_owner(cx: &mut Context<'_>, def: DefIx, holder: Holder) {
    if holder.exported {
        cx.b.flag(def, DefFlags::EXPORTED);
    }
    let visibility = names::by_name(cx.b.name_of(def));
    cx.b.def_mut(def).visibility = visibility;
    if holder.owner.is_some() && cx.b.def(holder.def).kind.is_callable() {
        // The type that it belongs to is in a function.
        cx.b.flag(def, DefFlags::LOCAL);
    }
    if let Some(owner) = holder.owner {
        cx.b.def_mut(def).owner = Some(owner);
        if let Some(owner) = cx.b.out.arena().dotted(owner) {
            let qualified = format!("{owner}.{}", cx.b.name_of(def));
            let qualified = cx.b.out.str(&qualified);
            cx.b.def_mut(def).qualified = qualified;
        }
    }
}

/// `key: value`.
pub(super) fn read_pair<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(key), Some(value)) = (node.child(F::Key), node.child(F::Value)) else { return };
    let open = enclosing_object(cx, node);
    let inner = unwrap_value(value);
    let text = property_name(key);
    if inner.kind().is_function_value() {
        let new = NewDef::new(SymbolKind::Method, text, key, node);
        let def = open_member(cx, open, with_header(new, inner));
        cx.state.hold(inner, Holder::of(def));
        return;
    }
    if inner.is(K::Class) {
        let new = NewDef::new(SymbolKind::Class, text, key, node).body(inner.child(F::Body));
        let def = open_member(cx, open, new);
        cx.state.hold(inner, Holder::of(def));
        return;
    }
    let Some((open, holder)) = open.and_then(|open| Some((open, open.holder?))) else { return };
    if holder.exported && inner.is(K::Identifier) {
        cx.b.export(inner.text(), text);
        return;
    }
    let Some(text) = plain_key(key) else { return };
    if let Some(def) = add_field(cx, open, holder, Property { text, key, node, value }) {
        if inner.is(K::Object) && open.depth < MAX_DEPTH {
            cx.state.hold(inner, Holder::of(def));
        }
        let shape = cx.b.out.value(inner);
        cx.b.def_mut(def).value = Some(shape);
        if cx.lang == sdl_model::Lang::JavaScript {
            super::jsdoc::apply_variable_doc(cx, def);
        }
    }
}

/// A property of an object.
struct Property<'a> {
    /// Its name.
    text: &'a str,
    key: Node<'a>,
    /// All of it.
    node: Node<'a>,
    value: Node<'a>,
}

/// Adds a property without a function as a field, if it can be reached from elsewhere and there are not too many.
fn add_field<'a>(
    cx: &mut Context<'a>,
    open: Open,
    holder: Holder,
    Property { text, key, node, value }: Property<'a>,
) -> Option<DefIx> {
    let local = cx.b.def(holder.def).flags.has(DefFlags::LOCAL);
    if local || open.fields >= MAX_FIELDS || open.depth >= MAX_DEPTH {
        return None;
    }
    if let Some(open) = cx.state.object(node.ix()) {
        open.fields += 1;
    }
    let mut new = NewDef::new(SymbolKind::Field, text, key, node);
    if !is_short(value) {
        new = new.header_to(value.start());
    }
    let def = cx.b.leaf_of(holder.def, new);
    set_owner(cx, def, holder);
    Some(def)
}

/// `{ name }`.
pub(super) fn read_shorthand<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let open = enclosing_object(cx, node);
    let Some((open, holder)) = open.and_then(|open| Some((open, open.holder?))) else { return };
    if holder.exported {
        cx.b.export(node.text(), node.text());
        return;
    }
    let property = Property { text: node.text(), key: node, node, value: node };
    if let Some(def) = add_field(cx, open, holder, property) {
        let shape = cx.b.out.value(node);
        cx.b.def_mut(def).value = Some(shape);
    }
}

/// `...value` in an object.
pub(super) fn read_spread<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let exported =
        enclosing_object(cx, node).and_then(|open| open.holder).is_some_and(|holder| holder.exported);
    let Some(call) = node.first().filter(|_| exported) else { return };
    if let Some(module) = required_module(call) {
        cx.b.import(ImportKind::Wildcard, module, None, None, node.start()).reexport = true;
        cx.state.hold(call, Holder::of(DefIx::MODULE));
    }
}

/// `name(…) {…}` in an object.
pub(super) fn read_method<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child(F::Name) else { return Visit::Into };
    let open = enclosing_object(cx, node);
    let text = property_name(name);
    let new = NewDef::new(method_kind(node, text), text, name, node);
    let def = open_member(cx, open, with_header(new, node));
    functions::enter_function(cx, node, def)
}

/// Registers `holder` for the parts of `value`: the value itself and, where it is a call, the objects among its
/// arguments.
pub(super) fn hold_objects<'a>(cx: &mut Context<'a>, value: Node<'a>, holder: Holder) {
    let inner = unwrap_value(value);
    match inner.kind() {
        K::CallExpression | K::NewExpression => {
            let args = inner.child(F::Arguments).map(Node::children).into_iter().flatten();
            for arg in args.take(8).filter(|arg| arg.is(K::Object)) {
                cx.state.hold(arg, holder);
            }
        }
        K::BinaryExpression => {
            if let Some(right) = inner.child(F::Right).filter(|right| right.is(K::Object)) {
                cx.state.hold(right, holder);
            }
        }
        K::Object => cx.state.hold(inner, holder),
        _ => {}
    }
}
