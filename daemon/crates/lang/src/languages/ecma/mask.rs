//! What the grammar trips over, hidden from the parser.
//!
//! * In an interface, a line break ends a member, but where the next line begins with type parameters the grammar takes
//!   them for type arguments of the line before. There the white space before the `<` becomes a semicolon:
//!
//!   ```ts
//!   interface Action {
//!       (name: string): Result
//!       <T>(run: () => T): T
//!   }
//!   ```
//! * Type parameters that state their variance (`<in out T>`) lose those words.
//! * `import('module').Type<T>`, which the grammar knows without type arguments only, loses what is before the name.

use std::borrow::Cow;

use crate::languages::blank::blank;

/// How far back the code before such a line is looked for.
const MAX_BACK: usize = 2_000;
/// How much of such a line is looked at.
const MAX_LINE: usize = 400;

/// `bytes` with all of that hidden: as many bytes, lines where they were.
pub(super) fn mask(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(bytes);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => {
                if needs_semicolon(bytes, at)
                    && let Some(gap) = masked.to_mut().get_mut(at - 1)
                {
                    *gap = b';';
                }
                hide(&mut masked, variance(bytes, at + 1));
            }
            b',' => hide(&mut masked, variance(bytes, at + 1)),
            b'i' if bytes.get(at..at + 7) == Some(b"import(") => hide(&mut masked, imported(bytes, at)),
            _ => {}
        }
    }
    masked
}

fn hide(masked: &mut Cow<'_, [u8]>, (from, to): (usize, usize)) {
    if from < to {
        blank(masked.to_mut(), from..to);
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// The name at `at`, after white space, and where it ends.
fn word(bytes: &[u8], at: usize) -> (&[u8], usize) {
    let rest = bytes.get(at..(at + MAX_LINE).min(bytes.len())).unwrap_or_default();
    let gap = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let rest = rest.get(gap..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_name(**byte)).count();
    (rest.get(..length).unwrap_or_default(), at + gap + length)
}

/// The range of `in`, `out` or both where they stand before the name of a type parameter at `at`.
fn variance(bytes: &[u8], at: usize) -> (usize, usize) {
    let mut range = (at, at);
    loop {
        let (name, end) = word(bytes, range.1);
        if !matches!(name, b"in" | b"out") {
            break;
        }
        let (next, _) = word(bytes, end);
        // Otherwise it is a name itself.
        let names = next.first().is_some_and(|first| !first.is_ascii_digit())
            && !matches!(next, b"as" | b"of" | b"is" | b"in" | b"extends" | b"instanceof" | b"satisfies");
        if !(names || (name == b"in" && next == b"out")) {
            break;
        }
        range = (range.0, end);
    }
    range
}

/// The range of `import('…').a.` at `at` where a type's name with type arguments follows.
fn imported(bytes: &[u8], at: usize) -> (usize, usize) {
    let none = (at, at);
    if at > 0 && bytes.get(at - 1).is_some_and(|byte| is_name(*byte) || *byte == b'.') {
        return none;
    }
    let rest = bytes.get(at..(at + MAX_LINE).min(bytes.len())).unwrap_or_default();
    let Some(close) = rest.iter().position(|byte| *byte == b')') else { return none };
    let mut end = at + close + 1;
    let mut names_from = end;
    while bytes.get(end) == Some(&b'.') {
        let (name, after) = word(bytes, end + 1);
        if name.is_empty() || matches!(name, b"then" | b"catch" | b"finally") {
            return none;
        }
        names_from = end + 1;
        end = after;
    }
    if names_from > at + close + 1 && bytes.get(end) == Some(&b'<') { (at, names_from) } else { none }
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
    fn variance_and_imported_types() {
        assert_eq!(masked("interface A<in out T, out O = B> {}"), "interface A<       T,     O = B> {}");
        assert_eq!(masked("type A = import('x').B.C<D>"), "type A =               C<D>");
    }

    #[test]
    fn other_code_stays() {
        for text in [
            "interface A {\n  (a: B): C;\n  <T>(a: T): T\n}",
            "interface A {\n  <T>(a: T): T\n}",
            "const a: B = c\n  < d",
            "const f = <T>(a: T): T => a",
            "<T>(a): b",
            "f(a, out, b); const x = 1, out = 2; import { a, out as c } from 'd'; a < out",
            "type A = import('x').B; import('x').then<C>(d); x.import('a').b<c>()",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
