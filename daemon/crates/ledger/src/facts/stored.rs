//! The row of a blob's facts: its briefs, its outline and its body. Each is compressed by itself, because most readers need
//! one of them, but with references to the one before, because all three have the names of the file.

use sdl_model::{Body, Facts, Outline};

use super::Briefs;
use crate::Result;
use crate::codec::{columns_of, compress, corrupt_record, decompress, read_columns, unpacked_len};

/// The layout of a row; one that begins with another number counts as missing.
const LAYOUT: u8 = 3;
/// The layout, the length of the briefs and that of the outline.
const HEAD: usize = 9;
/// The size of a decoded outline, as a multiple of its columns, roughly.
const DECODED_FACTOR: usize = 5;
/// The table.
pub(super) const TABLE: &str = "facts";

/// Encoded facts, ready to be stored. Encoding is the expensive part and needs no store: do it where the facts are
/// made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedFacts {
    pub(super) row: Vec<u8>,
}

/// Encodes both halves.
pub fn encode_facts(facts: &Facts) -> Result<EncodedFacts> {
    let briefs_columns = Briefs::of(&facts.outline).columns()?;
    let outline_columns = columns_of(TABLE, &facts.outline)?;
    let briefs = compress(TABLE, &briefs_columns, &[])?;
    let outline = compress(TABLE, &outline_columns, &briefs_columns)?;
    let body = compress(TABLE, &columns_of(TABLE, &facts.body)?, &outline_columns)?;
    let mut row = Vec::with_capacity(HEAD + briefs.len() + outline.len() + body.len());
    row.push(LAYOUT);
    row.extend_from_slice(&(briefs.len() as u32).to_le_bytes());
    row.extend_from_slice(&(outline.len() as u32).to_le_bytes());
    for part in [briefs, outline, body] {
        row.extend_from_slice(&part);
    }
    Ok(EncodedFacts { row })
}

impl EncodedFacts {
    /// The number of bytes it will take.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// Never: every row has a head.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// A row, taken apart.
#[derive(Clone, Copy)]
pub(super) struct StoredFacts<'r> {
    row: &'r [u8],
    briefs: &'r [u8],
    outline: &'r [u8],
    body: &'r [u8],
}

impl<'r> StoredFacts<'r> {
    /// None for a row of another layout.
    pub(super) fn of(row: Option<&'r [u8]>) -> Result<Option<Self>> {
        let Some(row) = row else { return Ok(None) };
        let [LAYOUT, b0, b1, b2, b3, o0, o1, o2, o3, rest @ ..] = row else { return Ok(None) };
        let cut_off = || corrupt_record(TABLE, "a row that is cut off");
        let [briefs, outline] =
            [[*b0, *b1, *b2, *b3], [*o0, *o1, *o2, *o3]].map(|len| u32::from_le_bytes(len) as usize);
        let (briefs, rest) = rest.split_at_checked(briefs).ok_or_else(cut_off)?;
        let (outline, body) = rest.split_at_checked(outline).ok_or_else(cut_off)?;
        Ok(Some(Self { row, briefs, outline, body }))
    }

    fn briefs_columns(self) -> Result<Vec<u8>> {
        decompress(TABLE, self.briefs, &[])
    }

    fn outline_columns(self) -> Result<Vec<u8>> {
        decompress(TABLE, self.outline, &self.briefs_columns()?)
    }

    fn body_columns(self) -> Result<Vec<u8>> {
        decompress(TABLE, self.body, &self.outline_columns()?)
    }

    pub(super) fn briefs(self) -> Result<Briefs> {
        Briefs::of_columns(&self.briefs_columns()?)
    }

    pub(super) fn outline(self) -> Result<Outline> {
        read_columns(TABLE, &self.outline_columns()?)
    }

    pub(super) fn body(self) -> Result<Body> {
        read_columns(TABLE, &self.body_columns()?)
    }

    /// How much memory its outline takes when it is decoded, about.
    pub(super) fn decoded_outline(self) -> usize {
        unpacked_len(self.outline) * DECODED_FACTOR
    }

    /// Whether the two hold the same. Compressed bytes may differ all the same, if another release made them.
    pub(super) fn agrees(self, other: Self) -> Result<bool> {
        Ok(self.row == other.row
            || self.briefs_columns()? == other.briefs_columns()?
                && self.outline_columns()? == other.outline_columns()?
                && self.body_columns()? == other.body_columns()?)
    }
}
