//! What the tools need from whoever runs them. The daemon implements these traits over its workers; the tests implement
//! them over a ledger in a temporary folder.

pub(crate) mod mask;
pub(crate) mod policies;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sdl_contract::{Cancel, Progress};
use sdl_ledger::{AgentStore, FactsStore, Ledger, Snapshot};
use sdl_model::{Lang, RelPath};
use sdl_retrieve::card::{Enrichment, Plain};
use sdl_retrieve::layer::Layer;
use sdl_retrieve::meaning::Meaning;
use sdl_retrieve::past::{NoPast, Past};

pub use report::{
    HostInfo, Limits, MemoryInfo, RefreshOutcome, RepoHealth, RepoState, RepoStatus, WatcherKind,
    WatcherStatus,
};

use crate::guard::audit::Audit;
use crate::guard::policy::Ceilings;
use crate::{Code, Damage, ToolError};

/// The daemon, as the tools see it.
pub trait Host: Send + Sync {
    /// Every registered repository, in order of id.
    fn repos(&self) -> Vec<Arc<dyn Repo>>;

    /// The repository of that id.
    fn repo(&self, id: &str) -> Option<Arc<dyn Repo>>;

    /// Registers a tree, or returns what is registered when the same tree is registered already. Refuses home folders,
    /// filesystem roots and trees that lie inside or around a registered one. Does not wait for the first index.
    fn register(&self, spec: RegisterSpec) -> Result<Registered, ToolError>;

    /// Why a tree would not be registered; none if it would.
    fn refuses(&self, root: &Path) -> Option<String> {
        let _ = root;
        None
    }

    /// Forgets a repository. Whether its ledger is deleted is the host's business.
    fn unregister(&self, id: &str) -> Result<(), ToolError>;

    /// The registered repositories that can't be asked at the moment.
    fn unserved(&self) -> Vec<Unserved> {
        Vec::new()
    }

    /// What agents own: it outlives every reindex and every rebuild of a ledger. Opened with [`crate::AGENT_TABLES`].
    fn agent(&self) -> &AgentStore;

    /// The log of decisions, over the store of what agents own.
    fn audit(&self) -> &Audit;

    /// What a person lets policies allow.
    fn ceilings(&self) -> &Ceilings;

    /// The model for search by meaning, if someone brought one.
    fn meaning(&self) -> Option<&Meaning> {
        None
    }

    /// About the daemon itself.
    fn info(&self) -> HostInfo;
}

/// What keeps a repository from being served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Its ledger is being opened, and it is served in a moment.
    Opening,
    /// It could not be opened, and is tried again at the daemon's next start.
    Failed,
    /// The daemon died at its start, again and again. Only a person has it started again.
    SetAside,
}

/// A registered repository that can't be asked at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unserved {
    /// Its id.
    pub id: String,
    /// Its root.
    pub root: PathBuf,
    /// Why, and what is done about it.
    pub why: String,
    /// In what way.
    pub absence: Absence,
}

impl Unserved {
    /// What a request for it is told.
    pub fn told(&self) -> String {
        let Self { id, why, .. } = self;
        match self.absence {
            Absence::Opening => format!("repository {id:?} is out of service for a moment: {why}; ask again"),
            Absence::Failed => format!("repository {id:?} is not served: {why}"),
            Absence::SetAside => format!(
                "repository {id:?} is set aside: {why}; a person can have it started again with: sdlctl index {}",
                self.root.display()
            ),
        }
    }
}

/// One registered repository.
pub trait Repo: Send + Sync {
    /// Its id on the wire.
    fn id(&self) -> &str;

    /// Its root: absolute, canonical.
    fn root(&self) -> &Path;

    /// Its ledger.
    fn ledger(&self) -> &Ledger;

    /// The facts that its files have; shared by every repository.
    fn facts(&self) -> &FactsStore;

