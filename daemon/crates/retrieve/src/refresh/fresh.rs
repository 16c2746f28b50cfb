//! The full contents of a held slice, for a client whose version can't be compared with.

use sdl_model::{FileId, RelPath, SymbolId};

use super::advance::{advance_lease, follow_step};
use super::found::{Found, Parts};
use super::{Following, Lease, Place, is_followed};
use crate::card::Enrichment;
use crate::layer::{Between, LaidOutlines, Layer};
use crate::slice::{self, Neighbourhood, SliceRequest};
use crate::{Error, History, Outlines, Result, Source, UserError};

/// Finds all symbols of the slice at the current version of `history`. If the ledger has forgotten versions since the
/// build, the slice is built again, and its lease begins here.
pub(super) fn find_fresh<T, E: From<Error>>(
    source: &Source<'_>,
    history: &dyn History,
    lease: &Lease,
    enrichment: &dyn Enrichment,
    choose: impl FnOnce(&Found<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let place = Place { source, history, outlines: source.outlines(), enrichment };
    find_fresh_unsaved(&place, lease, &Layer::default(), choose)
}

/// The same in the state `now` over that version.
pub fn find_fresh_unsaved<T, E: From<Error>>(
    place: &Place<'_>,
    lease: &Lease,
    now: &Layer,
    choose: impl FnOnce(&Found<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let &Place { source, history, outlines, enrichment } = place;
    if !is_followed(history, lease) {
        return rebuild_slice(source, history, lease, enrichment, choose);
    }
    let mut lease = lease.clone();
    let head = history.version();
    advance_lease(history, outlines, &mut lease, head)?;
    let following =
        with_unsaved(history, outlines, &lease, (lease.following.at(head), &Layer::default()), now)?;
    let mut members = Vec::new();
    for known in following.symbols() {
        if source.view().symbol_file(known.symbol).map_err(Error::from)?.is_some() {
            members.push(known.symbol);
        }
    }
    let request = slice::request_of_members(&lease.request, members.len());
    let parts = Parts::Members(slice::of_members(source, &request, &members, enrichment));
    choose(&Found { current: head, lease, parts })
}

/// The followed symbols in the state `now`, which is laid over a version (`below`, laid over the newest): unsaved text
/// is one more step. Both layers are over the newest version.
pub(super) fn with_unsaved(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    (mut following, below): (Following, &Layer),
    now: &Layer,
) -> Result<Following> {
    let outlines = LaidOutlines::new([below, now], outlines);
    let between = Between::new(history, below, now);
    follow_step(&between, &outlines, &mut following, (Between::FROM, Between::TO), &lease.request)?;
    Ok(following)
}

fn rebuild_slice<T, E: From<Error>>(
    source: &Source<'_>,
    history: &dyn History,
    lease: &Lease,
    enrichment: &dyn Enrichment,
    choose: impl FnOnce(&Found<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let request = current_request(source, lease)?;
    let found = match Neighbourhood::of(source, &request, enrichment) {
        Err(Error::User(UserError::NoSeeds)) => slice::nothing(source, &request),
        found => found?,
    };
    let lease = Lease { request: request.clone(), ..lease.clone() };
    let parts = Parts::Rebuilt { found, source, history };
    choose(&Found { current: history.version(), lease, parts })
}

/// The build's request with current names: entry symbols and edited files under the names that they have now, without
/// those that are gone, so that they do not prevent the rest.
fn current_request(source: &Source<'_>, lease: &Lease) -> Result<SliceRequest> {
    let mut request = lease.request.clone();
    // The client's cards are of a version that is no longer known.
    request.known_card_etags.clear();
    let mut entries = Vec::new();
    for &entry in &request.entry_symbols {
        entries.extend(current_symbol(source, lease, entry)?);
    }
    request.entry_symbols = entries;
    for path in &mut request.edited_files {
        if let Some(now) = current_path(source, lease, path)? {
            *path = now;
        }
    }
    Ok(request)
}

/// A symbol of the build, or the symbol that it became.
fn current_symbol(source: &Source<'_>, lease: &Lease, symbol: SymbolId) -> Result<Option<SymbolId>> {
    let names = lease.following.symbols().iter().rev().filter(|known| known.origin == symbol);
    for id in std::iter::once(symbol).chain(names.map(|known| known.symbol)) {
        if source.view().symbol_file(id)?.is_some() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The current path of the followed symbols of a file that is gone.
fn current_path(source: &Source<'_>, lease: &Lease, path: &str) -> Result<Option<String>> {
    let Some(path) = RelPath::new(path) else { return Ok(None) };
    let file = FileId::of(&path);
    if source.view().file(file)?.is_some() {
        return Ok(None);
    }
    let symbols = lease.following.symbols();
    for known in symbols.iter().filter(|known| known.file == file) {
        let Some(now) = current_symbol(source, lease, known.origin)? else { continue };
        let Some(home) = source.view().symbol_file(now)? else { continue };
        if let Some(row) = source.view().file(home)? {
            return Ok(Some(row.path.as_str().to_owned()));
        }
    }
    Ok(None)
}
