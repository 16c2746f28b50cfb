//! The parts of tuples, and of tuple structs and variants.

use super::kinds::Node;

/// The names of the fields of tuple structs and variants.
const ORDINALS: [&str; 16] =
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];

/// The name of field `at` of a tuple struct; none for one that nobody would write.
pub(super) fn tuple_field_name(at: usize) -> Option<&'static str> {
    ORDINALS.get(at).copied()
}

/// The parts of a pattern with their indexes; `_`, which is no part, has an index, too.
pub(super) fn placed_parts<'a>(
    pattern: Node<'a>,
    from: u32,
    parts: impl Iterator<Item = Node<'a>>,
) -> impl Iterator<Item = (usize, Node<'a>)> {
    let text = pattern.text().as_bytes();
    let (mut read, mut place) = (from, 0);
    parts.map(move |part| {
        let gap = read.saturating_sub(pattern.start()) as usize
            ..part.start().saturating_sub(pattern.start()) as usize;
        place += text.get(gap).unwrap_or_default().split(|byte| *byte == b',').count() - 1;
        read = part.end();
        (place, part)
    })
}
