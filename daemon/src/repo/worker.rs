//! The main loop of one repository: the only writer of its ledger.
//!
//! Takes a batch of hints from the watcher, finds out what differs, reads it, commits one version, and only then
//! releases the barriers that came before the batch.

mod idle;
mod inherited;
mod reading;
mod removal;
mod running;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sdl_graph::KeptIndexes;
use sdl_ledger::{Release, Result, Snapshot, View};
use sdl_model::{Cause, FileId, GitHead, RelPath, Version};
use sdl_watch::{Batch, Changes, Known, KnownFile, NothingKnown, Rescan, Tree, Turn};

use super::restore::restore_facts;
use super::{Ailment, Repo, Stage, built_by, lock_mutex};
use crate::index::commit::{self, commit_changes};
use crate::index::extent::Extent;
use crate::index::first_index::first_index;
use crate::index::large_change::commit_large_change;
use crate::index::wide_change::commit_wide_change;
use crate::index::{Committed, git_head, memory};
use idle::Idle;
use reading::{Read, count_files};
use running::Running;

/// The worker's reads end with the batch. No healthy batch takes nearly as long.
const READ_DEADLINE: Duration = Duration::from_secs(600);

/// From this many files on, a change of [`OUTGROWN`] times the known files is indexed like a new tree. For example, an
/// archive is unpacked into a folder with a few notes. This takes less memory. It forgets the versions before, which held
/// next to nothing.
const OUTGROWN_FROM: u64 = 2_000;
/// See [`OUTGROWN_FROM`].
const OUTGROWN: u64 = 10;

/// The age of old versions is checked once in this many new ones.
const AGE_OUT_EVERY: u64 = 64;

/// One repository's worker.
pub(super) struct Worker {
    repo: Arc<Repo>,
    tree: Tree,
    /// Indexes of files that the next edit probably looks at again.
    kept: KeptIndexes,
    commits: u64,
    /// The whole tree is still to be indexed.
    indexing: bool,
    /// The ledger has shut itself.
    shut: Option<Ailment>,
    /// Facts were made again since the last batch that succeeded.
    restored: bool,
    /// Looks at the tree in a row that found no root.
    looks_in_vain: u32,
    /// Batches in a row that found a worktree without its `.git`.
    unmarked: u32,
    /// When the first event of the batch at work came.
    began: Instant,
    /// The batch at work took much memory.
    heavy: bool,
}

impl Worker {
    pub(super) fn new(repo: Arc<Repo>, tree: Tree) -> Self {
        Self {
            indexing: repo.is_indexing(),
            kept: KeptIndexes::with_limit(repo.budget.kept_bytes()),
            repo,
            tree,
            commits: 0,
            shut: None,
            restored: false,
            looks_in_vain: 0,
            unmarked: 0,
            began: Instant::now(),
            heavy: false,
        }
    }

    /// Works until the root is removed, or the ledger has to be opened again.
    pub(super) fn run(mut self) {
        let inbox = self.tree.inbox();
        let mut idle = Idle::Asleep { held: false };
        loop {
            let batch = match inbox.next_turn(idle.wait()) {
                Turn::Work(batch) => batch,
                Turn::Quiet => {
                    if let Some(bytes) = idle.kept_bytes() {
                        self.kept.shrink_to(bytes);
                        self.repo.facts.forget_decoded();
                    }
                    idle = idle.next(self.give_back());
                    continue;
                }
                Turn::Closed => return,
            };
            let step = self.step(&batch);
            if std::mem::take(&mut self.heavy) {
                // Only now, when the batch is dropped. Those who waited for it are released and may read, so it may have to be
                // done again once they are through.
                self.kept.clear();
                self.repo.facts.forget_decoded();
                self.give_back();
            }
            idle = Idle::Awake;
            // The start counts as complete even if the batch failed, because it has not ended the process.
            if let Some(through) = lock_mutex(&self.repo.on_through).take() {
                through();
            }
            if step.is_break() {
                return;
            }
        }
    }

