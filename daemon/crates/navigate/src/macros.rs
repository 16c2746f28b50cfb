//! Where definitions are written in the braces of a macro, which may use them or their names in ways that are not seen.

use std::ops::Range;

use sdl_model::Outline;

/// The braces of macros in the text of a file, each without the others around it, if definitions in them may be used by
/// the macro: `quickcheck! { fn holds() … }`.
pub(crate) fn macro_braces(outline: &Outline, bytes: &[u8]) -> Vec<Range<usize>> {
    if outline.lang.traits().uses.in_macros { braces_of_macros(bytes) } else { Vec::new() }
}

/// The outermost braces that follow `name!`. Linear in the length of the text; braces in strings count too, so that a
/// file with unequal ones has too many ranges or too long ones.
fn braces_of_macros(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => {
                let before = bytes.get(..at).unwrap_or_default();
                open.push((at, before.trim_ascii_end().last() == Some(&b'!')));
            }
            b'}' => match open.pop() {
                Some((start, true)) if !open.iter().any(|(_, is_macro)| *is_macro) => found.push(start..at),
                _ => {}
            },
            _ => {}
        }
    }
    let unclosed = open.iter().filter(|(_, is_macro)| *is_macro).map(|(start, _)| *start..bytes.len());
    found.extend(unclosed);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_macros_are_told_from_others() {
        let text = "check! { fn first() { if a != b {} } fn second() {} } mod inner { fn third() {} } m! { fn last()";
        let found = braces_of_macros(text.as_bytes());
        let is_in = |name: &str| found.iter().any(|braces| braces.contains(&text.find(name).unwrap()));
        assert!(is_in("fn first") && is_in("fn second") && !is_in("fn third") && is_in("fn last"));
    }
}
