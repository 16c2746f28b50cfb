//! YAML. No crate that keeps layout handles all that clients write, so a parser that reports places says where lines go
//! in and out. A new entry is the first of its block, because the end of a block in YAML is a matter of the next line.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::json::delete_part;
use super::node::{Kind, Member, Node};
use super::{
    Fault, Fields, MAX_DEPTH, Target, ended, fault_at, indent_at, line_and_column, line_end, line_start,
    locate, next_line, splice,
};

pub(super) fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let places = Places::of(text);
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = places.byte(error.marker());
            fault_at(text, at, |line, column| Fault::Unreadable {
                line,
                column,
                why: error.info().to_owned(),
            })
        })?;
        let bytes = places.bytes(span);
        let finished = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) if open.len() >= MAX_DEPTH => {
                return Err(fault_at(text, bytes.start, |line, column| Fault::Unreadable {
                    line,
                    column,
                    why: format!("nested more than {MAX_DEPTH} levels deep"),
                }));
            }
            Event::MappingStart(..) => {
                open.push(Open { start: bytes.start, parts: Vec::new(), map: true });
                None
            }
            Event::SequenceStart(..) => {
                open.push(Open { start: bytes.start, parts: Vec::new(), map: false });
                None
            }
            Event::MappingEnd | Event::SequenceEnd => open.pop().map(|open| open.close(bytes.end)),
            Event::Scalar(value, style, ..) => {
                Some(Node { span: bytes, kind: Kind::Leaf(scalar(&value, style)) })
            }
            Event::Alias(_) => {
                let name = text.get(bytes.clone()).unwrap_or_default();
                let kind = Kind::Leaf(Value::from(format!("\u{0}{name}")));
                Some(Node { span: bytes, kind })
            }
            _ => None,
        };
        let Some(node) = finished else { continue };
        match open.last_mut() {
            Some(open) => open.parts.push(node),
            None if root.is_none() => root = Some(node),
            None => {
                return Err(fault_at(text, node.span.start, |line, column| Fault::Unclear {
                    line,
                    column,
                    why: "the file has several documents".to_owned(),
                }));
            }
        }
    }
    Ok(root.filter(|root| root.kind != Kind::Leaf(Value::Null)))
}

/// A map or a list whose end was not seen yet.
struct Open {
    start: usize,
    parts: Vec<Node>,
    map: bool,
}

impl Open {
    fn close(self, end: usize) -> Node {
        let span = self.start..end.max(self.start);
        if !self.map {
            return Node { span, kind: Kind::List(self.parts) };
        }
        let mut parts = self.parts.into_iter();
        let mut members = Vec::new();
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            let name = match &key.kind {
                Kind::Leaf(Value::String(name)) => name.clone(),
                _ => format!("\u{0}{}", key.to_value()),
            };
            members.push(Member { key: name, key_span: key.span, value });
        }
        Node { span, kind: Kind::Map(members) }
    }
}

/// A scalar by the core schema, as far as we compare it.
fn scalar(value: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::from(value);
    }
    match value {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        number => number.parse::<u32>().map_or_else(|_| Value::from(number), Value::from),
    }
}

/// Where the parser's places are in bytes. It counts characters.
struct Places<'a> {
    text: &'a str,
    /// The first byte of each line.
    lines: Vec<usize>,
    is_ascii: bool,
}

impl<'a> Places<'a> {
    fn of(text: &'a str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, lines, is_ascii: text.is_ascii() }
    }

    /// The byte of a line (from 1) and a column (from 0).
    fn byte(&self, marker: &Marker) -> usize {
        if self.is_ascii {
            return marker.index().min(self.text.len());
        }
        let line = marker.line().checked_sub(1).and_then(|line| self.lines.get(line));
        let Some(start) = line else { return self.text.len() };
        let rest = self.text.get(*start..).unwrap_or_default();
        start + rest.char_indices().nth(marker.col()).map_or(rest.len(), |(at, _)| at)
    }

    fn bytes(&self, span: Span) -> std::ops::Range<usize> {
        let start = self.byte(&span.start);
        start..self.byte(&span.end).max(start)
    }
}

pub(super) fn insert_entry(
    text: &str,
    root: Option<&Node>,
    target: Target,
    fields: &Fields,
) -> Result<String, Fault> {
    let new_line = line_end(text);
    let [key] = target.servers else {
        return Err(unclear(text, 0, "the servers are not at the top of the file"));
    };
    let unit = root.map_or("  ", |root| indent_unit(text, root));
    let Some(member) = root.and_then(|root| root.member(key)) else {
        if root.is_some_and(|root| is_flow(text, root)) {
            return Err(unclear(text, 0, "the whole file is in braces"));
        }
        let entry = render_entry(target, fields, unit, unit, new_line);
        return Ok(format!("{}{key}:{new_line}{entry}", ended(text)));
    };
    let servers = &member.value;
    if let Some(first) = first_part(servers) {
        if is_flow(text, servers) {
            let entry = Value::Object(fields.iter().cloned().collect());
            let entry = if target.list { entry.to_string() } else { format!("{}: {entry}", target.name) };
            let inside = servers.span.start + 1;
            return Ok(splice(text, inside..inside, &format!("{entry}, ")));
        }
        let indent = indent_at(text, first);
        if line_start(text, first) == line_start(text, member.key_span.start) {
            return Err(unclear(text, first, "the first entry is on the line of its key"));
        }
        let entry = render_entry(target, fields, indent, unit, new_line);
        let line = next_line(text, member.key_span.end);
        return Ok(splice(text, line..line, &entry));
    }
    // `key:`, `key: {}` or `key: []`, perhaps with a comment.
    let indent = format!("{}{unit}", indent_at(text, member.key_span.start));
    let entry = render_entry(target, fields, &indent, unit, new_line);
    let emptied = if servers.span.is_empty() {
        text.to_owned()
    } else {
        let before = text.get(..servers.span.start).unwrap_or_default().trim_end_matches([' ', '\t']).len();
        splice(text, before..end_of_empty(text, servers), "")
    };
    let emptied = ended(&emptied);
    let line = next_line(&emptied, member.key_span.end);
    Ok(splice(&emptied, line..line, &entry))
}

