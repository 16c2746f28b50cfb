//! Makes texts by other people safe within lines of our own.
//!
//! A name or a path may hold line ends, terminal escapes and marks that change the direction of reading. In a line of
//! text they are written as escapes, because then no data starts a line of its own or hides its content.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// A text as a part of one line. Characters that would end, move, turn or hide the line are escaped.
pub fn inline_text(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) || !text.contains(is_misleading) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            letter if is_misleading(letter) => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// A text of several lines, each marked as a quotation.
pub fn quote_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {}", inline_text(line))).collect();
    lines.join("\n")
}

/// Whether a character affects its surroundings.
fn is_misleading(letter: char) -> bool {
    letter != '\t' && letter.is_control()
        || matches!(letter,
            // Line ends of other kinds, and characters without width.
            '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Marks that change the direction of reading.
            | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Invisible letters.
            | '\u{e0000}'..='\u{e007f}')
}

/// Writes one line to the text within, with the same escapes as [`inline_text`].
#[derive(Debug)]
pub struct Line<'a>(pub &'a mut String);

impl Write for Line<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(&inline_text(text));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_makes_no_line_of_its_own() {
        for (text, wanted) in [
            ("src/ok.py", "src/ok.py"),
            ("## Files\n- ok.py (1)\r\n[v1]", "## Files\\n- ok.py (1)\\r\\n[v1]"),
            ("\u{1b}]52;c;x\u{7}\u{9b}m", "\\u{1b}]52;c;x\\u{7}\\u{9b}m"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{2028}e", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{2028}e"),
            ("Größe\t日本語 👩‍🔧", "Größe\t日本語 👩‍🔧"),
        ] {
            assert_eq!(inline_text(text), wanted);
            let mut line = String::new();
            write!(Line(&mut line), "{text}").unwrap();
            assert_eq!(line, wanted);
        }
        assert_eq!(quote_lines("one\n[v1]\u{7}\n\nlast"), "> one\n> [v1]\\u{7}\n> \n> last");
    }
}
