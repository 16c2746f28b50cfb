//! The lanes of the agents' store.

use std::collections::{BTreeSet, HashMap};

use sdl_memory::graph::{Direction, EntityQuery, Fact, When, facts_of_hits, query_entity};
use sdl_memory::notes::{Kind, Memory};
use sdl_memory::scratch::Scratch;
use sdl_memory::store::{Holder, Tables as _, scoped_key};
use sdl_memory::times::{FOREVER, write_time};
use sdl_memory::weights::source_tally;
use sdl_memory::words::{self, Hit, Hits, Reason};
use sdl_memory::work::dispatch::{DispatchFilter, find_brief, list_dispatches};
use sdl_memory::{Anchors, SymbolAnchor};

use super::searches::MOST;
use super::{Item, Lane, Task, shown_score};
use crate::ToolError;
use crate::kept::anchors::{AnchorState, anchor_states, follow_anchors, stale_since};
use crate::kept::facts::view_of;
use crate::kept::memory::{follow_memories, load_by_id};

/// Characters of one row that are shown.
const LENGTH: usize = 1_600;
/// Symbols of the code whose facts are looked up.
const NAMED: usize = 5;
/// Facts of one entity.
const OF_ENTITY: usize = 8;
/// How well a fact of an entity fits that the task names.
const BY_NAME: f64 = 0.7;
/// The nearness of a row that is linked to the file of a symbol only.
const BY_FILE: f64 = 0.6;
/// Factor of a row whose code changed, because it may be wrong.
const STALE: f64 = 0.8;

/// A row that may be shown.
struct Found {
    id: String,
    scope: String,
    text: String,
    anchors: Anchors,
    fit: f64,
    why: Vec<String>,
}

/// Returns the rows of a lane that fit the task, best first.
pub(crate) fn kept_items(lane: Lane, task: &mut Task<'_>) -> Result<Vec<Item>, ToolError> {
    let mut found = match lane {
        Lane::Code => Vec::new(),
        Lane::Memory => memories(task, false)?,
        Lane::Lesson => memories(task, true)?,
        Lane::Kg => facts(task)?,
        Lane::Scratch => entries(task)?,
        Lane::Dispatch => dispatches(task)?,
    };
    found.retain(|found| found.fit > 0.0);
    found.sort_by(|a, b| b.fit.total_cmp(&a.fit).then_with(|| a.id.cmp(&b.id)));
    found.truncate(MOST);
    let mut items = Vec::with_capacity(found.len());
    for found in found {
        task.cx.call.check()?;
        items.extend(to_item(task, found)?);
    }
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.source_id.cmp(&b.source_id)));
    Ok(items)
}

/// The words of the task that a row has.
struct Said {
    scope: String,
    /// From 0 to 1.
    score: f64,
    words: Vec<String>,
    reasons: Vec<Reason>,
}

/// The words of the task that rows of a lane have, by the row's id.
fn by_words(task: &mut Task<'_>, lane: words::Lane) -> Result<HashMap<String, Said>, ToolError> {
    Ok(words_of(take_hits(task, lane)?.hits))
}

/// What the search of a lane found.
fn take_hits(task: &mut Task<'_>, lane: words::Lane) -> Result<Hits, ToolError> {
    task.searched.remove(&lane).unwrap_or_else(|| Ok(Hits::default()))
}

fn words_of(hits: Vec<Hit>) -> HashMap<String, Said> {
    let best = hits.first().map_or(1.0, |hit| f64::from(hit.score));
    let said = hits.into_iter().map(|hit| {
        let score = f64::from(hit.score) / best;
        (hit.id, Said { scope: hit.scope, score, words: hit.words, reasons: hit.reasons })
    });
    said.collect()
}

/// How near a row's code is to the code of the context, and the name of the nearest.
fn by_code(task: &Task<'_>, anchors: &Anchors) -> (f64, Option<String>) {
    let symbols = anchors.symbols.iter().filter_map(|anchor: &SymbolAnchor| {
        task.symbols.get(&anchor.id).map(|near| (*near, anchor.name.clone()))
    });
    let files = anchors.files.iter().filter(|anchor| task.files.contains(&anchor.path));
    let files = files.map(|anchor| (BY_FILE, anchor.path.clone()));
    let beside = anchors.symbols.iter().filter(|anchor| task.files.contains(&anchor.file));
    let beside = beside.map(|anchor| (BY_FILE * BY_FILE, anchor.file.clone()));
    let best = symbols.chain(files).chain(beside).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or((0.0, None), |(near, name)| (near, Some(name)))
}