    /// Blocks until every write to the tree that had finished before this call is committed, or `timeout` is over, or
    /// `cancel` fires. Never an error: what could not be confirmed comes back as `synced: false` with the reason.
    fn barrier(&self, timeout: Duration, cancel: &Cancel) -> Barrier;

    /// The bytes of a file of the tree as they are now, if there are at most `most`. Follows no link, not even on the way,
    /// and opens nothing but regular files. For the source text module alone: what is read here has to be compared with
    /// what the version says before it is served.
    fn read_file(&self, path: &RelPath, most: u64) -> Result<Vec<u8>, Unread>;

    /// What cards tell beside the graph: churn, clusters, processes. Must be a pure function of the snapshot's version.
    fn enrichment<'a>(&'a self, snapshot: &'a Snapshot<'a>) -> Box<dyn Enrichment + 'a> {
        let _ = snapshot;
        Box::new(Plain)
    }

    /// The commits behind the snapshot's version. May say that they are still being read; else a pure function of the commit
    /// that the version records.
    fn past(&self, snapshot: &Snapshot<'_>) -> Result<Arc<Past>, NoPast> {
        let _ = snapshot;
        Err(NoPast::None)
    }

    /// A git revision as a state over the snapshot's version. Checks nothing out and writes nothing but facts.
    fn revision(
        &self,
        revision: &str,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<Revision, ToolError> {
        let _ = (revision, snapshot, cancel);
        Err(ToolError::new(Code::Unavailable, "git revisions are not available here; give versions (v…)"))
    }

    /// An answer met damage in one of its stores. Does not wait for what is done about it.
    fn damaged(&self, damage: &Damage) {
        let _ = damage;
    }

    /// By which rules its files are read.
    fn rules(&self) -> sdl_lang::Rules {
        sdl_lang::Rules::default()
    }

    /// How it is doing. Cheap: asks no disk.
    fn status(&self) -> RepoStatus;

    /// Compares the tree with the ledger and commits what differs. Blocks unless `spec.background` is set.
    fn refresh(
        &self,
        spec: RefreshSpec,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<RefreshOutcome, ToolError>;
}

/// A git revision, found.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The commit it names, in hexadecimal digits.
    pub commit: String,
    /// What it has otherwise than the snapshot's version.
    pub layer: Arc<Layer>,
}

/// Why a file's bytes can't be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is not there, or it is a link, a folder, a device.
    Gone,
    /// It is larger than what was asked for.
    TooLarge,
    /// The system refused.
    Failed(String),
}

/// A tree to register.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterSpec {
    /// Its root, as the caller wrote it, made absolute.
    pub root: PathBuf,
    /// The id to give it; by default the folder's name, made unique.
    pub id: Option<String>,
    /// Further patterns to leave out, in the syntax of `.gitignore`.
    pub ignore: Vec<String>,
    /// The languages to index; empty means all.
    pub languages: Vec<Lang>,
    /// Files above this size are listed as skipped.
    pub max_file_bytes: Option<u64>,
}

/// A tree that is registered now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Its id.
    pub id: String,
    /// Whether this call registered it.
    pub created: bool,
    /// Whether its first index is still under way.
    pub indexing: bool,
}

/// What waiting for the tree gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// Whether everything written before the call is committed.
    pub synced: bool,
    /// How long the oldest known and uncommitted change has been waiting; 0 when there is none.
    pub lag_ms: u64,
    /// Why it is not synced, or in what degraded way it is (`scanning: watch limit reached`).
    pub reason: Option<String>,
    /// Whether it is not synced because the time was over: more time may help.
    pub timed_out: bool,
}

/// What `index.refresh` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshSpec {
    /// Read and resolve everything again; otherwise only what differs.
    pub full: bool,
    /// Only below these paths (relative to the root, `/` between parts); empty means the whole tree.
    pub paths: Vec<String>,
    /// Why, for the log.
    pub reason: Option<String>,
    /// Return at once with an operation's id.
    pub background: bool,
}
