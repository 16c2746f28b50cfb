//! The fields of each symbol that a list shows, stored before an outline so that they are found without decoding all of
//! it.
//!
//! A row of fixed size for each definition, in order, then the names, end to end.

use sdl_model::facts::DefFlags;
use sdl_model::{Outline, SymbolKind};

use crate::Result;
use crate::codec::{corrupt_record, kind_of};

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

/// Appends the briefs of an outline.
pub(super) fn write_briefs(outline: &Outline, out: &mut Vec<u8>) {
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
        out.extend(def.key.to_le_bytes());
        out.extend(def.line.to_le_bytes());
        out.extend(qualified_at.to_le_bytes());
        out.extend(qualified_len.to_le_bytes());
        out.extend(name_at.to_le_bytes());
        out.extend(name_len.to_le_bytes());
        out.extend(def.flags.0.to_le_bytes());
        out.push(def.kind as u8);
    }
    out.extend(texts.as_bytes());
}

/// A name as far as its length can be stored.
fn cut_name(name: &str) -> &str {
    name.get(..name.floor_char_boundary(usize::from(u16::MAX))).unwrap_or("")
}

/// The briefs of one file, as they are stored.
#[derive(Clone, Debug)]
pub struct Briefs(Box<[u8]>);

impl Briefs {
    /// The briefs of an outline that is not stored.
    pub fn of(outline: &Outline) -> Self {
        let mut bytes = Vec::new();
        write_briefs(outline, &mut bytes);
        Self(bytes.into())
    }

    pub(super) fn stored(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The first definition whose key `is` the wanted one. Costs a look at each key before it.
    pub fn find(&self, is: impl Fn(u64) -> bool) -> Result<Option<Brief>> {
        let odd = || corrupt_record("outlines", "briefs of odd size");
        let (count, rest) = self.0.split_first_chunk::<4>().ok_or_else(odd)?;
        let size = (u32::from_le_bytes(*count) as usize).checked_mul(ROW).ok_or_else(odd)?;
        let (rows, texts) = rest.split_at_checked(size).ok_or_else(odd)?;
        let (rows, _) = rows.as_chunks::<ROW>();
        let is_it = |row: &&[u8; ROW]| row.first_chunk().is_some_and(|key| is(u64::from_le_bytes(*key)));
        let Some(row) = rows.iter().find(is_it) else { return Ok(None) };
        let mut row = Row(row.get(8..).unwrap_or_default());
        let (line, qualified, name) = (row.u32(), (row.u32(), row.u16()), (row.u32(), row.u16()));
        let (flags, kind) = (row.u16(), row.0.first().copied().unwrap_or(u8::MAX));
        let text = |(at, len): (u32, u16)| {
            let bytes = texts.get(at as usize..at as usize + usize::from(len)).ok_or_else(odd)?;
            Ok::<_, crate::Error>(std::str::from_utf8(bytes).map_err(|_| odd())?.to_owned())
        };
        Ok(Some(Brief {
            name: text(name)?,
            qualified: text(qualified)?,
            kind: kind_of("outlines", kind)?,
            flags: DefFlags(flags),
            line,
        }))
    }
}

/// The rest of a row.
struct Row<'r>(&'r [u8]);

impl Row<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) =
            self.0.split_first_chunk().map_or(([0; N], &[][..]), |(taken, rest)| (*taken, rest));
        self.0 = rest;
        taken
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
        let found = Briefs::stored(&bytes).find(|key| key == 7).unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.qualified.as_str()), ("später", "Uhr::später"));
        assert_eq!(bytes.len(), 4 + ROW + "Uhr::später".len(), "one text for both");
        for end in 0..bytes.len() {
            assert!(Briefs::stored(&bytes[..end]).find(|key| key == 7).is_err(), "{end} bytes");
        }
        assert!(Briefs::stored(&[0xff; 64]).find(|_| true).is_err());
    }
}
