//! Quoted texts, also those within another: `"get(\"PASSWORD\")"`.

use std::ops::Range;

use super::names;

/// No quote is escaped more often.
const DEEPEST: usize = 3;

/// A quote and the backslashes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) byte: u8,
    pub(super) escapes: usize,
}

impl Quote {
    /// The quote at `at`.
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let rest = bytes.get(at..)?;
        let escapes = rest.iter().take(DEEPEST).take_while(|b| **b == b'\\').count();
        let byte = *rest.get(escapes)?;
        matches!(byte, b'"' | b'\'' | b'`').then_some(Self { byte, escapes })
    }

    /// How many bytes it has.
    pub(super) fn width(self) -> usize {
        self.escapes + 1
    }
}

/// Whether a byte may be of a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The name between the quote at `at` and the next one of its kind, if there is nothing else.
pub(super) fn quoted_name(bytes: &[u8], at: usize, quote: Quote) -> Option<Range<usize>> {
    let start = at + quote.width();
    let inside = bytes.get(start..)?.iter().take(names::LONGEST);
    let end = start + inside.take_while(|b| is_name(**b) || matches!(b, b'-' | b'.')).count();
    (end > start && Quote::at(bytes, end) == Some(quote)).then_some(start..end)
}

/// The content of the literal that begins at `at`, and where it ends. One that is never closed ends with its line, or, if
/// it may have several, with the text.
pub(super) fn read_literal(text: &str, at: usize, quote: Quote) -> (Range<usize>, usize) {
    let bytes = text.as_bytes();
    let three = |at: usize| bytes.get(at..at + 3).is_some_and(|three| three.iter().all(|b| *b == quote.byte));
    let triple = quote.escapes == 0 && quote.byte != b'`' && three(at);
    let width = if triple { 3 } else { quote.width() };
    let start = at + width;
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let closes = if quote.escapes > 0 {
            // An unescaped quote of the same kind ends the text around this one.
            if byte == quote.byte {
                return (start..end, end);
            }
            byte == b'\\' && Quote::at(bytes, end) == Some(quote)
        } else {
            byte == quote.byte && (!triple || three(end))
        };
        if closes {
            return (start..end, end + width);
        }
        if byte == b'\n' && !triple && quote.byte != b'`' {
            return (start..end, end);
        }
        // An escaped line end stays one.
        let escaped = byte == b'\\' && bytes.get(end + 1).is_some_and(|next| *next != b'\n');
        end += if escaped { 2 } else { 1 };
    }
    let end = end.min(text.len());
    (start.min(end)..end, end)
}

/// Whether the `'` at `at` is within a word, as in `don't`, and neither before nor after a text.
pub(super) fn is_apostrophe(bytes: &[u8], at: usize) -> bool {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let word = bytes.get(..at).unwrap_or_default();
    let length = word.iter().rev().take(4).take_while(|b| is_name(**b)).count();
    // `b'…'` and the like begin a text.
    let prefix = length <= 2
        && word.get(at.saturating_sub(length)..).is_some_and(|it| it.iter().all(|b| b"bBrRuUfF".contains(b)));
    length > 0 && !prefix && letter(bytes.get(at + 1)) && letter(word.last())
}
