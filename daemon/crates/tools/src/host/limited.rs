//! The host as a session sees it that a person has limited to some repositories: the others don't exist for it.
//!
//! Calls learn of repositories from the host alone, so those that it hides are in no answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_ledger::AgentStore;
use sdl_outside::Outside;
use sdl_retrieve::meaning::Meaning;
use sdl_settings::Pattern;

use super::{Host, HostInfo, NamedWorkspace, RegisterSpec, Registered, Repo, Unserved, Upstreams};
use crate::guard::audit::Audit;
use crate::guard::policy::Ceilings;
use crate::{Code, Explained, ToolError};

/// A host with some of its repositories.
pub(crate) struct LimitedHost<'a> {
    inner: &'a dyn Host,
    /// Which ids exist.
    patterns: Vec<Pattern>,
}

impl<'a> LimitedHost<'a> {
    /// The host with the repositories whose ids match a pattern.
    pub(crate) fn new(inner: &'a dyn Host, patterns: &[Pattern]) -> Self {
        Self { inner, patterns: patterns.to_vec() }
    }

    fn has_repo(&self, id: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(id))
    }
}

/// The refusal to register or forget a tree.
fn refused() -> ToolError {
    let message = "a profile of a person says which repositories this session has; a person can register or forget trees \
                   with `sdlctl repo`";
    ToolError::new(Code::Denied, message)
}

impl Host for LimitedHost<'_> {
    fn repos(&self) -> Vec<Arc<dyn Repo>> {
        let mut repos = self.inner.repos();
        repos.retain(|repo| self.has_repo(repo.id()));
        repos
    }

    fn repo(&self, id: &str) -> Option<Arc<dyn Repo>> {
        self.inner.repo(id).filter(|repo| self.has_repo(repo.id()))
    }

    fn register(&self, _spec: RegisterSpec) -> Result<Registered, ToolError> {
        // The answer would tell whether a tree is registered already.
        Err(refused())
    }

    fn refuses(&self, _root: &Path) -> Option<String> {
        Some(refused().refusal.message)
    }

    fn unregistered_worktree(&self, folder: &Path) -> Option<PathBuf> {
        self.inner.unregistered_worktree(folder)
    }

    fn register_worktree(&self, _folder: &Path) -> Result<String, ToolError> {
        Err(refused())
    }

    fn removed_worktree(&self, id: &str) -> Option<PathBuf> {
        self.inner.removed_worktree(id).filter(|_| self.has_repo(id))
    }

    fn former_kin(&self, family: &str) -> Vec<String> {
        let mut ids = self.inner.former_kin(family);
        ids.retain(|id| self.has_repo(id));
        ids
    }

    fn unregister(&self, _id: &str) -> Result<(), ToolError> {
        Err(refused())
    }

    fn unserved(&self) -> Vec<Unserved> {
        let mut unserved = self.inner.unserved();
        unserved.retain(|one| self.has_repo(&one.id));
        unserved
    }

    fn workspaces(&self) -> Vec<NamedWorkspace> {
        let mut all = self.inner.workspaces();
        for workspace in &mut all {
            workspace.repos.retain(|id| self.has_repo(id));
        }
        all.retain(|workspace| !workspace.repos.is_empty());
        all
    }

    fn outside(&self) -> Option<&Outside> {
        self.inner.outside()
    }

    fn agent(&self) -> &AgentStore {
        self.inner.agent()
    }

    fn audit(&self) -> &Audit {
        self.inner.audit()
    }

    fn ceilings(&self) -> &Ceilings {
        self.inner.ceilings()
    }

    fn meaning(&self) -> Option<&Meaning> {
        self.inner.meaning()
    }

    fn upstreams(&self) -> Option<&dyn Upstreams> {
        self.inner.upstreams()
    }

    fn memory_freed(&self) {
        self.inner.memory_freed();
    }

    fn info(&self) -> HostInfo {
        // Warnings are for the person who runs the daemon, and may name any tree.
        HostInfo { warnings: Vec::new(), ..self.inner.info() }
    }
}
