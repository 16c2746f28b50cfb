//! Ids. Every id is a pure function of names and bytes: two machines that index the same tree compute the same ids.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Lang, RelPath};

/// Bump when the extraction of any language changes what it yields for the same bytes.
pub const EXTRACTOR_VERSION: u32 = 20;

/// The BLAKE3 hash of a blob's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes `bytes`. Linear in their length.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:.8}…")
    }
}

/// Names one blob's facts: facts are a function of bytes, language and extractor version, and of nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactsKey {
    /// The language that the bytes were read as.
    pub lang: Lang,
    /// The bytes.
    pub content: ContentHash,
}

impl FactsKey {
    /// The key's stored form: extractor version (big endian), language, content hash.
    pub fn to_bytes(self) -> [u8; 37] {
        let mut out = [0; 37];
        out[..4].copy_from_slice(&EXTRACTOR_VERSION.to_be_bytes());
        out[4] = self.lang as u8;
        out[5..].copy_from_slice(&self.content.0);
        out
    }
}

fn hash_parts(parts: &[&[u8]]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut out = [0; 8];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_be_bytes(out)
}

/// A stable 64-bit hash of `parts`, in which `["ab", "c"]` and `["a", "bc"]` differ. For keys that are stored.
pub fn stable_hash(parts: &[&[u8]]) -> u64 {
    hash_parts(parts)
}

/// A file of a repository: the hash of its path from the repository's root.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u64);

impl FileId {
    /// The id of the file at `path`.
    pub fn of(path: &RelPath) -> Self {
        Self(hash_parts(&[b"file", path.as_str().as_bytes()]))
    }

    /// The id of the symbol that this file's facts call `key` (see [`crate::facts::Def::key`]).
    pub fn symbol(self, key: u64) -> SymbolId {
        // A 64-bit finalizer (splitmix64) over the two halves; both are already uniform hashes.
        let mut z = self.0.rotate_left(32) ^ key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        SymbolId(z ^ (z >> 31))
    }
}

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f_{:016x}", self.0)
    }
}

/// A symbol's identity: path, descriptor chain and disambiguator. No body, no lines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolId(pub u64);

/// Undoes `z ^ (z >> shift)`.
fn unshift(z: u64, shift: u32) -> u64 {
    let mut out = z;
    // Each round makes `shift` more of the high bits right.
    for _ in 0..64 / shift {
        out = z ^ (out >> shift);
    }
    out
}

impl SymbolId {
    /// The id of the same symbol if the number of its file were another: `FileId(f ^ by).symbol(key)` for
    /// `FileId(f).symbol(key)`. Undoes itself.
    #[must_use]
    pub fn moved(self, by: u64) -> Self {
        // The steps of `FileId::symbol`, backwards. The factors are the inverses of those there.
        let mut z = unshift(self.0, 31).wrapping_mul(0x3196_42b2_d24d_8ec3);
        z = unshift(z, 27).wrapping_mul(0x96de_1b17_3f11_9089);
        z = unshift(z, 30) ^ by.rotate_left(32);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(z ^ (z >> 31))
    }
}

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = *b"s_0123456789abc";
        for (shift, byte) in (0..13).rev().zip(&mut text[2..]) {
            *byte = ALPHABET[(self.0 >> (shift * 5)) as usize & 31];
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {what}")]
pub struct BadId {
    text: String,
    what: &'static str,
}

impl FromStr for SymbolId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let bad =
            || BadId { text: text.chars().take(40).collect(), what: "a symbol id (s_ and 13 characters)" };
        let digits = text.strip_prefix("s_").filter(|d| d.len() == 13).ok_or_else(bad)?;
        let mut value: u64 = 0;
        for (i, byte) in digits.bytes().enumerate() {
            let digit = ALPHABET.iter().position(|a| *a == byte).ok_or_else(bad)? as u64;
            if i == 0 && digit > 15 {
                return Err(bad());
            }
            value = (value << 5) | digit;
        }
        Ok(Self(value))
    }
}

/// A ledger version: a sequence that starts at the ledger's creation time in Unix milliseconds and only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version(pub u64);

impl Version {
    /// The next version.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl FromStr for Version {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        text.strip_prefix('v')
            .filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|d| d.parse().ok())
            .map(Self)
            .ok_or_else(|| BadId {
                text: text.chars().take(40).collect(),
                what: "a version (v and a number)",
            })
    }
}

/// Drawn at random when a ledger is created; tells two ledgers of one tree apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Incarnation(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_ids_survive_their_text_form() {
        for value in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            let id = SymbolId(value);
            assert_eq!(id.to_string().parse::<SymbolId>(), Ok(id));
        }
        assert!("s_zzzzzzzzzzzzz".parse::<SymbolId>().is_err(), "more than 64 bits");
        assert!("s_123".parse::<SymbolId>().is_err());
    }

    #[test]
    fn a_symbol_moves_with_its_file() {
        for n in 0..2_000u64 {
            let [file, by, key] = [1u8, 2, 3].map(|part| stable_hash(&[&[part], &n.to_le_bytes()]));
            let moved = FileId(file).symbol(key).moved(by);
            assert_eq!(moved, FileId(file ^ by).symbol(key));
            assert_eq!(moved.moved(by), FileId(file).symbol(key));
        }
    }

    #[test]
    fn versions_survive_their_text_form() {
        assert_eq!(Version(17).to_string().parse::<Version>(), Ok(Version(17)));
        assert!("17".parse::<Version>().is_err());
        assert!("v+17".parse::<Version>().is_err());
    }
}
