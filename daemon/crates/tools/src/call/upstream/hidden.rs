//! Characters that a reader can't see. They could tell a model what a person does not read.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character is invisible, turns the direction of the text, or controls a terminal. Line ends and tabs are none.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        c if c.is_control() => true,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        // Variation selectors can carry any text; the one that makes a picture of a sign stays.
        '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}' => true,
        _ => false,
    }
}

/// The text without them.
pub(crate) fn strip_hidden(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) {
        Cow::Owned(text.chars().filter(|c| !is_hidden(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with each of them written out, such as `\u{200b}`.
pub(crate) fn show_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || c == '\r' {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a text has hidden characters that its language does not need. Joiners between letters or pictures outside of ASCII
/// are part of writing, and so are marks of direction in a text with letters that run from right to left.
pub(crate) fn has_hidden(text: &str) -> bool {
    if !text.contains(is_hidden) {
        return false;
    }
    let is_right_to_left =
        || text.chars().any(|c| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fefc}'));
    let is_written = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_hidden(c));
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_part_of_writing = match c {
            '\u{200c}' | '\u{200d}' => is_written(before) && is_written(chars.peek().copied()),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => is_right_to_left(),
            _ => !is_hidden(c),
        };
        if !is_part_of_writing {
            return true;
        }
        before = Some(c);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writing_needs_is_not_hidden() {
        for text in ["plain\r\n\ttext", "👨‍👩‍👧 and ❤️‍🔥", "می‌خواهم", "שלום\u{200f}!", "क्‍ष"]
        {
            assert!(!has_hidden(text), "{text:?}");
        }
        for text in [
            "a\u{200b}b",
            "a\u{200d}b",
            "\u{202e}abc",
            "x\u{e0041}",
            "\u{1b}[8m",
            "soft\u{ad}hyphen",
            "a\u{200f}b",
            "👨\u{200d}\u{200d}👩",
            "\u{feff}",
            "a\u{fe01}",
        ] {
            assert!(has_hidden(text), "{text:?}");
        }
    }

    #[test]
    fn hidden_characters_are_shown_to_people() {
        assert_eq!(show_hidden("a\u{200b}b\u{1b}[8m\nc"), "a\\u{200b}b\\u{1b}[8m\nc");
        assert_eq!(strip_hidden("a\u{200b}b"), "ab");
    }
}
