//! When a first index will be done, estimated from how fast it went so far.
//!
//! Reading the files goes at a rate of files a second. What follows (loading tables, resolving, loading edges and postings)
//! takes a share of the time that the reading took, measured on large trees.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the rest takes for each second of reading: on Linux's source a third of the whole.
const REST: f64 = 0.5;
/// Before this the rate says little.
const WARM_UP: Duration = Duration::from_millis(300);
/// The shortest estimate before the index is done.
const LEAST: Duration = Duration::from_millis(500);

/// How fast a first index goes. Between two indexes nothing is known.
#[derive(Debug, Default)]
pub struct Pace(Mutex<Option<Run>>);

/// One index under way.
#[derive(Clone, Copy, Debug)]
struct Run {
    since: Instant,
    done: u64,
    total: u64,
    /// How long the reading took, once it is done.
    read_for: Option<Duration>,
}

impl Pace {
    /// Begins at `now` to read `total` files.
    pub fn begin(&self, now: Instant, total: u64) {
        *self.lock() = Some(Run { since: now, done: 0, total, read_for: None });
    }

    /// `done` files are read.
    pub fn read(&self, done: u64) {
        if let Some(run) = self.lock().as_mut() {
            run.done = done;
        }
    }

    /// All files are read.
    pub fn all_read(&self, now: Instant) {
        if let Some(run) = self.lock().as_mut() {
            run.done = run.total;
            run.read_for = Some(now.saturating_duration_since(run.since));
        }
    }

    /// The index has ended, well or not.
    pub fn end(&self) {
        *self.lock() = None;
    }

    /// The time from `now` until the index is done. None while that can't be said, and between two indexes.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let run = (*self.lock())?;
        let passed = now.saturating_duration_since(run.since);
        let whole = match run.read_for {
            Some(read_for) => read_for.mul_f64(1.0 + REST),
            None if run.done == 0 || passed < WARM_UP => return None,
            None => passed.mul_f64(run.total as f64 / run.done as f64 * (1.0 + REST)),
        };
        // What takes longer than estimated may take longer still.
        Some(whole.saturating_sub(passed).max(passed / 20).max(LEAST))
    }

    /// A poisoned lock is used all the same: a run is valid between any two steps.
    fn lock(&self) -> MutexGuard<'_, Option<Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_estimated_from_the_rate_so_far() {
        let begun = Instant::now();
        let at = |ms: u64| begun + Duration::from_millis(ms);
        let pace = Pace::default();
        assert_eq!(pace.left(at(0)), None, "no index is under way");
        pace.begin(begun, 60_000);
        pace.read(100);
        assert_eq!(pace.left(at(100)), None, "the rate of the first moments says little");
        // 20,000 of 60,000 files in 20 seconds: 40 seconds of reading are left, and half of 60 for what follows.
        pace.read(20_000);
        assert_eq!(pace.left(at(20_000)), Some(Duration::from_secs(70)));
        // A slower stretch makes it longer.
        assert_eq!(pace.left(at(30_000)), Some(Duration::from_secs(105)));
        pace.read(40_000);
        assert_eq!(pace.left(at(40_000)), Some(Duration::from_secs(50)));
        pace.all_read(at(60_000));
        assert_eq!(pace.left(at(60_000)), Some(Duration::from_secs(30)));
        assert_eq!(pace.left(at(80_000)), Some(Duration::from_secs(10)));
        assert_eq!(
            pace.left(at(200_000)),
            Some(Duration::from_secs(10)),
            "it is late, and never done at once"
        );
        pace.end();
        assert_eq!(pace.left(at(200_000)), None);
    }
}
