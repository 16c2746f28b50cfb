//! A ledger and facts from the packs of a snapshot, and the tree that starts from them.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use sdl_ledger::{FactsStore, Intake, Ledger, Options, Pins};
use sdl_tools::host::RegisterSpec;
use sdl_tools::{Cancel, Code, Explained as _, Progress, Repo as _, ToolError};

use super::ShareError;
use super::export::MANIFEST;
use super::manifest::{MAX_MANIFEST_BYTES, Manifest, Pack};
use super::pack::{read_limited, read_pack};
use crate::engine::Engine;
use crate::repo::Repo;

/// Between two looks whether the caller still waits.
const LOOK: Duration = Duration::from_secs(2);

/// A snapshot in a folder, and the tree that is to start from it.
pub struct Wanted<'a> {
    /// The folder with the manifest and the packs.
    pub folder: &'a Path,
    /// The name of the manifest: its hash.
    pub manifest: &'a str,
    /// The commit that the snapshot has to be of.
    pub commit: &'a str,
    /// The tree, absolute.
    pub root: &'a Path,
}

/// A tree that has started.
pub struct Started {
    /// Its repository.
    pub repo: Arc<Repo>,
    /// The snapshot.
    pub manifest: Manifest,
}

/// Checks the snapshot, stores its facts, makes a ledger of its rows, registers the tree with it, and waits for the first
/// version.
///
/// # Errors
/// If the snapshot is unsound, or if the tree can't be registered or is registered already. Nothing but facts has changed
/// then, unless the caller went away while the tree was compared.
pub fn import_snapshot(
    engine: &Engine,
    wanted: &Wanted<'_>,
    (progress, cancel): (&dyn Progress, &Cancel),
) -> Result<Started, ShareError> {
    let path = wanted.folder.join(MANIFEST);
    let bytes = read_limited(&path, MAX_MANIFEST_BYTES)?
        .ok_or_else(|| ShareError::Wrong(format!("there is no manifest in {}", wanted.folder.display())))?;
    let manifest = Manifest::parse(&bytes, wanted.manifest)?;
    let opened = crate::git::open_repository(wanted.root).ok().flatten();
    let place = opened.map(|opened| opened.below).unwrap_or_default();
    if manifest.commit != wanted.commit || manifest.place != place {
        let Manifest { commit, place, .. } = &manifest;
        return Err(ShareError::Unsound(format!(
            "it is of commit {commit:.12} at {place:?}, not of the one wanted"
        )));
    }
    let mut steps = Steps { done: 0, total: manifest.facts.len() + manifest.ledger.len(), progress, cancel };
    // Held until a version names them, because a sweep removes facts that nobody names.
    let pins = import_facts(engine.facts(), wanted.folder, &manifest.facts, &mut steps)?;
    let ledger = import_ledger(wanted.folder, &manifest, &mut steps)?;
    let spec = RegisterSpec { root: wanted.root.to_owned(), ..RegisterSpec::default() };
    let registered = engine.register_from(spec, Arc::new(ledger)).map_err(ShareError::Refused)?;
    let repo = engine.find_repo(Some(&registered.id)).map_err(ShareError::State)?;
    if !registered.created {
        return Err(ShareError::State(format!("the tree was registered meanwhile, as {:?}", registered.id)));
    }
    wait_for_version(&repo, cancel)?;
    drop(pins);
    Ok(Started { repo, manifest })
}

/// How far an import is.
struct Steps<'a> {
    done: usize,
    total: usize,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
}

impl Steps<'_> {
    fn next_pack(&mut self) -> Result<(), ShareError> {
        self.progress.report(self.done as u64, Some(self.total as u64), "unpacking");
        self.done += 1;
        if self.cancel.is_cancelled() { Err(ShareError::Cancelled) } else { Ok(()) }
    }
}

fn import_facts<'s>(
    store: &'s FactsStore,
    folder: &Path,
    packs: &[Pack],
    steps: &mut Steps<'_>,
) -> Result<Vec<Pins<'s>>, ShareError> {
    let mut pins = Vec::with_capacity(packs.len());
    // Nearly all of the work is to decode each row and to encode it again, so it takes all cores.
    for some in packs.chunks(4 * rayon::current_num_threads()) {
        for _ in some {
            steps.next_pack()?;
        }
        let import = |pack: &Pack| {
            let keys = store.import_facts(&read_pack(folder, pack)?).map_err(ShareError::of_rows)?;
            forget_pack(folder, pack);
            Ok(store.pin(&keys))
        };
        pins.extend(some.par_iter().map(import).collect::<Result<Vec<_>, ShareError>>()?);
    }
    Ok(pins)
}

fn import_ledger(folder: &Path, manifest: &Manifest, steps: &mut Steps<'_>) -> Result<Ledger, ShareError> {
    let mut intake = Intake::begin(&folder.join("ledger"), &Options::default())?;
    for pack in &manifest.ledger {
        steps.next_pack()?;
        intake.add_chunk(&read_pack(folder, pack)?).map_err(ShareError::of_rows)?;
        forget_pack(folder, pack);
    }
    let counted = intake.counters();
    if (counted.files, counted.symbols, counted.edges) != (manifest.files, manifest.symbols, manifest.edges) {
        return Err(ShareError::Unsound("its rows are fewer or more than the manifest announces".into()));
    }
    Ok(intake.finish()?)
}

/// Removes a pack that was read, because packs and ledger together may need more disk than there is.
fn forget_pack(folder: &Path, pack: &Pack) {
    let _ = fs::remove_file(folder.join(&pack.name));
}

fn wait_for_version(repo: &Repo, cancel: &Cancel) -> Result<(), ShareError> {
    while repo.is_indexing() {
        if cancel.is_cancelled() {
            return Err(ShareError::Cancelled);
        }
        repo.barrier(LOOK, cancel);
    }
    if repo.head_version().is_none() {
        let why = "the tree could not be read; see: sdlctl status";
        return Err(ShareError::Refused(ToolError::new(Code::Unavailable, why)));
    }
    Ok(())
}
