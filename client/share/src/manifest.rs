//! The list of a snapshot's packs, as far as this program needs it. The daemon, which wrote it, reads and checks all of it.

use serde::Deserialize;

use crate::layout::is_hash;
use crate::trouble::Trouble;

/// The largest manifest, in bytes.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 64 << 20;
/// The largest pack, in bytes.
const MAX_PACK_BYTES: u64 = 65 << 20;

/// One pack.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Pack {
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

/// The packs of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Manifest {
    ledger: Vec<Pack>,
    facts: Vec<Pack>,
}

impl Manifest {
    /// Reads a manifest under the name that it has in the store.
    pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Self, Trouble> {
        let unsound = |why: String| Trouble::Unsound(format!("the manifest {name:.12}… {why}; push again"));
        if blake3::hash(bytes).to_hex().as_str() != name {
            return Err(unsound("is damaged: its hash is not its name".into()));
        }
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| unsound(format!("does not decode: {error}")))?;
        let odd = manifest.packs().find(|pack| !is_hash(&pack.name) || pack.bytes > MAX_PACK_BYTES);
        if let Some(Pack { name, bytes }) = odd {
            return Err(unsound(format!("lists a pack {name:?} of {bytes} bytes")));
        }
        Ok(manifest)
    }

    /// All packs. The same one may come twice.
    pub(crate) fn packs(&self) -> impl Iterator<Item = &Pack> {
        self.ledger.iter().chain(&self.facts)
    }
}
