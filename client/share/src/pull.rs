//! `pull`: starts a tree from the nearest snapshot. Whatever goes wrong, the tree is indexed from its files instead.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::crew::each_of;
use crate::daemon::{Begun, Daemon, Imported, root_of};
use crate::layout::pack_path;
use crate::nearest::{Found, find_nearest, gone, read_manifest};
use crate::report::{Report, bytes_text};
use crate::store::Store;
use crate::trouble::Trouble;

/// Registers the tree at `path` with the nearest snapshot.
pub(crate) async fn pull_snapshot(store: &Store, path: Option<&Path>) -> Result<Report, Trouble> {
    let started = Instant::now();
    let daemon = Daemon::open().await?;
    let root = root_of(path)?;
    let begun = daemon.begin(&root).await?;
    if let Some(repo) = &begun.repo_id {
        daemon.end(&begun.folder).await;
        return Ok(Report {
            data: json!({ "repoId": repo, "pulled": false, "reason": "registered" }),
            lines: vec![format!(
                "{repo} is registered and keeps its own ledger: nothing was pulled. `sdlctl repo rm {repo}` would let it start \
                 from a snapshot"
            )],
            concern: None,
        });
    }
    let pulled = pull_into(store, &daemon, &begun, &root).await;
    daemon.end(&begun.folder).await;
    match pulled {
        Ok(Some((found, imported))) => Ok(pulled_report(store, &found, &imported, started)),
        Ok(None) => {
            let repo = daemon.index(&root).await?;
            let looked = begun.ancestors.len();
            let seconds = started.elapsed().as_secs_f64();
            Ok(Report {
                data: json!({ "repoId": repo, "pulled": false, "reason": "noSnapshot", "commits": looked, "seconds": seconds }),
                lines: vec![format!(
                    "the store has no snapshot of the last {looked} commits for this release; {repo} was indexed from its \
                     files, {seconds:.1} s"
                )],
                concern: None,
            })
        }
        Err(trouble @ (Trouble::Usage(_) | Trouble::NoDaemon(_))) => Err(trouble),
        Err(trouble) => {
            let repo = daemon.index(&root).await?;
            let why = trouble.to_string();
            let seconds = started.elapsed().as_secs_f64();
            Ok(Report {
                data: json!({ "repoId": repo, "pulled": false, "reason": "failed", "error": why, "seconds": seconds }),
                lines: vec![format!("{repo} was indexed from its files, {seconds:.1} s")],
                concern: Some(why),
            })
        }
    }
}

fn pulled_report(store: &Store, found: &Found, imported: &Imported, started: Instant) -> Report {
    let seconds = started.elapsed().as_secs_f64();
    let (moved, requests) = store.traffic();
    let Imported { repo_id, ledger_version, files, parsed } = imported;
    let Found { commit, distance, .. } = found;
    Report {
        data: json!({
            "repoId": repo_id, "pulled": true, "commit": commit, "distance": distance, "ledgerVersion": ledger_version,
            "files": files, "parsed": parsed, "bytesMoved": moved, "requests": requests, "seconds": seconds,
        }),
        lines: vec![format!(
            "{repo_id} started from the snapshot of {commit:.12}, {distance} commits before HEAD: {files} files, {parsed} \
             parsed here, {} read, {requests} requests, {seconds:.1} s",
            bytes_text(moved)
        )],
        concern: None,
    }
}

async fn pull_into(
    store: &Store,
    daemon: &Daemon,
    begun: &Begun,
    root: &Path,
) -> Result<Option<(Found, Imported)>, Trouble> {
    let Some(found) = find_nearest(store, begun, 0..usize::MAX).await? else { return Ok(None) };
    let (bytes, manifest) = read_manifest(store, &found.manifest).await?;
    write_local(&begun.folder, "manifest", &bytes)?;
    let packs: BTreeMap<&str, u64> = manifest.packs().map(|pack| (pack.name.as_str(), pack.bytes)).collect();
    let folder = begun.folder.as_path();
    each_of(packs, store.requests, |(name, size)| fetch_pack(store, folder, name, size)).await?;
    let imported = daemon.import(root, folder, (&found.commit, &found.manifest)).await?;
    Ok(Some((found, imported)))
}

/// Reads a pack and puts it into the folder. The daemon checks it again before it uses it.
async fn fetch_pack(store: &Store, folder: &Path, name: &str, size: u64) -> Result<(), Trouble> {
    let path = pack_path(&store.name_of(name));
    let bytes = store.read(&path, size).await?.ok_or_else(|| gone(&path))?;
    if blake3::hash(&bytes).to_hex().as_str() != name {
        let message = format!(
            "the object {path} of the store is damaged: its hash is not its name; remove it and push again"
        );
        return Err(Trouble::Unsound(message));
    }
    write_local(folder, name, &bytes)
}

fn write_local(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
    let path = folder.join(name);
    std::fs::write(&path, bytes)
        .map_err(|error| Trouble::Local(format!("can't write {}: {error}", path.display())))
}
