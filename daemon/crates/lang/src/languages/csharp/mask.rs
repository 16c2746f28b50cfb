//! Conditional text that the grammar cannot read.
//!
//! The grammar accepts `#if` between whole members and statements. If one is inside of a construct (a list of bases,
//! of parameters) or a branch holds half of one, the parser's result lacks the type around it. There the directives
//! and all branches but the first become white space.

use std::borrow::Cow;
use std::ops::Range;

use crate::languages::blank::blank_range;

/// A `#if … #endif`.
struct Group {
    /// Whether it is removed.
    masked: bool,
    /// Whether the present branch has had no code yet.
    fresh: bool,
    /// The number of braces that the current branch opens and does not close, and that of the first branch.
    open: i32,
    first: Option<i32>,
    /// The line that opens it.
    head: Range<usize>,
    /// The start of the branches after the first.
    others: Option<usize>,
}

/// Deeper than people nest conditions; bounds the work.
const MAX_DEPTH: usize = 64;

/// `bytes` with white space where the grammar does not accept a directive.
pub(super) fn mask_source(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.windows(3).any(|part| part == b"#if") {
        return Cow::Borrowed(bytes);
    }
    let mut out: Option<Vec<u8>> = None;
    let mut open: Vec<Group> = Vec::new();
    // Whether a member or a statement can start here.
    let mut boundary = true;
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let place = at..at + line.len();
        at = place.end;
        let code = code_of(line);
        let Some(directive) = code.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
            if let Some(group) = open.last_mut() {
                group.open += brace_balance(code);
                if !code.is_empty() && std::mem::take(&mut group.fresh) {
                    group.masked |= goes_on(code);
                }
            }
            if !code.is_empty() {
                boundary = is_boundary(code);
            }
            continue;
        };
        if directive.starts_with(b"if") {
            if open.len() == MAX_DEPTH {
                return Cow::Borrowed(bytes);
            }
            open.push(Group {
                masked: !boundary,
                fresh: true,
                open: 0,
                first: None,
                head: place,
                others: None,
            });
            continue;
        }
        let Some(group) = open.last_mut() else { continue };
        if directive.starts_with(b"el") {
            group.masked |= group.open != 0;
            group.fresh = true;
            group.first.get_or_insert(group.open);
            group.others.get_or_insert(place.start);
            group.open = 0;
        } else if directive.starts_with(b"endif") {
            let Some(group) = open.pop() else { continue };
            if group.masked || group.open != 0 {
                let out = out.get_or_insert_with(|| bytes.to_vec());
                blank_range(out, group.head);
                blank_range(out, group.others.unwrap_or(place.start)..place.end);
            } else {
                boundary = true;
            }
            if let Some(around) = open.last_mut() {
                around.open += group.first.unwrap_or(group.open);
            }
        }
    }
    out.map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// A line without the comment at its end (or text that looks like one, such as an address) and the white space around
/// it.
fn code_of(line: &[u8]) -> &[u8] {
    let end = line.windows(2).position(|two| two == b"//").unwrap_or(line.len());
    let code = line.get(..end).unwrap_or(line).trim_ascii();
    // A byte order mark is no code.
    code.strip_prefix(b"\xef\xbb\xbf").unwrap_or(code)
}

fn brace_balance(code: &[u8]) -> i32 {
    code.iter().map(|byte| i32::from(*byte == b'{') - i32::from(*byte == b'}')).sum()
}

/// Whether `code` goes on with the statement before it: `else if (…)`.
fn goes_on(code: &[u8]) -> bool {
    let len = code.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    matches!(code.get(..len), Some(b"else" | b"catch" | b"finally"))
}

/// Whether a member or statement can start after `code`.
fn is_boundary(code: &[u8]) -> bool {
    match code.last() {
        Some(b':') => code.starts_with(b"case ") || code.starts_with(b"default"),
        Some(b'/') => code.ends_with(b"*/"),
        last => matches!(last, None | Some(b';' | b'{' | b'}' | b']')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        String::from_utf8_lossy(&mask_source(text.as_bytes())).into_owned()
    }

    #[test]
    fn whole_members_stay() {
        for text in [
            "class A {\n#if B\n  int b;\n#else\n  long b;\n#endif\n}\n",
            "#if A\nusing B;\n#endif\nclass C { }\n",
            "class A\n{\n  [B]\n#if C\n  [D]\n#endif\n  int e;\n}\n",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn a_base_stays_without_its_condition() {
        let text = "class A : B\n#if C\n    , D\n#else\n    , E\n#endif\n{\n}\n";
        assert_eq!(masked(text), "class A : B\n     \n    , D\n     \n       \n      \n{\n}\n");
    }

    #[test]
    fn a_statement_that_goes_on() {
        let text = "if (a)\n{\n}\n#if B\nelse if (c)\n{\n}\n#endif\nelse\n{\n}\n";
        assert_eq!(masked(text), "if (a)\n{\n}\n     \nelse if (c)\n{\n}\n      \nelse\n{\n}\n");
    }

    #[test]
    fn half_a_type_in_each_branch() {
        let text = "#if A\nclass B : C {\n#else\nclass B {\n#endif\n  int d;\n}\n";
        assert_eq!(masked(text), "     \nclass B : C {\n     \n         \n      \n  int d;\n}\n");
    }

    #[test]
    fn conditions_in_conditions() {
        let text = "f(a\n#if B\n, b\n#if C\n, c\n#endif\n#else\n#if D\n, d\n#endif\n#endif\n);\n";
        assert_eq!(masked(text).split_whitespace().collect::<Vec<_>>(), ["f(a", ",", "b", ",", "c", ");"]);
    }
}
