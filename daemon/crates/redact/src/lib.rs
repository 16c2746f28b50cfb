//! Finds and masks secrets in text. Independent of repositories and policies.
//!
//! [`find_secrets`] goes once over a text, in time linear in its length, and returns the ranges to mask; [`mask_part`]
//! cuts out a part of the text without them. Finding secrets in the whole file and cutting later keeps offsets as they
//! are, and hides the middle of a key as well as its beginning. [`mask_answer()`] and [`Pass`] are the last step for
//! everything that leaves the daemon: cards are made of documentation, headers and guards, which were not masked
//! before.
//!
//! Etags and fingerprints are hashes of a symbol's content, secrets included: an edited secret is an edit. They reveal
//! nothing about a random secret. A reader who knows everything else about a symbol could check guesses of a weak one
//! against them, as with any hash.

#![forbid(unsafe_code)]

mod addresses;
mod answer;
mod assigned;
mod keys;
mod lists;
mod makers;
mod names;
mod phrases;
mod quotes;
mod tokens;
mod values;

use std::borrow::Cow;
use std::ops::Range;

pub use answer::{Form, Pass, holds_secret, is_suspect, mask_answer, mask_value};

/// The replacement for a secret. One token, so that masking never makes an answer larger.
pub const MASK: &str = "***";

/// How much counts as a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Certain secrets: private keys, tokens of known makers, passwords in addresses.
    Known,
    /// Also literals that are named like a secret or look like one.
    Likely,
}

/// Returns the ranges of the secrets in a text, in order and without overlap.
pub fn find_secrets(text: &str, level: Level) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    tokens::find_tokens(text, level, &mut found);
    if level == Level::Likely {
        assigned::find_assigned(text, &mut found);
    }
    if found.is_empty() {
        return found;
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found.into_iter().filter(|range| !range.is_empty()) {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// Returns the whole `text` with its secrets masked; none if it has none.
pub fn mask_text(text: &str, level: Level) -> Option<String> {
    let secrets = find_secrets(text, level);
    (!secrets.is_empty()).then(|| mask_part(text, &secrets, 0..text.len()).into_owned())
}

/// Returns a part of `text` with its `secrets` (of the whole text) masked, line by line: the number of lines stays the
/// same.
pub fn mask_part<'a>(text: &'a str, secrets: &[Range<usize>], part: Range<usize>) -> Cow<'a, str> {
    let first = secrets.partition_point(|secret| secret.end <= part.start);
    let mut inside = secrets.get(first..).unwrap_or_default().iter();
    let mut inside = inside.by_ref().take_while(|secret| secret.start < part.end).peekable();
    if inside.peek().is_none() {
        return Cow::Borrowed(text.get(part).unwrap_or_default());
    }
    let mut out = String::with_capacity(part.len());
    let mut at = part.start;
    for secret in inside {
        let (start, end) = (secret.start.max(at), secret.end.min(part.end));
        out.push_str(text.get(at..start).unwrap_or_default());
        for (i, line) in text.get(start..end).unwrap_or_default().split('\n').enumerate() {
            if i > 0 {
                out.push('\n');
            }
            if !line.trim().is_empty() {
                out.push_str(MASK);
            }
        }
        at = end;
    }
    out.push_str(text.get(at..part.end).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
