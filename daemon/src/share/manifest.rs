//! The list of a snapshot's packs. Its name is its own hash, and it lists the hashes of all packs, so who knows the name can
//! check everything.

use serde::{Deserialize, Serialize};

use super::{FORMAT, ShareError, rules_kind};

/// The largest manifest, in bytes.
pub const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// The largest pack, in bytes as it is stored. Rows that don't compress grow by a few bytes.
pub const MAX_PACK_BYTES: u64 = sdl_ledger::MAX_CHUNK_BYTES as u64 + (1 << 20);

/// One pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pack {
    /// The BLAKE3 hash of its bytes as they are stored, in hexadecimal digits.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The size of its rows in bytes.
    pub raw: u64,
}

/// A snapshot: the rows of a ledger at a commit, and the facts that they name. Has no time in it, so that equal trees have
/// equal manifests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// [`rules_kind`].
    pub kind: String,
    /// The commit, in hexadecimal digits. It identifies the repository too, because it hashes the tree and the history.
    pub commit: String,
    /// The folder of the commit's tree that was indexed; empty for all of it.
    pub place: String,
    /// Files with facts.
    pub files: u64,
    /// Symbols.
    pub symbols: u64,
    /// Edges.
    pub edges: u64,
    /// The rows of the ledger, in order.
    pub ledger: Vec<Pack>,
    /// The facts, in order of their keys.
    pub facts: Vec<Pack>,
}

/// Whether `name` is a hash in hexadecimal digits. No other name is ever put into a path.
pub fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl Manifest {
    /// Reads a manifest that came from elsewhere, under the name that it has there.
    ///
    /// # Errors
    /// If its hash is not its name, if it was made by other rules, or if a limit is exceeded.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Self, ShareError> {
        let unsound = |why: String| ShareError::Unsound(format!("the manifest {name:.12}… {why}"));
        if super::pack::hash_name(bytes) != name {
            return Err(unsound("is not what its name says: its hash differs".into()));
        }
        // Read first without the other fields, because a newer format may have others.
        let Format { format } =
            serde_json::from_slice(bytes).map_err(|error| unsound(format!("does not decode: {error}")))?;
        if format != FORMAT {
            return Err(unsound(format!(
                "has format {format}, and this build reads {FORMAT}: update the older of the two programs"
            )));
        }
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| unsound(format!("does not decode: {error}")))?;
        if manifest.kind != rules_kind() {
            let (theirs, ours) = (&manifest.kind, rules_kind());
            return Err(unsound(format!(
                "was made by a build with the rules {theirs}, and this one has {ours}: use the same release on both sides"
            )));
        }
        for pack in manifest.ledger.iter().chain(&manifest.facts) {
            let fits = pack.bytes <= MAX_PACK_BYTES && pack.raw <= sdl_ledger::MAX_CHUNK_BYTES as u64;
            if !is_hash(&pack.name) || !fits {
                return Err(unsound(format!("lists a pack {:?} of {} bytes", pack.name, pack.bytes)));
            }
        }
        Ok(manifest)
    }
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let pack = Pack { name: "a".repeat(64), bytes: 10, raw: 20 };
        Manifest {
            format: FORMAT,
            kind: rules_kind(),
            commit: "c".repeat(40),
            place: String::new(),
            files: 1,
            symbols: 2,
            edges: 3,
            ledger: vec![pack.clone()],
            facts: vec![pack],
        }
    }

    fn parse(manifest: &Manifest) -> Result<Manifest, String> {
        let bytes = serde_json::to_vec(manifest).unwrap();
        Manifest::parse(&bytes, &super::super::pack::hash_name(&bytes)).map_err(|error| error.to_string())
    }

    #[test]
    fn manifests_are_read_if_they_are_whole_and_of_this_build() {
        let good = manifest();
        assert_eq!(parse(&good).unwrap(), good);
        let older = Manifest { kind: "format1-schema1".into(), ..manifest() };
        assert!(parse(&older).unwrap_err().contains("use the same release"));
        let newer = Manifest { format: FORMAT + 1, ..manifest() };
        assert!(parse(&newer).unwrap_err().contains("update the older"));
        for (name, bytes) in [("../../x", 1), (&"A".repeat(64), 1), (&"a".repeat(64), u64::MAX)] {
            let pack = Pack { name: name.to_owned(), bytes, raw: 1 };
            assert!(
                parse(&Manifest { facts: vec![pack], ..manifest() }).unwrap_err().contains("lists a pack")
            );
        }
        let bytes = serde_json::to_vec(&good).unwrap();
        assert!(
            Manifest::parse(&bytes, &"a".repeat(64)).unwrap_err().to_string().contains("its hash differs")
        );
        assert!(Manifest::parse(b"{", &super::super::pack::hash_name(b"{")).is_err());
    }
}
