//! Resolves files against a version that is being made, and makes their search postings.

use std::collections::HashMap;
use std::sync::Arc;

use sdl_graph::{SharedOutline, World};
use sdl_ledger::{FactsStore, Posting, Resolved, Result, View};
use sdl_model::{Body, Facts, FactsKey, FileId, FileRow, Outline, RelPath};

/// A file's facts, in memory or in the store.
pub(super) enum Source {
    /// Both halves are at hand.
    Held(Arc<Facts>),
    /// Both halves are loaded when they are needed.
    Stored(FileRow),
}

/// Outlines from memory where they are held, else from the store.
pub(super) fn outlines<'a>(
    facts: &'a FactsStore,
    held: &'a HashMap<FactsKey, Arc<Facts>>,
) -> impl Fn(&FactsKey) -> Result<Option<SharedOutline>> + 'a {
    move |key| match held.get(key) {
        Some(facts) => Ok(Some(SharedOutline::Facts(facts.clone()))),
        None => Ok(facts.outline(key)?.map(SharedOutline::Outline)),
    }
}

/// Resolves one file; none if it has no facts.
pub(super) fn resolve(
    world: &World<'_>,
    facts: &FactsStore,
    file: FileId,
    source: &Source,
    path: &RelPath,
) -> Result<Option<Resolved>> {
    match source {
        Source::Held(held) => sdl_graph::resolve_file(world, file, path, &held.outline, &held.body).map(Some),
        Source::Stored(row) => match load(facts, row)? {
            Some((outline, body)) => sdl_graph::resolve_file(world, file, path, &outline, &body).map(Some),
            None => Ok(None),
        },
    }
}

/// The postings of a file as a row describes it; none if it has no facts.
pub(super) fn postings(facts: &FactsStore, row: Option<&FileRow>) -> Result<Vec<Posting>> {
    let Some(row) = row else { return Ok(Vec::new()) };
    Ok(match load(facts, row)? {
        Some((outline, body)) => {
            sdl_retrieve::index::postings(&row.path, FileId::of(&row.path), &outline, &body)
        }
        None => Vec::new(),
    })
}

/// Where the facts of a file are that a version names.
pub(super) fn source(view: &dyn View, file: FileId) -> Result<Option<(RelPath, Source)>> {
    Ok(view.file(file)?.map(|row| (row.path.clone(), Source::Stored(row))))
}

fn load(facts: &FactsStore, row: &FileRow) -> Result<Option<(Arc<Outline>, Body)>> {
    let Some(key) = row.state.facts() else { return Ok(None) };
    let missing = || sdl_ledger::Error::Corrupt {
        table: "facts",
        why: format!("the facts of {} are named by a version, but are not stored", row.path),
    };
    let outline = facts.outline(&key)?.ok_or_else(missing)?;
    let body = facts.body(&key)?.ok_or_else(missing)?;
    Ok(Some((outline, body)))
}
