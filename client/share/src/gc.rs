//! `gc`: removes old snapshots, and the objects that no other one needs.
//!
//! The order makes it safe beside pushes and pulls. Pointers of old snapshots go first. Then all pointers are listed again, so
//! that a push that ended meanwhile counts. Objects that none of them needs go last, and none that is younger than an hour,
//! because it may be of a push that runs. A pull that began before may meet an object that is gone; it says so, and indexes.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::json;

use crate::crew::each_of;
use crate::layout::{COMMITS, MANIFESTS, PACKS, Pointer, UNFINISHED, manifest_path, now_seconds, pack_path};
use crate::nearest::{read_manifest, read_pointer};
use crate::report::{Report, bytes_text};
use crate::store::{Listed, Store};
use crate::trouble::Trouble;

/// Objects younger than this are kept, in seconds.
const YOUNG: u64 = 3_600;
const DAY: u64 = 24 * 3_600;

/// Removes snapshots that were pushed more than `keep_days` ago, and the objects that no other one needs.
pub(crate) async fn collect_garbage(store: &Store, keep_days: u64) -> Result<Report, Trouble> {
    let started = Instant::now();
    let oldest = now_seconds().saturating_sub(keep_days.saturating_mul(DAY).max(YOUNG));
    let before = pointers_of(store).await?;
    let old: Vec<&String> =
        before.iter().filter(|(_, pointer)| pointer.pushed < oldest).map(|(path, _)| path).collect();
    each_of(old.iter(), store.requests, |path| store.remove(path)).await?;
    let kept = pointers_of(store).await?;
    let needed = needed_objects(store, &kept).await?;
    let mut removed = Removed::default();
    // Manifests before packs, because a manifest without its packs is of no use.
    for folder in [MANIFESTS, PACKS, UNFINISHED] {
        let listed = store.list(folder).await?;
        removed.take(store, listed, &needed).await?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let Removed { objects, bytes, young } = removed;
    Ok(Report {
        data: json!({
            "snapshotsKept": kept.len(), "snapshotsRemoved": old.len(), "objectsKept": needed.len(), "objectsRemoved": objects,
            "bytesRemoved": bytes, "objectsTooYoung": young, "requests": store.traffic().1, "seconds": seconds,
        }),
        lines: vec![format!(
            "{} snapshots removed, {} kept; {objects} objects removed ({}), {} kept, {young} of nobody are younger than an hour; \
             {seconds:.1} s",
            old.len(),
            kept.len(),
            bytes_text(bytes),
            needed.len()
        )],
        concern: None,
    })
}

/// All pointers with their paths. One that can't be read ends the run, because a wrong key must not make everything garbage.
async fn pointers_of(store: &Store) -> Result<Vec<(String, Pointer)>, Trouble> {
    let listed = store.list(COMMITS).await?;
    let read = each_of(listed, store.requests, |listed| async move {
        let pointer = read_pointer(store, &listed.path).await?;
        Ok(pointer.map(|pointer| (listed.path, pointer)))
    });
    Ok(read.await?.into_iter().flatten().collect())
}

/// The paths of the manifests and packs that these snapshots need.
async fn needed_objects(store: &Store, kept: &[(String, Pointer)]) -> Result<BTreeSet<String>, Trouble> {
    let names: BTreeSet<&String> = kept.iter().map(|(_, pointer)| &pointer.manifest).collect();
    let mut needed = BTreeSet::new();
    let read = each_of(names, store.requests, |name| async move {
        let (_, manifest) = read_manifest(store, name).await?;
        let packs = manifest.packs().map(|pack| pack_path(&store.name_of(&pack.name)));
        Ok(packs.chain([manifest_path(&store.name_of(name))]).collect::<BTreeSet<String>>())
    });
    for objects in read.await? {
        needed.extend(objects);
    }
    Ok(needed)
}

#[derive(Default)]
struct Removed {
    objects: usize,
    bytes: u64,
    /// Objects of nobody that were kept because of their age.
    young: usize,
}

impl Removed {
    async fn take(
        &mut self,
        store: &Store,
        listed: Vec<Listed>,
        needed: &BTreeSet<String>,
    ) -> Result<(), Trouble> {
        let unneeded = listed.into_iter().filter(|listed| !needed.contains(&listed.path));
        let (old, young): (Vec<Listed>, Vec<Listed>) = unneeded.partition(|listed| listed.age >= YOUNG);
        self.young += young.len();
        self.objects += old.len();
        self.bytes += old.iter().map(|listed| listed.bytes).sum::<u64>();
        each_of(old.iter(), store.requests, |listed| store.remove(&listed.path)).await?;
        Ok(())
    }
}
