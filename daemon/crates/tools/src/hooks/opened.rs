//! A file that was read: what it defines, who depends on it, and what was noted about it.

use std::cmp::Reverse;

use sdl_model::{RelPath, SymbolId};
use sdl_navigate::outline::{MAX_USERS, Outline, Part, User, outline_symbol};
use sdl_navigate::{Filter, Graph};
use serde_json::Value;

use super::asked::Asked;
use super::input::Read;
use super::lines::{Lines, Reminder, is_quotable};
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::kept::memory::Surfaced;

/// Tokens of this reminder.
const MOST_TOKENS: usize = 150;
/// Definitions that are shown.
const MOST_ROWS: usize = 6;
/// Files that use it and are named.
const MOST_USING: usize = 3;
/// Notes that are shown.
const MOST_NOTES: u32 = 2;
/// A file with more definitions is too large to be looked at in time.
const MOST_DEFINITIONS: usize = 2_000;
/// A file that nobody else uses and that has fewer definitions says it all itself.
const LEAST_ALONE: usize = 12;

pub(super) fn remind_file(cx: &ReadCx<'_>, asked: &Asked<'_>, files: &[RelPath]) -> Read<Reminder> {
    let Some(path) = files.first().filter(|path| !asked.conversation.has(&["file", path.as_str()])) else {
        return Ok(None);
    };
    let symbols = cx.source.symbols_of(cx.source.view().file_id(path))?;
    let Some(module) = symbols.first().filter(|_| symbols.len() <= MOST_DEFINITIONS) else { return Ok(None) };
    let ids: Vec<SymbolId> = symbols.iter().map(|sym| sym.id).collect();
    let mut lines = Lines::default();
    add_notes(cx, &ids, &mut lines)?;
    let outline = outline_symbol(&Graph::new(cx.source), module, 1, &Filter::default())?;
    let says_little = outline.users.is_empty() && outline.parts.len() < LEAST_ALONE;
    if lines.is_empty() && (says_little || outline.parts.is_empty()) {
        return Ok(None);
    }
    let shown = lines.foreign(path.as_str());
    let users = users_line(&outline.users, &mut lines);
    let definitions = match outline.parts.len() {
        1 => "1 top definition".to_owned(),
        several => format!("{several} top definitions"),
    };
    lines.set_head(format!("sdl: {shown} has {definitions}, {users}"));
    for part in most_used(&outline) {
        let name = lines.foreign(part.sym.qualified());
        let used = match part.users {
            0 => String::new(),
            1 => " <- 1 file".to_owned(),
            files => format!(" <- {files} files"),
        };
        lines.add_row(format!("{} {name}:{}{used}", part.sym.kind().name(), part.sym.line()));
    }
    if is_quotable(path.as_str()) {
        let arguments = format!("\"symbol\":\"{path}\",\"want\":\"members\"");
        lines.add_tail(format!("All of it: {}", asked.speller.query_call("symbol.related", &arguments)));
    }
    asked.conversation.note(&["file", path.as_str()]);
    Ok(lines.fit(MOST_TOKENS))
}

/// Adds what was noted about the file and its symbols.
fn add_notes(cx: &ReadCx<'_>, symbols: &[SymbolId], lines: &mut Lines) -> Result<(), ToolError> {
    let notes = Surfaced::of(cx, Some(true), Some(MOST_NOTES))?;
    // Nothing is looked up where nothing was noted.
    if notes.reserve() == 0 {
        return Ok(());
    }
    for note in notes.about(cx, symbols, None, notes.reserve())?.into_iter().flatten() {
        let field = |key: &str| note.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let stale = if note.get("stale") == Some(&Value::Bool(true)) { ", stale" } else { "" };
        let title = lines.foreign(&field("title"));
        lines.add_row(format!("note {} [{}{stale}] {title}", field("memoryId"), field("type")));
    }
    Ok(())
}

fn users_line(users: &[User], lines: &mut Lines) -> String {
    if users.is_empty() {
        return "used by no other file:".to_owned();
    }
    let named: Vec<String> = users.iter().take(MOST_USING).map(|user| lines.foreign(&user.path)).collect();
    let more = match users.len() - named.len() {
        0 => String::new(),
        _ if users.len() >= MAX_USERS => " and more".to_owned(),
        more => format!(" and {more} more"),
    };
    format!("used by {}{more}:", named.join(", "))
}

/// The definitions that most files use, in the order of the text.
fn most_used(outline: &Outline) -> Vec<&Part> {
    let mut parts: Vec<&Part> = outline.parts.iter().collect();
    parts.sort_by_key(|part| (Reverse(part.users), !part.sym.exported(), part.sym.line()));
    parts.truncate(MOST_ROWS);
    parts.sort_by_key(|part| part.sym.line());
    parts
}
