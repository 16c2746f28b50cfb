//! Leads anchors to symbols and files that were renamed or moved to their new places.

use std::collections::{BTreeMap, HashMap};

use sdl_memory::{Anchors, SymbolAnchor};
use sdl_model::{FileId, RelPath, SymbolId, Version};
use sdl_retrieve::Sym;
use sdl_retrieve::diff::{Change, changed_symbols};
use sdl_retrieve::search::{SearchRequest, search_symbols};

use super::same::{code_hash, is_same_code};
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::family::Family;

/// Deltas that one call looks through. The next call continues from there.
const MOST_DELTAS: usize = 4;
/// A delta of more files is not looked through.
const MOST_FILES: usize = 2_000;
/// Versions that are looked at for the one in which a symbol was lost, newest first.
const MOST_VERSIONS: usize = 50;
/// Symbols of one name that are compared with a missing one.
const NAMESAKES: usize = 20;

/// The anchors of one row, and the scope of the row.
pub(crate) type Held<'r> = (&'r str, &'r mut Anchors);

/// Leads the anchors of rows to where their symbols and files are. Returns the places of the rows whose anchors were followed in the
/// ledger that is asked: they can be stored so. Before the first index there are no symbols, but none of them is gone.
pub(crate) fn follow_anchors(
    cx: &ReadCx<'_>,
    family: &Family,
    rows: &mut [Held<'_>],
) -> Result<Vec<usize>, ToolError> {
    let Some(head) = cx.snapshot.head() else { return Ok(Vec::new()) };
    let floor = cx.snapshot.floor().unwrap_or(cx.version);
    let mut lost: BTreeMap<Version, Vec<usize>> = BTreeMap::new();
    for (place, (scope, anchors)) in rows.iter().enumerate() {
        cx.call.check()?;
        if !is_lost(cx, family, scope, anchors)? {
            continue;
        }
        // A version above the head is from a ledger that no longer exists, and a worktree's versions are its own.
        let own = family.is_own(home_of(scope, anchors)) && anchors.version <= cx.version.0;
        let seen = if own { Version(anchors.version) } else { floor };
        lost.entry(seen.max(floor)).or_default().push(place);
    }
    let mut followed = Vec::new();
    for (from, places) in lost.into_iter().take(MOST_DELTAS) {
        let moves = moved_symbols(cx, from, head)?;
        for place in places {
            cx.call.check()?;
            let Some((scope, anchors)) = rows.get_mut(place) else { continue };
            follow_one(cx, family, (scope, anchors), &moves, head)?;
            if family.is_own(home_of(scope, anchors)) {
                followed.push(place);
            }
        }
    }
    Ok(followed)
}

/// The repository whose versions the anchors of a row of `scope` are of.
fn home_of<'a>(scope: &'a str, anchors: &'a Anchors) -> &'a str {
    let symbol = anchors.symbols.iter().find_map(|anchor| anchor.repo.as_deref());
    symbol.or_else(|| anchors.files.iter().find_map(|anchor| anchor.repo.as_deref())).unwrap_or(scope)
}

/// Whether an anchor leads nowhere and was not yet searched for.
fn is_lost(cx: &ReadCx<'_>, family: &Family, scope: &str, anchors: &Anchors) -> Result<bool, ToolError> {
    let here = |repo: &Option<String>| family.has(repo.as_deref().unwrap_or(scope));
    let symbols = anchors.symbols.iter().filter(|anchor| anchor.gone.is_none() && here(&anchor.repo));
    let files = anchors.files.iter().filter(|anchor| anchor.gone.is_none() && here(&anchor.repo));
    for id in symbols.map(|anchor| anchor.id).chain(files.filter_map(|anchor| anchor.module)) {
        if !is_present(cx, id)? {
            return Ok(true);
        }
    }
    Ok(false)
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

fn follow_one(
    cx: &ReadCx<'_>,
    family: &Family,
    (scope, anchors): (&str, &mut Anchors),
    moves: &HashMap<SymbolId, Change>,
    head: Version,
) -> Result<(), ToolError> {
    let here = |repo: &Option<String>| family.has(repo.as_deref().unwrap_or(scope));
    for anchor in anchors.symbols.iter_mut().filter(|anchor| anchor.gone.is_none() && here(&anchor.repo)) {
        if is_present(cx, anchor.id)? {
            continue;
        }
        match moves.get(&anchor.id) {
            Some(change) => move_anchor(anchor, change),
            None => match last_move(cx, anchor, head)? {
                Some(change) => move_anchor(anchor, &change),
                None => find_anchor(cx, anchor, head)?,
            },
        }
    }
    for anchor in anchors.files.iter_mut().filter(|anchor| anchor.gone.is_none() && here(&anchor.repo)) {
        let Some(module) = anchor.module else { continue };
        if is_present(cx, module)? {
            continue;
        }
        match moves.get(&module).and_then(|change| change.new.as_ref()) {
            Some(new) => {
                anchor.module = Some(new.id);
                let old = std::mem::replace(&mut anchor.path, new.path().to_owned());
                anchor.was.get_or_insert(old);
            }
            None => anchor.gone = Some(head.0),
        }
    }
    anchors.version = head.0;
    Ok(())
}

/// Returns the rename or the move in the version in which the symbol was lost, because one that was edited before is not recognized over all versions at
/// once. None if it was no rename, or the new place is lost too.
fn last_move(cx: &ReadCx<'_>, anchor: &SymbolAnchor, head: Version) -> Result<Option<Change>, ToolError> {
    let Some(path) = RelPath::new(&anchor.file) else { return Ok(None) };
    let file = FileId::of(&path);
    let floor = cx.snapshot.floor().unwrap_or(head);
    let mut version = head;
    for _ in 0..MOST_VERSIONS {
        if version <= floor {
            break;
        }
        cx.call.check()?;
        let Some(row) = cx.snapshot.version_row(version)? else { break };
        let before = row.parent.unwrap_or(floor);
        if row.changes.iter().any(|change| change.file == file) && was_there(cx, file, anchor.id, before)? {
            let changes = cx.snapshot.changes_between(before, version)?;
            let changed = changed_symbols(cx.snapshot, cx.source.outlines(), (before, version), &changes)?;
            let id_of = |side: &Option<Sym>| side.as_ref().map(|sym| sym.id);
            let moved = changed.into_iter().find(|change| id_of(&change.old) == Some(anchor.id));
            return Ok(match moved.as_ref().and_then(|change| id_of(&change.new)) {
                Some(new) if new != anchor.id && is_present(cx, new)? => moved,
                _ => None,
            });
        }
        version = before;
    }
    Ok(None)
}

/// Whether a file had a symbol in a version.
fn was_there(cx: &ReadCx<'_>, file: FileId, id: SymbolId, version: Version) -> Result<bool, ToolError> {
    let Some(key) = cx.snapshot.file_at(file, version)?.and_then(|row| row.state.facts()) else {
        return Ok(false);
    };
    let outline = cx.source.outlines().outline(key)?;
    Ok(outline.is_some_and(|outline| outline.find(file, id).is_some()))
}

/// Points the anchor to the symbol's new place. A new name alone makes no row stale, because the code does the same; a new signature does.
fn move_anchor(anchor: &mut SymbolAnchor, change: &Change) {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return };
    let tiers = change.to_wire().tiers;
    let is_stable = tiers.behavior_stable && tiers.side_effects_stable && !change.interface_changed();
    if is_same_code(anchor, old.def()) && is_stable {
        anchor.fingerprint = code_hash(new.def());
    }
    let (name, file) = (new.qualified().to_owned(), new.path().to_owned());
    place_anchor(anchor, new.id, name, file);
}

fn place_anchor(anchor: &mut SymbolAnchor, id: SymbolId, name: String, file: String) {
    let before = format!("{} in {}", anchor.name, anchor.file);
    anchor.was.get_or_insert(before);
    anchor.id = id;
    anchor.name = name;
    anchor.file = file;
}

/// Points the anchor to the only symbol with the same name and content, if the history has no answer.
fn find_anchor(cx: &ReadCx<'_>, anchor: &mut SymbolAnchor, head: Version) -> Result<(), ToolError> {
    let request = SearchRequest { limit: NAMESAKES, exact: true, ..SearchRequest::new(&anchor.name) };
    // An error counts as no hit, because a name that can't be searched for belongs to no existing symbol.
    let hits = search_symbols(cx.source, &request).map(|found| found.results).unwrap_or_default();
    let mut alike = Vec::new();
    for hit in hits {
        let sym = cx.source.symbol(hit.symbol_id)?;
        alike.extend(sym.filter(|sym| is_same_code(anchor, sym.def())));
    }
    match &alike[..] {
        [only] => {
            let (name, file) = (anchor.name.clone(), only.path().to_owned());
            place_anchor(anchor, only.id, name, file);
        }
        _ => anchor.gone = Some(head.0),
    }
    Ok(())
}

/// Leads anchors that were made in version `since` or later to the present places of their symbols.
pub(crate) fn lead_anchors(
    cx: &ReadCx<'_>,
    since: Version,
    anchors: &mut [&mut SymbolAnchor],
) -> Result<(), ToolError> {
    let Some(head) = cx.snapshot.head() else { return Ok(()) };
    let mut lost = Vec::new();
    for anchor in anchors {
        cx.call.check()?;
        if !is_present(cx, anchor.id)? {
            lost.push(anchor);
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    let from = since.max(cx.snapshot.floor().unwrap_or(head));
    let moves = moved_symbols(cx, from, head)?;
    for anchor in lost {
        cx.call.check()?;
        match moves.get(&anchor.id) {
            Some(change) => move_anchor(anchor, change),
            None => find_anchor(cx, anchor, head)?,
        }
    }
    Ok(())
}
