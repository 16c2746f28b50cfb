//! What the pieces counted last came to. Answers are counted more than once while they are brought to their size, and
//! their ids and etags, which are in no vocabulary, are merged byte by byte: that is most of the cost of counting.

use std::cell::RefCell;

use crate::merge;

/// Longer pieces are rare.
const LONGEST: usize = 14;
/// Pieces remembered, each in one place: a power of two.
const PLACES: usize = 1 << 13;

/// The pieces counted last by one thread.
pub(crate) struct Known {
    /// A piece's bytes, its length, and in the highest byte its tokens; 0 where nothing is.
    places: Vec<u128>,
}

thread_local! {
    static KNOWN: RefCell<Known> = const { RefCell::new(Known { places: Vec::new() }) };
}

/// Counts with what this thread remembers.
pub(crate) fn with_known<T>(count: impl FnOnce(&mut Known) -> T) -> T {
    KNOWN.with_borrow_mut(count)
}

impl Known {
    /// As [`merge::tokens_of`].
    pub(crate) fn tokens_of(&mut self, piece: &[u8]) -> usize {
        if piece.len() < 2 || piece.len() > LONGEST {
            return merge::tokens_of(piece);
        }
        let mut bytes = [0; 16];
        if let Some(start) = bytes.get_mut(..piece.len()) {
            start.copy_from_slice(piece);
        }
        bytes[LONGEST] = piece.len() as u8;
        let key = u128::from_le_bytes(bytes);
        if self.places.is_empty() {
            self.places.resize(PLACES, 0);
        }
        let Some(place) = self.places.get_mut(cache_slot(key)) else { return merge::tokens_of(piece) };
        if *place << 8 != key << 8 {
            *place = key | (merge::tokens_of(piece) as u128) << 120;
        }
        (*place >> 120) as usize
    }
}

fn cache_slot(key: u128) -> usize {
    let folded = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((key >> 64) as u64);
    (folded.wrapping_mul(0xe703_7ed1_a0b4_28db) >> 48) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_counts_equal_fresh_counts() {
        // More pieces than places, of a few letters, twice: places are shared, taken over and found again.
        let mut state = 7_u64;
        let pieces: Vec<Vec<u8>> = (0..3 * PLACES)
            .map(|round| {
                (0..=round % (LONGEST + 3))
                    .map(|_| {
                        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        b"ab_\"4\0"[(state >> 33) as usize % 6]
                    })
                    .collect()
            })
            .collect();
        for piece in pieces.iter().chain(&pieces) {
            assert_eq!(with_known(|known| known.tokens_of(piece)), merge::tokens_of(piece), "{piece:?}");
        }
    }
}
