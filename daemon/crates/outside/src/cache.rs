//! The facts of files outside, by path, size and time of change.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_model::{Facts, FactsKey};

/// Most files whose facts are kept. A card needs a few, and neighbours need the same.
const MAX_KEPT: usize = 256;
/// Most files whose place is remembered.
const MAX_PLACES: usize = 8_192;

/// The facts of files outside. A key is a hash of a path, a size and a time of change.
#[derive(Default)]
pub struct FactsCache(Mutex<Kept>);

/// What a file turned out to be.
#[derive(Clone)]
pub(crate) enum Parsed {
    Facts(Arc<Facts>),
    /// It can't be read or parsed.
    Nothing,
}

impl Parsed {
    /// The facts, if there are any.
    pub(crate) fn facts(self) -> Option<Arc<Facts>> {
        match self {
            Self::Facts(facts) => Some(facts),
            Self::Nothing => None,
        }
    }
}

#[derive(Default)]
struct Kept {
    facts: HashMap<FactsKey, Parsed>,
    order: VecDeque<FactsKey>,
    places: HashMap<FactsKey, PathBuf>,
}

impl FactsCache {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers where the file with a key is.
    pub(crate) fn set_place(&self, key: FactsKey, place: PathBuf) {
        let mut kept = self.lock();
        if kept.places.len() >= MAX_PLACES {
            kept.places.clear();
        }
        kept.places.insert(key, place);
    }

    /// Where the file with a key is.
    pub(crate) fn place(&self, key: FactsKey) -> Option<PathBuf> {
        self.lock().places.get(&key).cloned()
    }

    /// The outcome under a key, if the file was read.
    pub(crate) fn known(&self, key: FactsKey) -> Option<Parsed> {
        self.lock().facts.get(&key).cloned()
    }

    /// Keeps the outcome of reading a file.
    pub(crate) fn keep(&self, key: FactsKey, parsed: Parsed) {
        let mut kept = self.lock();
        if kept.facts.insert(key, parsed).is_none() {
            kept.order.push_back(key);
        }
        while kept.order.len() > MAX_KEPT {
            if let Some(oldest) = kept.order.pop_front() {
                kept.facts.remove(&oldest);
            }
        }
    }
}
