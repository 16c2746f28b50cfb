//! Secrets that are recognized by the words before them: `Authorization: Bearer V`, `IDENTIFIED BY 'V'`,
//! `curl -u name:V`, `mysql -pV`.

use std::ops::Range;

use super::names::Sort;
use super::quotes::{self, Quote};
use super::values::{self, Named};

/// How many bytes before a word are searched for its meaning.
const LOOKED_AT: usize = 200;

/// Whether a run may be a word that something follows. Nearly none is.
#[inline]
pub(super) fn may_begin(first: u8, length: usize) -> bool {
    match first {
        b'-' => length >= 2,
        b'b' | b'B' => matches!(length, 2 | 5 | 6),
        b't' => length == 5,
        _ => false,
    }
}

/// The secret that follows the run at `run`, or is its end.
pub(super) fn find_phrase(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let word = text.as_bytes().get(run.clone())?;
    let first = word.first()?;
    match (first, word.len()) {
        (b'b' | b'B', 2) if word.eq_ignore_ascii_case(b"by") => identified_secret(text, run),
        (b'b' | b'B', 5 | 6)
            if word.eq_ignore_ascii_case(b"basic") || word.eq_ignore_ascii_case(b"bearer") =>
        {
            authorization_secret(text, run, word.len() == 5)
        }
        (b't', 5) if word == b"token" && line_says(text, run.start, 20, &["uthorization"]) => {
            authorization_secret(text, run, false)
        }
        (b'-', 2) if word == b"-u" => account_password(text, run),
        (b'-', 6) if word == b"--user" => account_password(text, run),
        (b'-', 2) if word == b"-p" && line_says(text, run.start, LOOKED_AT, &["sshpass"]) => {
            shell_word(text, run.end + 1)
        }
        (b'-', 3..)
            if word.starts_with(b"-p") && line_says(text, run.start, LOOKED_AT, &["mysql", "mariadb"]) =>
        {
            shell_word(text, run.start + 2)
        }
        _ => None,
    }
}

/// Whether the line before `at` has one of these words, at most `most` bytes before.
fn line_says(text: &str, at: usize, most: usize, words: &[&str]) -> bool {
    let before = text.get(text.ceil_char_boundary(at.saturating_sub(most))..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    words.iter().any(|word| line.contains(word))
}

/// Finds the secret after `IDENTIFIED BY`, in quotes.
fn identified_secret(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let upper = line_says(text, run.start, 60, &["IDENTIFIED "]);
    let lower = line_says(text, run.start, 60, &["identified "])
        && line_says(text, run.start, LOOKED_AT, &["user", "role"]);
    if !upper && !lower {
        return None;
    }
    let gap = text.get(run.end..)?.bytes().take_while(|b| *b == b' ').count();
    let at = run.end + gap;
    let quote = Quote::at(text.as_bytes(), at)?;
    let (content, _) = quotes::read_literal(text, at, quote);
    let named = Named { sort: Sort::Secret, name: b"identified", beside: false };
    named.takes(text.get(content.clone())?).then_some(content)
}

/// Finds the secret after `Bearer` or `Basic`.
fn authorization_secret(text: &str, run: Range<usize>, basic: bool) -> Option<Range<usize>> {
    let rest = text.get(run.end..)?.strip_prefix(' ')?;
    let is_value =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'=' | b'/' | b'+' | b'~');
    let length = rest.bytes().take_while(|b| is_value(*b)).count();
    let value = rest.get(..length)?;
    let value = value.trim_end_matches('.');
    let sure = line_says(text, run.start, 32, &["uthorization", "UTHORIZATION"]);
    let masked = if basic { is_account(value) } else { values::looks_random(value) };
    let speaks = ["token", "key", "jwt", "auth", "your", "secret", "credential", "realm", "scheme", "xxx"];
    let lower = || value.get(..value.len().min(40)).unwrap_or_default().to_ascii_lowercase();
    let masked = masked
        || sure && value.len() >= values::SHORTEST && !speaks.iter().any(|word| lower().contains(word));
    masked.then(|| run.end + 1..run.end + 1 + value.len())
}

/// Whether a word is a name, a colon and a password in base64.
fn is_account(word: &str) -> bool {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let word = word.trim_end_matches('=');
    let (mut bits, mut held, mut colons) = (0_u32, 0_u32, 0);
    for byte in word.bytes().take(LOOKED_AT) {
        let Some(six) = value(byte) else { return false };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = (bits >> held & 0xff) as u8;
            if !(b' '..=b'~').contains(&byte) {
                return false;
            }
            colons += u32::from(byte == b':');
        }
    }
    word.len() >= 6 && colons > 0
}

/// Finds the password after the colon in `curl -u name:V`.
fn account_password(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    if !line_says(text, run.start, LOOKED_AT, &["curl", "wget", "http "]) {
        return None;
    }
    let value = shell_word(text, run.end + 1)?;
    let (name, password) = text.get(value.clone())?.split_once(':')?;
    is_plausible(password).then_some(value.start + name.len() + 1..value.end)
}

/// The word of a command line that begins at `at`, without its quotes.
fn shell_word(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.floor_char_boundary(at + LOOKED_AT))?;
    let start = at + rest.bytes().take_while(|b| matches!(b, b'"' | b'\'' | b'\\')).count();
    let rest = text.get(start..text.floor_char_boundary(start + LOOKED_AT))?;
    let length =
        rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | ',' | ')' | ']'));
    let value = rest.get(..length.unwrap_or(rest.len()))?;
    is_plausible(value).then_some(start..start + value.len())
}

/// Whether something is written out rather than filled in.
fn is_plausible(value: &str) -> bool {
    value.len() >= 3 && value != crate::MASK && !value.starts_with(['$', '{', '%', '<', '*'])
}
