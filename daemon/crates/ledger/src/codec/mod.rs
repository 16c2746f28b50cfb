//! How keys and records are stored. One function pair per kind; nothing else in this crate knows a layout.

mod columns;
mod edges;
mod keys;
mod packed;
pub(crate) mod public;
mod resolved;
mod varint;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

pub(crate) use edges::{
    EDGE_LEN, IN_EDGE_ITEM, PackedInEdge, expand_edges, in_edge_of, pack_edges, shorten_edges, unpack_edges,
    unpack_in_edge,
};
pub(crate) use keys::{
    FILE_ITEM, LONG_TEXT, SHORT_ITEM, file_mark, history_key, id_at, id_key, path_value, question_key,
    question_of_key, short_at, short_item, split_history_key, symbol_key, text_key, unpack_path_value,
};
pub(crate) use packed::{
    columns_of, compress, decompress, pack_record, read_columns, unpack_record, unpacked_len,
};
pub use public::Public;
pub(crate) use public::{
    NAME_ITEM, POSTING_ITEM, is_free_hit, kind_of, pack_hit, pack_home, pack_inclusions, pack_posting,
    unpack_hit, unpack_inclusions, unpack_item_hit, unpack_posting,
};
pub(crate) use resolved::{pack_resolved, unpack_resolved};
pub(crate) use varint::{put_varint, take_varint};

/// No record is larger. The limit exists because a length in a damaged record must not ask for all memory.
const LIMIT: usize = 256 << 20;

fn codec_config() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<LIMIT>()
}

/// Stores a record of plain shape.
pub(crate) fn encode_record<T: Serialize>(table: &'static str, value: &T) -> Result<Vec<u8>> {
    bincode::serde::encode_to_vec(value, codec_config()).map_err(|error| not_encoded(table, &error))
}

/// Appends a record of plain shape to `out`.
pub(crate) fn encode_into<T: Serialize>(table: &'static str, value: &T, out: &mut Vec<u8>) -> Result<()> {
    bincode::serde::encode_into_std_write(value, out, codec_config())
        .map(|_| ())
        .map_err(|error| not_encoded(table, &error))
}

/// Reads a record of plain shape, all of it.
pub(crate) fn decode_record<T: DeserializeOwned>(table: &'static str, bytes: &[u8]) -> Result<T> {
    match bincode::serde::decode_from_slice(bytes, codec_config()) {
        Ok((value, read)) if read == bytes.len() => Ok(value),
        Ok((_, read)) => Err(corrupt_record(table, format!("{} bytes after its end", bytes.len() - read))),
        Err(error) => Err(corrupt_record(table, error.to_string())),
    }
}

fn not_encoded(table: &'static str, error: &bincode::error::EncodeError) -> Error {
    tracing::error!(table, %error, "a record can't be encoded");
    Error::Misuse("a record can't be encoded")
}

/// The complaint about a record.
pub(crate) fn corrupt_record(table: &'static str, why: impl Into<String>) -> Error {
    Error::Corrupt { table, why: why.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sdl_model::{Body, Outline};

    use super::*;

    proptest! {
        /// Whatever is stored: an answer or an error, within bounds.
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = unpack_record::<Public>("t", &bytes);
            let _ = unpack_inclusions(&bytes);
            let _ = decompress("t", &bytes, &bytes);
            let _ = read_columns::<Outline>("t", &bytes);
            let _ = read_columns::<Body>("t", &bytes);
            let _ = unpack_resolved(&bytes);
            if let Ok(packed) = expand_edges("t", &bytes) {
                let _ = unpack_edges("t", &packed);
            }
        }
    }
}
