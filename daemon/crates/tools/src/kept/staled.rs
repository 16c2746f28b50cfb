//! What a change of the code made stale.
//!
//! The law: a row is in the answer if it was not stale in the version before the change, and is in the one after it.

use std::collections::HashMap;

use schemars::JsonSchema;
use sdl_memory::graph::{Direction, EntityQuery, View, When, query_entity};
use sdl_memory::times::FOREVER;
use sdl_memory::{Anchors, SymbolAnchor};
use sdl_model::{FileId, RelPath, SymbolId, Version};
use sdl_retrieve::diff::ChangedSymbol;
use serde::Serialize;

use super::memory::{follow_memories, load_memories};
use crate::ToolError;
use crate::call::answers::begin_line;
use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::modules::Module;

/// Rows that are named.
const MOST: usize = 10;
/// Facts of one symbol that are looked at.
const FACTS: usize = 50;

/// Something that a change made stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Staled {
    /// `m_…` memory or lesson, `t_…` fact. `memory.update` with `confirm` says that it is still true.
    id: String,
    /// Its type: `decision`, `bugfix`, …, `lesson`, or `fact`.
    kind: String,
    /// One line of it.
    title: String,
    /// The symbol that changed or is gone.
    symbol_id: String,
}

/// Returns what the change between two versions made stale: 10 rows at most, because it comes with an answer about something else. None if the caller did not ask, or the module is off.
pub(crate) fn find_staled<'c>(
    cx: &ReadCx<'_>,
    wanted: Option<bool>,
    changed: impl Iterator<Item = &'c ChangedSymbol>,
    (from, to): (Version, Version),
) -> Result<Option<Vec<Staled>>, ToolError> {
    if wanted != Some(true) || cx.across.is_some() || !cx.snapshot.reaches(from) || !cx.snapshot.reaches(to) {
        return Ok(None);
    }
    let mut by_id: HashMap<SymbolId, &ChangedSymbol> = HashMap::new();
    for symbol in changed {
        by_id.insert(symbol.symbol_id, symbol);
        by_id.extend(symbol.renamed_from.map(|old| (old, symbol)));
    }
    let family = Family::of(cx.call, cx.repo);
    let mut staled = Vec::new();
    let scopes: Vec<String> = family.ids().iter().cloned().chain([String::new()]).collect();
    let mut memories = load_memories(cx.call, Some(&scopes))?;
    memories.retain(|row| row.superseded_by.is_none());
    follow_memories(cx, &family, &mut memories)?;
    for row in memories {
        cx.call.check()?;
        if let Some(symbol) = flipped(cx, &row.anchors, &by_id, (from, to))? {
            let kind = row.kind().name().to_owned();
            staled.push(Staled { id: row.id, kind, title: row.title, symbol_id: symbol.to_string() });
        }
    }
    if cx.call.modules().has(Module::Kg) {
        add_facts(cx, (&family, scopes), &by_id, (from, to), &mut staled)?;
    }
    staled.truncate(MOST);
    Ok(Some(staled))
}

/// Adds the facts of the changed symbols that became stale.
fn add_facts(
    cx: &ReadCx<'_>,
    (family, scopes): (&Family, Vec<String>),
    by_id: &HashMap<SymbolId, &ChangedSymbol>,
    ends: (Version, Version),
    staled: &mut Vec<Staled>,
) -> Result<(), ToolError> {
    let own = cx.repo.id().to_owned();
    let worlds = family.ids().iter().map(|id| (id.clone(), own.clone())).collect();
    let view = View { scopes: Some(scopes), worlds };
    let now = i64::try_from(cx.call.leases.now()).unwrap_or(i64::MAX);
    let mut ids: Vec<&SymbolId> = by_id.keys().collect();
    ids.sort_unstable();
    for id in ids {
        cx.call.check()?;
        let entity = id.to_string();
        let query = EntityQuery {
            entity: &entity,
            direction: Direction::Both,
            predicates: &[],
            when: When::At(now),
            known_at: FOREVER,
            limit: FACTS,
            after: None,
        };
        let store = cx.call.host.agent();
        let page = store.read(|reader| Ok(query_entity(reader, &view, &query)))??;
        for fact in page.facts {
            let known = staled.iter().any(|known| known.id == fact.triple.id);
            if !known && let Some(symbol) = flipped(cx, &fact.triple.anchors, by_id, ends)? {
                let title = format!("{} {} {}", fact.subject, fact.triple.predicate, fact.object);
                let (id, kind) = (fact.triple.id, "fact".to_owned());
                staled.push(Staled { id, kind, title, symbol_id: symbol.to_string() });
            }
        }
    }
    Ok(())
}

/// Returns the first symbol of the anchors that was as it should be before the change, and is not after it.
fn flipped(
    cx: &ReadCx<'_>,
    anchors: &Anchors,
    by_id: &HashMap<SymbolId, &ChangedSymbol>,
    (from, to): (Version, Version),
) -> Result<Option<SymbolId>, ToolError> {
    for anchor in &anchors.symbols {
        let Some(changed) = by_id.get(&anchor.id) else { continue };
        let (id, path) = (changed.symbol_id, changed.file.as_str());
        let old_id = changed.renamed_from.unwrap_or(id);
        let old_path = changed.previous_file.as_deref().unwrap_or(path);
        let before = fingerprint_at(cx, (old_id, old_path), from)?;
        let after = fingerprint_at(cx, (id, path), to)?;
        if is_same(anchor, before) && !is_same(anchor, after) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn is_same(anchor: &SymbolAnchor, fingerprint: Option<u64>) -> bool {
    fingerprint == Some(anchor.fingerprint)
}

/// A symbol's fingerprint in a version; none if it was not there.
fn fingerprint_at(
    cx: &ReadCx<'_>,
    (id, path): (SymbolId, &str),
    version: Version,
) -> Result<Option<u64>, ToolError> {
    let Some(path) = RelPath::new(path) else { return Ok(None) };
    let file = FileId::of(&path);
    let row = cx.snapshot.file_at(file, version)?;
    let Some(key) = row.and_then(|row| row.state.facts()) else { return Ok(None) };
    let Some(outline) = cx.source.outlines().outline(key)? else { return Ok(None) };
    Ok(outline.find(file, id).and_then(|ix| outline.def(ix)).map(|def| def.fingerprint))
}

/// Appends what became stale to the text of an answer.
pub(crate) fn write_staled(text: &mut String, staled: Option<&Vec<Staled>>) {
    for row in staled.into_iter().flatten() {
        let Staled { id, kind, title, symbol_id } = row;
        begin_line(text, format_args!("now stale: {id} [{kind}] {title} (about {symbol_id})"));
    }
}
