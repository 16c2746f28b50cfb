//! A held slice of a view without a past, such as several repositories read as one.
//!
//! No ledger knows the earlier states of such a view, so the lease keeps the states that it served last: the files and
//! edges of the symbols that were held. A refresh compares one of them with the view as it is now.
//!
//! At any state, the slice holds the symbols that its build served, as far as they exist, and the targets that one of
//! these newly calls or implements. So what it holds is a function of the build and of the state, whoever asked in
//! between. A renamed symbol is not followed: it is gone, and its new name is a new callee of those that use it.

use std::collections::BTreeMap;
use std::rc::Rc;

use sdl_ledger::View;
use sdl_model::{Edge, FileId, FileRow, SymbolId, SymbolKind, Version};
use serde::{Deserialize, Serialize};

use super::advance::{MAX_FOLLOWED, MAX_NEW_CALLEES, is_followed_edge};
use super::compare::{Differences, place_in, place_of};
use super::found::{Found, Parts};
use super::{Lease, MOST_AFFECTED, delta};
use crate::card::{Detail, Enrichment, symbol_range};
use crate::diff::{Change, ChangeType, Delta, change_of, users_of};
use crate::slice::{self, SliceRequest};
use crate::source::symbols_in_row;
use crate::{Error, Result, Source, Sym};

/// States that a lease keeps. A client knows the last that it was served, or the one before if an answer was lost;
/// several clients may hold one slice.
const MAX_STATES: usize = 4;

/// What a slice held in one state of its view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldState {
    /// The state.
    pub version: Version,
    /// The number of the unsaved buffers over it.
    pub overlay: Option<u64>,
    /// The files of the held symbols.
    files: Vec<(FileId, FileRow)>,
    /// The held symbols with their files and outgoing edges, in the order of the slice.
    symbols: Vec<(SymbolId, FileId, Vec<Edge>)>,
}

impl Lease {
    /// Records the current state of a view without a past, so that a later refresh can compare with it.
    pub fn record_state(&mut self, source: &Source<'_>) -> Result<()> {
        let state = held_state(source, self)?;
        self.remember(state);
        Ok(())
    }

    fn remember(&mut self, state: HeldState) {
        self.current = state.version;
        self.states.retain(|known| (known.version, known.overlay) != (state.version, state.overlay));
        self.states.push(state);
        let surplus = self.states.len().saturating_sub(MAX_STATES);
        self.states.drain(..surplus);
    }
}

