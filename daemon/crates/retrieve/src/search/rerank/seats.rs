//! Seats for symbols that a text names without doubt.
//!
//! A name that one symbol alone has says where to look, however much else a text says. So such a symbol is judged even
//! if its words fit badly, and some of them come near the top.

use std::collections::HashSet;

use sdl_model::SymbolId;

use crate::search::ranked::Ranked;
use crate::search::spelled::Spelled;

/// Most symbols that are judged for their names alone.
const MOST_INCLUDED: usize = 40;
/// The number of such symbols among the first results, and the number of those results. Most places remain,
/// because a text names many symbols that it is not about: of those that a name means, one in three or fewer was changed.
const SEATS: usize = 4;
const FIRST: usize = 12;

/// Whether a spelled name means a symbol and no other.
fn is_meant(spelled: &Spelled, symbol: SymbolId) -> bool {
    spelled.get(&symbol).is_some_and(|bonus| bonus.meant >= 1.0)
}

/// Moves the symbols that a name means among the first `best`, in place of the last of these.
pub(super) fn include_meant(ranked: &mut [Ranked], best: usize, spelled: &Spelled) {
    let mut missing: Vec<SymbolId> =
        spelled.iter().filter(|(_, bonus)| bonus.meant >= 1.0).map(|(symbol, _)| *symbol).collect();
    if missing.is_empty() {
        return;
    }
    let there: HashSet<SymbolId> = ranked.iter().take(best).map(|found| found.symbol).collect();
    missing.retain(|symbol| !there.contains(symbol));
    missing.sort_unstable();
    missing.truncate(MOST_INCLUDED.min(best / 2));
    let Some((first, rest)) = ranked.split_at_mut_checked(best) else { return };
    first.sort_unstable_by(super::rank_order);
    let mut last = first.iter_mut().rev().filter(|slot| !is_meant(spelled, slot.symbol));
    for found in rest.iter_mut().filter(|found| missing.binary_search(&found.symbol).is_ok()) {
        if let Some(slot) = last.next() {
            std::mem::swap(slot, found);
        }
    }
}

/// Moves the best of the symbols that a name means among the first results, as far as there are seats.
pub(super) fn seat_meant(judged: &mut Vec<Ranked>, spelled: &Spelled) {
    let seated = judged.iter().take(FIRST).filter(|found| is_meant(spelled, found.symbol)).count();
    for _ in seated..SEATS {
        let Some(from) = (FIRST..judged.len()).find(|at| is_meant(spelled, judged[*at].symbol)) else {
            return;
        };
        let Some(to) = (0..FIRST).rev().find(|at| !is_meant(spelled, judged[*at].symbol)) else { return };
        let (meant, other) = (judged.remove(from), judged.remove(to));
        judged.insert(FIRST - 1, meant);
        judged.insert(FIRST, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::spelled::Bonus;

    fn ranked(count: u64) -> Vec<Ranked> {
        (0..count).map(|id| Ranked { symbol: SymbolId(id), score: 1_000.0 - id as f32 }).collect()
    }

    fn named(ids: &[u64]) -> Spelled {
        ids.iter().map(|id| (SymbolId(*id), Bonus { meant: 1.0, ..Bonus::default() })).collect()
    }

    fn ids(ranked: &[Ranked]) -> Vec<u64> {
        ranked.iter().map(|found| found.symbol.0).collect()
    }

    #[test]
    fn those_that_a_name_means_are_judged() {
        let mut all = ranked(100);
        include_meant(&mut all, 10, &named(&[3, 50, 99]));
        let mut first = ids(&all[..10]);
        first.sort_unstable();
        assert_eq!(first, [0, 1, 2, 3, 4, 5, 6, 7, 50, 99]);
        let mut again = ids(&all);
        again.sort_unstable();
        assert_eq!(again, (0..100).collect::<Vec<_>>(), "none is lost");
    }

    #[test]
    fn some_of_those_that_a_name_means_are_near_the_top() {
        let mut all = ranked(40);
        seat_meant(&mut all, &named(&[2, 20, 30]));
        assert_eq!(ids(&all[..14]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 30, 10, 11]);
        let mut many = ranked(60);
        seat_meant(&mut many, &named(&(15..60).collect::<Vec<_>>()));
        assert_eq!(ids(&many[..14]), [0, 1, 2, 3, 4, 5, 6, 7, 15, 16, 17, 18, 8, 9]);
        let mut few = ranked(5);
        seat_meant(&mut few, &named(&[4]));
        assert_eq!(ids(&few), [0, 1, 2, 3, 4]);
    }
}