/// Where an empty value ends. The parser counts what follows closing braces to them, up to the end of the line.
fn end_of_empty(text: &str, node: &Node) -> usize {
    let from = node.span.start;
    let closing = text.get(from..).filter(|_| is_flow(text, node)).and_then(|rest| rest.find(['}', ']']));
    closing.map_or(node.span.end, |at| from + at + 1)
}

/// Where the first key or item of a map or a list is.
fn first_part(servers: &Node) -> Option<usize> {
    match &servers.kind {
        Kind::Map(members) => members.first().map(|member| member.key_span.start),
        Kind::List(items) => items.first().map(|item| item.span.start),
        Kind::Leaf(_) => None,
    }
}

fn is_flow(text: &str, node: &Node) -> bool {
    text.get(node.span.start..).is_some_and(|text| text.starts_with(['{', '[']))
}

/// How one level is indented: as the first block of the file, else by two spaces.
fn indent_unit<'a>(text: &'a str, root: &Node) -> &'a str {
    let blocks = root.members().iter().filter(|member| !is_flow(text, &member.value));
    let units = blocks.filter_map(|member| first_part(&member.value)).map(|at| indent_at(text, at));
    units.into_iter().find(|unit| !unit.is_empty()).unwrap_or("  ")
}

fn render_entry(target: Target, fields: &Fields, indent: &str, unit: &str, new_line: &str) -> String {
    let lines: Vec<String> =
        fields.iter().map(|(key, value)| format!("{key}: {}", render_value(value))).collect();
    if target.list {
        return format!("{indent}- {}{new_line}", lines.join(&format!("{new_line}{indent}  ")));
    }
    let inner = format!("{new_line}{indent}{unit}");
    format!("{indent}{}:{inner}{}{new_line}", target.name, lines.join(&inner))
}

/// A value on one line. JSON is YAML; plain words need no quotes.
fn render_value(value: &Value) -> String {
    match value {
        Value::String(word)
            if word.chars().all(|letter| letter.is_ascii_lowercase())
                && scalar(word, ScalarStyle::Plain).is_string() =>
        {
            word.clone()
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

pub(super) fn delete_entry(text: &str, root: &Node, target: Target, made: usize) -> Result<String, Fault> {
    let found = locate(text, root, target)?;
    let servers = found.deepest;
    let key = target.servers.last().and_then(|key| root.member(key));
    let Some(key) = key else { return Err(unclear(text, 0, "the servers are not at the top of the file")) };
    let spans: Vec<_> = match &servers.kind {
        Kind::Map(members) => {
            members.iter().map(|member| member.key_span.start..member.value.span.end).collect()
        }
        Kind::List(items) => items.iter().map(|item| item.span.clone()).collect(),
        Kind::Leaf(_) => Vec::new(),
    };
    if is_flow(text, servers) {
        return Ok(delete_part(text, servers, &spans, found.index));
    }
    let Some(part) = spans.get(found.index) else { return Ok(text.to_owned()) };
    let start = entry_line(text, part.start, target.list);
    let end = end_of_block(text, start, spans.get(found.index + 1).map(|next| next.start), target.list);
    let edited = splice(text, start..end, "");
    if spans.len() > 1 {
        return Ok(edited);
    }
    let key_line = line_start(text, key.key_span.start);
    if made > 0 {
        return Ok(splice(&edited, key_line..next_line(&edited, key.key_span.start), ""));
    }
    let colon = edited
        .get(key.key_span.end..)
        .and_then(|rest| rest.find(':'))
        .map_or(key.key_span.end, |at| key.key_span.end + at + 1);
    Ok(splice(&edited, colon..colon, if target.list { " []" } else { " {}" }))
}

/// The start of the line on which an entry begins: that of its dash in a list.
fn entry_line(text: &str, at: usize, list: bool) -> usize {
    let mut start = line_start(text, at);
    let dashed = |start: usize| text.get(start..).is_some_and(|line| line.trim_start().starts_with('-'));
    while list && !dashed(start) && start > 0 {
        start = line_start(text, start - 1);
    }
    start
}

/// Where the lines of an entry end: at the next one, or at the first line that is not indented deeper.
fn end_of_block(text: &str, start: usize, next: Option<usize>, list: bool) -> usize {
    let limit = next.map_or(text.len(), |next| entry_line(text, next, list));
    let depth = indent_at(text, start).len();
    let mut end = next_line(text, start);
    while end < limit {
        let line = text.get(end..next_line(text, end)).unwrap_or_default();
        if line.trim().is_empty() || indent_at(text, end).len() <= depth {
            break;
        }
        end = next_line(text, end);
    }
    end.min(limit.max(next_line(text, start)))
}

fn unclear(text: &str, at: usize, why: &str) -> Fault {
    let (line, column) = line_and_column(text, at);
    Fault::Unclear { line, column, why: why.to_owned() }
}
