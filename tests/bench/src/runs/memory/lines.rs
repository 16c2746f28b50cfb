//! Rows as lines of an export, `sdl-memory/1`.

use std::fmt::Write as _;

use serde_json::{Value, json};

const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// An export that is being made.
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn new(revision: u64) -> Self {
        Self(json!({"format": "sdl-memory/1", "storeRevision": revision}).to_string() + "\n")
    }

    /// Adds a row.
    pub(crate) fn add_row(&mut self, table: &str, key: &[u8], layout: u8, row: &Value) {
        let (table, key) = (json!(table), hex_digits(key));
        // Writing into memory does not fail.
        let _ = writeln!(self.0, "{{\"table\":{table},\"key\":\"{key}\",\"layout\":{layout},\"row\":{row}}}");
    }

    /// The whole file.
    pub(crate) fn finish(mut self) -> String {
        let hash = blake3::hash(self.0.as_bytes()).to_hex();
        let _ = writeln!(self.0, "{}", json!({"blake3": hash.as_str()}));
        self.0
    }
}

/// The key of a row that belongs to a scope.
pub(crate) fn scoped_key(scope: &str, id: &str) -> Vec<u8> {
    [scope.as_bytes(), &[0], id.as_bytes()].concat()
}

/// An id as the daemon makes it: of a time, and of a number in that millisecond.
pub(crate) fn make_id(prefix: &str, at_ms: u64, number: u64) -> String {
    let number = at_ms << 22 | number & 0x3f_ffff;
    let digit = |place: u32| char::from(LETTERS[(number >> (place * 5)) as usize & 31]);
    prefix.chars().chain((0..13).rev().map(digit)).collect()
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
