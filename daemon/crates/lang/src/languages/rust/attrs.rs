//! Attributes and documentation.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, RefForm};

use super::blocks::is_item;
use super::elements::{arg_count, text_between};
use super::items;
use super::kinds::{Context, F, K, Node};
use super::names::plain_name;
use crate::builder::text::{clean_comment, fold_line};
use crate::driver::Visit;

/// The longest condition that is kept whole.
const MAX_CONDITION: usize = 200;

/// Attributes of the language itself, such as `inline`. They lead to no definition.
const BUILTIN: &[&str] = &[
    "allow",
    "automatically_derived",
    "bench",
    "cfg",
    "cfg_attr",
    "cold",
    "default",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "export_name",
    "feature",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link",
    "link_name",
    "link_section",
    "macro_export",
    "macro_use",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "panic_handler",
    "path",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "repr",
    "rustfmt",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "unsafe",
    "used",
    "warn",
];

/// Traits that the standard library derives.
const STD_DERIVES: &[&str] =
    &["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// An attribute before an item opens the item, which it is a part of.
pub(super) fn read_attribute<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if node.ix() >= cx.state.attributes_until {
        let mut next = node.next_sibling();
        let mut last = node;
        while let Some(attribute) = next.filter(|next| next.is(K::AttributeItem)) {
            last = attribute;
            next = attribute.next_sibling();
        }
        let vis = next.filter(|next| next.is(K::VisibilityModifier));
        // The end of the item does not matter here. This only prevents a second reading of the attributes before it.
        cx.state.attributes_until = last.next_ix();
        let item = if vis.is_some() { None } else { next };
        if let Some(import) =
            next.filter(|next| matches!(next.kind(), K::UseDeclaration | K::ModItem | K::ExternCrate))
        {
            cx.state.condition = cfg_condition(node).map(|text| (import.ix(), text));
        }
        if let Some(item) = item.filter(|item| is_item(item.kind())) {
            let def = items::read_item(cx, item, node);
            cx.state.attributes_until = item.ix() + 1;
            if let Some(def) = def {
                complete_def(cx, def, node, item);
            }
        }
    }
    add_references(cx, node);
    Visit::Skip
}

/// The condition that the attributes from `first` on state: `#[cfg(…)]`.
fn cfg_condition(first: Node<'_>) -> Option<String> {
    let mut all = Vec::new();
    let mut at = Some(first);
    while let Some(node) = at.filter(|node| node.is(K::AttributeItem)) {
        all.extend(node.first().and_then(cfg_predicate));
        at = node.next_sibling();
    }
    match all.len() {
        0 | 1 => all.pop(),
        _ => Some(format!("all({})", all.join(", "))),
    }
}

/// The text in the brackets of `cfg(…)`.
fn cfg_predicate(attribute: Node<'_>) -> Option<String> {
    attribute.first().filter(|path| path.text() == "cfg")?;
    let text = attribute.child(F::ArgumentsField)?.text();
    let text = text.strip_prefix('(')?.strip_suffix(')')?;
    Some(fold_line(text, MAX_CONDITION)).filter(|text| !text.is_empty())
}

/// Adds to `def`, which is `item`, the information in the attributes from `first` on.
fn complete_def<'a>(cx: &mut Context<'a>, def: DefIx, first: Node<'a>, item: Node<'a>) {
    let mut docs = String::new();
    let mut at = Some(first);
    let mut doc_from = first.end();
    while let Some(node) = at.filter(|node| node.is(K::AttributeItem)) {
        let gap = cx.b.slice(doc_from, node.start());
        push_doc(&mut docs, gap);
        doc_from = node.end();
        if let Some(attribute) = node.first() {
            apply_attribute(cx, def, attribute, &mut docs);
        }
        at = node.next_sibling();
    }
    push_doc(&mut docs, cx.b.slice(doc_from, item.start()));
    if !docs.is_empty()
        && cx.b.def(def).doc.is_none()
        && let Some(doc) = clean_comment(&docs)
    {
        cx.b.doc(def, &doc);
    }
}

/// Documentation that is between attributes.
fn push_doc(docs: &mut String, gap: &str) {
    if gap.contains("///") || gap.contains("/**") {
        docs.push_str(gap.trim());
        docs.push('\n');
    }
}

