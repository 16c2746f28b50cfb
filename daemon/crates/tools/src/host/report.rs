//! Reports of a host about itself and its repositories.

use std::time::Duration;

use sdl_model::{GitHead, Version};

/// How a repository is doing. The totals of its version are in the ledger, not here.
#[derive(Clone, Debug, PartialEq)]
pub struct RepoStatus {
    /// The state of its worker.
    pub state: RepoState,
    /// Git's HEAD as last read.
    pub head: Option<GitHead>,
    /// Why git's data is not read although it exists.
    pub git_problem: Option<String>,
    /// The rules that exclude entries of the tree: the first few, each with an entry that it excludes.
    pub ignored_by: Vec<String>,
    /// How changes are noticed.
    pub watcher: WatcherStatus,
    /// Whether all is well.
    pub health: RepoHealth,
}

/// The state of a repository's worker.
#[derive(Clone, Debug, PartialEq)]
pub enum RepoState {
    /// The first index is under way: there is no version to answer from yet.
    Indexing {
        /// Files done.
        done: u64,
        /// Files in all, once the crawl has counted them.
        total: Option<u64>,
        /// The estimated time until the index is done, once its speed is known.
        left: Option<Duration>,
    },
    /// Changes are reported by the system as they happen.
    Live,
    /// Changes are found by scanning.
    Scanning,
    /// It can't go on; the reason says what to do.
    Failed {
        /// The cause and the remedy.
        reason: String,
    },
}

impl RepoState {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Indexing { .. } => "indexing",
            Self::Live => "live",
            Self::Scanning => "scanning",
            Self::Failed { .. } => "failed",
        }
    }
}

/// The means by which changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the platforms' interfaces say it")]
pub enum WatcherKind {
    Inotify,
    FsEvents,
    Windows,
    Kqueue,
    Scan,
    Fake,
}

impl WatcherKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inotify => "inotify",
            Self::FsEvents => "fsevents",
            Self::Windows => "windows",
            Self::Kqueue => "kqueue",
            Self::Scan => "scan",
            Self::Fake => "fake",
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatcherStatus {
    /// The means.
    pub kind: WatcherKind,
    /// How many folders are watched for this repository.
    pub watches: u64,
    /// When the last event came, in Unix milliseconds.
    pub last_event_ms: Option<u64>,
    /// Why it scans instead of watching, or watches less than it should.
    pub degraded_reason: Option<String>,
}

/// Whether all is well with a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepoHealth {
    /// Nothing to report.
    Ok,
    /// It answers, with limits.
    Degraded(String),
    /// There are no answers, or they can't be trusted.
    Failed(String),
}

/// The result of a refresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshOutcome {
    /// The head version afterwards.
    pub version: Version,
    /// Files that differ from the version before.
    pub changed_files: u64,
    /// Files whose facts were extracted now.
    pub parsed: u64,
    /// Files whose facts were known already.
    pub reused: u64,
    /// How long it took.
    pub duration_ms: u64,
    /// The id of the operation that continues in the background.
    pub operation_id: Option<String>,
}

/// About the daemon itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostInfo {
    /// The release, for example `0.1.0`.
    pub version: String,
    /// The build: commit, target and profile.
    pub build: String,
    /// The IPC protocol's version, `major.minor`.
    pub protocol: String,
    /// The storage schema's number.
    pub storage_schema: u32,
    /// The extractor's number.
    pub extractor_version: u32,
    /// How long the daemon has been running.
    pub uptime_ms: u64,
    /// Where it keeps its state.
    pub state_dir: String,
    /// Its log file, if it writes one.
    pub log_file: Option<String>,
    /// Memory.
    pub memory: MemoryInfo,
    /// Limits in force.
    pub limits: Limits,
    /// Warnings for the person who runs it.
    pub warnings: Vec<String>,
}

/// The daemon's memory, in bytes; 0 where the platform doesn't report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryInfo {
    /// All that is resident, mapped ledgers included.
    pub resident: u64,
    /// The process's own part.
    pub private: u64,
}

/// Limits in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The largest frame of the IPC, in bytes.
    pub max_frame_bytes: u64,
    /// Requests in flight on one connection.
    pub max_in_flight: u32,
    /// Files above this are skipped unless the repository says otherwise.
    pub max_file_bytes: u64,
}
