//! Slices as compact JSON and as text.
//!
//! `standard` is [`SliceDoc`] as serde writes it. The compact formats hold exactly the same and decode to it:
//!
//! * v1: every id once, in `symbolIndex`, and its number wherever it is meant; one-letter keys; arrays for edges;
//! * v2: and paths and edge types that occur more than once in the tables `paths` and `types`;
//! * v3: and edges, as well as the dependencies of a card, grouped by their common parts.
//!
//! `docs/wire.md` describes all of them for clients; tests hold that page to this module.

mod cards;
mod decode;
mod edges;
mod encode;
mod tables;
mod text;

pub use text::slice_text;

use serde_json::Value;

use crate::slice::{SliceDoc, WireFormat};
use crate::{Result, UserError};

/// Writes a slice in a format.
pub fn encode_slice(doc: &SliceDoc, format: WireFormat) -> Result<Value> {
    match format {
        WireFormat::Standard => Ok(serde_json::to_value(doc)?),
        WireFormat::CompactV1 => Ok(encode::encode_compact(doc, 1)),
        WireFormat::CompactV2 => Ok(encode::encode_compact(doc, 2)),
        WireFormat::CompactV3 => Ok(encode::encode_compact(doc, 3)),
    }
}

/// Reads a slice in any format.
pub fn decode_slice(value: &Value) -> Result<SliceDoc> {
    if value.get("v").is_some() {
        let doc = decode::decode_document(value)
            .ok_or_else(|| UserError::BadWire("it is not shaped as a compact slice is".into()))?;
        return Ok(doc);
    }
    serde_json::from_value(value.clone()).map_err(|err| UserError::BadWire(err.to_string()).into())
}
