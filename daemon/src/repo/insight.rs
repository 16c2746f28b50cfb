//! The data that cards show beside the facts and the graph, computed on demand: the git history's churn, the clusters.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sdl_ledger::{Snapshot, View as _};
use sdl_model::GitHead;
use sdl_retrieve::card::{ClusterCache, Enrichment, Live};
use sdl_retrieve::past::{NoPast, Past};

use super::commits::{self, Failure};
use super::past::Pasts;

/// The period in which churn counts, in seconds before HEAD's commit.
const SPAN: i64 = 30 * 24 * 60 * 60;
/// Commits that are looked at, newest first.
const MOST_COMMITS: usize = 4_000;

type Counts = HashMap<String, u32>;

/// Kept for one repository.
#[derive(Default)]
pub(super) struct Insight {
    clusters: ClusterCache,
    /// For the last commit that was asked about.
    churn: Mutex<Option<(String, Option<Arc<Counts>>)>>,
    pasts: Pasts,
}

impl Insight {
    /// Everything that cards of this version can show.
    pub(super) fn at<'a>(&'a self, root: &'a Path, snapshot: &'a Snapshot<'a>) -> Box<dyn Enrichment + 'a> {
        let counts = std::cell::OnceCell::new();
        let churn = move |path: &str| -> Option<u32> {
            let counts: &Option<Arc<Counts>> = counts.get_or_init(|| self.churn(root, snapshot));
            counts.as_ref().map(|counts| counts.get(path).copied().unwrap_or(0))
        };
        Box::new(Live::new(snapshot, &self.clusters, Box::new(churn)))
    }

    /// The commits before a version.
    pub(super) fn past(&self, root: &Path, snapshot: &Snapshot<'_>) -> Result<Arc<Past>, NoPast> {
        let row = snapshot.version_row(snapshot.version()).ok().flatten();
        let commit = row.and_then(|row| row.head?.commit).ok_or(NoPast::None)?;
        self.pasts.at(root, &commit)
    }

    /// The churn before a version's HEAD; none outside git, and where its history can't be read.
    fn churn(&self, root: &Path, snapshot: &Snapshot<'_>) -> Option<Arc<Counts>> {
        let head = snapshot.version_row(snapshot.version()).ok().flatten()?.head?;
        let commit = head.commit.clone()?;
        // The lock is held while history is walked, because concurrent callers want the same result.
        let mut kept = self.churn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, counts)) = kept.as_ref().filter(|(of, _)| *of == commit) {
            return counts.clone();
        }
        let counts = count_churn(root, &head)
            .inspect_err(|error| tracing::debug!(?root, %error, "git's history can't be read"))
            .ok()
            .map(Arc::new);
        *kept = Some((commit, counts.clone()));
        counts
    }
}

/// How many commits touched each path in the 30 days before HEAD's own time. Merges touch nothing that the merged commits
/// have not touched.
fn count_churn(root: &Path, head: &GitHead) -> Result<Counts, Failure> {
    let (Some(commit), Some(time)) = (&head.commit, head.commit_time) else { return Ok(Counts::new()) };
    let history = commits::open_history(root)?;
    let tip: gix::ObjectId = commit.parse()?;
    let order = gix::revision::walk::Sorting::ByCommitTimeCutoff {
        order: gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
        seconds: time.saturating_sub(SPAN),
    };
    let mut counts = Counts::new();
    for info in history.repo.rev_walk([tip]).sorting(order).all()?.take(MOST_COMMITS) {
        let info = info?;
        if commits::is_merge(&info) {
            continue;
        }
        for path in commits::touched_paths(&history, &info, usize::MAX)?.unwrap_or_default() {
            *counts.entry(path).or_default() += 1;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::super::commits::written::{DAY, NOW};
    use super::*;

    /// A commit of `a.rs` and `src/b.rs` with these texts.
    fn commit(
        repo: &gix::Repository,
        (a, b): (&str, &str),
        days: i64,
        parents: &[gix::ObjectId],
    ) -> gix::ObjectId {
        commits::written::commit(repo, ("m", a, &[("b.rs", b)]), days, parents)
    }

    #[test]
    fn churn_counts_the_commits_of_the_month_before_head() {
        let dir = tempfile::tempdir().unwrap();
        let repo = gix::init(dir.path()).unwrap();
        let first = commit(&repo, ("1", "1"), 90, &[]);
        let old = commit(&repo, ("2", "2"), 31, &[first]);
        let one = commit(&repo, ("3", "2"), 20, &[old]);
        let side = commit(&repo, ("2", "3"), 10, &[old]);
        let merge = commit(&repo, ("3", "3"), 5, &[one, side]);
        let last = commit(&repo, ("4", "3"), 0, &[merge]);
        let at = |commit: gix::ObjectId, days: i64| {
            let head = GitHead {
                branch: None,
                commit: Some(commit.to_string()),
                commit_time: Some(NOW - days * DAY),
            };
            let counts = count_churn(dir.path(), &head).unwrap();
            (counts.get("a.rs").copied(), counts.get("src/b.rs").copied(), counts.len())
        };
        assert_eq!(at(last, 0), (Some(2), Some(1), 2));
        assert_eq!(at(old, 31), (Some(1), Some(1), 2), "counted from that HEAD, not from today");
        assert_eq!(at(first, 90), (Some(1), Some(1), 2), "the first commit touches all it brings");
        let none = GitHead { branch: None, commit: None, commit_time: None };
        assert_eq!(count_churn(dir.path(), &none).unwrap(), Counts::new());
        let gone = GitHead { commit: Some("0".repeat(40)), commit_time: Some(NOW), ..none };
        assert!(count_churn(dir.path(), &gone).is_err());
    }
}
