//! The published part of a file: names, and the search postings.

use sdl_model::facts::{imported_modules, names_in};
use sdl_model::{Facts, FileId, Lang, Outline, SymbolId, SymbolKind};
use serde::{Deserialize, Serialize};

use super::corrupt_record;
use crate::{NameHit, Result, SymbolHome, TermHit};

/// Size of a definition in the table of names.
pub(crate) const NAME_ITEM: usize = 17;
/// Size of a symbol's record in the table of ids.
pub(crate) const HOME: usize = 9;
/// Size of a posting.
pub(crate) const POSTING_ITEM: usize = 12;
/// A posting, stored.
pub(crate) type PackedPosting = [u8; POSTING_ITEM];

/// The published part of an indexed file: all that the store must know of its outline, so that replacing the file later
/// needs no old facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Public {
    /// [`Outline::interface`].
    pub(crate) interface: u64,
    /// The language's stored number, with [`GENERATED`] if the file bears a generator's mark.
    pub(crate) lang: u8,
    /// The package that the file declares.
    pub(crate) package: Option<String>,
    /// The modules that it imports, sorted: see [`imported_modules`].
    pub(crate) imports: Vec<String>,
    /// Its symbols, sorted, without doubles.
    pub(crate) defs: Vec<PublicDef>,
}

/// Languages are numbered below this.
const GENERATED: u8 = 1 << 7;

/// One symbol of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PublicDef {
    /// The symbol.
    pub(crate) symbol: SymbolId,
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// The names that it is found by, as [`Outline::published`] gives them; empty for none.
    pub(crate) name: String,
}

impl Public {
    /// Publishes the outline of `file`, without its imports.
    pub fn of(file: FileId, outline: &Outline) -> Self {
        let mut defs: Vec<PublicDef> = outline
            .defs
            .iter()
            .map(|def| PublicDef { symbol: file.symbol(def.key), kind: def.kind, name: String::new() })
            .collect();
        for (ix, name) in outline.published() {
            if let Some(def) = defs.get_mut(ix.0 as usize) {
                def.name = name.into_owned();
            }
        }
        defs.sort_unstable();
        defs.dedup_by_key(|def| def.symbol);
        Self {
            interface: outline.interface,
            lang: outline.lang as u8 | if outline.is_generated() { GENERATED } else { 0 },
            package: outline.package.map(|package| outline.str(package).to_owned()),
            imports: Vec::new(),
            defs,
        }
    }

    /// Publishes a file, with the modules that it imports.
    pub(crate) fn of_facts(file: FileId, facts: &Facts) -> Self {
        Self {
            imports: imported_modules(&facts.outline, &facts.body).into_iter().collect(),
            ..Self::of(file, &facts.outline)
        }
    }

    /// The language.
    pub(crate) fn lang(&self) -> Option<Lang> {
        Lang::from_number(self.lang & !GENERATED)
    }

    /// Whether the file bears a generator's mark.
    pub(crate) fn is_generated(&self) -> bool {
        self.lang & GENERATED != 0
    }

    /// The definitions that are found by name, with their stored form.
    pub(crate) fn listed(&self, file: FileId) -> impl Iterator<Item = (&str, [u8; NAME_ITEM])> {
        self.defs.iter().flat_map(move |def| {
            let hit = pack_hit(NameHit { symbol: def.symbol, file, kind: def.kind });
            names_in(&def.name).map(move |name| (name, hit))
        })
    }
}

/// Stores where a symbol is defined.
pub(crate) fn pack_home(home: SymbolHome) -> [u8; HOME] {
    let mut row = [0; HOME];
    row[..8].copy_from_slice(&home.file.0.to_be_bytes());
    row[8] = home.kind as u8;
    row
}

/// Reads where a symbol is defined.
pub(crate) fn unpack_home(row: &[u8]) -> Result<SymbolHome> {
    let Ok(&[f0, f1, f2, f3, f4, f5, f6, f7, kind]) = <&[u8; HOME]>::try_from(row) else {
        return Err(corrupt_record("symbols", format!("a row of {} bytes", row.len())));
    };
    let file = FileId(u64::from_be_bytes([f0, f1, f2, f3, f4, f5, f6, f7]));
    Ok(SymbolHome { file, kind: kind_of("symbols", kind)? })
}

pub(crate) fn kind_of(table: &'static str, number: u8) -> Result<SymbolKind> {
    let known = SymbolKind::ALL.into_iter().find(|known| *known as u8 == number);
    known.ok_or_else(|| corrupt_record(table, format!("symbol kind {number}")))
}

/// Stores a definition found by name.
pub(crate) fn pack_hit(hit: NameHit) -> [u8; NAME_ITEM] {
    let mut item = [0; NAME_ITEM];
    item[..8].copy_from_slice(&hit.symbol.0.to_be_bytes());
    item[8..16].copy_from_slice(&hit.file.0.to_be_bytes());
    item[16] = hit.kind as u8;
    item
}

/// Reads a definition found by name.
pub(crate) fn unpack_hit(item: &[u8; NAME_ITEM]) -> Result<NameHit> {
    let [symbol @ .., f0, f1, f2, f3, f4, f5, f6, f7, kind] = *item;
    Ok(NameHit {
        symbol: SymbolId(u64::from_be_bytes(symbol)),
        file: FileId(u64::from_be_bytes([f0, f1, f2, f3, f4, f5, f6, f7])),
        kind: kind_of("names", kind)?,
    })
}

/// Stores a posting.
pub(crate) fn pack_posting(hit: TermHit) -> PackedPosting {
    let mut item = [0; POSTING_ITEM];
    item[..8].copy_from_slice(&hit.symbol.0.to_be_bytes());
    item[8..10].copy_from_slice(&hit.impact.to_be_bytes());
    item[10..].copy_from_slice(&hit.flags.to_be_bytes());
    item
}

/// Reads a posting.
pub(crate) fn unpack_posting(item: &PackedPosting) -> TermHit {
    let [symbol @ .., i0, i1, f0, f1] = *item;
    TermHit {
        symbol: SymbolId(u64::from_be_bytes(symbol)),
        impact: u16::from_be_bytes([i0, i1]),
        flags: u16::from_be_bytes([f0, f1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_postings_survive() {
        let hit = NameHit { symbol: SymbolId(77), file: FileId(u64::MAX), kind: SymbolKind::Impl };
        assert_eq!(unpack_hit(&pack_hit(hit)).unwrap(), hit);
        let mut bad = pack_hit(hit);
        bad[16] = 200;
        assert!(unpack_hit(&bad).is_err());
        let home = SymbolHome { file: FileId(9), kind: SymbolKind::Method };
        assert_eq!(unpack_home(&pack_home(home)).unwrap(), home);
        assert!(unpack_home(&pack_home(home)[1..]).is_err());
        let posting = TermHit { symbol: SymbolId(5), impact: 65_000, flags: 3 };
        assert_eq!(unpack_posting(&pack_posting(posting)), posting);
    }
}
