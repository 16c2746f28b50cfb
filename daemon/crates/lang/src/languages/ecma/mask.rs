//! Text that the grammar cannot read, hidden from the parser.
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
//! * Likewise, a member called `in` would go on with the type of the member before: it gets a semicolon, too.
//! * Type parameters that state their variance (`<in out T>`) lose those words.
//! * `using` and `await using` become `const`.
//! * Words that are reserved elsewhere but allowed as exported names (`export { a as const }`) become other words.
//! * Quotes that are escaped in templates become other characters.
//! * `import('module').Type<T>`, which the grammar knows only without type arguments, loses the part before the name.

use std::borrow::Cow;

use crate::languages::blank::blank_range;

/// How far back the code before such a line is looked for.
const MAX_BACK: usize = 6_000;
/// How far the end of its parameters is looked for.
const MAX_AHEAD: usize = 6_000;
/// How much of other lines is looked at.
const MAX_LINE: usize = 400;

/// `bytes` with all of that hidden: the same length, with the lines in their places.
pub(super) fn mask_source(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(bytes);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => {
                if needs_semicolon(bytes, at)
                    && let Some(gap) = masked.to_mut().get_mut(at - 1)
                {
                    *gap = b';';
                }
                hide_range(&mut masked, variance_range(bytes, at + 1));
            }
            b',' => hide_range(&mut masked, variance_range(bytes, at + 1)),
            // In a type that is a template, the grammar knows no escapes.
            b'`' if is_escaped(bytes, at) => {
                if let Some(quote) = masked.to_mut().get_mut(at - 1..=at) {
                    quote.fill(b'_');
                }
            }
            b'i' if bytes.get(at..at + 7) == Some(b"import(") => {
                hide_range(&mut masked, import_type_range(bytes, at))
            }
            b'i' if is_member_in(bytes, at) => {
                if let Some(gap) = masked.to_mut().get_mut(at - 1) {
                    *gap = b';';
                }
            }
            b'u' if bytes.get(at..at + 5) == Some(b"using") => {
                if let Some(from) = declared_by_using(bytes, at) {
                    hide_range(&mut masked, (from, at));
                    if let Some(word) = masked.to_mut().get_mut(at..at + 5) {
                        word.copy_from_slice(b"const");
                    }
                }
            }
            b'e' | b'i' if matches!(bytes.get(at..at + 6), Some(b"export" | b"import")) => {
                mask_reserved_words(&mut masked, bytes, at);
            }
            _ => {}
        }
    }
    masked
}

/// `bytes` with changes only to names in export and import clauses that the grammar takes for keywords.
pub(super) fn mask_clauses(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(bytes);
    for (at, window) in bytes.windows(6).enumerate() {
        if matches!(window, b"export" | b"import") {
            mask_reserved_words(&mut masked, bytes, at);
        }
    }
    masked
}

/// Writes other words over reserved ones in the clause after the `export` or `import` at `at`.
fn mask_reserved_words(masked: &mut Cow<'_, [u8]>, bytes: &[u8], at: usize) {
    if at > 0 && bytes.get(at - 1).is_some_and(|byte| is_name(*byte) || *byte == b'.') {
        return;
    }
    let is_space = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
    let mut at = at + 6;
    while is_space(at) {
        at += 1;
    }
    if bytes.get(at) != Some(&b'{') {
        return;
    }
    at += 1;
    while let Some(byte) = bytes.get(at) {
        if is_name(*byte) {
            let end =
                bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_name(**byte)).count() + at;
            if bytes.get(at..end).is_some_and(|word| RESERVED.contains(&word)) {
                masked.to_mut().get_mut(at..end).into_iter().flatten().for_each(|byte| *byte = b'_');
            }
            at = end;
        } else if byte.is_ascii_whitespace() || *byte == b',' {
            at += 1;
        } else {
            break;
        }
    }
}

/// Keywords that a clause allows as the name of an import or export in another module.
const RESERVED: [&[u8]; 36] = [
    b"break",
    b"case",
    b"catch",
    b"class",
    b"const",
    b"continue",
    b"debugger",
    b"delete",
    b"do",
    b"else",
    b"enum",
    b"export",
    b"extends",
    b"false",
    b"finally",
    b"for",
    b"function",
    b"if",
    b"import",
    b"in",
    b"instanceof",
    b"new",
    b"null",
    b"return",
    b"super",
    b"switch",
    b"this",
    b"throw",
    b"true",
    b"try",
    b"typeof",
    b"var",
    b"void",
    b"while",
    b"with",
    b"yield",
];

