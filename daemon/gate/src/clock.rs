//! The time by which the gate waits. Tests bring a clock that they turn by hand.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::time::Instant;

/// The time of the day, for people: Unix milliseconds. Nothing waits by it.
pub(crate) fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as u64)
}

/// A clock. All waits and all deadlines of the gate are by one of these.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    Real(Instant),
    Manual(watch::Receiver<Duration>),
}

/// Turns a manual clock.
#[derive(Debug)]
pub struct Hands(watch::Sender<Duration>);

impl Clock {
    /// The clock of the machine, from now on.
    pub fn real() -> Self {
        Self(Source::Real(Instant::now()))
    }

    /// A clock that changes only when it is turned.
    pub fn manual() -> (Self, Hands) {
        let (sender, receiver) = watch::channel(Duration::ZERO);
        (Self(Source::Manual(receiver)), Hands(sender))
    }

    /// The time since the clock began.
    pub fn now(&self) -> Duration {
        match &self.0 {
            Source::Real(began) => began.elapsed(),
            Source::Manual(now) => *now.borrow(),
        }
    }

    /// Waits until the clock shows `time`; for ever if that is `None`.
    pub async fn until(&self, time: Option<Duration>) {
        let Some(time) = time else { return std::future::pending().await };
        match &self.0 {
            Source::Real(began) => tokio::time::sleep_until(*began + time).await,
            Source::Manual(now) => {
                let mut now = now.clone();
                if now.wait_for(|now| *now >= time).await.is_err() {
                    std::future::pending().await
                }
            }
        }
    }

    /// Waits for `length`.
    pub async fn sleep(&self, length: Duration) {
        self.until(Some(self.now() + length)).await;
    }
}

impl Hands {
    /// Lets `length` pass.
    pub fn advance(&self, length: Duration) {
        self.0.send_modify(|now| *now += length);
    }
}
