//! Tokens of C, coarse.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokKind {
    Word,
    /// A number, a text or a character.
    Literal,
    /// A directive of the preprocessor, with its continuation lines.
    Directive,
    /// One byte of anything else.
    Punct(u8),
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tok {
    pub(super) kind: TokKind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it is the first one of its line.
    pub(super) first: bool,
}

/// The tokens of `bytes`, without comments.
pub(super) fn lex_tokens(bytes: &[u8]) -> Vec<Tok> {
    let mut toks = Vec::with_capacity(bytes.len() / 4);
    let mut at = 0;
    let mut first = true;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let next = bytes.get(at + 1).copied();
        let kind = match byte {
            b'\n' => {
                first = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'\\' => {
                // A line continuation.
                at += if next == Some(b'\n') { 2 } else { 1 };
                continue;
            }
            b'/' if next == Some(b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            b'/' if next == Some(b'*') => {
                at = comment_end(bytes, at);
                continue;
            }
            b'#' if first => {
                at = directive_end(bytes, at);
                TokKind::Directive
            }
            b'"' | b'\'' => {
                at = text_end(bytes, at, byte);
                TokKind::Literal
            }
            b'0'..=b'9' => {
                at = word_end(bytes, at);
                TokKind::Literal
            }
            b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                at = word_end(bytes, at);
                let raw = bytes.get(at) == Some(&b'"') && bytes.get(at - 1) == Some(&b'R') && at - start <= 3;
                if raw {
                    at = raw_end(bytes, at);
                    TokKind::Literal
                } else {
                    TokKind::Word
                }
            }
            other => {
                at += 1;
                TokKind::Punct(other)
            }
        };
        toks.push(Tok { kind, start: start as u32, end: at.min(bytes.len()) as u32, first });
        first = false;
    }
    toks
}

fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

pub(super) fn comment_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 2;
    while at < bytes.len() {
        if bytes.get(at) == Some(&b'*') && bytes.get(at + 1) == Some(&b'/') {
            return at + 2;
        }
        at += 1;
    }
    bytes.len()
}

fn directive_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => {
                let two = bytes.get(at + 1) == Some(&b'\r') && bytes.get(at + 2) == Some(&b'\n');
                at += if two { 3 } else { 2 };
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = comment_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn text_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `R"mark(…)mark"`, from its quote on.
fn raw_end(bytes: &[u8], quote: usize) -> usize {
    let rest = bytes.get(quote + 1..).unwrap_or_default();
    let Some(open) = rest.iter().take(17).position(|byte| *byte == b'(') else { return quote + 1 };
    let mut close = vec![b')'];
    close.extend_from_slice(rest.get(..open).unwrap_or_default());
    close.push(b'"');
    let found = rest.windows(close.len()).position(|window| window == close.as_slice());
    found.map_or(bytes.len(), |found| quote + 1 + found + close.len())
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\'' | 0x80..);
    // An apostrophe is part of a number only.
    let number = rest.first().is_some_and(u8::is_ascii_digit);
    let len = rest.iter().take_while(is_part).take_while(|byte| number || **byte != b'\'').count();
    start + len.max(1)
}

/// The first comment of a directive's text from `at` on.
pub(super) fn comment_in(text: &[u8], mut at: usize) -> Option<usize> {
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => at = text_end(text, at, byte),
            b'/' if text.get(at + 1) == Some(&b'*') => return Some(at),
            _ => at += 1,
        }
    }
    None
}
