//! Literals that are given to something named like a secret: `password = "…"`, `"apiKey": "…"`, `DB_TOKEN=…`.
//!
//! One pass over the bytes without any grammar. It remembers whether the last name was that of a secret and whether an operator
//! that gives or compares a value has followed; a literal after that is masked.

use std::ops::Range;

use super::MASK;

/// How the names of secrets end, in lower case without the marks between words.
const ENDINGS: &[&str] = &[
    "accesskey",
    "accountkey",
    "apikey",
    "authkey",
    "authtoken",
    "connectionstring",
    "credential",
    "credentials",
    "encryptionkey",
    "licensekey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "sharedkey",
    "signingkey",
    "token",
];

/// The last three letters of those.
const LAST_LETTERS: &[&[u8; 3]] =
    &[b"key", b"ken", b"ing", b"ial", b"als", b"ode", b"ase", b"swd", b"ord", b"pwd", b"ret"];

/// No shorter literal is masked.
const SHORTEST: usize = 4;
/// Names are no longer than this.
const LONGEST_NAME: usize = 80;

/// What was read last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing that matters.
    Idle,
    /// A secret's name; whether it is the first argument of a call.
    Named { argument: bool },
    /// And an operator that gives it a value. `fresh`: nothing has come since.
    Given { fresh: bool, depth: u32 },
}