    /// Processes one batch. If anything goes wrong, the ledger stays at its last version, the barriers stay closed, and
    /// the tree is compared again later.
    fn step(&mut self, batch: &Batch) -> ControlFlow<()> {
        let now = Instant::now();
        self.began = now.checked_sub(batch.waited).unwrap_or(now);
        // Not at once but with the next attempt, because attempts are paced.
        if let Some(shut) = self.shut.take()
            && self.repo.see_to(&shut)
        {
            return ControlFlow::Break(());
        }
        let failure = match catch_unwind(AssertUnwindSafe(|| self.work(batch))) {
            Ok(Ok(changes)) => {
                self.restored = false;
                if changes.rescan.is_some() {
                    lock_mutex(&self.repo.ignored_by).clone_from(&changes.ignored_by);
                }
                let root = self.repo.root.path().display();
                if let Some(error) = &changes.root_error {
                    // The comparison says nothing about the tree, so the known files are not doubted.
                    self.repo.set_stage(Stage::Failed(format!(
                        "{root} can't be opened: {error}; the daemon will retry"
                    )));
                }
                if changes.root_gone {
                    self.repo.set_stage(Stage::Failed(format!(
                        "{root} is not there; put it back, or forget it with: sdlctl repo rm {}",
                        self.repo.entry.repo_id
                    )));
                    self.looks_in_vain += 1;
                    (self.repo.on_root_gone)(&self.repo, self.looks_in_vain);
                } else {
                    self.looks_in_vain = 0;
                }
                self.tree.finish(batch, &changes);
                return ControlFlow::Continue(());
            }
            Ok(Err(error)) => match self.recover_from(&error) {
                ControlFlow::Break(()) => return ControlFlow::Break(()),
                ControlFlow::Continue(what_to_do) => format!("{error}{what_to_do}"),
            },
            Err(_) => "the worker failed; see the log".to_owned(),
        };
        tracing::error!(repo = self.repo.entry.repo_id, %failure, "a batch was not committed; the daemon will retry it");
        self.repo.set_stage(Stage::Failed(failure));
        self.tree.failed();
        ControlFlow::Continue(())
    }

