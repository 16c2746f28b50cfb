//! What a change of the code made stale.
//!
//! The law: a row is in the answer if it was not stale in the version before the change, and is in the one after it.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use sdl_memory::graph::{Triple, View, When, find_fact};
use sdl_memory::store::{Holder, Tables as _};
use sdl_memory::times::FOREVER;
use sdl_memory::{Anchors, SymbolAnchor};
use sdl_model::{FileId, RelPath, SymbolId, Version};
use sdl_retrieve::diff::ChangedSymbol;
use serde::Serialize;

use super::anchors::is_same_code;
use super::fact_code::follow_facts;
use super::linked::{Code, rows_about_code};
use super::memory::{follow_memories, load_about};
use crate::ToolError;
use crate::call::answers::begin_line;
use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::modules::Module;

/// Rows that are named.
const MOST: usize = 10;

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

impl Staled {
    /// Its id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Its type.
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// One line of it.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }
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
    let symbols: Vec<SymbolId> = by_id.keys().copied().collect();
    let files = HashSet::new();
    let code = Code { symbols: &symbols, files: &files, beside: false };
    let mut memories = load_about(cx, &family, Some(&scopes), code)?;
    memories.sort_by(|one, other| (&one.scope, &one.id).cmp(&(&other.scope, &other.id)));
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
        add_facts(cx, (&family, scopes), code, &by_id, (from, to), &mut staled)?;
    }
    staled.truncate(MOST);
    Ok(Some(staled))
}

/// Adds the facts about the changed symbols that became stale and hold now.
fn add_facts(
    cx: &ReadCx<'_>,
    (family, scopes): (&Family, Vec<String>),
    code: Code<'_>,
    by_id: &HashMap<SymbolId, &ChangedSymbol>,
    ends: (Version, Version),
    staled: &mut Vec<Staled>,
) -> Result<(), ToolError> {
    let linked = rows_about_code(cx, family, Holder::Fact, code)?;
    let store = cx.call.host.agent();
    let mut rows: Vec<Triple> = store.read(|reader| {
        let mut rows = Vec::new();
        for link in linked.iter().filter(|link| scopes.contains(&link.scope)) {
            rows.extend(reader.row::<Triple>(link.id.as_bytes())?);
        }
        Ok(rows)
    })?;
    follow_facts(cx, family, &mut rows)?;
    let own = cx.repo.id().to_owned();
    let worlds = family.ids().iter().map(|id| (id.clone(), own.clone())).collect();
    let view = View { scopes: Some(scopes), worlds };
    let now = i64::try_from(cx.call.leases.now()).unwrap_or(i64::MAX);
    let mut known = HashSet::new();
    for row in rows {
        cx.call.check()?;
        let Some(symbol) = flipped(cx, &row.anchors, by_id, ends)? else { continue };
        let when = (When::At(now), FOREVER);
        let fact = store.read(|reader| Ok(find_fact(reader, &view, &row.id, when)))??;
        if let Some(fact) = fact
            && known.insert(fact.triple.id.clone())
        {
            let title = format!("{} {} {}", fact.subject, fact.triple.predicate, fact.object);
            let (id, kind) = (fact.triple.id, "fact".to_owned());
            staled.push(Staled { id, kind, title, symbol_id: symbol.to_string() });
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
        let was_same = is_same_at(cx, anchor, (old_id, old_path), from)?;
        if was_same && !is_same_at(cx, anchor, (id, path), to)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Whether a symbol has the code of the anchor in a version.
fn is_same_at(
    cx: &ReadCx<'_>,
    anchor: &SymbolAnchor,
    (id, path): (SymbolId, &str),
    version: Version,
) -> Result<bool, ToolError> {
    let Some(path) = RelPath::new(path) else { return Ok(false) };
    let file = FileId::of(&path);
    let row = cx.snapshot.file_at(file, version)?;
    let Some(key) = row.and_then(|row| row.state.facts()) else { return Ok(false) };
    let Some(outline) = cx.source.outlines().outline(key)? else { return Ok(false) };
    let def = outline.find(file, id).and_then(|ix| outline.def(ix));
    Ok(def.is_some_and(|def| is_same_code(anchor, def)))
}

/// Appends what became stale to the text of an answer.
pub(crate) fn write_staled(text: &mut String, staled: Option<&Vec<Staled>>) {
    for row in staled.into_iter().flatten() {
        let Staled { id, kind, title, symbol_id } = row;
        begin_line(text, format_args!("now stale: {id} [{kind}] {title} (about {symbol_id})"));
    }
}
