//! Telling a flood of messages from a lively upstream.

use std::time::Duration;

/// More messages than this in each of [`SECONDS`] seconds in a row are a flood.
const MAX_PER_SECOND: u32 = 1_000;
const SECONDS: u32 = 5;

/// Counts messages by the second.
#[derive(Debug, Default)]
pub(crate) struct Flood {
    second: u64,
    count: u32,
    full_seconds: u32,
}

impl Flood {
    /// Counts one message at `now`. True if there are too many.
    pub(crate) fn count_one(&mut self, now: Duration) -> bool {
        let second = now.as_secs();
        if second != self.second {
            let follows = second == self.second + 1 && self.count > MAX_PER_SECOND;
            self.full_seconds = if follows { self.full_seconds + 1 } else { 0 };
            self.second = second;
            self.count = 0;
        }
        self.count = self.count.saturating_add(1);
        self.full_seconds >= SECONDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_full_seconds_in_a_row_are_a_flood_and_a_burst_is_none() {
        let mut flood = Flood::default();
        let second = |flood: &mut Flood, second: u64, count: u32| {
            (0..count).any(|_| flood.count_one(Duration::from_secs(second)))
        };
        assert!(!second(&mut flood, 1, 100_000));
        assert!(!second(&mut flood, 3, 1));
        for at in 10..15 {
            assert!(!second(&mut flood, at, 1_001), "{at}");
        }
        assert!(second(&mut flood, 15, 1));
        let mut lively = Flood::default();
        assert!((0..100).all(|at| !second(&mut lively, at, 1_000)));
    }
}
