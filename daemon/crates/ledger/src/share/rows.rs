//! How a row is written in a chunk, and where a chunk ends.
//!
//! ```text
//! table u8 | length of the key u16 | length of the value u32 | key | value        (numbers are little endian)
//! ```
//!
//! In a table of several, a value is a run of whole items, sorted. The items of one key may be in more than one row.

use super::{EachChunk, MAX_CHUNK_BYTES};
use crate::codec::corrupt_record;
use crate::{Error, Result};

/// The bytes before a key.
const HEAD_BYTES: usize = 7;
/// The size of most chunks of a ledger is around this many bytes. Each chunk costs its readers a request, and one row that
/// changes costs its writers a chunk.
pub(crate) const LEDGER_CHUNK_BYTES: usize = 512 << 10;
/// The same of facts, whose rows are large and change alone.
pub(crate) const FACTS_CHUNK_BYTES: usize = 256 << 10;
/// A chunk has at least this share of the usual size, unless it is the last.
const LEAST_SHARE: usize = 4;
/// A chunk ends at this multiple of the usual size, whatever its keys are.
const MOST_TIMES: usize = 4;
/// Named in errors, where the table of a row is not known.
const CHUNK: &str = "chunk";

/// One row of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row<'c> {
    /// The number of its table, see [`super::tables`].
    pub(crate) table: u8,
    pub(crate) key: &'c [u8],
    pub(crate) value: &'c [u8],
}

/// Gathers rows into chunks.
pub(crate) struct Cutter<'s> {
    chunk: Vec<u8>,
    /// The usual size of a chunk, in bytes.
    usual: usize,
    sink: EachChunk<'s>,
}

impl<'s> Cutter<'s> {
    /// Gives chunks of about `usual` bytes to `sink`.
    pub(crate) fn new(usual: usize, sink: EachChunk<'s>) -> Self {
        Self { chunk: Vec::with_capacity(2 * usual), usual, sink }
    }

    /// Adds a row. The chunk may end after it.
    pub(crate) fn add_row(&mut self, row: Row<'_>) -> Result<()> {
        let (Ok(key), Ok(value)) = (u16::try_from(row.key.len()), u32::try_from(row.value.len())) else {
            return Err(Error::Misuse("a row is too large to travel"));
        };
        let bytes = HEAD_BYTES + row.key.len() + row.value.len();
        if self.chunk.len() + bytes > MAX_CHUNK_BYTES {
            return Err(Error::Misuse("a row is too large to travel"));
        }
        self.chunk.push(row.table);
        self.chunk.extend_from_slice(&key.to_le_bytes());
        self.chunk.extend_from_slice(&value.to_le_bytes());
        self.chunk.extend_from_slice(row.key);
        self.chunk.extend_from_slice(row.value);
        let full = self.chunk.len() >= MOST_TIMES * self.usual;
        if full || self.chunk.len() >= self.usual / LEAST_SHARE && self.ends_at(&row, bytes) {
            self.flush()?;
        }
        Ok(())
    }

    /// Whether the chunk ends after this row of this many bytes. The chance is the row's share of the usual size, so the rows of all tables give
    /// chunks of the same size.
    fn ends_at(&self, row: &Row<'_>, bytes: usize) -> bool {
        let mut hash = crc32fast::Hasher::new();
        hash.update(&[row.table]);
        hash.update(row.key);
        // Multiplied, because a CRC of short keys alone is not evenly spread.
        let mixed = u64::from(hash.finalize()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        mixed.saturating_mul(self.usual as u64) < (bytes as u64) << 32
    }

    fn flush(&mut self) -> Result<()> {
        if !self.chunk.is_empty() {
            (self.sink)(&self.chunk)?;
            self.chunk.clear();
        }
        Ok(())
    }

    /// Gives the last chunk.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()
    }
}

/// Reads the rows of a chunk, in order. The chunk comes from outside and may hold anything.
pub(crate) struct Rows<'c> {
    rest: &'c [u8],
}

impl<'c> Rows<'c> {
    pub(crate) fn new(chunk: &'c [u8]) -> Self {
        Self { rest: chunk }
    }
}

fn cut_off() -> Error {
    corrupt_record(CHUNK, "a row that is cut off")
}

impl<'c> Iterator for Rows<'c> {
    type Item = Result<Row<'c>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let Some((&[table, k0, k1, v0, v1, v2, v3], rest)) = self.rest.split_first_chunk::<HEAD_BYTES>()
        else {
            self.rest = &[];
            return Some(Err(cut_off()));
        };
        let (key, value) = (u16::from_le_bytes([k0, k1]), u32::from_le_bytes([v0, v1, v2, v3]));
        let row = rest.split_at_checked(usize::from(key)).and_then(|(key, rest)| {
            let (value, rest) = rest.split_at_checked(value as usize)?;
            Some((Row { table, key, value }, rest))
        });
        match row {
            Some((row, rest)) => {
                self.rest = rest;
                Some(Ok(row))
            }
            None => {
                self.rest = &[];
                Some(Err(cut_off()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(rows: &[(u64, Vec<u8>)]) -> Vec<Vec<u8>> {
        let mut chunks = Vec::new();
        let mut sink = |chunk: &[u8]| {
            chunks.push(chunk.to_vec());
            Ok(())
        };
        let mut cutter = Cutter::new(LEDGER_CHUNK_BYTES, &mut sink);
        for (key, value) in rows {
            cutter.add_row(Row { table: 1, key: &key.to_be_bytes(), value }).unwrap();
        }
        cutter.finish().unwrap();
        chunks
    }

    #[test]
    fn a_change_of_one_row_changes_few_chunks() {
        let value = |key: u64| vec![key as u8; 200];
        let rows: Vec<_> =
            (0..100_000_u64).map(|key| (key.wrapping_mul(0x9e37_79b9_7f4a_7c15), value(key))).collect();
        let mut rows = rows;
        rows.sort();
        let before = cut(&rows);
        assert!((20..80).contains(&before.len()), "{} chunks", before.len());
        rows[40_000].1 = vec![7; 300];
        rows.remove(70_000);
        let after = cut(&rows);
        let fresh = after.iter().filter(|chunk| !before.contains(chunk)).count();
        assert!((1..=6).contains(&fresh), "{fresh} of {} are others", after.len());
        let read: Vec<_> = after.iter().flat_map(|chunk| Rows::new(chunk)).map(Result::unwrap).collect();
        assert_eq!(read.len(), rows.len());
        assert!(
            read.iter()
                .zip(&rows)
                .all(|(row, (key, value))| row.key == key.to_be_bytes() && row.value == &value[..])
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_rows_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let read: usize = Rows::new(&bytes).filter_map(Result::ok).map(|row| row.key.len() + row.value.len()).sum();
            prop_assert!(read <= bytes.len());
        }
    }
}
