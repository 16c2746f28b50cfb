//! The searches of the lanes by the words of the task. They need nothing of the code, so they run while the code is looked for.

use std::collections::HashMap;

use sdl_ledger::AgentStore;
use sdl_memory::words::{self, Ask, Hits};

use super::Lane;
use crate::ToolError;

/// Rows of a lane that are looked for.
pub(crate) const MOST: usize = 40;
/// Facts that are looked for, because some of those with words don't hold now.
const MOST_FACTS: usize = 2 * MOST;

/// The searches, with everything that another thread needs for them.
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
    /// Prepares the searches of these lanes in some scopes. Ages are counted to `at_ms`.
    pub(super) fn new(
        store: &'a AgentStore,
        scopes: Vec<&'a str>,
        (question, at_ms): (String, u64),
        lanes: impl Iterator<Item = Lane>,
    ) -> Self {
        let now_ms = i64::try_from(at_ms).unwrap_or(i64::MAX);
        Self { store, scopes, question, now_ms, lanes: lanes.filter_map(Lane::words).collect() }
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
