//! A quick hasher for maps keyed by small numbers that this crate hands out itself. Text from a repository goes
//! through the standard hasher, which crafted input cannot flood.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Multiplies and rotates; good for dense numbers, not for text.
#[derive(Clone, Copy, Default)]
pub(crate) struct NumberHasher(u64);

const K: u64 = 0xf135_7aea_2e62_a9c5;

impl NumberHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(K).rotate_left(26);
    }
}

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.add(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.add(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map keyed by numbers.
pub(crate) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;
/// A set of the same.
pub(crate) type NumberSet<K> = HashSet<K, BuildHasherDefault<NumberHasher>>;

/// Sorts hashes and drops doubles.
pub(crate) fn sort_hashes<T: Ord>(mut hashes: Vec<T>) -> Vec<T> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}
