//! Selects matching memories, best first: by relevance to the request, then by confidence and age.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use sdl_memory::notes::{Kind, Memory};
use sdl_model::SymbolId;
use sdl_retrieve::index::word_terms;
use serde::Deserialize;

use super::TaskType;

/// Days after which a memory's recency is halved.
const HALF_LIFE_DAYS: f64 = 30.0;
const DAY_MS: f64 = 86_400_000.0;

/// Factor of a memory that another one replaced.
const REPLACED: f64 = 0.5;

/// The request that memories are matched with.
#[derive(Debug, Default)]
pub(crate) struct About<'a> {
    /// Words; at least one must be in the memory, unless the memory is linked to a symbol or a file of the request.
    pub(crate) text: Option<&'a str>,
    /// Symbols and their nearness, from 0 to 1.
    pub(crate) symbols: HashMap<SymbolId, f64>,
    /// Their files. A memory of the file counts for the symbol, but less.
    pub(crate) files: HashSet<String>,
    /// The kind of the task.
    pub(crate) task: Option<TaskType>,
}

impl About<'_> {
    /// Whether every memory matches.
    fn anything(&self) -> bool {
        self.text.is_none() && self.symbols.is_empty() && self.files.is_empty()
    }
}

/// The order of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum SortBy {
    /// By score.
    #[default]
    Relevance,
    /// The latest first.
    Recency,
    /// The surest first.
    Confidence,
}

/// A memory and how well it matches.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) memory: Memory,
    /// From 0 to 1.
    pub(crate) score: f64,
}

fn text_terms(text: &str) -> impl Iterator<Item = String> {
    word_terms(text).into_iter().map(|(_, term)| term)
}

/// The nearness of a memory that is linked to the symbol's file only.
const BY_FILE: f64 = 0.6;

/// Returns the matching `memories`, best first.
pub(crate) fn rank_memories(
    memories: Vec<Memory>,
    about: &About<'_>,
    sort: SortBy,
    now_ms: u64,
) -> Vec<Ranked> {
    let wanted: Option<Vec<String>> = about.text.map(|text| {
        let mut found: Vec<String> = text_terms(text).collect();
        found.sort_unstable();
        found.dedup();
        found
    });
    let mut ranked: Vec<Ranked> = Vec::new();
    for memory in memories {
        let text = wanted.as_ref().map_or(0.0, |wanted| word_fit(&memory, wanted));
        let link = link_fit(&memory, about);
        let fit = if about.anything() { 1.0 } else { 1.0 - (1.0 - text) * (1.0 - link) };
        if fit > 0.0 {
            let score = memory_score(&memory, fit, about.task, now_ms);
            ranked.push(Ranked { memory, score });
        }
    }
    sort_memories(&mut ranked, sort);
    ranked
}

/// Sorts memories, the first in the order first; those alike by score, then by age.
pub(crate) fn sort_memories(ranked: &mut [Ranked], sort: SortBy) {
    ranked.sort_by(|a, b| {
        let by_score = || b.score.total_cmp(&a.score);
        let by_time = || b.memory.head.updated_ms.cmp(&a.memory.head.updated_ms);
        let by_confidence = || b.memory.confidence.total_cmp(&a.memory.confidence);
        in_order(sort, by_score, by_time, by_confidence).then_with(|| a.memory.id.cmp(&b.memory.id))
    });
}

/// The score of a memory that words found, with `fit` from 0 to 1: that decides, and age and confidence where it is close.
pub(super) fn score_found(memory: &Memory, fit: f64, task: Option<TaskType>, now_ms: u64) -> f64 {
    let rest = memory_score(memory, 1.0, task, now_ms);
    let score = fit * (0.9 + 0.1 * rest) * if memory.superseded_by.is_none() { 1.0 } else { REPLACED };
    (score * 1_000_000.0).round() / 1_000_000.0
}

fn memory_score(memory: &Memory, fit: f64, task: Option<TaskType>, now_ms: u64) -> f64 {
    let standing = Standing {
        kind: memory.kind(),
        updated_ms: memory.head.updated_ms,
        confidence: memory.confidence,
        is_current: memory.superseded_by.is_none(),
    };
    standing.score(fit, task, now_ms)
}

/// What a memory's score depends on, apart from how well it fits.
pub(super) struct Standing {
    pub(super) kind: Kind,
    pub(super) updated_ms: u64,
    pub(super) confidence: f64,
    pub(super) is_current: bool,
}

