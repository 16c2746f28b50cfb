//! Changes one entry of a text. Everything else stays byte for byte: the parsers only say where to cut and where to insert.
//!
//! Each result is parsed again. If it differs from the text before in anything but our entry, nothing comes of the edit.

pub mod block;
pub mod hooks;
mod json;
mod node;
mod toml;
mod yaml;

use std::ops::Range;

use serde_json::{Map, Value};

use crate::catalog::Format;
use node::{Kind, Node};

/// Maximum nesting of a file that is read. Deeper ones are refused, because parsers recurse.
pub(crate) const MAX_DEPTH: usize = 100;

/// The entry to edit, among the servers of one client.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The syntax.
    pub format: Format,
    /// The keys that lead to the servers.
    pub servers: &'a [&'a str],
    /// Whether servers are a list of entries that hold their name.
    pub list: bool,
    /// The name of the entry.
    pub name: &'a str,
}

/// Why a text can't be edited. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It can't be parsed.
    #[error("line {line}, column {column}: {why}; correct the file, then run setup again")]
    Unreadable {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The parser's words.
        why: String,
    },
    /// A key on the way to our entry holds something else than it must.
    #[error(
        "line {line}, column {column}: {key} is {is}, not {wanted}; correct the file, then run setup again"
    )]
    WrongType {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The key, or "the file".
        key: String,
        /// What it holds.
        is: &'static str,
        /// What it must hold.
        wanted: &'static str,
    },
    /// A key on the way to our entry occurs twice, and clients differ in which they take.
    #[error("line {line}, column {column}: {key} occurs twice; keep one, then run setup again")]
    Twice {
        /// The line of the second.
        line: usize,
        /// The column of the second.
        column: usize,
        /// The key.
        key: String,
    },
    /// The text is laid out in a way that an edit would disturb.
    #[error(
        "line {line}, column {column}: {why}; add or remove the entry by hand, `sdlctl mcp config` prints it"
    )]
    Unclear {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The obstacle.
        why: String,
    },
    /// The markers of our block are no pair.
    #[error(
        "line {line}: {why}; keep one line {begin} and one line {end} after it, or neither, then run setup again",
        begin = block::BEGIN,
        end = block::END
    )]
    Markers {
        /// The line, from 1.
        line: usize,
        /// The fault.
        why: &'static str,
    },
    /// A file of the name that our own would have.
    #[error("line 1: somebody else's text is in the place of ours; move it away, then run setup again")]
    Taken,
}

/// A text with our entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The text.
    pub text: String,
    /// How many of the keys that lead to the servers were not there before.
    pub made: usize,
}

/// The fields of an entry, in order.
pub type Fields = [(String, Value)];

const MARK: char = '\u{feff}';

/// The entry that is there.
pub fn find_entry(text: &str, target: Target) -> Result<Option<Value>, Fault> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let Some(root) = read(target.format, body)? else { return Ok(None) };
    let found = locate(body, &root, target)?;
    Ok(found.entry.map(Node::to_value))
}

/// Adds the entry. The text must not have one yet.
pub fn add_entry(text: &str, target: Target, fields: &Fields) -> Result<Added, Fault> {
    let (mark, body) = split_mark(text);
    let root = read(target.format, body)?;
    let made = match &root {
        Some(root) => target.servers.len() - locate(body, root, target)?.depth,
        None => target.servers.len(),
    };
    let edited = match target.format {
        Format::Json => json::insert_entry(body, root.as_ref(), target, fields)?,
        Format::Toml => toml::insert_entry(body, root.as_ref(), target, fields)?,
        Format::Yaml => yaml::insert_entry(body, root.as_ref(), target, fields)?,
    };
    verify(body, &edited, target, Some(fields))?;
    Ok(Added { text: format!("{mark}{edited}"), made })
}

/// Gives some fields of the entry other values.
pub fn change_entry(text: &str, target: Target, fields: &Fields) -> Result<String, Fault> {
    let (mark, body) = split_mark(text);
    let mut edited = body.to_owned();
    for field in fields {
        edited = change_field(&edited, target, field)?;
    }
    verify(body, &edited, target, Some(fields))?;
    Ok(format!("{mark}{edited}"))
}

