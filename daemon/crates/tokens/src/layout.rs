//! The shape of the generated tables, shared with the build script.

/// Bytes of the longest token.
pub(crate) const LONGEST: usize = 128;
/// Places of the hash table: a power of two, three quarters full.
pub(crate) const SLOTS: usize = 1 << 18;
/// Low bits of a place that hold rank + 1; the rest is a tag that spares most wrong comparisons.
pub(crate) const RANK_BITS: u32 = 18;
/// Characters of one block of the class table.
pub(crate) const BLOCK: usize = 128;

/// `\p{Lu}`, `\p{Lt}`
pub(crate) const UPPER: u8 = 1;
/// `\p{Ll}`
pub(crate) const LOWER: u8 = 1 << 1;
/// `\p{Lm}`, `\p{Lo}`
pub(crate) const OTHER_LETTER: u8 = 1 << 2;
/// `\p{M}`
pub(crate) const MARK: u8 = 1 << 3;
/// `\p{N}`
pub(crate) const NUMBER: u8 = 1 << 4;
/// `\s`
pub(crate) const SPACE: u8 = 1 << 5;
/// `\r`, `\n`
pub(crate) const NEWLINE: u8 = 1 << 6;

/// Hashes a token's bytes.
pub(crate) fn hash_token(bytes: &[u8]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix_bits(state ^ u64::from_le_bytes(*word));
    }
    let mut last = 0_u64;
    for &byte in rest {
        last = (last << 8) | u64::from(byte);
    }
    mix_bits(state ^ last)
}

fn mix_bits(value: u64) -> u64 {
    let wide = u128::from(value ^ 0xa076_1d64_78bd_642f) * 0xe703_7ed1_a0b4_28db;
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// Where a hash belongs in the table.
pub(crate) fn table_slot(hash: u64) -> usize {
    hash as usize % SLOTS
}

/// The part of a hash that is kept beside its place.
pub(crate) fn hash_tag(hash: u64) -> u32 {
    (hash >> (64 - (32 - RANK_BITS))) as u32
}
