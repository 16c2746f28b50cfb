//! Names by regular expression.

use std::ops::ControlFlow;

use regex::{Regex, RegexBuilder};

use super::filter::Filter;
use super::rank::{each_name, of_name};
use super::ranked::Ranked;
use crate::index::Flags;
use crate::{Evidence, LaneStatus, Result, Source, UserError};

/// Bytes of a pattern.
const LONGEST: usize = 1_000;
/// Bytes that a compiled pattern may take.
const LARGEST: usize = 1 << 20;
/// Symbols that one pattern may find.
const MOST: usize = 200_000;

/// The symbols whose simple name matches, ignoring case.
pub(crate) fn match_pattern(
    source: &Source<'_>,
    query: &str,
    filter: &Filter,
    evidence: &mut Evidence,
) -> Result<Vec<Ranked>> {
    let regex = compile_pattern(query)?;
    let mut matching = Vec::new();
    each_name(source.view(), &literal_prefix(query), &mut |name| {
        if let Some(found) = regex.find(name) {
            matching.push((name.to_owned(), found.len() as f32 / name.len().max(1) as f32));
        }
        if matching.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let mut ranked = Vec::new();
    for (name, share) in matching {
        for hit in of_name(source.view(), &name, MOST)? {
            let flags = Flags(hit.flags);
            if filter.keeps(source.view(), hit.symbol, flags)? {
                ranked.push(Ranked { symbol: hit.symbol, score: share_worth(share) * flags.prior() });
            }
        }
        if ranked.len() >= MOST {
            evidence.push(
                "regex",
                LaneStatus::Limited,
                ranked.len(),
                Some(format!("stopped at {MOST} symbols")),
            );
            return Ok(ranked);
        }
    }
    evidence.ran("regex", ranked.len());
    Ok(ranked)
}

/// Compiles a pattern that ignores case.
///
/// # Errors
/// [`UserError::BadRegex`] for one that is no pattern, or too large.
pub(super) fn compile_pattern(query: &str) -> Result<Regex> {
    let bad = |why: String| UserError::BadRegex(why);
    if query.len() > LONGEST {
        return Err(bad(format!("it is longer than {LONGEST} bytes")).into());
    }
    let pattern = RegexBuilder::new(query)
        .case_insensitive(true)
        .size_limit(LARGEST)
        .dfa_size_limit(LARGEST)
        .nest_limit(64)
        .build()
        .map_err(|err| bad(err.to_string()))?;
    Ok(pattern)
}

/// The value of a match, by the share of the name that it covers.
pub(super) fn share_worth(share: f32) -> f32 {
    0.5 + 0.5 * share
}

/// The letters that every match begins with, in lower case, when the pattern says so plainly: `^get_.*` gives `get_`.
fn literal_prefix(pattern: &str) -> String {
    let Some(rest) = pattern.strip_prefix('^') else { return String::new() };
    if pattern.contains('|') {
        return String::new();
    }
    let letters: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let optional = rest.get(letters.len()..).is_some_and(|after| after.starts_with(['*', '?', '{']));
    let mut letters = letters.to_ascii_lowercase();
    if optional {
        letters.pop();
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::literal_prefix;

    #[test]
    fn prefixes() {
        assert_eq!(literal_prefix("^Get_.*"), "get_");
        assert_eq!(literal_prefix("^ab?c"), "a");
        assert_eq!(literal_prefix("^ab{0}"), "a");
        assert_eq!(literal_prefix("^a|b"), "");
        assert_eq!(literal_prefix("a"), "");
        assert_eq!(literal_prefix("^[ab]c"), "");
    }
}
