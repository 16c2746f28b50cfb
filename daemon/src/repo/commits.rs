//! The changes of git's commits, read by gix: the paths at which a commit's tree differs from its parent's.

use std::collections::BTreeMap;
use std::path::Path;

use gix::bstr::ByteSlice as _;
use gix::revision::walk::Info;

use crate::git;

/// Bytes of git objects kept while history is walked.
const OBJECT_CACHE: usize = 16 << 20;
/// Folders deeper than this are not looked into.
const DEEPEST: usize = 200;

pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A folder's entries by name: whether each is a folder, and its id.
type Entries = BTreeMap<String, (bool, gix::ObjectId)>;

/// The history of a tree: that of a repository, or of one of its folders.
pub(super) struct History {
    pub(super) repo: gix::Repository,
    /// The folder of the repository that the tree is; empty for its top.
    below: String,
}

/// Opens the history of the tree at `root`.
pub(super) fn open_history(root: &Path) -> Result<History, Failure> {
    let git::Opened { mut repo, below, .. } =
        git::open_repository(root)?.ok_or("there is no git work tree")?;
    repo.object_cache_size_if_unset(OBJECT_CACHE);
    Ok(History { repo, below })
}

impl History {
    /// The tree of the folder in a commit's tree; none if the commit does not have the folder.
    fn folder(&self, commit: gix::ObjectId) -> Result<Option<gix::ObjectId>, Failure> {
        let mut tree = commit;
        for name in self.below.split('/').filter(|name| !name.is_empty()) {
            match tree_entries(&self.repo, Some(tree))?.get(name) {
                Some((true, id)) => tree = *id,
                _ => return Ok(None),
            }
        }
        Ok(Some(tree))
    }
}

/// Whether a commit is a merge. Merges are passed over, because they touch nothing that the merged commits have not
/// touched.
pub(super) fn is_merge(info: &Info<'_>) -> bool {
    info.parent_ids().nth(1).is_some()
}

/// The paths that a commit touched, relative to the history's folder; none if it touched more than `most`, or if its
/// parent is not there, at the end of a shallow clone.
pub(super) fn touched_paths(
    history: &History,
    info: &Info<'_>,
    most: usize,
) -> Result<Option<Vec<String>>, Failure> {
    let repo = &history.repo;
    let new = history.folder(info.object()?.tree_id()?.detach())?;
    let old = match info.parent_ids().next() {
        Some(parent) => match repo.find_commit(parent) {
            Ok(parent) => history.folder(parent.tree_id()?.detach())?,
            Err(_) => return Ok(None),
        },
        None => None,
    };
    let mut found = Touched { repo, most, paths: Vec::new() };
    if old != new {
        found.below("", DEEPEST, old, new)?;
    }
    Ok((found.paths.len() <= most).then_some(found.paths))
}

/// The paths at which two trees differ, as far as it was looked.
struct Touched<'r> {
    repo: &'r gix::Repository,
    most: usize,
    paths: Vec<String>,
}

impl Touched<'_> {
    /// Looks below `dir` until there are more than enough.
    fn below(
        &mut self,
        dir: &str,
        deep: usize,
        old: Option<gix::ObjectId>,
        new: Option<gix::ObjectId>,
    ) -> Result<(), Failure> {
        let (old, new) = (tree_entries(self.repo, old)?, tree_entries(self.repo, new)?);
        for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
            if self.paths.len() > self.most {
                return Ok(());
            }
            let (was, is) = (old.get(name), new.get(name));
            if was == is {
                continue;
            }
            let path = format!("{dir}{name}");
            let tree =
                |entry: Option<&(bool, gix::ObjectId)>| entry.filter(|(tree, _)| *tree).map(|(_, id)| *id);
            let (old_tree, new_tree) = (tree(was), tree(is));
            if deep > 0 && (old_tree.is_some() || new_tree.is_some()) {
                self.below(&format!("{path}/"), deep - 1, old_tree, new_tree)?;
            }
            let file = |entry: Option<&(bool, gix::ObjectId)>| entry.is_some_and(|(tree, _)| !tree);
            if file(was) || file(is) {
                self.paths.push(path);
            }
        }
        Ok(())
    }
}

/// A tree's entries. Names that are not UTF-8 are no paths of ours.
fn tree_entries(repo: &gix::Repository, tree: Option<gix::ObjectId>) -> Result<Entries, Failure> {
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

/// Histories for tests.
#[cfg(test)]
pub(super) mod written {
    use gix::objs::tree::{Entry, EntryKind};
    use gix::objs::{Commit, Tree};

    pub(in crate::repo) const DAY: i64 = 24 * 60 * 60;
    pub(in crate::repo) const NOW: i64 = 1_700_000_000;

    fn tree(repo: &gix::Repository, mut entries: Vec<(String, EntryKind, gix::ObjectId)>) -> gix::ObjectId {
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let entry = |(name, kind, oid): (String, EntryKind, gix::ObjectId)| Entry {
            mode: kind.into(),
            filename: name.into(),
            oid,
        };
        repo.write_object(Tree { entries: entries.into_iter().map(entry).collect() }).unwrap().detach()
    }

    /// A commit of `a.rs` and of files below `src` with these texts, `days` days before [`NOW`].
    pub(in crate::repo) fn commit(
        repo: &gix::Repository,
        (message, a, src): (&str, &str, &[(&str, &str)]),
        days: i64,
        parents: &[gix::ObjectId],
    ) -> gix::ObjectId {
        let blob = |text: &str| repo.write_blob(text).unwrap().detach();
        let files = src.iter().map(|(name, text)| ((*name).to_owned(), EntryKind::Blob, blob(text)));
        let src = tree(repo, files.collect());
        let root =
            vec![("a.rs".to_owned(), EntryKind::Blob, blob(a)), ("src".to_owned(), EntryKind::Tree, src)];
        let who = gix::actor::Signature {
            name: "a".into(),
            email: "a@b".into(),
            time: gix::date::Time::new(NOW - days * DAY, 0),
        };
        let commit = Commit {
            tree: tree(repo, root),
            parents: parents.iter().copied().collect(),
            author: who.clone(),
            committer: who,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        repo.write_object(commit).unwrap().detach()
    }
}
