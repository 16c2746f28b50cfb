//! Rows in memory, end to end, waiting to be sorted.

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

/// Items of one size under texts.
pub(super) struct Items<const N: usize> {
    arena: Arena,
}

impl<const N: usize> Default for Items<N> {
    fn default() -> Self {
        Self { arena: Arena::default() }
    }
}

impl<const N: usize> Items<N> {
    /// Adds an item.
    pub(super) fn push(&mut self, key: &[u8], item: [u8; N]) {
        // Writing to memory does not fail.
        let _ = self.arena.push(key, |out| {
            out.extend_from_slice(&item);
            Ok(())
        });
    }

    /// Every key once, sorted, with its items, sorted and without doubles.
    pub(super) fn in_order(self, each: EachGathered<'_>) -> Result<()> {
        let mut current: Vec<u8> = Vec::new();
        let mut items: Vec<[u8; N]> = Vec::new();
        let mut give = |key: &[u8], items: &mut Vec<[u8; N]>| {
            if items.is_empty() {
                return Ok(());
            }
            items.sort_unstable();
            items.dedup();
            each(key, items.as_flattened())?;
            items.clear();
            Ok(())
        };
        self.arena.in_order(&mut |key, value| {
            if key != current {
                give(&current, &mut items)?;
                current.clear();
                current.extend_from_slice(key);
            }
            if let Ok(item) = value.try_into() {
                items.push(item);
            }
            Ok(())
        })?;
        give(&current, &mut items)
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
    fn items_come_out_grouped_and_without_doubles() {
        let mut items = Items::<2>::default();
        for (key, item) in [("k", [2, 0]), ("j", [9, 9]), ("k", [1, 0]), ("k", [2, 0])] {
            items.push(key.as_bytes(), item);
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
