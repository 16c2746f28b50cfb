//! A change of many files, but of a small part of the tree, becomes the next version, for example a branch switch in a
//! large tree. Its files are resolved on all cores over a layer, while one transaction takes the results. Rows that stay as they
//! are cost nothing. The result is that of [`super::commit`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use rayon::prelude::*;
use sdl_ledger::{
    Batch, Error, FilePostings, FileUpdate, Invalidation, PostingChanges, Public, Result, Snapshot, View as _,
};
use sdl_model::{Cause, Facts, FactsKey, FileId, FileRow, GitHead, Outline};
use sdl_retrieve::layer::{Laid, Layer};

use super::commit::Changes;
use super::extent::most_of;
use super::resolve::{self, READ_DEADLINE, Sourced};
use super::{Committed, Early, Stores, now_ms};

/// Files whose facts are decoded at a time.
const CHUNK: usize = 128;
/// Changes of postings, of 50 bytes or so, that are gathered before they are made.
const POSTINGS_AT_ONCE: usize = 500_000;
/// Resolved files that wait for the transaction.
const WAITING: usize = 256;

/// Commits `changes` as one version. The facts they name must be stored and pinned. Updates of indexed files may come
/// without their facts.
///
/// Work is in proportion to the changed files and those whose resolution their changes can touch, not to the tree.
pub fn commit_wide_change(
    stores: Stores<'_>,
    changes: &Changes,
    cause: Cause,
    head: Option<&GitHead>,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Committed> {
    let step = Step::new(stores, changes, goes_on)?;
    let (asking, known) = step.asking;
    tracing::debug!(changed = changes.updates.len(), asking, known, "a change of many files");
    if step.is_too_wide() {
        return Ok(Committed::TooManyAsked);
    }
    Committed::of(stores.ledger.write(cause, head, now_ms(), |batch| step.fill(batch)))
}

/// A file in its new state, with its facts, and its postings before and after.
type Loaded = (FileUpdate, [FilePostings; 2]);

struct Step<'s> {
    stores: Stores<'s>,
    changes: &'s Changes,
    goes_on: &'s (dyn Fn() -> bool + Sync),
    /// The files of the change, over the newest version.
    layer: Layer,
    /// The files to resolve.
    sources: Vec<Sourced>,
    held: HashMap<FactsKey, Arc<Facts>>,
    /// The number of unchanged files among the sources, and of all files that the newest version indexes.
    asking: (usize, u64),
}

impl<'s> Step<'s> {
    fn new(stores: Stores<'s>, changes: &'s Changes, goes_on: &'s (dyn Fn() -> bool + Sync)) -> Result<Self> {
        let (held, mut sources) = resolve::update_sources(&changes.updates);
        let updated: HashSet<FileId> =
            changes.updates.iter().map(|update| FileId::of(&update.path)).collect();
        stores.ledger.read(Instant::now() + READ_DEADLINE, |newest| {
            let (layer, invalidation) = lay_files(stores, &changes.updates, newest)?;
            let keys = {
                let laid = Laid::new(newest, &layer);
                let before = invalidation.name_answers(|name| newest.named(name))?;
                let after = invalidation.name_answers(|name| laid.named(name))?;
                invalidation.changed_keys(&before, &after)
            };
            let asking: Vec<FileId> =
                newest.dependents(&keys)?.into_iter().filter(|file| !updated.contains(file)).collect();
            let before = sources.len();
            resolve::add_stored(newest, &asking, &mut sources)?;
            resolve::sort_by_path(&mut sources);
            let asking = (sources.len() - before, newest.counters()?.files);
            Ok(Self { stores, changes, goes_on, layer, sources, held, asking })
        })
    }

    fn is_too_wide(&self) -> bool {
        let (asking, files) = self.asking;
        (self.changes.updates.len() + asking) as u64 > most_of(files)
    }

    fn check(&self) -> std::result::Result<(), Early> {
        if (self.goes_on)() { Ok(()) } else { Err(Early::GivenUp) }
    }

