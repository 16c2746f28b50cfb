//! Actions as Markdown.

use serde_json::Value;

use super::schemas::{enum_choices, schema_properties, value_bounds};
use super::writing::{Depth, append_raw};
use crate::call::action::Namespace;
use crate::call::names;
use crate::call::registry::{Entry, Registry};

/// One action in a list of several.
pub(super) fn write_action(entry: &Entry, depth: Depth) -> String {
    let def = &entry.def;
    if depth == Depth::Compact {
        return format!("- `{}({})` {}", def.name, def.needs, def.description);
    }
    let mut text = format!("## {}\n\n{}.\n", names::underscored_name(def.name), def.description);
    write_body(entry, depth, &mut text);
    text
}

/// One action on a page of its own.
pub(crate) fn action_page(entry: &Entry) -> String {
    let def = &entry.def;
    let tool = names::underscored_name(def.name);
    let mut text = format!("# {}\n\n{}.\n\n", def.name, def.description);
    let gateway = match entry.namespace {
        Namespace::Universal => "a tool of its own on every surface but `search`".to_owned(),
        namespace => format!("through the gateway `{}`", names::underscored_name(namespace.name())),
    };
    append_raw(&mut text, format_args!("Tool `{tool}`; {gateway}."));
    if def.mutating {
        append_raw(&mut text, format_args!(" Changes something, so there is `{tool}{}` too.", names::RAW));
    } else {
        text.push_str(" Only reads.");
    }
    text.push('\n');
    write_body(entry, Depth::Full, &mut text);
    text
}

/// The list of all actions.
pub(super) fn action_index(registry: &Registry) -> String {
    let mut text = "# Actions\n\nEach action is a tool on the `flat` surface, reachable through its gateway on the \
                    default one, and found by `sdl_action_search` on any.\nThese pages are made from the registry by \
                    `cargo xtask docs`.\n"
        .to_owned();
    for namespace in Namespace::GATEWAYS.into_iter().chain([Namespace::Universal]) {
        let mut inside = registry.of(namespace).peekable();
        if inside.peek().is_none() {
            continue;
        }
        append_raw(
            &mut text,
            format_args!("\n## {}\n\n| action | needs | | |\n|---|---|---|---|\n", namespace.name()),
        );
        for entry in inside {
            let def = &entry.def;
            let what = def.description.strip_prefix("Call this ").unwrap_or(def.description);
            let kind = if def.mutating { "changes" } else { "reads" };
            let needs = escape_cell(def.needs);
            append_raw(
                &mut text,
                format_args!("| [`{0}`]({0}.md) | {needs} | {kind} | {what} |\n", def.name),
            );
        }
    }
    text
}

fn write_body(entry: &Entry, depth: Depth, text: &mut String) {
    let full = depth == Depth::Full;
    text.push_str("\n| argument | type | |\n|---|---|---|");
    write_rows(&entry.request, "", full, text);
    if !full {
        return;
    }
    for (alias, field) in entry.def.aliases {
        append_raw(text, format_args!("\n`{alias}` is taken for `{field}`."));
    }
    text.push_str("\n| answer | type | |\n|---|---|---|");
    write_rows(&entry.response, "", true, text);
    for example in entry.def.examples {
        append_raw(text, format_args!("\n```json\n{example}\n```\n"));
    }
}

fn write_rows(schema: &Value, prefix: &str, full: bool, text: &mut String) {
    for (name, property, must) in schema_properties(schema) {
        let mark = if must { " **required**" } else { "" };
        let mut about = if full { property_description(property) } else { String::new() };
        if let Some(choices) = enum_choices(property) {
            let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            about = format!("{} {about}", choices.join(" "));
        }
        let mut kind = type_name(property);
        if let Some(bounds) = value_bounds(property).filter(|_| full) {
            append_raw(&mut kind, format_args!(", {bounds}"));
        }
        text.push('\n');
        append_raw(text, format_args!("| `{prefix}{name}`{mark} | {kind} | {} |", about.trim()));
        write_rows(property, &format!("{prefix}{name}."), full, text);
        if let Some(items) = property.get("items") {
            write_rows(items, &format!("{prefix}{name}[]."), full, text);
        }
    }
    if prefix.is_empty() {
        text.push('\n');
    }
}

fn type_name(schema: &Value) -> String {
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
    match schema.get("items") {
        Some(items) => format!("{}[]", self::type_name(items)),
        None => kind.to_owned(),
    }
}

fn property_description(schema: &Value) -> String {
    escape_cell(schema.get("description").and_then(Value::as_str).unwrap_or_default())
}

/// Text that a table's cell can hold.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|")
}
