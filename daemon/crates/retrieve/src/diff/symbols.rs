//! Finds the changed symbols of changed files.

use std::collections::{HashMap, HashSet};

use sdl_ledger::Changes;
use sdl_model::{Edge, SymbolId, SymbolKind, Version};

use super::compare::{Differences, compare_symbols};
use super::pair::pair_symbols;
use super::successors::file_symbols;
use super::types::{Break, ChangeType, ChangedSymbol, Tiers};
use crate::card::{Detail, symbol_range};
use crate::source::symbols_in_row;
use crate::{History, Outlines, Result, Sym};

/// One symbol that differs between two versions.
#[derive(Clone, Debug)]
pub struct Change {
    /// The kind of change.
    pub what: ChangeType,
    /// The old symbol.
    pub old: Option<Sym>,
    /// The new symbol.
    pub new: Option<Sym>,
    pub(crate) differences: Option<Differences>,
}

impl Change {
    /// Its current id, or its last one.
    pub fn symbol(&self) -> SymbolId {
        // One of the two is always present; the zero id names nothing.
        self.new.as_ref().or(self.old.as_ref()).map_or(SymbolId(0), |sym| sym.id)
    }

    /// Whether its dependents may have to change: it is new or gone, or its header differs in more than its name.
    pub fn interface_changed(&self) -> bool {
        self.differences.as_ref().is_none_or(|differences| differences.header_changed)
    }

    /// Whether it was edited, even if only its documentation. Else only its names resolve to something else.
    pub fn is_edit(&self) -> bool {
        let differences = self.differences.as_ref();
        self.is_elsewhere() || differences.is_some_and(|d| d.doc_changed) || self.is_behavior()
    }

    /// Whether its behavior or its interface changed. A move, a new name alone and documentation do not count.
    pub fn is_behavior(&self) -> bool {
        self.differences.as_ref().is_none_or(|d| d.body_changed || d.header_changed)
    }

    /// Whether its id changed.
    pub fn is_elsewhere(&self) -> bool {
        self.old.as_ref().is_some_and(|old| old.id != self.symbol())
    }

    /// How a change of its header breaks its users.
    pub fn breaks(&self) -> &[Break] {
        self.differences.as_ref().map_or(&[], |differences| &differences.breaks)
    }

    /// Its form on the wire, without a card.
    pub fn to_wire(&self) -> ChangedSymbol {
        let shown = self.new.as_ref().or(self.old.as_ref());
        let renamed = matches!(self.what, ChangeType::Renamed | ChangeType::Moved);
        let old = self.old.as_ref().filter(|old| renamed || old.id != self.symbol());
        let name = shown.map_or("", Sym::qualified);
        let file = shown.map_or("", Sym::path);
        let differences = self.differences.as_ref();
        let stable = matches!(self.what, ChangeType::Added | ChangeType::Removed);
        ChangedSymbol {
            symbol_id: self.symbol(),
            change_type: self.what,
            name: name.to_owned(),
            kind: shown.map_or(SymbolKind::Module, Sym::kind),
            file: file.to_owned(),
            range: self.new.as_ref().map(|sym| symbol_range(sym, Detail::Signature)),
            renamed_from: old.map(|sym| sym.id),
            previous_name: old.map(Sym::qualified).filter(|old| *old != name).map(str::to_owned),
            previous_file: old.map(Sym::path).filter(|old| *old != file).map(str::to_owned),
            signature_diff: differences.and_then(|d| d.signature.clone()),
            invariant_diff: differences.and_then(|d| d.invariants.clone()),
            side_effect_diff: differences.and_then(|d| d.side_effects.clone()),
            body_changed: differences.is_some_and(|d| d.body_changed),
            doc_changed: differences.is_some_and(|d| d.doc_changed),
            tiers: differences.map_or(
                Tiers {
                    interface_stable: !stable,
                    behavior_stable: !stable,
                    side_effects_stable: !stable,
                    dependencies_stable: !stable,
                },
                |d| d.tiers,
            ),
            card: None,
            etag: None,
        }
    }
}

/// Every symbol that differs between `from` and `to`, in order of path and place. `changes` holds the changes between
/// them, or a part of those. Implementation blocks are not listed.
pub fn changed_symbols(
    history: &dyn History,
    outlines: &dyn Outlines,
    (from, to): (Version, Version),
    changes: &Changes,
) -> Result<Vec<Change>> {
    let mut found = Vec::new();
    let mut seen: HashSet<SymbolId> = HashSet::new();
    let mut went = Vec::new();
    let mut came = Vec::new();
    let edges = Edges { history, from, to, changed: &changes.edges };
    for change in &changes.files {
        let (old, new) = file_symbols(outlines, change)?;
        let mut before: HashMap<SymbolId, Sym> = old.into_iter().map(|sym| (sym.id, sym)).collect();
        for sym in new {
            if sym.kind() == SymbolKind::Impl {
                before.remove(&sym.id);
                continue;
            }
            seen.insert(sym.id);
            match before.remove(&sym.id) {
                None => came.push(sym),
                Some(old) => {
                    found.extend(edges.compared(ChangeType::Modified, old, sym)?.filter(has_differences))
                }
            }
        }
        let mut gone: Vec<Sym> = before.into_values().filter(|sym| sym.kind() != SymbolKind::Impl).collect();
        gone.sort_by_key(|sym| sym.ix);
        seen.extend(gone.iter().map(|sym| sym.id));
        went.append(&mut gone);
    }
    pair_up(&edges, went, came, &mut found)?;
    // Unedited symbols whose names resolve to something else now, for example because a nearer definition was added.
    let mut files = HashMap::new();
    for &symbol in changes.edges.iter().filter(|symbol| !seen.contains(symbol)) {
        let Some(sym) = open_unchanged(history, outlines, symbol, &mut files)? else { continue };
        if sym.kind() != SymbolKind::Impl {
            found.extend(edges.compared(ChangeType::Modified, sym.clone(), sym)?.filter(has_differences));
        }
    }
    found.sort_by(|a, b| change_place(a).cmp(&change_place(b)));
    Ok(found)
}