fn hide_range(masked: &mut Cow<'_, [u8]>, (from, to): (usize, usize)) {
    if from < to {
        blank_range(masked.to_mut(), from..to);
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// The name at `at`, after white space, and where it ends.
fn word_at(bytes: &[u8], at: usize) -> (&[u8], usize) {
    let rest = bytes.get(at..(at + MAX_LINE).min(bytes.len())).unwrap_or_default();
    let gap = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let rest = rest.get(gap..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_name(**byte)).count();
    (rest.get(..length).unwrap_or_default(), at + gap + length)
}

/// The range of `in`, `out` or both where they are before the name of a type parameter at `at`.
fn variance_range(bytes: &[u8], at: usize) -> (usize, usize) {
    let at = after_gap(bytes, at);
    let mut range = (at, at);
    loop {
        let (name, end) = word_at(bytes, range.1);
        if !matches!(name, b"in" | b"out") {
            break;
        }
        let (next, _) = word_at(bytes, end);
        // Otherwise the word is a name itself.
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
fn import_type_range(bytes: &[u8], at: usize) -> (usize, usize) {
    let none = (at, at);
    if at > 0 && bytes.get(at - 1).is_some_and(|byte| is_name(*byte) || *byte == b'.') {
        return none;
    }
    let rest = bytes.get(at..(at + MAX_LINE).min(bytes.len())).unwrap_or_default();
    let Some(close) = rest.iter().position(|byte| *byte == b')') else { return none };
    let mut end = at + close + 1;
    let mut names_from = end;
    while bytes.get(end) == Some(&b'.') {
        let (name, after) = word_at(bytes, end + 1);
        if name.is_empty() || matches!(name, b"then" | b"catch" | b"finally") {
            return none;
        }
        names_from = end + 1;
        end = after;
    }
    if names_from > at + close + 1 && bytes.get(end) == Some(&b'<') { (at, names_from) } else { none }
}

/// Whether an odd number of backslashes is before `at`.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(MAX_LINE)..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Where the next code begins, after white space and comments.
fn after_gap(bytes: &[u8], from: usize) -> usize {
    let end = (from + MAX_LINE).min(bytes.len());
    let mut at = from;
    while at < end {
        let rest = bytes.get(at..end).unwrap_or_default();
        let length = match rest {
            [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n'),
            [b'/', b'*', ..] => rest.windows(2).skip(2).position(|end| end == b"*/").map(|to| to + 4),
            [first, ..] if first.is_ascii_whitespace() => Some(1),
            _ => return at,
        };
        let Some(length) = length else { return from };
        at += length;
    }
    from
}

/// Whether the `<` at `at` begins a line that is a call signature, and the member before it lacks a terminator.
fn needs_semicolon(bytes: &[u8], at: usize) -> bool {
    goes_on_from(bytes, at) && is_call_signature(bytes, at)
}

/// Whether only white space is before `at` in its line, and the code before that line ends as a type does.
fn goes_on_from(bytes: &[u8], at: usize) -> bool {
    let line_start =
        bytes.get(..at).and_then(|before| before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')));
    let Some(line_start) = line_start.filter(|start| bytes.get(*start) == Some(&b'\n') && start + 1 < at)
    else {
        return false;
    };
    let from = line_start.saturating_sub(MAX_BACK);
    let mut back = bytes.get(from..line_start).unwrap_or_default();
    // A line whose start is cut off cannot be judged.
    if from > 0 {
        let cut = back.iter().position(|byte| *byte == b'\n').map_or(back.len(), |end| end + 1);
        back = back.get(cut..).unwrap_or_default();
    }
    let before = back.rsplit(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| {
        !(line.is_empty() || line.starts_with(b"//") || line.starts_with(b"*") || line.starts_with(b"/*"))
    });
    let Some(before) = before.filter(|before| !before.ends_with(b"=>") && *before != b"async") else {
        return false;
    };
    before.last().is_some_and(|last| {
        last.is_ascii_alphanumeric()
            || matches!(last, b'_' | b'$' | b')' | b']' | b'}' | b'>' | b'"' | b'\'' | b'`')
    })
}

/// Whether type parameters begin at `at`, then parameters, then the type of a result.
fn is_call_signature(bytes: &[u8], at: usize) -> bool {
    let Some(close) = closing_bracket(bytes, at, at + MAX_AHEAD) else { return false };
    let open = after_gap(bytes, close + 1);
    if bytes.get(open) != Some(&b'(') {
        return false;
    }
    let Some(close) = closing_bracket(bytes, open, at + MAX_AHEAD) else { return false };
    bytes.get(after_gap(bytes, close + 1)) == Some(&b':')
}

/// Where the bracket at `at` is closed, before `end`.
fn closing_bracket(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    let end = end.min(bytes.len());
    let mut depth = 0_usize;
    let mut at = at;
    while at < end {
        match *bytes.get(at)? {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes.get(at - 1) == Some(&b'=') => {}
            b'>' | b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                let next = after_gap(bytes, at);
                if next > at {
                    at = next;
                    continue;
                }
            }
            quote @ (b'"' | b'\'') => {
                let rest = bytes.get(at + 1..end)?;
                let to = rest.iter().position(|byte| *byte == quote || *byte == b'\n')?;
                at += to + 1;
            }
            b';' if depth == 1 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a member called `in` begins at `at`, and the member before it lacks a terminator.
fn is_member_in(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    (rest.starts_with(b"in:") || rest.starts_with(b"in?:")) && goes_on_from(bytes, at)
}

/// Where `using` or `await using` begins, if the `using` at `at` declares a variable at the start of a line.
fn declared_by_using(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes.get(at.saturating_sub(MAX_LINE)..at)?;
    let line = before.rsplit(|byte| *byte == b'\n').next()?.trim_ascii();
    if !(line.is_empty() || line == b"await") || !bytes.get(at + 5)?.is_ascii_whitespace() {
        return None;
    }
    let (name, end) = word_at(bytes, at + 5);
    let (_, gap_end) = word_at(bytes, end);
    let is_name = name.first().is_some_and(|first| !first.is_ascii_digit())
        && !matches!(name, b"in" | b"of" | b"as" | b"is" | b"instanceof" | b"satisfies");
    let rest = bytes.get(gap_end..)?;
    let declares = matches!(rest.first(), Some(b'=' | b':')) && !rest.starts_with(b"==");
    (is_name && declares).then(|| if line.is_empty() { at } else { at - 5 - spaces_before(before) })
}

/// How much white space ends `before`.
fn spaces_before(before: &[u8]) -> usize {
    before.len() - before.trim_ascii_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        String::from_utf8(mask_source(text.as_bytes()).into_owned()).unwrap()
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
    fn call_signatures_of_several_lines() {
        assert_eq!(
            masked("const a: {\n  (\n    b: B\n  ) => C<D>\n  <T>(a: T, b: {\n    c: T\n  }): T\n}"),
            "const a: {\n  (\n    b: B\n  ) => C<D>\n ;<T>(a: T, b: {\n    c: T\n  }): T\n}"
        );
        assert_eq!(
            masked("const a: {\n  (b: B): C\n  <\n    T\n  >(a: T): T\n}"),
            "const a: {\n  (b: B): C\n ;<\n    T\n  >(a: T): T\n}"
        );
        assert_eq!(
            masked("interface A {\n  (b: B): C &\n    D\n\n  <T>(\n    a: T, // (b\n  ): T\n}"),
            "interface A {\n  (b: B): C &\n    D\n\n ;<T>(\n    a: T, // (b\n  ): T\n}"
        );
        assert_eq!(masked("interface A {\n  b: C\n  in: D\n}"), "interface A {\n  b: C\n ;in: D\n}");
    }

    #[test]
    fn quotes_in_templates() {
        assert_eq!(masked("type A = `b \\`c\\``"), "type A = `b __c__`");
        assert_eq!(masked("const a = `b \\\\`"), "const a = `b \\\\`");
    }

    #[test]
    fn what_is_used() {
        assert_eq!(masked("{\n  using a = b();\n}"), "{\n  const a = b();\n}");
        assert_eq!(masked("{\n  await using a: B = b();\n}"), "{\n        const a: B = b();\n}");
    }

    #[test]
    fn variance_and_imported_types() {
        assert_eq!(masked("interface A<in out T, out O = B> {}"), "interface A<       T,     O = B> {}");
        assert_eq!(masked("class A<\n  // b\n  out T\n> {}"), "class A<\n  // b\n      T\n> {}");
        assert_eq!(masked("type A = import('x').B.C<D>"), "type A =               C<D>");
    }

    #[test]
    fn reserved_words_in_clauses() {
        for (text, wanted) in [
            ("export { a as const, b }", "export { a as _____, b }"),
            ("export {\n  var,\n  x as if\n} from 'y'", "export {\n  ___,\n  x as __\n} from 'y'"),
            ("import { new as b } from 'c'", "import { ___ as b } from 'c'"),
        ] {
            assert_eq!(masked(text), wanted);
            assert_eq!(String::from_utf8(mask_clauses(text.as_bytes()).into_owned()).unwrap(), wanted);
        }
    }

    #[test]
    fn other_code_stays() {
        let long = format!("type A = {{\n  /**\n{}   */\n  <T>(a: T): T\n}}", "   * b: c\n".repeat(2_000));
        assert_eq!(masked(&long), long);
        for text in [
            "interface A {\n  (a: B): C;\n  <T>(a: T): T\n}",
            "interface A {\n  <T>(a: T): T\n}",
            "const a: B = c\n  < d",
            "const f = <T>(a: T): T => a",
            "<T>(a): b",
            "const a = b\n  <T>(c);\ntype D = E<\n  <T>(a: T) => T\n>",
            "const c = { d: e,\n  in: f }",
            "using(a); using = b; const c = { using: d };\n  using == e",
            "export default { if: 1 }; export const x = { new: y as const }; reexport { if }; export { default as a }",
            "f(a, out, b); const x = 1, out = 2; import { a, out as c } from 'd'; a < out",
            "type A = import('x').B; import('x').then<C>(d); x.import('a').b<c>()",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
