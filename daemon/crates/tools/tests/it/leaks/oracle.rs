//! What no answer may hold, whatever was asked: looked for in its bytes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::plants::Planted;

/// What an answer is held against.
pub(crate) struct Oracle {
    known: Vec<String>,
    likely: Vec<String>,
    files: BTreeMap<String, Vec<String>>,
}

/// Stands for what is left out of source.
const GAP: &str = "/* ... */";
/// Stands for a secret.
const MASK: &str = "***";

/// The source that one call may show.
pub(crate) struct Allowed {
    pub(crate) file: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Skeletons: lines of bodies may not be among them unless they were looked for.
    pub(crate) shape: bool,
    /// Skeletons: a line may begin in the middle of one of the file's, and go on in another one after a gap.
    pub(crate) joined: bool,
}

impl Oracle {
    pub(crate) fn new(planted: &Planted, version: usize) -> Self {
        let known = planted.known.iter().chain(&planted.sealed).cloned().collect();
        let lines = |text: &String| text.lines().map(str::to_owned).collect();
        let files = planted.files(version).iter().map(|(path, text)| (path.clone(), lines(text))).collect();
        Self { known, likely: planted.likely.clone(), files }
    }

    /// What secret is in the bytes of an answer, if any.
    pub(crate) fn secret(&self, bytes: &str, redacts: bool) -> Option<&str> {
        // Every mark has one of three stems, which nearly no answer has.
        let likely = redacts && bytes.contains("orchid9w");
        let known = bytes.contains("ZX7WVJ2") || bytes.contains("violet");
        let marks = self.known.iter().filter(|_| known).chain(self.likely.iter().filter(|_| likely));
        marks.map(String::as_str).find(|mark| bytes.contains(mark))
    }

    /// A line that is shown as source and may not be. Every line has to be one of the file, within what is allowed, as it is or
    /// with secrets masked; a line of a skeleton, parts of them in their order.
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

/// A line of an excerpt without its number.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix("| ").unwrap_or(line)
}

/// Whether a line, or several, give a value to a name that is in bodies alone.
pub(crate) fn is_of_a_body(text: &str) -> bool {
    text.match_indices("zq").any(|(at, _)| {
        let rest = text[at..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        rest.starts_with(":=") || rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// Whether `shown` is `line` with nothing but secrets masked and bodies left out.
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

/// Whether `shown` is made of parts of `lines` in their order, no part of more than one line.
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
