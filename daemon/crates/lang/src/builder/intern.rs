//! A small hash table from contents to indexes, for items that are in an array elsewhere.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::OnceLock;

/// Finds an index by hash. The slot depends on a seed drawn per process, because no file must be able to make lookups
/// slow. The indexes depend only on the order of insertion.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<u32>,
    hashes: Vec<u64>,
    seed: u64,
}

const EMPTY: u32 = u32::MAX;

impl Table {
    pub(super) fn new() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        let seed = *SEED.get_or_init(|| std::collections::hash_map::RandomState::new().hash_one(0u8));
        Self { slots: vec![EMPTY; 128], hashes: Vec::with_capacity(64), seed }
    }

    pub(super) fn hash<T: Hash + ?Sized>(&self, value: &T) -> u64 {
        let mut hasher = Mix(self.seed);
        value.hash(&mut hasher);
        hasher.finish()
    }

    /// The index under `hash` for which `is_equal` holds.
    pub(super) fn find(&self, hash: u64, is_equal: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let ix = *self.slots.get(at)?;
            if ix == EMPTY {
                return None;
            }
            if self.hashes.get(ix as usize) == Some(&hash) && is_equal(ix) {
                return Some(ix);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the next index under `hash`.
    pub(super) fn add(&mut self, hash: u64) {
        let ix = self.hashes.len() as u32;
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.slots.len() {
            self.slots = vec![EMPTY; self.slots.len() * 2];
            for ix in 0..self.hashes.len() {
                self.place(ix as u32);
            }
        } else {
            self.place(ix);
        }
    }

    fn place(&mut self, ix: u32) {
        let mask = self.slots.len() - 1;
        let mut at = self.hashes.get(ix as usize).copied().unwrap_or(0) as usize & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == EMPTY {
                *slot = ix;
                return;
            }
            at = (at + 1) & mask;
        }
    }
}

/// Multiply and fold, eight bytes at a time.
struct Mix(u64);

impl Mix {
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = (wide as u64) ^ ((wide >> 64) as u64);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        if let Some(slot) = last.get_mut(..rest.len()) {
            slot.copy_from_slice(rest);
        }
        self.mix(u64::from_le_bytes(last) ^ ((bytes.len() as u64) << 56));
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