    /// Rebuilds damaged data at once, except for the facts that all repositories share. Breaks if this worker must end;
    /// otherwise returns the next step for people.
    fn recover_from(&mut self, error: &sdl_ledger::Error) -> ControlFlow<(), &'static str> {
        const RESTART: &str = "; to have it set aside and rebuilt: sdlctl restart";
        let Some(ailment) = Ailment::of_error(error, &self.repo.dir) else {
            return ControlFlow::Continue("");
        };
        match ailment {
            Ailment::FactsMissing(_) => {
                // If extracting the facts again did not help, index the whole tree.
                self.indexing |= self.restored;
                self.repo.see_to(&ailment);
                ControlFlow::Continue("; they are extracted again from the files")
            }
            Ailment::Shut(_) => {
                self.shut = Some(ailment);
                ControlFlow::Continue("; it is opened again with the next attempt")
            }
            Ailment::FactsDamaged(_) => {
                self.repo.see_to(&ailment);
                ControlFlow::Continue(RESTART)
            }
            Ailment::Damaged(_) => {
                if self.repo.see_to(&ailment) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(RESTART)
            }
        }
    }

    fn work(&mut self, batch: &Batch) -> Result<Changes> {
        if self.awaits_removal() {
            return Ok(Changes { root_gone: true, ..Changes::default() });
        }
        if self.repo.restoring.swap(false, Ordering::SeqCst) && !self.indexing {
            self.restored = true;
            self.indexing = !restore_facts(&self.repo, self.tree.reader())?;
        }
        if self.indexing {
            return match self.first_from_inherited(batch)? {
                Some(changes) => Ok(changes),
                None => self.first(batch),
            };
        }
        let repo = self.repo.clone();
        let thorough = batch.rescan.is_some() && repo.thorough.swap(false, Ordering::SeqCst);
        let mut changes = repo.ledger.read(read_deadline(), |view| {
            self.tree.changes(batch, &KnownTree { view, trust_stat: !thorough })
        })?;
        self.note_index_problem();
        if changes.root_gone || changes.root_error.is_some() {
            return Ok(changes);
        }
        if self.outgrows(&changes)? {
            tracing::info!(
                repo = repo.entry.repo_id,
                files = changes.candidates.len(),
                "the change is many times the known tree; all of it is indexed at once"
            );
            self.indexing = true;
            return self
                .first(&Batch { rescan: batch.rescan.or(Some(Rescan::TooManyChanges)), ..batch.clone() });
        }
        let Read { updates, again, doubtful, extent, pins, .. } =
            self.read(&repo, &changes, thorough, usize::MAX)?;
        if doubtful {
            // Everything is indexed again, because nothing distinguishes rows derived from wrong facts.
            tracing::warn!(
                repo = repo.entry.repo_id,
                "stored facts did not match the files; the whole tree is indexed again"
            );
            self.indexing = true;
            return self.first(batch);
        }
        // Storing is most of the work, and the removal may have gone on meanwhile.
        if self.awaits_removal() {
            return Ok(Changes { root_gone: true, ..Changes::default() });
        }
        if again {
            // Seen again with the next comparison, which `finish` asks for when a batch is not complete.
            changes.problems.push(incomplete_problem("some files could not be read"));
        }
        let known_head = lock_mutex(&repo.head).clone();
        let changed = batch.head_changed || changes.head_changed || batch.rescan.is_some();
        // Nothing tells when HEAD changes above the tree, so it is read again with the files that changed.
        let unseen = !updates.updates.is_empty() && !repo.root.path().join(".git").exists();
        let head =
            if changed || unseen || known_head.is_none() { self.read_head() } else { known_head.clone() };
        let cause = match batch.rescan {
            Some(_) => Cause::Reconcile,
            None if updates.updates.is_empty() => Cause::Head,
            None => Cause::Watch,
        };
        let differs = !updates.is_empty() || head != known_head;
        if differs && !self.commit(&updates, extent, cause, head.as_ref())? {
            changes.problems.push(incomplete_problem("the daemon is stopping"));
            return Ok(changes);
        }
        drop(pins);
        *lock_mutex(&repo.head) = head;
        drop(updates);
        repo.set_stage(Stage::Live);
        Ok(changes)
    }

    /// Whether the new files outnumber the known ones by far, see [`OUTGROWN_FROM`].
    fn outgrows(&self, changes: &Changes) -> Result<bool> {
        let found = changes.candidates.len() as u64;
        if found < OUTGROWN_FROM {
            return Ok(false);
        }
        let known = self.repo.ledger.read(read_deadline(), |view| view.counters())?;
        Ok(found / OUTGROWN >= count_files(&known))
    }

    /// Gives the system the memory back that is not in use. Returns whether that was all; some stays while somebody reads.
    fn give_back(&self) -> bool {
        let mut is_all = true;
        for released in [self.repo.facts.release_pages(), self.repo.ledger.release_pages()] {
            match released {
                Ok(release) => is_all &= release != Release::Postponed,
                Err(error) => {
                    tracing::warn!(repo = self.repo.entry.repo_id, %error, "could not give memory back");
                }
            }
        }
        memory::trim_heap();
        is_all
    }

    /// Memory is to be given back once the batch is through.
    fn note_heavy(&mut self, work: memory::Work) {
        memory::note_work(work);
        self.heavy = true;
    }

    /// Keeps the reason why git's index is not read, for the status.
    fn note_index_problem(&self) {
        *lock_mutex(&self.repo.index_problem) = self.tree.index_problem().map(sdl_watch::shorten_middle);
    }

    /// The commit of git's HEAD; none without git. The reason why it can't be read is kept for the status.
    fn read_head(&self) -> Option<GitHead> {
        let (head, problem) = match git_head::read_head(self.repo.root.path()) {
            Ok(head) => (head, None),
            Err(error) => (None, Some(sdl_watch::shorten_middle(&error.to_string()))),
        };
        let mut kept = lock_mutex(&self.repo.git_problem);
        if let Some(problem) = problem.as_ref().filter(|_| *kept != problem) {
            tracing::warn!(repo = self.repo.entry.repo_id, "{problem}");
        }
        *kept = problem;
        head
    }

    /// Commits a change. Returns false if that was given up, because the daemon is stopping.
    fn commit(
        &mut self,
        updates: &commit::Changes,
        extent: Extent,
        cause: Cause,
        head: Option<&GitHead>,
    ) -> Result<bool> {
        let repo = Arc::clone(&self.repo);
        let stores = repo.stores();
        let started = Instant::now();
        let goes_on = || !repo.closing.load(Ordering::SeqCst);
        let mut outcome = Committed::TooManyAsked;
        if extent == Extent::Few {
            outcome = commit_changes(stores, updates, cause, head, &mut self.kept)?;
        }
        if extent != Extent::Most && outcome == Committed::TooManyAsked {
            self.note_heavy(memory::Work::ManyFiles);
            outcome = commit_wide_change(stores, updates, cause, head, &goes_on)?;
        }
        if outcome == Committed::TooManyAsked {
            self.note_heavy(memory::Work::LargeChange);
            outcome = commit_large_change(stores, updates, cause, head, &goes_on)?;
        }
        let Committed::Done(version) = outcome else { return Ok(false) };
        if let Some(version) = version {
            self.note_commit(version, updates, started)?;
        }
        Ok(true)
    }

    fn note_commit(&mut self, version: Version, updates: &commit::Changes, started: Instant) -> Result<()> {
        tracing::debug!(
            repo = self.repo.entry.repo_id, %version, files = updates.updates.len(),
            took = ?started.elapsed(), "committed"
        );
        self.repo.feed.note_version(&self.repo, version, self.began.elapsed());
        self.commits += 1;
        if self.commits.is_multiple_of(AGE_OUT_EVERY) {
            self.repo.ledger.age_out(crate::index::now_ms())?;
        }
        Ok(())
    }

    /// Indexes the whole tree at once: for an empty ledger's first version, or one that other rules built.
    fn first(&mut self, batch: &Batch) -> Result<Changes> {
        let repo = self.repo.clone();
        let started = Instant::now();
        let Ok(mut changes) = self.tree.changes(batch, &NothingKnown);
        self.note_index_problem();
        if changes.root_gone || changes.root_error.is_some() {
            return Ok(changes);
        }
        let cause = if repo.ledger.head().is_none() { Cause::FirstIndex } else { Cause::Rebuild };
        let head = self.read_head();
        let files = &changes.candidates;
        let reader = repo.reader(self.tree.reader(), &repo.facts);
        let stores = repo.stores();
        let running = Running::begin(&repo, files.len() as u64);
        let indexed = first_index(stores, &reader, files, cause, head.as_ref(), &running)?;
        let Some((version, tally)) = indexed else {
            changes.problems.push(incomplete_problem("the daemon is stopping"));
            return Ok(changes);
        };
        repo.parsed.fetch_add(tally.parsed, Ordering::Relaxed);
        repo.reused.fetch_add(tally.reused, Ordering::Relaxed);
        tracing::info!(
            repo = repo.entry.repo_id, %version, files = tally.changed, parsed = tally.parsed,
            took = ?started.elapsed(), "first index"
        );
        repo.feed.note_version(&repo, version, self.began.elapsed());
        self.indexing = false;
        // A tree without files says why from its first version on.
        lock_mutex(&repo.ignored_by).clone_from(&changes.ignored_by);
        drop(running);
        self.note_heavy(memory::Work::FirstIndex);
        if let Err(error) = built_by::note_build(&repo.dir) {
            tracing::warn!(%error, "the ledger will be rebuilt at the next start");
        }
        *lock_mutex(&repo.head) = head;
        repo.set_stage(Stage::Live);
        Ok(changes)
    }
}

