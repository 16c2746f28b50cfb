//! Checks the bytes of an answer for text that no answer may contain, whatever was asked.

use std::collections::BTreeMap;

use serde_json::Value;

use super::plants::Planted;

/// The texts that an answer is checked for.
pub(crate) struct Oracle {
    known: Vec<String>,
    likely: Vec<String>,
    files: BTreeMap<String, Vec<String>>,
}

/// The mark for omitted source.
const GAP: &str = "/* ... */";
/// The mark for a secret.
const MASK: &str = "***";

/// The source that one call may show.
pub(crate) struct Allowed {
    pub(crate) file: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Whether it is a skeleton: it may have lines of bodies only if they were looked for.
    pub(crate) shape: bool,
    /// Whether lines may be joined, as in skeletons: a line may begin in the middle of one of the file's, and continue
    /// in another one after a gap.
    pub(crate) joined: bool,
}

impl Oracle {
    pub(crate) fn new(planted: &Planted, version: usize) -> Self {
        let known = planted.known.iter().chain(&planted.sealed).cloned().collect();
        let lines = |text: &String| text.lines().map(str::to_owned).collect();
        let files = planted.files(version).iter().map(|(path, text)| (path.clone(), lines(text))).collect();
        Self { known, likely: planted.likely.clone(), files }
    }

    /// Returns the secret in the bytes of an answer, if there is one.
    pub(crate) fn secret(&self, bytes: &str, redacts: bool) -> Option<&str> {
        // Every mark has one of three stems. Nearly no answer contains one.
        let likely = redacts && bytes.contains("orchid9w");
        let known = bytes.contains("ZX7WVJ2") || bytes.contains("violet");
        let marks = self.known.iter().filter(|_| known).chain(self.likely.iter().filter(|_| likely));
        marks.map(String::as_str).find(|mark| bytes.contains(mark))
    }

    /// Returns a line that is shown as source and may not be. Every line has to be one of the file, within the allowed
    /// range, unchanged or with secrets masked. A line of a skeleton has to consist of parts of such lines, in order.
    pub(crate) fn stray(&self, code: &str, allowed: &Allowed) -> Option<String> {
        let nothing = Vec::new();
        let lines = self.files.get(&allowed.file).unwrap_or(&nothing);
        let from = (allowed.first.max(1) - 1) as usize;
        let within = lines.get(from..lines.len().min(allowed.last as usize)).unwrap_or_default();
        code.lines()
            .map(|line| unnumbered(line.split(" /* <- ").next().unwrap_or_default()))
            .filter(|line| !matches!(line.trim(), "" | GAP) && !line.trim().starts_with("/* ... "))
            .find(|shown| {
                let fits = if allowed.joined {
                    fits_parts(shown, within)
                } else {
                    within.iter().any(|line| fits(shown, line))
                };
                allowed.shape && is_of_a_body(shown) || !fits
            })
            .map(str::to_owned)
    }
}

/// Returns a line of an excerpt without its number.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix("| ").unwrap_or(line)
}

/// Whether a line, or one of several, assigns a name that is only in bodies.
pub(crate) fn is_of_a_body(text: &str) -> bool {
    text.match_indices("zq").any(|(at, _)| {
        let rest = text[at..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        rest.starts_with(":=") || rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// Whether `shown` is `line` with only secrets masked and bodies left out.
fn fits(shown: &str, line: &str) -> bool {
    let shown = shown.replace(GAP, MASK);
    let mut pieces = shown.split(MASK).map(str::trim_end);
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    for piece in pieces {
        match rest.find(piece.trim_start()) {
            Some(at) => rest = &rest[at + piece.trim_start().len()..],
            None => return false,
        }
    }
    true
}

/// Whether `shown` consists of parts of `lines` in order, each part from one line.
fn fits_parts(shown: &str, lines: &[String]) -> bool {
    let shown = shown.replace(GAP, MASK);
    let mut pieces = shown.split(MASK).map(str::trim).filter(|piece| !piece.is_empty());
    let Some(first) = pieces.next() else { return true };
    let pieces: Vec<&str> = pieces.collect();
    let starts = lines.iter().enumerate();
    starts.flat_map(|(ix, line)| line.match_indices(first).map(move |(at, _)| (ix, at + first.len()))).any(
        |start| {
            let mut place = Some(start);
            for piece in &pieces {
                place = place.and_then(|(ix, at)| {
                    let rest = lines.iter().enumerate().skip(ix);
                    rest.map(|(line, text)| (line, text, if line == ix { at } else { 0 })).find_map(
                        |(line, text, from)| {
                            let found = text.get(from..)?.find(piece)?;
                            Some((line, from + found + piece.len()))
                        },
                    )
                });
            }
            place.is_some()
        },
    )
}

/// Whether any id of ours was masked.
pub(crate) fn masked_id(value: &Value) -> Option<String> {
    const IDS: [&str; 9] = [
        "symbolId",
        "etag",
        "sliceEtag",
        "sliceHandle",
        "spilloverHandle",
        "artifactHandle",
        "ledgerVersion",
        "memoryId",
        "cursor",
    ];
    match value {
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let masked = IDS.contains(&key.as_str()) && value.as_str().is_some_and(|id| id.contains(MASK));
            if masked { Some(format!("{key}: {value}")) } else { masked_id(value) }
        }),
        Value::Array(items) => items.iter().find_map(masked_id),
        _ => None,
    }
}
