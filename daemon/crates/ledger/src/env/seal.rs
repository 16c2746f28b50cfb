//! Checksums of rows. Every value of a sealed table ends in the CRC-32 of its table, its key and its bytes.
//!
//! They are needed because LMDB trusts the bytes that it reads: a flipped bit in a row would be an answer like any
//! other. A CRC finds every burst of up to 32 bits, and the key is part of it: a row that was moved under another
//! key, or cut off, does not pass either.

use std::borrow::Cow;

use crc32fast::Hasher;

use crate::Result;
use crate::codec::corrupt_record;

/// The number of bytes that a seal adds to each value.
const LEN: usize = 4;

/// The value from which the seals of a table are computed.
pub(super) fn of_table(name: &str) -> u32 {
    crc32fast::hash(name.as_bytes())
}

/// Seals and checks the values of one key.
pub(super) struct Seal {
    key: Hasher,
    table: &'static str,
}

impl Seal {
    /// For a key of the table whose seals begin with `start`.
    pub(super) fn new(table: &'static str, start: u32, key: &[u8]) -> Self {
        let mut hasher = Hasher::new_with_initial(start);
        // The key's length is included, because key and value are end to end in a page, and a moved border between
        // them would go unnoticed.
        hasher.update(&(key.len() as u16).to_le_bytes());
        hasher.update(key);
        Self { key: hasher, table }
    }

    fn of(&self, value: &[u8]) -> [u8; LEN] {
        let mut hasher = self.key.clone();
        hasher.update(value);
        hasher.finalize().to_le_bytes()
    }

    /// Appends a value and its seal.
    fn append(&self, value: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(value);
        out.extend_from_slice(&self.of(value));
    }

    /// The value without its seal, if that fits.
    pub(super) fn open<'v>(&self, sealed: &'v [u8]) -> Result<&'v [u8]> {
        match sealed.split_last_chunk::<LEN>() {
            Some((value, seal)) if self.of(value) == *seal => Ok(value),
            _ => Err(corrupt_record(self.table, "its checksum does not fit")),
        }
    }
}

/// A value with its seal, if it bears one.
pub(super) fn close<'v>(seal: Option<&Seal>, value: &'v [u8]) -> Cow<'v, [u8]> {
    let Some(seal) = seal else { return Cow::Borrowed(value) };
    let mut out = Vec::with_capacity(value.len() + LEN);
    seal.append(value, &mut out);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_bit_and_any_moved_border_is_found() {
        let seal = |key: &[u8]| Seal::new("t", of_table("t"), key);
        let mut row = Vec::new();
        seal(b"key").append(b"value", &mut row);
        assert_eq!(seal(b"key").open(&row).unwrap(), b"value");
        for bit in 0..row.len() * 8 {
            let mut flipped = row.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(seal(b"key").open(&flipped).is_err(), "bit {bit}");
        }
        for len in 0..row.len() {
            assert!(seal(b"key").open(&row[..len]).is_err(), "{len} bytes");
        }
        assert!(seal(b"kez").open(&row).is_err());
        assert!(seal(b"keyv").open(&row[1..]).is_err());
        assert!(Seal::new("u", of_table("u"), b"key").open(&row).is_err());
    }
}
