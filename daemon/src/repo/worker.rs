//! The main loop of one repository: the only writer of its ledger.
//!
//! Takes a batch of hints from the watcher, finds out what differs, reads it, commits one version, and only then
//! releases the barriers that came before the batch.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use sdl_ledger::{FileUpdate, Result, Snapshot, View};
use sdl_model::{Cause, FactsKey, FileId, FileRow, GitHead, RelPath};
use sdl_watch::{Batch, Changes, Found, Known, KnownFile, NothingKnown, Rescan, Tree};

use super::restore::restore_facts;
use super::{Ailment, Repo, Stage, built_by, lock_mutex};
use crate::index::commit::{self, commit_changes};
use crate::index::first_index::first_index;
use crate::index::read_file::{Outcome, Reader};
use crate::index::{Stores, Tally, git_head, memory, put_missing};

/// The worker's reads end with the batch. No healthy batch takes nearly as long.
const READ_DEADLINE: Duration = Duration::from_secs(600);

/// Fewer files than this are read one after the other, because waking the thread pool costs more.
const PARALLEL_FROM: usize = 8;
/// A batch of this many files leaves much allocated memory that the next edits don't need.
const MANY_FILES: usize = 100;

/// Files that are read and stored at a time.
const READ_CHUNK: usize = 512;
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
    commits: u64,
    /// The whole tree is still to be indexed.
    indexing: bool,
    /// The ledger has shut itself.
    shut: Option<Ailment>,
    /// Facts were made again since the last batch that succeeded.
    restored: bool,
    /// When the first event of the batch at work came.
    began: Instant,
}

impl Worker {
    pub(super) fn new(repo: Arc<Repo>, tree: Tree) -> Self {
        Self {
            indexing: repo.is_indexing(),
            repo,
            tree,
            commits: 0,
            shut: None,
            restored: false,
            began: Instant::now(),
        }
    }

