//! Reads the memories of a repository, with their links updated to this version.

use std::collections::{BTreeMap, HashMap};

use sdl_model::{SymbolId, Version};
use sdl_retrieve::diff::{Change, changed_symbols};
use sdl_retrieve::search::{SearchRequest, search_symbols};

use super::{Memory, SymbolLink, rows};
use crate::call::context::ReadCx;
use crate::stored::tables::MEMORIES;
use crate::{ToolError, stored};

/// Deltas that one call looks through. The next call continues from there.
const MOST_DELTAS: usize = 4;
/// A delta of more files is not looked through.
const MOST_FILES: usize = 2_000;
/// Symbols of one name that are compared with a missing one.
const NAMESAKES: usize = 20;

/// Returns every memory of the repository. Links to renamed or moved symbols lead to their new places.
pub(crate) fn load_memories(cx: &ReadCx<'_>) -> Result<Vec<Memory>, ToolError> {
    let store = cx.call.host.agent();
    let mut memories: Vec<Memory> = stored::read_rows(store, MEMORIES, cx.repo.id(), rows::LAYOUT)?;
    let Some(head) = cx.snapshot.head() else {
        // Before the first index there are no symbols, but none of them is gone.
        return Ok(memories);
    };
    let lost = lost_memories(cx, &memories)?;
    if lost.is_empty() {
        return Ok(memories);
    }
    let mut followed = Vec::new();
    for (from, places) in lost.into_iter().take(MOST_DELTAS) {
        let moves = moved_symbols(cx, from, head)?;
        for place in places {
            cx.call.check()?;
            let Some(memory) = memories.get_mut(place) else { continue };
            follow_memory(cx, memory, &moves, head)?;
            followed.push(memory.clone());
        }
    }
    // Links that can't be written now are followed again by the next call.
    if let Err(error) = rows::put_back(store, cx.repo.id(), &followed) {
        cx.note(format!("links that were followed could not be stored: {error}"));
    }
    Ok(memories)
}

/// Returns the memories with broken links that were not yet searched for, by the version to search from.
fn lost_memories(cx: &ReadCx<'_>, memories: &[Memory]) -> Result<BTreeMap<Version, Vec<usize>>, ToolError> {
    let floor = cx.snapshot.floor().unwrap_or(cx.version);
    let mut lost: BTreeMap<Version, Vec<usize>> = BTreeMap::new();
    for (place, memory) in memories.iter().enumerate() {
        cx.call.check()?;
        let symbols = memory.symbols.iter().filter(|link| link.gone.is_none()).map(|link| link.id);
        let modules = memory.files.iter().filter(|link| link.gone.is_none()).filter_map(|link| link.module);
        let mut any = false;
        for id in symbols.chain(modules) {
            any = any || !is_present(cx, id)?;
        }
        if any {
            // A version above the head is from a ledger that no longer exists.
            let seen = if memory.version > cx.version.0 { floor } else { Version(memory.version) };
            lost.entry(seen.max(floor)).or_default().push(place);
        }
    }
    Ok(lost)
}

fn is_present(cx: &ReadCx<'_>, id: SymbolId) -> Result<bool, ToolError> {
    Ok(cx.source.view().symbol_file(id)?.is_some())
}

/// Returns the symbols that were renamed or moved since `from`, by their old ids.
fn moved_symbols(
    cx: &ReadCx<'_>,
    from: Version,
    head: Version,
) -> Result<HashMap<SymbolId, Change>, ToolError> {
    if from >= head {
        return Ok(HashMap::new());
    }
    let changes = cx.snapshot.changes_between(from, head)?;
    if changes.files.len() > MOST_FILES {
        return Ok(HashMap::new());
    }
    let changed = changed_symbols(cx.snapshot, cx.source.outlines(), (from, head), &changes)?;
    let moved = changed.into_iter().filter_map(|change| match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.id != new.id => Some((old.id, change)),
        _ => None,
    });
    Ok(moved.collect())
}

fn follow_memory(
    cx: &ReadCx<'_>,
    memory: &mut Memory,
    moves: &HashMap<SymbolId, Change>,
    head: Version,
) -> Result<(), ToolError> {
    for link in memory.symbols.iter_mut().filter(|link| link.gone.is_none()) {
        if is_present(cx, link.id)? {
            continue;
        }
        match moves.get(&link.id) {
            Some(change) => move_link(link, change),
            None => find_link(cx, link, head)?,
        }
    }
    for link in memory.files.iter_mut().filter(|link| link.gone.is_none()) {
        let Some(module) = link.module else { continue };
        if is_present(cx, module)? {
            continue;
        }
        match moves.get(&module).and_then(|change| change.new.as_ref()) {
            Some(new) => {
                link.module = Some(new.id);
                new.path().clone_into(&mut link.path);
            }
            None => link.gone = Some(head.0),
        }
    }
    memory.version = head.0;
    Ok(())
}

/// Points the link to the symbol's new place. A new name alone makes no memory stale.
fn move_link(link: &mut SymbolLink, change: &Change) {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return };
    let tiers = change.to_wire().tiers;
    if link.fingerprint == old.def().fingerprint && tiers.behavior_stable && tiers.side_effects_stable {
        link.fingerprint = new.def().fingerprint;
    }
    link.id = new.id;
    new.qualified().clone_into(&mut link.name);
    new.path().clone_into(&mut link.file);
}

/// Points the link to the only symbol with the same name and content, if the history has no answer.
fn find_link(cx: &ReadCx<'_>, link: &mut SymbolLink, head: Version) -> Result<(), ToolError> {
    let request = SearchRequest { limit: NAMESAKES, exact: true, ..SearchRequest::new(&link.name) };
    // An error counts as no hit, because a name that can't be searched for belongs to no existing symbol.
    let hits = search_symbols(cx.source, &request).map(|found| found.results).unwrap_or_default();
    let mut alike = Vec::new();
    for hit in hits {
        let sym = cx.source.symbol(hit.symbol_id)?;
        alike.extend(sym.filter(|sym| sym.def().fingerprint == link.fingerprint));
    }
    match &alike[..] {
        [only] => {
            link.id = only.id;
            only.path().clone_into(&mut link.file);
        }
        _ => link.gone = Some(head.0),
    }
    Ok(())
}

/// Updates links of other records, which were made in version `since` or later, to the present places of their symbols.
pub(crate) fn lead_links(
    cx: &ReadCx<'_>,
    since: Version,
    links: &mut [&mut SymbolLink],
) -> Result<(), ToolError> {
    let Some(head) = cx.snapshot.head() else { return Ok(()) };
    let mut lost = Vec::new();
    for link in links {
        cx.call.check()?;
        if !is_present(cx, link.id)? {
            lost.push(link);
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    let from = since.max(cx.snapshot.floor().unwrap_or(head));
    let moves = moved_symbols(cx, from, head)?;
    for link in lost {
        cx.call.check()?;
        match moves.get(&link.id) {
            Some(change) => move_link(link, change),
            None => find_link(cx, link, head)?,
        }
    }
    Ok(())
}
