//! `use`, `extern crate`, `mod x;`.

use sdl_model::facts::ImportKind;

use super::kinds::{Context, F, K, Node};
use super::names::plain_name;
use crate::driver::Visit;

/// How deep lists in lists of a `use` are followed.
const MAX_NESTING: usize = 32;

pub(super) fn read_use<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let reexport = node.child_of(K::VisibilityModifier).is_some();
    let clause = node.children().find(|child| !child.is(K::VisibilityModifier));
    let first = cx.b.imports_mut().len();
    let mut todo = Vec::new();
    todo.extend(clause.map(|clause| (clause, String::new(), 0)));
    while let Some((clause, prefix, depth)) = todo.pop() {
        match clause.kind() {
            K::UseList | K::ScopedUseList => {
                let (list, prefix) = if clause.is(K::ScopedUseList) {
                    let own = clause.child(F::Path).map(path_text).unwrap_or_default();
                    (clause.child(F::List), join_path(&prefix, &own, true))
                } else {
                    (Some(clause), prefix)
                };
                if depth < MAX_NESTING {
                    let first = todo.len();
                    let items = list.into_iter().flat_map(Node::children);
                    todo.extend(items.map(|item| (item, prefix.clone(), depth + 1)));
                    if let Some(added) = todo.get_mut(first..) {
                        added.reverse();
                    }
                }
            }
            K::UseWildcard => {
                let own = clause.first().map(path_text).unwrap_or_default();
                let module = join_path(&prefix, &own, false);
                cx.state.runs_processes |= module == "std::process";
                cx.b.import(ImportKind::Wildcard, &module, None, None, clause.start()).reexport = reexport;
            }
            K::UseAsClause => {
                let Some(target) = clause.child(F::Path) else { continue };
                let alias = clause.child(F::Alias).map(Node::text);
                add_import(cx, &join_path(&prefix, &path_text(target), false), alias, clause, reexport);
            }
            _ => add_import(cx, &join_path(&prefix, &path_text(clause), false), None, clause, reexport),
        }
    }
    set_import_condition(cx, node, first);
    Visit::Skip
}

/// Sets the condition of `node` for the imports from `first` on, which it makes.
fn set_import_condition<'a>(cx: &mut Context<'a>, node: Node<'a>, first: usize) {
    let Some((_, text)) = cx.state.condition.take_if(|(of, _)| *of == node.ix()) else { return };
    let text = cx.b.out.str(&text);
    for import in cx.b.imports_mut().iter_mut().skip(first) {
        import.condition = Some(text);
    }
}

/// Imports `full` as `alias` or its last part.
fn add_import<'a>(cx: &mut Context<'a>, full: &str, alias: Option<&'a str>, at: Node<'a>, reexport: bool) {
    let full = full.strip_suffix("::self").unwrap_or(full);
    let (module, name) = match full.rsplit_once("::") {
        Some((module, name)) if !matches!(name, "super" | "crate") && !module.is_empty() => {
            (module, Some(name))
        }
        _ => (full, None),
    };
    let last = name.unwrap_or_else(|| full.rsplit("::").next().unwrap_or(full));
    let local = Some(alias.unwrap_or(last)).filter(|local| *local != "_");
    cx.state.runs_processes |= name == Some("Command") && module.ends_with("process");
    let kind = if name.is_some() { ImportKind::Named } else { ImportKind::Module };
    cx.b.import(kind, module, name, local, at.start()).reexport = reexport;
}

/// `own` below `prefix`. A list's own path may be empty: `use ::{a, b}`.
fn join_path(prefix: &str, own: &str, list: bool) -> String {
    match (prefix, own) {
        ("", own) => own.to_owned(),
        (prefix, "") if list => prefix.to_owned(),
        (prefix, own) => format!("{prefix}::{own}"),
    }
}

/// A path's text without white space, comments or raw marks.
fn path_text(node: Node<'_>) -> String {
    let text = node.text();
    if text.contains(|c: char| c.is_whitespace() || c == '#' || c == '/') {
        let parts = node.text().split("::").map(|part| {
            let part = part.trim();
            let part = part.rsplit(char::is_whitespace).next().unwrap_or(part);
            part.strip_prefix("r#").unwrap_or(part)
        });
        return parts.collect::<Vec<_>>().join("::");
    }
    text.to_owned()
}

/// `extern crate a as b;`.
pub(super) fn extern_crate<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let first = cx.b.imports_mut().len();
    if let Some(name) = node.child(F::Name) {
        let reexport = node.child_of(K::VisibilityModifier).is_some();
        let local = node.child(F::Alias).unwrap_or(name).text();
        let module = if name.text() == "self" { "crate".to_owned() } else { format!("::{}", name.text()) };
        let local = Some(local).filter(|local| !matches!(*local, "_" | "self"));
        cx.b.import(ImportKind::Module, &module, None, local, node.start()).reexport = reexport;
    }
    set_import_condition(cx, node, first);
    Visit::Skip
}

/// `mod x;`: the file of that name becomes a member of this module.
pub(super) fn module_file<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(name) = node.child(F::Name) else { return Visit::Into };
    if node.child(F::Body).is_some() {
        return Visit::Into;
    }
    let reexport = node.child_of(K::VisibilityModifier).is_some();
    let name = plain_name(name.text());
    let first = cx.b.imports_mut().len();
    cx.b.import(ImportKind::Named, "self", Some(name), Some(name), node.start()).reexport = reexport;
    set_import_condition(cx, node, first);
    Visit::Skip
}
