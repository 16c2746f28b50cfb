//! Items under keys of a fixed size, gathered as plain numbers: the tables with the most rows have such keys, and numbers take
//! less memory than rows of any size and are sorted several times as fast.

use std::path::Path;

use super::gathered::{EachGathered, Gathers, Groups};
use super::runs::Runs;
use crate::Result;
use crate::codec::{IN_EDGE_ITEM, PackedInEdge, SHORT_ITEM, question_key, short_item};

/// An item of `N` bytes with its key. The order is that of the key's bytes, then that of the item's.
pub(super) trait Pair<const N: usize>: Copy + Ord {
    /// The key's bytes.
    fn key_bytes(self) -> impl AsRef<[u8]>;

    /// The item's bytes.
    fn item_bytes(self) -> [u8; N];

    /// Whether another one has the same key.
    fn shares_key(self, other: Self) -> bool;
}

/// A question, and the mark of a file that asked it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asking(u64);

impl Asking {
    pub(super) fn new(hash: u32, mark: u32) -> Self {
        Self(u64::from(hash) << 32 | u64::from(mark))
    }
}

impl Pair<SHORT_ITEM> for Asking {
    fn key_bytes(self) -> impl AsRef<[u8]> {
        question_key((self.0 >> 32) as u32)
    }

    fn item_bytes(self) -> [u8; SHORT_ITEM] {
        short_item(self.0 as u32)
    }

    fn shares_key(self, other: Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }
}

/// A symbol, and an edge that leads to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leading {
    pub(super) to: u64,
    pub(super) edge: PackedInEdge,
}

impl Pair<IN_EDGE_ITEM> for Leading {
    fn key_bytes(self) -> impl AsRef<[u8]> {
        self.to.to_be_bytes()
    }

    fn item_bytes(self) -> [u8; IN_EDGE_ITEM] {
        self.edge
    }

    fn shares_key(self, other: Self) -> bool {
        self.to == other.to
    }
}

/// Gathers pairs: in memory, and beyond that in runs.
pub(super) struct Pairs<P, const N: usize> {
    pairs: Vec<P>,
    runs: Option<Runs>,
}

impl<P, const N: usize> Default for Pairs<P, N> {
    fn default() -> Self {
        Self { pairs: Vec::new(), runs: None }
    }
}

impl<P: Pair<N>, const N: usize> Pairs<P, N> {
    /// Adds a pair.
    pub(super) fn push(&mut self, pair: P) {
        self.pairs.push(pair);
    }

    /// Every key once, sorted, with its items, sorted and without doubles.
    pub(super) fn in_order(mut self, each: EachGathered<'_>) -> Result<()> {
        let Some(mut runs) = self.runs.take() else { return give_sorted(self.pairs, each) };
        runs.add_run(|each| give_sorted(self.pairs, each))?;
        let mut groups = Groups::<N>::new(each);
        runs.merge(&mut |key, items| groups.take(key, items))?;
        groups.end()
    }
}

fn give_sorted<P: Pair<N>, const N: usize>(mut pairs: Vec<P>, each: EachGathered<'_>) -> Result<()> {
    pairs.sort_unstable();
    pairs.dedup();
    let mut items = Vec::new();
    for group in pairs.chunk_by(|a, b| a.shares_key(*b)) {
        items.clear();
        group.iter().for_each(|pair| items.extend_from_slice(&pair.item_bytes()));
        each(group[0].key_bytes().as_ref(), &items)?;
    }
    Ok(())
}

impl<P: Pair<N>, const N: usize> Gathers for Pairs<P, N> {
    fn bytes(&self) -> usize {
        self.pairs.len() * size_of::<P>()
    }

    fn spill(&mut self, dir: &Path) -> Result<()> {
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs::create(dir)?),
        };
        let pairs = std::mem::take(&mut self.pairs);
        runs.add_run(|each| give_sorted(pairs, each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of<P: Pair<N>, const N: usize>(pairs: Pairs<P, N>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut groups = Vec::new();
        let mut each = |key: &[u8], items: &[u8]| {
            groups.push((key.to_vec(), items.to_vec()));
            Ok(())
        };
        pairs.in_order(&mut each).unwrap();
        groups
    }

    #[test]
    fn pairs_come_out_grouped_and_without_doubles_spilled_or_not() {
        let dir = tempfile::tempdir().unwrap();
        for spilled_after in [9, 0, 1, 3] {
            let mut pairs = Pairs::<Asking, SHORT_ITEM>::default();
            for (n, (hash, mark)) in
                [(7, 2), (u32::MAX, 9), (7, u32::MAX), (7, 2), (3, 0)].into_iter().enumerate()
            {
                pairs.push(Asking::new(hash, mark));
                if n >= spilled_after {
                    pairs.spill(dir.path()).unwrap();
                    assert_eq!(pairs.bytes(), 0);
                }
            }
            let both = [short_item(2), short_item(u32::MAX)].concat();
            assert_eq!(
                groups_of(pairs),
                [
                    (question_key(3).to_vec(), short_item(0).to_vec()),
                    (question_key(7).to_vec(), both),
                    (question_key(u32::MAX).to_vec(), short_item(9).to_vec()),
                ]
            );
        }
    }

    #[test]
    fn edges_are_sorted_by_target_then_as_bytes() {
        let leading = |to, first| Leading { to, edge: [first; 12] };
        let mut pairs = Pairs::<Leading, IN_EDGE_ITEM>::default();
        [leading(256, 1), leading(1, 9), leading(1, 3)].into_iter().for_each(|pair| pairs.push(pair));
        let wanted = [(1_u64, [[3; 12], [9; 12]].concat()), (256, vec![1; 12])];
        assert_eq!(groups_of(pairs), wanted.map(|(to, items)| (to.to_be_bytes().to_vec(), items)));
    }
}
