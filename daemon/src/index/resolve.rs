//! Where the facts of the files are that a new version resolves, and their search postings. Resolves many files on all
//! cores.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use sdl_graph::{FileFacts, HeldFacts, KeptIndexes, SharedOutline, resolve_files};
use sdl_ledger::{FactsStore, FilePostings, FileUpdate, Resolved, Result, View};
use sdl_model::{Body, Facts, FactsKey, FileId, FileRow, FileState, Outline, RelPath};

use super::Stores;
use super::spread::for_each_chunk;

/// The most files that a thread resolves before it takes others. Each thread builds indexes of its own.
pub(super) const MOST_AT_ONCE: usize = 1_500;
/// The fewest files for one thread, where the tree has been resolved before.
pub(super) const FEWEST_AT_ONCE: usize = 64;
/// No read of a part takes nearly as long.
pub(super) const READ_DEADLINE: Duration = Duration::from_secs(600);

/// A file's facts, in memory or in the store.
pub(super) enum Source {
    /// Both halves are at hand.
    Held(Arc<Facts>),
    /// Both halves are loaded when they are needed.
    Stored(FileRow),
}

/// A file to resolve, and where its facts are.
pub(super) type Sourced = (FileId, RelPath, Source);

/// The indexed files of `updates`, and the facts that came with them.
pub(super) fn update_sources(updates: &[FileUpdate]) -> (HashMap<FactsKey, Arc<Facts>>, Vec<Sourced>) {
    let (mut held, mut sources) = (HashMap::new(), Vec::new());
    for update in updates {
        let Some(row) = update.row.as_ref().filter(|row| matches!(row.state, FileState::Indexed(_))) else {
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
    (held, sources)
}

/// Adds those of `files` that `view` has indexed.
pub(super) fn add_stored<'f>(
    view: &dyn View,
    files: impl IntoIterator<Item = &'f FileId>,
    sources: &mut Vec<Sourced>,
) -> Result<()> {
    for file in files {
        let Some(row) = view.file(*file)? else { continue };
        if matches!(row.state, FileState::Indexed(_)) {
            sources.push((*file, row.path.clone(), Source::Stored(row)));
        }
    }
    Ok(())
}

/// Sorts files to resolve. Neighbours in the tree refer to one another, so a thread that has them together looks less up.
pub(super) fn sort_by_path(sources: &mut [Sourced]) {
    sources.sort_unstable_by(|(_, a, _), (_, b, _)| a.cmp(b));
}

/// Resolves `sources`, which are in order of path, on all cores that the budget allows, and hands each result to `take`. `held`
/// has the facts that are in memory; a thread takes at least `fewest` files at a time. `with_view` calls its argument with
/// the state to resolve against, on the thread that called it. Stops early, without an error, when `goes_on` says no.
pub(super) fn resolve_on_cores(
    stores: Stores<'_>,
    (sources, held): (&[Sourced], &HashMap<FactsKey, Arc<Facts>>),
    fewest: usize,
    goes_on: &(dyn Fn() -> bool + Sync),
    with_view: impl Fn(&mut dyn FnMut(&dyn View) -> Result<()>) -> Result<()> + Sync,
    take: impl Fn(Resolved) -> Result<()> + Sync,
) -> Result<()> {
    let Stores { facts, budget, .. } = stores;
    let resolvers = budget.resolvers(rayon::current_num_threads());
    let room = budget.room(resolvers);
    let _wide = facts.widen_cache(budget.outline_bytes());
    let share = sources.len().div_ceil(resolvers).clamp(fewest, MOST_AT_ONCE);
    for_each_chunk(sources, share, resolvers, |chunk| {
        if !goes_on() {
            return Ok(());
        }
        with_view(&mut |view| {
            let outlines = outline_reader(facts, held);
            let files = chunk.iter().map(|(file, path, source)| (*file, (path, source)));
            let facts_of = |_, (path, source)| facts_of(facts, path, source);
            resolve_files(view, &outlines, (room, &mut KeptIndexes::default()), files, facts_of, &take)
        })
    })
}

/// A file in its new state, with its facts.
pub(super) fn load_update(facts: &FactsStore, update: &FileUpdate) -> Result<FileUpdate> {
    let mut update = update.clone();
    if update.facts.is_none()
        && let Some(row) = &update.row
        && matches!(row.state, FileState::Indexed(_))
    {
        update.facts = load_whole(facts, row)?;
    }
    Ok(update)
}

/// The postings of a file in its new state, from the facts that came with it.
pub(super) fn update_postings(update: &FileUpdate) -> FilePostings {
    update.facts.as_ref().map_or_else(FilePostings::default, |held| {
        sdl_retrieve::index::file_postings(&update.path, FileId::of(&update.path), &held.outline, &held.body)
    })
}

/// The outline of a file in its new state, if that has facts.
pub(super) fn update_outline(facts: &FactsStore, update: &FileUpdate) -> Result<Option<SharedOutline>> {
    if let Some(held) = &update.facts {
        return Ok(Some(SharedOutline::Facts(held.clone())));
    }
    let Some(row) = &update.row else { return Ok(None) };
    let Some(key) = row.state.facts() else { return Ok(None) };
    let outline = facts.outline(&key)?.ok_or_else(|| missing_facts(row))?;
    Ok(Some(SharedOutline::Outline(outline)))
}

/// Outlines from memory where they are held, else from the store.
pub(super) fn outline_reader<'a>(
    facts: &'a FactsStore,
    held: &'a HashMap<FactsKey, Arc<Facts>>,
) -> impl Fn(&FactsKey) -> Result<Option<SharedOutline>> + 'a {
    move |key| match held.get(key) {
        Some(facts) => Ok(Some(SharedOutline::Facts(facts.clone()))),
        None => Ok(facts.outline(key)?.map(SharedOutline::Outline)),
    }
}

