//! An edit: the users that it broke, the notes that it made stale, and the tests to run.

use std::cmp::Reverse;
use std::collections::HashSet;

use sdl_model::{FileId, RelPath, SymbolId, Version};
use sdl_navigate::execution::select_tests;
use sdl_navigate::reach::{Limits, find_dependents};
use sdl_navigate::{Filter, Graph};
use sdl_retrieve::diff::ChangeType;

use super::asked::Asked;
use super::input::Read;
use super::lines::{Lines, Reminder};
use super::started::ledger_name;
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::changes::delta::{self, Subject};
use crate::kept::staled::{Staled, find_staled};

/// Tokens of this reminder.
const MOST_TOKENS: usize = 200;
/// Broken symbols that are shown.
const MOST_BROKEN: usize = 3;
/// Users of one that are named.
const MOST_USERS: usize = 3;
/// Notes that are shown.
const MOST_STALE: usize = 2;
/// Tests that are named.
const MOST_TESTS: usize = 3;
/// Versions that are looked back for the edit.
const MOST_BACK: u64 = 64;
/// A change of more files is no edit, such as a checkout.
const MOST_FILES: usize = 200;
/// Links from a test to the edit.
const TEST_DEPTH: u32 = 6;
/// Dependents that are followed to tests.
const MOST_REACHED: usize = 3_000;

pub(super) fn remind_edit(cx: &ReadCx<'_>, asked: &Asked<'_>, files: &[RelPath]) -> Read<Reminder> {
    let ledger = ledger_name(cx);
    let Some(from) = version_before(cx, asked, files, &ledger)? else { return Ok(None) };
    let (before, after) = delta::find_ends(cx, "change.impact", &from.to_string(), "latest")?;
    let compared = delta::compare_ends(cx, &before, &after)?;
    asked.conversation.note_edit(&ledger, cx.version);
    let is_edited = |subject: &&Subject| {
        let wire = &subject.wire;
        let named = [Some(&wire.file), wire.previous_file.as_ref()];
        named.into_iter().flatten().any(|path| files.iter().any(|file| file.as_str() == path))
    };
    let edited: Vec<&Subject> = compared.changed.iter().filter(is_edited).collect();
    let mut lines = Lines::default();
    let mut broken: Vec<&Subject> = edited.iter().copied().filter(|one| !one.broken.is_empty()).collect();
    broken.sort_by_key(|subject| Reverse(subject.broken.len()));
    broken.retain(|subject| !asked.conversation.has(&broken_thing(subject).each_ref().map(String::as_str)));
    for subject in broken.iter().take(MOST_BROKEN) {
        let row = broken_row(cx, subject, &mut lines)?;
        lines.add_row(row);
        asked.conversation.note(&broken_thing(subject).each_ref().map(String::as_str));
    }
    if broken.len() > MOST_BROKEN {
        lines.add_row(format!(
            "and {} more changed symbols whose users were not updated",
            broken.len() - MOST_BROKEN
        ));
    }
    let wires = edited.iter().map(|subject| &subject.wire);
    let staled = find_staled(cx, Some(true), wires, (from, cx.version))?.unwrap_or_default();
    for note in staled.iter().filter(|note| !asked.conversation.has(&["stale", note.id()])).take(MOST_STALE) {
        let row = stale_row(note, &mut lines);
        lines.add_row(row);
        asked.conversation.note(&["stale", note.id()]);
    }
    if lines.is_empty() {
        return Ok(None);
    }
    lines.set_head("sdl: after this edit,".into());
    if !broken.is_empty() {
        add_tests(cx, &broken, &mut lines)?;
        let call = asked.speller.query_call("change.impact", &format!("\"fromVersion\":\"{from}\""));
        lines.add_tail(format!("All that it affects: {call}"));
    }
    Ok(lines.fit(MOST_TOKENS))
}

