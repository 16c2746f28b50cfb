//! The first version of a ledger that has inherited the rows of another worktree or clone: every file is read and
//! compared, and only those that differ are resolved and stored.

use std::sync::atomic::Ordering;
use std::time::Instant;

use sdl_ledger::Result;
use sdl_model::Cause;
use sdl_watch::{Batch, Changes, Rescan};

use super::reading::Read;
use super::{KnownTree, Worker, built_by, lock_mutex};
use crate::index::extent::{Extent, MANY_FILES};
use crate::index::memory;
use crate::repo::Stage;

/// If more than one file in this many differs, the tree is indexed from scratch, which costs less then.
const MOST_DIFFERENT: usize = 3;

impl Worker {
    /// Brings inherited rows to the state of this tree, and makes them the first version. None if the tree is to be
    /// indexed from scratch: because nothing was inherited, or too much differs, or because a place that can't be looked
    /// at would keep rows of the other tree.
    pub(super) fn first_from_inherited(&mut self, batch: &Batch) -> Result<Option<Changes>> {
        if !self.repo.ledger.is_inherited() {
            return Ok(None);
        }
        match self.adjust_inherited(batch) {
            Err(error) if error.is_damage() => {
                let repo = &self.repo.entry.repo_id;
                tracing::warn!(repo, %error, "inherited rows can't be used; the tree is indexed from scratch");
                Ok(None)
            }
            done => done,
        }
    }

    fn adjust_inherited(&mut self, batch: &Batch) -> Result<Option<Changes>> {
        let repo = self.repo.clone();
        let (started, id) = (Instant::now(), repo.entry.repo_id.as_str());
        let whole = Batch { rescan: batch.rescan.or(Some(Rescan::TooManyChanges)), ..batch.clone() };
        let changes = repo.ledger.read_inherited(|view| {
            // Hints of `stat` are those of other files, and were not inherited.
            self.tree.changes(&whole, &KnownTree { view, trust_stat: false })
        })?;
        self.note_index_problem();
        if changes.root_gone || changes.root_error.is_some() {
            return Ok(Some(changes));
        }
        let most = changes.candidates.len() / MOST_DIFFERENT;
        if !changes.problems.is_empty() || changes.removed.len() > most {
            tracing::info!(repo = id, removed = changes.removed.len(), "the tree is indexed from scratch");
            return Ok(None);
        }
        let Read { updates, again, beyond, pins, .. } = self.read(&repo, &changes, false, most)?;
        if again || beyond {
            tracing::info!(repo = id, beyond, "the tree is indexed from scratch");
            return Ok(None);
        }
        if repo.closing.load(Ordering::SeqCst) {
            return Ok(Some(Changes {
                problems: vec![super::incomplete_problem("the daemon is stopping")],
                ..changes
            }));
        }
        let head = self.read_head();
        self.commit(&updates, Extent::Few, Cause::FirstIndex, head.as_ref())?;
        drop(pins);
        tracing::info!(
            repo = id, files = changes.candidates.len(), differed = updates.updates.len(),
            took = ?started.elapsed(), "first index, from the ledger of another worktree or clone"
        );
        self.indexing = false;
        let many = updates.updates.len() >= MANY_FILES;
        drop(updates);
        if many {
            self.note_heavy(memory::Work::ManyFiles);
        }
        if let Err(error) = built_by::note_build(&repo.dir) {
            tracing::warn!(%error, "the ledger will be rebuilt at the next start");
        }
        *lock_mutex(&repo.head) = head;
        repo.set_stage(Stage::Live);
        Ok(Some(changes))
    }
}
