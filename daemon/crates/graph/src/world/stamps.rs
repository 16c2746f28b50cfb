//! A set of small numbers that is emptied in constant time.

/// A set of small numbers. Each number has a stamp, and is in the set if that is the set's own; to empty the set is to
/// change the set's stamp. Takes four bytes for each number up to the largest.
#[derive(Debug)]
pub(super) struct Stamps {
    stamps: Vec<u32>,
    current: u32,
}

impl Default for Stamps {
    /// An empty set.
    fn default() -> Self {
        Self { stamps: Vec::new(), current: 1 }
    }
}

impl Stamps {
    /// Removes all numbers. Constant time, but once in four billion calls.
    pub(super) fn clear(&mut self) {
        self.current = self.current.wrapping_add(1);
        if self.current == 0 {
            self.stamps.clear();
            self.current = 1;
        }
    }

    /// Adds a number. Returns whether it was not in the set. Amortized constant time.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let at = number as usize;
        if self.stamps.len() <= at {
            self.stamps.resize((at + 1).next_power_of_two(), 0);
        }
        self.stamps.get_mut(at).is_some_and(|stamp| std::mem::replace(stamp, self.current) != self.current)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn is_a_set(steps in proptest::collection::vec(proptest::option::weighted(0.9, 0_u32..40), 0..200)) {
            // Near the end of the stamps, so that they begin again.
            let mut set = Stamps { stamps: Vec::new(), current: u32::MAX - 2 };
            let mut model = HashSet::new();
            for step in steps {
                if let Some(number) = step {
                    prop_assert_eq!(set.insert(number), model.insert(number));
                } else {
                    set.clear();
                    model.clear();
                }
            }
        }
    }
}
