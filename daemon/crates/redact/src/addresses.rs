//! Passwords in addresses.

use std::ops::Range;

use super::MASK;
use super::values::is_mixed;

/// A user name of at least this length that contains digits counts as a token.
const LEAST: usize = 16;
/// The longest password, in bytes.
const LONGEST: usize = 100;

/// Finds the password in `scheme://user:password@host`, or the token in `scheme://token@host`, where the scheme ends at
/// `colon`.
pub(super) fn find_in_url(text: &str, colon: usize) -> Option<Range<usize>> {
    let rest = text.get(colon..)?.strip_prefix("://")?;
    let start = colon + 3;
    let stop = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>' | '?' | '#');
    let authority = rest.get(..rest.find(stop).unwrap_or(rest.len()))?;
    let (user, _) = authority.rsplit_once('@')?;
    let secret = user.find(':').map_or(0, |colon| colon + 1);
    let word = user.get(secret..)?;
    let token = word.len() >= LEAST && is_mixed(word) && !word.contains(['%', '@']);
    let told = word != MASK && !word.starts_with(['$', '{', '%']) && (secret > 0 || token);
    told.then_some(start + secret..start + user.len())
}

/// Finds the password in `user:password@tcp(host)`, whose `@` is at `at`.
pub(super) fn of_driver(text: &str, at: usize) -> Option<Range<usize>> {
    let behind = text.as_bytes().get(at + 1..)?;
    if !behind.starts_with(b"tcp(") && !behind.starts_with(b"unix(") {
        return None;
    }
    let before = text.get(text.ceil_char_boundary(at.saturating_sub(LONGEST))..at)?;
    let stop = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '/');
    let pair = before.get(before.rfind(stop).map_or(0, |at| at + 1)..)?;
    let (_, password) = pair.split_once(':')?;
    let told = !password.is_empty() && password != MASK && !password.starts_with(['$', '{', '%']);
    told.then_some(at - password.len()..at)
}
