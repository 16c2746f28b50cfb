//! The results of resolving a file besides its edges, packed so that they are read in place.

use super::corrupt_record;
use crate::{ResolutionCounts, Result};

const TABLE: &str = "resolved";
/// Five counts and the length of the first list; the second list is the rest.
const HEAD: usize = 24;

/// A resolved file, read in place. The lists are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedRow<'r> {
    /// How its references came out.
    pub(crate) counts: ResolutionCounts,
    sources: &'r [[u8; 8]],
    unresolved: &'r [[u8; 4]],
}

impl<'r> ResolvedRow<'r> {
    /// Its symbols that have outgoing edges.
    pub(crate) fn sources(self) -> impl Iterator<Item = u64> + 'r {
        self.sources.iter().map(|id| u64::from_le_bytes(*id))
    }

    /// The marks of the names that it left open.
    pub(crate) fn unresolved(self) -> impl Iterator<Item = u32> + 'r {
        self.unresolved.iter().map(|mark| u32::from_le_bytes(*mark))
    }

    /// Whether it left the name with this mark open.
    pub(crate) fn leaves_open(self, mark: u32) -> bool {
        self.unresolved.binary_search_by_key(&mark, |mark| u32::from_le_bytes(*mark)).is_ok()
    }
}

/// Stores it. The lists must be sorted.
pub(crate) fn pack_resolved(
    counts: ResolutionCounts,
    sources: impl ExactSizeIterator<Item = u64>,
    unresolved: &[u32],
) -> Vec<u8> {
    let ResolutionCounts { exact, inferred, ambiguous, external, unresolved: open } = counts;
    let mut out = Vec::with_capacity(HEAD + sources.len() * 8 + unresolved.len() * 4);
    for count in [exact, inferred, ambiguous, external, open, sources.len() as u32] {
        out.extend_from_slice(&count.to_le_bytes());
    }
    for id in sources {
        out.extend_from_slice(&id.to_le_bytes());
    }
    for mark in unresolved {
        out.extend_from_slice(&mark.to_le_bytes());
    }
    out
}

/// Reads it.
pub(crate) fn unpack_resolved(bytes: &[u8]) -> Result<ResolvedRow<'_>> {
    let cut = || corrupt_record(TABLE, "a row that is cut off");
    let (head, lists) = bytes.split_at_checked(HEAD).ok_or_else(cut)?;
    let (words, _) = head.as_chunks::<4>();
    let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
    let mut word = || words.next().ok_or_else(cut);
    let counts = ResolutionCounts {
        exact: word()?,
        inferred: word()?,
        ambiguous: word()?,
        external: word()?,
        unresolved: word()?,
    };
    let sources = (word()? as usize).checked_mul(8).ok_or_else(cut)?;
    let (sources, rest) = lists.split_at_checked(sources).ok_or_else(cut)?;
    let (unresolved, rest) = rest.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(cut());
    }
    Ok(ResolvedRow { counts, sources: sources.as_chunks().0, unresolved })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_and_cut_ones_are_refused() {
        let counts = ResolutionCounts { exact: 1, inferred: 2, ambiguous: 3, external: 4, unresolved: 5 };
        let bytes = pack_resolved(counts, [7, 8].into_iter(), &[4, 6]);
        let row = unpack_resolved(&bytes).unwrap();
        assert_eq!(row.counts, counts);
        assert_eq!(row.sources().collect::<Vec<_>>(), [7, 8]);
        assert_eq!(row.unresolved().collect::<Vec<_>>(), [4, 6]);
        assert!(row.leaves_open(6) && !row.leaves_open(5));
        assert!(unpack_resolved(&bytes[..20]).is_err());
        assert!(unpack_resolved(&bytes[..36]).is_err(), "fewer ids than announced");
        assert!(unpack_resolved(&bytes[..bytes.len() - 1]).is_err(), "half a mark");
    }
}