fn apply_attribute<'a>(cx: &mut Context<'a>, def: DefIx, attribute: Node<'a>, docs: &mut String) {
    let Some(path) = attribute.first() else { return };
    let arguments = attribute.child(F::ArgumentsField);
    let text = path.text();
    let names = |tree: Node<'a>| tree.children().filter(|child| child.is(K::Identifier));
    match text {
        "doc" => {
            if let Some(value) = attribute.child(F::Value).filter(|value| value.is(K::StringLiteral)) {
                docs.push_str(value.text().trim_matches('"'));
                docs.push('\n');
            }
            return;
        }
        "deprecated" => cx.b.flag(def, DefFlags::DEPRECATED),
        "macro_export" => items::export_macro(cx, def),
        _ => {}
    }
    let of_tests = || arguments.is_some_and(|tree| names(tree).any(|name| name.text() == "test"));
    if text == "cfg" && cx.b.def(def).kind == SymbolKind::Namespace && of_tests() {
        cx.b.flag(def, DefFlags::TEST);
    }
    let last = text.rsplit("::").next().unwrap_or(text);
    let is_test = matches!(last, "test" | "bench" | "rstest" | "test_case" | "quickcheck" | "proptest");
    if is_test && cx.b.def(def).kind.is_callable() {
        cx.b.flag(def, DefFlags::TEST);
    }
    let mut shape = cx.b.out.value(path);
    if let Some(text) = cfg_predicate(attribute) {
        let text = cx.b.out.type_name(&text);
        shape = cx.b.out.add(Expr::Generic(shape, vec![text]));
    } else if let Some(tree) = arguments {
        // The last part of each path.
        let listed = names(tree).filter(|name| {
            let next = name.next_sibling();
            last == "derive" && next.is_none_or(|next| cx.b.slice(name.end(), next.start()).trim() != "::")
        });
        let listed: Vec<&str> = listed.take(24).map(Node::text).collect();
        let names: Vec<_> = listed.into_iter().map(|name| cx.b.out.type_name(name)).collect();
        shape = if names.is_empty() {
            let args = arg_count(tree);
            cx.b.out.call(shape, args)
        } else {
            cx.b.out.add(Expr::Generic(shape, names))
        };
    }
    cx.b.def_mut(def).decorators.push(shape);
}

/// Adds the references in an attribute.
fn add_references<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(attribute) = node.first().filter(|attribute| attribute.is(K::Attribute)) else { return };
    let Some(path) = attribute.first() else { return };
    let arguments = attribute.child(F::ArgumentsField);
    let text = path.text();
    if text == "derive" {
        if let Some(tree) = arguments {
            add_derive_refs(cx, tree, STD_DERIVES);
        }
        return;
    }
    if BUILTIN.binary_search(&text).is_ok() {
        return;
    }
    let args = arguments.map_or(0, arg_count);
    match path.kind() {
        K::Identifier => cx.b.reference(RefForm::Decorator, text, path.start(), None, args),
        K::ScopedIdentifier => {
            if let (Some(base), Some(name)) = (path.child(F::Path), path.child(F::Name)) {
                let recv = cx.b.body.value(base);
                cx.b.reference(RefForm::Decorator, name.text(), name.start(), Some(recv), args);
            }
        }
        _ => {}
    }
    if let Some(tree) = arguments {
        add_path_refs(cx, tree);
    }
}

/// References to the types named in `derive(…)`, but for `except`.
fn add_derive_refs<'a>(cx: &mut Context<'a>, tree: Node<'a>, except: &[&str]) {
    let mut path: Option<(ExprIx, u32)> = None;
    for token in tree.children().filter(|token| matches!(token.kind(), K::Identifier | K::Crate)) {
        let text = token.text();
        let base =
            path.filter(|(_, end)| cx.b.slice(*end, token.start()).trim() == "::").map(|(base, _)| base);
        if text.starts_with(char::is_uppercase) && !except.contains(&text) {
            cx.b.reference(RefForm::Type, text, token.start(), base, 0);
        }
        let shape = match base {
            Some(base) => cx.b.body.path(base, text),
            None => cx.b.body.type_name(text),
        };
        path = Some((shape, token.end()));
    }
}

/// References to the paths in an attribute's arguments: `value_parser = a::b`. Bare words are the attribute's own.
fn add_path_refs<'a>(cx: &mut Context<'a>, tree: Node<'a>) {
    let mut path: Option<(ExprIx, Node<'a>)> = None;
    for token in tree.descendants().take(2_000) {
        if !matches!(token.kind(), K::Identifier | K::Crate | K::SelfName | K::Super) {
            continue;
        }
        let text = plain_name(token.text());
        let base = path.filter(|(_, last)| text_between(*last, token).trim() == "::");
        let shape = match base {
            Some((base, _)) => {
                let followed = token.next_sibling();
                let more = followed.is_some_and(|next| text_between(token, next).trim() == "::");
                let called =
                    followed.filter(|next| next.is(K::TokenTree) && text_between(token, *next).is_empty());
                match called {
                    Some(tree) => {
                        cx.b.reference(RefForm::PathCall, text, token.start(), Some(base), arg_count(tree));
                    }
                    None if !more => cx.b.reference(RefForm::Attr, text, token.start(), Some(base), 0),
                    None => {}
                }
                cx.b.body.path(base, text)
            }
            None => cx.b.body.type_name(text),
        };
        path = Some((shape, token));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn builtin_attributes_are_sorted() {
        assert!(super::BUILTIN.is_sorted());
    }
}
