//! A batch of updates becomes the next version, in one transaction.

use std::collections::BTreeMap;

use sdl_graph::{KeptIndexes, resolve_files};
use sdl_ledger::{Batch, FileUpdate, Result, View};
use sdl_model::{Cause, FileId, GitHead, RelPath, StatHint, Version};

use super::resolve::{self, Source};
use super::{Stores, now_ms};

/// The changes of a batch.
#[derive(Default)]
pub struct Changes {
    /// Files that differ, each path once.
    pub updates: Vec<FileUpdate>,
    /// Files that were read again and found the same.
    pub touched: Vec<(RelPath, StatHint)>,
}

impl Changes {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.updates.is_empty() && self.touched.is_empty()
    }
}

/// Commits `changes`. The facts they name must be stored already. `None`: nothing that belongs to a version changed.
///
/// Work is in proportion to the changed files and to those whose resolution their changes can touch, not to the tree. `kept` has
/// the indexes of files that the commits before looked at.
pub fn commit_changes(
    stores: Stores<'_>,
    changes: &Changes,
    cause: Cause,
    head: Option<&GitHead>,
    kept: &mut KeptIndexes,
) -> Result<Option<Version>> {
    stores.ledger.write(cause, head, now_ms(), |batch| fill_batch(batch, stores, changes, kept))
}

fn fill_batch(
    batch: &mut Batch<'_>,
    stores: Stores<'_>,
    changes: &Changes,
    kept: &mut KeptIndexes,
) -> Result<()> {
    let facts = stores.facts;
    let old_rows = changes
        .updates
        .iter()
        .map(|update| batch.file(FileId::of(&update.path)))
        .collect::<Result<Vec<_>>>()?;
    let answers = batch.apply_files(&changes.updates)?;

    let mut dirty: BTreeMap<FileId, (RelPath, Source)> = BTreeMap::new();
    for file in batch.dependents(&answers)? {
        if let Some(found) = resolve::facts_source(batch, file)? {
            dirty.insert(file, found);
        }
    }
    for update in &changes.updates {
        if let Some(held) = &update.facts {
            dirty.insert(FileId::of(&update.path), (update.path.clone(), Source::Held(held.clone())));
        }
    }
    let held = changes
        .updates
        .iter()
        .filter_map(|update| Some((update.row.as_ref()?.state.facts()?, update.facts.clone()?)))
        .collect();
    let mut resolved = Vec::with_capacity(dirty.len());
    let outlines = resolve::outline_reader(facts, &held);
    let files = dirty.iter().map(|(file, found)| (*file, found));
    let facts_of = |_, (path, source): &(RelPath, Source)| resolve::facts_of(facts, path, source);
    let room = stores.budget.room(1);
    resolve_files(&*batch, &outlines, (room, kept), files, facts_of, |one| {
        resolved.push(one);
        Ok(())
    })?;
    for resolved in &resolved {
        batch.set_resolved(resolved)?;
    }

    for (update, old) in changes.updates.iter().zip(&old_rows) {
        let file = FileId::of(&update.path);
        let before = resolve::row_postings(facts, old.as_ref())?;
        let after = update.facts.as_ref().map_or_else(Vec::new, |held| {
            sdl_retrieve::index::file_postings(&update.path, file, &held.outline, &held.body)
        });
        batch.set_postings(file, &before, &after)?;
    }
    for (path, stat) in &changes.touched {
        batch.set_stat_only(path, stat)?;
    }
    Ok(())
}
