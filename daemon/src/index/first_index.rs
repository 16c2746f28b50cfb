//! A whole tree becomes the first version of an empty ledger: read and parse on all cores, resolve, load in bulk.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use sdl_graph::resolve_files;
use sdl_ledger::{Error, FileUpdate, Posting, Result};
use sdl_model::{Cause, Facts, FactsKey, FileId, FileState, GitHead, RelPath, SkipReason, Version};

use super::read_file::{Outcome, Reader};
use super::resolve::{self, Source};
use super::{Stores, Tally, now_ms, put_missing};

/// Files that are read and stored at a time: bounds memory, keeps the facts' transactions short.
const CHUNK: usize = 128;

/// Facts stay in memory between reading and resolving until their sources add up to this many bytes.
const HELD_BYTES: u64 = 24 << 20;

/// The fewest files for one resolving thread. It is large because each thread builds its own indexes of the tree.
const RESOLVE_CHUNK: usize = 1_500;

/// A file that the crawl found, with the reason to skip it if the crawl gave one.
pub type Found = (RelPath, Option<SkipReason>);

/// Indexes `files` into the empty ledger. `report(done, total)` is called now and then; returning false gives up.
pub fn first_index(
    stores: Stores<'_>,
    reader: &Reader<'_>,
    files: &[Found],
    cause: Cause,
    head: Option<&GitHead>,
    report: &(dyn Fn(u64, u64) -> bool + Sync),
) -> Result<Option<(Version, Tally)>> {
    let mut bulk = stores.ledger.bulk()?;
    let mut tally = Tally::default();
    let mut sources: Vec<(FileId, RelPath, Source)> = Vec::with_capacity(files.len());
    let mut held = HashMap::new();
    let mut held_bytes = 0;
    let mut pins = Vec::new();
    for (n, chunk) in files.chunks(CHUNK).enumerate() {
        if !report((n * CHUNK) as u64, files.len() as u64) {
            return Ok(None);
        }
        let read: Vec<(Box<FileUpdate>, Option<_>, Vec<Posting>)> = chunk
            .par_iter()
            .filter_map(|(path, listed)| match reader.read(path, None, *listed) {
                Outcome::Changed { update, parsed } => {
                    let postings = update_postings(&update);
                    Some((update, parsed, postings))
                }
                Outcome::Absent | Outcome::Again | Outcome::Same { .. } => None,
            })
            .collect();
        let keys: Vec<FactsKey> = read.iter().filter_map(|(update, ..)| facts_key(update)).collect();
        pins.push(stores.facts.pin(&keys));
        let found = read.iter().filter(|(_, parsed, _)| parsed.is_none()).map(|(update, ..)| &**update);
        put_missing(stores.facts, found)?;
        let mut fresh = Vec::with_capacity(read.len());
        for (update, parsed, postings) in read {
            bulk.add_file(&update)?;
            bulk.add_postings(&postings)?;
            tally.changed += 1;
            tally.parsed += u64::from(parsed.is_some());
            tally.reused += u64::from(parsed.is_none() && update.facts.is_some());
            fresh.extend(parsed);
            hold_update(*update, &mut held_bytes, &mut held, &mut sources);
        }
        stores.facts.put_encoded(&fresh)?;
    }
    bulk.files_done()?;
    let resolved = sources
        .par_chunks(RESOLVE_CHUNK)
        .map(|chunk| {
            bulk.view(|view| {
                let outlines = resolve::outline_reader(stores.facts, &held);
                let mut resolved = Vec::with_capacity(chunk.len());
                let files = chunk.iter().map(|(file, path, source)| (*file, (path, source)));
                let facts_of = |_, (path, source)| resolve::facts_of(stores.facts, path, source);
                resolve_files(view, &outlines, files, facts_of, |one| resolved.push(one))?;
                Ok::<_, Error>(resolved)
            })?
        })
        .collect::<Result<Vec<_>>>()?;
    for resolved in resolved.iter().flatten() {
        bulk.add_resolved(resolved)?;
    }
    let version = bulk.finish(cause, head, now_ms())?;
    drop(pins);
    report(files.len() as u64, files.len() as u64);
    Ok(Some((version, tally)))
}

fn facts_key(update: &FileUpdate) -> Option<FactsKey> {
    update.row.as_ref().and_then(|row| row.state.facts())
}

fn update_postings(update: &FileUpdate) -> Vec<Posting> {
    update.facts.as_ref().map_or_else(Vec::new, |held: &Arc<Facts>| {
        sdl_retrieve::index::file_postings(&update.path, FileId::of(&update.path), &held.outline, &held.body)
    })
}

fn hold_update(
    update: FileUpdate,
    held_bytes: &mut u64,
    held: &mut HashMap<FactsKey, Arc<Facts>>,
    sources: &mut Vec<(FileId, RelPath, Source)>,
) {
    let Some(row) = update.row.filter(|row| matches!(row.state, FileState::Indexed(_))) else { return };
    let source = match update.facts {
        Some(facts) if *held_bytes < HELD_BYTES => {
            *held_bytes += row.size;
            held.extend(row.state.facts().map(|key| (key, facts.clone())));
            Source::Held(facts)
        }
        _ => Source::Stored(row),
    };
    sources.push((FileId::of(&update.path), update.path, source));
}