    fn fill(&self, batch: &mut Batch<'_>) -> std::result::Result<(), Early> {
        let mut postings = PostingChanges::default();
        for updates in self.changes.updates.chunks(CHUNK) {
            self.check()?;
            self.write_files(batch, updates, &mut postings)?;
            if postings.count() > POSTINGS_AT_ONCE {
                batch.change_postings(std::mem::take(&mut postings))?;
            }
        }
        batch.change_postings(postings)?;
        self.write_resolved(batch)?;
        self.check()?;
        for (path, stat) in &self.changes.touched {
            batch.set_stat_only(path, stat)?;
        }
        Ok(())
    }

    /// Writes the rows of files, and notes how their postings differ.
    fn write_files(
        &self,
        batch: &mut Batch<'_>,
        updates: &[FileUpdate],
        changed: &mut PostingChanges,
    ) -> Result<()> {
        let olds =
            updates.iter().map(|update| batch.file(FileId::of(&update.path))).collect::<Result<Vec<_>>>()?;
        let load = |(update, old): (&FileUpdate, &Option<FileRow>)| self.load(update, old.as_ref());
        let loaded: Vec<Loaded> = updates.par_iter().zip(&olds).map(load).collect::<Result<_>>()?;
        let (updates, postings): (Vec<FileUpdate>, Vec<_>) = loaded.into_iter().unzip();
        batch.put_files(&updates)?;
        postings.iter().try_for_each(|[before, after]| changed.note_file(before, after))
    }

    fn load(&self, update: &FileUpdate, old: Option<&FileRow>) -> Result<Loaded> {
        let facts = self.stores.facts;
        let update = resolve::load_update(facts, update)?;
        let postings = resolve::changed_postings(facts, old, &update)?;
        Ok((update, postings))
    }

    /// Resolves on the pool's threads, over the version as it was and the layer, and writes on this one.
    fn write_resolved(&self, batch: &mut Batch<'_>) -> std::result::Result<(), Early> {
        let (give, taken) = sync_channel(WAITING);
        let mut resolved = Ok(());
        let written = rayon::in_place_scope(|scope| {
            let resolved = &mut resolved;
            scope.spawn(move |_| {
                *resolved = resolve::resolve_on_cores(
                    self.stores,
                    (&self.sources, &self.held),
                    resolve::FEWEST_AT_ONCE,
                    self.goes_on,
                    |read| {
                        self.stores.ledger.read(Instant::now() + READ_DEADLINE, |newest| {
                            read(&Laid::new(newest, &self.layer))
                        })
                    },
                    |one| give.send(one).map_err(|_| Error::Misuse("the transaction of a change has ended")),
                );
            });
            taken.into_iter().try_for_each(|one| batch.set_resolved(&one))
        });
        // The writer's error comes first: it is the reason why the resolvers failed, if they did.
        written?;
        resolved?;
        Ok(())
    }
}

/// The layer of the files that change, and the questions whose answers that may touch.
fn lay_files(
    stores: Stores<'_>,
    updates: &[FileUpdate],
    newest: &Snapshot<'_>,
) -> Result<(Layer, Invalidation)> {
    let (mut layer, mut invalidation) = (Layer::default(), Invalidation::default());
    for updates in updates.chunks(CHUNK) {
        let outlines = updates.par_iter().map(|update| resolve::update_outline(stores.facts, update));
        for (update, outline) in updates.iter().zip(outlines.collect::<Result<Vec<_>>>()?) {
            let file = FileId::of(&update.path);
            let was = newest.public(file)?;
            let is = outline.as_ref().map(|outline| Public::of(file, outline));
            invalidation.note_file(&update.path, [was.as_ref(), is.as_ref()], || {
                let Some(is) = &outline else { return Ok(None) };
                let key = newest.file(file)?.and_then(|row| row.state.facts());
                let was = key.map_or(Ok(None), |key| stores.facts.outline(&key))?;
                Ok(was.map(|was| [was, Arc::new(Outline::clone(is))]))
            })?;
            layer.lay_file(update.path.clone(), update.row.clone(), outline.as_deref());
        }
    }
    Ok((layer, invalidation))
}