impl Standing {
    pub(super) fn score(&self, fit: f64, task: Option<TaskType>, now_ms: u64) -> f64 {
        let days = now_ms.saturating_sub(self.updated_ms) as f64 / DAY_MS;
        let recency = 0.5_f64.powf(days / HALF_LIFE_DAYS);
        let helps = task.is_none_or(|task| task.wants().contains(&self.kind));
        let score = fit * (0.6 + 0.2 * recency + 0.2 * self.confidence);
        let score = score * if helps { 1.0 } else { 0.7 } * if self.is_current { 1.0 } else { REPLACED };
        (score * 1_000.0).round() / 1_000.0
    }
}

/// Puts the field that is asked for first, then the score, then the age.
pub(super) fn in_order(
    sort: SortBy,
    by_score: impl Fn() -> Ordering,
    by_time: impl Fn() -> Ordering,
    by_confidence: impl Fn() -> Ordering,
) -> Ordering {
    let first = match sort {
        SortBy::Relevance => by_score(),
        SortBy::Recency => by_time(),
        SortBy::Confidence => by_confidence(),
    };
    first.then_with(by_score).then_with(by_time)
}

/// Returns the mean, over the words of the request, of how prominent each is in the memory.
fn word_fit(memory: &Memory, wanted: &[String]) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    let mut said: HashMap<String, f64> = HashMap::new();
    let mut say = |text: &str, weight: f64| {
        for term in text_terms(text) {
            let known = said.entry(term).or_default();
            *known = known.max(weight);
        }
    };
    say(&memory.content, 0.7);
    for text in memory.details.texts() {
        say(&text, 0.7);
    }
    for link in &memory.anchors.symbols {
        say(&link.name, 0.8);
    }
    for link in &memory.anchors.files {
        say(&link.path, 0.7);
    }
    for tag in &memory.tags {
        say(tag, 0.9);
    }
    say(&memory.title, 1.0);
    let sum: f64 = wanted.iter().filter_map(|term| said.get(term)).sum();
    sum / wanted.len() as f64
}

fn link_fit(memory: &Memory, about: &About<'_>) -> f64 {
    let symbols = memory.anchors.symbols.iter().filter_map(|link| about.symbols.get(&link.id).copied());
    let files = memory.anchors.files.iter().filter(|link| about.files.contains(&link.path)).map(|_| BY_FILE);
    symbols.chain(files).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use sdl_memory::Anchors;
    use sdl_memory::notes::{Details, Kind};
    use sdl_memory::store::Head;

    use super::*;

    fn memory(id: &str, title: &str, days: u64, confidence: f64) -> Memory {
        Memory {
            id: id.to_owned(),
            scope: String::new(),
            title: title.to_owned(),
            content: String::new(),
            tags: Vec::new(),
            confidence,
            anchors: Anchors::default(),
            details: Details::of_kind(Kind::Note),
            agent: None,
            expires_ms: None,
            supersedes: None,
            superseded_by: None,
            head: Head { updated_ms: (100 - days) * DAY_MS as u64, ..Head::default() },
        }
    }

    fn order(memories: Vec<Memory>, text: Option<&str>, sort: SortBy) -> Vec<String> {
        let about = About { text, ..About::default() };
        rank_memories(memories, &about, sort, 100 * DAY_MS as u64).into_iter().map(|r| r.memory.id).collect()
    }

    #[test]
    fn fit_comes_before_age_and_age_before_nothing() {
        let all = || {
            vec![
                memory("old", "tokens expire early", 90, 0.8),
                memory("new", "tokens expire early", 1, 0.8),
                memory("half", "tokens", 0, 1.0),
                memory("none", "a shopping list", 0, 1.0),
            ]
        };
        assert_eq!(
            order(all(), Some("why do tokens expire early"), SortBy::Relevance),
            ["new", "old", "half"]
        );
        assert_eq!(order(all(), None, SortBy::Recency), ["half", "none", "new", "old"]);
        assert_eq!(order(all(), Some("the"), SortBy::Relevance), Vec::<String>::new());
    }

    #[test]
    fn the_task_decides_between_kinds() {
        let mut bug = memory("bug", "x", 0, 0.8);
        bug.details = Details::of_kind(Kind::Bugfix);
        let all = vec![memory("a note", "x", 0, 0.8), bug];
        let about = About { task: Some(TaskType::Debug), ..About::default() };
        assert_eq!(rank_memories(all, &about, SortBy::Relevance, 0)[0].memory.id, "bug");
    }
}
