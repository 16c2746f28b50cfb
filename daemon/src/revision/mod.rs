//! Git revisions as states over the newest version. Read by gix: nothing is checked out, no git is run, and nothing is
//! written except facts that were not known yet.
//!
//! * `name`: text -> commit; * `ground`: git's index, and where the version may differ from it; * `tree`: commit -> the
//!   files that differ. Which edges follow from those is the layer's business.

mod ground;
mod name;
mod tree;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gix::ObjectId;
use sdl_ledger::{FactsStore, Snapshot};
use sdl_model::{FileId, FileRow, Incarnation, RelPath, Version};
use sdl_retrieve::layer::{Done, State};
use sdl_tools::host::Revision;
use sdl_tools::{Cancel, Code, Explained, ToolError};

use self::ground::{Ground, Index};
use self::tree::{Blobs, Differing};
use crate::git::{self, Opened};

/// States that are kept for the next request.
const KEPT_STATES: usize = 3;
/// The number of blobs whose rows are kept.
const KEPT_ROWS: usize = 100_000;

/// The parts of a repository that reading a revision needs.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The tree's root.
    pub root: &'a Path,
    /// The store of facts.
    pub facts: &'a FactsStore,
    /// The rules for which files are read.
    pub rules: &'a sdl_lang::Rules,
}

/// A version.
type At = (Incarnation, Version);

/// The cache of revisions that were read. Everything in it can be made again.
#[derive(Default)]
pub struct Revisions {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    rows: HashMap<(FileId, ObjectId), Option<FileRow>>,
    /// For the last version that was asked about, and the index as it was written then.
    ground: Option<(At, Written, Arc<Ground>)>,
    /// The most recently used one is last.
    states: Vec<(At, ObjectId, Arc<State>)>,
    /// The work that was done on a state when time ran out.
    begun: Option<(At, ObjectId, Done)>,
}

/// When git's index was written, and how large it is.
type Written = Option<(std::time::SystemTime, u64)>;

