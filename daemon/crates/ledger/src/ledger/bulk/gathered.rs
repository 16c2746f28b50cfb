//! Rows end to end in memory, waiting to be sorted, and beyond a limit in sorted runs on the disk.

use std::path::Path;

use super::runs::Runs;
use crate::Result;

/// The place of a row in its arena.
#[derive(Clone, Copy)]
struct Place {
    /// The first bytes of the key: most comparisons end here.
    prefix: u64,
    start: u32,
    key: u16,
    chunk: u16,
    value: u32,
}

/// Takes rows, or keys and their items.
pub(super) type EachGathered<'f> = &'f mut dyn FnMut(&[u8], &[u8]) -> Result<()>;

/// Rows of any size.
#[derive(Default)]
pub(super) struct Arena {
    chunks: Vec<Vec<u8>>,
    places: Vec<Place>,
    bytes: usize,
}

/// A chunk is full at this size; a single row may be longer.
const CHUNK: usize = 1 << 20;

fn key_prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = key.len().min(8);
    first[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(first)
}

impl Arena {
    /// Adds a row whose value `fill` writes; the value.
    pub(super) fn push(
        &mut self,
        key: &[u8],
        fill: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<&[u8]> {
        if self.chunks.last().is_none_or(|chunk| chunk.len() >= CHUNK) {
            self.chunks.push(Vec::new());
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        let start = chunk.len();
        chunk.extend_from_slice(key);
        let value = chunk.len();
        fill(chunk)?;
        self.bytes += chunk.len() - start + size_of::<Place>();
        self.places.push(Place {
            prefix: key_prefix(key),
            start: start as u32,
            key: key.len() as u16,
            chunk: at as u16,
            value: (chunk.len() - value) as u32,
        });
        Ok(&chunk[value..])
    }

    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn row(&self, place: &Place) -> (&[u8], &[u8]) {
        let row = &self.chunks[place.chunk as usize][place.start as usize..];
        let (key, rest) = row.split_at(place.key as usize);
        (key, &rest[..place.value as usize])
    }

    /// Every row, sorted by key.
    pub(super) fn in_order(mut self, each: EachGathered<'_>) -> Result<()> {
        let mut places = std::mem::take(&mut self.places);
        places
            .sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| self.row(a).0.cmp(self.row(b).0)));
        places.iter().try_for_each(|place| {
            let (key, value) = self.row(place);
            each(key, value)
        })
    }
}

/// Rows that are gathered for one table: in memory, and beyond that in runs.
#[derive(Default)]
pub(super) struct Rows {
    arena: Arena,
    runs: Option<Runs>,
}

/// Something that gathers for one table.
pub(super) trait Gathers {
    /// How much memory it takes, about.
    fn bytes(&self) -> usize;

    /// Moves the rows in memory to a file in `dir`.
    fn spill(&mut self, dir: &Path) -> Result<()>;
}

impl Rows {
    /// Adds a row whose value `fill` writes; the value.
    pub(super) fn push(
        &mut self,
        key: &[u8],
        fill: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<&[u8]> {
        self.arena.push(key, fill)
    }

    /// Every row, sorted by key.
    pub(super) fn in_order(mut self, each: EachGathered<'_>) -> Result<()> {
        match self.runs.take() {
            None => self.arena.in_order(each),
            Some(mut runs) => {
                runs.add_run(|each| self.arena.in_order(each))?;
                runs.merge(each)
            }
        }
    }
}

impl Gathers for Rows {
    fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    fn spill(&mut self, dir: &Path) -> Result<()> {
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs::create(dir)?),
        };
        let arena = std::mem::take(&mut self.arena);
        runs.add_run(|each| arena.in_order(each))
    }
}

/// Items of one size under keys.
pub(super) struct Items<const N: usize> {
    rows: Rows,
}

impl<const N: usize> Default for Items<N> {
    fn default() -> Self {
        Self { rows: Rows::default() }
    }
}

impl<const N: usize> Items<N> {
    /// Adds an item.
    pub(super) fn push(&mut self, key: &[u8], item: [u8; N]) {
        // Writing to memory does not fail.
        let _ = self.rows.push(key, |out| {
            out.extend_from_slice(&item);
            Ok(())
        });
    }

    /// Every key once, sorted, with its items, sorted and without doubles.
    pub(super) fn in_order(self, each: EachGathered<'_>) -> Result<()> {
        let mut groups = Groups::<N>::new(each);
        self.rows.in_order(&mut |key, items| groups.take(key, items))?;
        groups.end()
    }
}

impl<const N: usize> Gathers for Items<N> {
    fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    fn spill(&mut self, dir: &Path) -> Result<()> {
        self.rows.spill(dir)
    }
}

/// Brings together the items of one key, which come one after the other.
pub(super) struct Groups<'f, const N: usize> {
    key: Vec<u8>,
    items: Vec<[u8; N]>,
    each: EachGathered<'f>,
}

impl<'f, const N: usize> Groups<'f, N> {
    /// Passes each key once to `each`, with its items, sorted and without doubles.
    pub(super) fn new(each: EachGathered<'f>) -> Self {
        Self { key: Vec::new(), items: Vec::new(), each }
    }

    /// Takes some items of a key.
    pub(super) fn take(&mut self, key: &[u8], items: &[u8]) -> Result<()> {
        if key != self.key {
            self.give()?;
            self.key.clear();
            self.key.extend_from_slice(key);
        }
        self.items.extend_from_slice(items.as_chunks().0);
        Ok(())
    }

    /// Passes on the last key.
    pub(super) fn end(mut self) -> Result<()> {
        self.give()
    }

    fn give(&mut self) -> Result<()> {
        if self.items.is_empty() {
            return Ok(());
        }
        self.items.sort_unstable();
        self.items.dedup();
        (self.each)(&self.key, self.items.as_flattened())?;
        self.items.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_out_sorted() {
        let mut arena = Arena::default();
        for key in ["b", "a", "longer than eight b", "longer than eight a"] {
            let value = arena.push(key.as_bytes(), |out| {
                out.push(b'!');
                Ok(())
            });
            assert_eq!(value.unwrap(), b"!");
        }
        let mut keys = Vec::new();
        arena
            .in_order(&mut |key, value| {
                keys.push(String::from_utf8(key.to_vec()).unwrap());
                assert_eq!(value, b"!");
                Ok(())
            })
            .unwrap();
        assert_eq!(keys, ["a", "b", "longer than eight a", "longer than eight b"]);
    }

    #[test]
    fn items_come_out_grouped_and_without_doubles_spilled_or_not() {
        let dir = tempfile::tempdir().unwrap();
        for spilled_after in [9, 0, 1, 3] {
            let mut items = Items::<2>::default();
            for (n, (key, item)) in
                [("k", [2, 0]), ("j", [9, 9]), ("k", [1, 0]), ("k", [2, 0])].into_iter().enumerate()
            {
                items.push(key.as_bytes(), item);
                if n >= spilled_after {
                    items.spill(dir.path()).unwrap();
                    assert_eq!(items.bytes(), 0);
                }
            }
            let mut seen = Vec::new();
            items
                .in_order(&mut |key, items| {
                    seen.push((key.to_vec(), items.to_vec()));
                    Ok(())
                })
                .unwrap();
            assert_eq!(seen, [(b"j".to_vec(), vec![9, 9]), (b"k".to_vec(), vec![1, 0, 2, 0])]);
        }
    }
}
