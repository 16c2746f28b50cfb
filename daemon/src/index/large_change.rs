//! A change of a large part of the tree becomes the next version: a branch switch, a formatter, an archive. It is loaded
//! as a whole beside the newest version, on all cores and in bounded memory, where [`super::commit`] would change row by
//! row in one transaction. The result is the same.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use sdl_graph::{KeptIndexes, resolve_files};
use sdl_ledger::{Bulk, ChangedKeys, FactsStore, FileUpdate, Posting, Result, Snapshot, View as _};
use sdl_model::{Cause, Facts, FactsKey, FileId, FileState, GitHead, RelPath, StatHint, Version};

use super::commit::Changes;
use super::resolve::{self, Source};
use super::spread::for_each_chunk;
use super::{Stores, now_ms};

/// A change of fewer files is never large: then there is little to gain.
const FEWEST: u64 = 256;
/// A change of this many files is large in any tree: one transaction for all of them would take hundreds of megabytes.
const MOST: u64 = 2_000;
/// Between these two, a change is large from one file in this many. Below that, changing single rows costs less than
/// copying the rest.
const SHARE: u64 = 8;

/// Files that are handed over at a time.
const CHUNK: usize = 128;
/// The fewest and the most files for one resolving thread, which builds indexes of its own.
const RESOLVE_CHUNK: (usize, usize) = (64, 1_500);
/// No read of a part takes nearly as long.
const READ_DEADLINE: Duration = Duration::from_secs(600);

/// From how many changed files on a change of a tree of `known` files is large.
pub fn large_from(known: u64) -> u64 {
    (known / SHARE).clamp(FEWEST, MOST)
}

/// Commits `changes` as one version. The facts they name must be stored and pinned. Updates of indexed files may come
/// without their facts; these are loaded when they are needed. `None`: `goes_on` said no, and nothing was changed.
///
/// Reading and resolving is in proportion to the changed files and those whose resolution their changes can touch.
/// Copying the rest is in proportion to the tree, and much faster.
pub fn commit_large_change(
    stores: Stores<'_>,
    changes: &Changes,
    cause: Cause,
    head: Option<&GitHead>,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Version>> {
    let step = Step::new(stores, changes)?;
    let mut bulk = stores.ledger.bulk_next()?;
    for files in step.kept.chunks(CHUNK * 8) {
        if !goes_on() {
            return Ok(None);
        }
        step.read(|newest| {
            files.iter().try_for_each(|file| bulk.keep_file(newest, *file, step.stat(*file)))
        })?;
    }
    step.read(|newest| bulk.keep_postings(newest, &step.gone))?;
    for updates in changes.updates.chunks(CHUNK) {
        if !goes_on() {
            return Ok(None);
        }
        let loaded = updates.par_iter().map(|update| load_update(stores.facts, update));
        for (update, postings) in loaded.collect::<Result<Vec<_>>>()? {
            bulk.add_file(&update)?;
            bulk.add_postings(&postings)?;
        }
    }
    bulk.files_done()?;
    let asking = step.asking(&bulk)?;
    step.keep_resolutions(&bulk, &asking)?;
    step.resolve(&bulk, &asking, goes_on)?;
    if !goes_on() {
        return Ok(None);
    }
    bulk.finish_next(cause, head, now_ms()).map(Some)
}

/// A file in its new state, with its facts, and its postings.
fn load_update(facts: &FactsStore, update: &FileUpdate) -> Result<(FileUpdate, Vec<Posting>)> {
    let mut update = update.clone();
    if update.facts.is_none()
        && let Some(row) = &update.row
        && matches!(row.state, FileState::Indexed(_))
    {
        update.facts = resolve::load_whole(facts, row)?;
    }
    let file = FileId::of(&update.path);
    let postings = update.facts.as_ref().map_or_else(Vec::new, |held| {
        sdl_retrieve::index::file_postings(&update.path, file, &held.outline, &held.body)
    });
    Ok((update, postings))
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
            let keys: ChangedKeys = bulk.changed_keys(newest, &paths)?;
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
        let facts = self.stores.facts;
        let mut held: HashMap<FactsKey, Arc<Facts>> = HashMap::new();
        let mut sources: Vec<(FileId, RelPath, Source)> = Vec::new();
        for update in &self.changes.updates {
            let Some(row) = update.row.as_ref().filter(|row| matches!(row.state, FileState::Indexed(_)))
            else {
                continue;
            };
            let source = match &update.facts {
                Some(facts) => {
                    held.extend(row.state.facts().map(|key| (key, facts.clone())));
                    Source::Held(facts.clone())
                }
                None => Source::Stored(row.clone()),
            };
            sources.push((FileId::of(&update.path), update.path.clone(), source));
        }
        self.read(|newest| {
            for file in asking {
                let Some(row) = newest.file(*file)? else { continue };
                if matches!(row.state, FileState::Indexed(_)) {
                    sources.push((*file, row.path.clone(), Source::Stored(row)));
                }
            }
            Ok(())
        })?;
        // Neighbours in the tree refer to one another, so a thread that has them together looks less up.
        sources.sort_unstable_by(|(_, a, _), (_, b, _)| a.cmp(b));
        let budget = self.stores.budget;
        let resolvers = budget.resolvers(rayon::current_num_threads());
        let room = budget.room(resolvers);
        let _wide = facts.widen_cache(budget.outline_bytes());
        let share = sources.len().div_ceil(resolvers).clamp(RESOLVE_CHUNK.0, RESOLVE_CHUNK.1);
        for_each_chunk(&sources, share, resolvers, |chunk| {
            if !goes_on() {
                return Ok(());
            }
            bulk.view(|view| {
                let outlines = resolve::outline_reader(facts, &held);
                let files = chunk.iter().map(|(file, path, source)| (*file, (path, source)));
                let facts_of = |_, (path, source)| resolve::facts_of(facts, path, source);
                let mut kept = KeptIndexes::default();
                resolve_files(view, &outlines, (room, &mut kept), files, facts_of, |one| {
                    bulk.add_resolved(&one)
                })
            })?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_large_from_an_eighth_of_the_tree_within_bounds() {
        let bounds = [(0, 256), (2_000, 256), (8_000, 1_000), (16_000, 2_000), (1_000_000, 2_000)];
        for (known, from) in bounds {
            assert_eq!(large_from(known), from, "{known}");
        }
    }
}
