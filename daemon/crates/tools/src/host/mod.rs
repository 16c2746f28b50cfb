//! The interface between the tools and the host that runs them. The daemon implements these traits over its workers;
//! the tests implement them over a ledger in a temporary folder.

mod client;
mod ended;
mod limited;
pub(crate) mod mask;
pub(crate) mod policies;
mod report;
mod upstreams;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sdl_contract::{Cancel, Progress};
use sdl_ledger::{AgentStore, FactsStore, Ledger, Snapshot};
use sdl_model::{Lang, RelPath};
use sdl_outside::Outside;
use sdl_retrieve::card::{Enrichment, Plain};
use sdl_retrieve::layer::Layer;
use sdl_retrieve::meaning::Meaning;
use sdl_retrieve::part::Part;
use sdl_retrieve::past::{NoPast, Past};

pub use report::{
    HostInfo, Limits, MemoryInfo, RefreshOutcome, RepoHealth, RepoState, RepoStatus, WatcherKind,
    WatcherStatus,
};

pub use ended::CallEnded;

pub use client::{Client, NoClient, OpenQuestion, Reply};
pub(crate) use limited::LimitedHost;
pub(crate) use upstreams::read_lists_of;
pub use upstreams::{Event, Exchange, ListsOf, Outgoing, Question, Upstreams};

use crate::guard::audit::Audit;
use crate::guard::policy::Ceilings;
use crate::{Code, Damage, Explained, ToolError};

/// The daemon, as the tools see it.
pub trait Host: Send + Sync {
    /// Returns every registered repository, sorted by id.
    fn repos(&self) -> Vec<Arc<dyn Repo>>;

    /// Returns the repository with this id.
    fn repo(&self, id: &str) -> Option<Arc<dyn Repo>>;

    /// Registers a tree, or returns the existing registration if the same tree is registered already. Refuses home
    /// folders, filesystem roots, and trees inside or around a registered one. Does not wait for the first index.
    fn register(&self, spec: RegisterSpec) -> Result<Registered, ToolError>;

    /// Returns why this tree would not be registered; none if it would.
    fn refuses(&self, root: &Path) -> Option<String> {
        let _ = root;
        None
    }

    /// Returns the root that the linked git worktree around `folder` would be registered with, if it is not registered
    /// and belongs to a registered repository. `folder` is canonical. No registered tree is the one to ask then, even if
    /// one of them holds the folder.
    fn unregistered_worktree(&self, folder: &Path) -> Option<PathBuf> {
        let _ = folder;
        None
    }

    /// Registers the worktree that [`Host::unregistered_worktree`] returns, with the settings of the repository that it
    /// belongs to. Returns its id.
    fn register_worktree(&self, folder: &Path) -> Result<String, ToolError> {
        let message = format!("{} is in no worktree of a registered repository", folder.display());
        Err(ToolError::new(Code::UnknownRepo, message))
    }

    /// Returns the root of a worktree that was forgotten because git removed it, by the id that it had.
    fn removed_worktree(&self, id: &str) -> Option<PathBuf> {
        let _ = id;
        None
    }

    /// Returns the ids of removed worktrees of a family (see [`Repo::family`]). Agents' rows that were stored in them are
    /// still read in the others.
    fn former_kin(&self, family: &str) -> Vec<String> {
        let _ = family;
        Vec::new()
    }

    /// Forgets a repository. Whether its ledger is deleted is the host's business.
    fn unregister(&self, id: &str) -> Result<(), ToolError>;

    /// Returns the registered repositories that can't be queried at the moment.
    fn unserved(&self) -> Vec<Unserved> {
        Vec::new()
    }

    /// Returns the sets of repositories that a person named.
    fn workspaces(&self) -> Vec<NamedWorkspace> {
        Vec::new()
    }

    /// Returns the source of dependencies, unless a person turned it off.
    fn outside(&self) -> Option<&Outside> {
        None
    }

    /// Returns the store of the data that agents own. It outlives every reindex and every rebuild of a ledger. Opened
    /// with [`crate::AGENT_TABLES`].
    fn agent(&self) -> &AgentStore;

    /// Returns the audit log of decisions. Its rows are in the store of [`Host::agent`].
    fn audit(&self) -> &Audit;

    /// Returns the ceilings: the limits up to which a person lets policies allow things.
    fn ceilings(&self) -> &Ceilings;

    /// Returns the model for search by meaning, if one is configured.
    fn meaning(&self) -> Option<&Meaning> {
        None
    }

    /// Returns the connections to upstream MCP servers; none if a person configured no upstream.
    fn upstreams(&self) -> Option<&dyn Upstreams> {
        None
    }

    /// Called after work that took a lot of memory for a moment, so that the host can give it back to the system.
    fn memory_freed(&self) {}

    /// Whether anybody wants to hear of each call; see [`Host::call_ended`].
    fn follows_calls(&self) -> bool {
        false
    }

