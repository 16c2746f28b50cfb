//! Decoded facts, for example outlines: the most recently used ones up to a number of bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdl_model::FactsKey;

const SHARDS: usize = 8;

struct Entry<T> {
    value: T,
    bytes: usize,
    /// The turn at which it was last used.
    used: u64,
}

/// Uses are queued; of a value's places in the queue only the last one counts.
struct Shard<T> {
    entries: HashMap<FactsKey, Entry<T>>,
    uses: VecDeque<(u64, FactsKey)>,
    turn: u64,
    bytes: usize,
}

/// The cache. Values are cheap to clone.
pub(super) struct DecodedCache<T> {
    shards: [Mutex<Shard<T>>; SHARDS],
    /// As `limits` says.
    limit: AtomicUsize,
    limits: Mutex<Limits>,
}

/// What the limit of a cache follows from.
struct Limits {
    /// The limit while nobody has raised it.
    usual: usize,
    /// Those who have raised it.
    raisers: usize,
}

impl<T> Default for Shard<T> {
    fn default() -> Self {
        Self { entries: HashMap::new(), uses: VecDeque::new(), turn: 0, bytes: 0 }
    }
}

impl<T> Shard<T> {
    fn use_now(&mut self, key: FactsKey) {
        self.turn += 1;
        let turn = self.turn;
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.used = turn;
            self.uses.push_back((turn, key));
        }
        if self.uses.len() > 64 + 4 * self.entries.len() {
            let entries = &self.entries;
            self.uses.retain(|(turn, key)| entries.get(key).is_some_and(|entry| entry.used == *turn));
        }
    }

    fn remove(&mut self, key: &FactsKey) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= entry.bytes;
        }
    }

    fn shrink(&mut self, limit: usize) {
        while self.bytes > limit {
            let Some((turn, key)) = self.uses.pop_front() else { break };
            if self.entries.get(&key).is_some_and(|entry| entry.used == turn) {
                self.remove(&key);
            }
        }
    }
}

impl<T: Clone> DecodedCache<T> {
    /// Holds about `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            limit: AtomicUsize::new(limit),
            limits: Mutex::new(Limits { usual: limit, raisers: 0 }),
        }
    }

    fn shard(&self, content: &[u8]) -> MutexGuard<'_, Shard<T>> {
        let at = content.last().map_or(0, |byte| *byte as usize % SHARDS);
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed) / SHARDS
    }

    /// The value, if it is held.
    pub(super) fn get(&self, key: &FactsKey) -> Option<T> {
        let mut shard = self.shard(&key.content.0);
        let value = shard.entries.get(key)?.value.clone();
        shard.use_now(*key);
        Some(value)
    }

    /// Caches the value, and drops those that were not used for longest.
    pub(super) fn put(&self, key: FactsKey, value: T, bytes: usize) {
        let limit = self.limit();
        if bytes > limit {
            return;
        }
        let mut shard = self.shard(&key.content.0);
        shard.remove(&key);
        shard.bytes += bytes;
        shard.entries.insert(key, Entry { value, bytes, used: 0 });
        shard.use_now(key);
        shard.shrink(limit);
    }

    /// Lets go of the value stored under these bytes.
    pub(super) fn remove(&self, key: &[u8]) {
        let mut shard = self.shard(key);
        let found = shard.entries.keys().find(|held| held.to_bytes()[..] == *key).copied();
        if let Some(found) = found {
            shard.remove(&found);
        }
    }

    /// Lets go of everything. The limit stays, so others may clear the cache or move its limit at the same time.
    pub(super) fn clear(&self) {
        self.shrink_shards(0);
    }

    /// Raises the limit to this, if it is lower. To be followed by one call of [`Self::lower_limit`].
    pub(super) fn raise_limit(&self, bytes: usize) {
        self.limits().raisers += 1;
        self.limit.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Goes back to the usual limit if nobody else has raised it. Two trees may be indexed at the same time.
    pub(super) fn lower_limit(&self) {
        let mut limits = self.limits();
        limits.raisers = limits.raisers.saturating_sub(1);
        self.apply(&limits);
    }

    /// Changes the usual limit.
    pub(super) fn set_limit(&self, bytes: usize) {
        let mut limits = self.limits();
        limits.usual = bytes;
        self.apply(&limits);
    }

    fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, limits: &Limits) {
        if limits.raisers == 0 {
            self.limit.store(limits.usual, Ordering::Relaxed);
            self.shrink_shards(limits.usual / SHARDS);
        }
    }

    fn shrink_shards(&self, bytes: usize) {
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.shrink(bytes);
            shard.entries.shrink_to_fit();
            shard.uses.shrink_to_fit();
        }
    }

    /// How many values and about how many bytes are held.
    pub(super) fn size(&self) -> (usize, usize) {
        self.shards.iter().fold((0, 0), |(count, bytes), shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            (count + shard.entries.len(), bytes + shard.bytes)
        })
    }
}
