//! JSON, with the comments and trailing commas that many clients allow.

use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::node::{Kind, Member, Node};
use super::{
    Fault, Fields, MAX_DEPTH, Target, ended, fault_at, indent_at, line_end, locate, next_line, splice,
};

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        fault_at(text, error.range().start, |line, column| Fault::Unreadable {
            line,
            column,
            why: error.kind().to_string(),
        })
    })?;
    parsed.value.map(|value| convert(text, &value, 0)).transpose()
}

fn convert(text: &str, value: &ast::Value, depth: usize) -> Result<Node, Fault> {
    let range = value.range();
    if depth > MAX_DEPTH {
        return Err(fault_at(text, range.start, |line, column| Fault::Unreadable {
            line,
            column,
            why: format!("nested more than {MAX_DEPTH} levels deep"),
        }));
    }
    let kind = match value {
        ast::Value::Object(object) => {
            let member = |property: &ast::ObjectProp| {
                let name = match &property.name {
                    ObjectPropName::String(name) => name.value.to_string(),
                    ObjectPropName::Word(name) => name.value.to_owned(),
                };
                let key = property.name.range();
                let value = convert(text, &property.value, depth + 1)?;
                Ok(Member { key: name, key_span: key.start..key.end, value })
            };
            Kind::Map(object.properties.iter().map(member).collect::<Result<_, Fault>>()?)
        }
        ast::Value::Array(array) => {
            let items = array.elements.iter().map(|item| convert(text, item, depth + 1));
            Kind::List(items.collect::<Result<_, Fault>>()?)
        }
        ast::Value::StringLit(literal) => Kind::Leaf(Value::from(literal.value.as_ref())),
        ast::Value::NumberLit(literal) => {
            // A number that no reader of numbers takes is still the same text afterwards.
            let number = literal.value.parse::<serde_json::Number>().map(Value::Number);
            Kind::Leaf(number.unwrap_or_else(|_| Value::from(format!("\u{0}{}", literal.value))))
        }
        ast::Value::BooleanLit(literal) => Kind::Leaf(Value::Bool(literal.value)),
        ast::Value::NullKeyword(_) => Kind::Leaf(Value::Null),
    };
    Ok(Node { span: range.start..range.end, kind })
}

pub(super) fn insert_entry(
    text: &str,
    root: Option<&Node>,
    target: Target,
    fields: &Fields,
) -> Result<String, Fault> {
    let entry = Value::Object(fields.iter().cloned().collect());
    let Some(root) = root else {
        return Ok(write_document(text, &wrap(target.servers, target, entry)));
    };
    let found = locate(text, root, target)?;
    let (key, value) = match target.servers.get(found.depth..) {
        Some([key, rest @ ..]) => ((*key).to_owned(), wrap(rest, target, entry)),
        _ => (target.name.to_owned(), entry),
    };
    Ok(insert_member(text, root, found.deepest, &key, &value))
}

/// A value in a text that holds none so far, after its comments.
pub(super) fn write_document(text: &str, document: &Value) -> String {
    let rendered = render(document, "", "  ", line_end(text));
    let before = if text.trim().is_empty() { String::new() } else { ended(text) };
    format!("{before}{rendered}{}", line_end(text))
}

/// The entry inside of the maps that lead to it.
fn wrap(way: &[&str], target: Target, entry: Value) -> Value {
    let one = |key: &str, value: Value| Value::Object(Map::from_iter([(key.to_owned(), value)]));
    way.iter().rev().fold(one(target.name, entry), |inner, key| one(key, inner))
}

/// Inserts a member at the end of a map, laid out as its neighbours are.
pub(super) fn insert_member(text: &str, root: &Node, map: &Node, key: &str, value: &Value) -> String {
    let parts: Vec<_> =
        map.members().iter().map(|member| member.key_span.start..member.value.span.end).collect();
    insert_part(text, root, map, &parts, &format!("{}: ", Value::from(key)), value)
}