fn change_field(text: &str, target: Target, (key, value): &(String, Value)) -> Result<String, Fault> {
    let unclear = |at: usize, why: &str| {
        fault_at(text, at, |line, column| Fault::Unclear { line, column, why: why.to_owned() })
    };
    let root = read(target.format, text)?.ok_or_else(|| unclear(0, "the entry is gone"))?;
    let entry = locate(text, &root, target)?.entry.ok_or_else(|| unclear(0, "the entry is gone"))?;
    let rendered = match target.format {
        Format::Json | Format::Yaml => value.to_string(),
        Format::Toml => toml::render_value(value),
    };
    match entry.member(key) {
        Some(member) if is_inline(text, target.format, &member.value) => {
            Ok(splice(text, member.value.span.clone(), &rendered))
        }
        None if target.format == Format::Json => Ok(json::insert_member(text, &root, entry, key, value)),
        _ => Err(unclear(
            entry.span.start,
            &format!("{key} of the entry {} can't be changed in place", target.name),
        )),
    }
}

/// Whether a value is written in one piece that another can replace.
fn is_inline(text: &str, format: Format, node: &Node) -> bool {
    let flow = text.get(node.span.clone()).is_some_and(|text| text.starts_with(['[', '{']));
    !node.span.is_empty() && (format != Format::Yaml || matches!(node.kind, Kind::Leaf(_)) || flow)
}

/// Removes the entry, and as many of the keys that lead to it as we made, from the innermost on and only if nothing
/// else is in them.
pub fn remove_entry(text: &str, target: Target, made: usize) -> Result<String, Fault> {
    let (mark, body) = split_mark(text);
    let Some(root) = read(target.format, body)? else { return Ok(text.to_owned()) };
    if locate(body, &root, target)?.entry.is_none() {
        return Ok(text.to_owned());
    }
    let edited = match target.format {
        Format::Json => json::delete_entry(body, &root, target, made)?,
        Format::Toml => toml::delete_entry(body, &root, target)?,
        Format::Yaml => yaml::delete_entry(body, &root, target, made)?,
    };
    verify(body, &edited, target, None)?;
    Ok(format!("{mark}{edited}"))
}

/// Whether nothing is in the text, or only what a new file of the client has.
pub fn is_bare(text: &str, format: Format, prelude: &str) -> bool {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let nothing = body.lines().all(|line| line.trim().is_empty());
    let empty = format == Format::Json && body.split_whitespace().collect::<String>() == "{}";
    nothing || empty || (!prelude.is_empty() && body.trim() == prelude.trim())
}

fn split_mark(text: &str) -> (&str, &str) {
    text.strip_prefix(MARK).map_or(("", text), |body| ("\u{feff}", body))
}

/// The text as a tree. `None` if it holds no value at all.
fn read(format: Format, text: &str) -> Result<Option<Node>, Fault> {
    match format {
        Format::Json => json::parse(text),
        Format::Toml => toml::parse(text).map(Some),
        Format::Yaml => yaml::parse(text),
    }
}

/// How far the way to the entry exists.
struct Located<'a> {
    /// How many keys of the way are there.
    depth: usize,
    /// The map at that depth, or the servers themselves.
    deepest: &'a Node,
    /// The entry.
    entry: Option<&'a Node>,
    /// Its index in the servers.
    index: usize,
}

fn locate<'a>(text: &str, root: &'a Node, target: Target) -> Result<Located<'a>, Fault> {
    let mut here = root;
    expect_kind(text, here, "the file", false)?;
    for (depth, key) in target.servers.iter().enumerate() {
        let Some(member) = only_member(text, here, key)? else {
            return Ok(Located { depth, deepest: here, entry: None, index: 0 });
        };
        // In YAML a key without a value is how people write an empty map.
        if target.format == Format::Yaml && member.value.kind == Kind::Leaf(Value::Null) {
            return Ok(Located { depth: depth + 1, deepest: &member.value, entry: None, index: 0 });
        }
        let list = target.list && depth + 1 == target.servers.len();
        expect_kind(text, &member.value, key, list)?;
        here = &member.value;
    }
    let depth = target.servers.len();
    if let Kind::List(items) = &here.kind {
        let named = |item: &Node| {
            item.member("name").is_some_and(|name| name.value.kind == Kind::Leaf(Value::from(target.name)))
        };
        let index = items.iter().position(named);
        return Ok(Located {
            depth,
            deepest: here,
            entry: index.and_then(|at| items.get(at)),
            index: index.unwrap_or(0),
        });
    }
    only_member(text, here, target.name)?;
    let index = here.members().iter().position(|member| member.key == target.name);
    let entry = index.and_then(|at| here.members().get(at)).map(|member| &member.value);
    Ok(Located { depth, deepest: here, entry, index: index.unwrap_or(0) })
}

