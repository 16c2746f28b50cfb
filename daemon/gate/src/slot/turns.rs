//! Who may call now: limits of calls at once, in line and in a minute.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls that wait in line while others run.
const MAX_WAITING: u32 = 64;

const MINUTE: Duration = Duration::from_secs(60);

/// The turns of one connection.
#[derive(Debug)]
pub(crate) struct Turns {
    places: Arc<Semaphore>,
    max_in_flight: AtomicU32,
    admitted: AtomicU32,
    running: AtomicU32,
    /// When the calls of the last minute were taken.
    recent: Mutex<VecDeque<Duration>>,
}

/// A place in line.
#[derive(Debug)]
pub(crate) struct Ticket(Arc<Turns>);

/// A turn. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Turns {
    pub(crate) fn new(max_in_flight: u32) -> Arc<Self> {
        Arc::new(Self {
            places: Arc::new(Semaphore::new(max_in_flight as usize)),
            max_in_flight: AtomicU32::new(max_in_flight),
            admitted: AtomicU32::new(0),
            running: AtomicU32::new(0),
            recent: Mutex::default(),
        })
    }

    /// Changes how many may run at once. Those that run go on.
    pub(crate) fn set_limit(&self, max_in_flight: u32) {
        let before = self.max_in_flight.swap(max_in_flight, Ordering::SeqCst);
        if max_in_flight > before {
            self.places.add_permits((max_in_flight - before) as usize);
        } else {
            self.places.forget_permits((before - max_in_flight) as usize);
        }
    }

    /// A place in line. None if the line is full.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<Ticket> {
        let most = self.max_in_flight.load(Ordering::SeqCst).saturating_add(MAX_WAITING);
        let one_more = |admitted: u32| (admitted < most).then_some(admitted + 1);
        self.admitted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more).ok()?;
        Some(Ticket(Arc::clone(self)))
    }

    /// Takes one of the calls of a minute. An error tells after how long there is one again.
    pub(crate) fn take_of_minute(&self, now: Duration, most: u32) -> Result<(), Duration> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        while recent.front().is_some_and(|taken| now.saturating_sub(*taken) >= MINUTE) {
            recent.pop_front();
        }
        if recent.len() >= most as usize {
            let oldest = recent.front().copied().unwrap_or(now);
            return Err((oldest + MINUTE).saturating_sub(now));
        }
        recent.push_back(now);
        Ok(())
    }

    /// How many run, and how many wait.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let running = self.running.load(Ordering::SeqCst);
        (running, self.admitted.load(Ordering::SeqCst).saturating_sub(running))
    }
}

impl Ticket {
    /// Waits for the turn, in order of arrival.
    pub(crate) async fn turn(&self) -> Turn {
        let place = Arc::clone(&self.0.places).acquire_owned().await.ok();
        self.0.running.fetch_add(1, Ordering::SeqCst);
        Turn { turns: Arc::clone(&self.0), _place: place }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.admitted.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_few_run_sixty_four_wait_and_the_next_is_refused() {
        let turns = Turns::new(2);
        let mut tickets: Vec<_> = (0..66).map(|_| turns.admit().unwrap()).collect();
        assert!(turns.admit().is_none());
        let first = tickets.remove(0);
        let turn = first.turn().await;
        assert_eq!(turns.counts(), (1, 65));
        drop((turn, first));
        assert_eq!(turns.counts(), (0, 65));
        assert!(turns.admit().is_some());
        turns.set_limit(3);
        let more = (turns.admit().unwrap(), turns.admit().unwrap());
        assert!(turns.admit().is_none());
        drop(more);
    }

    #[test]
    fn the_calls_of_a_minute_come_back_one_by_one() {
        let turns = Turns::new(1);
        let at = Duration::from_secs;
        assert_eq!(turns.take_of_minute(at(0), 2), Ok(()));
        assert_eq!(turns.take_of_minute(at(10), 2), Ok(()));
        assert_eq!(turns.take_of_minute(at(20), 2), Err(at(40)));
        assert_eq!(turns.take_of_minute(at(60), 2), Ok(()));
        assert_eq!(turns.take_of_minute(at(61), 2), Err(at(9)));
    }
}
