//! Brings the postings of a plan's words together, symbol by symbol.
//!
//! Ids of symbols are hashes, so a range of them has about the same share of every list. Range by range, each posting is
//! added to its symbol's row in a small hash table, which stays in the processor's cache. The cost of a posting does not
//! depend on the number of lists, where a merge would look at the head of all of them for each symbol: a task has thirty words.

use sdl_ledger::TermHit;
use sdl_model::SymbolId;

use super::postings::{List, Lists};
use crate::index::Flags;

/// About the postings of a range, if they are spread evenly.
const RANGE: usize = 1_024;
/// The most ranges, as a power of two.
const MOST_RANGES: u32 = 16;

/// What the postings of a symbol come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Met {
    pub(super) symbol: SymbolId,
    /// The sum of the worth of its postings.
    pub(super) sum: f32,
    /// The weight of the words that it has.
    pub(super) covered: f32,
    pub(super) flags: Flags,
}

/// Passes on every symbol that a list finds, once, in no particular order. Time and memory are in proportion to the postings.
pub(super) fn each_met<E>(lists: &Lists, mut each: impl FnMut(Met) -> Result<(), E>) -> Result<(), E> {
    let finding = lists.all.iter().take(lists.finding).map(|list| list.hits.len()).sum::<usize>();
    let ranges = (finding / RANGE).max(1).ilog2().min(MOST_RANGES);
    let mut starts = vec![0; lists.all.len()];
    let mut table = Table::default();
    for range in 0..1_u64 << ranges {
        // The last range ends with the ids.
        let last = (range + 1)
            .checked_shl(u64::BITS - ranges)
            .filter(|end| *end > 0)
            .map_or(u64::MAX, |end| end - 1);
        table.clear();
        for (number, (list, start)) in lists.all.iter().zip(&mut starts).enumerate() {
            let (finds, mass) = (number < lists.finding, lists.mass(list.term));
            let rest = list.hits.get(*start..).unwrap_or_default();
            for hit in rest.iter().take_while(|hit| hit.symbol.0 <= last) {
                *start += 1;
                let row = if finds { Some(table.row(hit.symbol.0)) } else { table.find(hit.symbol.0) };
                if let Some(row) = row {
                    row.add(list, mass, *hit);
                }
            }
        }
        for row in table.rows.iter().filter(|row| row.term != EMPTY) {
            let Row { symbol, sum, covered, flags, .. } = *row;
            each(Met { symbol: SymbolId(symbol), sum, covered, flags: Flags(flags) })?;
        }
    }
    Ok(())
}

/// The term of a row without a symbol.
const EMPTY: u16 = u16::MAX;

/// What the postings of a symbol come to so far.
#[derive(Clone, Copy)]
struct Row {
    symbol: u64,
    sum: f32,
    covered: f32,
    /// The last term that it has.
    term: u16,
    flags: u16,
}

impl Row {
    const NONE: Self = Self { symbol: 0, sum: 0.0, covered: 0.0, term: EMPTY, flags: 0 };

    fn add(&mut self, list: &List, mass: f32, hit: TermHit) {
        self.sum += list.worth(hit);
        self.flags = hit.flags;
        if self.term != list.term {
            // Expansions of one word are next to each other and cover it once.
            self.covered += mass;
            self.term = list.term;
        }
    }
}

/// The rows of a range: at most half of a power of two, each at the first free place from that of its id on.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    used: usize,
}

impl Table {
    fn clear(&mut self) {
        self.rows.fill(Row::NONE);
        self.used = 0;
    }

    /// The row of a symbol, new if there is none.
    fn row(&mut self, symbol: u64) -> &mut Row {
        if 2 * (self.used + 1) > self.rows.len() {
            self.grow();
        }
        let at = self.place(symbol);
        let row = &mut self.rows[at];
        if row.term == EMPTY {
            self.used += 1;
            row.symbol = symbol;
        }
        row
    }