    /// Works until the root is removed, or the ledger has to be opened again.
    pub(super) fn run(mut self) {
        let inbox = self.tree.inbox();
        while let Some(batch) = inbox.next() {
            let step = self.step(&batch);
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
        if self.repo.restoring.swap(false, Ordering::SeqCst) && !self.indexing {
            self.restored = true;
            self.indexing = !restore_facts(&self.repo, self.tree.reader())?;
        }
        if self.indexing {
            return self.first(batch);
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
        let Read { updates, again, doubtful } = self.read(&changes, thorough)?;
        if doubtful {
            // Everything is indexed again, because nothing distinguishes rows derived from wrong facts.
            tracing::warn!(
                repo = repo.entry.repo_id,
                "stored facts did not match the files; the whole tree is indexed again"
            );
            self.indexing = true;
            return self.first(batch);
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
        if !updates.is_empty() || head != known_head {
            self.commit(&updates, cause, head.as_ref())?;
        }
        *lock_mutex(&repo.head) = head;
        let files = updates.updates.len();
        drop(updates);
        if files >= MANY_FILES {
            repo.facts.forget_decoded();
            memory::give_back(memory::Work::ManyFiles);
        }
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
        let skipped: u64 = known.skipped.iter().map(|(_, count)| count).sum();
        Ok(found / OUTGROWN >= known.files + known.failed + skipped)
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

    fn commit(&mut self, updates: &commit::Changes, cause: Cause, head: Option<&GitHead>) -> Result<()> {
        let stores = Stores { ledger: &self.repo.ledger, facts: &self.repo.facts };
        let keys: Vec<FactsKey> = updates
            .updates
            .iter()
            .filter_map(|update| update.row.as_ref().and_then(|row| row.state.facts()))
            .collect();
        let _pins = self.repo.facts.pin(&keys);
        // Store missing facts, because a sweep could have removed some that were found or stored for this batch. A
        // version must not name facts that are gone.
        put_missing(&self.repo.facts, updates.updates.iter())?;
        let started = Instant::now();
        if let Some(version) = commit_changes(stores, updates, cause, head)? {
            tracing::debug!(
                repo = self.repo.entry.repo_id, %version, files = updates.updates.len(),
                took = ?started.elapsed(), "committed"
            );
            self.repo.feed.note_version(&self.repo, version, self.began.elapsed());
            self.commits += 1;
            if self.commits.is_multiple_of(AGE_OUT_EVERY) {
                self.repo.ledger.age_out(crate::index::now_ms())?;
            }
        }
        Ok(())
    }

    /// Reads the files that may have changed. The facts of new content are stored before this returns.
    fn read(&self, changes: &Changes, anew: bool) -> Result<Read> {
        let repo = &*self.repo;
        let candidates = &changes.candidates;
        let reader = Reader { anew, ..repo.reader(self.tree.reader(), &repo.facts) };
        let old = repo.ledger.read(read_deadline(), |view| {
            candidates.iter().map(|found| view.file(FileId::of(&found.path))).collect::<Result<Vec<_>>>()
        })?;
        let read =
            |(found, old): (&Found, &Option<FileRow>)| reader.read(&found.path, old.as_ref(), found.skip);

        let mut tally = Tally::default();
        let mut batch = commit::Changes::default();
        let mut removed: BTreeSet<RelPath> = changes.removed.iter().cloned().collect();
        let (mut again, mut doubtful) = (false, false);
        for (candidates, old) in candidates.chunks(READ_CHUNK).zip(old.chunks(READ_CHUNK)) {
            let outcomes: Vec<Outcome> = if candidates.len() < PARALLEL_FROM {
                candidates.iter().zip(old).map(read).collect()
            } else {
                candidates.par_iter().zip(old).map(read).collect()
            };
            let mut fresh = Vec::new();
            for ((outcome, found), old) in outcomes.into_iter().zip(candidates).zip(old) {
                tally.count(&outcome);
                match outcome {
                    Outcome::Absent if old.is_some() => {
                        removed.insert(found.path.clone());
                    }
                    Outcome::Absent => {}
                    Outcome::Again => again = true,
                    Outcome::Same { stat, parsed } => {
                        batch.touched.push((found.path.clone(), stat));
                        fresh.extend(parsed);
                    }
                    Outcome::Changed { update, parsed } => {
                        batch.updates.push(*update);
                        fresh.extend(parsed);
                    }
                }
            }
            for (key, facts) in fresh.iter().filter(|_| anew) {
                doubtful |= !repo.facts.agrees(key, facts)?;
            }
            repo.facts.put_encoded(&fresh)?;
        }
        batch.updates.extend(removed.into_iter().map(|path| FileUpdate {
            path,
            row: None,
            stat: None,
            facts: None,
        }));
        repo.parsed.fetch_add(tally.parsed, Ordering::Relaxed);
        repo.reused.fetch_add(tally.reused, Ordering::Relaxed);
        Ok(Read { updates: batch, again, doubtful })
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
        let files: Vec<_> = changes.candidates.iter().map(|found| (found.path.clone(), found.skip)).collect();
        let reader = repo.reader(self.tree.reader(), &repo.facts);
        let stores = Stores { ledger: &repo.ledger, facts: &repo.facts };
        let indexed = first_index(stores, &reader, &files, cause, head.as_ref(), &|done, total| {
            repo.set_stage(Stage::Indexing { done, total: Some(total) });
            !repo.closing.load(Ordering::SeqCst)
        })?;
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
        repo.facts.forget_decoded();
        memory::give_back(memory::Work::FirstIndex);
        if let Err(error) = built_by::note_build(&repo.dir) {
            tracing::warn!(%error, "the ledger will be rebuilt at the next start");
        }
        *lock_mutex(&repo.head) = head;
        repo.set_stage(Stage::Live);
        Ok(changes)
    }
}

/// The result of reading the files that may have changed.
struct Read {
    updates: commit::Changes,
    /// Some files could not be read for the moment.
    again: bool,
    /// Undamaged facts in the store were not those of their files.
    doubtful: bool,
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
