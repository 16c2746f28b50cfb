//! Memories found by their words.

use schemars::JsonSchema;
use sdl_memory::notes::{Memory, scopes_with};
use sdl_memory::store::{Tables as _, scoped_key};
use sdl_memory::tables::MEMORIES;
use sdl_memory::words::{self, Ask, Hits, Lane, LaneHealth};
use serde::Serialize;

use super::rank::{About, Ranked, score_found};
use crate::ToolError;
use crate::call::context::Call;
use crate::call::modules::Module;
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

/// Searches the memories of some scopes, or of all, by their words. Lessons too, where their module is on.
pub(super) fn search_memories(
    call: &Call<'_>,
    scopes: Option<&[String]>,
    text: &str,
    limit: usize,
) -> Result<Hits, ToolError> {
    let lessons = call.modules().has(Module::Memory);
    let found = call.host.agent().read(|reader| {
        let every;
        let scopes = match scopes {
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
            now_ms: i64::try_from(call.leases.now()).unwrap_or(i64::MAX),
            since_ms: None,
            keep: None,
            limit,
        };
        words::search(reader, &ask)
    })?;
    Ok(found)
}

/// Memories that were found by words.
pub(crate) struct FoundByWords {
    /// The best first.
    pub(crate) ranked: Vec<Ranked>,
    /// How many there are in all.
    pub(crate) total: usize,
    /// How each lane did.
    pub(crate) lanes: Vec<LaneOut>,
}

/// Returns the best `need` memories of the call's scopes that have words of the question. Reads no more rows than that takes,
/// because what a row has beside its words can only lower its score.
pub(crate) fn memories_by_words(
    cx: &OwnedCx<'_>,
    about: &About<'_>,
    text: &str,
    need: usize,
) -> Result<FoundByWords, ToolError> {
    let few = need.saturating_mul(2);
    if few < MOST
        && let (found, true) = best_of_hits(cx, about, text, (need, few))?
    {
        return Ok(found);
    }
    best_of_hits(cx, about, text, (need, MOST)).map(|(found, _)| found)
}

/// Returns the best `need` memories of the first `limit` hits, and whether no later one can be better.
fn best_of_hits(
    cx: &OwnedCx<'_>,
    about: &About<'_>,
    text: &str,
    (need, limit): (usize, usize),
) -> Result<(FoundByWords, bool), ToolError> {
    let now = cx.now_ms();
    let hits = search_memories(cx.call, cx.scopes.read.as_deref(), text, limit)?;
    let mut is_settled = hits.hits.len() < limit;
    let best = hits.hits.first().map_or(1.0, |hit| f64::from(hit.score));
    let mut ranked: Vec<Ranked> = Vec::new();
    cx.look(|reader| {
        for hit in &hits.hits {
            let fit = f64::from(hit.score) / best;
            if ranked.len() >= need && ranked.get(need - 1).is_some_and(|last| last.score >= fit) {
                is_settled = true;
                break;
            }
            let row = reader.row::<Memory>(&scoped_key(&hit.scope, &hit.id))?;
            if let Some(memory) = row.filter(|row| !row.is_expired(now)) {
                let score = score_found(&memory, fit, about.task, now);
                let place = ranked.partition_point(|known| known.score >= score);
                ranked.insert(place, Ranked { memory, score });
            }
        }
        Ok(())
    })?;
    ranked.truncate(need);
    let matched: u64 = hits.lanes.iter().map(|lane| lane.matched).sum();
    let total = if ranked.len() < need { ranked.len() } else { hits.hits.len().max(matched as usize) };
    let lanes = hits.lanes.iter().map(LaneOut::of).collect();
    Ok((FoundByWords { ranked, total, lanes }, is_settled))
}
