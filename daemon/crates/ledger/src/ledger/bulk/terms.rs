//! Postings: sixteen bytes each in memory, and beyond a limit in sorted runs on the disk.

use std::collections::HashMap;
use std::path::Path;

use super::gathered::{EachGathered, Gathers, Groups};
use super::runs::Runs;
use crate::codec::{POSTING_ITEM, pack_posting};
use crate::{FilePostings, Result, TermHit};

/// Postings by term.
#[derive(Default)]
pub(super) struct Terms {
    numbers: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    /// From high to low: the term's number (32 bits), nothing (8), the symbol (64), impact (8), flags (16).
    postings: Vec<u128>,
    text: usize,
    runs: Option<Runs>,
}

impl Terms {
    /// Adds the postings of a file.
    pub(super) fn add_file(&mut self, postings: &FilePostings) {
        let numbers: Vec<u32> = postings.terms.iter().map(|term| self.number_of(term)).collect();
        self.postings.reserve(postings.hits.len());
        for (term, hit) in &postings.hits {
            if let Some(number) = numbers.get(*term as usize) {
                self.push_numbered(*number, *hit);
            }
        }
    }

    fn number_of(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(term.into(), number);
        self.text += term.len() + 32;
        number
    }

    fn push_numbered(&mut self, number: u32, hit: TermHit) {
        let mut low = [0; 16];
        low[16 - POSTING_ITEM..].copy_from_slice(&pack_posting(hit));
        self.postings.push(u128::from(number) << 96 | u128::from_be_bytes(low));
    }

    /// Every term, sorted, with its postings, packed, sorted and without doubles.
    pub(super) fn in_order(mut self, each: EachGathered<'_>) -> Result<()> {
        let Some(mut runs) = self.runs.take() else { return self.sorted(each) };
        runs.add_run(|each| self.sorted(each))?;
        let mut groups = Groups::<POSTING_ITEM>::new(each);
        runs.merge(&mut |term, items| groups.take(term, items))?;
        groups.end()
    }

    /// The terms in memory, in order.
    fn sorted(self, each: EachGathered<'_>) -> Result<()> {
        let Self { numbers, mut postings, .. } = self;
        postings.sort_unstable();
        postings.dedup();
        let mut terms: Vec<(Box<str>, u32)> = numbers.into_iter().collect();
        terms.sort_unstable();
        // Where each number's postings begin.
        let mut starts = vec![0_usize; terms.len() + 1];
        for posting in &postings {
            starts[(posting >> 96) as usize + 1] += 1;
        }
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        let mut items = Vec::new();
        for (term, number) in terms {
            let number = number as usize;
            items.clear();
            for posting in &postings[starts[number]..starts[number + 1]] {
                items.extend_from_slice(&posting.to_be_bytes()[16 - POSTING_ITEM..]);
            }
            // A file may have terms without postings, because a document keeps only its most important ones.
            if !items.is_empty() {
                each(term.as_bytes(), &items)?;
            }
        }
        Ok(())
    }
}

impl Gathers for Terms {
    fn bytes(&self) -> usize {
        self.postings.len() * 16 + self.text
    }

    fn spill(&mut self, dir: &Path) -> Result<()> {
        let mut runs = match self.runs.take() {
            Some(runs) => runs,
            None => Runs::create(dir)?,
        };
        let gathered = std::mem::take(self);
        runs.add_run(|each| gathered.sorted(each))?;
        self.runs = Some(runs);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::SymbolId;

    use super::*;
    use crate::codec::unpack_posting;

    #[test]
    fn postings_come_out_by_term_and_symbol() {
        let dir = tempfile::tempdir().unwrap();
        let hit = |symbol, impact| TermHit { symbol: SymbolId(symbol), impact, flags: 1 };
        for spilled_after in [9, 0, 2] {
            let mut terms = Terms::default();
            let given = [("z", hit(2, 1)), ("a", hit(u64::MAX, 9)), ("z", hit(1, 5)), ("z", hit(2, 1))];
            for (n, (term, hit)) in given.into_iter().enumerate() {
                terms.add_file(&FilePostings { terms: vec![term.into()], hits: vec![(0, hit)] });
                if n >= spilled_after {
                    terms.spill(dir.path()).unwrap();
                    assert_eq!(terms.bytes(), 0);
                }
            }
            let mut seen = Vec::new();
            terms
                .in_order(&mut |term, items| {
                    let items = items.as_chunks().0.iter().map(unpack_posting).collect::<Vec<_>>();
                    seen.push((term.to_vec(), items));
                    Ok(())
                })
                .unwrap();
            assert_eq!(
                seen,
                [(b"a".to_vec(), vec![hit(u64::MAX, 9)]), (b"z".to_vec(), vec![hit(1, 5), hit(2, 1)])]
            );
        }
    }
}
