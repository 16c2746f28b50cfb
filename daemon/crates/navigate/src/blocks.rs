//! Blocks that let others use their definitions, such as the braces of a macro.

use std::ops::Range;

use sdl_model::Outline;
use sdl_model::lang::OpenBlocks;

/// Most bytes of a line before its brace that are looked at, because a whole program may be on one line.
const LONGEST_START: usize = 256;

/// The braces of such blocks in the text of a file, each without the others around it.
pub(crate) fn open_blocks(outline: &Outline, bytes: &[u8]) -> Vec<Range<usize>> {
    let is_open: fn(&[u8]) -> bool = match outline.lang.traits().uses.open_blocks {
        OpenBlocks::None => return Vec::new(),
        OpenBlocks::Macros => |before| before.trim_ascii_end().ends_with(b"!"),
        OpenBlocks::Ambient => |before| {
            let near = before.get(before.len().saturating_sub(LONGEST_START)..).unwrap_or_default();
            let line = near.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
            line.starts_with(b"declare global") || line.starts_with(b"declare module ")
        },
    };
    braces_after(bytes, is_open)
}

/// The outermost braces for which `is_open` holds of the text before them. Linear in the length of the text; braces in
/// strings count too, so that a file with unequal ones has too many ranges or too long ones.
fn braces_after(bytes: &[u8], is_open: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => open.push((at, is_open(bytes.get(..at).unwrap_or_default()))),
            b'}' => match open.pop() {
                Some((start, true)) if !open.iter().any(|(_, is_open)| *is_open) => found.push(start..at),
                _ => {}
            },
            _ => {}
        }
    }
    let unclosed = open.iter().filter(|(_, is_open)| *is_open).map(|(start, _)| *start..bytes.len());
    found.extend(unclosed);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_macros_are_told_from_others() {
        let text = "check! { fn first() { if a != b {} } fn second() {} } mod inner { fn third() {} } m! { fn last()";
        let found = braces_after(text.as_bytes(), |before| before.trim_ascii_end().ends_with(b"!"));
        let is_in = |name: &str| found.iter().any(|braces| braces.contains(&text.find(name).unwrap()));
        assert!(is_in("fn first") && is_in("fn second") && !is_in("fn third") && is_in("fn last"));
    }
}
