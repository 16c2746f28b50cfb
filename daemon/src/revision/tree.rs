//! A commit's tree to the files that it has otherwise than the newest version.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gix::ObjectId;
use sdl_ledger::{FactsStore, Snapshot, View};
use sdl_model::{ContentHash, Facts, FactsKey, FileId, FileRow, FileState, RelPath, SkipReason};
use sdl_tools::{Cancel, Code, ToolError};

use super::{Revisions, Site, check, unreadable};

/// Files that may differ.
const MOST: usize = 5_000;

/// A file that differs.
pub(super) struct Differing {
    pub(super) path: RelPath,
    /// As the commit has it; none if it does not.
    pub(super) row: Option<FileRow>,
    pub(super) facts: Option<Arc<Facts>>,
}

/// The files that `commit` has otherwise, below the folder of it that the tree is.
pub(super) fn differing(
    known: &Revisions,
    site: Site<'_>,
    (repo, commit, below): (&gix::Repository, ObjectId, &str),
    snapshot: &Snapshot<'_>,
    cancel: &Cancel,
) -> Result<Vec<Differing>, ToolError> {
    let bad = |error: gix::Error| unreadable("reading the commit's tree", &error);
    let mut root = repo.find_commit(commit).map_err(bad)?.tree().map_err(bad)?;
    if !below.is_empty() {
        let entry = root.lookup_entry_by_path(below).map_err(bad)?;
        let Some(entry) = entry.filter(|entry| entry.mode().is_tree()) else {
            return Err(ToolError::new(Code::UnknownVersion, format!("{commit} has no folder {below}")));
        };
        root = entry.object().map_err(bad)?.into_tree();
    }
    let mut found = Vec::new();
    let mut there: HashSet<FileId> = HashSet::new();
    for (i, entry) in root.traverse().breadthfirst.files().map_err(bad)?.into_iter().enumerate() {
        if i % 64 == 0 {
            check(cancel)?;
        }
        let Some(path) = std::str::from_utf8(&entry.filepath).ok().and_then(RelPath::new) else { continue };
        let file = FileId::of(&path);
        let old = snapshot.file(file)?;
        if !entry.mode.is_blob() {
            // Links and modules of their own are no files; what is said of them is not compared.
            there.insert(file);
            continue;
        }
        // What lies on the disk and is not in the version is left out by the tree's rules.
        if old.is_none() && site.root.join(path.as_str()).symlink_metadata().is_ok() {
            continue;
        }
        let blob = Blob { repo, id: entry.oid };
        let Some(row) = row(known, site, &blob, &path, old.as_ref())? else { continue };
        there.insert(file);
        if old.as_ref() == Some(&row) {
            continue;
        }
        let (row, facts) = facts(site.facts, &blob, row)?;
        found.push(Differing { path, row: Some(row), facts });
        too_many(&found, commit)?;
    }
    let mut gone = Vec::new();
    snapshot.files_under("", &mut |file, path| {
        if !there.contains(&file)
            && let Some(path) = RelPath::new(path)
        {
            gone.push(Differing { path, row: None, facts: None });
        }
        ControlFlow::Continue(())
    })?;
    found.append(&mut gone);
    too_many(&found, commit)?;
    Ok(found)
}

fn too_many(found: &[Differing], commit: ObjectId) -> Result<(), ToolError> {
    if found.len() <= MOST {
        return Ok(());
    }
    let message = format!("{commit} differs from the tree in more than {MOST} files; give a nearer revision");
    Err(ToolError::new(Code::InvalidArgument, message))
}

struct Blob<'r> {
    repo: &'r gix::Repository,
    id: ObjectId,
}

impl Blob<'_> {
    fn size(&self) -> Result<u64, ToolError> {
        let header = self.repo.find_header(self.id);
        Ok(header.map_err(|error| unreadable("reading a blob", &error))?.size())
    }

    fn bytes(&self) -> Result<Vec<u8>, ToolError> {
        let blob = self.repo.find_blob(self.id).map_err(|error| unreadable("reading a blob", &error))?;
        Ok(blob.detach().data)
    }
}

/// The row that the ledger would have of a blob at `path`; none if it would have none. Reads the blob only if it was not
/// read before, or differs.
fn row(
    known: &Revisions,
    site: Site<'_>,
    blob: &Blob<'_>,
    path: &RelPath,
    old: Option<&FileRow>,
) -> Result<Option<FileRow>, ToolError> {
    let wants = |lang| {
        site.languages.is_empty() || lang == sdl_model::Lang::Manifest || site.languages.contains(&lang)
    };
    let claimed = sdl_lang::detect(path, &[]);
    if claimed.is_none_or(|lang| !wants(lang)) && (claimed.is_some() || path.extension().is_some()) {
        return Ok(None);
    }
    if let (Some(hash), Some(old)) = (known.hash(&blob.id), old)
        && let FileState::Indexed(key) | FileState::Failed(key) = old.state
        && key.content == hash
    {
        return Ok(Some(old.clone()));
    }
    let skipped = |reason, size| {
        claimed.map(|_| FileRow { path: path.clone(), state: FileState::Skipped(reason), size })
    };
    let size = blob.size()?;
    if size > site.limits.max_bytes {
        return Ok(skipped(SkipReason::TooLarge, size));
    }
    let bytes = blob.bytes()?;
    let content = ContentHash::of(&bytes);
    known.keep_hash(blob.id, content);
    let Some(lang) = sdl_lang::detect(path, &bytes).filter(|lang| wants(*lang)) else { return Ok(None) };
    if let Some(reason) = sdl_lang::classify(path, &bytes, site.limits) {
        return Ok(skipped(reason, size));
    }
    let key = FactsKey { lang, content };
    if let Some(old) = old.filter(|old| old.state == FileState::Failed(key)) {
        return Ok(Some(old.clone()));
    }
    Ok(Some(FileRow { path: path.clone(), state: FileState::Indexed(key), size }))
}

/// A row with its facts: from the store, or taken now and stored. A parser that gives up fails this file alone.
fn facts(
    store: &FactsStore,
    blob: &Blob<'_>,
    row: FileRow,
) -> Result<(FileRow, Option<Arc<Facts>>), ToolError> {
    let Some(key) = row.state.facts() else { return Ok((row, None)) };
    if let Some(facts) = store.facts(&key)? {
        return Ok((row, Some(Arc::new(facts))));
    }
    let bytes = blob.bytes()?;
    match catch_unwind(AssertUnwindSafe(|| sdl_lang::extract(key.lang, &bytes))) {
        Ok(Ok(facts)) => {
            let facts = Arc::new(facts);
            // What can't be stored is taken again next time.
            if let Err(error) = store.put_many(&[(key, &facts)]) {
                tracing::warn!(%error, "facts of a revision can't be stored");
            }
            Ok((row, Some(facts)))
        }
        _ => Ok((FileRow { state: FileState::Failed(key), ..row }, None)),
    }
}
