//! The fields of each symbol that a list shows, stored beside an outline so that they are found without decoding all of
//! it.
//!
//! In memory, a row of fixed size for each definition, in order, then the names, end to end. On the disk the same in
//! columns.

use std::sync::Arc;

use sdl_model::facts::DefFlags;
use sdl_model::{Outline, SymbolKind};
use serde::{Deserialize, Serialize};

use super::stored::TABLE;
use crate::Result;
use crate::codec::{columns_of, corrupt_record, kind_of, read_columns};

/// The fields of a symbol that a list shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// Its simple name; empty for a module.
    pub name: String,
    /// Its name with those of its owners inside the file.
    pub qualified: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its properties.
    pub flags: DefFlags,
    /// The line of its name.
    pub line: u32,
}

/// Key, line, where the qualified name starts and how long it is, the same of the simple name, flags, kind.
const ROW: usize = 8 + 4 + 4 + 2 + 4 + 2 + 2 + 1;

/// A row, as it is stored.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct StoredBrief {
    key: u64,
    line: u32,
    /// Where the qualified name starts, counted from the end of the one before.
    qualified_at: u32,
    qualified_len: u16,
    name_at: u32,
    name_len: u16,
    flags: u16,
    kind: u8,
}

/// The briefs of one file, as they are stored.
#[derive(Serialize, Deserialize)]
struct StoredBriefs {
    rows: Vec<StoredBrief>,
    texts: String,
}

/// Appends the briefs of an outline.
fn write_briefs(outline: &Outline, out: &mut Vec<u8>) {
    out.extend((outline.defs.len() as u32).to_le_bytes());
    let mut texts = String::new();
    let mut add = |text: &str| {
        let at = texts.len() as u32;
        texts.push_str(text);
        (at, text.len() as u16)
    };
    for def in &outline.defs {
        let qualified = cut_name(outline.str(def.qualified));
        let name = cut_name(outline.str(def.name));
        let (qualified_at, qualified_len) = add(qualified);
        // The simple name is stored as a part of the qualified one where that ends in it, such as `close` in
        // `Session.close`.
        let (name_at, name_len) = if qualified.ends_with(name) {
            (qualified_at + u32::from(qualified_len) - name.len() as u32, name.len() as u16)
        } else {
            add(name)
        };
        let (key, line, flags, kind) = (def.key, def.line, def.flags.0, def.kind as u8);
        StoredBrief { key, line, qualified_at, qualified_len, name_at, name_len, flags, kind }.append(out);
    }
    out.extend(texts.as_bytes());
}

impl StoredBrief {
    fn append(self, out: &mut Vec<u8>) {
        out.extend(self.key.to_le_bytes());
        out.extend(self.line.to_le_bytes());
        out.extend(self.qualified_at.to_le_bytes());
        out.extend(self.qualified_len.to_le_bytes());
        out.extend(self.name_at.to_le_bytes());
        out.extend(self.name_len.to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        out.push(self.kind);
    }

    fn read(row: &[u8; ROW]) -> Self {
        let mut row = Row(row);
        Self {
            key: row.u64(),
            line: row.u32(),
            qualified_at: row.u32(),
            qualified_len: row.u16(),
            name_at: row.u32(),
            name_len: row.u16(),
            flags: row.u16(),
            kind: row.0.first().copied().unwrap_or(u8::MAX),
        }
    }

    /// With places as distances. The stretch of texts so far, before and after this row.
    fn apart(self, end: &mut u32) -> Self {
        let Self { qualified_at, qualified_len, name_at, name_len, .. } = self;
        let qualified_end = qualified_at.wrapping_add(qualified_len.into());
        let name_end = name_at.wrapping_add(name_len.into());
        let apart = Self {
            qualified_at: qualified_at.wrapping_sub(*end),
            name_at: name_end.wrapping_sub(qualified_end),
            ..self
        };
        *end = qualified_end.max(name_end);
        apart
    }

    /// Undoes [`Self::apart`].
    fn together(self, end: &mut u32) -> Self {
        let qualified_at = self.qualified_at.wrapping_add(*end);
        let qualified_end = qualified_at.wrapping_add(self.qualified_len.into());
        let name_end = qualified_end.wrapping_add(self.name_at);
        *end = qualified_end.max(name_end);
        Self { qualified_at, name_at: name_end.wrapping_sub(self.name_len.into()), ..self }
    }
}

/// A name as far as its length can be stored.
fn cut_name(name: &str) -> &str {
    name.get(..name.floor_char_boundary(usize::from(u16::MAX))).unwrap_or("")
}

/// The briefs of one file. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Briefs(Arc<[u8]>);

impl Briefs {
    /// The briefs of an outline that is not stored.
    pub fn of(outline: &Outline) -> Self {
        let mut bytes = Vec::new();
        write_briefs(outline, &mut bytes);
        Self(bytes.into())
    }

