//! A root without events: why, and when watching is tried again.

use std::time::{Duration, Instant};

/// The time before watching is tried again after its first failure; it doubles with each further failure.
const FIRST: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_mins(30);

/// Why a root is scanned.
#[derive(Clone, Debug)]
pub(crate) struct Scanned {
    reason: String,
    /// None if the reason lasts for as long as the root is registered.
    pub(crate) again: Option<Again>,
}

/// When watching is tried again: with the first comparison of the whole tree from then on. Nothing wakes up for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    pub(crate) at: Instant,
    after: Duration,
}

impl Scanned {
    /// A root that can't be watched and was in the state `before`; `now` if the reason may pass.
    pub(crate) fn after(before: Option<Self>, reason: String, now: Option<Instant>) -> Self {
        let after = match before.and_then(|before| before.again) {
            Some(before) => (before.after * 2).min(LONGEST),
            None => FIRST,
        };
        Self { reason, again: now.map(|now| Again { at: now + after, after }) }
    }

    /// For people.
    pub(crate) fn reason(&self, now: Instant) -> String {
        match self.again.map(|again| again.at.saturating_duration_since(now)) {
            None => self.reason.clone(),
            Some(Duration::ZERO) => format!("{}; watching is tried again with the next scan", self.reason),
            // Rounded up, because "in 0 s" would be odd.
            Some(left) => format!(
                "{}; watching is tried again with the first scan in {} s",
                self.reason,
                left.as_millis().div_ceil(1000)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_waits_longer_up_to_a_bound() {
        let now = Instant::now();
        let mut scanned = Scanned::after(None, "full".into(), Some(now));
        assert_eq!(scanned.reason(now), "full; watching is tried again with the first scan in 30 s");
        let mut waits = Vec::new();
        for _ in 0..9 {
            waits.push(scanned.again.unwrap().after.as_secs());
            scanned = Scanned::after(Some(scanned), "full".into(), Some(now));
        }
        assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1800, 1800, 1800]);
        assert!(scanned.reason(now + LONGEST).ends_with("with the next scan"));
        assert_eq!(Scanned::after(Some(scanned), "remote".into(), None).reason(now), "remote");
    }
}
