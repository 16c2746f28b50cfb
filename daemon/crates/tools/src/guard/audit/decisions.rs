//! The decisions of one call.

use std::cell::{Cell, RefCell};

use sdl_ledger::{AgentStore, Clock as _, SystemClock};

use super::{Audit, Row};
use crate::stored::{self, RowChange};

/// The decisions of one call, in order. A call that starts again takes back its earlier decisions, so that there is one
/// row for each decision whose outcome is in the answer, and no other row.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    rows: RefCell<Vec<Row>>,
    /// Rows of other tables that are written in the same transaction, because each one takes two waits for the disk.
    beside: RefCell<Vec<RowChange>>,
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

    /// Adds rows of other tables, to be written with the decisions.
    pub(crate) fn write_beside(&self, changes: impl IntoIterator<Item = RowChange>) {
        self.beside.borrow_mut().extend(changes);
    }

    /// Returns the value that a row will have; none if nothing is to be written there.
    pub(crate) fn unwritten(&self, table: &str, key: &[u8]) -> Option<Vec<u8>> {
        let beside = self.beside.borrow();
        let last = beside.iter().rfind(|change| change.table == table && change.key == key)?;
        last.bytes.clone()
    }

    /// Writes the decisions to the log, and the rows that go with them. Durable when this returns.
    pub(crate) fn settle(&self, log: &Audit, store: &AgentStore) -> sdl_ledger::Result<()> {
        let (rows, beside) = (self.rows.take(), self.beside.take());
        self.first.set(0);
        match (rows.is_empty(), beside.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => store.write(|writer| stored::write_changes(writer, &beside)),
            (false, _) => log.append_beside(store, &rows, &beside).map(drop),
        }
    }
}
