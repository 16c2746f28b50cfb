//! Secrets that are recognized by their form: tokens of known makers, private keys, passwords in addresses, long random
//! strings.

use std::ops::Range;

use super::makers::may_begin;
use super::{Level, addresses, keys, makers, phrases};

/// A run of this many letters and digits of all sorts is random, because no person chooses a name that long without
/// marks between its words.
const RANDOM: usize = 40;

/// The same limit for a run in quotes of its own.
const RANDOM_ALONE: usize = 24;
/// The longest run of hexadecimal digits that counts as a checksum: 64 digits are 256 bits. Longer runs are keys as
/// often.
const HEX: usize = 64;

/// Finds such secrets in `text` and adds their ranges to `found`.
pub(super) fn find_tokens(text: &str, level: Level, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // The end of the last private key.
    let mut behind = 0;
    // The runs of characters that tokens consist of, one after the other.
    while at < bytes.len() {
        let start = at;
        let mut begins = None;
        let mut before = b' ';
        while let Some(&byte) = bytes.get(at).filter(|byte| is_word(**byte)) {
            if !before.is_ascii_alphanumeric() && begins.is_none() && may_begin(byte, bytes.get(at + 1)) {
                begins = Some(at);
            }
            before = byte;
            at += 1;
        }
        if at - start >= makers::SHORTEST && (begins.is_some() || at - start >= RANDOM_ALONE) {
            scan_run(text, start..at, begins, level, found);
        }
        if before == b'N'
            && start >= behind
            && let Some(key) = keys::find_private_key(text, start..at)
        {
            behind = key.end;
            found.push(key);
        }
        if at > start && phrases::may_begin(bytes[start], at - start) && level == Level::Likely {
            found.extend(phrases::find_phrase(text, start..at));
        }
        match bytes.get(at) {
            Some(b':') => found.extend(addresses::find_in_url(text, at)),
            Some(b'@') => found.extend(addresses::of_driver(text, at)),
            _ => {}
        }
        at += 1;
    }
}

/// Scans a run that is not short. `begins` is where in it a known maker's token may begin.
fn scan_run(
    text: &str,
    run: Range<usize>,
    begins: Option<usize>,
    level: Level,
    found: &mut Vec<Range<usize>>,
) {
    let chars = text.get(run.clone()).unwrap_or_default();
    if let Some(begins) = begins {
        let cut = text.get(run.end..).is_some_and(|rest| rest.starts_with('…'));
        if let Some(token) = makers::token_start(chars, begins - run.start, cut) {
            // The rest of the word belongs to the token, or may.
            found.push(run.start + token..run.end);
        }
    }
    if makers::is_bot(chars) || chars.len() >= 35 && makers::is_bot_key(text.as_bytes(), run.start) {
        found.push(run.clone());
    }
    if level == Level::Likely {
        if is_random(chars) {
            found.extend(keys::last_line(text, run.clone()));
            found.push(run);
        } else if is_alone(text.as_bytes(), &run) && is_random_alone(chars) && !is_digest(text, &run, chars) {
            found.push(run);
        }
    }
}

fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'=' | b'/' | b'+');
        byte += 1;
    }
    table
};

/// Whether a word looks like the base64 of random bytes: long, of one piece, with capitals, small letters and digits
/// mixed.
fn is_random(word: &str) -> bool {
    let word = word.trim_end_matches('=');
    if word.len() < RANDOM || word.contains(['.', '-', '_']) || word.matches('/').count() * 16 > word.len() {
        return false;
    }
    let Mixture { upper, lower, digits, changes } = Mixture::of(word);
    upper >= 5 && lower >= 5 && digits >= 3 && changes * 5 >= word.len() * 2
}

/// Counts of the sorts of characters in a word.
struct Mixture {
    upper: usize,
    lower: usize,
    digits: usize,
    /// How often the sort changes, for example 5 times in `aB3xY9`. In names it changes rarely, at the beginnings of
    /// words.
    changes: usize,
}

impl Mixture {
    fn of(word: &str) -> Self {
        let count = |is: fn(&u8) -> bool| word.bytes().filter(is).count();
        let kind = |byte: u8| match byte {
            b'A'..=b'Z' => 0,
            b'a'..=b'z' => 1,
            b'0'..=b'9' => 2,
            _ => 3,
        };
        Self {
            upper: count(u8::is_ascii_uppercase),
            lower: count(u8::is_ascii_lowercase),
            digits: count(u8::is_ascii_digit),
            changes: word.bytes().zip(word.bytes().skip(1)).filter(|(a, b)| kind(*a) != kind(*b)).count(),
        }
    }
}

/// Whether a run is the whole text between two quotes.
fn is_alone(bytes: &[u8], run: &Range<usize>) -> bool {
    let quote = |byte: Option<&u8>| byte.copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    let opens = quote(run.start.checked_sub(1).and_then(|at| bytes.get(at)));
    let behind = bytes.get(run.end);
    let closes = quote(if behind == Some(&b'\\') { bytes.get(run.end + 1) } else { behind });
    opens.is_some() && opens == closes
}

/// Like `is_random`, for a run in quotes of its own, where names of many words, paths and addresses are rare.
fn is_random_alone(word: &str) -> bool {
    let word = word.trim_end_matches('=');
    let Mixture { upper, lower, digits, changes } = Mixture::of(word);
    let length = word.len();
    if upper + lower + digits == length {
        let is_hex = |b: u8| b.is_ascii_digit() || matches!(b, b'a'..=b'f');
        let is_small_hex = word.to_ascii_lowercase().bytes().all(is_hex) && (upper == 0 || lower == 0);
        return match () {
            () if is_small_hex => length >= HEX && is_varied(word),
            // Either all sorts, or two of them.
            () if upper >= 3 && lower >= 3 => digits >= 2 && changes * 5 >= length * 2,
            () => {
                length >= RANDOM_ALONE
                    && digits >= 4
                    && digits * 2 <= length
                    && changes * 4 >= length
                    && is_varied(word)
            }
        };
    }
    // The url-safe alphabet.
    let marks = word.bytes().filter(|b| matches!(b, b'-' | b'_')).count();
    let coded = marks + upper + lower + digits == length && marks * 8 <= length;
    coded && length >= RANDOM && upper >= 5 && lower >= 5 && digits >= 3 && changes * 5 >= length * 2
}

/// Whether a word has many different characters, unlike an alphabet in a test or a row of zeros.
fn is_varied(word: &str) -> bool {
    let mut seen = 0_u128;
    let mut steps = 0;
    for two in word.as_bytes().windows(2) {
        seen |= 1 << (two[0] & 127);
        // `0123456789abcdef`
        steps += usize::from(two[0].wrapping_add(1) == two[1] || two[0] == two[1]);
    }
    seen.count_ones() >= 10 && steps * 4 <= word.len()
}

/// Whether the line before a run of hexadecimal digits calls it a checksum.
fn is_digest(text: &str, run: &Range<usize>, word: &str) -> bool {
    const SAYS: &[&str] = &[
        "hash",
        "sha",
        "digest",
        "checksum",
        "integrity",
        "fingerprint",
        "commit",
        "etag",
        "blake",
        "md5",
        "sum",
    ];
    if !word.bytes().all(|b| b.is_ascii_hexdigit()) {
        return false;
    }
    let before =
        text.get(text.ceil_char_boundary(run.start.saturating_sub(120))..run.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().to_ascii_lowercase();
    SAYS.iter().any(|says| line.contains(says))
}