impl Revisions {
    /// The state that `revision` names, over the snapshot's version.
    pub fn find(
        &self,
        site: Site<'_>,
        revision: &str,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<Revision, ToolError> {
        let began = Instant::now();
        let opened = open_repository(site.root)?;
        let (repo, below) = (&opened.repo, opened.below.as_str());
        if revision.contains("@{") {
            opened.check_logs().map_err(|error| unreadable_error("reading a reference's log", &error))?;
        }
        let commit = name::named_commit(repo, revision, cancel)?;
        let at = (snapshot.incarnation(), snapshot.head().unwrap_or(Version(0)));
        let name = commit.to_string();
        if let Some(state) = self.state(at, commit) {
            return Ok(Revision { commit: name, layer: Arc::clone(state.layer()) });
        }
        let ground = self.ground(site, &opened, at, snapshot)?;
        let Differing { files, blobs } =
            tree::differing_files(self, site, (repo, commit, below), (&ground, snapshot), cancel)?;
        let compared = began.elapsed();
        let mut base = Arc::new(State::default());
        let mut apart = base.apart(&files);
        for near in self.states(at) {
            let to_near = near.apart(&files);
            if to_near.len() < apart.len() {
                (base, apart) = (near, to_near);
            }
        }
        let origin = Blobs { repo, of: &blobs, store: site.facts, cancel };
        let differing = files.len();
        let mut done = self.begun(at, commit);
        let state = match base.with(files, &apart, (site.facts, snapshot), &origin, &mut done) {
            Ok(state) => Arc::new(state),
            Err(mut error) => {
                if !done.is_empty() {
                    let so_far = done.len();
                    self.lock().begun = Some((at, commit, done));
                    error.refusal.message.push_str(&format!(
                        "; {so_far} files of {commit} are resolved: the same request goes on from there"
                    ));
                }
                return Err(error);
            }
        };
        tracing::debug!(
            %commit, differing, resolved = apart.len(), ?compared, took = ?began.elapsed(), "a revision was read"
        );
        let mut kept = self.lock();
        if kept.states.len() >= KEPT_STATES {
            kept.states.remove(0);
        }
        kept.states.push((at, commit, Arc::clone(&state)));
        Ok(Revision { commit: name, layer: Arc::clone(state.layer()) })
    }

    /// The commit that HEAD leads to, and the files of the snapshot's version that are not as they are there: changed, gone,
    /// or unknown to git.
    pub fn unlike_head(
        &self,
        site: Site<'_>,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<(String, Vec<RelPath>), ToolError> {
        let opened = open_repository(site.root)?;
        let commit = name::named_commit(&opened.repo, "HEAD", cancel)?;
        let at = (snapshot.incarnation(), snapshot.head().unwrap_or(Version(0)));
        let ground = self.ground(site, &opened, at, snapshot)?;
        let place = (&opened.repo, commit, opened.below.as_str());
        let found = tree::differing_files(self, site, place, (&ground, snapshot), cancel)?;
        Ok((commit.to_string(), found.files.into_values().map(|file| file.path).collect()))
    }

    fn state(&self, at: At, commit: ObjectId) -> Option<Arc<State>> {
        let mut kept = self.lock();
        let place = kept.states.iter().position(|(version, known, _)| (*version, *known) == (at, commit))?;
        let found = kept.states.remove(place);
        let state = Arc::clone(&found.2);
        kept.states.push(found);
        Some(state)
    }

    /// The work that was done on a state before.
    fn begun(&self, at: At, commit: ObjectId) -> Done {
        let begun = self.lock().begun.take();
        begun
            .filter(|(version, of, _)| (*version, *of) == (at, commit))
            .map(|(.., done)| done)
            .unwrap_or_default()
    }

    /// The states over a version. States over older versions are dropped.
    fn states(&self, at: At) -> Vec<Arc<State>> {
        let mut kept = self.lock();
        kept.states.retain(|(version, ..)| *version == at);
        kept.states.iter().map(|(.., state)| Arc::clone(state)).collect()
    }

    fn ground(
        &self,
        site: Site<'_>,
        opened: &Opened,
        at: At,
        snapshot: &Snapshot<'_>,
    ) -> Result<Arc<Ground>, ToolError> {
        let meta = opened.repo.index_path().symlink_metadata().ok();
        let written: Written = meta.and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        if let Some((_, _, ground)) =
            self.lock().ground.as_ref().filter(|(version, of, _)| (*version, *of) == (at, written))
        {
            return Ok(Arc::clone(ground));
        }
        let index = Index::read(opened);
        let reads = |path: &sdl_model::RelPath| site.rules.may_read(path);
        let ground = Arc::new(Ground::new(index, site.root, snapshot, reads)?);
        self.lock().ground = Some((at, written, Arc::clone(&ground)));
        Ok(ground)
    }

    /// The row that a blob makes for a file.
    fn row(
        &self,
        file: FileId,
        blob: ObjectId,
        read: impl FnOnce() -> Result<Option<FileRow>, ToolError>,
    ) -> Result<Option<FileRow>, ToolError> {
        if let Some(row) = self.lock().rows.get(&(file, blob)) {
            return Ok(row.clone());
        }
        let row = read()?;
        let mut kept = self.lock();
        if kept.rows.len() >= KEPT_ROWS {
            kept.rows.clear();
        }
        kept.rows.insert((file, blob), row.clone());
        Ok(row)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the repository around `root`.
fn open_repository(root: &Path) -> Result<Opened, ToolError> {
    let opened =
        git::open_repository(root).map_err(|error| ToolError::new(Code::Unavailable, error.to_string()))?;
    let mut opened = opened.ok_or_else(|| {
        let message = format!("{} is no git work tree: give versions (v…) instead of git:…", root.display());
        ToolError::new(Code::Unavailable, message)
    })?;
    opened.repo.object_cache_size_if_unset(16 << 20);
    Ok(opened)
}

/// Git's own data can't be read.
fn unreadable_error(what: &str, error: &dyn std::fmt::Display) -> ToolError {
    ToolError::new(Code::Unavailable, format!("{what} failed: {error}"))
}

/// An error if no one waits any more.
fn check_cancelled(cancel: &Cancel) -> Result<(), ToolError> {
    if cancel.is_cancelled() {
        return Err(ToolError::new(Code::Cancelled, "the request was cancelled or ran out of time"));
    }
    Ok(())
}
