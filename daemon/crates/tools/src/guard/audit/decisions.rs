//! What one call decides on its way.

use std::cell::{Cell, RefCell};

use sdl_ledger::{AgentStore, Clock as _, SystemClock};

use super::{Audit, Row};

/// The decisions of one call, in their order. A call that has to begin again takes back what it decided before, so that every
/// decision whose outcome goes out is one row, and no other is.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    rows: RefCell<Vec<Row>>,
    /// The action that is running, and where its rows begin.
    action: Cell<&'static str>,
    first: Cell<usize>,
}

impl Decisions {
    /// From here on decisions are those of `action`: a call, or a step of a chain.
    pub(crate) fn begin(&self, action: &'static str) {
        self.action.set(action);
        self.first.set(self.mark());
    }

    /// Adds one. An action that comes by the same thing again decides nothing new.
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

    /// How many there are: for [`Self::back_to`].
    pub(crate) fn mark(&self) -> usize {
        self.rows.borrow().len()
    }

    /// Takes back those since the mark.
    pub(crate) fn back_to(&self, mark: usize) {
        self.rows.borrow_mut().truncate(mark);
    }

    /// Writes them to the log.
    pub(crate) fn settle(&self, log: &Audit, store: &AgentStore) -> sdl_ledger::Result<()> {
        let rows = self.rows.take();
        self.first.set(0);
        log.append(store, &rows).map(drop)
    }
}