/// The version before the edit. None if no version has it yet, or if it is no edit.
fn version_before(cx: &ReadCx<'_>, asked: &Asked<'_>, files: &[RelPath], ledger: &str) -> Read<Version> {
    let (Some(head), Some(floor)) = (cx.snapshot.head(), cx.snapshot.floor()) else { return Ok(None) };
    let ids: Vec<FileId> = files.iter().map(|file| cx.source.view().file_id(file)).collect();
    let changed_since = |version: Version| -> Result<bool, ToolError> {
        for id in &ids {
            if cx.snapshot.file_at(*id, version)? != cx.snapshot.file_at(*id, head)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let is_small = |version: Version| -> Result<bool, ToolError> {
        Ok(cx.snapshot.changes_between(version, head)?.files.len() <= MOST_FILES)
    };
    if let Some(last) = asked.conversation.last_edit(ledger).filter(|last| (floor..=head).contains(last))
        && is_small(last)?
    {
        return Ok(changed_since(last)?.then_some(last));
    }
    let oldest = floor.max(Version(head.0.saturating_sub(MOST_BACK)));
    let mut version = head;
    while version > oldest {
        version = Version(version.0 - 1);
        if changed_since(version)? {
            return Ok(is_small(version)?.then_some(version));
        }
    }
    Ok(None)
}

/// Tells what was said of a symbol from other things.
fn broken_thing(subject: &Subject) -> [String; 4] {
    let wire = &subject.wire;
    let after = wire.signature_diff.as_ref().map_or("", |diff| diff.after.as_str());
    ["broken".to_owned(), wire.symbol_id.to_string(), format!("{:?}", wire.change_type), after.to_owned()]
}

fn broken_row(cx: &ReadCx<'_>, subject: &Subject, lines: &mut Lines) -> Result<String, ToolError> {
    let wire = &subject.wire;
    let name = lines.foreign(&wire.name);
    let what = match (wire.change_type, &wire.signature_diff) {
        (ChangeType::Removed, _) => format!("{name} is gone"),
        (ChangeType::Renamed, _) => {
            let was = lines.foreign(wire.previous_name.as_deref().unwrap_or("it"));
            format!("{was} is {name} now")
        }
        (ChangeType::Moved, _) => {
            let file = lines.foreign(&wire.file);
            format!("{name} moved to {file}")
        }
        (_, Some(diff)) => {
            let (before, after) = (lines.foreign(&diff.before), lines.foreign(&diff.after));
            format!("{before} => {after}")
        }
        (_, None) => {
            format!("{name} changed, {}", subject.narrowed.unwrap_or("and means something else to its users"))
        }
    };
    let mut named = Vec::new();
    for user in subject.broken.iter().take(MOST_USERS) {
        named.extend(place_of_use(cx, *user, wire.symbol_id, lines)?);
    }
    let more = match subject.broken.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok(format!("- {what}; not updated: {}{more}", named.join(", ")))
}

/// A user, with the line of the use if it can be seen, else its own.
fn place_of_use(cx: &ReadCx<'_>, user: SymbolId, target: SymbolId, lines: &mut Lines) -> Read<String> {
    let Some(sym) = cx.source.symbol(user)? else { return Ok(None) };
    let edges = cx.source.view().out_edges(user)?;
    let site = edges.iter().find(|edge| edge.to == target);
    let line = site.map_or(sym.line(), |edge| sym.def().span.start_line + edge.line_offset);
    let (name, file) = (lines.foreign(sym.qualified()), lines.foreign(sym.path()));
    Ok(Some(format!("{name} {file}:{line}")))
}

fn stale_row(note: &Staled, lines: &mut Lines) -> String {
    let title = lines.foreign(note.title());
    format!("- now stale: {} [{}] {title}", note.id(), note.kind())
}

/// Adds the tests that reach the changed symbols or the users that were not updated.
fn add_tests(cx: &ReadCx<'_>, broken: &[&Subject], lines: &mut Lines) -> Result<(), ToolError> {
    let mut origins: Vec<SymbolId> = Vec::new();
    let mut seen = HashSet::new();
    for subject in broken {
        let here = std::iter::once(subject.wire.symbol_id).chain(subject.broken.iter().copied());
        origins.extend(here.filter(|symbol| seen.insert(*symbol)));
    }
    origins.truncate(MOST_FILES);
    let limits = Limits { distance: TEST_DEPTH, holders: false, most: MOST_REACHED };
    let reach = find_dependents(&Graph::new(cx.source), &origins, limits, &Filter::default())?;
    let tests = select_tests(cx.source, &origins, &reach)?;
    if tests.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = tests.iter().take(MOST_TESTS).map(|test| lines.foreign(&test.id)).collect();
    let more = match tests.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    lines.add_tail(format!("Tests to run: {}{more}", named.join(", ")));
    Ok(())
}
