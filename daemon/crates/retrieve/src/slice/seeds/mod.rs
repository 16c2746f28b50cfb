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
use crate::evidence::StartSymbol;
use crate::search::plan::Plan;
use crate::{Evidence, Result, Source};

/// A symbol to start from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub(crate) symbol: SymbolId,
    /// How much it matters, 1 at most.
    pub(crate) score: f32,
    /// Whether it comes before all symbols that were only reached over edges.
    pub(crate) forced: bool,
    /// Whether nothing but words points to it: then what it leads to is worth less.
    pub(crate) guess: bool,
    /// Whether the request names it by its id.
    pub(crate) entry: bool,
    /// Which lanes put it forward, a bit for each in the order of [`LANES`].
    lanes: u8,
}

/// The lanes' names.
const LANES: [&str; 6] =
    ["entrySymbols", "editedFiles", "stackTrace", "failingTestPath", "taskText", "semantic"];
/// Start symbols that the evidence names.
const MOST_NAMED: usize = 20;

/// Collects the seeds of every lane; a symbol that several put forward counts for a little more.
#[derive(Default)]
pub(crate) struct Seeds {
    found: HashMap<SymbolId, Seed>,
    /// The bit of the lane that is at work.
    lane: u8,
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
        let none = Seed { symbol, score: 0.0, forced: false, guess, entry: false, lanes: 0 };
        let seed = self.found.entry(symbol).or_insert(none);
        let (high, low) = if seed.score > score { (seed.score, score) } else { (score, seed.score) };
        seed.score = (high + 0.15 * low).min(1.0);
        seed.forced |= forced;
        seed.guess &= guess;
        seed.lanes |= self.lane;
    }

    /// Adds a symbol that the request names by its id.
    pub(crate) fn enter(&mut self, symbol: SymbolId) {
        self.put(symbol, 1.0, true, false);
        if let Some(seed) = self.found.get_mut(&symbol) {
            seed.entry = true;
        }
    }

    /// Begins the lane of that place in [`LANES`].
    fn begin(&mut self, lane: u8) -> &mut Self {
        self.lane = 1 << lane;
        self
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

/// Says of the best start symbols which lanes put them forward.
fn name_starts(seeds: &[Seed], evidence: &mut Evidence) {
    for seed in seeds.iter().take(MOST_NAMED) {
        let lanes = LANES.iter().enumerate().filter(|(at, _)| seed.lanes & 1 << at != 0);
        evidence.start_symbols.push(StartSymbol {
            symbol_id: seed.symbol,
            lanes: lanes.map(|(_, name)| (*name).to_owned()).collect(),
        });
    }
}

/// The seeds of a request, best first.
pub(crate) fn collect_seeds(
    source: &Source<'_>,
    request: &SliceRequest,
    evidence: &mut Evidence,
) -> Result<Vec<Seed>> {
    let mut seeds = Seeds::default();
    let text = request.task_text.as_deref().unwrap_or("").trim();
    let mut plan = Plan::of_task(text);
    plan.mention(&request.chat_mentions);
    entry::add_entry_seeds(source, request, seeds.begin(0), evidence)?;
    edited::add_edited_seeds(source, request, seeds.begin(1), evidence)?;
    stack::add_stack_seeds(source, request, seeds.begin(2), evidence)?;
    test::add_test_seeds(source, request, seeds.begin(3), evidence)?;
    task::add_task_seeds(source, request, &plan, seeds.begin(4), evidence)?;
    near::add_near_seeds(source, (text, plan.wants), seeds.begin(5), evidence)?;
    let ranked = seeds.ranked();
    if request.evidence {
        name_starts(&ranked, evidence);
    }
    Ok(ranked)
}
