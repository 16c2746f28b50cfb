//! Folding source text into short texts: signatures, invariants, documentation.

/// Longest signature.
pub const MAX_SIGNATURE: usize = 600;
/// Longest invariant.
pub const MAX_INVARIANT: usize = 120;
/// Longest documentation.
pub const MAX_DOC: usize = 1_000;

/// `text` cut at a character boundary so that it has at most `max` bytes, with an ellipsis if anything was cut.
pub fn truncate_text(text: &mut String, max: usize) {
    if text.len() <= max {
        return;
    }
    text.truncate(text.floor_char_boundary(max.saturating_sub('…'.len_utf8())));
    text.truncate(text.trim_end().len());
    text.push('…');
}

/// Appends `text` to `out` as one line: each run of white space becomes one space, none after an opening or before a
/// closing bracket or a comma. Stops soon after `max` bytes.
pub fn fold_into(out: &mut String, text: &str, max: usize) {
    let mut gap = false;
    for c in text.chars() {
        if out.len() > max {
            break;
        }
        if c.is_whitespace() || (c == '\\' && gap) {
            gap = true;
            continue;
        }
        if gap {
            gap = false;
            let open = out.ends_with(['(', '[', '{', ' ']) || out.is_empty();
            // A trailing comma before a closing bracket is dropped, so that `f(a, b,)` and `f(a, b)` look alike.
            if matches!(c, ')' | ']') && out.trim_end().ends_with(',') {
                out.truncate(out.trim_end().len() - 1);
            } else if !open && !matches!(c, ')' | ']' | ',') {
                out.push(' ');
            }
        }
        out.push(c);
    }
    if gap && !out.is_empty() && !out.ends_with([' ', '(', '[', '{']) {
        out.push(' ');
    }
}

/// `text` as one line of at most `max` bytes.
pub fn fold_line(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max + 8));
    fold_into(&mut out, text, max);
    out.truncate(out.trim_end().len());
    truncate_text(&mut out, max);
    out
}

/// A doc comment without its marks: line and block comment marks, leading asterisks, common indentation. First
/// paragraphs, at most [`MAX_DOC`] bytes. None if the rest is empty.
pub fn clean_comment(text: &str) -> Option<String> {
    let mut lines = Vec::new();
    for line in text.lines().take(200) {
        let mut line = line.trim();
        for mark in ["/**", "/*!", "/*", "///", "//!", "//", "#:", "#!", "#", "*/", "*", "---", "--"] {
            if let Some(rest) = line.strip_prefix(mark) {
                line = rest;
                break;
            }
        }
        line = line.strip_suffix("*/").unwrap_or(line);
        // Rulers (`-----`, `=====`) have no meaning.
        let ruler = !line.is_empty() && !line.chars().any(char::is_alphanumeric);
        lines.push(if ruler { "" } else { line.strip_prefix(' ').unwrap_or(line).trim_end() });
    }
    join_paragraphs(lines.into_iter())
}

/// A docstring's text (without its quotes) with the common indentation removed. First paragraphs, at most
/// [`MAX_DOC`] bytes. None if it is empty.
pub fn clean_docstring(text: &str) -> Option<String> {
    let indent = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines = text
        .lines()
        .take(200)
        .enumerate()
        .map(|(i, line)| if i == 0 { line.trim() } else { line.get(indent..).unwrap_or("").trim_end() });
    join_paragraphs(lines)
}

/// Joins whole paragraphs while they fit; the first one is cut if it alone does not.
fn join_paragraphs<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut out = String::new();
    let mut whole = 0;
    for line in lines {
        if line.trim().is_empty() {
            whole = out.trim_end().len();
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if out.trim_end().len() > MAX_DOC {
            if whole > 0 {
                out.truncate(whole);
            }
            break;
        }
    }
    out.truncate(out.trim_end().len());
    truncate_text(&mut out, MAX_DOC);
    (!out.is_empty()).then_some(out)
}

/// The longest prefix of names that code makes up.
const MAX_PREFIX: usize = 40;

/// `text`, if names of members that code makes up may begin with it: `visit_` of `"visit_" + kind`.
pub fn hook_prefix(text: &str) -> Option<&str> {
    let is_name = |text: &str| {
        let mut chars = text.chars();
        let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
        chars.next().is_some_and(|first| is_word(first) && !first.is_numeric()) && chars.all(is_word)
    };
    let says_something = text.len() > 1 && text.chars().any(char::is_alphabetic);
    (text.len() <= MAX_PREFIX && says_something && is_name(text)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        assert_eq!(fold_line("def f(\n    a,\n    b = 1,\n)  -> int", 80), "def f(a, b = 1) -> int");
        assert_eq!(fold_line("abcdefgh", 6), "abc…");
        assert_eq!(fold_line("ääää", 6), "ä…");
    }

    #[test]
    fn comments() {
        assert_eq!(clean_comment("/**\n * Adds.\n *\n * Slowly.\n */").as_deref(), Some("Adds.\n\nSlowly."));
        assert_eq!(clean_comment("// ------\n// One\n//   two").as_deref(), Some("One\n  two"));
        assert_eq!(clean_comment("--- One\n-- two\n---three").as_deref(), Some("One\ntwo\nthree"));
        assert_eq!(clean_comment("#"), None);
    }

    #[test]
    fn docstrings() {
        assert_eq!(
            clean_docstring("One.\n\n    Two\n      three\n    ").as_deref(),
            Some("One.\n\nTwo\n  three")
        );
        let long = format!("First.\n\n{}\n\nLast.", "x".repeat(2_000));
        assert_eq!(clean_docstring(&long).as_deref(), Some("First."));
    }
}