/// A file's facts; none if it has none.
pub(super) fn facts_of(facts: &FactsStore, path: &RelPath, source: &Source) -> Result<Option<FileFacts>> {
    let found = match source {
        Source::Held(held) => Some(HeldFacts::Whole(Arc::clone(held))),
        Source::Stored(row) => {
            load_facts(facts, row)?.map(|(outline, body)| HeldFacts::Halves(outline, body))
        }
    };
    Ok(found.map(|facts| FileFacts { path: path.clone(), facts }))
}

/// The postings of a file that may differ between the state that `old` describes and the new one, before and after; the rest is
/// the same in both.
pub(super) fn changed_postings(
    facts: &FactsStore,
    old: Option<&FileRow>,
    update: &FileUpdate,
) -> Result<[FilePostings; 2]> {
    let key = |row: &FileRow| row.state.facts();
    if old.and_then(key) == update.row.as_ref().and_then(key) {
        return Ok(Default::default());
    }
    let before = old.map_or(Ok(None), |old| load_facts(facts, old))?;
    let before = before.as_ref().map(|(outline, body)| (&**outline, body));
    let after = update.facts.as_ref().map(|held| (&held.outline, &held.body));
    Ok(sdl_retrieve::index::changed_postings(&update.path, FileId::of(&update.path), before, after))
}

/// Both halves of the facts that `row` names, as one; none if it has no facts.
pub(super) fn load_whole(facts: &FactsStore, row: &FileRow) -> Result<Option<Arc<Facts>>> {
    let Some(key) = row.state.facts() else { return Ok(None) };
    let whole = facts.facts(&key)?.ok_or_else(|| missing_facts(row))?;
    Ok(Some(Arc::new(whole)))
}

fn missing_facts(row: &FileRow) -> sdl_ledger::Error {
    sdl_ledger::Error::Corrupt {
        table: "facts",
        why: format!("the facts of {} are named by a version, but are not stored", row.path),
    }
}

fn load_facts(facts: &FactsStore, row: &FileRow) -> Result<Option<(Arc<Outline>, Body)>> {
    let Some(key) = row.state.facts() else { return Ok(None) };
    let outline = facts.outline(&key)?.ok_or_else(|| missing_facts(row))?;
    let body = facts.body(&key)?.ok_or_else(|| missing_facts(row))?;
    Ok(Some((outline, body)))
}
