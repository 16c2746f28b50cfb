//! The start of a session or a subagent: which question to ask for what, and the state of the ledger.

use std::cmp::Reverse;

use super::asked::Asked;
use super::input::{HookKind, Read};
use super::lines::{Lines, Reminder};
use crate::call::context::ReadCx;
use crate::host::RepoState;

/// Tokens of this reminder.
const MOST_TOKENS: usize = 150;
/// Languages that are named.
const MOST_LANGUAGES: usize = 2;

/// What to ask, and by which action.
const QUESTIONS: [&str; 3] = [
    "who uses X: symbol.related {symbol}; what a change breaks, which tests to run: change.impact {symbols}",
    "by name or words: symbol.search {query}; signature and neighbours: symbol.getCard {symbolRef}",
    "code for a task: slice.build {taskText}; contents of a file: symbol.related {symbol: PATH, want: members}",
];

pub(super) fn remind_start(cx: &ReadCx<'_>, asked: &Asked<'_>) -> Read<Reminder> {
    let mut lines = Lines::default();
    let id = lines.foreign(cx.repo.id());
    let counters = cx.source.view().counters()?;
    let mut languages = counters.languages;
    languages.sort_by_key(|(name, count)| (Reverse(*count), name.clone()));
    let named: Vec<String> =
        languages.iter().take(MOST_LANGUAGES).map(|(name, count)| format!("{count} {name}")).collect();
    let state = match cx.repo.status().state {
        RepoState::Indexing { done, total: Some(total), .. } => {
            format!("indexing, {done} of {total} files done")
        }
        RepoState::Indexing { done, total: None, .. } => format!("indexing, {done} files done"),
        RepoState::Failed { .. } => return Ok(None),
        RepoState::Live | RepoState::Scanning if counters.files == 0 => return Ok(None),
        RepoState::Live => {
            format!("{} files: {}; live", counters.files, named.join(", "))
        }
        RepoState::Scanning => format!("{} files: {}; found by scanning", counters.files, named.join(", ")),
    };
    let who = match asked.input.kind {
        HookKind::Subagent => "You have",
        _ => "There is",
    };
    lines.set_head(format!(
        "{who} a ledger of this code: sdl, repository {id} ({state}). Before you grep or read whole files, ask it by {}:",
        asked.speller.query_tool()
    ));
    for question in QUESTIONS {
        lines.add_row(format!("- {question}"));
    }
    if cx.snapshot.head().is_some_and(|_| asked.input.kind == HookKind::Start) {
        asked.conversation.note_edit(&ledger_name(cx), cx.version);
    }
    Ok(lines.fit(MOST_TOKENS))
}

/// Tells the ledger of a repository from others.
pub(super) fn ledger_name(cx: &ReadCx<'_>) -> String {
    format!("{} {}", cx.repo.id(), cx.snapshot.incarnation().0)
}
