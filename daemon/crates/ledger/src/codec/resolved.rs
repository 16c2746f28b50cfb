//! The results of resolving a file besides its edges, packed so that they are read in place.

use super::corrupt_record;
use crate::{ResolutionCounts, Result};

const TABLE: &str = "resolved";
const COUNTS: usize = 20;

/// A resolved file, read in place. The lists are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedRow<'r> {
    /// How its references came out.
    pub(crate) counts: ResolutionCounts,
    sources: &'r [[u8; 8]],
    asked: &'r [[u8; 8]],
}

impl<'r> ResolvedRow<'r> {
    /// Its symbols that have outgoing edges.
    pub(crate) fn sources(self) -> impl Iterator<Item = u64> + 'r {
        self.sources.iter().map(|id| u64::from_le_bytes(*id))
    }

    /// The lookup keys it asked.
    pub(crate) fn asked(self) -> impl Iterator<Item = u64> + 'r {
        self.asked.iter().map(|hash| u64::from_le_bytes(*hash))
    }
}

/// Stores it.
pub(crate) fn pack_resolved(
    counts: ResolutionCounts,
    sources: impl ExactSizeIterator<Item = u64>,
    asked: &[u64],
) -> Vec<u8> {
    let ResolutionCounts { exact, inferred, ambiguous, external, unresolved } = counts;
    let mut out = Vec::with_capacity(COUNTS + 4 + (sources.len() + asked.len()) * 8);
    for count in [exact, inferred, ambiguous, external, unresolved, sources.len() as u32] {
        out.extend_from_slice(&count.to_le_bytes());
    }
    for id in sources {
        out.extend_from_slice(&id.to_le_bytes());
    }
    for hash in asked {
        out.extend_from_slice(&hash.to_le_bytes());
    }
    out
}

/// Reads it.
pub(crate) fn unpack_resolved(bytes: &[u8]) -> Result<ResolvedRow<'_>> {
    let cut = || corrupt_record(TABLE, "a row that is cut off");
    let (head, lists) = bytes.split_at_checked(COUNTS + 4).ok_or_else(cut)?;
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
    let sources = word()? as usize;
    let (lists, rest) = lists.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(cut());
    }
    let (sources, asked) = lists.split_at_checked(sources).ok_or_else(cut)?;
    Ok(ResolvedRow { counts, sources, asked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_and_cut_ones_are_refused() {
        let counts = ResolutionCounts { exact: 1, inferred: 2, ambiguous: 3, external: 4, unresolved: 5 };
        let bytes = pack_resolved(counts, [7, 8].into_iter(), &[9]);
        let row = unpack_resolved(&bytes).unwrap();
        assert_eq!(row.counts, counts);
        assert_eq!(row.sources().collect::<Vec<_>>(), [7, 8]);
        assert_eq!(row.asked().collect::<Vec<_>>(), [9]);
        assert!(unpack_resolved(&bytes[..30]).is_err());
        assert!(unpack_resolved(&bytes[..32]).is_err(), "fewer sources than announced");
    }
}
