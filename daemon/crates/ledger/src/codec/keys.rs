//! Keys.

use std::borrow::Cow;

use sdl_model::ids::stable_hash;
use sdl_model::{FileId, Version};

use super::corrupt_record;
use crate::Result;

/// Size of a file in a table of several.
pub(crate) const FILE_ITEM: usize = 8;
/// Size of a number of 32 bits in a table of several: a question or the mark of a file. The zeros before it take no room in a block of two or more.
pub(crate) const SHORT_ITEM: usize = 8;
/// A text longer than this is cut there, and its hash follows, because LMDB takes keys of at most 511 bytes.
pub(crate) const LONG_TEXT: usize = 480;

/// The key of a file, a symbol or a version.
pub(crate) fn id_key(id: u64) -> [u8; 8] {
    id.to_be_bytes()
}

/// The key under which a symbol is with those whose ids begin with the same twelve bits.
pub(crate) fn symbol_key(symbol: u64) -> [u8; 2] {
    ((symbol >> 52) as u16).to_be_bytes()
}

/// The key of a lookup key's hash.
pub(crate) fn question_key(hash: u32) -> [u8; 4] {
    hash.to_be_bytes()
}

/// Reads such a key.
pub(crate) fn question_of_key(table: &'static str, key: &[u8]) -> Result<u32> {
    let bytes = key.try_into().map_err(|_| corrupt_record(table, "a question of odd size"))?;
    Ok(u32::from_be_bytes(bytes))
}

/// The first half of a file's id, which represents the file where a whole id would be too long. Two files may share one.
pub(crate) fn file_mark(file: FileId) -> u32 {
    (file.0 >> 32) as u32
}

/// A number in a table of several.
pub(crate) fn short_item(number: u32) -> [u8; SHORT_ITEM] {
    u64::from(number).to_be_bytes()
}

/// Reads such an item.
pub(crate) fn short_at(table: &'static str, item: &[u8]) -> Result<u32> {
    let whole: [u8; SHORT_ITEM] =
        item.try_into().map_err(|_| corrupt_record(table, "an item of odd size"))?;
    u32::try_from(u64::from_be_bytes(whole)).map_err(|_| corrupt_record(table, "a number that is too large"))
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
    fn short_numbers_survive_and_others_are_refused() {
        for number in [0, 7, u32::MAX] {
            assert_eq!(short_at("t", &short_item(number)).unwrap(), number);
            assert_eq!(question_of_key("t", &question_key(number)).unwrap(), number);
        }
        assert!(short_at("t", &(1_u64 << 32).to_be_bytes()).is_err());
        assert!(short_at("t", &[0; 7]).is_err());
        assert!(question_of_key("t", &[0; 8]).is_err());
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
