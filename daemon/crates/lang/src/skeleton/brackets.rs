//! Which brackets belong together.

use super::tree::Nodes;
use crate::flow::Roles;

/// The brackets of `text` that have a partner, each with its partner's place, in order. Those in comments and literals
/// don't count.
pub(super) fn bracket_pairs(text: &str, nodes: &Nodes, roles: &Roles) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut open: Vec<(u8, u32)> = Vec::new();
    let mut waiting = [0_u32; 3];
    let tokens =
        nodes.all.iter().enumerate().filter(|(ix, node)| !node.named && node.next as usize == ix + 1);
    for (_, token) in tokens {
        let held = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        let parent = nodes.get(token.parent).map_or(0, |parent| parent.kind);
        if roles.of(parent).is_unpaired(held) {
            continue;
        }
        for (at, byte) in (token.start..).zip(held.bytes()) {
            let Some((kind, opens)) = kind_of(byte) else { continue };
            let Some(count) = waiting.get_mut(kind) else { continue };
            if opens {
                *count += 1;
                open.push((kind as u8, at));
                continue;
            }
            if *count == 0 {
                continue;
            }
            // A bracket that was opened in between and never closed has no partner.
            while let Some((other, place)) = open.pop() {
                if let Some(count) = waiting.get_mut(usize::from(other)) {
                    *count -= 1;
                }
                if usize::from(other) == kind {
                    pairs.push((place, at));
                    break;
                }
            }
        }
    }
    let mut both: Vec<(u32, u32)> =
        pairs.iter().flat_map(|&(open, close)| [(open, close), (close, open)]).collect();
    both.sort_unstable();
    both
}

fn kind_of(byte: u8) -> Option<(usize, bool)> {
    match byte {
        b'(' => Some((0, true)),
        b')' => Some((0, false)),
        b'[' => Some((1, true)),
        b']' => Some((1, false)),
        b'{' => Some((2, true)),
        b'}' => Some((2, false)),
        _ => None,
    }
}
