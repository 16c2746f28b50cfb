//! Recently computed results, kept for the next caller. For pure functions only: a key has one value.
//!
//! Each module that keeps results has a type of its own for them. [`Memos`] holds one of each, so that a call can carry
//! them all without knowing their contents.

use std::any::{Any, TypeId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Recently computed results, one value of each type.
#[derive(Default)]
pub(crate) struct Memos(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Memos {
    /// Returns the only `T`, which is created on first use.
    pub(crate) fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = held.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(one).downcast().unwrap_or_default()
    }
}

/// The latest values, `MOST` at most, the one used last at the end.
pub(crate) struct Recent<K, V, const MOST: usize>(Mutex<VecDeque<(K, V)>>);

impl<K, V, const MOST: usize> Default for Recent<K, V, MOST> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, V: Clone, const MOST: usize> Recent<K, V, MOST> {
    /// Returns the value of this key, if it is still kept.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let mut kept = self.lock();
        let at = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(at)?;
        let value = found.1.clone();
        kept.push_back(found);
        Some(value)
    }

    /// Keeps a value. Replaces the least recently used one if there are too many.
    pub(crate) fn put(&self, key: K, value: V) {
        let mut kept = self.lock();
        kept.retain(|(known, _)| *known != key);
        if kept.len() >= MOST {
            kept.pop_front();
        }
        kept.push_back((key, value));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(K, V)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_there_once() {
        let memos = Memos::default();
        memos.shared::<Recent<u32, u32, 2>>().put(1, 2);
        assert_eq!(memos.shared::<Recent<u32, u32, 2>>().get(&1), Some(2));
        assert_eq!(memos.shared::<Recent<u32, u32, 3>>().get(&1), None);
    }

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let recent: Recent<u32, &str, 2> = Recent::default();
        recent.put(1, "one");
        recent.put(2, "two");
        assert_eq!(recent.get(&1), Some("one"));
        recent.put(3, "three");
        assert_eq!([1, 2, 3].map(|key| recent.get(&key)), [Some("one"), None, Some("three")]);
        recent.put(3, "anew");
        assert_eq!([1, 3].map(|key| recent.get(&key)), [Some("one"), Some("anew")]);
    }
}
