//! Slices as compact JSON and as text.

use serde_json::Value;

use crate::slice::{SliceDoc, WireFormat};
use crate::{Result, UserError};

/// Writes a slice in a format.
pub fn encode(doc: &SliceDoc, format: WireFormat) -> Result<Value> {
    let _ = format;
    Ok(serde_json::to_value(doc)?)
}

/// Reads a slice in any format.
pub fn decode(value: &Value) -> Result<SliceDoc> {
    serde_json::from_value(value.clone()).map_err(|err| UserError::BadWire(err.to_string()).into())
}

/// A slice as text, never more tokens than its JSON in the smallest format.
pub fn text(doc: &SliceDoc) -> String {
    doc.cards.iter().map(|card| crate::card::text(card) + "\n").collect()
}
