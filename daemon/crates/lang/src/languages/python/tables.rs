//! Dictionaries and lists as tables of functions: literals, entries by a literal key, and entries that are set later.

use sdl_model::facts::{BindingKind, DefIx, Expr, ExprIx, Lit};

use super::kinds::{Context, F, K, Node};
use super::types;
use crate::builder::Half;

/// How many entries of a dictionary are looked at.
const MAX_ENTRIES: usize = 48;
/// The longest text of a key.
const MAX_KEY: usize = 60;
/// How deep a table may be in others.
const MAX_NESTING: usize = 4;
/// How many entries of one table that are set later count. Code that sets more fills a table with data.
const MAX_UPDATES: u32 = 32;

/// The shape of the dictionary `node`: its entries, if one of them may hold a function.
pub(super) fn dictionary_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let may_hold_code = |part: Node<'a>| {
        part.is(K::DictionarySplat)
            || part.child(F::Value).is_some_and(|value| {
                matches!(
                    value.kind(),
                    K::Identifier | K::Attribute | K::Lambda | K::Call | K::Dictionary | K::List
                )
            })
    };
    if !node.children().take(MAX_ENTRIES).any(may_hold_code) {
        return half.lit(Lit::Dict);
    }
    let mut entries = Vec::new();
    for part in node.children().take(MAX_ENTRIES) {
        if part.is(K::DictionarySplat) {
            let whole = half.value_or_unknown(part.first());
            entries.push((half.str(""), whole));
        } else if let (Some(key), Some(value)) = (part.child(F::Key), part.child(F::Value)) {
            let value = half.value(value);
            let key = entry_name(key);
            entries.push((half.str(&key), value));
        }
    }
    half.add(Expr::Record(entries))
}

/// The text of a key that is written out: `run` of `table["run"]`.
fn literal_key(key: Node<'_>) -> Option<&str> {
    let text = match key.kind() {
        K::String if key.child_of(K::Interpolation).is_none() => {
            let text = types::string_content(key);
            // `"1"` is another key than `1`.
            if text.bytes().all(|byte| byte.is_ascii_digit()) { key.text() } else { text }
        }
        K::Integer => key.text(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty() && text.len() <= MAX_KEY)
}

/// The name of an entry: its key, or the key's text in brackets where it is computed.
fn entry_name(key: Node<'_>) -> String {
    literal_key(key).map_or_else(
        || {
            let text = key.text();
            format!("[{}]", text.get(..text.floor_char_boundary(MAX_KEY)).unwrap_or(text))
        },
        str::to_owned,
    )
}

/// The shape of `table[key]`.
pub(super) fn subscript_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    let base = half.value_or_unknown(node.child(F::Value));
    let mut indexes = node.children_in(F::SubscriptIndex);
    match (indexes.next().and_then(literal_key), indexes.next()) {
        (Some(key), None) => {
            let key = half.str(key);
            half.add(Expr::Key(base, key))
        }
        _ => half.add(Expr::Index(base)),
    }
}

/// `table[key] = value`: the table has this entry from byte `from` on.
pub(super) fn set_entry<'a>(cx: &mut Context<'a>, target: Node<'a>, value: Option<Node<'a>>, from: u32) {
    let (Some(table), Some(key), Some(value)) =
        (target.child(F::Value), target.child(F::SubscriptIndex), value)
    else {
        return;
    };
    let value = cx.b.body.value(value);
    if matches!(cx.b.body.expr(value), Expr::Unknown)
        || matches!(cx.b.body.expr(value), Expr::Lit(lit) if !matches!(lit, Lit::Lambda | Lit::Null))
    {
        return;
    }
    let name = cx.b.body.str(&entry_name(key));
    let mut entry = cx.b.body.add(Expr::Record(vec![(name, value)]));
    // `table["a"]["b"] = value` sets `table["a"]` to what it was, with one more entry.
    let mut table = table;
    for _ in 0..MAX_NESTING {
        let (true, Some(outer), Some(key)) =
            (table.is(K::Subscript), table.child(F::Value), table.child(F::SubscriptIndex))
        else {
            break;
        };
        let copied = (cx.b.body.str(""), cx.b.body.value(table));
        let name = cx.b.body.str(&entry_name(key));
        let inner = match cx.b.body.expr(entry) {
            Expr::Record(entries) => std::iter::once(copied).chain(entries.iter().copied()).collect(),
            _ => return,
        };
        let inner = cx.b.body.add(Expr::Record(inner));
        entry = cx.b.body.add(Expr::Record(vec![(name, inner)]));
        table = outer;
    }
    match table.kind() {
        K::Identifier => change_table(cx, table.text(), entry, from),
        K::Attribute => change_field(cx, table, entry, from),
        _ => {}
    }
}