/// The reasons why words found a row.
fn reasons_of(said: &Said) -> Vec<String> {
    let words = (!said.words.is_empty()).then(|| format!("words: {}", said.words.join(" ")));
    let others = said.reasons.iter().map(|reason| match reason {
        Reason::Near => "written beside rows with words of the task".to_owned(),
        Reason::Alike => "like the rows that fit best".to_owned(),
        Reason::InTime => "from a time that the task names".to_owned(),
    });
    words.into_iter().chain(others).collect()
}

/// Joins both.
fn fit_of(said: Option<&Said>, code: (f64, Option<String>)) -> (f64, Vec<String>) {
    let text = said.map_or(0.0, |said| said.score);
    let mut why = said.map(reasons_of).unwrap_or_default();
    why.extend(code.1.map(|name| format!("about {name}")));
    (1.0 - (1.0 - text * 0.9) * (1.0 - code.0 * 0.9), why)
}

fn memories(task: &mut Task<'_>, lessons: bool) -> Result<Vec<Found>, ToolError> {
    let lane = if lessons { words::Lane::Lesson } else { words::Lane::Memory };
    let words = by_words(task, lane)?;
    let said = words.iter().map(|(id, said)| (said.scope.as_str(), id.as_str()));
    let mut rows = load_by_id(task.cx.call, said)?;
    let about = task.memories_about_code()?.iter();
    rows.extend(about.filter(|row| !words.contains_key(&row.id)).cloned());
    rows.retain(|row| (row.kind() == Kind::Lesson) == lessons && row.superseded_by.is_none());
    if lessons {
        rows.retain(|row| task.agent.is_none() || row.agent.as_deref() == task.agent);
    }
    if let Some(read) = task.cx.read {
        follow_memories(read, task.family, &mut rows)?;
    }
    let found = rows.into_iter().map(|row| {
        let (fit, why) = fit_of(words.get(&row.id), by_code(task, &row.anchors));
        let weight = if lessons { importance(&row) } else { row.confidence };
        Found {
            text: memory_text(&row),
            fit: fit * (0.8 + 0.2 * weight),
            why,
            id: row.id,
            scope: row.scope,
            anchors: row.anchors,
        }
    });
    Ok(found.collect())
}

fn importance(row: &Memory) -> f64 {
    match &row.details {
        sdl_memory::notes::Details::Lesson(lesson) => lesson.importance.unwrap_or(0.5),
        _ => row.confidence,
    }
}

fn memory_text(row: &Memory) -> String {
    let mut text = format!("{}: {}", row.kind().name(), row.title);
    if row.title.trim_end_matches('…') != row.content {
        text.push('\n');
        text.push_str(&row.content);
    }
    for (name, value) in row.details.fields() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("\n{name}: {value}"));
    }
    text
}

fn entries(task: &mut Task<'_>) -> Result<Vec<Found>, ToolError> {
    let words = by_words(task, words::Lane::Scratch)?;
    let mut linked: BTreeSet<(String, String)> =
        words.iter().map(|(id, said)| (said.scope.clone(), id.clone())).collect();
    let about = task.rows_about_code(Holder::Scratch)?;
    linked.extend(about.into_iter().map(|row| (row.scope.clone(), row.id.clone())));
    let mut rows: Vec<Scratch> = task.cx.look(|reader| {
        let mut rows = Vec::new();
        for (scope, id) in &linked {
            rows.extend(reader.row::<Scratch>(&scoped_key(scope, id))?);
        }
        Ok(rows)
    })?;
    rows.retain(|row| !row.is_over(task.cx.now_ms()));
    rows.retain(|row| row.agent.is_empty() || task.agent.is_none_or(|agent| agent == row.agent));
    if let Some(read) = task.cx.read {
        let mut held: Vec<_> = rows.iter_mut().map(|row| (row.scope.as_str(), &mut row.anchors)).collect();
        follow_anchors(read, task.family, &mut held)?;
    }
    let found = rows.into_iter().map(|row| {
        let (fit, why) = fit_of(words.get(&row.id), by_code(task, &row.anchors));
        Found { text: scratch_text(&row), fit, why, id: row.id, scope: row.scope, anchors: row.anchors }
    });
    Ok(found.collect())
}

fn scratch_text(row: &Scratch) -> String {
    let mut text = format!("{} {:?}", row.kind, row.key);
    for (name, value) in &row.fields {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("\n{name}: {value}"));
    }
    text
}

