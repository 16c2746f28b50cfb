//! Secrets that show by themselves: tokens of known makers, private keys, passwords in addresses, long random strings.

use std::ops::Range;

use super::{Level, MASK};

/// What follows the beginning of a known maker's token.
#[derive(Clone, Copy)]
enum Rest {
    /// At least so many characters, of which one is a digit or a capital: words joined by dashes have few of those.
    Mixed(usize),
    /// Just so many capitals and digits, and no small letter behind them.
    Capitals(usize),
    /// Somewhere a piece of at least so many letters and digits of several sorts: no word of a name is so long.
    Piece(usize),
    /// Three parts with dots between, as a signed token has.
    Parts,
}

/// How tokens of known makers begin.
const PREFIXES: &[(&str, Rest)] = &[
    ("AGE-SECRET-KEY-", Rest::Mixed(20)),
    ("AIza", Rest::Piece(16)),
    ("AKIA", Rest::Capitals(16)),
    ("ASIA", Rest::Capitals(16)),
    ("EAACEdEose0cBA", Rest::Mixed(0)),
    ("SG.", Rest::Piece(16)),
    ("dop_v1_", Rest::Piece(32)),
    ("eyJ", Rest::Parts),
    ("ghp_", Rest::Piece(20)),
    ("gho_", Rest::Piece(20)),
    ("ghu_", Rest::Piece(20)),
    ("ghs_", Rest::Piece(20)),
    ("ghr_", Rest::Piece(20)),
    ("github_pat_", Rest::Piece(16)),
    ("glpat-", Rest::Mixed(16)),
    ("hf_", Rest::Piece(20)),
    ("npm_", Rest::Piece(20)),
    ("pypi-", Rest::Piece(16)),
    ("rk_live_", Rest::Piece(16)),
    ("rk_test_", Rest::Piece(16)),
    ("shpat_", Rest::Piece(20)),
    ("shpss_", Rest::Piece(20)),
    ("sk_live_", Rest::Piece(16)),
    ("sk_test_", Rest::Piece(16)),
    ("sk-", Rest::Piece(16)),
    ("whsec_", Rest::Piece(16)),
    ("xapp-", Rest::Mixed(16)),
    ("xoxa-", Rest::Mixed(10)),
    ("xoxb-", Rest::Mixed(10)),
    ("xoxe-", Rest::Mixed(10)),
    ("xoxp-", Rest::Mixed(10)),
    ("xoxr-", Rest::Mixed(10)),
    ("xoxs-", Rest::Mixed(10)),
    ("ya29.", Rest::Mixed(20)),
];

/// No token of a known maker is shorter, nor is the beginning of one that was cut off.
const SHORTEST: usize = 8;
/// As much of what follows a prefix is looked at: no token is longer that does not show before.
const LOOKED_AT: usize = 300;
/// A run of this many letters and digits of all sorts is no name that a person gave.
const RANDOM: usize = 40;

/// Adds what is found.
pub(super) fn find(text: &str, level: Level, found: &mut Vec<Range<usize>>) {
    private_keys(text, found);
    addresses(text, found);
    let bytes = text.as_bytes();
    let mut at = 0;
    // The runs of characters that tokens are made of, one after the other.
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
        if at - start >= SHORTEST && (begins.is_some() || at - start >= RANDOM) {
            let chars = text.get(start..at).unwrap_or_default();
            if let Some(begins) = begins {
                let cut = text.get(at..).is_some_and(|rest| rest.starts_with('…'));
                if let Some(token) = token(chars, begins - start, cut) {
                    // All that follows in the word belongs to it, or may.
                    found.push(start + token..at);
                }
            }
            if level == Level::Likely && is_random(chars) {
                found.push(start..at);
            }
        }
        at += 1;
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

/// The pairs of bytes with which a prefix begins, by [`pair`].
const BEGINS: [bool; 1 << 11] = {
    let mut table = [false; 1 << 11];
    let mut at = 0;
    while at < PREFIXES.len() {
        let prefix = PREFIXES[at].0.as_bytes();
        table[pair(prefix[0], prefix[1])] = true;
        at += 1;
    }
    table
};

const fn pair(first: u8, second: u8) -> usize {
    (first as usize * 37 + second as usize) & ((1 << 11) - 1)
}

/// Whether a prefix may begin with these two bytes. Nearly no word does.
fn may_begin(first: u8, second: Option<&u8>) -> bool {
    second.is_some_and(|second| BEGINS[pair(first, *second)])
}

/// Where in a word, not before `from`, a known maker's token begins: at the word's beginning, or behind what is no letter or
/// digit.
fn token(word: &str, from: usize, cut: bool) -> Option<usize> {
    let bytes = word.as_bytes();
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        if !before.is_ascii_alphanumeric() && may_begin(byte, bytes.get(at + 1)) {
            // Words have ASCII characters alone.
            let rest = word.get(at..word.len().min(at + LOOKED_AT)).unwrap_or_default();
            if rest.len() >= SHORTEST && is_token(rest, cut) {
                return Some(at);
            }
        }
        before = byte;
    }
    None
}