/// `table.update({…})`.
pub(super) fn read_update<'a>(cx: &mut Context<'a>, node: Node<'a>, callee: Node<'a>) {
    let is_update = callee.child(F::AttributeName).is_some_and(|name| name.text() == "update");
    let Some(table) = callee.child(F::Object).filter(|table| is_update && table.is(K::Identifier)) else {
        return;
    };
    let Some(more) = node.child(F::Arguments).and_then(Node::first).filter(|more| more.is(K::Dictionary))
    else {
        return;
    };
    let more = cx.b.body.value(more);
    if matches!(cx.b.body.expr(more), Expr::Record(_)) {
        change_table(cx, table.text(), more, node.end());
    }
}

/// The table `name` has the entries of `more` from byte `from` on.
fn change_table(cx: &mut Context<'_>, name: &str, more: ExprIx, from: u32) {
    let scope = cx.b.scope();
    let count = cx.state.updates.entry((scope, name.to_owned())).or_default();
    *count += 1;
    if *count > MAX_UPDATES {
        return;
    }
    let local = cx.b.latest_local(name).filter(|(old, _)| is_table(cx.b.body.expr(*old)));
    if let (Some((_, to)), Expr::Record(entries)) = (local, cx.b.body.expr(more).clone()) {
        let copied = (cx.b.body.str(""), cx.b.body.name(name));
        let whole = std::iter::once(copied).chain(entries).collect();
        let whole = cx.b.body.add(Expr::Record(whole));
        cx.b.bind_within(BindingKind::Local, name, None, Some(whole), (from, to));
    }
    // Others see a table that may have the old entry or the new one.
    let is_shared = if scope == DefIx::MODULE { local.is_some() } else { names_shared_table(cx, name) };
    if let Some(def) = cx.b.find_def(DefIx::MODULE, name).filter(|_| is_shared) {
        cx.b.add_value(def, more, from);
    }
}

/// Whether `name`, in a function, is a table of the module.
fn names_shared_table(cx: &Context<'_>, name: &str) -> bool {
    let table = || {
        let text = cx.b.body.lookup(name)?;
        cx.b.binding_before(DefIx::MODULE, text, usize::MAX)?.value
    };
    !cx.b.is_bound(name) && table().is_some_and(|value| is_table(cx.b.body.expr(value)))
}

/// `self.table[key] = value`.
fn change_field(cx: &mut Context<'_>, table: Node<'_>, more: ExprIx, from: u32) {
    let (Some(object), Some(name)) = (table.child(F::Object), table.child(F::AttributeName)) else { return };
    let Some(class) = cx.b.receiver_type().filter(|_| cx.b.body.is_receiver(object.text())) else { return };
    let Some(def) = cx.b.find_def(class, name.text()) else { return };
    let value = cx.b.def(def).value;
    if value.is_some_and(|value| is_table(cx.b.out.expr(value))) {
        cx.b.add_value(def, more, from);
    }
}

fn is_table(value: &Expr) -> bool {
    matches!(value, Expr::Record(_) | Expr::Tuple(_) | Expr::Lit(Lit::Dict | Lit::List))
}