fn dispatches(task: &mut Task<'_>) -> Result<Vec<Found>, ToolError> {
    let words = by_words(task, words::Lane::Dispatch)?;
    let now = task.cx.now_ms();
    let scopes = task.cx.scopes.read.as_ref();
    let reads = |scope: &str| scopes.is_none_or(|scopes| scopes.iter().any(|known| known == scope));
    let rows = task.cx.look(|reader| {
        let rows = list_dispatches(reader, DispatchFilter::default(), reads, (now, MOST))?;
        rows.into_iter()
            .map(|row| Ok((find_brief(reader, &row.id)?, row)))
            .collect::<sdl_memory::Result<Vec<_>>>()
    })?;
    let found = rows.into_iter().map(|(brief, row)| {
        let (fit, why) = fit_of(words.get(&row.id), by_code(task, &row.anchors));
        let brief = brief.map(|brief| brief.brief).unwrap_or_default();
        let text = format!("{} dispatch: {}\n{brief}", row.state(now).name(), row.title);
        Found { text, fit, why, id: row.id, scope: row.scope, anchors: row.anchors }
    });
    Ok(found.collect())
}

/// Facts with words of the task, and those of the entities that it names and of the code that was found.
fn facts(task: &mut Task<'_>) -> Result<Vec<Found>, ToolError> {
    let hits = take_hits(task, words::Lane::Kg)?.hits;
    let now = i64::try_from(task.at_ms).unwrap_or(i64::MAX);
    let view = view_of(task.cx);
    let mut named: Vec<String> = task.entities.to_vec();
    let mut symbols: Vec<_> = task.symbols.iter().collect();
    symbols.sort_by(|a, b| b.1.total_cmp(a.1).then_with(|| a.0.cmp(b.0)));
    named.extend(symbols.into_iter().take(NAMED).map(|(id, _)| id.to_string()));
    let (said, about) = task.cx.look(|reader| {
        let when = When::At(now);
        let said = facts_of_hits(reader, &view, &hits, (when, FOREVER), MOST)?;
        let mut about = Vec::new();
        for entity in &named {
            let query = EntityQuery {
                entity,
                direction: Direction::Both,
                predicates: &[],
                when,
                known_at: FOREVER,
                limit: OF_ENTITY,
                after: None,
            };
            about.extend(query_entity(reader, &view, &query)?.facts.into_iter().map(|fact| (entity, fact)));
        }
        Ok((said, about))
    })?;
    let words = words_of(hits);
    let mut found: HashMap<String, Found> = HashMap::new();
    for fact in said {
        let words = words.get(&fact.triple.id);
        let (fit, why) = fit_of(words, by_code(task, &fact.triple.anchors));
        found.insert(fact.triple.id.clone(), found_fact(fact, fit, why));
    }
    for (entity, fact) in about {
        let (fit, mut why) = fit_of(words.get(&fact.triple.id), (BY_NAME, None));
        why.push(format!("of {entity}"));
        found.entry(fact.triple.id.clone()).or_insert_with(|| found_fact(fact, fit, why));
    }
    Ok(found.into_values().collect())
}

fn found_fact(fact: Fact, fit: f64, why: Vec<String>) -> Found {
    let Fact { triple, subject, object, from, to, confidence, .. } = fact;
    let until = to.map(|to| format!(" until {}", write_time(to))).unwrap_or_default();
    let text = format!("{subject} {} {object} (since {}{until})", triple.predicate, write_time(from));
    let fit = fit * (0.8 + 0.2 * confidence);
    Found { text, fit, why, id: triple.id, scope: triple.scope, anchors: triple.anchors }
}

/// The row as a piece of the context; none if its code changed and such rows are not wanted.
fn to_item(task: &Task<'_>, found: Found) -> Result<Option<Item>, ToolError> {
    let states = anchor_states(task.cx.read, task.family, &found.scope, &found.anchors)?;
    let stale = states.is_stale();
    if stale && !task.include_stale {
        return Ok(None);
    }
    let since = match task.cx.read {
        Some(read) if stale => stale_since(read, &found.anchors, &states)?,
        _ => None,
    };
    let factor = if task.use_feedback {
        task.cx.look(|reader| source_tally(reader, &task.cx.scopes.own, &found.id))?.factor(task.at_ms)
    } else {
        1.0
    };
    let mut why = found.why;
    if (factor - 1.0).abs() > 0.005 {
        why.push(format!("feedback ×{factor:.2}"));
    }
    let content = cut_text(found.text);
    let score = found.fit * factor * if stale { STALE } else { 1.0 };
    Ok(Some(Item {
        source_id: found.id,
        tokens: 0,
        size: None,
        content,
        score: shown_score(score.min(1.0)),
        why,
        state: states.worst_of_symbols().map(AnchorState::name),
        stale_since: since,
    }))
}

fn cut_text(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LENGTH) {
        text.truncate(end);
        text.push('…');
    }
    text
}
