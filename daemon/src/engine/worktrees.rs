//! Linked worktrees of registered repositories come and go by themselves: one is registered when it is first asked
//! about, and forgotten when git has removed it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use sdl_tools::host::RegisterSpec;
use sdl_tools::{Code, Explained, Host, Repo as _, ToolError};

use super::{Engine, read_lock};
use crate::git::{family_name, parts_of_family};
use crate::repo::catalog::{self, Entry};
use crate::repo::{Repo, Worktree};

/// Looks at a root that is not there before its folder counts as deleted, because a tool may be replacing it.
const LOOKS: u32 = 2;

/// A worktree that is not registered, and the repository whose settings it is to have.
struct Found {
    root: PathBuf,
    like: Entry,
}

impl Engine {
    /// The linked worktree around `folder` that is nearer than any registered root, if it is a worktree of a registered
    /// repository. A registered tree is known at once, without a look at git's data.
    fn find_unregistered(&self, folder: &Path) -> Option<Found> {
        let repos = self.all_repos();
        let out = read_lock(&self.absent).iter().map(|absent| absent.entry.root.clone()).collect::<Vec<_>>();
        let roots = repos.iter().map(|repo| repo.root()).chain(out.iter().map(PathBuf::as_path));
        let innermost =
            roots.filter(|root| folder.starts_with(root)).max_by_key(|root| root.as_os_str().len());
        let worktree = folder
            .ancestors()
            .take_while(|at| Some(*at) != innermost)
            .filter(|at| fs::symlink_metadata(at.join(".git")).is_ok_and(|meta| meta.is_file()))
            // The file of a submodule names no worktree; the tree that holds it may be one.
            .find_map(|at| Worktree::around(at).filter(|found| found.top == at))?;
        let kin = repos.iter().filter_map(|repo| {
            let (common, below) = parts_of_family(repo.family())?;
            let root = worktree.top.join(below);
            (common == worktree.common && folder.starts_with(&root)).then_some((root, repo))
        });
        // The root at the same place of the tree, and the deepest of several, with the settings of the main worktree's.
        let (root, like) =
            kin.max_by_key(|(root, repo)| (root.as_os_str().len(), repo.entry().worktree.is_none()))?;
        // Normalized, because joining an empty path adds a slash.
        Some(Found { root: root.components().collect(), like: like.entry().clone() })
    }

    /// The innermost served repository around a folder whose path has no links.
    pub(super) fn innermost(&self, folder: &Path) -> Option<Arc<Repo>> {
        let repos = self.all_repos().into_iter();
        repos.filter(|repo| folder.starts_with(repo.root())).max_by_key(|repo| repo.root().as_os_str().len())
    }

    /// See [`sdl_tools::Host::unregistered_worktree`].
    pub(super) fn worktree_root(&self, folder: &Path) -> Option<PathBuf> {
        self.find_unregistered(folder).map(|found| found.root)
    }

    /// Registers the worktree around `folder`, with the settings of the repository that it is a worktree of. Returns its
    /// id.
    pub(super) fn add_worktree(&self, folder: &Path) -> Result<String, ToolError> {
        let _one = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Found { root, like }) = self.find_unregistered(folder) else {
            // Another session was faster.
            let around = self.innermost(folder).map(|repo| repo.id().to_owned());
            return around
                .ok_or_else(|| ToolError::new(Code::UnknownRepo, "the worktree is not there any more"));
        };
        let registered = self.register(RegisterSpec {
            id: Some(self.free_worktree_id(&root, &like)),
            root: root.clone(),
            ignore: like.ignore,
            languages: like.languages.iter().filter_map(|name| sdl_model::Lang::from_name(name)).collect(),
            max_file_bytes: like.max_file_bytes,
        })?;
        tracing::info!(repo = registered.id, root = %root.display(), "registered a worktree on first use");
        Ok(registered.id)
    }

    /// An id that says which repository the worktree is of, such as `app.fix`. Folders of worktrees are often named after
    /// a task, and agents' rows follow an id: a worktree of another repository must not find them.
    fn free_worktree_id(&self, root: &Path, like: &Entry) -> String {
        let main = like.worktree.as_ref().and_then(|_| like.repo_id.split_once('.'));
        let base = main.map_or(like.repo_id.as_str(), |(main, _)| main);
        let folder = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = if folder.to_lowercase().starts_with(base) { folder } else { format!("{base}.{folder}") };
        let out = Host::unserved(self);
        catalog::free_id(Path::new(&name), |id| {
            self.all_repos().iter().any(|repo| repo.id() == id) || out.iter().any(|out| out.id == id)
        })
    }

    /// Forgets the entries of the list whose worktrees were removed while no daemon ran; returns the others.
    pub(super) fn without_removed(&self, entries: Vec<Entry>) -> Vec<Entry> {
        let (removed, kept): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.worktree.as_ref().is_some_and(Worktree::is_removed));
        for entry in removed {
            self.starts.through(&entry.repo_id);
            self.say_forgotten(&entry);
            let dir = self.repo_dir(&entry.repo_id);
            if let Err(error) = fs::remove_dir_all(&dir)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(dir = %dir.display(), %error, "the ledger of a removed worktree can't be deleted");
            }
        }
        kept
    }

    /// The root of a repository is not there. Forgets the repository if it is a worktree that was removed.
    pub(super) fn root_is_gone(&self, repo: &Repo, looks: u32) {
        let Some(worktree) = &repo.entry().worktree else { return };
        if !worktree.is_forgotten() && (looks < LOOKS || !worktree.is_removed()) {
            return;
        }
        let Some(engine) = self.me.upgrade() else { return };
        let entry = repo.entry().clone();
        let forget = move || {
            // Looked at again, because it may have been put back.
            let is_removed = entry.worktree.as_ref().is_some_and(Worktree::is_removed);
            let is_served = engine.all_repos().iter().any(|repo| *repo.entry() == entry);
            if !is_removed || !is_served {
                return;
            }
            engine.say_forgotten(&entry);
            if let Err(error) = engine.remove(&entry.repo_id) {
                tracing::warn!(repo = entry.repo_id, %error, "the ledger of a removed worktree can't be deleted");
            }
        };
        // Not by its worker, which has to end first.
        if let Err(error) = std::thread::Builder::new().name("forget worktree".into()).spawn(forget) {
            tracing::warn!(%error, "a removed worktree is forgotten at the next start");
        }
    }

    fn say_forgotten(&self, entry: &Entry) {
        tracing::info!(
            repo = entry.repo_id, root = %entry.root.display(),
            "its git worktree was removed: the repository is forgotten and its ledger deleted; what agents stored is kept"
        );
        let family = entry
            .worktree
            .as_ref()
            .and_then(|tree| Some(family_name(&tree.common, entry.root.strip_prefix(&tree.top).ok()?)));
        self.former.note(entry, family.unwrap_or_else(|| entry.repo_id.clone()));
    }

    /// The id of the worktree around `folder`, which is registered if it is not; none if the folder is in none that
    /// [`Self::find_unregistered`] finds.
    ///
    /// # Errors
    /// If it can't be registered.
    pub fn enter_worktree(&self, folder: &Path) -> Result<Option<String>, ToolError> {
        let Ok(folder) = fs::canonicalize(folder) else { return Ok(None) };
        self.worktree_root(&folder).map(|_| self.add_worktree(&folder)).transpose()
    }
}
