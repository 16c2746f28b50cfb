//! A change of most of the tree becomes the next version: a branch switch, a formatter, an archive. It is loaded
//! as a whole beside the newest version, on all cores and in bounded memory, where [`super::commit`] would change row by
//! row in one transaction. The result is the same.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::Instant;

use rayon::prelude::*;
use sdl_ledger::{Bulk, ChangedKeys, Result, Snapshot, View as _};
use sdl_model::{Cause, FileId, GitHead, RelPath, StatHint};

use super::commit::Changes;
use super::resolve::{self, READ_DEADLINE};
use super::{Committed, Stores, now_ms};

/// Files that are handed over at a time.
const CHUNK: usize = 128;

/// Commits `changes` as one version. The facts they name must be stored and pinned. Updates of indexed files may come
/// without their facts; these are loaded when they are needed. Given up when `goes_on` says no.
///
/// Reading and resolving is in proportion to the changed files and those whose resolution their changes can touch.
/// Copying the rest is in proportion to the tree, and much faster.
pub fn commit_large_change(
    stores: Stores<'_>,
    changes: &Changes,
    cause: Cause,
    head: Option<&GitHead>,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Committed> {
    let step = Step::new(stores, changes)?;
    let mut bulk = stores.ledger.bulk_next()?;
    for files in step.kept.chunks(CHUNK * 8) {
        if !goes_on() {
            return Ok(Committed::GivenUp);
        }
        step.read(|newest| {
            files.iter().try_for_each(|file| bulk.keep_file(newest, *file, step.stat(*file)))
        })?;
    }
    step.read(|newest| bulk.keep_postings(newest, &step.gone))?;
    for updates in changes.updates.chunks(CHUNK) {
        if !goes_on() {
            return Ok(Committed::GivenUp);
        }
        let load = |update| {
            let update = resolve::load_update(stores.facts, update)?;
            let postings = resolve::update_postings(&update);
            Ok((update, postings))
        };
        for (update, postings) in updates.par_iter().map(load).collect::<Result<Vec<_>>>()? {
            bulk.add_file(&update)?;
            bulk.add_postings(&postings)?;
        }
    }
    bulk.files_done()?;
    let asking = step.asking(&bulk)?;
    let (changed, kept) = (changes.updates.len(), step.kept.len());
    tracing::debug!(changed, asking = asking.len(), kept, "a change of most files");
    step.keep_resolutions(&bulk, &asking)?;
    step.resolve(&bulk, &asking, goes_on)?;
    if !goes_on() {
        return Ok(Committed::GivenUp);
    }
    Ok(Committed::Done(Some(bulk.finish_next(cause, head, now_ms())?)))
}

/// Which files change and which stay.
struct Step<'s> {
    stores: Stores<'s>,
    changes: &'s Changes,
    /// The files of the newest version that stay as they are.
    kept: Vec<FileId>,
    /// The files of the newest version that change or go.
    gone: Vec<FileId>,
    touched: HashMap<FileId, &'s StatHint>,
}

impl<'s> Step<'s> {
    fn new(stores: Stores<'s>, changes: &'s Changes) -> Result<Self> {
        let updated: HashSet<FileId> =
            changes.updates.iter().map(|update| FileId::of(&update.path)).collect();
        let touched = changes.touched.iter().map(|(path, stat)| (FileId::of(path), stat)).collect();
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        stores.ledger.read(Instant::now() + READ_DEADLINE, |newest| {
            newest.files_under("", &mut |file, _| {
                if updated.contains(&file) {
                    gone.push(file)
                } else {
                    kept.push(file)
                }
                ControlFlow::Continue(())
            })
        })?;
        Ok(Self { stores, changes, kept, gone, touched })
    }

    fn read<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        self.stores.ledger.read(Instant::now() + READ_DEADLINE, read)
    }

    /// The file's `stat`, where it was read again and found the same.
    fn stat(&self, file: FileId) -> Option<&'s StatHint> {
        self.touched.get(&file).copied()
    }

    /// The kept files whose resolution a changed answer can touch.
    fn asking(&self, bulk: &Bulk<'_>) -> Result<HashSet<FileId>> {
        if self.changes.updates.len() >= self.kept.len() {
            // Most answers differ, and finding out which would take memory for every name of the tree.
            return Ok(self.kept.iter().copied().collect());
        }
        let paths: Vec<&RelPath> = self.changes.updates.iter().map(|update| &update.path).collect();
        self.read(|newest| {
            let keys: ChangedKeys =
                bulk.changed_keys(newest, &paths, &|key| self.stores.facts.outline(key))?;
            let kept: HashSet<FileId> = self.kept.iter().copied().collect();
            Ok(newest.dependents(&keys)?.into_iter().filter(|file| kept.contains(file)).collect())
        })
    }

    fn keep_resolutions(&self, bulk: &Bulk<'_>, asking: &HashSet<FileId>) -> Result<()> {
        self.kept.par_chunks(CHUNK * 8).try_for_each(|files| {
            self.read(|newest| {
                let quiet = files.iter().filter(|file| !asking.contains(file));
                quiet.into_iter().try_for_each(|file| bulk.keep_resolved(newest, *file))
            })
        })
    }

    /// Resolves the changed files and those of `asking`. Stops early when `goes_on` says no.
    fn resolve(
        &self,
        bulk: &Bulk<'_>,
        asking: &HashSet<FileId>,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let (held, mut sources) = resolve::update_sources(&self.changes.updates);
        self.read(|newest| resolve::add_stored(newest, asking, &mut sources))?;
        resolve::sort_by_path(&mut sources);
        resolve::resolve_on_cores(
            self.stores,
            (&sources, &held),
            resolve::FEWEST_AT_ONCE,
            goes_on,
            |read| bulk.view(|view| read(view))?,
            |one| bulk.add_resolved(&one),
        )
    }
}
