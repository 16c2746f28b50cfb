//! The repositories of a workspace, as a call reads them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sdl_contract::{Cancel, Progress};
use sdl_ledger::{FactsStore, Ledger, View};
use sdl_model::RelPath;
use sdl_navigate::workspace::{Member, MemberState, Workspace, split_place};

use crate::call::buffers::Overlay;
use crate::host::{Barrier, RefreshOutcome, RefreshSpec, RepoStatus, Unread};
use crate::{Code, Explained, Repo, ToolError};

/// One repository of a workspace, at one version.
#[derive(Clone, Copy)]
pub(crate) struct Opened<'a> {
    /// The repository.
    pub(crate) repo: &'a dyn Repo,
    /// The version, with unsaved buffers over it if there are any.
    pub(crate) view: &'a dyn View,
    /// These buffers.
    pub(crate) overlay: Option<&'a Overlay>,
    /// What tells this state from all others.
    pub(crate) state: MemberState,
}

impl<'a> Opened<'a> {
    /// The same for the graph of the workspace.
    pub(crate) fn as_member(&self) -> Member<'a> {
        Member { repo: self.repo.id(), view: self.view, state: Some(self.state) }
    }
}

/// The workspace that a call asks.
pub(crate) struct Across<'a> {
    /// The graph of all.
    pub(crate) workspace: &'a Workspace<'a>,
    /// The repositories.
    pub(crate) members: &'a [Opened<'a>],
    /// Which are missing, and why.
    pub(crate) left_out: &'a [String],
}

impl<'a> Across<'a> {
    /// The repository with a file of the workspace, and the file's path in it.
    pub(crate) fn place(&self, path: &RelPath) -> Option<(Opened<'a>, RelPath)> {
        let (repo, rest) = split_place(path.as_str())?;
        let member = self.members.iter().find(|member| member.repo.id() == repo)?;
        Some((*member, RelPath::new(rest)?))
    }
}

/// A workspace in place of a repository, for the parts of an answer that name one.
pub(crate) struct Whole {
    /// What the caller named.
    pub(crate) name: String,
    /// The first member. Its stores are used where any of the members would do.
    pub(crate) first: Arc<dyn Repo>,
}

impl Repo for Whole {
    fn id(&self) -> &str {
        &self.name
    }

    fn root(&self) -> &Path {
        Path::new("")
    }

    fn ledger(&self) -> &Ledger {
        self.first.ledger()
    }

    fn facts(&self) -> &FactsStore {
        self.first.facts()
    }

    fn barrier(&self, timeout: Duration, cancel: &Cancel) -> Barrier {
        self.first.barrier(timeout, cancel)
    }

    fn read_file(&self, path: &RelPath, _: u64) -> Result<Vec<u8>, Unread> {
        Err(Unread::Failed(format!("{path} is a file of a workspace")))
    }

    fn status(&self) -> RepoStatus {
        self.first.status()
    }

    fn refresh(&self, _: RefreshSpec, _: &dyn Progress, _: &Cancel) -> Result<RefreshOutcome, ToolError> {
        Err(ToolError::new(Code::Unavailable, "a workspace is not indexed; its repositories are"))
    }
}
