//! The decisions of one call.

use std::cell::{Cell, RefCell};

use sdl_ledger::{AgentStore, Clock as _, SystemClock};

use super::{Audit, Row};

/// The decisions of one call, in order. A call that starts again takes back its earlier decisions, so that there is one
/// row for each decision whose outcome is in the answer, and no other row.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    rows: RefCell<Vec<Row>>,
    /// The action that is running, and the index of its first row.
    action: Cell<&'static str>,
    first: Cell<usize>,
}

impl Decisions {
    /// Starts the decisions of `action`: a call, or a step of a chain.
    pub(crate) fn begin(&self, action: &'static str) {
        self.action.set(action);
        self.first.set(self.mark());
    }

    /// Adds a decision. An action that repeats a decision adds nothing.
    pub(crate) fn add(&self, row: Row) {
        let mut rows = self.rows.borrow_mut();
        let action = self.action.get();
        let same = |known: &Row| {
            known.action == action && known.decision == row.decision && known.details == row.details
        };
        if !rows.iter().skip(self.first.get()).any(same) {
            rows.push(Row { action: action.to_owned(), at_ms: SystemClock.unix_ms(), ..row });
        }
    }

    /// Returns how many decisions there are, for [`Self::back_to`].
    pub(crate) fn mark(&self) -> usize {
        self.rows.borrow().len()
    }

    /// Takes back the decisions since the mark.
    pub(crate) fn back_to(&self, mark: usize) {
        self.rows.borrow_mut().truncate(mark);
    }

    /// Writes the decisions to the log.
    pub(crate) fn settle(&self, log: &Audit, store: &AgentStore) -> sdl_ledger::Result<()> {
        let rows = self.rows.take();
        self.first.set(0);
        log.append(store, &rows).map(drop)
    }
}
