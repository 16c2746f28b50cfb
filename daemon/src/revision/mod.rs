//! Git revisions as states over the newest version. Read by gix: nothing is checked out, no git is run, and nothing is
//! written but facts that were not known yet.
//!
//! * `name`: text -> commit; * `tree`: commit -> the files that differ; * `edges`: those files -> the edges that differ.

mod edges;
mod name;
mod tree;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gix::ObjectId;
use sdl_ledger::{FactsStore, Snapshot};
use sdl_model::{ContentHash, Incarnation, Lang, Version};
use sdl_retrieve::layer::Layer;
use sdl_tools::host::Revision;
use sdl_tools::{Cancel, Code, ToolError};

/// Layers that are kept for the next request.
const KEPT_LAYERS: usize = 3;
/// Blobs whose content hashes are kept.
const KEPT_HASHES: usize = 200_000;

/// What a revision is read with.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The tree's root.
    pub root: &'a Path,
    /// Where facts are.
    pub facts: &'a FactsStore,
    /// What is too large to be read.
    pub limits: &'a sdl_lang::Limits,
    /// The languages to read; empty: all.
    pub languages: &'a [Lang],
}

type Place = (Incarnation, Version, ObjectId);

/// What is remembered of revisions that were read. Everything in it can be made again.
#[derive(Default)]
pub struct Revisions {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    hashes: HashMap<ObjectId, ContentHash>,
    /// The last used one last.
    layers: Vec<(Place, Arc<Layer>)>,
}

impl Revisions {
    /// The state that `revision` names, over the snapshot's version.
    pub fn find(
        &self,
        site: Site<'_>,
        revision: &str,
        snapshot: &Snapshot<'_>,
        cancel: &Cancel,
    ) -> Result<Revision, ToolError> {
        let (repo, below) = open(site.root)?;
        let commit = name::commit(&repo, revision, cancel)?;
        let place = (snapshot.incarnation(), snapshot.head().unwrap_or(Version(0)), commit);
        let name = commit.to_string();
        if let Some(layer) = self.layer(&place) {
            return Ok(Revision { commit: name, layer });
        }
        let files = tree::differing(self, site, (&repo, commit, &below), snapshot, cancel)?;
        let layer = Arc::new(edges::layer(site.facts, files, snapshot, cancel)?);
        let mut kept = self.lock();
        if kept.layers.len() >= KEPT_LAYERS {
            kept.layers.remove(0);
        }
        kept.layers.push((place, Arc::clone(&layer)));
        Ok(Revision { commit: name, layer })
    }

    fn layer(&self, place: &Place) -> Option<Arc<Layer>> {
        let mut kept = self.lock();
        let at = kept.layers.iter().position(|(known, _)| known == place)?;
        let found = kept.layers.remove(at);
        let layer = Arc::clone(&found.1);
        kept.layers.push(found);
        Some(layer)
    }

    /// The content hash of a blob that was read before.
    fn hash(&self, blob: &ObjectId) -> Option<ContentHash> {
        self.lock().hashes.get(blob).copied()
    }

    fn keep_hash(&self, blob: ObjectId, hash: ContentHash) {
        let mut kept = self.lock();
        if kept.hashes.len() >= KEPT_HASHES {
            kept.hashes.clear();
        }
        kept.hashes.insert(blob, hash);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the repository around `root`, and says which of its folders that is (empty: its top).
fn open(root: &Path) -> Result<(gix::Repository, String), ToolError> {
    let top = root.ancestors().find(|at| at.join(".git").exists()).ok_or_else(|| {
        let message = format!("{} is no git work tree: give versions (v…) instead of git:…", root.display());
        ToolError::new(Code::Unavailable, message)
    })?;
    let mut repo = gix::open_opts(top, gix::open::Options::isolated())
        .map_err(|error| unreadable("opening the git repository", &error))?;
    repo.object_cache_size_if_unset(16 << 20);
    let below = root.strip_prefix(top).ok().and_then(Path::to_str).unwrap_or_default();
    Ok((repo, below.replace(std::path::MAIN_SEPARATOR, "/")))
}

/// Git's own data can't be read.
fn unreadable(what: &str, error: &dyn std::fmt::Display) -> ToolError {
    ToolError::new(Code::Unavailable, format!("{what} failed: {error}"))
}

/// An error if no one waits any more.
fn check(cancel: &Cancel) -> Result<(), ToolError> {
    if cancel.is_cancelled() {
        return Err(ToolError::new(Code::Cancelled, "the request was cancelled or ran out of time"));
    }
    Ok(())
}