/// Whether any name in a text may be that of a secret: each of [`ENDINGS`] has one of these pieces. Most texts have none.
fn may_name(bytes: &[u8]) -> bool {
    const RARE: [bool; 256] = {
        let mut table = [false; 256];
        let letters = b"kKwWcCpPsS";
        let mut at = 0;
        while at < letters.len() {
            table[letters[at] as usize] = true;
            at += 1;
        }
        table
    };
    let is = |at: Option<usize>, wanted: &[u8]| {
        let found = at.and_then(|at| bytes.get(at..at + wanted.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(wanted))
    };
    bytes.iter().enumerate().any(|(at, &byte)| {
        RARE[byte as usize]
            && match byte.to_ascii_lowercase() {
                b'k' => is(Some(at), b"key") || is(Some(at), b"ken"),
                b'w' => {
                    is(at.checked_sub(1), b"pwd")
                        || is(at.checked_sub(1), b"swd")
                        || is(at.checked_sub(1), b"swo")
                }
                b'c' => is(Some(at), b"cre") || is(Some(at), b"code"),
                b'p' => is(Some(at), b"phrase"),
                _ => is(Some(at), b"string") || is(Some(at), b"secr") || is(at.checked_sub(1), b"pass"),
            }
    })
}

/// Adds what is found.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    if !may_name(bytes) {
        return;
    }
    let mut state = State::Idle;
    let mut at = 0;
    // The last byte that is no white space, before `at`.
    let mut before = b'\n';
    // Whether a line has ended since the operator: only a literal is its value then, not a bare word.
    let mut below = false;
    // Whether what comes next is the name of a macro: its value follows without an operator.
    let mut defines = false;
    // The quote of a text on this line that has begun and not ended: the next one of its kind ends it.
    let mut open: Option<u8> = None;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            // A lifetime.
            b'\'' if matches!(before, b'&' | b'<' | b'+') || is_apostrophe(bytes, at) => at += 1,
            b'"' | b'\'' if open == Some(byte) && before != b'\\' => {
                open = None;
                state = State::Idle;
                at += 1;
            }
            b'"' | b'\'' | b'`' => {
                if let State::Given { fresh, depth } = state {
                    let (content, end) = literal(text, at);
                    let value = text.get(content.clone()).unwrap_or_default();
                    let direct = fresh || depth == 0;
                    let begins = matches!(before, b'=' | b'(' | b',') || before == b':' && !below;
                    if value.contains('\n') && !(fresh && begins)
                        || !value.bytes().any(|b| b.is_ascii_alphanumeric())
                    {
                        // The end of a text that spoke of a secret, rather than the beginning of one.
                        at += 1;
                        state = State::Idle;
                        continue;
                    }
                    if if direct { value.len() >= SHORTEST } else { looks_random(value) } {
                        found.push(content);
                        at = end;
                    } else if value.len() < SHORTEST {
                        at = end;
                    } else {
                        at += 1;
                    }
                    state = State::Given { fresh: false, depth };
                } else if let Some(end) = quoted_name(bytes, at) {
                    let name = bytes.get(at + 1..end).unwrap_or_default();
                    let argument = before == b'(';
                    state = if is_secret(name) { State::Named { argument } } else { State::Idle };
                    at = end + 1;
                } else {
                    let triple = bytes.get(at + 1) == Some(&byte) && bytes.get(at + 2) == Some(&byte);
                    if !triple && byte != b'`' && open.is_none() {
                        open = Some(byte);
                    }
                    at += if triple { 3 } else { 1 };
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => {
                while bytes.get(at).is_some_and(|b| is_name(*b)) {
                    at += 1;
                }
                let name = bytes.get(start..at).unwrap_or_default();
                let prefix = name.len() <= 3 && matches!(bytes.get(at), Some(b'"' | b'\'' | b'#' | b'`'));
                state = match state {
                    // A string's prefix: `b"…"`, `r#"…"#`.
                    State::Given { .. } if prefix => state,
                    State::Given { fresh: true, .. }
                        if !below && !is_secret(name) && unquoted(text, start).is_some() =>
                    {
                        let end = unquoted(text, start).unwrap_or(at);
                        found.push(start..end);
                        at = end;
                        State::Idle
                    }
                    // A wrapper around the value: `Secret("…")`.
                    State::Given { depth, .. } if bytes.get(at) == Some(&b'(') => {
                        State::Given { fresh: false, depth }
                    }
                    _ if is_secret(name) && defines => State::Given { fresh: true, depth: 0 },
                    _ if is_secret(name) => State::Named { argument: false },
                    State::Given { depth, .. } => State::Given { fresh: false, depth },
                    _ => State::Idle,
                };
                defines = before == b'#' && name == b"define";
                below &= !defines;
            }
            b'0'..=b'9' => {
                let end = unquoted(text, start);
                match (state, end) {
                    (State::Given { fresh: true, .. }, Some(end)) if !below => {
                        found.push(start..end);
                        at = end;
                        state = State::Idle;
                    }
                    _ => {
                        while bytes.get(at).is_some_and(|b| is_name(*b)) {
                            at += 1;
                        }
                    }
                }
            }
            b'=' | b':' | b'!' | b'>' | b'?' | b'~' => {
                // `::` joins names, `):` ends a header, and some are operators only beside another.
                let (last, next) = (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at + 1));
                let path = match byte {
                    b':' => next == Some(&b':') || matches!(before, b':' | b')'),
                    b'!' => next != Some(&b'='),
                    b'>' => !matches!(last, Some(b'=' | b'-')),
                    b'?' => !matches!(next, Some(b':' | b'?' | b'=')) && last != Some(&b'?'),
                    b'~' => next != Some(&b'=') && last != Some(&b'='),
                    _ => false,
                };
                below = false;
                state = match state {
                    State::Named { .. } if !path => State::Given { fresh: true, depth: 0 },
                    State::Given { depth, .. } if !path => State::Given { fresh: true, depth },
                    _ => state,
                };
                at += 1;
            }
            b',' => {
                below = false;
                state = match state {
                    State::Named { argument: true } => State::Given { fresh: true, depth: 0 },
                    State::Given { depth, .. } if depth > 0 => state,
                    _ => State::Idle,
                };
                at += 1;
            }
            b'(' | b'[' | b'{' => {
                state = match state {
                    // A value in brackets of its own is as good as one without.
                    State::Given { fresh: true, depth } if byte == b'(' => {
                        State::Given { fresh: true, depth }
                    }
                    State::Given { depth, .. } if byte == b'(' => {
                        State::Given { fresh: false, depth: depth + 1 }
                    }
                    _ => State::Idle,
                };
                at += 1;
            }
            b')' => {
                state = match state {
                    State::Given { depth, .. } if depth > 0 => {
                        State::Given { fresh: false, depth: depth - 1 }
                    }
                    State::Named { .. } => state,
                    _ => State::Idle,
                };
                at += 1;
            }
            b']' => {
                // `config["password"] = …`.
                state = if matches!(state, State::Named { .. }) { state } else { State::Idle };
                at += 1;
            }
            b'}' | b';' => {
                state = State::Idle;
                at += 1;
            }
            b'\n' => {
                // A value may stand on the line after its operator.
                below = true;
                open = None;
                state = match state {
                    State::Given { fresh: true, .. } => state,
                    State::Given { depth, .. } if depth > 0 => state,
                    _ => State::Idle,
                };
                at += 1;
            }
            // Masked before.
            b'*' if matches!(state, State::Given { fresh: true, .. })
                && bytes.get(at..).is_some_and(|rest| rest.starts_with(MASK.as_bytes())) =>
            {
                state = State::Idle;
                at += MASK.len();
            }
            _ => at += 1,
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
}

