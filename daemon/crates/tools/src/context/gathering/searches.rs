//! The searches of the lanes by the words of the task. They need nothing of the code, so they run while the code is looked for.

use std::collections::HashMap;

use sdl_ledger::AgentStore;
use sdl_memory::words::{self, Ask, Hits};

use super::{Lane, Task};
use crate::ToolError;

/// Rows of a lane that are looked for.
pub(crate) const MOST: usize = 40;
/// Facts that are looked for, because some of those with words don't hold now.
const MOST_FACTS: usize = 2 * MOST;

/// What is searched for, and where. Everything that another thread needs.
pub(crate) struct Searches<'a> {
    store: &'a AgentStore,
    scopes: Vec<&'a str>,
    question: String,
    now_ms: i64,
    lanes: Vec<words::Lane>,
}

/// What each search found, until its lane takes it.
pub(crate) type Searched = HashMap<words::Lane, Result<Hits, ToolError>>;

impl<'a> Searches<'a> {
    /// Prepares the searches of these lanes.
    pub(crate) fn of(task: &Task<'a>, lanes: impl Iterator<Item = Lane>) -> Self {
        Self {
            store: task.cx.call.host.agent(),
            scopes: task.cx.scopes.read.iter().flatten().map(String::as_str).collect(),
            question: task.question(),
            now_ms: i64::try_from(task.at_ms).unwrap_or(i64::MAX),
            lanes: lanes.filter_map(Lane::words).collect(),
        }
    }

    /// Runs them.
    pub(crate) fn run(&self) -> Searched {
        self.lanes.iter().map(|lane| (*lane, self.search(*lane))).collect()
    }

    fn search(&self, lane: words::Lane) -> Result<Hits, ToolError> {
        let ask = Ask {
            scopes: &self.scopes,
            lanes: &[lane],
            text: &self.question,
            now_ms: self.now_ms,
            since_ms: None,
            keep: None,
            limit: if lane == words::Lane::Kg { MOST_FACTS } else { MOST },
        };
        Ok(self.store.read(|reader| words::search(reader, &ask))?)
    }
}
