//! The order in which symbols are given room for their text.

use std::collections::HashMap;
use std::rc::Rc;

use sdl_model::SymbolId;
use sdl_retrieve::card::Card;

use super::evidence::Evidence;
use super::texts;

/// How slowly the chance to be of use falls with the rank: it is in proportion to `1 / (rank + RANK_OFFSET)`.
const RANK_OFFSET: f64 = 6.0;
/// How strongly the length counts. At 1, all that counts is the worth of a line; at 0, all that counts is the rank.
const LENGTH_EXPONENT: f64 = 0.7;
/// Lines that a piece takes beside those of its text.
const LINES_AROUND: f64 = 3.0;

/// Orders ranked symbols, given the lines that each would show: first those that are worth most for their length,
/// because several short ones may be worth more than a long one that ranks a little higher. The best one stays first.
/// Returns ranks, from 0.
///
/// Worth is `1 / (rank + 6) / (lines + 3)^0.7`. The constants were chosen on questions about four repositories whose
/// answers cite lines, and hold on three others.
pub(super) fn order_by_worth(lines: &[u32]) -> Vec<usize> {
    let worth = |(rank, lines): (usize, &u32)| {
        let length = f64::from(*lines) + LINES_AROUND;
        let worth = 1.0 / (rank as f64 + RANK_OFFSET) / length.powf(LENGTH_EXPONENT);
        (if rank == 0 { f64::INFINITY } else { worth }, rank)
    };
    let mut order: Vec<(f64, usize)> = lines.iter().enumerate().map(worth).collect();
    order.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    order.into_iter().map(|(_, rank)| rank).collect()
}

/// The lines that each of these symbols would show in an answer of `budget` tokens.
pub(super) fn lines_to_show(members: &[Rc<Card>], budget: usize) -> Vec<u32> {
    let lines = |card: &Rc<Card>| {
        let long = (card.range.end_line + 1).saturating_sub(card.range.start_line);
        texts::lines_shown(card.kind, long, budget)
    };
    members.iter().map(lines).collect()
}

/// Puts pieces and places back in the order of the ranks. Unranked ones stay first.
pub(super) fn sort_by_rank(members: &[Rc<Card>], evidence: &mut [Evidence], rest: &mut [Rc<Card>]) {
    let ranks: HashMap<SymbolId, usize> =
        members.iter().enumerate().map(|(rank, card)| (card.symbol_id, rank)).collect();
    evidence.sort_by_key(|piece| ranks.get(&piece.symbol_id.parse().ok()?).copied());
    rest.sort_by_key(|card| ranks.get(&card.symbol_id).copied());
}

#[cfg(test)]
mod tests {
    use super::order_by_worth;

    #[test]
    fn symbols_of_equal_length_keep_their_ranks() {
        assert_eq!(order_by_worth(&[20; 7]), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(order_by_worth(&[]), [0; 0]);
    }

    #[test]
    fn short_symbols_come_before_long_ones_but_for_the_best() {
        assert_eq!(order_by_worth(&[90, 80, 10, 90, 5]), [0, 4, 2, 1, 3]);
    }

    #[test]
    fn a_short_symbol_far_down_the_ranks_does_not_win() {
        let mut lines = vec![30; 100];
        lines.push(4);
        assert_eq!(
            order_by_worth(&lines).iter().position(|rank| *rank == 100),
            Some(30),
            "as (33 / 7)^0.7 is 2.96"
        );
    }
}