/// Finds what changed in a slice since the state `known` of a view without a past. The whole slice, if the lease does
/// not know that state any more.
pub fn find_standing<T, E: From<Error>>(
    source: &Source<'_>,
    lease: &Lease,
    known: (Version, Option<u64>),
    enrichment: &dyn Enrichment,
    choose: impl FnOnce(&Found<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let now = held_state(source, lease)?;
    let mut lease = lease.clone();
    let then = lease.states.iter().find(|state| (state.version, state.overlay) == known).cloned();
    lease.remember(now.clone());
    let current = now.version;
    let differences = match &then {
        Some(then) => compare_states(source, then, &now, &lease.request)?,
        None => None,
    };
    let (Some(then), Some(found)) = (then, differences) else {
        let members: Vec<SymbolId> = now.symbols.iter().map(|(symbol, ..)| *symbol).collect();
        let request = slice::request_of_members(&lease.request, members.len());
        let parts = Parts::Members(slice::of_members(source, &request, &members, enrichment));
        return choose(&Found { current, lease, parts });
    };
    if found.is_empty() {
        return choose(&Found { current, lease, parts: Parts::NotModified });
    }
    let delta = Delta {
        from_version: then.version,
        to_version: current,
        changed_symbols: Vec::new(),
        blast_radius: users_of(source, &found.changed, MOST_AFFECTED)?,
    };
    let parts = Parts::Delta(Box::new(delta::with_cards(source, delta, &found, &lease, enrichment)?));
    choose(&Found { current, lease, parts })
}

/// What the slice of a lease holds now.
fn held_state(source: &Source<'_>, lease: &Lease) -> Result<HeldState> {
    let view = source.view();
    let mut state = HeldState {
        version: view.version(),
        overlay: source.overlay(),
        files: Vec::new(),
        symbols: Vec::new(),
    };
    for known in lease.following.symbols() {
        state.hold(view, known.symbol)?;
    }
    let room = MAX_FOLLOWED.saturating_sub(lease.following.symbols().len()).min(MAX_NEW_CALLEES);
    let mut newly = Vec::new();
    for (_, _, edges) in &state.symbols {
        for edge in edges.iter().filter(|edge| is_followed_edge(edge, &lease.request)) {
            let target = edge.to;
            if lease.following.called(target) || lease.following.has(target) || newly.contains(&target) {
                continue;
            }
            let is_impl = source.symbol(target)?.is_none_or(|sym| sym.kind() == SymbolKind::Impl);
            if newly.len() < room && !is_impl {
                newly.push(target);
            }
        }
    }
    for symbol in newly {
        state.hold(view, symbol)?;
    }
    state.files.sort_by_key(|(file, _)| *file);
    Ok(state)
}

impl HeldState {
    /// Adds a symbol, if the view has it.
    fn hold(&mut self, view: &dyn View, symbol: SymbolId) -> Result<()> {
        let Some(file) = view.symbol_file(symbol)? else { return Ok(()) };
        if !self.files.iter().any(|(known, _)| *known == file) {
            let Some(row) = view.file(file)? else { return Ok(()) };
            self.files.push((file, row));
        }
        self.symbols.push((symbol, file, view.out_edges(symbol)?));
        Ok(())
    }
}

/// The held symbols of a state, opened.
struct Opened {
    symbols: BTreeMap<SymbolId, (Sym, Rc<[Edge]>)>,
}

/// The differences between two states; none if the facts of the earlier one are gone.
fn compare_states(
    source: &Source<'_>,
    then: &HeldState,
    now: &HeldState,
    request: &SliceRequest,
) -> Result<Option<Differences>> {
    let detail = request.card_detail.unwrap_or(Detail::Compact);
    let mut found = Differences::default();
    if (then.version, then.overlay) == (now.version, now.overlay) {
        return Ok(Some(found));
    }
    // The facts of an earlier state are kept only as long as a version names them, so it is no damage if they are gone.
    let before = match open_state(source, then) {
        Err(Error::Ledger(sdl_ledger::Error::Corrupt { table: "facts", .. })) => None,
        before => before?,
    };
    let Some(before) = before else { return Ok(None) };
    let Some(after) = open_state(source, now)? else { return Ok(None) };
    for (symbol, (new, new_edges)) in &after.symbols {
        let Some((old, old_edges)) = before.symbols.get(symbol) else {
            found.changed.push(lone(ChangeType::Added, new));
            continue;
        };
        let moved = symbol_range(old, detail) != symbol_range(new, detail);
        match change_of((old.clone(), new.clone()), (old_edges, new_edges)) {
            Some(change) => found.changed.push(change),
            None if moved => found.moved.push(new.clone()),
            None => {}
        }
    }
    for (symbol, (old, _)) in &before.symbols {
        if !after.symbols.contains_key(symbol) {
            found.changed.push(lone(ChangeType::Removed, old));
        }
    }
    found.changed.sort_by(|a, b| place_of(a).cmp(&place_of(b)));
    found.moved.sort_by(|a, b| place_in(a).cmp(&place_in(b)));
    Ok(Some(found))
}

fn lone(what: ChangeType, sym: &Sym) -> Change {
    let (old, new) = match what {
        ChangeType::Removed => (Some(sym.clone()), None),
        _ => (None, Some(sym.clone())),
    };
    Change { what, old, new, differences: None }
}

/// Opens the symbols of a state; none if the facts of a file are gone.
fn open_state(source: &Source<'_>, state: &HeldState) -> Result<Option<Opened>> {
    let mut all = BTreeMap::new();
    for (file, row) in &state.files {
        let symbols = symbols_in_row(source.outlines(), *file, row)?;
        if symbols.is_empty() {
            return Ok(None);
        }
        all.extend(symbols.into_iter().map(|sym| (sym.id, sym)));
    }
    let mut symbols = BTreeMap::new();
    for (symbol, _, edges) in &state.symbols {
        let Some(sym) = all.get(symbol) else { return Ok(None) };
        symbols.insert(*symbol, (sym.clone(), Rc::from(edges.as_slice())));
    }
    Ok(Some(Opened { symbols }))
}