/// Inserts an item at the end of a list, laid out as its neighbours are.
pub(super) fn insert_item(text: &str, root: &Node, list: &Node, value: &Value) -> String {
    let parts: Vec<_> = list.items().iter().map(|item| item.span.clone()).collect();
    insert_part(text, root, list, &parts, "", value)
}

/// Inserts a value after the parts of a map or a list. `label` is its key, if it has one.
fn insert_part(
    text: &str,
    root: &Node,
    container: &Node,
    parts: &[std::ops::Range<usize>],
    label: &str,
    value: &Value,
) -> String {
    let new_line = line_end(text);
    let unit = indent_unit(text, root);
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return insert_first(text, root, container, label, value, unit);
    };
    let comma = comma_after(text, last.end);
    let anchor = comma.map_or(last.end, |at| at + 1);
    let anchor_end = end_of_comments(text, anchor);
    let on_lines = text.get(container.span.start..first.start).is_some_and(|between| between.contains('\n'));
    let on_lines = on_lines || anchor_end > anchor;
    let (separator, rendered) = if on_lines {
        let indent = indent_at(text, first.start);
        (format!("{new_line}{indent}"), render(value, indent, unit, new_line))
    } else {
        (" ".to_owned(), compact(value))
    };
    let trailing = if comma.is_some() { "," } else { "" };
    let edited = splice(text, anchor_end..anchor_end, &format!("{separator}{label}{rendered}{trailing}"));
    if comma.is_some() { edited } else { splice(&edited, last.end..last.end, ",") }
}

fn insert_first(text: &str, root: &Node, container: &Node, label: &str, value: &Value, unit: &str) -> String {
    let new_line = line_end(text);
    let inside = container.span.start + 1..container.span.end.saturating_sub(1);
    let comments = text.get(inside.clone()).unwrap_or_default().trim_end();
    let whole = text.get(root.span.clone()).unwrap_or_default();
    let one_line = !root.members().is_empty() && !whole.contains('\n');
    if one_line && comments.is_empty() {
        return splice(text, inside, &format!("{label}{}", compact(value)));
    }
    let outer = indent_at(text, container.span.start);
    let inner = format!("{outer}{unit}");
    let rendered = render(value, &inner, unit, new_line);
    splice(text, inside, &format!("{comments}{new_line}{inner}{label}{rendered}{new_line}{outer}"))
}

/// How one level is indented: as the first member of the file, else by two spaces.
fn indent_unit<'a>(text: &'a str, root: &Node) -> &'a str {
    let first = root.members().first().map(|member| member.key_span.start);
    let unit = first.map(|at| indent_at(text, at)).unwrap_or_default();
    let own = indent_at(text, root.span.start);
    let unit = unit.strip_prefix(own).unwrap_or_default();
    if unit.is_empty() { "  " } else { unit }
}

/// A value over several lines; lists of plain values stay on one.
fn render(value: &Value, indent: &str, unit: &str, new_line: &str) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let inner = format!("{indent}{unit}");
            let member = |(key, value): (&String, &Value)| {
                let key = Value::from(key.as_str());
                format!("{inner}{key}: {}", render(value, &inner, unit, new_line))
            };
            let members: Vec<String> = map.iter().map(member).collect();
            format!("{{{new_line}{}{new_line}{indent}}}", members.join(&format!(",{new_line}")))
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let inner = format!("{indent}{unit}");
            let item = |item: &Value| format!("{inner}{}", render(item, &inner, unit, new_line));
            let items: Vec<String> = items.iter().map(item).collect();
            format!("[{new_line}{}{new_line}{indent}]", items.join(&format!(",{new_line}")))
        }
        other => compact(other),
    }
}

