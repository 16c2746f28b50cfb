//! Notes that are described later, by a thread of its own, because reading a ledger must not delay a worker. The thread runs only
//! while somebody follows.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::queue::{Entry, Queue};

/// A lane, and the state of its thread.
#[derive(Debug)]
pub(super) struct Lane<T> {
    state: Mutex<State<T>>,
    wake: Condvar,
}

#[derive(Debug)]
struct State<T> {
    noted: Queue<T>,
    /// A thread takes from it.
    running: bool,
}

impl<T> Lane<T> {
    /// A lane for at most `most` notes.
    pub(super) fn new(most: usize) -> Self {
        let noted = Queue::new(most, usize::MAX);
        Self { state: Mutex::new(State { noted, running: false }), wake: Condvar::new() }
    }

    /// Adds a note. Never waits for anything but a short lock.
    pub(super) fn note(&self, one: T) {
        self.lock().noted.push(one, 0);
        self.wake.notify_one();
    }

    /// Takes the oldest note, if there is one.
    pub(super) fn take(&self) -> Option<Entry<T>> {
        self.lock().noted.pop()
    }

    /// Waits for the next note. `None` once it is not `wanted` any more: the thread ends then, and the notes go.
    pub(super) fn next(&self, wanted: impl Fn() -> bool) -> Option<Entry<T>> {
        let mut state = self.lock();
        loop {
            if !wanted() {
                state.noted.clear();
                state.running = false;
                return None;
            }
            if let Some(entry) = state.noted.pop() {
                return Some(entry);
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has the thread look whether it is still wanted.
    pub(super) fn wake(&self) {
        // Under the lock, because the thread could otherwise be between its look and its wait.
        let _state = self.lock();
        self.wake.notify_all();
    }

    /// Runs `start`, which starts the thread, unless it runs already.
    pub(super) fn ensure<E>(&self, start: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut state = self.lock();
        if !state.running {
            start()?;
            state.running = true;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing below panics between two related writes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
