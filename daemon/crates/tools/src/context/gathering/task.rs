//! The task of a context, and the code that was found for it.

use std::collections::{HashMap, HashSet};

use sdl_model::SymbolId;

use super::Searched;
use crate::ToolError;
use crate::call::family::Family;
use crate::call::owned::OwnedCx;

/// The task, for the lanes of the agents' store.
pub(crate) struct Task<'a> {
    /// The call.
    pub(crate) cx: &'a OwnedCx<'a>,
    /// The repository of the call and its other worktrees.
    pub(crate) family: &'a Family,
    /// The task, in words.
    pub(crate) text: &'a str,
    /// Names that are to be looked up.
    pub(crate) entities: &'a [String],
    /// Only lessons of this agent.
    pub(crate) agent: Option<&'a str>,
    /// Whether rows are used whose code changed.
    pub(crate) include_stale: bool,
    /// Whether what was judged before moves rows.
    pub(crate) use_feedback: bool,
    /// When the store last changed, in Unix milliseconds: the time to which ages are counted.
    pub(crate) at_ms: u64,
    /// The symbols of the code that was found, with their nearness, from 0 to 1.
    pub(crate) symbols: HashMap<SymbolId, f64>,
    /// Their files.
    pub(crate) files: HashSet<String>,
    /// What the words of the task found.
    pub(crate) searched: Searched,
}

/// The nearness of the best symbol, and of the last one.
const NEARNESS: (f64, f64) = (1.0, 0.4);

impl Task<'_> {
    /// Takes the symbols of the code that was found, the best first.
    pub(crate) fn look_at(&mut self, symbols: &[SymbolId]) -> Result<(), ToolError> {
        let Some(read) = self.cx.read else { return Ok(()) };
        for (place, id) in symbols.iter().enumerate() {
            let along = place as f64 / symbols.len().max(1) as f64;
            let near = NEARNESS.0 + (NEARNESS.1 - NEARNESS.0) * along;
            self.symbols.entry(*id).or_insert(near);
            if let Some(sym) = read.source.symbol(*id)? {
                self.files.insert(sym.path().to_owned());
            }
        }
        Ok(())
    }

    /// The question for the index of words.
    pub(crate) fn question(&self) -> String {
        let mut text = self.text.to_owned();
        for entity in self.entities {
            text.push('\n');
            text.push_str(entity);
        }
        text
    }
}