fn has_differences(change: &Change) -> bool {
    change.differences.as_ref().is_some_and(Differences::any)
}

fn change_place(change: &Change) -> (&str, u32, SymbolId) {
    let sym = change.new.as_ref().or(change.old.as_ref());
    (sym.map_or("", Sym::path), sym.map_or(0, |sym| sym.def().span.start), change.symbol())
}

fn pair_up(edges: &Edges<'_>, went: Vec<Sym>, came: Vec<Sym>, found: &mut Vec<Change>) -> Result<()> {
    let pairs = pair_symbols(&went, &came);
    let mut went: Vec<Option<Sym>> = went.into_iter().map(Some).collect();
    let mut came: Vec<Option<Sym>> = came.into_iter().map(Some).collect();
    for (old, new) in pairs {
        let (Some(old), Some(new)) = (went[old].take(), came[new].take()) else { continue };
        found.extend(edges.compared(succession_type(&old, &new), old, new)?);
    }
    for (what, rest) in [(ChangeType::Removed, went), (ChangeType::Added, came)] {
        for sym in rest.into_iter().flatten() {
            let (old, new) = if what == ChangeType::Removed { (Some(sym), None) } else { (None, Some(sym)) };
            found.push(Change { what, old, new, differences: None });
        }
    }
    Ok(())
}

/// The kind of change from `old` to its successor `new`.
fn succession_type(old: &Sym, new: &Sym) -> ChangeType {
    // A module goes by its file's name.
    let same_name = old.name() == new.name() || old.kind() == SymbolKind::Module;
    match same_name {
        _ if old.id == new.id => ChangeType::Modified,
        // With another kind, or other parameters of an overload, the id differs, but for readers it is the same
        // symbol.
        true if old.file() == new.file() && old.qualified() == new.qualified() => ChangeType::Modified,
        true => ChangeType::Moved,
        false => ChangeType::Renamed,
    }
}

/// One symbol in two versions. `edges` lists the symbols whose outgoing edges differ between them, in order.
pub(crate) fn change_between(
    history: &dyn History,
    (from, to): (Version, Version),
    edges: &[SymbolId],
    (old, new): (Sym, Sym),
) -> Result<Option<Change>> {
    let edges = Edges { history, from, to, changed: edges };
    Ok(edges.compared(succession_type(&old, &new), old, new)?.filter(|change| {
        let same = change.old.as_ref().map(|old| old.id) == change.new.as_ref().map(|new| new.id);
        !same || has_differences(change)
    }))
}

/// The change of a symbol between two states with these outgoing edges; none if it is the same.
pub(crate) fn change_of((old, new): (Sym, Sym), edges: (&[Edge], &[Edge])) -> Option<Change> {
    let differences = compare_symbols(&old, &new, edges);
    let what = succession_type(&old, &new);
    let change = Change { what, old: Some(old), new: Some(new), differences: Some(differences) };
    Some(change).filter(has_differences)
}

/// Opens a symbol of a file that did not change.
fn open_unchanged(
    history: &dyn History,
    outlines: &dyn Outlines,
    symbol: SymbolId,
    files: &mut HashMap<sdl_model::FileId, HashMap<SymbolId, Sym>>,
) -> Result<Option<Sym>> {
    let Some(file) = history.symbol_file(symbol)? else { return Ok(None) };
    if let Some(known) = files.get(&file) {
        return Ok(known.get(&symbol).cloned());
    }
    let syms = match history.file(file)? {
        Some(row) => symbols_in_row(outlines, file, &row)?,
        None => Vec::new(),
    };
    let syms: HashMap<SymbolId, Sym> = syms.into_iter().map(|sym| (sym.id, sym)).collect();
    let found = syms.get(&symbol).cloned();
    files.insert(file, syms);
    Ok(found)
}

/// Outgoing edges in two versions.
struct Edges<'h> {
    history: &'h dyn History,
    from: Version,
    to: Version,
    /// Symbols whose edges differ, sorted.
    changed: &'h [SymbolId],
}

impl Edges<'_> {
    fn now(&self, symbol: SymbolId) -> Result<Vec<Edge>> {
        if self.to == self.history.version() {
            return Ok(self.history.out_edges(symbol)?);
        }
        Ok(self.history.out_edges_at(symbol, self.to)?)
    }

    fn compared(&self, what: ChangeType, old: Sym, new: Sym) -> Result<Option<Change>> {
        let same_edges = old.id == new.id && self.changed.binary_search(&new.id).is_err();
        let differences = if same_edges {
            compare_symbols(&old, &new, (&[], &[]))
        } else {
            let before = self.history.out_edges_at(old.id, self.from)?;
            compare_symbols(&old, &new, (&before, &self.now(new.id)?))
        };
        Ok(Some(Change { what, old: Some(old), new: Some(new), differences: Some(differences) }))
    }
}
