//! Decides how a change is committed, by the share of the tree that it concerns.

use super::budget::Budget;

/// From this many files on a change is resolved on all cores. Handing fewer of them out costs more than it saves.
pub const MANY_FILES: usize = 100;

/// A change of fewer files never concerns most of a tree: then there is little to gain from loading the tree as a whole.
const FEWEST: u64 = 256;
/// From this many files on, the facts of a change are loaded when they are needed.
const HELD: u64 = 2_000;
/// So they are from one file in this many.
const HELD_SHARE: u64 = 8;

/// The share of the tree that a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// An edit: see [`super::commit`].
    Few,
    /// Many files, but a small part of the tree, for example a branch switch in Linux: see [`super::wide_change`].
    Many,
    /// Most of the tree, for example a formatter's run: see [`super::large_change`].
    Most,
}

impl Extent {
    /// The extent of a change of `changed` files in a tree of `known` files.
    pub fn of(changed: usize, known: u64, budget: Budget) -> Self {
        let most = most_of(known).min(budget.files_at_once()).max(FEWEST);
        if changed as u64 >= most {
            Self::Most
        } else if changed >= MANY_FILES {
            Self::Many
        } else {
            Self::Few
        }
    }
}

/// How many of a tree's `known` files are most of it. Loading the tree as a whole is then cheaper than changing single rows.
pub fn most_of(known: u64) -> u64 {
    known / 3 * 2
}

/// From how many changed files on, in a tree of `known` files, the facts of a change need not all be in memory.
pub fn facts_loaded_from(known: u64) -> usize {
    (known / HELD_SHARE).clamp(FEWEST, HELD) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_most_of_a_tree_from_two_thirds_of_it_within_bounds() {
        let budget = Budget::default();
        for (known, most) in
            [(0, 256), (300, 256), (2_100, 1_400), (9_000, 6_000), (1_000_000, budget.files_at_once())]
        {
            let most = most as usize;
            assert_eq!(Extent::of(most, known, budget), Extent::Most, "{known}");
            assert_eq!(Extent::of(most - 1, known, budget), Extent::Many, "{known}");
        }
        assert_eq!(Extent::of(1_500, 80_000, Budget::of_bytes(0)), Extent::Most, "little memory");
        assert_eq!(Extent::of(MANY_FILES - 1, 80_000, budget), Extent::Few);
    }

    #[test]
    fn the_facts_of_a_change_of_few_files_stay_in_memory() {
        let bounds = [(0, 256), (2_000, 256), (8_000, 1_000), (16_000, 2_000), (1_000_000, 2_000)];
        for (known, from) in bounds {
            assert_eq!(facts_loaded_from(known), from, "{known}");
            assert!(from > MANY_FILES);
        }
    }
}