fn is_token(word: &str, cut: bool) -> bool {
    PREFIXES.iter().any(|(prefix, rest)| word.strip_prefix(prefix).is_some_and(|it| rest.fits(it, cut)))
}

impl Rest {
    /// Whether that may follow; of a text that was `cut` off behind it, whether it may be how that begins.
    fn fits(self, rest: &str, cut: bool) -> bool {
        let telling = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        if cut {
            return rest.bytes().any(telling);
        }
        match self {
            Self::Mixed(least) => rest.len() >= least && (least == 0 || rest.bytes().any(telling)),
            Self::Capitals(count) => {
                let run = rest.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
                run == count && !rest.as_bytes().get(run).is_some_and(u8::is_ascii_lowercase)
            }
            Self::Piece(least) => rest
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|piece| piece.len() >= least && piece.bytes().any(telling)),
            Self::Parts => rest.len() >= 30 && rest.contains('.'),
        }
    }
}

/// Whether a word is like the base64 of random bytes: long, of one piece, with capitals, small letters and digits mixed.
fn is_random(word: &str) -> bool {
    let word = word.trim_end_matches('=');
    if word.len() < RANDOM || word.contains(['.', '-']) || word.matches('/').count() * 16 > word.len() {
        return false;
    }
    let count = |is: fn(&u8) -> bool| word.bytes().filter(is).count();
    let (upper, lower, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    // Changes between the three kinds are rare in names, which change at the beginnings of words.
    let kind = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = word.bytes().zip(word.bytes().skip(1)).filter(|(a, b)| kind(*a) != kind(*b)).count();
    upper >= 5 && lower >= 5 && digits >= 3 && changes * 5 >= word.len() * 2
}

/// Private keys. Code that only speaks of their first line has none behind it.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(BEGIN)).map(|found| at + found) {
        at = start + BEGIN.len();
        let header = text.get(at..).unwrap_or_default();
        let header = header.get(..header.find("-----").unwrap_or(0)).unwrap_or_default();
        if header.contains("PRIVATE KEY") && header.len() < 60 {
            let behind = at + header.len() + "-----".len();
            if let Some(end) = key_end(text, behind) {
                found.push(start..end);
                at = end;
            }
        }
    }
}

/// Where the key ends whose first line ends at `behind`: behind its last line, or where it was cut off. None if it is no key.
fn key_end(text: &str, behind: usize) -> Option<usize> {
    const END: &str = "-----END ";
    // The words of a line, without what code and comments put around it.
    let marks = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | ',' | ';' | '*' | '#');
    let coded =
        |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let mut end = None;
    let mut after_long = false;
    let mut at = behind;
    for (number, line) in text.get(behind..)?.split_inclusive('\n').take(400).enumerate() {
        let next = at + line.len();
        let body = line.trim_matches(marks).trim_start_matches("//").trim_matches(marks);
        if let Some(closing) = line.find(END) {
            let tail = line.get(closing + END.len()..).unwrap_or_default();
            let dashes = tail.find("-----").map_or(tail.trim_end().len(), |dashes| dashes + 5);
            // What stands between two such lines is a key, unless it is a page of prose.
            return (number < 200).then_some(at + closing + END.len() + dashes);
        }
        let mut words = body.split(|c: char| marks(c)).filter(|word| !word.is_empty());
        let long = words.clone().any(|word| word.len() >= 16 && coded(word.trim_end_matches('…')));
        let goes_on = match (number, words.next(), words.next()) {
            // Behind the dashes a key may follow on the same line.
            (0, first, _) => first.is_none() || long,
            (_, None, _) => true,
            // `Proc-Type: 4,ENCRYPTED`
            (_, Some(first), Some(_)) => number < 5 && first.ends_with(':'),
            (_, Some(only), None) => long || (only.len() < 70 && coded(only.trim_end_matches('…'))),
        };
        if !goes_on {
            break;
        }
        // The last line of a key is shorter than the others.
        if long || after_long && !body.is_empty() {
            end = Some(at + line.trim_end_matches('\n').len());
        }
        after_long = long;
        at = next;
    }
    end
}

/// The password in `scheme://user:password@host`.
fn addresses(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("://")).map(|found| at + found + 3) {
        let rest = text.get(start..).unwrap_or_default();
        let stop = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>' | '?' | '#');
        let authority = rest.get(..rest.find(stop).unwrap_or(rest.len())).unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some(colon) = user.find(':')
            && !user.get(colon + 1..).is_some_and(|it| it == MASK || it.starts_with(['$', '{', '%']))
        {
            found.push(start + colon + 1..start + user.len());
        }
        at = start + authority.len();
    }
}
