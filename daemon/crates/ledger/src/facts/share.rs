//! Facts as rows that travel. See [`crate::share`].

use sdl_model::ids::EXTRACTOR_VERSION;
use sdl_model::{ContentHash, Facts, FactsKey, Lang, Outline};

use super::stored::StoredFacts;
use super::{EncodedFacts, FactsStore, encode_facts, skip_damaged};
use crate::codec::corrupt_record;
use crate::env::Reads as _;
use crate::share::rows::{Cutter, FACTS_CHUNK_BYTES, Row, Rows};
use crate::share::{EachChunk, MAX_CHUNK_BYTES};
use crate::{Error, Result};

/// The number of a blob's facts in chunks, far from those of a ledger's tables.
const FACTS_ROW: u8 = 64;
const KEY_BYTES: usize = 37;
/// Facts that are given in one read transaction.
const PART: usize = 256;

impl FactsStore {
    /// Gives the facts of `keys`, which must be sorted by [`FactsKey::to_bytes`] and without doubles, in chunks that are always
    /// the same for the same facts. Leaves out facts that are missing, damaged or very large, because a reader can extract
    /// them. Returns how many were given.
    ///
    /// # Errors
    /// Those of reading and of `sink`.
    pub fn export_facts(&self, keys: &[FactsKey], sink: EachChunk<'_>) -> Result<u64> {
        let mut cutter = Cutter::new(FACTS_CHUNK_BYTES, sink);
        let mut given = 0;
        for part in keys.chunks(PART) {
            let txn = self.env.read(None)?;
            for key in part {
                let key = key.to_bytes();
                let Some(row) = skip_damaged(txn.get(self.tables.facts, &key))?.flatten() else { continue };
                if row.len() > MAX_CHUNK_BYTES / 2 {
                    continue;
                }
                cutter.add_row(Row { table: FACTS_ROW, key: &key, value: row })?;
                given += 1;
            }
        }
        cutter.finish()?;
        Ok(given)
    }

    /// Stores the facts of a chunk that came from elsewhere, if they are missing here: facts that were extracted here are never
    /// replaced. Each is decoded first, and has to be as this build writes it. Returns their keys.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a row does not decode. Facts of the chunk before it may be stored then; they are sound.
    pub fn import_facts(&self, chunk: &[u8]) -> Result<Vec<FactsKey>> {
        if chunk.len() > MAX_CHUNK_BYTES {
            return Err(corrupt_record("chunk", "it is too large"));
        }
        let (mut keys, mut missing) = (Vec::new(), Vec::new());
        for row in Rows::new(chunk) {
            let row = row?;
            if row.table != FACTS_ROW {
                return Err(odd("a row of another table"));
            }
            let key = facts_key(row.key)?;
            let facts = checked_facts(row.value)?;
            keys.push(key);
            if !self.has(&key)? {
                missing.push((key, facts));
            }
        }
        self.put_encoded(&missing)?;
        Ok(keys)
    }
}

fn odd(why: &str) -> Error {
    corrupt_record("chunk", why)
}

fn facts_key(bytes: &[u8]) -> Result<FactsKey> {
    let key: &[u8; KEY_BYTES] = bytes.try_into().map_err(|_| odd("a key of odd size"))?;
    let (version, rest) = key.split_first_chunk::<4>().ok_or_else(|| odd("a key of odd size"))?;
    if u32::from_be_bytes(*version) != EXTRACTOR_VERSION {
        return Err(odd("facts of another version"));
    }
    let (lang, content) = rest.split_first().ok_or_else(|| odd("a key of odd size"))?;
    let lang = Lang::from_number(*lang).ok_or_else(|| odd("facts of an unknown language"))?;
    let content = content.try_into().map_err(|_| odd("a key of odd size"))?;
    Ok(FactsKey { lang, content: ContentHash(content) })
}

/// Facts that this build would write the same way, and whose owners have an end.
fn checked_facts(row: &[u8]) -> Result<EncodedFacts> {
    let stored = StoredFacts::of(Some(row))?.ok_or_else(|| odd("facts of another layout"))?;
    let facts = Facts { outline: stored.outline()?, body: stored.body()? };
    if !owners_end(&facts.outline) {
        return Err(odd("a definition that contains itself"));
    }
    let encoded = encode_facts(&facts)?;
    match StoredFacts::of(Some(&encoded.row))? {
        // Compressed bytes may differ, if another release made them.
        Some(own) if stored.agrees(own)? => Ok(encoded),
        _ => Err(odd("facts that this build would write otherwise")),
    }
}

/// Whether no definition is, over its owners, inside of itself. Readers go from owner to owner until there is none.
fn owners_end(outline: &Outline) -> bool {
    let mut ends = vec![false; outline.defs.len()];
    let mut way = Vec::new();
    for start in 0..outline.defs.len() {
        let mut at = Some(start);
        while let Some(here) = at.filter(|here| !ends.get(*here).copied().unwrap_or(true)) {
            way.push(here);
            if way.len() > outline.defs.len() {
                return false;
            }
            at = outline.defs.get(here).and_then(|def| def.parent).map(|parent| parent.0 as usize);
        }
        for passed in way.drain(..) {
            if let Some(end) = ends.get_mut(passed) {
                *end = true;
            }
        }
    }
    true
}
