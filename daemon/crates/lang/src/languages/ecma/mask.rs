//! What the grammar trips over, hidden from the parser.
//!
//! In an interface, a line break ends a member, but where the next line begins with type parameters the grammar takes them
//! for type arguments of the line before:
//!
//! ```ts
//! interface Action {
//!     (name: string): Result
//!     <T>(run: () => T): T
//! }
//! ```
//!
//! There the white space before the `<` becomes a semicolon.

use std::borrow::Cow;

/// How far back the code before such a line is looked for.
const MAX_BACK: usize = 2_000;
/// How much of such a line is looked at.
const MAX_LINE: usize = 400;

/// `bytes` with a semicolon where a call signature follows another member without one.
pub(super) fn mask(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
        at += found;
        if needs_semicolon(bytes, at)
            && let Some(gap) = masked.to_mut().get_mut(at - 1)
        {
            *gap = b';';
        }
        at += 1;
    }
    masked
}

/// Whether the `<` at `at` begins a line that is a call signature, and the member before it has no end.
fn needs_semicolon(bytes: &[u8], at: usize) -> bool {
    let line_start =
        bytes.get(..at).and_then(|before| before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')));
    let Some(line_start) = line_start.filter(|start| bytes.get(*start) == Some(&b'\n') && start + 1 < at)
    else {
        return false;
    };
    let line = bytes.get(at..(at + MAX_LINE).min(bytes.len())).unwrap_or_default();
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if !has(line, b">(") || !(has(line, b"):") || line.trim_ascii_end().ends_with(b"(")) {
        return false;
    }
    let back = bytes.get(line_start.saturating_sub(MAX_BACK)..line_start).unwrap_or_default();
    let before = back.rsplit(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| {
        !(line.is_empty() || line.starts_with(b"//") || line.starts_with(b"*") || line.starts_with(b"/*"))
    });
    // The member before states a type, or closes the arguments of one.
    let Some(before) = before.filter(|before| before.contains(&b':') || *before == b">") else {
        return false;
    };
    let ends = before.last().is_some_and(|last| {
        last.is_ascii_alphanumeric() || matches!(last, b'_' | b'$' | b')' | b']' | b'}' | b'>')
    });
    ends && !before.ends_with(b"=>")
}

fn has(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        String::from_utf8(mask(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn call_signatures_end() {
        assert_eq!(
            masked("interface A {\n  (a: B): C\n  // d\n  <T>(a: T): T\n}"),
            "interface A {\n  (a: B): C\n  // d\n ;<T>(a: T): T\n}"
        );
        assert_eq!(
            masked("interface A {\n  <T>(a: B): C<\n    D\n  >\n  <T>(\n    a: T\n  ): T\n}"),
            "interface A {\n  <T>(a: B): C<\n    D\n  >\n ;<T>(\n    a: T\n  ): T\n}"
        );
    }

    #[test]
    fn other_code_stays() {
        for text in [
            "interface A {\n  (a: B): C;\n  <T>(a: T): T\n}",
            "interface A {\n  <T>(a: T): T\n}",
            "const a: B = c\n  < d",
            "const f = <T>(a: T): T => a",
            "<T>(a): b",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
