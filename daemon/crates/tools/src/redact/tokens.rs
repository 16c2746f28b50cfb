//! Secrets that show by themselves: tokens of known makers, private keys, passwords in addresses, long random strings.

use std::ops::Range;

use super::Level;

/// How tokens of known makers begin, and the least that follows.
const PREFIXES: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("AGE-SECRET-KEY-", 20),
    ("EAACEdEose0cBA", 0),
    ("SG.", 40),
    ("dop_v1_", 40),
    ("eyJ", 30),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("hf_", 30),
    ("npm_", 30),
    ("pypi-", 40),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("shpat_", 30),
    ("shpss_", 30),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("sk-", 20),
    ("whsec_", 20),
    ("xapp-", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("ya29.", 20),
];

/// A run of this many letters and digits of all sorts is no name that a person gave.
const RANDOM: usize = 40;

/// Adds what is found.
pub(super) fn find(text: &str, level: Level, found: &mut Vec<Range<usize>>) {
    private_keys(text, found);
    addresses(text, found);
    for word in words(text) {
        // A word is split by what joins words in code, and each piece is looked at once.
        let Some(chars) = text.get(word.clone()) else { continue };
        let mut at = word.start;
        for piece in chars.split_inclusive(['=', '/', '+']) {
            let body = piece.trim_end_matches(['=', '/', '+']);
            if is_token(body) {
                // All that follows in the word belongs to it, or may.
                found.push(at..word.end);
                break;
            }
            at += piece.len();
        }
        if level == Level::Likely && is_random(chars) {
            found.push(word);
        }
    }
}

/// The runs of characters that tokens are made of.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|byte| !is_word(*byte)) {
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| is_word(*byte)) {
            at += 1;
        }
        (at > start).then_some(start..at)
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'/' | b'+')
}

fn is_token(word: &str) -> bool {
    PREFIXES.iter().any(|(prefix, least)| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            let dotted = *prefix != "eyJ" || rest.contains('.');
            // Words joined by dashes or underscores have few digits; random ones do.
            let random = rest.len() > 60
                || rest.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            rest.len() >= *least && dotted && (*least == 0 || random)
        })
    })
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

/// From the line that begins a private key to the one that ends it, or to the text's end.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("-----BEGIN ")).map(|found| at + found) {
        let rest = text.get(start..).unwrap_or_default();
        let header = rest.split('\n').next().unwrap_or_default();
        if !header.contains("PRIVATE KEY") {
            at = start + "-----BEGIN ".len();
            continue;
        }
        let end = rest.find("-----END ").map_or(text.len(), |end| {
            let tail = rest.get(end..).unwrap_or_default();
            // A key written on one line, with its line ends escaped, ends at its own dashes.
            let close = "-----END ".len();
            let line = tail.find('\n').unwrap_or(tail.len());
            let dashes = tail.get(close..line).and_then(|tail| tail.find("-----")).map(|d| close + d + 5);
            start + end + dashes.unwrap_or(line)
        });
        found.push(start..end);
        at = end.max(start + 1);
    }
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
            && !user.get(colon + 1..).is_some_and(|password| password.starts_with(['$', '{', '%']))
        {
            found.push(start + colon + 1..start + user.len());
        }
        at = start + authority.len();
    }
}
