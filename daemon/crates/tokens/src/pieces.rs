//! Splits a text into the pieces within which tokens are merged, as `o200k_base`'s pattern does:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! The pattern is tried at each position in that order; here each alternative is a few forward scans, so that the
//! whole is linear in the text's length whatever the text.

use crate::layout::{BLOCK, LOWER, MARK, NEWLINE, NUMBER, OTHER_LETTER, SPACE, UPPER};

static CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/blocks.bin"));

const LETTER: u8 = UPPER | LOWER | OTHER_LETTER;
/// What may be in the first half of a word.
const HEAD: u8 = UPPER | OTHER_LETTER | MARK;
/// What may be in the second half of a word.
const TAIL: u8 = LOWER | OTHER_LETTER | MARK;
/// The end of the text: in no class, and beyond every class.
const END: u8 = 1 << 7;

/// The pieces of a text, in order and without gaps.
pub(crate) struct Pieces<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The class of the character at a byte offset, and the offset after it.
    #[inline]
    fn class(&self, at: usize) -> (u8, usize) {
        let Some(&byte) = self.text.as_bytes().get(at) else { return (END, at) };
        if byte < 0x80 {
            return (class_of(u32::from(byte)), at + 1);
        }
        let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else { return (END, at) };
        (class_of(c as u32), at + c.len_utf8())
    }

    /// The offset of the first character from `at` on that is in none of `classes`.
    #[inline]
    fn skip(&self, mut at: usize, classes: u8) -> usize {
        loop {
            let (class, next) = self.class(at);
            if class & classes == 0 {
                return at;
            }
            at = next;
        }
    }

    /// The end of the word that starts at `from`, if one does.
    fn word(&self, from: usize) -> Option<usize> {
        let mut at = from;
        let mut last_shared = None;
        let after = loop {
            let (class, next) = self.class(at);
            if class & HEAD == 0 {
                break class;
            }
            if class & TAIL != 0 {
                last_shared = Some(next);
            }
            at = next;
        };
        if after & TAIL != 0 {
            return Some(self.skip(at, TAIL));
        }
        // By the first alternative the second half has at least one character: the first half gives back up to the
        // last that fits both. If none does, the second alternative takes the upper-case letters alone.
        last_shared.or_else(|| (at > from).then_some(at))
    }

    /// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d` at `at`, in any case; else `at`.
    fn contraction(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        if rest.first() != Some(&b'\'') {
            return at;
        }
        let lower = |i: usize| rest.get(i).map(u8::to_ascii_lowercase);
        match (lower(1), lower(2)) {
            (Some(b's' | b't' | b'm' | b'd'), _) => at + 2,
            (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => at + 3,
            // The long s is an s in any case.
            (Some(0xc5), Some(0xbf)) => at + 3,
            _ => at,
        }
    }

    /// The end of the piece that starts at `from`, which is not the end of the text.
    fn piece(&self, from: usize) -> usize {
        let (first, second) = self.class(from);
        // A mark may be the character before a word, but then it also starts one, which ends at the same place.
        let word = if first & (LETTER | MARK) != 0 {
            self.word(from)
        } else if first & (NUMBER | NEWLINE) == 0 {
            self.word(second)
        } else {
            None
        };
        if let Some(end) = word {
            return self.contraction(end);
        }
        if first & NUMBER != 0 {
            return self.number(second);
        }
        let sign = if self.text.as_bytes().get(from) == Some(&b' ') { second } else { from };
        let signs_end = self.signs(sign);
        if signs_end > sign {
            return signs_end;
        }
        self.space(from)
    }

    fn number(&self, mut at: usize) -> usize {
        for _ in 0..2 {
            let (class, next) = self.class(at);
            if class & NUMBER == 0 {
                break;
            }
            at = next;
        }
        at
    }

    fn signs(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let (class, next) = self.class(at);
            if class & (SPACE | LETTER | NUMBER | END) != 0 {
                break;
            }
            at = next;
        }
        if at > from {
            let bytes = self.text.as_bytes();
            while matches!(bytes.get(at), Some(b'\r' | b'\n' | b'/')) {
                at += 1;
            }
        }
        at
    }

    fn space(&self, from: usize) -> usize {
        let mut at = from;
        let mut last = from;
        let mut after_newline = None;
        let at_end = loop {
            let (class, next) = self.class(at);
            if class & SPACE == 0 {
                break class == END;
            }
            if class & NEWLINE != 0 {
                after_newline = Some(next);
            }
            last = at;
            at = next;
        };
        match after_newline {
            Some(end) => end,
            // The last blank before a word belongs to the word, unless it is the only one.
            None if at_end || last == from => at,
            None => last,
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let from = self.at;
        if from >= self.text.len() {
            return None;
        }
        // Every character is in one of the alternatives, so a piece is never empty; `max` makes that plain.
        self.at = self.piece(from).max(from + 1);
        self.text.as_bytes().get(from..self.at)
    }
}

#[inline]
fn class_of(c: u32) -> u8 {
    let block = BLOCKS.get(c as usize / BLOCK).copied().unwrap_or(0);
    CLASSES.get(block as usize * BLOCK + c as usize % BLOCK).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        Pieces::new(text).map(|piece| std::str::from_utf8(piece).unwrap()).collect()
    }

    #[test]
    fn code() {
        assert_eq!(
            split("  let HTTPServer2 = getName();\n\n\tx"),
            [" ", " let", " HTTPServer", "2", " =", " get", "Name", "();\n\n", "\tx"]
        );
    }

    #[test]
    fn camel_case_splits_before_upper_case() {
        assert_eq!(split("symbolId"), ["symbol", "Id"]);
        assert_eq!(split("ABC日本DEF"), ["ABC日本", "DEF"]);
    }

    #[test]
    fn blanks() {
        assert_eq!(split("a   b"), ["a", "  ", " b"]);
        assert_eq!(split("a \n \n  b"), ["a", " \n \n", " ", " b"]);
        assert_eq!(split("a  "), ["a", "  "]);
    }

    #[test]
    fn contractions_in_any_case() {
        assert_eq!(split("don't WE'LL it'ſ x'q"), ["don't", " WE'LL", " it'ſ", " x", "'q"]);
    }
}
