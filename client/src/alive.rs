//! Notices that the daemon at the other end no longer answers, because its process is stopped or hangs.
//!
//! A call may take long, and a busy daemon is not a dead one. So silence alone proves nothing, but a running daemon
//! answers a ping at once, whatever else it does. While no call waits there are no pings, because an idle client must
//! not wake up.

use std::sync::PoisonError;
use std::time::Duration;

use sdl_proto::ClientMessage;
use tokio::time::{Instant, sleep, sleep_until};

use crate::client::Shared;

/// How long the daemon may be silent while a call waits, before it gets a ping.
pub(crate) const QUIET: Duration = Duration::from_secs(5);

/// How long it may take to answer the ping.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// How many times it is asked.
pub(crate) const PINGS: u64 = 2;

/// Returns when the daemon has not answered a ping although calls wait for it.
pub(crate) async fn lost_touch(shared: &Shared) {
    let mut nonce = 0;
    loop {
        while !shared.is_waited_for() {
            shared.begun.notified().await;
        }
        let begun = Instant::now();
        while shared.is_waited_for() {
            let heard = shared.last_heard().max(begun);
            sleep_until(heard + QUIET).await;
            let silent = || shared.is_waited_for() && shared.last_heard() <= heard;
            let mut asked = 0;
            while silent() && asked < PINGS {
                asked += 1;
                nonce += 1;
                shared.control(ClientMessage::Ping { nonce });
                sleep(PATIENCE).await;
            }
            if silent() {
                return;
            }
        }
    }
}

impl Shared {
    fn is_waited_for(&self) -> bool {
        !self.calls.lock().unwrap_or_else(PoisonError::into_inner).waiting.is_empty()
    }

    fn last_heard(&self) -> Instant {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something came from the daemon.
    pub(crate) fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}