    /// Hears of a call that has ended. Never waits. Called only while [`Host::follows_calls`].
    fn call_ended(&self, call: CallEnded) {
        let _ = call;
    }

    /// About the daemon itself.
    fn info(&self) -> HostInfo;
}

/// A set of repositories with a name.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedWorkspace {
    /// Its name.
    pub name: String,
    /// The ids of its repositories, whether they are registered or not.
    pub repos: Vec<String>,
}

/// Why a repository is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Its ledger is being opened. It will be served in a moment.
    Opening,
    /// It could not be opened. The daemon tries again at its next start.
    Failed,
    /// The daemon died at its start because of it, again and again. Only a person can have it started again.
    SetAside,
}

/// A registered repository that can't be queried at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unserved {
    /// Its id.
    pub id: String,
    /// Its root.
    pub root: PathBuf,
    /// Why, and how it is being fixed.
    pub why: String,
    /// The kind of absence.
    pub absence: Absence,
}

impl Unserved {
    /// Returns the message for a request that names this repository.
    pub fn status_message(&self) -> String {
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

    /// What it has in common with the other worktrees of its git repository: the path of their common folder. Its own id if it is in none.
    fn family(&self) -> &str {
        self.id()
    }

    /// Its ledger.
    fn ledger(&self) -> &Ledger;

    /// The facts of its files; shared by every repository.
    fn facts(&self) -> &FactsStore;

    /// Blocks until every write to the tree that had finished before this call is committed, until `timeout` is over,
    /// or until `cancel` fires. Never an error: a tree that could not be confirmed comes back as `synced: false` with
    /// the reason.
    fn barrier(&self, timeout: Duration, cancel: &Cancel) -> Barrier;

    /// Reads a file of the tree as it is now, if it has at most `most` bytes. Follows no link, not even on the way, and
    /// opens nothing but regular files. For the source text module alone: these bytes have to be compared with the
    /// version's record before they are served.
    fn read_file(&self, path: &RelPath, most: u64) -> Result<Vec<u8>, Unread>;

    /// Returns the facts that cards show beside the graph: churn, clusters, processes. Must be a pure function of the
    /// snapshot's version.
    fn enrichment<'a>(&'a self, snapshot: &'a Snapshot<'a>) -> Box<dyn Enrichment + 'a> {
        let _ = snapshot;
        Box::new(Plain)
    }

    /// Returns the number of symbols whose edges one request may look at, one symbol after another. Of more, it takes an even
    /// share of the files and says so. With the default, an overview of Linux looks at edges for two to three seconds if nothing
    /// is cached.
    fn survey_limit(&self) -> u64 {
        200_000
    }

    /// Returns the commits that lead to the snapshot's version. May report that they are still being read; otherwise a
    /// pure function of the commit that the version records.
    fn past(&self, snapshot: &Snapshot<'_>) -> Result<Arc<Past>, NoPast> {
        let _ = snapshot;
        Err(NoPast::None)
    }

    /// Returns a git revision as a state over the snapshot's version. Checks nothing out and writes nothing but facts.
    fn revision(
        &self,
        revision: &str,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<Revision, ToolError> {
        let _ = (revision, snapshot, cancel);
        Err(ToolError::new(Code::Unavailable, "git revisions are not available here; give versions (v…)"))
    }

    /// Reports that an answer met damage in one of its stores. Does not wait for the repair.
    fn damaged(&self, damage: &Damage) {
        let _ = damage;
    }

    /// The rules by which its files are read.
    fn rules(&self) -> sdl_lang::Rules {
        sdl_lang::Rules::default()
    }

    /// Returns the files that the index under way has read so far, if it is the first one. Their facts are stored.
    fn part(&self) -> Option<Part> {
        None
    }

    /// Returns how the repository is doing. Cheap: does not touch the disk.
    fn status(&self) -> RepoStatus;

    /// Compares the tree with the ledger and commits the differences. Blocks unless `spec.background` is set.
    fn refresh(
        &self,
        spec: RefreshSpec,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<RefreshOutcome, ToolError>;
}

/// A git revision that was found.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The commit it names, in hexadecimal digits.
    pub commit: String,
    /// How it differs from the snapshot's version.
    pub layer: Arc<Layer>,
}

/// Why a file's bytes can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is not there, or it is a link, a folder, a device.
    Gone,
    /// It is larger than the caller's limit.
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

/// The result of waiting for the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// Whether everything written before the call is committed.
    pub synced: bool,
    /// How long the oldest known but uncommitted change has been waiting; 0 when there is none.
    pub lag_ms: u64,
    /// Why it is not synced, or how it is degraded (`scanning: watch limit reached`).
    pub reason: Option<String>,
    /// Whether it is not synced because the time ran out: more time may help.
    pub timed_out: bool,
}

/// A request of `index.refresh`.
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
