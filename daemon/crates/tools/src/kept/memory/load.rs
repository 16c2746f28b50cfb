//! Loads memories, with their anchors led to where their symbols are.

use std::collections::{HashMap, HashSet};

use sdl_memory::Anchors;
use sdl_memory::notes::{Kind, Memory, NoteHead, memories_of, scan_heads};
use sdl_memory::store::{Holder, Tables as _, put_followed, scoped_key};
use sdl_model::SymbolId;

use super::TaskType;
use super::found::search_memories;
use super::heads::BestHeads;
use super::rank::{About, Ranked, SortBy};
use crate::ToolError;
use crate::call::context::{Call, ReadCx};
use crate::call::family::Family;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::{confirm_anchors, follow_anchors};
use crate::kept::linked::{Code, rows_about_code};

/// Memories that are looked at because of their words.
const MOST_BY_WORDS: usize = 100;

/// Returns the memories of some scopes, or of all, that are not over. Lessons only where their module is on, because nobody could have asked for them else.
pub(crate) fn load_memories(call: &Call<'_>, scopes: Option<&[String]>) -> Result<Vec<Memory>, ToolError> {
    let mut memories = call.host.agent().read(|reader| memories_of(reader, scopes))?;
    let now = call.leases.now();
    let lessons = call.modules().has(Module::Memory);
    memories.retain(|memory| !memory.is_expired(now) && (lessons || memory.kind() != Kind::Lesson));
    Ok(memories)
}

/// Returns the memories with these ids that a call may see, in the order of the ids.
pub(crate) fn load_by_id<'i>(
    call: &Call<'_>,
    ids: impl Iterator<Item = (&'i str, &'i str)>,
) -> Result<Vec<Memory>, ToolError> {
    let (now, lessons) = (call.leases.now(), call.modules().has(Module::Memory));
    Ok(call.host.agent().read(|reader| {
        let mut found = Vec::new();
        for (scope, id) in ids {
            let row = reader.row::<Memory>(&scoped_key(scope, id))?;
            found.extend(row.filter(|row| !row.is_expired(now) && (lessons || row.kind() != Kind::Lesson)));
        }
        Ok(found)
    })?)
}

/// Returns the memories of some scopes, or of all, that are about this code, or may be once their anchors were followed.
pub(crate) fn load_about(
    cx: &ReadCx<'_>,
    family: &Family,
    scopes: Option<&[String]>,
    code: Code<'_>,
) -> Result<Vec<Memory>, ToolError> {
    let linked = rows_about_code(cx, family, Holder::Memory, code)?;
    let reads = |scope: &String| scopes.is_none_or(|scopes| scopes.contains(scope));
    let linked = linked.iter().filter(|row| reads(&row.scope));
    load_by_id(cx.call, linked.map(|row| (row.scope.as_str(), row.id.as_str())))
}

/// Returns the memories of some scopes, or of all, that may match: by words, by code, or because their code may be elsewhere now.
pub(crate) fn load_matching(
    cx: &ReadCx<'_>,
    family: &Family,
    scopes: Option<&[String]>,
    about: &About<'_>,
) -> Result<Vec<Memory>, ToolError> {
    let symbols: Vec<SymbolId> = about.symbols.keys().copied().collect();
    let code = Code { symbols: &symbols, files: &about.files, beside: false };
    let mut found = load_about(cx, family, scopes, code)?;
    if let Some(text) = about.text {
        let known: HashSet<String> = found.iter().map(|memory| memory.id.clone()).collect();
        let hits = search_memories(cx.call, scopes, text, MOST_BY_WORDS)?;
        let new = hits.hits.iter().filter(|hit| !known.contains(&hit.id));
        found.extend(load_by_id(cx.call, new.map(|hit| (hit.scope.as_str(), hit.id.as_str())))?);
    }
    Ok(found)
}

/// Returns the best `need` of the memories of some scopes, or of all, that `keep` wants, where no words and no code are asked for; and how many there
/// are in all.
pub(crate) fn load_best(
    call: &Call<'_>,
    scopes: Option<&[String]>,
    keep: impl Fn(&NoteHead<'_>) -> bool,
    order: (SortBy, Option<TaskType>),
    need: usize,
) -> Result<(Vec<Ranked>, usize), ToolError> {
    let (now, lessons) = (call.leases.now(), call.modules().has(Module::Memory));
    let mut best = BestHeads::new(order, need, now);
    let mut each = |head: NoteHead<'_>| {
        if !head.is_expired(now) && (lessons || head.kind != Kind::Lesson) && keep(&head) {
            best.add(&head);
        }
    };
    call.host.agent().read(|reader| scan_heads(reader, scopes, &mut each))?;
    let total = best.total;
    let best = best.best();
    let rows = load_by_id(call, best.iter().map(|head| (head.scope.as_str(), head.id.as_str())))?;
    let mut scores: HashMap<String, f64> =
        best.into_iter().map(|head| (head.id, head.standing.score)).collect();
    let ranked = rows.into_iter().map(|memory| {
        let score = scores.remove(&memory.id).unwrap_or_default();
        Ranked { memory, score }
    });
    Ok((ranked.collect(), total))
}

/// Leads the anchors of memories to where their symbols are, and stores that.
pub(crate) fn follow_memories(
    cx: &ReadCx<'_>,
    family: &Family,
    memories: &mut [Memory],
) -> Result<(), ToolError> {
    let mut rows: Vec<_> = memories.iter_mut().map(|row| (row.scope.as_str(), &mut row.anchors)).collect();
    let followed = follow_anchors(cx, family, &mut rows)?;
    if followed.is_empty() {
        return Ok(());
    }
    let followed: Vec<Memory> = followed.into_iter().filter_map(|at| memories.get(at).cloned()).collect();
    // Anchors that can't be written now are followed again by the next call.
    if let Err(error) = put_followed(cx.call.host.agent(), &followed) {
        cx.note(format!("links that were followed could not be stored: {error}"));
    }
    Ok(())
}

/// Leads the anchors of ranked memories to where their symbols are, and stores that.
pub(crate) fn follow_ranked(
    read: &ReadCx<'_>,
    family: &Family,
    ranked: &mut Vec<Ranked>,
) -> Result<(), ToolError> {
    let (scores, mut memories): (Vec<f64>, Vec<Memory>) =
        ranked.drain(..).map(|ranked| (ranked.score, ranked.memory)).unzip();
    follow_memories(read, family, &mut memories)?;
    ranked.extend(memories.into_iter().zip(scores).map(|(memory, score)| Ranked { memory, score }));
    Ok(())
}

/// Returns the anchors of a memory, as the code is now; none without a repository. An anchor to code that is gone stays as it is.
pub(crate) fn confirmed_anchors(cx: &OwnedCx<'_>, memory: Memory) -> Result<Option<Anchors>, ToolError> {
    let Some(read) = cx.read else { return Ok(None) };
    let family = cx.family();
    let mut rows = [memory];
    follow_memories(read, &family, &mut rows)?;
    let [memory] = rows;
    confirm_anchors(read, &family, &memory.scope, &memory.anchors).map(Some)
}
