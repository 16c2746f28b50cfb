//! Memories found by their words.

use std::collections::HashMap;

use schemars::JsonSchema;
use sdl_memory::notes::{Memory, find_memory, scopes_with};
use sdl_memory::tables::MEMORIES;
use sdl_memory::words::{self, Ask, Lane, LaneHealth};
use serde::Serialize;

use super::rank::{About, Ranked, score_found};
use crate::ToolError;
use crate::call::owned::OwnedCx;

/// Memories that are looked at, at most, for one question, because filters of the call come after the words.
const MOST: usize = 500;

/// How a kind of rows did in a search.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct LaneOut {
    /// `memory` or `lesson`.
    lane: &'static str,
    /// Rows that were searched.
    rows: u64,
    /// Those with a word of the question.
    matched: u64,
    /// Why it could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<&'static str>,
}

impl LaneOut {
    /// Of the health of a lane.
    pub(crate) fn of(health: &LaneHealth) -> Self {
        Self { lane: health.lane.name(), rows: health.rows, matched: health.matched, trouble: health.trouble }
    }
}

/// Returns the memories of the call's scopes with words of the question, best first, and how each lane did. `lessons`: those too.
pub(crate) fn memories_by_words(
    cx: &OwnedCx<'_>,
    about: &About<'_>,
    text: &str,
    lessons: bool,
) -> Result<(Vec<Ranked>, Vec<LaneOut>), ToolError> {
    let now = cx.now_ms();
    let (hits, mut rows) = cx.look(|reader| {
        let every;
        let scopes = match &cx.scopes.read {
            Some(scopes) => scopes,
            None => {
                every = scopes_with(reader, MEMORIES)?;
                &every
            }
        };
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let lanes: &[Lane] = if lessons { &[Lane::Memory, Lane::Lesson] } else { &[Lane::Memory] };
        let ask = Ask {
            scopes: &names,
            lanes,
            text,
            now_ms: i64::try_from(now).unwrap_or(i64::MAX),
            since_ms: None,
            keep: None,
            limit: MOST,
        };
        let hits = words::search(reader, &ask)?;
        let mut rows: HashMap<String, Memory> = HashMap::new();
        for hit in &hits.hits {
            let scope = std::slice::from_ref(&hit.scope);
            let row = find_memory(reader, Some(scope), &hit.id)?;
            rows.extend(row.filter(|row| !row.is_expired(now)).map(|row| (hit.id.clone(), row)));
        }
        Ok((hits, rows))
    })?;
    let best = hits.hits.first().map_or(1.0, |hit| f64::from(hit.score));
    let mut found = Vec::with_capacity(rows.len());
    for hit in &hits.hits {
        if let Some(memory) = rows.remove(&hit.id) {
            let score = score_found(&memory, f64::from(hit.score) / best, about.task, now);
            found.push(Ranked { memory, score });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok((found, hits.lanes.iter().map(LaneOut::of).collect()))
}
