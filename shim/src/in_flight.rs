//! The requests that have no answer yet: no two with one id, and no more than there is room for. The shim stops reading
//! from a client that asks without reading its answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests at once.
const MOST: usize = 1024;

/// The room that they may take together, in units. A request that is larger than all the room gets all of it.
const MOST_UNITS: usize = 64 << 10;
const UNIT: usize = 1024;

/// Knows the requests in flight. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct InFlight(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    requests: Arc<Semaphore>,
    units: Arc<Semaphore>,
    most_units: usize,
    rooms: Mutex<HashMap<RequestId, Room>>,
}

/// The room that one request takes; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    _request: OwnedSemaphorePermit,
    _units: OwnedSemaphorePermit,
}

impl Default for InFlight {
    fn default() -> Self {
        Self::new(MOST, MOST_UNITS)
    }
}

impl InFlight {
    pub(crate) fn new(most: usize, most_units: usize) -> Self {
        Self(Arc::new(Shared {
            requests: Arc::new(Semaphore::new(most)),
            units: Arc::new(Semaphore::new(most_units)),
            most_units,
            rooms: Mutex::default(),
        }))
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<RequestId, Room>> {
        self.0.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request of that id has no answer yet.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.rooms().contains_key(id)
    }

    /// Waits until there is room for a request of `size` bytes. Safe to be dropped.
    pub(crate) async fn room(&self, size: usize) -> Option<Room> {
        let units = size.div_ceil(UNIT).clamp(1, self.0.most_units);
        let request = Arc::clone(&self.0.requests).acquire_owned().await.ok()?;
        let units = Arc::clone(&self.0.units).acquire_many_owned(u32::try_from(units).ok()?).await.ok()?;
        Some(Room { _request: request, _units: units })
    }

    /// Records that the request was passed on.
    pub(crate) fn begin(&self, id: RequestId, room: Room) {
        self.rooms().insert(id, room);
    }

    /// The request is answered, or will not be. Its room is free when the returned value is dropped.
    pub(crate) fn end(&self, id: &RequestId) -> Option<Room> {
        self.rooms().remove(id)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.rooms().len()
    }
}
