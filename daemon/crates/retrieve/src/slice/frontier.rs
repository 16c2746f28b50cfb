//! The symbols that an expansion has yet to look at, best first.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use sdl_model::SymbolId;

use crate::Result;

/// A symbol with at least this fan-in is a general helper, such as `log`, and says less about the task.
const HUB: f32 = 40.0;

/// The symbols that were reached and not taken out yet, with their scores.
///
/// Edges lead to many more symbols than an expansion wants. So the users of a symbol are counted only once its turn comes by the
/// score that it would have if it were no hub, and the order is the same as if all had been counted at once.
pub(super) struct Frontier<F> {
    /// Counts the edges that lead to a symbol.
    fan_in: F,
    /// The least score of a symbol that an edge leads to.
    least: f32,
    /// The best score of each symbol so far.
    best: HashMap<SymbolId, f32>,
    /// The best scores by edges to symbols whose users may not be counted yet.
    hopes: HashMap<SymbolId, f32>,
    queue: BinaryHeap<Entry>,
}

struct Entry {
    score: f32,
    symbol: SymbolId,
    /// The score is the most that it can be: the symbol may be a hub.
    hoped: bool,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score).then(other.symbol.cmp(&self.symbol));
        by_score.then(self.hoped.cmp(&other.hoped))
    }
}

impl<F: FnMut(SymbolId) -> Result<u64>> Frontier<F> {
    pub(super) fn new(least: f32, fan_in: F) -> Self {
        Self { fan_in, least, best: HashMap::new(), hopes: HashMap::new(), queue: BinaryHeap::new() }
    }

    /// Adds a symbol with this score, unless it has had a better one.
    pub(super) fn add(&mut self, symbol: SymbolId, score: f32) {
        if improves(&self.best, symbol, score) {
            self.best.insert(symbol, score);
            self.queue.push(Entry { score, symbol, hoped: false });
        }
    }

    /// Adds a symbol that an edge leads to. The score of a hub becomes lower, and counts only if it is still high enough.
    pub(super) fn add_by_edge(&mut self, symbol: SymbolId, score: f32) {
        if score >= self.least && improves(&self.best, symbol, score) && improves(&self.hopes, symbol, score)
        {
            self.hopes.insert(symbol, score);
            self.queue.push(Entry { score, symbol, hoped: true });
        }
    }

    /// Takes out the symbol with the best score, and of several the one with the least id.
    ///
    /// # Errors
    /// As counting has.
    pub(super) fn next_best(&mut self) -> Result<Option<(SymbolId, f32)>> {
        while let Some(Entry { score, symbol, hoped }) = self.queue.pop() {
            if !hoped {
                if self.best.get(&symbol).is_some_and(|best| *best > score) {
                    continue;
                }
                return Ok(Some((symbol, score)));
            }
            let is_beaten = self.hopes.get(&symbol).is_some_and(|hope| *hope > score);
            if is_beaten || !improves(&self.best, symbol, score) {
                continue;
            }
            let fan_in = (self.fan_in)(symbol)?;
            let score = hub_score(score, fan_in);
            if score >= self.least {
                self.add(symbol, score);
            }
        }
        Ok(None)
    }
}

fn improves(scores: &HashMap<SymbolId, f32>, symbol: SymbolId, score: f32) -> bool {
    scores.get(&symbol).is_none_or(|known| *known < score)
}

fn hub_score(score: f32, fan_in: u64) -> f32 {
    let fan_in = fan_in as f32;
    if fan_in > HUB { score / (1.0 + (fan_in / HUB).ln()) } else { score }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    const LEAST: f32 = 0.06;

    #[derive(Clone, Debug)]
    enum Step {
        Add(u64, u8),
        Edge(u64, u8),
        Take,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..12_u64, 0..20_u8).prop_map(|(symbol, score)| Step::Add(symbol, score)),
            (0..12_u64, 0..20_u8).prop_map(|(symbol, score)| Step::Edge(symbol, score)),
            (0..12_u64, 0..20_u8).prop_map(|(symbol, score)| Step::Edge(symbol, score)),
            Just(Step::Take),
        ]
    }

    fn score_of(number: u8) -> f32 {
        f32::from(number) / 20.0
    }

    /// One that counts at once.
    #[derive(Default)]
    struct Eager {
        best: HashMap<SymbolId, f32>,
        left: Vec<(f32, SymbolId)>,
    }

    impl Eager {
        fn add(&mut self, symbol: SymbolId, score: f32) {
            if improves(&self.best, symbol, score) {
                self.best.insert(symbol, score);
                self.left.push((score, symbol));
            }
        }

        fn add_by_edge(&mut self, symbol: SymbolId, score: f32, fan_in: u64) {
            let score = hub_score(score, fan_in);
            if score >= LEAST {
                self.add(symbol, score);
            }
        }

        fn next_best(&mut self) -> Option<(SymbolId, f32)> {
            self.left.retain(|(score, symbol)| self.best[symbol] <= *score);
            let best = self.left.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
            self.left.retain(|left| *left != best);
            Some((best.1, best.0))
        }
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_counting_at_once(
            fan_ins in prop::collection::vec(prop_oneof![0..60_u64, 1_000..100_000_u64], 12),
            steps in prop::collection::vec(step(), 0..60),
        ) {
            let fan_in = |symbol: SymbolId| fan_ins[symbol.0 as usize];
            let mut eager = Eager::default();
            let mut frontier = Frontier::new(LEAST, |symbol| Ok(fan_in(symbol)));
            let takes = std::iter::repeat_n(Step::Take, steps.len());
            for step in steps.iter().cloned().chain(takes) {
                match step {
                    Step::Add(symbol, score) => {
                        eager.add(SymbolId(symbol), score_of(score));
                        frontier.add(SymbolId(symbol), score_of(score));
                    }
                    Step::Edge(symbol, score) => {
                        eager.add_by_edge(SymbolId(symbol), score_of(score), fan_in(SymbolId(symbol)));
                        frontier.add_by_edge(SymbolId(symbol), score_of(score));
                    }
                    Step::Take => prop_assert_eq!(frontier.next_best().unwrap(), eager.next_best()),
                }
            }
        }
    }

    #[test]
    fn only_symbols_whose_turn_comes_are_counted() {
        let counts = Cell::new(0);
        let mut frontier = Frontier::new(LEAST, |_| {
            counts.set(counts.get() + 1);
            Ok(1)
        });
        for symbol in 0..100 {
            frontier.add_by_edge(SymbolId(symbol), 0.9 - symbol as f32 / 1_000.0);
        }
        for symbol in 0..3 {
            assert_eq!(frontier.next_best().unwrap().unwrap().0, SymbolId(symbol));
        }
        assert_eq!(counts.get(), 3);
    }
}
