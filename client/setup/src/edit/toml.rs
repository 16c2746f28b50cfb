//! TOML. A new entry is a table at the end of the file, which is right wherever other tables are.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, Table, Value as TomlValue};

use super::json::delete_part;
use super::node::{Kind, Member, Node};
use super::{Fault, Fields, Target, ended, fault_at, line_end, line_start, locate, next_line, splice};

type Parsed<'a> = Document<&'a str>;

fn read(text: &str) -> Result<Parsed<'_>, Fault> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let why = error.message().lines().collect::<Vec<_>>().join(" ");
        fault_at(text, at, |line, column| Fault::Unreadable { line, column, why })
    })
}

pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let document = read(text)?;
    Ok(Node { span: 0..text.len(), kind: table_kind(document.as_table()) })
}

fn table_kind(table: &Table) -> Kind {
    let members = table.iter().map(|(key, item)| {
        let key_span = table.key(key).and_then(toml_edit::Key::span).unwrap_or_default();
        let key_span = if key_span.is_empty() { item.span().unwrap_or_default() } else { key_span };
        Member { key: key.to_owned(), key_span, value: convert(item) }
    });
    Kind::Map(members.collect())
}

fn convert(item: &Item) -> Node {
    let span = item.span().unwrap_or_default();
    let kind = match item {
        Item::None => Kind::Leaf(Value::Null),
        Item::Value(value) => return convert_value(value),
        Item::Table(table) => table_kind(table),
        Item::ArrayOfTables(tables) => {
            let one =
                |table: &Table| Node { span: table.span().unwrap_or_default(), kind: table_kind(table) };
            Kind::List(tables.iter().map(one).collect())
        }
    };
    Node { span, kind }
}

fn convert_value(value: &TomlValue) -> Node {
    let kind = match value {
        TomlValue::String(text) => Kind::Leaf(Value::from(text.value().as_str())),
        TomlValue::Integer(number) => Kind::Leaf(Value::from(*number.value())),
        TomlValue::Float(number) => Kind::Leaf(Value::from(format!("\u{0}{:?}", number.value()))),
        TomlValue::Boolean(yes) => Kind::Leaf(Value::from(*yes.value())),
        TomlValue::Datetime(time) => Kind::Leaf(Value::from(format!("\u{0}{}", time.value()))),
        TomlValue::Array(items) => Kind::List(items.iter().map(convert_value).collect()),
        TomlValue::InlineTable(table) => {
            let members = table.iter().map(|(key, value)| Member {
                key: key.to_owned(),
                key_span: table.key(key).and_then(toml_edit::Key::span).unwrap_or_default(),
                value: convert_value(value),
            });
            Kind::Map(members.collect())
        }
    };
    Node { span: value.span().unwrap_or_default(), kind }
}

