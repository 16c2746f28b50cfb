//! Advances the followed symbols of a slice from one version to the next.

use std::collections::{HashMap, HashSet};

use sdl_ledger::Changes;
use sdl_model::{Edge, EdgeKind, FileId, SymbolId, SymbolKind, Version};

use super::lease::{Followed, Following, Lease};
use crate::diff::successors;
use crate::slice::{MAX_CARDS, SliceRequest};
use crate::{History, Outlines, Result};

/// New callees that a slice begins to follow in one version.
pub(super) const MAX_NEW_CALLEES: usize = 24;
/// A slice that follows this many symbols begins to follow no more callees. It still follows renames, which replace the
/// renamed symbols.
pub(super) const MAX_FOLLOWED: usize = MAX_CARDS as usize;

/// Advances the symbols that a lease follows up to `version`, one version at a time. The result depends only on the
/// versions, not on when or how often it is requested.
pub(super) fn advance_lease(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &mut Lease,
    version: Version,
) -> Result<()> {
    while lease.current < version {
        let next = lease.current.next();
        follow_step(history, outlines, &mut lease.following, (lease.current, next), &lease.request)?;
        lease.current = next;
    }
    Ok(())
}

/// Begins to follow what the step between two neighbouring states adds: what renamed and moved symbols became, and what
/// followed symbols newly call.
pub(super) fn follow_step(
    history: &dyn History,
    outlines: &dyn Outlines,
    following: &mut Following,
    (from, to): (Version, Version),
    request: &SliceRequest,
) -> Result<()> {
    let changes = history.changes_between(from, to)?;
    follow_successors(outlines, following, to, &changes)?;
    follow_callees(history, outlines, following, to, &changes.edges, request)
}

fn follow_successors(
    outlines: &dyn Outlines,
    following: &mut Following,
    to: Version,
    changes: &Changes,
) -> Result<()> {
    let files = following.files();
    let mut gone = HashSet::new();
    for change in changes.files.iter().filter(|change| files.contains(&change.file)) {
        let (before, after) = successors::file_symbols(outlines, change)?;
        let after: HashSet<SymbolId> = after.iter().map(|sym| sym.id).collect();
        gone.extend(before.iter().map(|sym| sym.id).filter(|id| !after.contains(id)));
    }
    let gone: HashMap<SymbolId, SymbolId> = following
        .symbols()
        .iter()
        .filter(|known| gone.contains(&known.symbol))
        .map(|known| (known.symbol, known.origin))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    for (old, new) in successors::find_successors(outlines, &changes.files)? {
        let Some(&origin) = gone.get(&old.id) else { continue };
        if !following.has(new.id) {
            following.succeed(Followed { symbol: new.id, file: new.file(), since: to, origin });
        }
    }
    Ok(())
}

fn follow_callees(
    history: &dyn History,
    outlines: &dyn Outlines,
    following: &mut Following,
    to: Version,
    changed: &[SymbolId],
    request: &SliceRequest,
) -> Result<()> {
    let callers: Vec<SymbolId> = following
        .symbols()
        .iter()
        .map(|known| known.symbol)
        .filter(|symbol| changed.binary_search(symbol).is_ok())
        .collect();
    let room = MAX_FOLLOWED.saturating_sub(following.symbols().len()).min(MAX_NEW_CALLEES);
    let mut found: Vec<Followed> = Vec::new();
    for caller in callers {
        for edge in history.out_edges_at(caller, to)? {
            let symbol = edge.to;
            let known = following.called(symbol)
                || following.has(symbol)
                || found.iter().any(|found| found.symbol == symbol);
            if known || found.len() >= room || !is_followed_edge(&edge, request) {
                continue;
            }
            let Some((file, kind)) = home_at(history, outlines, symbol, to)? else { continue };
            if kind != SymbolKind::Impl {
                found.push(Followed { symbol, file, since: to, origin: symbol });
            }
        }
    }
    // Only after all callers were read, because their order must not decide anything.
    for callee in found {
        let calls = history.out_edges_at(callee.symbol, to)?.into_iter().map(|edge| edge.to);
        following.begin(callee, calls);
    }
    Ok(())
}

/// Whether the target of a new edge joins the slice.
pub(super) fn is_followed_edge(edge: &Edge, request: &SliceRequest) -> bool {
    matches!(edge.kind, EdgeKind::Call | EdgeKind::Implements)
        && edge.confidence >= request.min_confidence
        && (edge.kind != EdgeKind::Call || edge.confidence >= request.min_call_confidence)
}

/// The file and the kind of a symbol at a version; none if that version does not have it.
fn home_at(
    history: &dyn History,
    outlines: &dyn Outlines,
    symbol: SymbolId,
    version: Version,
) -> Result<Option<(FileId, SymbolKind)>> {
    let head = history.version();
    let home = history.symbol_home(symbol)?;
    if version == head {
        return Ok(home.map(|home| (home.file, home.kind)));
    }
    if let Some(home) = home {
        let Some(row) = history.file_at(home.file, version)? else { return Ok(None) };
        let kind = successors::kind_in_row(outlines, home.file, &row, symbol)?;
        return Ok(kind.map(|kind| (home.file, kind)));
    }
    // The newest version does not have it: its file has changed since.
    for change in history.changes_between(version, head)?.files {
        let Some(row) = change.old else { continue };
        if let Some(kind) = successors::kind_in_row(outlines, change.file, &row, symbol)? {
            return Ok(Some((change.file, kind)));
        }
    }
    Ok(None)
}
