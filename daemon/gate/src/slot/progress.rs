//! The progress of one call, on its way to the daemon.

use std::sync::Arc;
use std::time::Duration;

use sdl_proto::Payload;
use sdl_proto::gate::FromGate;
use serde::Deserialize;

use crate::slot::Slot;

/// The least time between two messages of a call: 20 a second.
const PROGRESS_PAUSE: Duration = Duration::from_millis(50);

/// Forwards the progress of one call: only forward, and not too often. What comes too early is dropped, because the next one
/// states more.
pub(crate) struct Progress<'s> {
    slot: &'s Slot,
    id: u64,
    is_wanted: bool,
    highest: Option<f64>,
    next_at: Duration,
}

#[derive(Deserialize)]
struct Amount {
    progress: serde_json::Number,
}

impl<'s> Progress<'s> {
    pub(crate) fn new(slot: &'s Slot, id: u64, is_wanted: bool) -> Self {
        Self { slot, id, is_wanted, highest: None, next_at: Duration::ZERO }
    }

    pub(crate) async fn forward(&mut self, params: Arc<str>) {
        let amount = serde_json::from_str::<Amount>(&params).ok().and_then(|amount| amount.progress.as_f64());
        let Some(amount) = amount.filter(|amount| self.highest.is_none_or(|highest| *amount > highest))
        else {
            self.slot.count("progressBack");
            return;
        };
        self.highest = Some(amount);
        let clock = &self.slot.world.clock;
        if !self.is_wanted || clock.now() < self.next_at {
            return;
        }
        self.next_at = clock.now() + PROGRESS_PAUSE;
        let bytes = Payload(self.slot.world.masks.mask(&params).into_owned().into_bytes());
        self.slot.world.outbox.send(FromGate::Progress { id: self.id, bytes }).await;
    }
}
