//! The nearest commit of which the store has a snapshot.

use std::ops::Range;

use crate::crew::each_of;
use crate::daemon::Begun;
use crate::layout::{MAX_POINTER_BYTES, Pointer, is_hash, pointer_path};
use crate::manifest::{MAX_MANIFEST_BYTES, Manifest};
use crate::store::Store;
use crate::trouble::Trouble;

/// A snapshot that the store has.
pub(crate) struct Found {
    /// The commit.
    pub(crate) commit: String,
    /// The number of commits between it and HEAD, in the order of the walk.
    pub(crate) distance: usize,
    /// The name of its manifest.
    pub(crate) manifest: String,
}

/// Reads the pointer of a commit, if there is one.
pub(crate) async fn read_pointer(store: &Store, path: &str) -> Result<Option<Pointer>, Trouble> {
    let Some(bytes) = store.read(path, MAX_POINTER_BYTES).await? else { return Ok(None) };
    let pointer: Option<Pointer> = serde_json::from_slice(&bytes).ok();
    let sound = pointer.filter(|pointer| is_hash(&pointer.manifest));
    let damaged = || Trouble::Unsound(format!("the object {path} of the store is damaged; push again"));
    sound.ok_or_else(damaged).map(Some)
}

/// The first of the commits in `range` that has a snapshot. Asks for one alone first, because that is the most likely one, and
/// then for many at a time.
pub(crate) async fn find_nearest(
    store: &Store,
    begun: &Begun,
    range: Range<usize>,
) -> Result<Option<Found>, Trouble> {
    let mut at = range.start;
    let end = range.end.min(begun.ancestors.len());
    while at < end {
        let many = if at == range.start { 1 } else { store.requests.min(end - at) };
        let part: Vec<&String> = begun.ancestors.iter().skip(at).take(many).collect();
        let pointers = each_of(part.iter(), store.requests, |commit| async move {
            read_pointer(store, &pointer_path(&begun.kind, commit, &begun.place)).await
        });
        let mut found = pointers.await?.into_iter().zip(&part).enumerate();
        let first = found.find_map(|(n, (pointer, commit))| Some((n, pointer?, commit)));
        if let Some((n, pointer, commit)) = first {
            let commit = (*commit).clone();
            return Ok(Some(Found { commit, distance: at + n, manifest: pointer.manifest }));
        }
        at += many;
    }
    Ok(None)
}

/// Reads a manifest: its bytes, and its packs.
pub(crate) async fn read_manifest(store: &Store, name: &str) -> Result<(Vec<u8>, Manifest), Trouble> {
    let path = crate::layout::manifest_path(&store.name_of(name));
    let bytes = store.read(&path, MAX_MANIFEST_BYTES).await?.ok_or_else(|| gone(&path))?;
    let manifest = Manifest::parse(&bytes, name)?;
    Ok((bytes, manifest))
}

/// The trouble of an object that a snapshot needs and that the store does not have.
pub(crate) fn gone(path: &str) -> Trouble {
    Trouble::Unsound(format!(
        "the object {path} is not in the store any more: it may have been removed by `sdlctl share gc`; push again"
    ))
}
