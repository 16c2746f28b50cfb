//! How many symbols a version added, changed and removed.

use std::collections::HashMap;

use sdl_ledger::{FactsStore, Result};
use sdl_model::facts::Def;
use sdl_model::{FileChange, FileRow, Outline, SymbolKind};

/// With more files than this nothing is counted, because reading their outlines would hold up the feed.
const MOST_FILES: usize = 2_000;

/// The counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SymbolCounts {
    pub(super) added: u64,
    /// Those with other tokens, another header or another documentation. Layout and comments don't count.
    pub(super) changed: u64,
    pub(super) removed: u64,
}

/// Counts the symbols that differ. `None` if there are too many files, or if facts of one are gone.
pub(super) fn count_symbols(facts: &FactsStore, changes: &[FileChange]) -> Result<Option<SymbolCounts>> {
    if changes.len() > MOST_FILES {
        return Ok(None);
    }
    let mut counts = SymbolCounts::default();
    for change in changes {
        let (Some(old), Some(new)) =
            (Side::read(facts, change.old.as_ref())?, Side::read(facts, change.new.as_ref())?)
        else {
            return Ok(None);
        };
        counts.add(&old, &new);
    }
    Ok(Some(counts))
}

/// A file before or after.
struct Side(Option<std::sync::Arc<Outline>>);

impl Side {
    /// Reads the outline of a row. `None` if the row has facts that can't be found.
    fn read(facts: &FactsStore, row: Option<&FileRow>) -> Result<Option<Self>> {
        let Some(key) = row.and_then(|row| row.state.facts()) else { return Ok(Some(Self(None))) };
        Ok(facts.outline(&key)?.map(|outline| Self(Some(outline))))
    }

    /// Its symbols. Implementation blocks are none, as in deltas.
    fn symbols(&self) -> impl Iterator<Item = (&Outline, &Def)> {
        let outline = self.0.as_deref();
        outline.into_iter().flat_map(|outline| {
            outline.iter().filter(|(_, def)| def.kind != SymbolKind::Impl).map(move |(_, def)| (outline, def))
        })
    }
}

impl SymbolCounts {
    fn add(&mut self, old: &Side, new: &Side) {
        let mut before: HashMap<u64, (&Outline, &Def)> =
            old.symbols().map(|(outline, def)| (def.key, (outline, def))).collect();
        for (outline, def) in new.symbols() {
            match before.remove(&def.key) {
                None => self.added += 1,
                Some((old_outline, old_def)) => {
                    self.changed += u64::from(differs((old_outline, old_def), (outline, def)));
                }
            }
        }
        self.removed += before.len() as u64;
    }
}

fn differs((old_outline, old): (&Outline, &Def), (new_outline, new): (&Outline, &Def)) -> bool {
    let doc = |outline: &Outline, def: &Def| def.doc.map(|doc| outline.str(doc).to_owned());
    old.tokens != new.tokens
        || old_outline.str(old.signature) != new_outline.str(new.signature)
        || doc(old_outline, old) != doc(new_outline, new)
}
