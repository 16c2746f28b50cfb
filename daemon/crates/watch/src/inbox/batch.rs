//! The hints that go into an inbox and the batches that come out of it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The number of a barrier. A barrier that is released releases all with smaller numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Serial(pub u64);

impl fmt::Display for Serial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// How long changes are gathered before the worker gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settle {
    /// A batch is ready when nothing has changed for this long.
    pub quiet: Duration,
    /// It is ready this long after its first change, quiet or not.
    pub most: Duration,
    /// While git holds the lock of its index and nobody waits, a batch is put off until this long after its first
    /// change. A lock older than this is taken for one that a crash left.
    pub git: Duration,
}

impl Default for Settle {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(30),
            most: Duration::from_millis(500),
            git: Duration::from_secs(10),
        }
    }
}

/// The limits beyond which an inbox gives up on single paths and asks for a rescan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of paths.
    pub paths: usize,
    /// Their length together, in bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { paths: 50_000, bytes: 4 << 20 }
    }
}

/// The reasons to compare the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rescan {
    /// Nothing has been compared yet.
    Start,
    /// The system's queue of events overflowed.
    Overflow,
    /// The watcher reported an error, so that events may be missing.
    WatcherError,
    /// More paths changed than an inbox holds.
    TooManyChanges,
    /// The root itself was moved, removed or replaced.
    Root,
    /// Rules that apply to the whole tree changed, such as the global excludes.
    Rules,
    /// The repository has no usable events: a barrier is served by comparing.
    Scanning,
    /// Somebody asked for it.
    Requested,
    /// The worker could not finish the batch before.
    Failed,
}

impl Rescan {
    /// A short text for logs and status.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Overflow => "overflow",
            Self::WatcherError => "watcherError",
            Self::TooManyChanges => "tooManyChanges",
            Self::Root => "root",
            Self::Rules => "rules",
            Self::Scanning => "scanning",
            Self::Requested => "requested",
            Self::Failed => "failed",
        }
    }
}

/// The hints that the worker takes at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Paths relative to the root that may have changed, files and folders (with all below), sorted. Empty when
    /// `rescan` is set.
    pub dirty: Vec<PathBuf>,
    /// The whole tree is to be compared.
    pub rescan: Option<Rescan>,
    /// Git's HEAD or the branch that it names may have moved.
    pub head_changed: bool,
    /// Git's index may have changed, and with it which files it tracks.
    pub index_changed: bool,
    /// Release this when all of the above is committed, even if nothing changed.
    pub serial: Serial,
    /// How long the first of these hints waited for the batch.
    pub waited: Duration,
}

/// The result of [`super::Inbox::step`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is work.
    Ready(Batch),
    /// There is none, or it has not settled: look again after this time, or when woken.
    Wait(Option<Duration>),
    /// The root was removed.
    Closed,
}

/// Why the worker's wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// There is work.
    Work(Batch),
    /// There was none for a while.
    Quiet,
    /// The root was removed.
    Closed,
}

/// How waiting for a barrier ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// Everything that came before the barrier is committed.
    Released,
    /// Events were lost, the barrier's own perhaps: ask for a new one.
    Aborted,
    /// The time is up.
    TimedOut,
    /// The attempt that was asked for could not be committed.
    Failed,
    /// The root was removed.
    Closed,
}
