//! The limited number of connections. Idle connections must not use it up: when all places are taken, the connection
//! that was idle longest is closed. Its client connects again with its next call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

/// The places of a server.
pub(super) struct Places {
    /// For all clients.
    room: usize,
    /// Spare places for people: a connection shows only in its hello whether it is `sdlctl`.
    spare: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: HashMap<u64, Arc<Shared>>,
    last: u64,
}

struct Shared {
    use_: Mutex<Use>,
    evicted: watch::Sender<bool>,
}

struct Use {
    /// When a message last came, or the connection itself.
    since: Instant,
    /// Requests that have no answer yet.
    running: usize,
}

/// A connection's place; free again when it is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    shared: Arc<Shared>,
    /// One of the spare places, which are for people.
    pub(super) is_spare: bool,
}

/// A request that keeps its connection from being idle.
pub(super) struct Running(Arc<Shared>);

impl Places {
    pub(super) fn new(room: usize, spare: usize) -> Arc<Self> {
        Arc::new(Self { room, spare, state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection. If all are taken, the connection that was idle longest is asked to go. While that
    /// takes, and when none is idle, the spare places serve. None if they are taken as well.
    pub(super) fn take(self: &Arc<Self>) -> Option<Place> {
        let mut state = self.lock();
        // A connection that was asked to close, but has not closed yet, does not count.
        let staying = state.taken.values().filter(|shared| !shared.is_evicted()).count();
        let leaving = state.taken.len() - staying;
        let mut is_spare = staying >= self.room;
        // At most an eighth is asked to close at once, because closing takes time, above all for a client that does
        // not read its answers.
        if is_spare && leaving < self.room.div_ceil(8) {
            let idle = state.taken.values().filter_map(|shared| shared.idle());
            if let Some((_, longest)) = idle.min_by_key(|(since, _)| *since) {
                longest.evicted.send_replace(true);
                is_spare = false;
            }
        }
        if is_spare && staying >= self.room + self.spare {
            return None;
        }
        state.last += 1;
        let number = state.last;
        let use_ = Mutex::new(Use { since: Instant::now(), running: 0 });
        let shared = Arc::new(Shared { use_, evicted: watch::Sender::new(false) });
        state.taken.insert(number, Arc::clone(&shared));
        Some(Place { places: Arc::clone(self), number, shared, is_spare })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Use> {
        self.use_.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_evicted(&self) -> bool {
        *self.evicted.borrow()
    }

    /// Since when it has been idle, if it is.
    fn idle(self: &Arc<Self>) -> Option<(Instant, Arc<Self>)> {
        let use_ = self.lock();
        (use_.running == 0 && !self.is_evicted()).then(|| (use_.since, Arc::clone(self)))
    }
}

impl Place {
    /// A message came.
    pub(super) fn touch(&self) {
        self.shared.lock().since = Instant::now();
    }

    /// A request begins.
    pub(super) fn begin(&self) -> Running {
        self.shared.lock().running += 1;
        Running(Arc::clone(&self.shared))
    }

    /// Whether it is to make room.
    pub(super) fn is_evicted(&self) -> bool {
        self.shared.is_evicted()
    }

    /// Waits until it is to make room.
    pub(super) async fn evicted(&self) {
        let mut evicted = self.shared.evicted.subscribe();
        let _ = evicted.wait_for(|evicted| *evicted).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().taken.remove(&self.number);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut use_ = self.0.lock();
        use_.running -= 1;
        use_.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_makes_room_and_the_busy_stay() {
        let places = Places::new(3, 1);
        let [old, busy, new] = [(); 3].map(|()| places.take().unwrap());
        old.touch();
        let work = busy.begin();
        // Now `new` has been idle longest.
        let next = places.take().unwrap();
        assert!(!next.is_spare);
        assert_eq!([&old, &busy, &new, &next].map(Place::is_evicted), [false, false, true, false]);
        drop(new);
        let works: Vec<Running> = [&old, &next].map(Place::begin).into();
        let spare = places.take().unwrap();
        assert!(spare.is_spare, "the others are all at work");
        let spare_works = spare.begin();
        assert!(places.take().is_none());
        drop((work, works, spare_works));
        assert!(!places.take().unwrap().is_spare);
        assert!(busy.is_evicted(), "its work ended first");
    }

    #[test]
    fn a_place_is_free_again_when_its_connection_ends() {
        let places = Places::new(1, 0);
        let first = places.take().unwrap();
        let _work = first.begin();
        assert!(places.take().is_none());
        drop(first);
        assert!(places.take().is_some());
    }
}
