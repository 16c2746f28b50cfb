//! When a worker without work gives memory back.

use std::time::Duration;

/// After this time, memory that helps the next edit is given back, except for what an agent needs that thinks for a while between
/// two edits.
const QUIET: Duration = Duration::from_secs(5);
/// After this time, that goes too.
const LONG_QUIET: Duration = Duration::from_secs(600);
/// Bytes of indexes that are kept from [`QUIET`] to [`LONG_QUIET`]: for the few files that an agent edits in turn.
const KEPT_AT_REST: usize = 16 << 20;

/// How long a worker has had no work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idle {
    /// It has just done a batch.
    Awake,
    /// It has let go of most that it kept. If somebody was reading then, the ledger's pages are still `held`.
    Resting { held: bool },
    /// It has let go of all that it kept.
    Asleep { held: bool },
}

impl Idle {
    /// Time without work until the next step; none if there is no further one.
    pub(super) fn wait(self) -> Option<Duration> {
        match self {
            Self::Awake | Self::Resting { held: true } | Self::Asleep { held: true } => Some(QUIET),
            Self::Resting { held: false } => Some(LONG_QUIET),
            Self::Asleep { held: false } => None,
        }
    }

    /// Bytes of indexes to keep once that time has passed. None if all else was let go of before; requests may need
    /// everything that they have decoded since then.
    pub(super) fn kept_bytes(self) -> Option<usize> {
        match self {
            Self::Awake => Some(KEPT_AT_REST),
            Self::Resting { held: false } => Some(0),
            Self::Resting { held: true } | Self::Asleep { .. } => None,
        }
    }

    /// The next step after pages were given back, all of them or not.
    pub(super) fn next(self, is_all: bool) -> Self {
        let held = !is_all;
        match self {
            Self::Awake | Self::Resting { held: true } => Self::Resting { held },
            Self::Resting { held: false } | Self::Asleep { .. } => Self::Asleep { held },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_a_reader_held_are_given_back_when_it_is_through_and_all_else_once() {
        let (mut idle, mut steps) = (Idle::Awake, Vec::new());
        let mut readers = [true, true, false, true, false].into_iter();
        while let Some(wait) = idle.wait() {
            let is_read = readers.next().unwrap();
            steps.push((wait, idle.kept_bytes()));
            idle = idle.next(!is_read);
        }
        let again = (QUIET, None);
        assert_eq!(
            steps,
            [(QUIET, Some(KEPT_AT_REST)), again, again, (LONG_QUIET, Some(0)), again],
            "the reader is there at the first two steps, and again at the fourth"
        );
        assert_eq!(readers.next(), None);
    }
}
