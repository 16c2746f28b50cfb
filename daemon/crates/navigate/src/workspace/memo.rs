//! What questions over workspaces found out, kept for later ones.
//!
//! Law: an entry is a function of its key, which names the versions of all repositories that it depends on. So an answer
//! is the same with and without it, and an edit of one repository leaves what depends on others alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_graph::Site;
use sdl_model::{FactsKey, FileId, Incarnation, Version};

use super::crossing::Seen;
use super::joint::{Alias, bytes_of};

/// Most bytes that are kept, counted by the contents of the entries.
pub const MAX_MEMO_BYTES: usize = 64 << 20;
/// What one entry takes beside its contents: its place in two maps.
const ENTRY_BYTES: usize = 160;

/// What tells one state of a repository from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemberState {
    /// Its ledger.
    pub incarnation: Incarnation,
    /// The version.
    pub version: Version,
    /// The number of the unsaved buffers over it.
    pub overlay: Option<u64>,
}

/// The state of a member: the hash of its id, and the state of that repository.
pub(super) type StateOf = (u64, MemberState);

/// What an entry depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The imports of a file, which depend on its facts alone.
    Imports(FactsKey),
    /// What a file sees, which depends on what all members declare.
    Seen(FileId, Arc<[StateOf]>),
    /// The mentions of a file that lead into the repositories that it sees: its own state, theirs, and the names of their
    /// packages.
    Crossing(FileId, Arc<[StateOf]>, Arc<[Alias]>),
    /// The mentions of a file that stay in its repository.
    Own(FileId, StateOf),
}

impl Key {
    fn bytes(&self) -> usize {
        match self {
            Self::Crossing(_, states, aliases) => size_of_val(&**states) + bytes_of(aliases.iter()),
            // The states of a question are shared by all its files.
            Self::Imports(_) | Self::Seen(..) | Self::Own(..) => 0,
        }
    }
}

/// What was found.
#[derive(Clone)]
pub(super) enum Value {
    Imports(Arc<BTreeSet<String>>),
    /// None for a file whose language has no packages.
    Seen(Option<Arc<Seen>>),
    Sites(Arc<[Site]>),
}

impl Value {
    fn bytes(&self) -> usize {
        match self {
            Self::Imports(modules) => modules.iter().map(|module| size_of::<String>() + module.len()).sum(),
            Self::Seen(seen) => seen.as_ref().map_or(0, |seen| seen.bytes()),
            Self::Sites(sites) => size_of_val(&**sites),
        }
    }
}

/// What questions over workspaces found out. Holds at most [`MAX_MEMO_BYTES`]; the entries that were not used for longest
/// are dropped first.
pub struct CrossingMemo(Mutex<Kept>);

impl Default for CrossingMemo {
    fn default() -> Self {
        Self::with_room(MAX_MEMO_BYTES)
    }
}

impl CrossingMemo {
    /// A memo of at most `bytes`.
    pub fn with_room(bytes: usize) -> Self {
        Self(Mutex::new(Kept { most: bytes, ..Kept::default() }))
    }

    /// The bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    pub(super) fn get(&self, key: &Key) -> Option<Value> {
        let mut guard = self.lock();
        let kept = &mut *guard;
        let entry = kept.entries.get_mut(key)?;
        kept.clock += 1;
        let before = std::mem::replace(&mut entry.used, kept.clock);
        if let Some(key) = kept.order.remove(&before) {
            kept.order.insert(kept.clock, key);
        }
        Some(entry.value.clone())
    }

    pub(super) fn keep(&self, key: Key, value: Value) {
        let bytes = ENTRY_BYTES + key.bytes() + value.bytes();
        let mut guard = self.lock();
        let kept = &mut *guard;
        if bytes > kept.most {
            return;
        }
        kept.clock += 1;
        let entry = Entry { value, bytes, used: kept.clock };
        if let Some(before) = kept.entries.insert(key.clone(), entry) {
            kept.order.remove(&before.used);
            kept.bytes -= before.bytes;
        }
        kept.order.insert(kept.clock, key);
        kept.bytes += bytes;
        while kept.bytes > kept.most {
            let Some((_, oldest)) = kept.order.pop_first() else { break };
            if let Some(gone) = kept.entries.remove(&oldest) {
                kept.bytes -= gone.bytes;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Kept {
    most: usize,
    bytes: usize,
    /// Counts uses.
    clock: u64,
    entries: HashMap<Key, Entry>,
    /// The keys by their last use.
    order: BTreeMap<u64, Key>,
}

struct Entry {
    value: Value,
    bytes: usize,
    /// The last use.
    used: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(file: u64) -> Key {
        let state = MemberState { incarnation: Incarnation(1), version: Version(1), overlay: None };
        Key::Own(FileId(file), (7, state))
    }

    fn is_kept(memo: &CrossingMemo, file: u64) -> bool {
        memo.get(&key(file)).is_some()
    }

    #[test]
    fn entries_that_were_not_used_for_longest_go_first() {
        let memo = CrossingMemo::with_room(2 * ENTRY_BYTES + 1);
        for file in [1, 2] {
            memo.keep(key(file), Value::Seen(None));
        }
        assert!(is_kept(&memo, 1));
        memo.keep(key(3), Value::Seen(None));
        assert_eq!([1, 2, 3].map(|file| is_kept(&memo, file)), [true, false, true]);
        memo.keep(key(3), Value::Seen(None));
        assert_eq!(memo.bytes(), 2 * ENTRY_BYTES, "an entry that is kept again counts once");
        let small = CrossingMemo::with_room(ENTRY_BYTES - 1);
        small.keep(key(1), Value::Seen(None));
        assert_eq!((is_kept(&small, 1), small.bytes()), (false, 0), "no room for one entry");
    }
}
