//! A worktree that is being removed.

use super::Worker;
use crate::repo::Worktree;

/// Looks at a worktree without its `.git` before it counts as a tree without git. They come at growing distances.
const MOST_UNMARKED: u32 = 5;

impl Worker {
    /// Whether the tree is a worktree that has lost its `.git`, and may be gone in a moment. It is not compared then: each
    /// of its files that goes would be stored as a change, in a ledger that is to be deleted. The folder itself reports
    /// nothing, because the daemon holds it open.
    pub(super) fn awaits_removal(&mut self) -> bool {
        if self.repo.entry.worktree.as_ref().is_some_and(Worktree::is_unmarked) {
            self.unmarked = self.unmarked.saturating_add(1);
        } else {
            self.unmarked = 0;
        }
        (1..=MOST_UNMARKED).contains(&self.unmarked)
    }
}
