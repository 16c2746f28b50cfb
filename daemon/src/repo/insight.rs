//! What cards tell beside the facts and the graph, made when it is asked for: the git history's churn, the clusters.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use gix::bstr::ByteSlice as _;
use sdl_ledger::{Snapshot, View as _};
use sdl_model::GitHead;
use sdl_retrieve::card::{ClusterCache, Enrichment, Live};

/// What churn counts, in seconds before HEAD's commit.
const SPAN: i64 = 30 * 24 * 60 * 60;
/// Commits that are looked at, newest first.
const MOST_COMMITS: usize = 4_000;
/// Bytes of git objects kept while history is walked.
const OBJECT_CACHE: usize = 16 << 20;

type Counts = HashMap<String, u32>;
/// A folder's entries by name: whether each is a folder, and its id.
type Entries = BTreeMap<String, (bool, gix::ObjectId)>;

/// Kept for one repository.
#[derive(Default)]
pub(super) struct Insight {
    clusters: ClusterCache,
    /// Of the last commit that was asked about.
    churn: Mutex<Option<(String, Option<Arc<Counts>>)>>,
}

impl Insight {
    /// Everything that cards of this version can tell.
    pub(super) fn at<'a>(&'a self, root: &'a Path, snapshot: &'a Snapshot<'a>) -> Box<dyn Enrichment + 'a> {
        let counts = std::cell::OnceCell::new();
        let churn = move |path: &str| -> Option<u32> {
            let counts: &Option<Arc<Counts>> = counts.get_or_init(|| self.churn(root, snapshot));
            counts.as_ref().map(|counts| counts.get(path).copied().unwrap_or(0))
        };
        Box::new(Live::new(snapshot, &self.clusters, Box::new(churn)))
    }

    /// The churn that a version's HEAD has behind it; none outside git, and where its history can't be read.
    fn churn(&self, root: &Path, snapshot: &Snapshot<'_>) -> Option<Arc<Counts>> {
        let head = snapshot.version_row(snapshot.version()).ok().flatten()?.head?;
        let commit = head.commit.clone()?;
        // Held while history is walked: who asks at the same time wants the same.
        let mut kept = self.churn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, counts)) = kept.as_ref().filter(|(of, _)| *of == commit) {
            return counts.clone();
        }
        let counts = churn(root, &head)
            .inspect_err(|error| tracing::debug!(?root, %error, "git's history can't be read"))
            .ok()
            .map(Arc::new);
        *kept = Some((commit, counts.clone()));
        counts
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How many commits touched each path in the 30 days before HEAD's own time. Merges touch nothing that the merged commits
/// have not touched.
fn churn(root: &Path, head: &GitHead) -> Result<Counts, Failure> {
    let (Some(commit), Some(time)) = (&head.commit, head.commit_time) else { return Ok(Counts::new()) };
    let mut repo = gix::open_opts(root, gix::open::Options::isolated())?;
    repo.object_cache_size_if_unset(OBJECT_CACHE);
    let tip: gix::ObjectId = commit.parse()?;
    let order = gix::revision::walk::Sorting::ByCommitTimeCutoff {
        order: gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
        seconds: time.saturating_sub(SPAN),
    };
    let mut counts = Counts::new();
    for info in repo.rev_walk([tip]).sorting(order).all()?.take(MOST_COMMITS) {
        let info = info?;
        let new = info.object()?.tree_id()?.detach();
        let mut parents = info.parent_ids();
        let parent = parents.next().map(|parent| parent.detach());
        if parents.next().is_some() {
            continue;
        }
        let old = match parent {
            // The end of a shallow clone: what it touched is not known.
            Some(parent) => match repo.find_commit(parent) {
                Ok(parent) => Some(parent.tree_id()?.detach()),
                Err(_) => continue,
            },
            None => None,
        };
        touched(&repo, old, Some(new), "", &mut counts)?;
    }
    Ok(counts)
}

