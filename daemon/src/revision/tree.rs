//! From a commit's tree to the files in which it differs from the newest version. Trees that the index knows are not
//! opened, and blobs that the ledger has are not read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use sdl_lang::Judged;
use sdl_ledger::{FactsStore, Snapshot, View};
use sdl_model::{Facts, FileId, FileRow, FileState, RelPath, SkipReason};
use sdl_retrieve::layer::{Origin, StateFile};
use sdl_tools::{Cancel, Code, Explained, ToolError};

use super::ground::{Folder, Ground, Index};
use super::{Revisions, Site, check_cancelled, unreadable_error};

/// Maximum number of files that may differ.
const MOST: usize = 5_000;

/// The files that differ, by id.
#[derive(Default)]
pub(super) struct Differing {
    pub(super) files: BTreeMap<FileId, StateFile>,
    /// The blobs from which their rows were made.
    pub(super) blobs: HashMap<FileId, ObjectId>,
}

/// The entry of a commit at a path.
#[derive(Clone, Copy)]
enum There {
    Nothing,
    File(ObjectId),
    /// Links and submodules are not files and are not compared.
    Other,
}

/// The files in which `commit` differs, by id, below its folder that is the registered tree.
pub(super) fn differing_files(
    known: &Revisions,
    site: Site<'_>,
    (repo, commit, below): (&gix::Repository, ObjectId, &str),
    (ground, snapshot): (&Ground, &Snapshot<'_>),
    cancel: &Cancel,
) -> Result<Differing, ToolError> {
    let bad = |error: gix::Error| unreadable_error("reading the commit's tree", &error);
    let mut root = repo.find_commit(commit).map_err(bad)?.tree().map_err(bad)?;
    if !below.is_empty() {
        let entry = root.lookup_entry_by_path(below).map_err(bad)?;
        let Some(entry) = entry.filter(|entry| entry.mode().is_tree()) else {
            return Err(ToolError::new(Code::UnknownVersion, format!("{commit} has no folder {below}")));
        };
        root = entry.object().map_err(bad)?.into_tree();
    }
    let mut walk = Walk { repo, index: &ground.index, found: BTreeMap::new(), cancel };
    walk.folder(root.id, "", ground.index.top())?;
    let paths: BTreeSet<&str> =
        walk.found.keys().map(String::as_str).chain(ground.unsure.iter().map(RelPath::as_str)).collect();
    let mut found = Differing::default();
    for (i, path) in paths.into_iter().enumerate() {
        if i % 64 == 0 {
            check_cancelled(cancel)?;
        }
        let there = walk.found.get(path).copied().unwrap_or_else(|| match ground.index.line(path) {
            Some(line) => line.blob.map_or(There::Other, There::File),
            None => There::Nothing,
        });
        let Some(path) = RelPath::new(path) else { continue };
        let file = FileId::of(&path);
        let old = snapshot.file(file)?;
        let row = match there {
            There::Other => continue,
            There::Nothing => None,
            // A file that is on the disk but not in the version is excluded by the tree's rules, such as
            // `.gitignore`.
            There::File(_) if old.is_none() && site.root.join(path.as_str()).symlink_metadata().is_ok() => {
                continue;
            }
            There::File(id) => {
                let row = known.row(file, id, || blob_row(site, &Blob { repo, id }, &path))?;
                // A file that the parser gave up on is not parsed again, because equal bytes give the same result.
                match (row, &old) {
                    (Some(row), Some(old))
                        if row.state.facts().is_some_and(|key| old.state == FileState::Failed(key)) =>
                    {
                        Some(old.clone())
                    }
                    (row, _) => row,
                }
            }
        };
        if old == row {
            continue;
        }
        if let There::File(id) = there {
            found.blobs.insert(file, id);
        }
        found.files.insert(file, StateFile { path, row });
        if found.files.len() > MOST {
            let message =
                format!("{commit} differs from the tree in more than {MOST} files; give a nearer revision");
            return Err(ToolError::new(Code::InvalidArgument, message));
        }
    }
    Ok(found)
}

/// Finds where a commit's tree differs from the index.
struct Walk<'w> {
    repo: &'w gix::Repository,
    index: &'w Index,
    found: BTreeMap<String, There>,
    cancel: &'w Cancel,
}

