//! Facts in flight: stored or found, but not yet named by a committed version. A sweep spares them.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdl_model::FactsKey;

use crate::{Error, Result};

#[derive(Default)]
struct State {
    pinned: HashMap<[u8; 37], u32>,
    /// While a sweep is under way: the keys that were unpinned or stored since it began.
    touched: Option<HashSet<[u8; 37]>>,
}

/// Counts the pins of each key.
#[derive(Default)]
pub(super) struct PinBoard {
    state: Mutex<State>,
}

/// Keeps facts from being swept while it lives.
#[must_use]
pub struct Pins<'s> {
    board: &'s PinBoard,
    keys: Vec<[u8; 37]>,
}

/// A sweep under way; there is one at a time.
pub(super) struct Sweeping<'s> {
    board: &'s PinBoard,
}

impl PinBoard {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn pin(&self, keys: &[FactsKey]) -> Pins<'_> {
        let keys: Vec<_> = keys.iter().map(|key| key.to_bytes()).collect();
        let mut state = self.lock();
        for key in &keys {
            *state.pinned.entry(*key).or_default() += 1;
        }
        Pins { board: self, keys }
    }

    /// Notes facts that are being stored.
    pub(super) fn touch(&self, keys: impl IntoIterator<Item = FactsKey>) {
        if let Some(touched) = &mut self.lock().touched {
            touched.extend(keys.into_iter().map(FactsKey::to_bytes));
        }
    }

    pub(super) fn begin_sweep(&self) -> Result<Sweeping<'_>> {
        let mut state = self.lock();
        if state.touched.is_some() {
            return Err(Error::Misuse("a sweep was begun during another"));
        }
        state.touched = Some(HashSet::new());
        Ok(Sweeping { board: self })
    }
}

/// The board, held: nothing is pinned or unpinned meanwhile.
pub(super) struct Held<'s> {
    state: MutexGuard<'s, State>,
}

impl Sweeping<'_> {
    /// Holds the board.
    pub(super) fn hold(&self) -> Held<'_> {
        Held { state: self.board.lock() }
    }
}

impl Held<'_> {
    /// Whether facts are, or were since the sweep began, in somebody's hands.
    pub(super) fn spares(&self, key: &[u8]) -> bool {
        let Ok(key) = <&[u8; 37]>::try_from(key) else { return false };
        let touched = self.state.touched.as_ref();
        self.state.pinned.contains_key(key) || touched.is_some_and(|touched| touched.contains(key))
    }
}

impl Drop for Sweeping<'_> {
    fn drop(&mut self) {
        self.board.lock().touched = None;
    }
}

impl Drop for Pins<'_> {
    fn drop(&mut self) {
        let mut state = self.board.lock();
        for key in &self.keys {
            if let Some(count) = state.pinned.get_mut(key) {
                *count -= 1;
                if *count == 0 {
                    state.pinned.remove(key);
                }
            }
        }
        if let Some(touched) = &mut state.touched {
            touched.extend(self.keys.drain(..));
        }
    }
}
