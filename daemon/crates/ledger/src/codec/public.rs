//! The published part of a file: names, and the search postings.

use sdl_model::facts::{Inclusion, imported_modules, names_in};
use sdl_model::{Facts, FileId, Lang, Outline, SymbolId, SymbolKind};
use serde::{Deserialize, Serialize};

use super::corrupt_record;
use crate::{HitFlags, NameHit, Result, TermHit};

/// Size of a definition in the tables of names and of symbols.
pub(crate) const NAME_ITEM: usize = 17;
/// Size of a posting.
pub(crate) const POSTING_ITEM: usize = 11;
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
    /// The files that it includes as text, sorted. Also in a table of their own, where they are read alone.
    pub(crate) inclusions: Vec<Inclusion>,
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
    /// As in its [`NameHit`].
    pub(crate) flags: HitFlags,
    /// The names that it is found by, as [`Outline::published`] gives them; empty for none.
    pub(crate) name: String,
}

impl PublicDef {
    /// As a search for its name finds it in `file`.
    pub(crate) fn hit(&self, file: FileId) -> NameHit {
        NameHit { symbol: self.symbol, file, kind: self.kind, flags: self.flags }
    }
}

impl Public {
    /// Publishes the outline of `file`, without its imports.
    pub fn of(file: FileId, outline: &Outline) -> Self {
        let mut defs: Vec<PublicDef> = outline
            .defs
            .iter()
            .map(|def| PublicDef {
                symbol: file.symbol(def.key),
                kind: def.kind,
                flags: HitFlags::of(def.flags),
                name: String::new(),
            })
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
            inclusions: outline.inclusions(),
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

    /// Whether other files may include it as text.
    pub(crate) fn is_includable(&self) -> bool {
        self.lang().is_some_and(Lang::includes_text)
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
            let hit = pack_hit(def.hit(file));
            names_in(&def.name).map(move |name| (name, hit))
        })
    }
}

/// Stores the language and the inclusions of a file that others may include; nothing for any other.
pub(crate) fn pack_inclusions(public: &Public) -> Result<Option<Vec<u8>>> {
    let row = || super::encode_record("inclusions", &(public.lang & !GENERATED, &public.inclusions));
    public.is_includable().then(row).transpose()
}

/// Reads such a row.
pub(crate) fn unpack_inclusions(row: &[u8]) -> Result<(Lang, Vec<Inclusion>)> {
    let (lang, inclusions) = super::decode_record::<(u8, Vec<Inclusion>)>("inclusions", row)?;
    let lang = Lang::from_number(lang);
    Ok((lang.ok_or_else(|| corrupt_record("inclusions", "an unknown language"))?, inclusions))
}

pub(crate) fn kind_of(table: &'static str, number: u8) -> Result<SymbolKind> {
    let known = SymbolKind::ALL.into_iter().find(|known| *known as u8 == number);
    known.ok_or_else(|| corrupt_record(table, format!("symbol kind {number}")))
}

/// The bits of a kind in a byte; the flags are above them.
const KIND_BITS: u8 = 5;
const KINDS: u8 = (1 << KIND_BITS) - 1;
const _: () = assert!(SymbolKind::ALL.len() <= 1 << KIND_BITS);

/// Whether such a definition [`SymbolKind::is_free`].
pub(crate) fn is_free_hit(item: &[u8; NAME_ITEM]) -> bool {
    kind_of("names", item[16] & KINDS).is_ok_and(SymbolKind::is_free)
}

/// Stores a definition found by name.
pub(crate) fn pack_hit(hit: NameHit) -> [u8; NAME_ITEM] {
    let mut item = [0; NAME_ITEM];
    item[..8].copy_from_slice(&hit.symbol.0.to_be_bytes());
    item[8..16].copy_from_slice(&hit.file.0.to_be_bytes());
    item[16] = hit.kind as u8 | hit.flags.bits() << KIND_BITS;
    item
}

/// Stores where a symbol is defined.
pub(crate) fn pack_home(symbol: SymbolId, file: FileId, kind: SymbolKind) -> [u8; NAME_ITEM] {
    pack_hit(NameHit { symbol, file, kind, flags: HitFlags::default() })
}

/// Reads a definition that a scan of `table` gave.
pub(crate) fn unpack_item_hit(table: &'static str, item: &[u8]) -> Result<NameHit> {
    let item = item.try_into().map_err(|_| corrupt_record(table, "an item of odd size"))?;
    unpack_hit(table, item)
}

/// Reads a definition.
pub(crate) fn unpack_hit(table: &'static str, item: &[u8; NAME_ITEM]) -> Result<NameHit> {
    let [symbol @ .., f0, f1, f2, f3, f4, f5, f6, f7, kind] = *item;
    Ok(NameHit {
        symbol: SymbolId(u64::from_be_bytes(symbol)),
        file: FileId(u64::from_be_bytes([f0, f1, f2, f3, f4, f5, f6, f7])),
        kind: kind_of(table, kind & KINDS)?,
        flags: HitFlags::from_bits(kind >> KIND_BITS),
    })
}

/// Stores a posting.
pub(crate) fn pack_posting(hit: TermHit) -> PackedPosting {
    let mut item = [0; POSTING_ITEM];
    item[..8].copy_from_slice(&hit.symbol.0.to_be_bytes());
    item[8] = hit.impact;
    item[9..].copy_from_slice(&hit.flags.to_be_bytes());
    item
}

/// Reads a posting.
pub(crate) fn unpack_posting(item: &PackedPosting) -> TermHit {
    let [symbol @ .., impact, f0, f1] = *item;
    TermHit { symbol: SymbolId(u64::from_be_bytes(symbol)), impact, flags: u16::from_be_bytes([f0, f1]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_postings_survive() {
        let kind = SymbolKind::Impl;
        let hit = |flags| NameHit { symbol: SymbolId(77), file: FileId(u64::MAX), kind, flags };
        for flags in (0..8).map(HitFlags::from_bits) {
            assert_eq!(unpack_hit("t", &pack_hit(hit(flags))).unwrap(), hit(flags));
        }
        let mut bad = pack_hit(hit(HitFlags::LEFT_OUT));
        bad[16] |= KINDS;
        assert!(unpack_hit("t", &bad).is_err());
        assert!(unpack_item_hit("t", &bad[1..]).is_err());
        let posting = TermHit { symbol: SymbolId(5), impact: 255, flags: 0x1203 };
        assert_eq!(unpack_posting(&pack_posting(posting)), posting);
    }
}
