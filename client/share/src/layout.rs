//! The names of objects in a store.
//!
//! ```text
//! commits/RULES/COMMIT        a pointer: which manifest the commit has, and when it was pushed
//! manifests/NAME              the list of a snapshot's packs
//! packs/NN/NAME               a pack
//! ```

use serde::{Deserialize, Serialize};

/// Pointers are below this.
pub(crate) const COMMITS: &str = "commits/";
/// Manifests are below this.
pub(crate) const MANIFESTS: &str = "manifests/";
/// Packs are below this.
pub(crate) const PACKS: &str = "packs/";
/// Objects that a folder's store was writing when its program ended are below this.
pub(crate) const UNFINISHED: &str = ".writing/";
/// The largest pointer, in bytes.
pub(crate) const MAX_POINTER_BYTES: u64 = 4_096;

/// The content of a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pointer {
    /// The name of the manifest.
    pub(crate) manifest: String,
    /// When it was pushed, in seconds since 1970.
    pub(crate) pushed: u64,
}

/// The pointer of a commit. Snapshots of a folder of the tree have pointers of their own.
pub(crate) fn pointer_path(kind: &str, commit: &str, place: &str) -> String {
    let part = match place {
        "" => String::new(),
        place => format!("-{:.16}", blake3::hash(place.as_bytes()).to_hex()),
    };
    format!("{COMMITS}{kind}/{commit}{part}")
}

/// A manifest.
pub(crate) fn manifest_path(name: &str) -> String {
    format!("{MANIFESTS}{name}")
}

/// A pack. In folders by the first digits of its name, because file systems are slow with very many names in one.
pub(crate) fn pack_path(name: &str) -> String {
    format!("{PACKS}{}/{name}", name.get(..2).unwrap_or_default())
}

/// Whether `name` is a hash in hexadecimal digits. No other name is put into a path.
pub(crate) fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Seconds since 1970.
pub(crate) fn now_seconds() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
