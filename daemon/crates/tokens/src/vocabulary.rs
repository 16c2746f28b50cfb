//! The vocabulary: a token's bytes to its rank.

use crate::layout::{self, LONGEST, RANK_BITS, SLOTS};

static TEXT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/text.bin"));
static ENDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/ends.bin"));
static SLOT_TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin"));

/// Means "no such token": higher than every rank.
pub(crate) const NONE: u32 = u32::MAX;

fn read_word(table: &[u8], at: usize) -> u32 {
    let start = at * 4;
    table.get(start..start + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The rank of the token that is `bytes`, or [`NONE`].
pub(crate) fn token_rank(bytes: &[u8]) -> u32 {
    if bytes.is_empty() || bytes.len() > LONGEST {
        return NONE;
    }
    let hash = layout::hash_token(bytes);
    let tag = layout::hash_tag(hash);
    let mut at = layout::table_slot(hash);
    loop {
        let slot = read_word(SLOT_TABLE, at);
        if slot == 0 {
            return NONE;
        }
        if slot >> RANK_BITS == tag {
            let rank = (slot & ((1 << RANK_BITS) - 1)) - 1;
            if token_bytes(rank) == bytes {
                return rank;
            }
        }
        at = (at + 1) % SLOTS;
    }
}

fn token_bytes(rank: u32) -> &'static [u8] {
    let at = rank as usize;
    let start = if at == 0 { 0 } else { read_word(ENDS, at - 1) };
    TEXT.get(start as usize..read_word(ENDS, at) as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_and_nothing_else() {
        for rank_of in 0..(ENDS.len() / 4) as u32 {
            assert_eq!(token_rank(token_bytes(rank_of)), rank_of);
        }
        assert_eq!(token_rank(b""), NONE);
        assert_eq!(token_rank(b"no such token as this one"), NONE);
        assert_eq!(token_rank(&[b'x'; 4096]), NONE);
    }
}