/// Counts every path below `dir` at which two trees differ.
fn touched(
    repo: &gix::Repository,
    old: Option<gix::ObjectId>,
    new: Option<gix::ObjectId>,
    dir: &str,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let (old, new) = (entries(repo, old)?, entries(repo, new)?);
    for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
        let (was, is) = (old.get(name), new.get(name));
        if was == is {
            continue;
        }
        let path = format!("{dir}{name}");
        let tree = |entry: Option<&(bool, gix::ObjectId)>| entry.filter(|(tree, _)| *tree).map(|(_, id)| *id);
        let (old_tree, new_tree) = (tree(was), tree(is));
        if old_tree.is_some() || new_tree.is_some() {
            touched(repo, old_tree, new_tree, &format!("{path}/"), counts)?;
        }
        let file = |entry: Option<&(bool, gix::ObjectId)>| entry.is_some_and(|(tree, _)| !tree);
        if file(was) || file(is) {
            *counts.entry(path).or_default() += 1;
        }
    }
    Ok(())
}

/// A tree's entries. Names that are not UTF-8 are no paths of ours.
fn entries(repo: &gix::Repository, tree: Option<gix::ObjectId>) -> Result<Entries, Failure> {
    let Some(tree) = tree else { return Ok(Entries::new()) };
    let tree = repo.find_tree(tree)?;
    let mut found = Entries::new();
    for entry in tree.decode()?.entries {
        if let Ok(name) = entry.filename.to_str() {
            found.insert(name.to_owned(), (entry.mode.is_tree(), entry.oid.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use gix::objs::tree::{Entry, EntryKind};
    use gix::objs::{Commit, Tree};

    use super::*;

    const DAY: i64 = 24 * 60 * 60;
    const NOW: i64 = 1_700_000_000;

    fn tree(repo: &gix::Repository, mut entries: Vec<(&str, EntryKind, gix::ObjectId)>) -> gix::ObjectId {
        entries.sort_unstable_by_key(|(name, ..)| *name);
        let entry = |(name, kind, oid): (&str, EntryKind, gix::ObjectId)| Entry {
            mode: kind.into(),
            filename: name.into(),
            oid,
        };
        repo.write_object(Tree { entries: entries.into_iter().map(entry).collect() }).unwrap().detach()
    }

    /// A commit of `a.rs` and `src/b.rs` with these texts, so many days before the last.
    fn commit(
        repo: &gix::Repository,
        (a, b): (&str, &str),
        days: i64,
        parents: &[gix::ObjectId],
    ) -> gix::ObjectId {
        let blob = |text: &str| repo.write_blob(text).unwrap().detach();
        let src = tree(repo, vec![("b.rs", EntryKind::Blob, blob(b))]);
        let root = tree(repo, vec![("a.rs", EntryKind::Blob, blob(a)), ("src", EntryKind::Tree, src)]);
        let who = gix::actor::Signature {
            name: "a".into(),
            email: "a@b".into(),
            time: gix::date::Time::new(NOW - days * DAY, 0),
        };
        let commit = Commit {
            tree: root,
            parents: parents.iter().copied().collect(),
            author: who.clone(),
            committer: who,
            encoding: None,
            message: "m".into(),
            extra_headers: Vec::new(),
        };
        repo.write_object(commit).unwrap().detach()
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
            let counts = churn(dir.path(), &head).unwrap();
            (counts.get("a.rs").copied(), counts.get("src/b.rs").copied(), counts.len())
        };
        assert_eq!(at(last, 0), (Some(2), Some(1), 2));
        assert_eq!(at(old, 31), (Some(1), Some(1), 2), "counted from that HEAD, not from today");
        assert_eq!(at(first, 90), (Some(1), Some(1), 2), "the first commit touches all it brings");
        let none = GitHead { branch: None, commit: None, commit_time: None };
        assert_eq!(churn(dir.path(), &none).unwrap(), Counts::new());
        let gone = GitHead { commit: Some("0".repeat(40)), commit_time: Some(NOW), ..none };
        assert!(churn(dir.path(), &gone).is_err());
    }
}
