//! A batch of updates becomes the next version, in one transaction.

use std::collections::HashSet;

use sdl_graph::{KeptIndexes, resolve_files};
use sdl_ledger::{Batch, FileUpdate, Result, View as _};
use sdl_model::{Cause, FileId, GitHead, RelPath, StatHint};

use super::resolve;
use super::{Committed, Early, Stores, now_ms};

/// If more files than this asked about a change, for example about the names of a common header, they are better resolved on
/// all cores.
const MOST_ASKING: usize = 400;

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

/// Commits `changes`. The facts they name must be stored already.
///
/// Work is in proportion to the changed files and to those whose resolution their changes can touch, not to the tree. `kept` has
/// the indexes of files that the commits before looked at.
pub fn commit_changes(
    stores: Stores<'_>,
    changes: &Changes,
    cause: Cause,
    head: Option<&GitHead>,
    kept: &mut KeptIndexes,
) -> Result<Committed> {
    // Inherited rows are no version, over which other threads could resolve.
    let (most_asking, before) =
        if stores.ledger.is_inherited() { (usize::MAX, None) } else { (MOST_ASKING, stores.ledger.head()) };
    kept.begin_from(before);
    let committed = Committed::of(
        stores
            .ledger
            .write(cause, head, now_ms(), |batch| fill_batch(batch, stores, changes, (most_asking, kept))),
    )?;
    if let Committed::Done(after) = committed {
        kept.end_at(after.or(before));
    }
    Ok(committed)
}

fn fill_batch(
    batch: &mut Batch<'_>,
    stores: Stores<'_>,
    changes: &Changes,
    (most_asking, kept): (usize, &mut KeptIndexes),
) -> std::result::Result<(), Early> {
    let facts = stores.facts;
    let updated: HashSet<FileId> = changes.updates.iter().map(|update| FileId::of(&update.path)).collect();
    let old_rows = changes
        .updates
        .iter()
        .map(|update| batch.file(FileId::of(&update.path)))
        .collect::<Result<Vec<_>>>()?;
    let answers = batch.apply_files_with(&changes.updates, &|key| facts.outline(key))?;
    kept.forget_changed(&answers);

    let (held, mut sources) = resolve::update_sources(&changes.updates);
    let mut asking = batch.dependents(&answers)?;
    asking.retain(|file| !updated.contains(file));
    if asking.len() > most_asking {
        return Err(Early::TooManyAsked);
    }
    resolve::add_stored(&*batch, &asking, &mut sources)?;
    resolve::sort_by_path(&mut sources);
    let mut resolved = Vec::with_capacity(sources.len());
    let outlines = resolve::outline_reader(facts, &held);
    let files = sources.iter().map(|(file, path, source)| (*file, (path, source)));
    let facts_of = |_, (path, source)| resolve::facts_of(facts, path, source);
    let room = stores.budget.room(1);
    resolve_files(&*batch, &outlines, (room, kept), files, facts_of, |one| {
        resolved.push(one);
        Ok::<_, sdl_ledger::Error>(())
    })?;
    for resolved in &resolved {
        batch.set_resolved(resolved)?;
    }

    for (update, old) in changes.updates.iter().zip(&old_rows) {
        let [before, after] = resolve::changed_postings(facts, old.as_ref(), update)?;
        batch.set_postings(&before, &after)?;
    }
    for (path, stat) in &changes.touched {
        batch.set_stat_only(path, stat)?;
    }
    Ok(())
}