/// A value as TOML writes it on one line.
pub(super) fn render_value(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::value(text.as_str()).to_string().trim().to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(render_value).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let members =
                map.iter().map(|(key, value)| format!("{} = {}", render_key(key), render_value(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn render_key(key: &str) -> String {
    toml_edit::Key::new(key).to_string()
}

pub(super) fn insert_entry(
    text: &str,
    root: Option<&Node>,
    target: Target,
    fields: &Fields,
) -> Result<String, Fault> {
    let document = read(text)?;
    let servers = item_at(document.as_item(), target.servers);
    if let (Some(Item::Value(value)), Some(root)) = (servers, root) {
        return insert_inline(text, value, locate(text, root, target)?.deepest, target, fields);
    }
    let new_line = line_end(text);
    let way: Vec<String> = target.servers.iter().map(|key| render_key(key)).collect();
    let head = if target.list {
        format!("[[{}]]", way.join("."))
    } else {
        format!("[{}.{}]", way.join("."), render_key(target.name))
    };
    let lines =
        fields.iter().map(|(key, value)| format!("{} = {}{new_line}", render_key(key), render_value(value)));
    let gap = if text.trim().is_empty() { "" } else { new_line };
    Ok(format!("{}{gap}{head}{new_line}{}", ended(text), lines.collect::<String>()))
}

/// Inserts into `mcp_servers = { … }` or `mcp_servers = [ … ]`.
fn insert_inline(
    text: &str,
    value: &TomlValue,
    servers: &Node,
    target: Target,
    fields: &Fields,
) -> Result<String, Fault> {
    let entry = Value::Object(fields.iter().cloned().collect());
    let entry = if target.list {
        render_value(&entry)
    } else {
        format!("{} = {}", render_key(target.name), render_value(&entry))
    };
    let last = match &servers.kind {
        Kind::Map(members) => members.last().map(|member| member.value.span.end),
        Kind::List(items) => items.last().map(|item| item.span.end),
        Kind::Leaf(_) => None,
    };
    let open = value.span().unwrap_or_default().start;
    Ok(match last {
        Some(end) => splice(text, end..end, &format!(", {entry}")),
        None if target.list => splice(text, open + 1..open + 1, &entry),
        None => splice(text, open + 1..open + 1, &format!(" {entry} ")),
    })
}

fn item_at<'a>(item: &'a Item, way: &[&str]) -> Option<&'a Item> {
    way.iter().try_fold(item, |item, key| item.get(*key))
}

pub(super) fn delete_entry(text: &str, root: &Node, target: Target) -> Result<String, Fault> {
    let document = read(text)?;
    let found = locate(text, root, target)?;
    let servers = item_at(document.as_item(), target.servers);
    let table = match servers {
        Some(Item::ArrayOfTables(tables)) => tables.get(found.index),
        Some(Item::Table(table)) => {
            table.get(target.name).and_then(Item::as_table).filter(|table| !table.is_dotted())
        }
        _ => None,
    };
    if let Some(table) = table {
        let mut ranges = Vec::new();
        collect_ranges(text, table, &mut ranges);
        ranges.sort_by_key(|range| std::cmp::Reverse(range.start));
        return Ok(ranges.into_iter().fold(text.to_owned(), |text, range| {
            let start = before_blank_line(&text, range.start);
            splice(&text, start..range.end, "")
        }));
    }
    if matches!(servers, Some(Item::Value(_))) {
        let parts: Vec<Range<usize>> = match &found.deepest.kind {
            Kind::Map(members) => {
                members.iter().map(|member| member.key_span.start..member.value.span.end).collect()
            }
            Kind::List(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Leaf(_) => Vec::new(),
        };
        return Ok(delete_part(text, found.deepest, &parts, found.index));
    }
    let at = found.entry.map_or(0, |entry| entry.span.start);
    Err(fault_at(text, at, |line, column| Fault::Unclear {
        line,
        column,
        why: format!("the entry {} is written with dotted keys", target.name),
    }))
}

/// The lines of a table and of the tables in it, each with its head.
fn collect_ranges(text: &str, table: &Table, ranges: &mut Vec<Range<usize>>) {
    let head = table.span().unwrap_or_default();
    let mut end = head.end;
    for (_, item) in table {
        match item {
            Item::Table(inner) if !inner.is_dotted() => collect_ranges(text, inner, ranges),
            Item::Table(inner) => end = end.max(last_byte(inner)),
            Item::ArrayOfTables(inner) => inner.iter().for_each(|inner| collect_ranges(text, inner, ranges)),
            _ => end = end.max(item.span().unwrap_or_default().end),
        }
    }
    if !head.is_empty() {
        ranges.push(line_start(text, head.start)..next_line(text, end));
    }
}

/// The end of the last value of dotted keys.
fn last_byte(table: &Table) -> usize {
    let end = |item: &Item| match item {
        Item::Table(inner) => last_byte(inner),
        other => other.span().unwrap_or_default().end,
    };
    table.iter().map(|(_, item)| end(item)).max().unwrap_or(0)
}

/// The start of the blank line before a line, if there is one: we put it there.
fn before_blank_line(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let start = line_start(before, before.len().saturating_sub(1));
    let blank = before.get(start..).is_some_and(|line| !line.is_empty() && line.trim().is_empty());
    if blank { start } else { at }
}
