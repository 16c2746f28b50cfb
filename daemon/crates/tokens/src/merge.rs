//! Byte pair merging: how many tokens one piece becomes.
//!
//! Neighbours whose bytes together are a token are merged, lowest rank first, leftmost first among equals, until no
//! neighbours can be merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::{NONE, token_rank};

/// Up to this length a plain search for the lowest rank is faster than a heap.
const SHORT: usize = 48;

/// How many tokens `piece` becomes.
pub(crate) fn tokens_of(piece: &[u8]) -> usize {
    if piece.len() < 2 {
        return piece.len();
    }
    if token_rank(piece) != NONE {
        return 1;
    }
    if piece.len() <= SHORT { merge_short(piece) } else { merge_long(piece) }
}

/// Quadratic in the piece's length, which is small.
fn merge_short(piece: &[u8]) -> usize {
    // Part i is piece[starts[i]..starts[i + 1]]; ranks[i] is that of part i merged with part i + 1.
    let mut starts = [0_u8; SHORT + 1];
    let mut ranks = [NONE; SHORT + 1];
    let mut parts = piece.len();
    for (i, start) in starts.iter_mut().enumerate().take(parts + 1) {
        *start = i as u8;
    }
    let merged = |starts: &[u8; SHORT + 1], parts: usize, i: usize| {
        if i + 1 >= parts {
            return NONE;
        }
        piece.get(starts[i] as usize..starts[i + 2] as usize).map_or(NONE, token_rank)
    };
    for (i, rank) in ranks.iter_mut().enumerate().take(parts) {
        *rank = merged(&starts, parts, i);
    }
    loop {
        let mut best = (NONE, 0);
        for (i, &rank) in ranks[..parts].iter().enumerate() {
            if rank < best.0 {
                best = (rank, i);
            }
        }
        let (NONE, _) = best else {
            let i = best.1;
            starts.copy_within(i + 2..=parts, i + 1);
            ranks.copy_within(i + 2..parts, i + 1);
            parts -= 1;
            ranks[i] = merged(&starts, parts, i);
            if i > 0 {
                ranks[i - 1] = merged(&starts, parts, i - 1);
            }
            continue;
        };
        return parts;
    }
}

/// A part of a long piece, at the index of its first byte.
#[derive(Clone, Copy)]
struct Part {
    /// Where the part before it starts.
    before: u32,
    /// Where the part after it starts; the piece's length at the end.
    after: u32,
    /// The rank of it merged with the part after it.
    rank: u32,
}

/// `n log n` in the piece's length.
fn merge_long(piece: &[u8]) -> usize {
    let len = piece.len() as u32;
    let mut parts: Vec<Part> = (0..len)
        .map(|i| {
            let pair = piece.get(i as usize..i as usize + 2).map_or(NONE, token_rank);
            Part { before: i.wrapping_sub(1), after: i + 1, rank: pair }
        })
        .collect();
    // Rank in the high half, start in the low one: the order of merging.
    let entry = |rank: u32, start: u32| Reverse((u64::from(rank) << 32) | u64::from(start));
    let mut queue: BinaryHeap<Reverse<u64>> = (0..len)
        .map(|i| (parts[i as usize].rank, i))
        .filter(|(rank, _)| *rank != NONE)
        .map(|(rank, i)| entry(rank, i))
        .collect();
    let mut count = piece.len();
    while let Some(Reverse(key)) = queue.pop() {
        let (key_rank, start) = ((key >> 32) as u32, key as u32);
        let left = parts[start as usize];
        if left.rank != key_rank {
            // The part has been merged away or has another neighbour by now.
            continue;
        }
        let right = parts[left.after as usize];
        parts[left.after as usize].rank = NONE;
        parts[start as usize].after = right.after;
        if right.after < len {
            parts[right.after as usize].before = start;
        }
        count -= 1;
        for from in [Some(start), Some(left.before).filter(|_| start > 0)].into_iter().flatten() {
            let after = parts[from as usize].after;
            let end = if after < len { parts[after as usize].after } else { len + 1 };
            let rank = piece.get(from as usize..end as usize).map_or(NONE, token_rank);
            parts[from as usize].rank = rank;
            if rank != NONE {
                queue.push(entry(rank, from));
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree() {
        let mut state = 7_u64;
        for round in 0..4_000 {
            let len = 2 + round % (SHORT - 1);
            let piece: Vec<u8> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    b"aeiotnsr "[(state >> 33) as usize % 9]
                })
                .collect();
            assert_eq!(merge_short(&piece), merge_long(&piece), "{piece:?}");
        }
    }
}
