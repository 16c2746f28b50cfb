//! Where the facts of the files are that a new version resolves, and their search postings.

use std::collections::HashMap;
use std::sync::Arc;

use sdl_graph::{FileFacts, HeldFacts, SharedOutline};
use sdl_ledger::{FactsStore, Posting, Result, View};
use sdl_model::{Body, Facts, FactsKey, FileId, FileRow, Outline, RelPath};

/// A file's facts, in memory or in the store.
pub(super) enum Source {
    /// Both halves are at hand.
    Held(Arc<Facts>),
    /// Both halves are loaded when they are needed.
    Stored(FileRow),
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

/// The postings of a file as a row describes it; none if it has no facts.
pub(super) fn row_postings(facts: &FactsStore, row: Option<&FileRow>) -> Result<Vec<Posting>> {
    let Some(row) = row else { return Ok(Vec::new()) };
    Ok(match load_facts(facts, row)? {
        Some((outline, body)) => {
            sdl_retrieve::index::file_postings(&row.path, FileId::of(&row.path), &outline, &body)
        }
        None => Vec::new(),
    })
}

/// Where the facts of a file are that a version names.
pub(super) fn facts_source(view: &dyn View, file: FileId) -> Result<Option<(RelPath, Source)>> {
    Ok(view.file(file)?.map(|row| (row.path.clone(), Source::Stored(row))))
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
