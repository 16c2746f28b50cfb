//! Where a slice starts: each lane reads one part of the request and puts symbols forward.

mod edited;
mod entry;
pub(crate) mod frames;
mod near;
mod stack;
mod task;
mod test;

use std::collections::HashMap;

use sdl_model::SymbolId;

use super::SliceRequest;
use crate::search::plan::Plan;
use crate::{Evidence, Result, Source};

/// A symbol to start from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub(crate) symbol: SymbolId,
    /// How much it matters, 1 at most.
    pub(crate) score: f32,
    /// Whether it comes before all that is merely reached.
    pub(crate) forced: bool,
    /// Whether nothing but words points to it: then what it leads to is worth less.
    pub(crate) guess: bool,
}

/// Collects the seeds of every lane; a symbol that several put forward counts for a little more.
#[derive(Default)]
pub(crate) struct Seeds {
    found: HashMap<SymbolId, Seed>,
}

impl Seeds {
    pub(crate) fn add(&mut self, symbol: SymbolId, score: f32, forced: bool) {
        self.put(symbol, score, forced, false);
    }

    /// Adds a symbol that words alone point to.
    pub(crate) fn guess(&mut self, symbol: SymbolId, score: f32) {
        self.put(symbol, score, false, true);
    }

    fn put(&mut self, symbol: SymbolId, score: f32, forced: bool, guess: bool) {
        let seed = self.found.entry(symbol).or_insert(Seed { symbol, score: 0.0, forced: false, guess });
        let (high, low) = if seed.score > score { (seed.score, score) } else { (score, seed.score) };
        seed.score = (high + 0.15 * low).min(1.0);
        seed.forced |= forced;
        seed.guess &= guess;
    }

    /// The seeds, best first.
    fn ranked(self) -> Vec<Seed> {
        let mut seeds: Vec<Seed> = self.found.into_values().collect();
        seeds.sort_unstable_by(|a, b| {
            b.forced.cmp(&a.forced).then(b.score.total_cmp(&a.score)).then(a.symbol.cmp(&b.symbol))
        });
        seeds
    }
}

/// The seeds of a request, best first.
pub(crate) fn collect(
    source: &Source<'_>,
    request: &SliceRequest,
    evidence: &mut Evidence,
) -> Result<Vec<Seed>> {
    let mut seeds = Seeds::default();
    let text = request.task_text.as_deref().unwrap_or("").trim();
    let mut plan = Plan::of_text(text);
    plan.mention(&request.chat_mentions);
    entry::lane(source, request, &mut seeds, evidence)?;
    edited::lane(source, request, &mut seeds, evidence)?;
    stack::lane(source, request, &mut seeds, evidence)?;
    test::lane(source, request, &mut seeds, evidence)?;
    task::lane(source, request, &plan, &mut seeds, evidence)?;
    near::lane(source, (text, plan.wants), &mut seeds, evidence)?;
    Ok(seeds.ranked())
}