/// A value on one line.
fn compact(value: &Value) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), compact(value))
            };
            format!("{{ {} }}", map.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

pub(super) fn delete_entry(text: &str, root: &Node, target: Target, made: usize) -> Result<String, Fault> {
    let found = locate(text, root, target)?;
    let mut edited = delete_member(text, found.deepest, found.index);
    for level in 0..made.min(target.servers.len()) {
        let Some((key, way)) = target.servers.get(..target.servers.len() - level).and_then(<[_]>::split_last)
        else {
            break;
        };
        let Some(root) = parse(&edited)? else { break };
        let Some(parent) =
            way.iter().try_fold(&root, |node, key| node.member(key).map(|member| &member.value))
        else {
            break;
        };
        let at = parent.members().iter().position(|member| member.key == *key);
        let emptied = |at: usize| {
            let container = parent.members().get(at).map(|member| &member.value)?;
            let inside = edited.get(container.span.start + 1..container.span.end.saturating_sub(1))?;
            inside.trim().is_empty().then_some(at)
        };
        let Some(at) = at.and_then(emptied) else { break };
        edited = delete_member(&edited, parent, at);
    }
    Ok(edited)
}

/// Deletes a member of a map with its comma. Comments of its neighbours stay.
pub(super) fn delete_member(text: &str, map: &Node, index: usize) -> String {
    let spans: Vec<_> =
        map.members().iter().map(|member| member.key_span.start..member.value.span.end).collect();
    delete_part(text, map, &spans, index)
}

/// Deletes one of the parts of a map or a list in brackets.
pub(super) fn delete_part(
    text: &str,
    container: &Node,
    parts: &[std::ops::Range<usize>],
    index: usize,
) -> String {
    let Some(part) = parts.get(index) else { return text.to_owned() };
    let comma = comma_after(text, part.end);
    let spaces_before = text.get(..part.start).unwrap_or_default().trim_end().len();
    if let (Some(comma), Some(_)) = (comma, parts.get(index + 1)) {
        let rest = text.get(comma + 1..).unwrap_or_default();
        let blank = rest.trim_start_matches([' ', '\t']);
        // What follows on a line of its own moves to the place of the part; its own indentation goes.
        let lead = if blank.starts_with(['\r', '\n']) {
            rest.len() - blank.trim_start_matches(['\r', '\n']).trim_start_matches([' ', '\t']).len()
        } else {
            rest.len() - blank.len()
        };
        return splice(text, part.start..comma + 1 + lead, "");
    }
    let end = comma.map_or(part.end, |at| at + 1);
    if let Some(previous) = index.checked_sub(1).and_then(|before| parts.get(before)) {
        let cut = splice(text, spaces_before..end, "");
        return match (comma, comma_after(text, previous.end)) {
            (None, Some(before)) => splice(&cut, before..before + 1, ""),
            _ => cut,
        };
    }
    let close = container.span.end.saturating_sub(1);
    let alone = text.get(end..close).is_some_and(|rest| rest.trim().is_empty());
    let end = if alone && spaces_before == container.span.start + 1 { close } else { end };
    splice(text, spaces_before..end, "")
}

/// The comma after a value, past white space and comments.
fn comma_after(text: &str, at: usize) -> Option<usize> {
    let mut here = at;
    loop {
        let rest = text.get(here..)?;
        let next = rest.trim_start();
        here += rest.len() - next.len();
        if next.starts_with("//") || next.starts_with('#') {
            here = next_line(text, here);
        } else if next.starts_with("/*") {
            here += next.find("*/")? + 2;
        } else {
            return next.starts_with(',').then_some(here);
        }
    }
}

/// The end of the comments that follow on the same line, or the place itself.
fn end_of_comments(text: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let next = rest.trim_start_matches([' ', '\t']);
        let start = end + rest.len() - next.len();
        if next.starts_with("//") {
            let line = next.find('\n').unwrap_or(next.len());
            let comment = next.get(..line).unwrap_or_default();
            return start + comment.trim_end_matches('\r').len();
        }
        match next.starts_with("/*").then(|| next.find("*/")).flatten() {
            Some(close) if !next.get(..close).unwrap_or_default().contains('\n') => end = start + close + 2,
            _ => return end,
        }
    }
}
