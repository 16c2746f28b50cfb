//! Reads the files that may have changed.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use sdl_ledger::{Counters, EncodedFacts, FileUpdate, Pins, Result, Snapshot, View as _};
use sdl_model::{FactsKey, FileId, FileRow, RelPath};
use sdl_watch::{Changes, Found};

use super::{Worker, read_deadline};
use crate::index::commit;
use crate::index::extent::{Extent, facts_loaded_from};
use crate::index::portions::{Portion, split_into_portions};
use crate::index::read_file::{Outcome, Reader};
use crate::index::{Tally, put_missing};
use crate::repo::Repo;

/// Fewer files than this are read one after the other, because waking the thread pool costs more.
const PARALLEL_FROM: usize = 8;
/// The most files that are read and stored at a time.
const CHUNK: usize = 512;

/// The result of reading the files that may have changed.
pub(super) struct Read<'r> {
    pub(super) updates: commit::Changes,
    /// How much of the tree changes. Unless that is little, some updates of indexed files may lack their facts.
    pub(super) extent: Extent,
    /// Keep the facts of the changed files until a version names them.
    pub(super) pins: Vec<Pins<'r>>,
    /// Some files could not be read for the moment.
    pub(super) again: bool,
    /// Undamaged facts in the store were not those of their files.
    pub(super) doubtful: bool,
    /// More files differ than the caller wants to read.
    pub(super) beyond: bool,
}

impl Worker {
    /// Reads the files that may have changed. The facts of all changed files are stored and pinned when this returns.
    /// With `thorough`, facts are extracted even if they are known. Gives up when more than `most` files differ, for
    /// example because a new worktree has little in common with the one whose rows it started from.
    pub(super) fn read<'r>(
        &self,
        repo: &'r Repo,
        changes: &Changes,
        thorough: bool,
        most: usize,
    ) -> Result<Read<'r>> {
        let candidates = &changes.candidates;
        let reader = Reader { anew: thorough, ..repo.reader(self.tree.reader(), &repo.facts) };
        let rows = |view: &Snapshot<'_>| {
            candidates.iter().map(|found| view.file(FileId::of(&found.path))).collect::<Result<Vec<_>>>()
        };
        let (old, known) = if repo.ledger.is_inherited() {
            // There is no version yet that a change of many files could come after.
            (repo.ledger.read_inherited(rows)?, None)
        } else {
            repo.ledger
                .read(read_deadline(), |view| Ok((rows(view)?, Some(count_files(&view.counters()?)))))?
        };
        let read =
            |(found, old): (&Found, &Option<FileRow>)| reader.read(&found.path, old.as_ref(), found.skip);
        let removed = changes.removed.iter().cloned().collect();
        let mut reading = Reading { thorough, known, removed, ..Reading::of(repo) };
        let (bytes, largest) = (repo.budget.portion_bytes(), repo.rules.limits.max_bytes);
        let mut old = old.as_slice();
        for candidates in split_into_portions(candidates, Portion { files: CHUNK, bytes, largest }) {
            let (old_rows, later) = old.split_at(candidates.len().min(old.len()));
            let outcomes: Vec<Outcome> = if candidates.len() < PARALLEL_FROM {
                candidates.iter().zip(old_rows).map(read).collect()
            } else {
                candidates.par_iter().zip(old_rows).map(read).collect()
            };
            reading.take(outcomes, candidates, old_rows)?;
            old = later;
            if reading.different > most {
                break;
            }
        }
        Ok(reading.finish(most))
    }
}

/// What was read so far.
struct Reading<'r> {
    repo: &'r Repo,
    thorough: bool,
    /// Files of the newest version, if there is one.
    known: Option<u64>,
    tally: Tally,
    changes: commit::Changes,
    removed: BTreeSet<RelPath>,
    pins: Vec<Pins<'r>>,
    held_bytes: u64,
    /// Files whose rows differ.
    different: usize,
    again: bool,
    doubtful: bool,
}

impl<'r> Reading<'r> {
    fn of(repo: &'r Repo) -> Self {
        Self {
            repo,
            thorough: false,
            known: None,
            tally: Tally::default(),
            changes: commit::Changes::default(),
            removed: BTreeSet::new(),
            pins: Vec::new(),
            held_bytes: 0,
            different: 0,
            again: false,
            doubtful: false,
        }
    }

    /// Takes some files with their rows as they were, and stores the facts.
    fn take(&mut self, outcomes: Vec<Outcome>, found: &[Found], old: &[Option<FileRow>]) -> Result<()> {
        let mut fresh = Vec::new();
        let before = self.changes.updates.len();
        for ((outcome, found), old) in outcomes.into_iter().zip(found).zip(old) {
            self.tally.count(&outcome);
            match outcome {
                Outcome::Absent if old.is_some() => {
                    self.removed.insert(found.path.clone());
                }
                Outcome::Absent => {}
                Outcome::Again => self.again = true,
                Outcome::Same { stat, parsed } => {
                    self.changes.touched.extend(stat.map(|stat| (found.path.clone(), stat)));
                    fresh.extend(parsed);
                }
                Outcome::Changed { update, parsed } => {
                    self.different += usize::from(update.row != *old);
                    self.changes.updates.push(*update);
                    fresh.extend(parsed);
                }
            }
        }
        for (key, facts) in fresh.iter().filter(|_| self.thorough) {
            self.doubtful |= !self.repo.facts.agrees(key, facts)?;
        }
        let is_large = self.known.is_some_and(|known| self.changes.updates.len() >= facts_loaded_from(known));
        let updates = self.changes.updates.get_mut(before..).unwrap_or_default();
        self.pins.push(store_facts(self.repo, updates, &fresh)?);
        for update in updates {
            self.held_bytes += update.row.as_ref().map_or(0, |row| row.size);
            if is_large && self.held_bytes > self.repo.budget.held_bytes() {
                update.facts = None;
            }
        }
        Ok(())
    }

    fn finish(self, most: usize) -> Read<'r> {
        let Self { repo, known, tally, mut changes, removed, pins, different, again, doubtful, .. } = self;
        changes.updates.extend(removed.into_iter().map(|path| FileUpdate {
            path,
            row: None,
            stat: None,
            facts: None,
        }));
        repo.parsed.fetch_add(tally.parsed, Ordering::Relaxed);
        repo.reused.fetch_add(tally.reused, Ordering::Relaxed);
        let files = changes.updates.len();
        let extent = known.map_or(Extent::Few, |known| Extent::of(files, known, repo.budget));
        Read { updates: changes, extent, pins, again, doubtful, beyond: different > most }
    }
}

/// Stores and pins the facts of `updates`; `fresh` are those that were extracted now.
fn store_facts<'r>(
    repo: &'r Repo,
    updates: &[FileUpdate],
    fresh: &[(FactsKey, EncodedFacts)],
) -> Result<Pins<'r>> {
    let key = |update: &FileUpdate| update.row.as_ref().and_then(|row| row.state.facts());
    let keys: Vec<FactsKey> = updates.iter().filter_map(key).collect();
    let pins = repo.facts.pin(&keys);
    repo.facts.put_encoded(fresh)?;
    // A sweep could have removed some that were found before they were pinned. A version must not name facts that are
    // gone.
    put_missing(&repo.facts, updates.iter())?;
    Ok(pins)
}

/// The files of every state.
pub(super) fn count_files(counters: &Counters) -> u64 {
    counters.files + counters.failed + counters.skipped.iter().map(|(_, count)| count).sum::<u64>()
}
