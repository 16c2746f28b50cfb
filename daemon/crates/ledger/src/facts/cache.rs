//! Decoded outlines, the most recently used ones up to a number of bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_model::{FactsKey, Outline};

const SHARDS: usize = 8;

struct Entry {
    outline: Arc<Outline>,
    bytes: usize,
    /// The turn at which it was last used.
    used: u64,
}

/// Uses are queued; of an outline's places in the queue only the last one counts.
#[derive(Default)]
struct Shard {
    entries: HashMap<FactsKey, Entry>,
    uses: VecDeque<(u64, FactsKey)>,
    turn: u64,
    bytes: usize,
}

/// The cache.
pub(super) struct OutlineCache {
    shards: [Mutex<Shard>; SHARDS],
    limit: AtomicUsize,
    /// The limit while nobody has raised it.
    usual: AtomicUsize,
}

impl Shard {
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

impl OutlineCache {
    /// Holds about `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            limit: AtomicUsize::new(limit),
            usual: AtomicUsize::new(limit),
        }
    }

    fn shard(&self, content: &[u8]) -> MutexGuard<'_, Shard> {
        let at = content.last().map_or(0, |byte| *byte as usize % SHARDS);
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed) / SHARDS
    }

    /// The outline, if it is held.
    pub(super) fn get(&self, key: &FactsKey) -> Option<Arc<Outline>> {
        let mut shard = self.shard(&key.content.0);
        let outline = Arc::clone(&shard.entries.get(key)?.outline);
        shard.use_now(*key);
        Some(outline)
    }

    /// Caches the outline, and drops those that were not used for longest.
    pub(super) fn put(&self, key: FactsKey, outline: Arc<Outline>, bytes: usize) {
        let limit = self.limit();
        if bytes > limit {
            return;
        }
        let mut shard = self.shard(&key.content.0);
        shard.remove(&key);
        shard.bytes += bytes;
        shard.entries.insert(key, Entry { outline, bytes, used: 0 });
        shard.use_now(key);
        shard.shrink(limit);
    }

    /// Lets go of the outline stored under these bytes.
    pub(super) fn remove(&self, key: &[u8]) {
        let mut shard = self.shard(key);
        let found = shard.entries.keys().find(|held| held.to_bytes()[..] == *key).copied();
        if let Some(found) = found {
            shard.remove(&found);
        }
    }

    /// Lets go of everything.
    pub(super) fn clear(&self) {
        let limit = self.limit.load(Ordering::Relaxed);
        self.shrink_to(0);
        self.shrink_to(limit);
    }

    /// Raises the limit to this, if it is lower, until [`Self::lower_limit`].
    pub(super) fn raise_limit(&self, bytes: usize) {
        self.limit.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Goes back to the usual limit, for example after a first index.
    pub(super) fn lower_limit(&self) {
        self.shrink_to(self.usual.load(Ordering::Relaxed));
    }

    /// Changes the usual limit.
    pub(super) fn set_limit(&self, bytes: usize) {
        self.usual.store(bytes, Ordering::Relaxed);
        self.shrink_to(bytes);
    }

    fn shrink_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.shrink(bytes / SHARDS);
            shard.entries.shrink_to_fit();
            shard.uses.shrink_to_fit();
        }
    }

    /// How many outlines and about how many bytes are held.
    pub(super) fn size(&self) -> (usize, usize) {
        self.shards.iter().fold((0, 0), |(count, bytes), shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            (count + shard.entries.len(), bytes + shard.bytes)
        })
    }
}
