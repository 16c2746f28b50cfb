//! Objects and arrays as tables of functions: entries that are set after the literal.

use sdl_model::facts::{BindingKind, DefIx, Expr, ExprIx, Lit};

use super::calls::unwrap_value;
use super::keys::string_content;
use super::kinds::{Context, F, K, Node};

/// The longest text of a key.
const MAX_KEY: usize = 60;
/// How many entries of one object that are set later count. Code that sets more fills a table with data.
const MAX_UPDATES: u32 = 32;
/// How deep an object may be in others.
const MAX_NESTING: usize = 4;

/// Notes that the module's variable `name` holds an object or an array as written.
pub(super) fn note_table(cx: &mut Context<'_>, name: &str, value: Option<Node<'_>>) {
    if value.is_some_and(|value| matches!(value.kind(), K::Object | K::Array)) {
        cx.state.tables.insert(name.to_owned());
    }
}

/// The object before a member or a subscript, and the name of the entry.
fn entry_of(target: Node<'_>) -> Option<(Node<'_>, String)> {
    let object = target.child(F::ObjectField)?;
    if target.is(K::MemberExpression) {
        return Some((object, target.child(F::Property)?.text().to_owned()));
    }
    let key = target.child(F::Index).filter(|_| target.is(K::SubscriptExpression))?;
    let text = if key.is(K::String) { string_content(key) } else { key.text() };
    let text = text.get(..text.floor_char_boundary(MAX_KEY)).unwrap_or(text);
    let is_literal = matches!(key.kind(), K::String | K::Number);
    Some((object, if is_literal { text.to_owned() } else { format!("[{text}]") }))
}

/// `object.key = value`, `object["key"] = value`.
pub(super) fn set_entry<'a>(cx: &mut Context<'a>, node: Node<'a>, left: Node<'a>, right: Node<'a>) {
    let inner = unwrap_value(right);
    if inner.kind().is_function_value() || inner.is(K::Class) {
        return;
    }
    let Some((mut object, name)) = entry_of(left) else { return };
    let mut root = object;
    for _ in 0..MAX_NESTING {
        root = entry_of(root).map_or(root, |(outer, _)| outer);
    }
    if !root.is(K::Identifier) || !is_known(cx, root.text()) {
        return;
    }
    let value = cx.b.body.value(right);
    let says_nothing = match cx.b.body.expr(value) {
        Expr::Unknown => true,
        Expr::Lit(lit) => *lit != Lit::Null,
        _ => false,
    };
    if says_nothing {
        return;
    }
    let mut entry = (cx.b.body.str(&name), value);
    // `object.a.b = value` sets `object.a` to what it was, with one more property.
    while let Some((outer, name)) = entry_of(object) {
        let copied = (cx.b.body.str(""), cx.b.body.value(object));
        let whole = cx.b.body.add(Expr::Record(vec![copied, entry]));
        entry = (cx.b.body.str(&name), whole);
        object = outer;
    }
    change_table(cx, root.text(), vec![entry], node.end());
}

/// `Object.assign(object, {…})`.
pub(super) fn read_assign<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(callee), Some(args)) = (node.child(F::Function), node.child(F::Arguments)) else { return };
    let is_assign = callee.end() - callee.start() < 24 && callee.text() == "Object.assign";
    let Some(object) = args.first().filter(|first| is_assign && first.is(K::Identifier)) else { return };
    if !is_known(cx, object.text()) {
        return;
    }
    let mut entries = Vec::new();
    for more in args.children().skip(1).take(MAX_NESTING) {
        let more = cx.b.body.object_value(more);
        entries.push((cx.b.body.str(""), more));
    }
    change_table(cx, object.text(), entries, node.end());
}

/// Whether `name` is an object or array as written, of the function around or of the module.
fn is_known(cx: &Context<'_>, name: &str) -> bool {
    match cx.b.latest_local(name) {
        Some((value, _)) => is_table(cx.b.body.expr(value)),
        None => {
            let is_shared = cx.b.scope() == DefIx::MODULE || !cx.b.is_bound(name);
            is_shared && cx.state.tables.contains(name)
        }
    }
}

/// The object `name` has these entries too, from byte `from` on.
fn change_table(cx: &mut Context<'_>, name: &str, more: Vec<(sdl_model::facts::StrIx, ExprIx)>, from: u32) {
    let scope = cx.b.scope();
    let count = cx.state.updates.entry((scope, name.to_owned())).or_default();
    *count += 1;
    if *count > MAX_UPDATES {
        return;
    }
    let at_top = scope == DefIx::MODULE && !cx.state.in_function();
    let range = match cx.b.latest_local(name) {
        Some((_, to)) => Some((from, to)),
        None if at_top => Some((from, cx.b.scope_end())),
        None => None,
    };
    if let Some(range) = range {
        let copied = (cx.b.body.str(""), cx.b.body.type_name(name));
        let whole = std::iter::once(copied).chain(more.iter().copied()).collect();
        let whole = cx.b.body.add(Expr::Record(whole));
        cx.b.bind_within(BindingKind::Local, name, None, Some(whole), range);
    }
    // Others see a property that may have the old value or the new one.
    let Some(def) = cx.b.find_def(DefIx::MODULE, name).filter(|_| at_top || range.is_none()) else { return };
    for (key, value) in more {
        let key = cx.b.body.text(key).to_owned();
        if let Some(field) = cx.b.find_def(def, &key).filter(|field| !cx.b.def(*field).kind.is_callable()) {
            cx.b.add_value(field, value, from);
        }
    }
}

fn is_table(value: &Expr) -> bool {
    matches!(value, Expr::Record(_) | Expr::Tuple(_) | Expr::Lit(Lit::Object | Lit::List))
}
