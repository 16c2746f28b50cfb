//! A slice in two versions: what of it differs.

use std::collections::{HashMap, HashSet};

use sdl_ledger::Changes;
use sdl_model::{FileChange, FileId, SymbolId, Version};

use super::lease::{Followed, Following};
use crate::card::{Detail, symbol_range};
use crate::diff::{Change, ChangeType, change_between, successors};
use crate::source::symbols_in_row;
use crate::{History, Outlines, Result, Sym};

/// The differences between two versions of a slice.
#[derive(Default)]
pub(super) struct Differences {
    /// Held symbols that came, went, or have another card, in order of path and place.
    pub(super) changed: Vec<Change>,
    /// Held symbols with the same card in another place of their file, in the same order.
    pub(super) moved: Vec<Sym>,
}

impl Differences {
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.moved.is_empty()
    }
}

/// Compares what a slice holds in two states of `history`, of which `to` is the newest. A card moved if its range at
/// `detail` differs.
pub(super) fn compare_held(
    history: &dyn History,
    outlines: &dyn Outlines,
    (from, to): (Version, Version),
    (before, after): (&Following, &Following),
    changes: &Changes,
    detail: Detail,
) -> Result<Differences> {
    let mut sides = Sides { history, outlines, changes: HashMap::new(), unchanged: HashMap::new() };
    let (then, now) = (followed_ids(before), followed_ids(after));
    // Each version follows what the one before it did. Of two states of unsaved text, either may follow more.
    let only_then = before.symbols().iter().filter(|known| !now.contains(&known.symbol));
    let all: Vec<&Followed> = after.symbols().iter().chain(only_then).collect();
    let files: HashSet<FileId> = all.iter().map(|known| known.file).collect();
    for change in changes.files.iter().filter(|change| files.contains(&change.file)) {
        sides.open(change)?;
    }
    let mut found = Differences::default();
    let (mut went, mut came) = (Vec::new(), Vec::new());
    for followed in all {
        let symbol = followed.symbol;
        let (is_then, is_now) = (then.contains(&symbol), now.contains(&symbol));
        // A symbol of an unchanged file whose edges are the same is the same, if it is followed in both.
        let touched =
            sides.changes.contains_key(&followed.file) || changes.edges.binary_search(&symbol).is_ok();
        if is_then && is_now && !touched {
            continue;
        }
        let (old, new) = sides.of(followed)?;
        match (old.filter(|_| is_then), new.filter(|_| is_now)) {
            (Some(old), Some(new)) => {
                let moved = symbol_range(&old, detail) != symbol_range(&new, detail);
                match change_between(history, (from, to), &changes.edges, (old, new.clone()))? {
                    Some(change) => found.changed.push(change),
                    None if moved => found.moved.push(new),
                    None => {}
                }
            }
            (Some(old), None) => went.push((followed.origin, old)),
            (None, Some(new)) => came.push((followed.origin, new)),
            (None, None) => {}
        }
    }
    let lone = |what, sym: Sym| {
        let (old, new) = if what == ChangeType::Removed { (Some(sym), None) } else { (None, Some(sym)) };
        Change { what, old, new, differences: None }
    };
    // Symbols of one origin that were removed and added are one symbol that was renamed or moved, such as `pay` that
    // became `charge`. Later names come first, because an earlier one that came back did so as itself.
    for (origin, old) in went {
        let heir = came.iter().rposition(|(of, _)| *of == origin).map(|place| came.remove(place).1);
        let change = match heir {
            Some(new) => change_between(history, (from, to), &changes.edges, (old, new))?,
            None => Some(lone(ChangeType::Removed, old)),
        };
        found.changed.extend(change);
    }
    found.changed.extend(came.into_iter().map(|(_, new)| lone(ChangeType::Added, new)));
    found.changed.sort_by(|a, b| place_of(a).cmp(&place_of(b)));
    found.moved.sort_by(|a, b| place_in(a).cmp(&place_in(b)));
    Ok(found)
}

fn followed_ids(following: &Following) -> HashSet<SymbolId> {
    following.symbols().iter().map(|known| known.symbol).collect()
}

pub(super) fn place_of(change: &Change) -> (&str, u32, SymbolId) {
    change.new.as_ref().or(change.old.as_ref()).map_or(("", 0, SymbolId(0)), place_in)
}

pub(super) fn place_in(sym: &Sym) -> (&str, u32, SymbolId) {
    (sym.path(), sym.def().span.start, sym.id)
}

/// The symbols of one file.
type Symbols = HashMap<SymbolId, Sym>;

/// Files of followed symbols in both states.
struct Sides<'h> {
    history: &'h dyn History,
    outlines: &'h dyn Outlines,
    /// Changed files, then and now.
    changes: HashMap<FileId, (Symbols, Symbols)>,
    /// Files that did not change.
    unchanged: HashMap<FileId, Symbols>,
}

impl Sides<'_> {
    fn open(&mut self, change: &FileChange) -> Result<()> {
        let (old, new) = successors::file_symbols(self.outlines, change)?;
        self.changes.insert(change.file, (by_id(old), by_id(new)));
        Ok(())
    }

    fn of(&mut self, followed: &Followed) -> Result<(Option<Sym>, Option<Sym>)> {
        let &Followed { symbol, file, .. } = followed;
        if let Some((old, new)) = self.changes.get(&file) {
            return Ok((old.get(&symbol).cloned(), new.get(&symbol).cloned()));
        }
        if !self.unchanged.contains_key(&file) {
            let symbols = match self.history.file(file)? {
                Some(row) => by_id(symbols_in_row(self.outlines, file, &row)?),
                None => Symbols::new(),
            };
            self.unchanged.insert(file, symbols);
        }
        let found = self.unchanged.get(&file).and_then(|symbols| symbols.get(&symbol));
        Ok((found.cloned(), found.cloned()))
    }
}

fn by_id(symbols: Vec<Sym>) -> Symbols {
    symbols.into_iter().map(|sym| (sym.id, sym)).collect()
}
