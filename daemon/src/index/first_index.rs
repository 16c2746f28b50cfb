//! A whole tree becomes the first version of an empty ledger: read and parse on all cores, resolve, load in bulk.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use rayon::prelude::*;
use sdl_ledger::{Bulk, EncodedFacts, Error, FilePostings, FileUpdate, Pins, Result};
use sdl_model::{Cause, Facts, FactsKey, FileId, FileState, GitHead, Outline, RelPath, Version};
use sdl_retrieve::part::PartFile;
use sdl_watch::Found;

use super::portions::{Portion, split_into_portions};
use super::read_file::{Outcome, Reader};
use super::resolve::{self, Source};
use super::{Stores, Tally, now_ms, put_missing};

/// The most files that are read and stored at a time, which keeps the facts' transactions short.
const CHUNK: usize = 64;
/// The name of the thread that stores.
const THREAD: &str = "store";
/// The most portions that are read and wait to be stored.
const WAITING: usize = 2;

/// Hears how far a first index is.
pub trait Observer: Sync {
    /// `done` of `total` files are read. Returning false gives up.
    fn read(&self, done: u64, total: u64) -> bool;

    /// The facts of these files are stored, which come after those before.
    fn stored(&self, files: Vec<PartFile>) {
        let _ = files;
    }

    /// All files are read and stored; the rest of the work begins.
    fn all_read(&self) {}
}

/// Indexes `files` into the empty ledger, unless the observer gives up.
pub fn first_index(
    stores: Stores<'_>,
    reader: &Reader<'_>,
    files: &[Found],
    cause: Cause,
    head: Option<&GitHead>,
    observer: &dyn Observer,
) -> Result<Option<(Version, Tally)>> {
    let load = Load {
        stores,
        bulk: stores.ledger.bulk()?,
        tally: Tally::default(),
        held: Held { most: stores.budget.held_bytes(), ..Held::default() },
        pins: Vec::new(),
        observer,
    };
    let Some(load) = read_and_store(load, reader, files)? else { return Ok(None) };
    observer.all_read();
    let Load { mut bulk, tally, held: Held { facts: held, sources, .. }, pins, .. } = load;
    bulk.files_done()?;
    resolve::resolve_on_cores(
        stores,
        (&sources, &held),
        resolve::MOST_AT_ONCE,
        &|| true,
        |read| bulk.view(|view| read(view))?,
        |one| bulk.add_resolved(&one),
    )?;
    let version = bulk.finish(cause, head, now_ms())?;
    drop(pins);
    Ok(Some((version, tally)))
}

/// Reads all files and stores them, unless the observer gives up. A thread of its own stores: it waits for the disk, and sorts what
/// was gathered for seconds at a time, while all cores read on.
fn read_and_store<'s>(load: Load<'s>, reader: &Reader<'_>, files: &[Found]) -> Result<Option<Load<'s>>> {
    let Load { stores, observer, .. } = load;
    let total = files.len() as u64;
    let (bytes, largest) = (stores.budget.portion_bytes(), reader.rules.limits.max_bytes);
    let (to, portions) = sync_channel(WAITING);
    thread::scope(|scope| {
        let storing = thread::Builder::new()
            .name(THREAD.into())
            .spawn_scoped(scope, || load.store_all(portions))
            .map_err(|source| Error::Thread { name: THREAD, source })?;
        let mut done = 0;
        let mut goes_on = true;
        for portion in split_into_portions(files, Portion { files: CHUNK, bytes, largest }) {
            goes_on = observer.read(done, total);
            // The thread ends before the last portion only with an error.
            if !goes_on || to.send(read_files(reader, portion)).is_err() {
                break;
            }
            done += portion.len() as u64;
        }
        drop(to);
        let load = storing.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(goes_on.then(|| {
            observer.read(total, total);
            load
        }))
    })
}

/// A file that was read: its update, its facts if they are new, and its postings.
type ReadFile = (Box<FileUpdate>, Option<(FactsKey, EncodedFacts)>, FilePostings);

fn read_files(reader: &Reader<'_>, files: &[Found]) -> Vec<ReadFile> {
    let read = |found: &Found| match reader.read(&found.path, None, found.skip) {
        Outcome::Changed { update, parsed } => {
            let postings = resolve::update_postings(&update);
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
    observer: &'s dyn Observer,
}

impl Load<'_> {
    fn store_all(mut self, portions: Receiver<Vec<ReadFile>>) -> Result<Self> {
        portions.into_iter().try_for_each(|read| self.store(read))?;
        Ok(self)
    }

    fn store(&mut self, read: Vec<ReadFile>) -> Result<()> {
        let facts = self.stores.facts;
        let keys: Vec<FactsKey> = read.iter().filter_map(|(update, ..)| facts_key(update)).collect();
        self.pins.push(facts.pin(&keys));
        let found = read.iter().filter(|(_, parsed, _)| parsed.is_none()).map(|(update, ..)| &**update);
        put_missing(facts, found)?;
        let mut fresh = Vec::with_capacity(read.len());
        let stored: Vec<PartFile> = read.iter().filter_map(|(update, ..)| part_file(update)).collect();
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
        self.observer.stored(stored);
        Ok(())
    }
}

/// The files to resolve, and the facts of some of them.
#[derive(Default)]
struct Held {
    facts: HashMap<FactsKey, Arc<Facts>>,
    bytes: u64,
    /// Facts are kept until their sources add up to this many bytes.
    most: u64,
    sources: Vec<(FileId, RelPath, Source)>,
}

impl Held {
    fn take(&mut self, update: FileUpdate) {
        let Some(row) = update.row.filter(|row| matches!(row.state, FileState::Indexed(_))) else { return };
        let source = match update.facts {
            Some(facts) if self.bytes < self.most => {
                self.bytes += row.size;
                self.facts.extend(row.state.facts().map(|key| (key, facts.clone())));
                Source::Held(facts)
            }
            _ => Source::Stored(row),
        };
        self.sources.push((FileId::of(&update.path), update.path, source));
    }
}

fn part_file(update: &FileUpdate) -> Option<PartFile> {
    let outline = update.facts.as_ref().map(|facts| &facts.outline);
    Some(PartFile {
        row: update.row.clone()?,
        symbols: outline.map_or(0, |outline| outline.defs.len()),
        generated: outline.is_some_and(Outline::is_generated),
    })
}

fn facts_key(update: &FileUpdate) -> Option<FactsKey> {
    update.row.as_ref().and_then(|row| row.state.facts())
}
