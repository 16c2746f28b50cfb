//! Keys.

use std::borrow::Cow;

use sdl_model::Version;
use sdl_model::ids::stable_hash;

use super::corrupt_record;
use crate::Result;

/// Size of a file in a table of several.
pub(crate) const FILE_ITEM: usize = 8;
/// Size of a file in the table of questions.
pub(crate) const ASKED_ITEM: usize = 8;
/// A text longer than this is cut there, and its hash follows, because LMDB takes keys of at most 511 bytes.
pub(crate) const LONG_TEXT: usize = 480;

/// The key of a file, a symbol, a version or a lookup key's hash.
pub(crate) fn id_key(id: u64) -> [u8; 8] {
    id.to_be_bytes()
}

/// The key under which a symbol is with those whose ids begin with the same twelve bits.
pub(crate) fn symbol_key(symbol: u64) -> [u8; 2] {
    ((symbol >> 52) as u16).to_be_bytes()
}

/// The id in the first eight bytes.
pub(crate) fn id_at(table: &'static str, bytes: &[u8]) -> Result<u64> {
    bytes
        .first_chunk::<8>()
        .map(|id| u64::from_be_bytes(*id))
        .ok_or_else(|| corrupt_record(table, "too short for an id"))
}

/// The key of the value that `id` had before `version`.
pub(crate) fn history_key(id: u64, version: Version) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&id.to_be_bytes());
    key[8..].copy_from_slice(&version.0.to_be_bytes());
    key
}

/// Takes such a key apart.
pub(crate) fn split_history_key(table: &'static str, key: &[u8]) -> Result<(u64, Version)> {
    if key.len() != 16 {
        return Err(corrupt_record(table, "a key that is not 16 bytes long"));
    }
    Ok((id_at(table, key)?, Version(id_at(table, &key[8..])?)))
}

/// The key of a text: its bytes. The empty text is a zero byte, which no path or name has. Of a long one the first
/// [`LONG_TEXT`] bytes, a zero, a one and the hash of all: nothing else begins with a text and these two bytes.
pub(crate) fn text_key(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        Cow::Borrowed(&[0])
    } else if bytes.len() <= LONG_TEXT {
        Cow::Borrowed(bytes)
    } else {
        let mut key = bytes[..LONG_TEXT].to_vec();
        key.extend_from_slice(&[0, 1]);
        key.extend_from_slice(&stable_hash(&[bytes]).to_be_bytes());
        Cow::Owned(key)
    }
}

/// The value of a path's key: the file, and the path where the key does not hold all of it.
pub(crate) fn path_value(file: u64, path: &str) -> Vec<u8> {
    let mut value = file.to_be_bytes().to_vec();
    if path.len() > LONG_TEXT {
        value.extend_from_slice(path.as_bytes());
    }
    value
}

/// The file and the path of a row of the table of paths.
pub(crate) fn unpack_path_value<'r>(key: &'r [u8], value: &'r [u8]) -> Result<(u64, &'r str)> {
    let file = id_at("paths", value)?;
    let path = if value.len() > 8 { &value[8..] } else { key };
    let path = std::str::from_utf8(path).map_err(|_| corrupt_record("paths", "a path that is not UTF-8"))?;
    Ok((file, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_have_short_and_different_keys() {
        let a = "x".repeat(600);
        let b = format!("{a}y");
        assert!(text_key(&a).len() < 511);
        assert_ne!(text_key(&a), text_key(&b));
        assert_eq!(&text_key(&a)[..LONG_TEXT], &a.as_bytes()[..LONG_TEXT]);
        assert_eq!(&*text_key(""), &[0]);
    }

    #[test]
    fn history_keys_sort_by_id_then_version() {
        let key = history_key(7, Version(9));
        assert_eq!(split_history_key("t", &key).unwrap(), (7, Version(9)));
        assert!(history_key(7, Version(256)) > key);
        assert!(history_key(256, Version(0)) > key);
        assert!(split_history_key("t", &key[..15]).is_err());
    }
}
