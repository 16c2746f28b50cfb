//! Chooses the ledger from whose rows a new one starts: one that was made of a snapshot for this tree, else that of another
//! worktree of the same git repository, else that of a clone with the same history.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use sdl_tools::Repo as _;

use super::Engine;
use crate::git::{self, Opened, open_repository, parts_of_family};
use crate::repo::catalog::Entry;
use crate::repo::{Repo, Source};

/// Clones that are looked at. Each costs a few reads of git's data.
const MOST_CLONES: usize = 32;

impl Engine {
    /// The ledger from whose rows the one of `entry` may start.
    pub(super) fn source_for(&self, entry: &Entry) -> Option<Source> {
        self.offered
            .for_root(&entry.root)
            .map(Source::Snapshot)
            .or_else(|| self.kin_of(entry).map(Source::Kin))
    }

    fn kin_of(&self, entry: &Entry) -> Option<Arc<Repo>> {
        let family = git::family_of(&entry.root)?;
        let mut others = self.all_repos();
        others.retain(|repo| repo.id() != entry.repo_id && repo.is_source());
        if others.is_empty() {
            return None;
        }
        let ours = open_repository(&entry.root).ok().flatten()?;
        let kin = others.iter().filter(|repo| repo.family() == family);
        nearest(kin, entry, &ours).or_else(|| {
            let clones = clones_of(&others, &family, &ours);
            nearest(clones.iter(), entry, &ours)
        })
    }
}

/// The one whose rows need the fewest changes, as far as is known without a look at the files.
fn nearest<'r>(
    repos: impl Iterator<Item = &'r Arc<Repo>>,
    entry: &Entry,
    ours: &Opened,
) -> Option<Arc<Repo>> {
    let commit = ours.head_commit();
    let rank = |repo: &&Arc<Repo>| {
        let same_settings = has_settings_of(repo.entry(), entry);
        let same_commit = commit.is_some() && repo.head_commit() == commit;
        (same_settings, same_commit, repo.entry().worktree.is_none())
    };
    repos.max_by_key(rank).cloned()
}

fn has_settings_of(one: &Entry, other: &Entry) -> bool {
    (&one.ignore, &one.languages, one.max_file_bytes)
        == (&other.ignore, &other.languages, other.max_file_bytes)
}

/// Those at the same place of a repository with the same history: one of the two has the newest commit of the other, or
/// both were cloned from one place.
fn clones_of(others: &[Arc<Repo>], family: &str, ours: &Opened) -> Vec<Arc<Repo>> {
    let Some((_, place)) = parts_of_family(family) else { return Vec::new() };
    let (commit, origin) = (ours.head_commit(), ours.origin());
    let mut seen: HashSet<&Path> = HashSet::new();
    let mut clones = Vec::new();
    for repo in others {
        let Some((common, below)) = parts_of_family(repo.family()) else { continue };
        if below != place || !seen.insert(common) || seen.len() > MOST_CLONES {
            continue;
        }
        let theirs = repo.head_commit();
        let mut is_clone = theirs.is_some_and(|theirs| ours.has_commit(&theirs));
        if !is_clone && let Ok(Some(opened)) = open_repository(repo.root()) {
            is_clone = commit.as_ref().is_some_and(|commit| opened.has_commit(commit))
                || origin.is_some() && origin == opened.origin();
        }
        if is_clone {
            clones.push(Arc::clone(repo));
        }
    }
    clones
}
