//! A repository's newest version and its facts as packs.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_ledger::{Result, Snapshot, View as _};
use sdl_model::{FactsKey, RelPath};
use sdl_tools::{Cancel, Progress, Repo as _};

use super::manifest::{Manifest, Pack};
use super::pack::{Packer, hash_name};
use super::{FORMAT, ShareError, rules_kind};
use crate::repo::Repo;

/// Writing the rows of the largest trees ends long before this.
const READ_DEADLINE: Duration = Duration::from_hours(1);
/// Files that a message names.
const MOST_NAMED: usize = 3;
/// The file of the manifest in the folder.
pub const MANIFEST: &str = "manifest";

/// Writes a snapshot of the repository's newest version into `folder`: a file for each pack, and the manifest. Returns the
/// manifest and its name.
///
/// # Errors
/// If the tree is not as its commit is, or if a file can't be read or written.
pub fn export_snapshot(
    repo: &Repo,
    folder: &Path,
    (progress, cancel): (&dyn Progress, &Cancel),
) -> std::result::Result<(String, Manifest), ShareError> {
    let barrier = repo.barrier(Duration::from_mins(1), cancel);
    if !barrier.synced {
        let why = barrier.reason.unwrap_or_else(|| "the tree could not be read in time".into());
        return Err(ShareError::State(format!("{why}; try again when its index is complete")));
    }
    let place = crate::git::open_repository(repo.root()).ok().flatten().map(|opened| opened.below);
    let place = place.ok_or_else(|| {
        ShareError::State(format!(
            "{} is no git work tree, and a snapshot is of a commit",
            repo.root().display()
        ))
    })?;
    let made = repo.ledger().read_with(Instant::now() + READ_DEADLINE, |snapshot| {
        let (commit, unlike) = repo.unlike_head(snapshot, cancel).map_err(ShareError::Refused)?;
        if !unlike.is_empty() {
            return Err(ShareError::State(unlike_message(&commit, &unlike)));
        }
        write_packs(repo, snapshot, folder, (progress, cancel)).map(|packs| (commit, packs))
    })?;
    let (commit, (ledger, facts, counters)) = made?;
    let manifest = Manifest {
        format: FORMAT,
        kind: rules_kind(),
        commit,
        place,
        files: counters.files,
        symbols: counters.symbols,
        edges: counters.edges,
        ledger,
        facts,
    };
    let bytes = serde_json::to_vec(&manifest)
        .map_err(|error| ShareError::io("write", folder, std::io::Error::other(error)))?;
    let path = folder.join(MANIFEST);
    fs::write(&path, &bytes).map_err(|error| ShareError::io("write", &path, error))?;
    Ok((hash_name(&bytes), manifest))
}

fn unlike_message(commit: &str, unlike: &[RelPath]) -> String {
    let named: Vec<&str> = unlike.iter().take(MOST_NAMED).map(RelPath::as_str).collect();
    format!(
        "a snapshot needs a clean tree: {} of its files are not as in commit {commit:.12}, such as {}; commit, stash or ignore \
         them first",
        unlike.len(),
        named.join(", ")
    )
}

type Packs = (Vec<Pack>, Vec<Pack>, sdl_ledger::Counters);

fn write_packs(
    repo: &Repo,
    snapshot: &Snapshot<'_>,
    folder: &Path,
    (progress, cancel): (&dyn Progress, &Cancel),
) -> std::result::Result<Packs, ShareError> {
    let mut done = 0;
    let mut report = |what: &str| {
        done += 1;
        progress.report(done, None, what);
        if cancel.is_cancelled() { Err(sdl_ledger::Error::Deadline) } else { Ok(()) }
    };
    let mut ledger = Packer::new(folder);
    snapshot.export_rows(&mut |rows| {
        report("packing the ledger")?;
        ledger.add_chunk(rows)
    })?;
    let mut facts = Packer::new(folder);
    let keys = facts_of(snapshot)?;
    repo.facts().export_facts(&keys, &mut |rows| {
        report("packing the facts")?;
        facts.add_chunk(rows)
    })?;
    Ok((ledger.packs, facts.packs, snapshot.counters()?))
}

/// The keys of the facts that the version's files have, sorted as they are stored.
fn facts_of(snapshot: &Snapshot<'_>) -> Result<Vec<FactsKey>> {
    let mut files = Vec::new();
    snapshot.files_under("", &mut |file, _| {
        files.push(file);
        ControlFlow::Continue(())
    })?;
    let mut keys = Vec::with_capacity(files.len());
    for file in files {
        keys.extend(snapshot.file(file)?.and_then(|row| row.state.facts()));
    }
    keys.sort_unstable_by_key(|key: &FactsKey| key.to_bytes());
    keys.dedup();
    Ok(keys)
}
