//! When the next attempt to start an upstream may be made.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// This number of deaths within [`WINDOW`] means that an upstream can't be used.
const MANY_DEATHS: usize = 5;
const WINDOW: Duration = Duration::from_secs(120);

/// Failures in a row, and deaths of late.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    deaths: VecDeque<Duration>,
}

impl Backoff {
    /// Something worked.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// An attempt at `now` failed. Returns when the next may be made.
    pub(crate) fn fail(&mut self, now: Duration) -> Duration {
        self.fail_with(now, random_unit())
    }

    /// A connection that worked ended at `now` by itself. Returns when the next attempt may be made, and whether there were
    /// too many such ends of late.
    pub(crate) fn die(&mut self, now: Duration) -> (Duration, bool) {
        self.deaths.push_back(now);
        while self.deaths.front().is_some_and(|death| now.saturating_sub(*death) > WINDOW) {
            self.deaths.pop_front();
        }
        if self.deaths.len() > MANY_DEATHS {
            self.deaths.pop_front();
        }
        let is_failing = self.deaths.len() >= MANY_DEATHS;
        if is_failing {
            self.failures = self.failures.max(MANY_DEATHS as u32 - 1);
        }
        (self.fail(now), is_failing)
    }

    /// `unit` is between 0 and 1.
    fn fail_with(&mut self, now: Duration, unit: f64) -> Duration {
        let doubled = FIRST.saturating_mul(1_u32.checked_shl(self.failures.min(16)).unwrap_or(u32::MAX));
        self.failures = self.failures.saturating_add(1);
        // A fifth less to a fifth more, so that upstreams that fail together are not tried together.
        now + doubled.min(LONGEST).mul_f64(0.8 + 0.4 * unit)
    }
}

fn random_unit() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_minutes_and_a_success_resets_them() {
        let mut backoff = Backoff::default();
        let now = Duration::from_secs(1_000);
        let waits: Vec<u64> =
            (0..11).map(|_| backoff.fail_with(now, 0.5).saturating_sub(now).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        backoff.reset();
        assert_eq!(backoff.fail_with(now, 0.0), now + Duration::from_millis(800));
        backoff.reset();
        assert_eq!(backoff.fail_with(now, 1.0), now + Duration::from_millis(1_200));
    }

    #[test]
    fn the_fifth_death_in_two_minutes_is_told_apart() {
        let mut backoff = Backoff::default();
        let mut die = |at: u64| {
            let now = Duration::from_secs(at);
            backoff.reset();
            let (until, is_failing) = backoff.die(now);
            (until.saturating_sub(now).as_millis(), is_failing)
        };
        for at in [0, 100, 110, 120, 130] {
            let (wait, is_failing) = die(at);
            assert!((800..=1_200).contains(&wait) && !is_failing, "{at}: {wait}");
        }
        let (wait, is_failing) = die(140);
        assert!(is_failing);
        assert!((12_800..=19_200).contains(&wait), "{wait}");
    }
}
