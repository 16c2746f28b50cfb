//! The part of a tree that a first index has read so far: files with their facts, and neither edges nor postings.
//!
//! Costs the path and the key of each file. Names are found by reading the stored facts when somebody asks, because that
//! is rare and a table of names would take as much memory as the index itself.

mod view;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_ledger::{Counters, Sign, Tally};
use sdl_model::{FileRow, FileState};

pub use view::PartView;

/// Most files that a part lists, about 120 bytes each. A part of more files is that of the first ones.
pub const MOST_FILES: usize = 250_000;

/// A file that was read: its row and what its outline adds to the totals.
#[derive(Clone, Debug)]
pub struct PartFile {
    /// Its row.
    pub row: FileRow,
    /// Number of its definitions, 0 without facts.
    pub symbols: usize,
    /// Whether it bears a generator's mark.
    pub generated: bool,
}

/// The place of a file in a part.
#[derive(Clone, Copy, Debug)]
struct Place {
    chunk: u32,
    at: u32,
}

/// The files that were read until some moment. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The files with facts, in the order in which they were read.
    chunks: Vec<Arc<[FileRow]>>,
    listed: usize,
    files: u64,
    tally: Tally,
}

impl Part {
    /// Adds files whose facts are stored, unless the part is full.
    pub fn add(&mut self, files: impl IntoIterator<Item = PartFile>) {
        if self.listed >= MOST_FILES {
            return;
        }
        let mut chunk = Vec::new();
        for PartFile { row, symbols, generated } in files {
            self.files += 1;
            self.tally.row(&row, Sign::Plus);
            if let FileState::Indexed(key) = row.state {
                self.tally.outline(key.lang.name(), symbols, generated, Sign::Plus);
                chunk.push(row);
            }
        }
        self.listed += chunk.len();
        self.chunks.push(chunk.into());
    }

    /// How many files it is made of, those without facts included.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Totals of its files. There are no edges yet, and no references are resolved.
    pub fn counters(&self) -> Counters {
        self.tally.counters()
    }

    /// The files with facts, in the order in which they were read.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &FileRow> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    fn places(&self) -> impl Iterator<Item = (Place, &FileRow)> {
        let chunks = self.chunks.iter().zip(0..);
        chunks
            .flat_map(|(chunk, n)| chunk.iter().zip(0..).map(move |(row, at)| (Place { chunk: n, at }, row)))
    }

    fn row_at(&self, place: Place) -> Option<&FileRow> {
        self.chunks.get(place.chunk as usize)?.get(place.at as usize)
    }
}

/// The part that a first index under way has read. Written by the index, read by whoever asks meanwhile.
#[derive(Debug, Default)]
pub struct SoFar(Mutex<Option<Part>>);

impl SoFar {
    /// Begins a part without files.
    pub fn begin(&self) {
        *self.lock() = Some(Part::default());
    }

    /// See [`Part::add`]. Does nothing between two indexes.
    pub fn add(&self, files: impl IntoIterator<Item = PartFile>) {
        if let Some(part) = self.lock().as_mut() {
            part.add(files);
        }
    }

    /// Drops the part: the index has ended, well or not.
    pub fn end(&self) {
        *self.lock() = None;
    }

    /// The part as it is now. None if no index is under way.
    pub fn part(&self) -> Option<Part> {
        self.lock().clone()
    }

    /// A poisoned lock is used all the same: a part is valid between any two files.
    fn lock(&self) -> MutexGuard<'_, Option<Part>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::{ContentHash, FactsKey, Lang, RelPath, SkipReason};

    use super::*;

    fn file(path: &str, state: FileState) -> PartFile {
        let row = FileRow { path: RelPath::new(path).unwrap(), state, size: 1 };
        PartFile { row, symbols: 2, generated: false }
    }

    #[test]
    fn a_part_counts_what_it_lists_and_what_it_does_not() {
        let key = FactsKey { lang: Lang::Rust, content: ContentHash::of(b"x") };
        let so_far = SoFar::default();
        so_far.add([file("lost.rs", FileState::Indexed(key))]);
        assert!(so_far.part().is_none(), "no index is under way");
        so_far.begin();
        so_far
            .add([file("a.rs", FileState::Indexed(key)), file("b", FileState::Skipped(SkipReason::Binary))]);
        let before = so_far.part().unwrap();
        so_far.add([file("c.rs", FileState::Failed(key))]);
        let part = so_far.part().unwrap();
        assert_eq!((before.files(), part.files()), (2, 3), "a part does not grow under its reader");
        let counters = part.counters();
        assert_eq!((counters.files, counters.symbols, counters.failed), (1, 2, 1));
        assert_eq!(counters.skipped, [("binary".to_owned(), 1)]);
        assert_eq!(part.rows().map(|row| row.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
        so_far.end();
        assert!(so_far.part().is_none());
    }
}