/// Whether the `'` at `at` stands within a word, as in `don't`, rather than before or behind a text.
fn is_apostrophe(bytes: &[u8], at: usize) -> bool {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let word = bytes.get(..at).unwrap_or_default();
    let length = word.iter().rev().take(4).take_while(|b| is_name(**b)).count();
    // `b'…'` and the like begin a text.
    let prefix = length <= 2
        && word.get(at.saturating_sub(length)..).is_some_and(|it| it.iter().all(|b| b"bBrRuUfF".contains(b)));
    length > 0 && !prefix && letter(bytes.get(at + 1)) && letter(word.last())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// Whether a name ends as those of secrets do; digits at its end do not count.
fn is_secret(name: &[u8]) -> bool {
    let length = name.iter().rposition(u8::is_ascii_alphabetic).map_or(0, |last| last + 1);
    let name = name.get(..length).unwrap_or_default();
    // Nearly no name gets further than its last three letters.
    let Some(last) = name.last_chunk::<3>().map(|last| last.map(|b| b.to_ascii_lowercase())) else {
        return false;
    };
    if name.len() > LONGEST_NAME || !LAST_LETTERS.contains(&&last) {
        return false;
    }
    // The longest ending and the marks within it are in the last bytes.
    let tail = name.get(name.len().saturating_sub(40)..).unwrap_or_default();
    let folded: Vec<u8> =
        tail.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    ENDINGS.iter().any(|ending| folded.ends_with(ending.as_bytes()))
}

/// The end of a quoted name that begins at `at`, if it is one.
fn quoted_name(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes.get(at)?;
    let inside = bytes.get(at + 1..)?.iter().take(LONGEST_NAME);
    let length = inside.take_while(|b| is_name(**b) || matches!(b, b'-' | b'.')).count();
    (length > 0 && bytes.get(at + 1 + length) == Some(quote)).then_some(at + 1 + length)
}

/// The content of the literal that begins at `at`, and where it ends. One that is never closed ends with its line, or, if
/// it may have several, with the text.
fn literal(text: &str, at: usize) -> (Range<usize>, usize) {
    let bytes = text.as_bytes();
    let quote = bytes.get(at).copied().unwrap_or(b'"');
    let triple =
        bytes.get(at..at + 3).is_some_and(|three| three.iter().all(|b| *b == quote)) && quote != b'`';
    let width = if triple { 3 } else { 1 };
    let start = at + width;
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let closes = byte == quote
            && (!triple || bytes.get(end..end + 3).is_some_and(|three| three.iter().all(|b| *b == quote)));
        if closes {
            return (start..end, end + width);
        }
        if byte == b'\n' && !triple && quote != b'`' {
            return (start..end, end);
        }
        // An escaped line end stays one.
        let escaped = byte == b'\\' && bytes.get(end + 1).is_some_and(|next| *next != b'\n');
        end += if escaped { 2 } else { 1 };
    }
    let end = end.min(text.len());
    (start.min(end)..end, end)
}

/// The end of a bare value that looks random, as in shell scripts and comments. Names, calls and paths are none.
fn unquoted(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let is_value = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'+' | b'/' | b'=' | b'!' | b'@' | b'%' | b'^' | b'*' | b'#')
    };
    let length = rest.bytes().take_while(|b| is_value(*b)).count();
    let value = rest.get(..length)?;
    let next = rest.as_bytes().get(length);
    let code = matches!(next, Some(b'(' | b'.' | b'[' | b':' | b'<' | b'"' | b'\''));
    // Of a text that was cut off here this may be the beginning of one.
    let cut = length > 0 && rest.get(length..).is_some_and(|rest| rest.starts_with('…'));
    (!code && (cut || looks_random(value)) && !is_own_id(value)).then_some(at + length)
}

/// Whether that is one of the daemon's own ids, versions or etags, which stand behind all sorts of words in answers.
fn is_own_id(value: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let behind = |marks: &[&str], mark: char, most: usize| {
        value.split_once(mark).is_some_and(|(first, rest)| {
            marks.contains(&first) && (10..=most).contains(&rest.len()) && digits(rest)
        })
    };
    behind(&["s", "h", "sp", "m", "art", "as", "f", "op"], '_', 24)
        || behind(&["minimal", "signature", "deps", "compact", "full"], '-', 10)
        || value.strip_prefix('v').is_some_and(|n| n.len() == 13 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Letters and digits mixed, of one piece, as no word is.
fn looks_random(value: &str) -> bool {
    value.len() >= 8
        && !value.contains(char::is_whitespace)
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ending_is_overlooked_on_the_quick_way() {
        for ending in ENDINGS {
            assert!(may_name(ending.as_bytes()) && may_name(ending.to_uppercase().as_bytes()), "{ending}");
            assert!(
                is_secret(ending.as_bytes()) && is_secret(format!("MY_{ending}_2").as_bytes()),
                "{ending}"
            );
        }
        assert!(!may_name(b"def total(items: list) -> int") && !is_secret(b"items"));
    }
}
