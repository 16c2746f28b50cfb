//! `push`: publishes a snapshot of HEAD, and of it only the objects that the store lacks.
//!
//! The order is packs, manifest, pointer: a pointer never leads to a snapshot that is not there. Packs that the store has
//! already are not written again. A collection of garbage at the same time could remove some of them, so afterwards the snapshot
//! that listed them is looked at again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::crew::each_of;
use crate::daemon::{Begun, Daemon, root_of};
use crate::layout::{Pointer, manifest_path, now_seconds, pack_path, pointer_path};
use crate::manifest::Manifest;
use crate::nearest::{find_nearest, read_manifest, read_pointer};
use crate::report::{Report, bytes_text};
use crate::store::Store;
use crate::trouble::Trouble;

/// Publishes a snapshot of the tree at `path`.
pub(crate) async fn push_snapshot(store: &Store, path: Option<&Path>) -> Result<Report, Trouble> {
    let started = Instant::now();
    let daemon = Daemon::open().await?;
    let root = root_of(path)?;
    let begun = daemon.begin(&root).await?;
    let pushed = push_from(store, &daemon, &begun, &root).await;
    daemon.end(&begun.folder).await;
    let pushed = pushed?;
    let seconds = started.elapsed().as_secs_f64();
    let (moved, requests) = store.traffic();
    let Pushed { repo, commit, packs, written, bytes } = pushed;
    Ok(Report {
        data: json!({
            "repoId": repo, "commit": commit, "packs": packs, "packsWritten": written, "bytesWritten": bytes,
            "bytesMoved": moved, "requests": requests, "seconds": seconds,
        }),
        lines: vec![format!(
            "{repo} at {commit:.12} is in the store: {written} of {packs} packs were new, {} written, {requests} requests, \
             {seconds:.1} s",
            bytes_text(bytes)
        )],
        concern: None,
    })
}

/// Commits that are looked at for one whose packs need not be asked for.
const MOST_BASES: usize = 100;

struct Pushed {
    repo: String,
    commit: String,
    packs: usize,
    written: usize,
    bytes: u64,
}

async fn push_from(store: &Store, daemon: &Daemon, begun: &Begun, root: &Path) -> Result<Pushed, Trouble> {
    // First, because a store that can't be used, or is not of this key, should cost no index.
    if let Some(head) = begun.ancestors.first() {
        read_pointer(store, &pointer_path(&begun.kind, head, &begun.place)).await?;
    }
    // Not HEAD itself, whose pointer is about to be written, and says nothing about a collection of garbage then.
    let base = find_nearest(store, begun, 1..MOST_BASES).await?;
    let known = match &base {
        Some(base) => packs_of(&read_manifest(store, &base.manifest).await?.1).into_keys().collect(),
        None => BTreeSet::new(),
    };
    let repo = daemon.index(root).await?;
    let exported = daemon.export(&repo, &begun.folder).await?;
    let bytes = read_local(&begun.folder, "manifest")?;
    let packs = packs_of(&Manifest::parse(&bytes, &exported.manifest)?);
    let lacking: Vec<&String> = packs.keys().filter(|name| !known.contains(*name)).collect();
    let mut sent = write_packs(store, &begun.folder, lacking).await?;
    let place = manifest_path(&store.name_of(&exported.manifest));
    if !store.has(&place).await? {
        sent.1 += store.write(&place, &bytes).await?;
    }
    let pointer = Pointer { manifest: exported.manifest, pushed: now_seconds() };
    let text = serde_json::to_vec(&pointer).map_err(|error| Trouble::Local(error.to_string()))?;
    sent.1 += store.write(&pointer_path(&begun.kind, &exported.commit, &begun.place), &text).await?;
    if let Some(base) = base {
        // If its pointer is gone, so may be packs that only it listed.
        let path = pointer_path(&begun.kind, &base.commit, &begun.place);
        if read_pointer(store, &path).await?.is_none() {
            let again = write_packs(store, &begun.folder, packs.keys().collect()).await?;
            sent = (sent.0 + again.0, sent.1 + again.1);
        }
    }
    Ok(Pushed { repo, commit: exported.commit, packs: packs.len(), written: sent.0, bytes: sent.1 })
}

fn packs_of(manifest: &Manifest) -> BTreeMap<String, u64> {
    manifest.packs().map(|pack| (pack.name.clone(), pack.bytes)).collect()
}

/// Writes the packs that the store lacks. Returns how many, and their bytes.
async fn write_packs(store: &Store, folder: &Path, packs: Vec<&String>) -> Result<(usize, u64), Trouble> {
    let written = each_of(packs, store.requests, |name| async move {
        let path = pack_path(&store.name_of(name));
        if store.has(&path).await? {
            return Ok(None);
        }
        store.write(&path, &read_local(folder, name)?).await.map(Some)
    });
    let written: Vec<u64> = written.await?.into_iter().flatten().collect();
    Ok((written.len(), written.iter().sum()))
}

/// A file that the daemon wrote.
fn read_local(folder: &Path, name: &str) -> Result<Vec<u8>, Trouble> {
    let path = folder.join(name);
    std::fs::read(&path).map_err(|error| Trouble::Local(format!("can't read {}: {error}", path.display())))
}
