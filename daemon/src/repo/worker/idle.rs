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
    /// It has given most memory back.
    Resting,
    /// It has given all of it back.
    Asleep,
}

impl Idle {
    /// Time without work until the next step; none if there is no further one.
    pub(super) fn wait(self) -> Option<Duration> {
        match self {
            Self::Awake => Some(QUIET),
            Self::Resting => Some(LONG_QUIET),
            Self::Asleep => None,
        }
    }

    /// Bytes of indexes to keep once that time has passed.
    pub(super) fn kept_bytes(self) -> usize {
        match self {
            Self::Awake => KEPT_AT_REST,
            Self::Resting | Self::Asleep => 0,
        }
    }

    /// The next step after memory was given back, or the same step again if that was not all.
    pub(super) fn next(self, is_all: bool) -> Self {
        match self {
            _ if !is_all => self,
            Self::Awake => Self::Resting,
            Self::Resting | Self::Asleep => Self::Asleep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_a_reader_held_is_given_back_when_it_is_through() {
        let (mut idle, mut steps) = (Idle::Awake, Vec::new());
        let mut readers = [true, true, false, true, false].into_iter();
        while let Some(wait) = idle.wait() {
            let is_read = readers.next().unwrap();
            steps.push((wait, idle.kept_bytes()));
            idle = idle.next(!is_read);
        }
        let (first, second) = ((QUIET, KEPT_AT_REST), (LONG_QUIET, 0));
        assert_eq!(steps, [first, first, first, second, second]);
        assert_eq!(readers.next(), None);
    }
}