fn only_member<'a>(text: &str, map: &'a Node, key: &str) -> Result<Option<&'a node::Member>, Fault> {
    let mut all = map.members().iter().filter(|member| member.key == key);
    let first = all.next();
    match all.next() {
        Some(second) => Err(fault_at(text, second.key_span.start, |line, column| Fault::Twice {
            line,
            column,
            key: key.to_owned(),
        })),
        None => Ok(first),
    }
}

fn expect_kind(text: &str, node: &Node, key: &str, list: bool) -> Result<(), Fault> {
    let fits = if list { matches!(node.kind, Kind::List(_)) } else { matches!(node.kind, Kind::Map(_)) };
    if fits {
        return Ok(());
    }
    let wanted = if list { "a list" } else { "a map" };
    Err(fault_at(text, node.span.start, |line, column| Fault::WrongType {
        line,
        column,
        key: key.to_owned(),
        is: node.describe(),
        wanted,
    }))
}

/// Compares the trees: ours must be as wanted, all else as before.
fn verify(before: &str, after: &str, target: Target, wanted: Option<&Fields>) -> Result<(), Fault> {
    let unclear = unclear_layout;
    // A fault of the text that we made is not one of the file's.
    let old = read(target.format, before)?.map_or(Value::Null, |node| node.to_value());
    let new = read(target.format, after).map_err(|_| unclear())?.map_or(Value::Null, |node| node.to_value());
    let entry = find_entry(after, target).map_err(|_| unclear())?;
    let as_wanted = match (wanted, &entry) {
        (None, None) => true,
        (Some(fields), Some(entry)) => fields.iter().all(|(key, value)| entry.get(key) == Some(value)),
        _ => false,
    };
    if as_wanted && without_entry(old, target) == without_entry(new, target) {
        return Ok(());
    }
    Err(unclear())
}

fn unclear_layout() -> Fault {
    Fault::Unclear {
        line: 1,
        column: 1,
        why: "the layout of the file is one that setup can't edit without changing more than its entry"
            .to_owned(),
    }
}

/// The tree without our entry, and without empty containers on the way to it.
fn without_entry(tree: Value, target: Target) -> Value {
    let stripped = strip(tree, target.servers, target);
    stripped.unwrap_or_else(|| Value::Object(Map::new()))
}

fn strip(tree: Value, way: &[&str], target: Target) -> Option<Value> {
    let stripped = match (tree, way) {
        (Value::Object(mut map), [key, rest @ ..]) => {
            if let Some(inner) = map.shift_remove(*key)
                && let Some(kept) = strip(inner, rest, target)
            {
                map.insert((*key).to_owned(), kept);
            }
            Value::Object(map)
        }
        (Value::Object(mut map), []) => {
            map.shift_remove(target.name);
            Value::Object(map)
        }
        (Value::Array(items), []) => {
            let named = |item: &Value| item.get("name").and_then(Value::as_str) == Some(target.name);
            Value::Array(items.into_iter().filter(|item| !named(item)).collect())
        }
        (other, _) => other,
    };
    match &stripped {
        Value::Null => None,
        Value::Object(map) if map.is_empty() => None,
        Value::Array(items) if items.is_empty() => None,
        _ => Some(stripped),
    }
}

/// `text` with `range` replaced.
fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    format!("{before}{with}{after}")
}

fn fault_at(text: &str, at: usize, make: impl FnOnce(usize, usize) -> Fault) -> Fault {
    let (line, column) = line_and_column(text, at);
    make(line, column)
}

/// The place of a byte, counted from 1.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before.get(start..).unwrap_or_default().chars().count();
    (before.matches('\n').count() + 1, column + 1)
}

/// The line end that the text uses.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// Where the line of a byte begins.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().rfind('\n').map_or(0, |end| end + 1)
}

/// Where the line after that of a byte begins, or the end of the text.
fn next_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

/// The white space with which the line of a byte begins.
fn indent_at(text: &str, at: usize) -> &str {
    let line = text.get(line_start(text, at)..).unwrap_or_default();
    let end = line.find(|letter| letter != ' ' && letter != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

/// The text, ended by a line end unless it is empty.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}{}", line_end(text))
    }
}
