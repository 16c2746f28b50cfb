//! Trees of which no file is indexed, because rules leave all of them out. An answer on such a tree says which rules.

use sdl_ledger::{Snapshot, View as _};

use crate::{Explained, Repo, ToolError};

/// Rules that are named.
const MOST_RULES: usize = 3;

/// Returns the remark for answers on a tree without any indexed file, if rules are why. None for all other trees, and
/// before the first index is done.
pub(super) fn ignored_note(repo: &dyn Repo, snapshot: &Snapshot<'_>) -> Result<Option<String>, ToolError> {
    if snapshot.head().is_none() {
        return Ok(None);
    }
    let counters = snapshot.counters()?;
    if counters.files > 0 {
        return Ok(None);
    }
    let rules = repo.status().ignored_by;
    if rules.is_empty() {
        return Ok(None);
    }
    let all = counters.skipped.is_empty() && counters.failed == 0;
    let what =
        if all { "every file of this tree is ignored" } else { "no file of this tree is indexed; ignored" };
    let more = match rules.len().saturating_sub(MOST_RULES) {
        0 => String::new(),
        more => format!("; and {more} more rules, see repo.status"),
    };
    let named: Vec<&str> = rules.iter().take(MOST_RULES).map(String::as_str).collect();
    Ok(Some(format!("{what}: {}{more}", named.join("; "))))
}

/// Adds the remark to an error.
pub(super) fn explain(mut error: ToolError, note: Option<&String>) -> ToolError {
    if let Some(note) = note {
        let message = &mut error.refusal_mut().message;
        *message = format!("{message}; {note}");
    }
    error
}