impl Walk<'_> {
    /// Compares a tree with a folder of the index; `path` is empty or ends with `/`.
    fn folder(&mut self, tree: ObjectId, path: &str, known: Option<&Folder>) -> Result<(), ToolError> {
        if known.is_some_and(|known| known.is(tree)) {
            return Ok(());
        }
        check_cancelled(self.cancel)?;
        let bad = |error: &dyn std::fmt::Display| unreadable_error("reading a tree", error);
        let tree = self.repo.find_tree(tree).map_err(|error| bad(&error))?;
        let tree = tree.decode().map_err(|error| bad(&error))?;
        // The index's names in this folder: files, and folders with a file in each.
        let index = self.index;
        let mut rest: BTreeSet<&str> = BTreeSet::new();
        let mut lines = index.below(path);
        while let Some(line) = lines.first() {
            let inner = line.path.get(path.len()..).unwrap_or_default();
            let name = match inner.find('/') {
                Some(at) => inner.get(..at).unwrap_or_default(),
                None => inner,
            };
            let skip = if inner.len() == name.len() {
                1
            } else {
                let folder = format!("{path}{name}/");
                lines.partition_point(|line| line.path.starts_with(&folder)).max(1)
            };
            rest.insert(name);
            lines = lines.get(skip..).unwrap_or_default();
        }
        for entry in &tree.entries {
            let Ok(name) = entry.filename.to_str() else { continue };
            rest.remove(name);
            let full = format!("{path}{name}");
            let line = index.line(&full);
            if entry.mode.is_tree() {
                if line.is_some() {
                    self.found.insert(full.clone(), There::Nothing);
                }
                self.folder(
                    entry.oid.to_owned(),
                    &format!("{full}/"),
                    known.and_then(|known| known.folder(name)),
                )?;
                continue;
            }
            self.gone_below(&format!("{full}/"));
            let blob = entry.mode.is_blob().then(|| entry.oid.to_owned());
            if line.is_none_or(|line| line.blob != blob) {
                self.found.insert(full, blob.map_or(There::Other, There::File));
            }
        }
        for name in rest {
            let full = format!("{path}{name}");
            self.gone_below(&format!("{full}/"));
            if index.line(&full).is_some() {
                self.found.insert(full, There::Nothing);
            }
        }
        Ok(())
    }

    /// The commit has nothing below a folder.
    fn gone_below(&mut self, folder: &str) {
        let gone = self.index.below(folder).iter().map(|line| (line.path.clone(), There::Nothing));
        self.found.extend(gone);
    }
}

struct Blob<'r> {
    repo: &'r gix::Repository,
    id: ObjectId,
}

impl Blob<'_> {
    fn size(&self) -> Result<u64, ToolError> {
        let header = self.repo.find_header(self.id);
        Ok(header.map_err(|error| unreadable_error("reading a blob", &error))?.size())
    }

    fn bytes(&self) -> Result<Vec<u8>, ToolError> {
        let blob =
            self.repo.find_blob(self.id).map_err(|error| unreadable_error("reading a blob", &error))?;
        Ok(blob.detach().data)
    }
}

/// The row that the ledger would have for a blob at `path`; none if it would have none.
fn blob_row(site: Site<'_>, blob: &Blob<'_>, path: &RelPath) -> Result<Option<FileRow>, ToolError> {
    let rules = site.rules;
    if !rules.may_read(path) {
        return Ok(None);
    }
    let size = blob.size()?;
    let judged = if size > rules.limits.max_bytes {
        rules.skipped(path, SkipReason::TooLarge)
    } else {
        rules.judge(path, &blob.bytes()?, None)
    };
    let state = match judged {
        Judged::Ignored => return Ok(None),
        Judged::Skipped(reason) => FileState::Skipped(reason),
        Judged::Read(key) => FileState::Indexed(key),
    };
    Ok(Some(FileRow { path: path.clone(), state, size }))
}

/// Where the files of a commit come from.
pub(super) struct Blobs<'a> {
    pub(super) repo: &'a gix::Repository,
    pub(super) of: &'a HashMap<FileId, ObjectId>,
    pub(super) store: &'a FactsStore,
    pub(super) cancel: &'a Cancel,
}

impl Origin for Blobs<'_> {
    type Error = ToolError;

    /// From the store, or taken now and stored. A parser that gives up fails this file alone.
    fn facts(&self, file: FileId, row: &mut FileRow) -> Result<Option<Arc<Facts>>, ToolError> {
        let (FileState::Indexed(key), Some(id)) = (row.state.clone(), self.of.get(&file)) else {
            return Ok(None);
        };
        if let Some(facts) = self.store.sound_facts(&key)? {
            return Ok(Some(Arc::new(facts)));
        }
        let bytes = Blob { repo: self.repo, id: *id }.bytes()?;
        match sdl_lang::extract_guarded(key.lang, &bytes) {
            Ok(facts) => {
                let facts = Arc::new(facts);
                // Facts that can't be stored are extracted again next time.
                if let Err(error) = self.store.put_many(&[(key, &facts)]) {
                    tracing::warn!(%error, "facts of a revision can't be stored");
                }
                Ok(Some(facts))
            }
            Err(_) => {
                row.state = FileState::Failed(key);
                Ok(None)
            }
        }
    }

    fn check(&self) -> Result<(), ToolError> {
        check_cancelled(self.cancel)
    }
}
