//! A whole tree becomes the first version of an empty ledger: read and parse on all cores, resolve, load in bulk.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use sdl_graph::resolve_files;
use sdl_ledger::{Bulk, EncodedFacts, FileUpdate, Pins, Posting, Result};
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
    let mut load = Load {
        stores,
        bulk: stores.ledger.bulk()?,
        tally: Tally::default(),
        held: Held::default(),
        pins: Vec::new(),
    };
    let mut read = Vec::new();
    for (n, chunk) in files.chunks(CHUNK).enumerate() {
        if !report((n * CHUNK) as u64, files.len() as u64) {
            return Ok(None);
        }
        // One core stores what was read while the others read on.
        let (stored, next) = rayon::join(|| load.store(read), || read_files(reader, chunk));
        stored?;
        read = next;
    }
    load.store(read)?;
    let Load { mut bulk, tally, held: Held { facts: held, sources, .. }, pins, .. } = load;
    bulk.files_done()?;
    sources.par_chunks(RESOLVE_CHUNK).try_for_each(|chunk| {
        bulk.view(|view| {
            let outlines = resolve::outline_reader(stores.facts, &held);
            let files = chunk.iter().map(|(file, path, source)| (*file, (path, source)));
            let facts_of = |_, (path, source)| resolve::facts_of(stores.facts, path, source);
            resolve_files(view, &outlines, files, facts_of, |one| bulk.add_resolved(&one))
        })?
    })?;
    let version = bulk.finish(cause, head, now_ms())?;
    drop(pins);
    report(files.len() as u64, files.len() as u64);
    Ok(Some((version, tally)))
}

/// A file that was read: its update, its facts if they are new, and its postings.
type ReadFile = (Box<FileUpdate>, Option<(FactsKey, EncodedFacts)>, Vec<Posting>);

fn read_files(reader: &Reader<'_>, files: &[Found]) -> Vec<ReadFile> {
    let read = |(path, listed): &Found| match reader.read(path, None, *listed) {
        Outcome::Changed { update, parsed } => {
            let postings = update_postings(&update);
            Some((update, parsed, postings))
        }
        Outcome::Absent | Outcome::Again | Outcome::Same { .. } => None,
    };
    files.par_iter().filter_map(read).collect()
}

/// The first half of the work: files become rows.
struct Load<'s> {
    stores: Stores<'s>,
    bulk: Bulk<'s>,
    tally: Tally,
    held: Held,
    pins: Vec<Pins<'s>>,
}

impl Load<'_> {
    fn store(&mut self, read: Vec<ReadFile>) -> Result<()> {
        let facts = self.stores.facts;
        let keys: Vec<FactsKey> = read.iter().filter_map(|(update, ..)| facts_key(update)).collect();
        self.pins.push(facts.pin(&keys));
        let found = read.iter().filter(|(_, parsed, _)| parsed.is_none()).map(|(update, ..)| &**update);
        put_missing(facts, found)?;
        let mut fresh = Vec::with_capacity(read.len());
        for (update, parsed, postings) in read {
            self.bulk.add_file(&update)?;
            self.bulk.add_postings(&postings)?;
            self.tally.changed += 1;
            self.tally.parsed += u64::from(parsed.is_some());
            self.tally.reused += u64::from(parsed.is_none() && update.facts.is_some());
            fresh.extend(parsed);
            self.held.take(*update);
        }
        facts.put_encoded(&fresh)?;
        Ok(())
    }
}

/// The files to resolve, and the facts of some of them.
#[derive(Default)]
struct Held {
    facts: HashMap<FactsKey, Arc<Facts>>,
    bytes: u64,
    sources: Vec<(FileId, RelPath, Source)>,
}

impl Held {
    fn take(&mut self, update: FileUpdate) {
        let Some(row) = update.row.filter(|row| matches!(row.state, FileState::Indexed(_))) else { return };
        let source = match update.facts {
            Some(facts) if self.bytes < HELD_BYTES => {
                self.bytes += row.size;
                self.facts.extend(row.state.facts().map(|key| (key, facts.clone())));
                Source::Held(facts)
            }
            _ => Source::Stored(row),
        };
        self.sources.push((FileId::of(&update.path), update.path, source));
    }
}

fn facts_key(update: &FileUpdate) -> Option<FactsKey> {
    update.row.as_ref().and_then(|row| row.state.facts())
}

fn update_postings(update: &FileUpdate) -> Vec<Posting> {
    update.facts.as_ref().map_or_else(Vec::new, |held: &Arc<Facts>| {
        sdl_retrieve::index::file_postings(&update.path, FileId::of(&update.path), &held.outline, &held.body)
    })
}
