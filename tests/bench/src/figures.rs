//! Durations, gathered and printed.

use std::time::{Duration, Instant};

/// Durations of calls of one kind.
#[derive(Clone, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Runs `call` and keeps its duration if it succeeds.
    pub(crate) fn measure<T, E>(&mut self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let began = Instant::now();
        let value = call()?;
        self.push(began.elapsed());
        Ok(value)
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// All of them together.
    pub(crate) fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The last one, in milliseconds.
    pub(crate) fn last_milliseconds(&self) -> f64 {
        self.0.last().map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The milliseconds within which half of them were, and all but a twentieth.
    pub(crate) fn shares(&mut self) -> (f64, f64) {
        self.0.sort_unstable();
        (self.at_share(0.50), self.at_share(0.95))
    }

    /// The time of the nearest rank, in milliseconds. They are sorted.
    fn at_share(&self, share: f64) -> f64 {
        let rank = ((self.0.len() as f64 * share).ceil() as usize).saturating_sub(1);
        self.0.get(rank).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }

    /// `n=… p50 … p95 … p99 … max …`, in milliseconds.
    pub(crate) fn summary(&mut self) -> String {
        self.0.sort_unstable();
        let at = |share: f64| self.at_share(share);
        format!(
            "n={:<6} p50 {:>8.2}  p95 {:>8.2}  p99 {:>8.2}  max {:>8.2} ms",
            self.0.len(),
            at(0.50),
            at(0.95),
            at(0.99),
            at(1.0)
        )
    }
}

/// The middle one of some numbers.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A number of bytes for people.
pub(crate) fn format_megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let mut times = Times::default();
        for ms in 1..=100 {
            times.push(Duration::from_millis(ms));
        }
        let text = times.summary();
        assert!(
            text.contains("p50    50.00") && text.contains("p99    99.00") && text.contains("max   100.00"),
            "{text}"
        );
    }
}