    /// The columns that are stored.
    pub(super) fn columns(&self) -> Result<Vec<u8>> {
        let (rows, texts) = self.parts()?;
        let mut end = 0;
        let rows = rows.iter().map(|row| StoredBrief::read(row).apart(&mut end)).collect();
        let texts = std::str::from_utf8(texts).map_err(|_| odd_size())?.to_owned();
        columns_of(TABLE, &StoredBriefs { rows, texts })
    }

    /// Reads those columns.
    pub(super) fn of_columns(columns: &[u8]) -> Result<Self> {
        let StoredBriefs { rows, texts } = read_columns(TABLE, columns)?;
        let mut out = Vec::with_capacity(4 + rows.len() * ROW + texts.len());
        out.extend((rows.len() as u32).to_le_bytes());
        let mut end = 0;
        for row in rows {
            row.together(&mut end).append(&mut out);
        }
        out.extend(texts.as_bytes());
        Ok(Self(out.into()))
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The first definition whose key `is` the wanted one. Costs a look at each key before it.
    pub fn find(&self, is: impl Fn(u64) -> bool) -> Result<Option<Brief>> {
        let (rows, texts) = self.parts()?;
        let is_it = |row: &&[u8; ROW]| row.first_chunk().is_some_and(|key| is(u64::from_le_bytes(*key)));
        let Some(row) = rows.iter().find(is_it) else { return Ok(None) };
        let BriefRow { name, qualified, kind, flags, line, .. } = read_row(row, texts)?;
        Ok(Some(Brief { name: name.to_owned(), qualified: qualified.to_owned(), kind, flags, line }))
    }

    /// Every definition, in order of the outline.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<BriefRow<'_>>>> {
        let (rows, texts) = self.parts()?;
        Ok(rows.iter().map(move |row| read_row(row, texts)))
    }

    /// The rows, and the names that they point into.
    fn parts(&self) -> Result<(&[[u8; ROW]], &[u8])> {
        let (count, rest) = self.0.split_first_chunk::<4>().ok_or_else(odd_size)?;
        let size = (u32::from_le_bytes(*count) as usize).checked_mul(ROW).ok_or_else(odd_size)?;
        let (rows, texts) = rest.split_at_checked(size).ok_or_else(odd_size)?;
        Ok((rows.as_chunks::<ROW>().0, texts))
    }
}

/// A definition, with its names where they are stored. See [`Brief`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BriefRow<'b> {
    /// See [`sdl_model::facts::Def::key`].
    pub key: u64,
    /// Its simple name; empty for a module.
    pub name: &'b str,
    /// Its name with those of its owners inside the file.
    pub qualified: &'b str,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its properties.
    pub flags: DefFlags,
    /// The line of its name.
    pub line: u32,
}

fn odd_size() -> crate::Error {
    corrupt_record(TABLE, "briefs of odd size")
}

fn read_row<'b>(row: &[u8; ROW], texts: &'b [u8]) -> Result<BriefRow<'b>> {
    let row = StoredBrief::read(row);
    let text = |at: u32, len: u16| {
        let bytes = texts.get(at as usize..at as usize + usize::from(len)).ok_or_else(odd_size)?;
        std::str::from_utf8(bytes).map_err(|_| odd_size())
    };
    Ok(BriefRow {
        key: row.key,
        name: text(row.name_at, row.name_len)?,
        qualified: text(row.qualified_at, row.qualified_len)?,
        kind: kind_of(TABLE, row.kind)?,
        flags: DefFlags(row.flags),
        line: row.line,
    })
}

/// A row, or the rest of one.
struct Row<'r>(&'r [u8]);

impl Row<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) =
            self.0.split_first_chunk().map_or(([0; N], &[][..]), |(taken, rest)| (*taken, rest));
        self.0 = rest;
        taken
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::Lang;
    use sdl_model::facts::{Arena, Def};

    use super::*;

    #[test]
    fn damaged_briefs_are_reported_as_damage() {
        let mut arena = Arena::default();
        let (name, qualified) = (arena.strings.push("später"), arena.strings.push("Uhr::später"));
        let outline = Outline {
            arena,
            defs: vec![Def { qualified, key: 7, ..Def::new(name, SymbolKind::Method) }],
            ..Outline::empty(Lang::Rust)
        };
        let mut bytes = Vec::new();
        write_briefs(&outline, &mut bytes);
        let stored = |bytes: &[u8]| Briefs(bytes.into());
        let found = stored(&bytes).find(|key| key == 7).unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.qualified.as_str()), ("später", "Uhr::später"));
        let briefs = stored(&bytes);
        assert_eq!(Briefs::of_columns(&briefs.columns().unwrap()).unwrap(), briefs);
        let rows: Vec<BriefRow<'_>> = briefs.rows().unwrap().collect::<Result<_>>().unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].key, rows[0].name, rows[0].qualified), (7, "später", "Uhr::später"));
        assert_eq!(bytes.len(), 4 + ROW + "Uhr::später".len(), "one text for both");
        for end in 0..bytes.len() {
            assert!(stored(&bytes[..end]).find(|key| key == 7).is_err(), "{end} bytes");
        }
        assert!(stored(&[0xff; 64]).find(|_| true).is_err());
    }
}
