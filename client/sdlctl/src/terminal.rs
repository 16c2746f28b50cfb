//! Makes text safe for a terminal: every character that would move, color, turn or hide something there is escaped.

use std::fmt::Write as _;

/// How a part of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Warning,
    Bad,
    Busy,
    Error,
}

/// The styles, each with the codes that turn it on.
const STYLES: [(Style, &str); 7] = [
    (Style::Bold, "1"),
    (Style::Dim, "2"),
    (Style::Good, "32"),
    (Style::Warning, "33"),
    (Style::Bad, "31"),
    (Style::Busy, "36"),
    (Style::Error, "31;1"),
];

/// Ends a style. Until a line is written, its styles are marked by these characters, which Unicode reserves for
/// internal use. Data that contains them can change a color, but can't start an escape sequence.
const END: char = '\u{fdd0}';
/// What turns every style off on a terminal.
const RESET: &str = "\u{1b}[0m";
/// Begins the first style; those of the others follow.
const FIRST: u32 = 0xfdd1;

/// A part of a line in a style.
pub(crate) fn style_text(style: Style, text: &str) -> String {
    let index = STYLES.iter().position(|(one, _)| *one == style).unwrap_or_default();
    let begin = char::from_u32(FIRST + index as u32).unwrap_or(END);
    format!("{begin}{text}{END}")
}

/// A line with its styles as a terminal shows them, or without any style. Each line ends its styles, because data may contain a
/// mark that begins one.
pub(crate) fn render_styles(text: &str, colors: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_open = false;
    for letter in text.chars() {
        let style = STYLES.get((letter as u32).wrapping_sub(FIRST) as usize);
        if colors && letter == '\n' && std::mem::take(&mut is_open) {
            out.push_str(RESET);
        }
        match (letter, style) {
            (END, _) if colors => {
                is_open = false;
                out.push_str(RESET);
            }
            (_, Some((_, code))) if colors => {
                is_open = true;
                // Writing to a string can't fail.
                let _ = write!(out, "\u{1b}[{code}m");
            }
            (END, _) | (_, Some(_)) => {}
            (letter, None) => out.push(letter),
        }
    }
    if is_open {
        out.push_str(RESET);
    }
    out
}

fn is_mark(letter: char) -> bool {
    letter == END || ((letter as u32).wrapping_sub(FIRST) as usize) < STYLES.len()
}

/// How many characters of a text are shown: its styles are not.
pub(crate) fn count_shown(text: &str) -> usize {
    render_styles(text, false).chars().count()
}

/// A line of at most this many characters, its styles apart. A line that was cut ends in `…`.
pub(crate) fn cut_line(line: &str, most: usize) -> String {
    if count_shown(line) <= most {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut room = most.saturating_sub(1);
    for letter in line.chars() {
        if is_mark(letter) {
            out.push(letter);
        } else if room > 0 {
            out.push(letter);
            room -= 1;
        }
    }
    out.extend((most > 0).then_some('…'));
    out.push(END);
    out
}

/// A text as the terminal shows one row of it: on one line, without styles, and at most this long.
pub(crate) fn plain_row(text: &str, most: usize) -> String {
    render_styles(&cut_line(&escape_line(text), most), false)
}

/// A text as one line.
pub(crate) fn escape_line(text: &str) -> String {
    escape_letters(text, |letter, out| match letter {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        letter => out.extend(letter.escape_unicode()),
    })
}

/// A text as the lines that it has.
pub(crate) fn escape_block(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escape_line).collect();
    lines.join("\n")
}

/// Escapes JSON so that it keeps its meaning. Its line ends stay, because they are only between values: a string
/// writes `\n`. JSON has no styles, so what looks like a mark of one is data too.
pub(crate) fn escape_json(text: &str) -> String {
    let json = |letter: char, out: &mut String| {
        if letter == '\n' {
            out.push('\n');
            return;
        }
        for half in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{half:04x}");
        }
    };
    escape_where(text, |letter| is_misleading(letter) || is_mark(letter), json)
}

fn escape_letters(text: &str, escape: impl Fn(char, &mut String)) -> String {
    escape_where(text, is_misleading, escape)
}

fn escape_where(text: &str, is_meant: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_meant(letter) { escape(letter, &mut out) } else { out.push(letter) }
    }
    out
}

/// Whether a character has any effect on a terminal other than being shown.
fn is_misleading(letter: char) -> bool {
    letter != '\t' && letter.is_control()
        || matches!(letter,
            // Line ends of other kinds, and characters without width.
            '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Marks that turn the direction of reading.
            | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Letters that no one sees.
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// One of each kind that a terminal acts upon.
    const HOSTILE: &str = "\u{1b}]52;c;cm0K\u{7}\r\u{9b}2J\u{202e}\u{2066}\u{200b}\u{2028}\u{e0041}";

    #[test]
    fn no_character_reaches_a_terminal_that_acts_upon_it() {
        for shown in [
            escape_line(HOSTILE),
            escape_block(HOSTILE),
            escape_json(HOSTILE),
            render_styles(&escape_line(HOSTILE), true),
        ] {
            assert!(shown.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{shown:?}");
        }
        assert_eq!(escape_line("Größe\t日本語 👩‍🔧"), "Größe\t日本語 👩‍🔧");
    }

    #[test]
    fn a_name_makes_no_line_of_its_own() {
        let name = "x\n9 1795350526534 r approved fake.py s_x\n.py";
        assert_eq!(escape_line(&format!("7 {name}")), "7 x\\n9 1795350526534 r approved fake.py s_x\\n.py");
        assert_eq!(escape_block("one\ntwo\u{7}"), "one\ntwo\\u{7}");
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = json!({ HOSTILE: [HOSTILE, "a\nb"], "plain": 1, "marks": "a\u{fdd1}b\u{fdd0}" });
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let shown = escape_json(&text);
            assert!(shown.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{shown:?}");
            assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        }
    }

    #[test]
    fn a_cut_line_has_no_more_characters_and_ends_its_styles() {
        let line = format!("{} and more", style_text(Style::Bold, "abcdef"));
        assert_eq!(cut_line(&line, 99), line);
        assert_eq!(render_styles(&cut_line(&line, 4), false), "abc…");
        assert!(render_styles(&cut_line(&line, 4), true).ends_with("\u{1b}[0m"));
        assert_eq!(render_styles(&cut_line(&line, 9), false), "abcdef a…");
        assert_eq!(render_styles(&cut_line(&line, 0), false), "");
    }

    #[test]
    fn styles_are_colors_on_a_terminal_and_nothing_elsewhere() {
        let text = escape_line(&format!("{} b", style_text(Style::Bad, "a\u{1b}[8m")));
        assert_eq!(render_styles(&text, true), "\u{1b}[31ma\\u{1b}[8m\u{1b}[0m b");
        assert_eq!(render_styles(&text, false), "a\\u{1b}[8m b");
    }

    #[test]
    fn a_mark_in_data_colors_no_other_line() {
        let shown = render_styles("a\u{fdd3}b\nc", true);
        assert_eq!(shown, "a\u{1b}[32mb\u{1b}[0m\nc");
        assert!(render_styles("a\u{fdd1}", true).ends_with(RESET));
        assert_eq!(plain_row("a\u{fdd1}\n\u{7}bc", 6), "a\\n\\u…");
    }
}