/// Marks a batch as incomplete.
fn incomplete_problem(why: &'static str) -> sdl_watch::Problem {
    sdl_watch::Problem { path: String::new(), error: std::io::Error::other(why), passing: true }
}

fn read_deadline() -> Instant {
    Instant::now() + READ_DEADLINE
}

/// The ledger's files, for comparison with the tree.
struct KnownTree<'a> {
    view: &'a Snapshot<'a>,
    trust_stat: bool,
}

impl KnownTree<'_> {
    fn known(&self, file: FileId) -> Result<KnownFile> {
        Ok(KnownFile { stat: if self.trust_stat { self.view.stat(file)? } else { None } })
    }
}

impl Known for KnownTree<'_> {
    type Error = sdl_ledger::Error;

    fn file(&self, path: &str) -> Result<Option<KnownFile>> {
        let Some(path) = RelPath::new(path) else { return Ok(None) };
        let file = FileId::of(&path);
        match self.view.file(file)? {
            Some(_) => self.known(file).map(Some),
            None => Ok(None),
        }
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(&str, KnownFile)) -> Result<()> {
        let mut failure = Ok(());
        self.view.files_under(prefix, &mut |file, path| match self.known(file) {
            Ok(known) => {
                each(path, known);
                std::ops::ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Err(error);
                std::ops::ControlFlow::Break(())
            }
        })?;
        failure
    }
}