    /// The row of a symbol, if it has one.
    fn find(&mut self, symbol: u64) -> Option<&mut Row> {
        if self.used == 0 {
            return None;
        }
        let at = self.place(symbol);
        self.rows.get_mut(at).filter(|row| row.term != EMPTY)
    }

    /// The place of a symbol, or the free one where it belongs. There is one, because half of them are free.
    fn place(&self, symbol: u64) -> usize {
        let mask = self.rows.len() - 1;
        let mut at = symbol as usize & mask;
        while self.rows[at].term != EMPTY && self.rows[at].symbol != symbol {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![Row::NONE; (2 * self.rows.len()).max(2 * RANGE)];
        for row in std::mem::replace(&mut self.rows, larger) {
            if row.term != EMPTY {
                let at = self.place(row.symbol);
                self.rows[at] = row;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn list(term: u16, ids: Vec<u64>) -> List {
        let ids: std::collections::BTreeSet<u64> = ids.into_iter().collect();
        let hit = |id: u64| TermHit { symbol: SymbolId(id), impact: (id % 977) as u16, flags: term };
        List::new(ids.into_iter().map(hit).collect(), 1.5, term)
    }

    /// Ids spread like hashes, small ones, and ones at the end.
    fn id() -> impl Strategy<Value = u64> {
        let spread = (0..400_u64).prop_map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        prop_oneof![
            spread,
            0..40_u64,
            (0..40_u64).prop_map(|n| u64::MAX - n),
            (0..9_u64).prop_map(|n| n << 50)
        ]
    }

    fn lists() -> impl Strategy<Value = Lists> {
        let one = (any::<bool>(), proptest::collection::vec(id(), 0..300));
        (proptest::collection::vec(one, 1..6), 1..6_usize).prop_map(|(parts, finding)| {
            let mut term = 0;
            let all: Vec<List> = parts
                .into_iter()
                .map(|(same, ids)| {
                    term += u16::from(!same);
                    list(term, ids)
                })
                .collect();
            let finding = finding.min(all.len());
            Lists { all, masses: vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0], finding }
        })
    }

    /// The same, said plainly.
    fn plainly(lists: &Lists) -> BTreeMap<u64, Met> {
        let mut found = BTreeMap::new();
        for (number, list) in lists.all.iter().enumerate() {
            for hit in &list.hits {
                let before = found.get(&hit.symbol.0).copied();
                if before.is_none() && number >= lists.finding {
                    continue;
                }
                let none = Met { symbol: hit.symbol, sum: 0.0, covered: 0.0, flags: Flags(u16::MAX) };
                let before: Met = before.unwrap_or(none);
                let again = before.flags == Flags(list.term);
                let covered = before.covered + if again { 0.0 } else { lists.mass(list.term) };
                let sum = before.sum + list.worth(*hit);
                found.insert(hit.symbol.0, Met { sum, covered, flags: Flags(hit.flags), ..before });
            }
        }
        found
    }

    fn met(lists: &Lists) -> Vec<Met> {
        let mut met = Vec::new();
        let _: Result<(), ()> = each_met(lists, |one| {
            met.push(one);
            Ok(())
        });
        met.sort_unstable_by_key(|one| one.symbol);
        met
    }

    proptest! {
        #[test]
        fn every_symbol_comes_once_with_all_of_its_postings(lists in lists()) {
            prop_assert_eq!(met(&lists), plainly(&lists).into_values().collect::<Vec<_>>());
        }
    }

    #[test]
    fn ranges_of_any_size_are_brought_together() {
        // Ten thousand ids in one range, and as many spread over all.
        let near = list(0, (0..10_000).collect());
        let spread = list(1, (0..10_000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect());
        let lists = Lists { all: vec![near, spread], masses: vec![1.0, 2.0], finding: 2 };
        assert_eq!(met(&lists), plainly(&lists).into_values().collect::<Vec<_>>());
    }
}
