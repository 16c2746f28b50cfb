//! The stored form of rows: a layout, a seal, and the sealed JSON. The seal is a hash under a key that is in a file of
//! its own. A program that can write the store but has not read the key therefore can't forge a row.

use std::path::Path;

use serde::{Deserialize, Serialize};

use sdl_settings::trust;

use crate::guard::random::{KEY_BYTES, random_key};

/// The layout of rows from before there was a key: a plain hash.
const PLAIN: u8 = 1;
/// The layout of rows.
const KEYED: u8 = 2;

/// Seals rows and checks seals.
#[derive(Clone)]
pub(super) struct Seal([u8; KEY_BYTES]);

/// A stored value, unchanged since it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored<T> {
    /// Its hash.
    pub(super) hash: String,
    /// Whether the hash is one under the key.
    pub(super) keyed: bool,
    pub(super) value: T,
}

impl Seal {
    /// Creates a seal with a new random key.
    pub(super) fn new() -> std::io::Result<Self> {
        random_key().map(Self)
    }

    /// Reads the key from its file; none if there is no file. The error says why the file is not accepted.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, String> {
        let Some(bytes) = trust::read_private(path, KEY_BYTES as u64)? else { return Ok(None) };
        let key = bytes.try_into().map_err(|_| format!("has not {KEY_BYTES} bytes"))?;
        Ok(Some(Self(key)))
    }

    /// Writes the key to the file.
    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        trust::write_private(path, &self.0)
    }

    /// Returns the hash of `bytes` under the key.
    pub(super) fn hash(&self, bytes: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.0, bytes)
    }

    /// Returns the hash and the stored form.
    pub(super) fn encoded(&self, value: &impl Serialize) -> (String, Vec<u8>) {
        // Serializing plain types into memory can't fail; `verify` would find an empty row.
        let json = serde_json::to_vec(value).unwrap_or_default();
        let hash = self.hash(&json);
        let mut bytes = vec![KEYED];
        bytes.extend_from_slice(hash.as_bytes());
        bytes.extend_from_slice(&json);
        (hash.to_hex().to_string(), bytes)
    }

    /// Returns the value of a stored form with its hash; none if the form was changed.
    pub(super) fn decoded<T: for<'de> Deserialize<'de>>(&self, bytes: &[u8]) -> Option<Stored<T>> {
        let (&layout, rest) = bytes.split_first()?;
        let (hash, json) = rest.split_at_checked(blake3::OUT_LEN)?;
        let (made, keyed) = match layout {
            PLAIN => (blake3::hash(json), false),
            KEYED => (self.hash(json), true),
            _ => return None,
        };
        if made.as_bytes() != hash {
            return None;
        }
        Some(Stored { hash: made.to_hex().to_string(), keyed, value: serde_json::from_slice(json).ok()? })
    }

    /// Returns the content of a row, whether or not its seal holds. For display only: don't trust it.
    pub(super) fn unchecked<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<(String, T)> {
        let (hash, json) = bytes.get(1..)?.split_at_checked(blake3::OUT_LEN)?;
        let hash = blake3::Hash::from_slice(hash).ok()?;
        Some((hash.to_hex().to_string(), serde_json::from_slice(json).ok()?))
    }
}

#[cfg(test)]
pub(super) fn plain_seal(value: &impl Serialize) -> (String, Vec<u8>) {
    let json = serde_json::to_vec(value).unwrap();
    let hash = blake3::hash(&json);
    ([hash.to_hex().as_str()].concat(), [&[PLAIN], hash.as_bytes().as_slice(), &json].concat())
}
