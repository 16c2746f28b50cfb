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
/// The term of a symbol without a posting.
const NO_TERM: u16 = u16::MAX;

/// What the postings of a symbol come to so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Met {
    pub(super) symbol: SymbolId,
    /// The sum of the worth of its postings.
    pub(super) sum: f32,
    /// The weight of the words that it has.
    pub(super) covered: f32,
    pub(super) flags: Flags,
    /// The last term that it has.
    term: u16,
}

impl Met {
    /// A symbol of which no posting is known yet.
    pub(super) fn unmet(symbol: SymbolId, flags: Flags) -> Self {
        Self { symbol, sum: 0.0, covered: 0.0, flags, term: NO_TERM }
    }

    /// Whether it has a posting.
    pub(super) fn is_met(&self) -> bool {
        self.term != NO_TERM
    }

    /// Adds a posting of a list whose term has this mass. Lists come in their order.
    pub(super) fn add(&mut self, list: &List, mass: f32, hit: TermHit) {
        self.sum += list.worth(hit);
        self.flags = Flags(hit.flags);
        if self.term != list.term {
            // Expansions of one word are next to each other and cover it once.
            self.covered += mass;
            self.term = list.term;
        }
    }
}

/// Passes on every symbol of the first lists, once, in no particular order. Time and memory are in proportion to the postings.
pub(super) fn each_met<E>(
    lists: &Lists,
    first: usize,
    mut each: impl FnMut(Met) -> Result<(), E>,
) -> Result<(), E> {
    let merged = lists.all.get(..first).unwrap_or(&lists.all);
    let postings = merged.iter().map(|list| list.hits.len()).sum::<usize>();
    let ranges = (postings / RANGE).max(1).ilog2().min(MOST_RANGES);
    let mut starts = vec![0; merged.len()];
    let mut table = Table::default();
    for range in 0..1_u64 << ranges {
        // The last range ends with the ids.
        let last = (range + 1)
            .checked_shl(u64::BITS - ranges)
            .filter(|end| *end > 0)
            .map_or(u64::MAX, |end| end - 1);
        table.clear();
        for (list, start) in merged.iter().zip(&mut starts) {
            let mass = lists.mass(list.term);
            let rest = list.hits.get(*start..).unwrap_or_default();
            for hit in rest.iter().take_while(|hit| hit.symbol.0 <= last) {
                *start += 1;
                table.row(*hit).add(list, mass, *hit);
            }
        }
        table.rows.iter().try_for_each(|row| each(*row))?;
    }
    Ok(())
}

/// The rows of a range, one after the other, and where the row of each symbol is. To look at all of them, and to empty the
/// table, costs little, because the places are small and the rows have no gaps.
#[derive(Default)]
struct Table {
    rows: Vec<Met>,
    /// The number of each row, at the first free place from that of its symbol on. At most a quarter are used.
    places: Vec<u32>,
}

/// A place without a row.
const FREE: u32 = u32::MAX;

impl Table {
    fn clear(&mut self) {
        self.rows.clear();
        self.places.fill(FREE);
    }

    /// The row of a posting's symbol, new if there is none.
    fn row(&mut self, hit: TermHit) -> &mut Met {
        if 4 * (self.rows.len() + 1) > self.places.len() {
            self.grow();
        }
        let place = self.place(hit.symbol);
        let number = if self.places[place] == FREE {
            let number = self.rows.len();
            self.places[place] = number as u32;
            self.rows.push(Met::unmet(hit.symbol, Flags(hit.flags)));
            number
        } else {
            self.places[place] as usize
        };
        &mut self.rows[number]
    }

    /// The place of a symbol, or the free one where it belongs. There is one, because most are free.
    fn place(&self, symbol: SymbolId) -> usize {
        let mask = self.places.len() - 1;
        let mut at = symbol.0 as usize & mask;
        while self.rows.get(self.places[at] as usize).is_some_and(|row| row.symbol != symbol) {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.places = vec![FREE; (2 * self.places.len()).max(4 * RANGE)];
        for number in 0..self.rows.len() {
            let place = self.place(self.rows[number].symbol);
            self.places[place] = number as u32;
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
        let hit = |id: u64| TermHit { symbol: SymbolId(id), impact: (id % 251) as u8, flags: term };
        let mut list = List::unread(String::new(), 0, 1.5, term);
        list.hits = ids.into_iter().map(hit).collect();
        list
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
        proptest::collection::vec(one, 1..6).prop_map(|parts| {
            let mut term = 0;
            let all: Vec<List> = parts
                .into_iter()
                .map(|(same, ids)| {
                    term += u16::from(!same);
                    list(term, ids)
                })
                .collect();
            Lists { all, masses: vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0] }
        })
    }

    /// The same, said plainly.
    fn plainly(lists: &Lists, first: usize) -> Vec<Met> {
        let mut found = BTreeMap::new();
        for list in lists.all.iter().take(first) {
            for hit in &list.hits {
                let met = found.entry(hit.symbol.0).or_insert(Met::unmet(hit.symbol, Flags(0)));
                let covered = met.covered + if met.term == list.term { 0.0 } else { lists.mass(list.term) };
                let sum = met.sum + list.worth(*hit);
                *met = Met { symbol: hit.symbol, sum, covered, flags: Flags(hit.flags), term: list.term };
            }
        }
        found.into_values().collect()
    }

    fn met(lists: &Lists, first: usize) -> Vec<Met> {
        let mut met = Vec::new();
        let _: Result<(), ()> = each_met(lists, first, |one| {
            met.push(one);
            Ok(())
        });
        met.sort_unstable_by_key(|one| one.symbol);
        met
    }

    proptest! {
        #[test]
        fn every_symbol_comes_once_with_all_of_its_postings(lists in lists(), first in 0..6_usize) {
            prop_assert_eq!(met(&lists, first), plainly(&lists, first));
        }
    }

    #[test]
    fn ranges_of_any_size_are_brought_together() {
        // Ten thousand ids in one range, and as many spread over all.
        let near = list(0, (0..10_000).collect());
        let spread = list(1, (0..10_000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect());
        let lists = Lists { all: vec![near, spread], masses: vec![1.0, 2.0] };
        assert_eq!(met(&lists, 2), plainly(&lists, 2));
    }
}
