//! Recommends tests to run and tests to write.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use sdl_retrieve::diff::BlastItem;
use sdl_retrieve::numbers::Milli;
use serde::Serialize;

use super::{Named, counted_subjects, is_testable};
use crate::changes::delta::{Compared, Subject};

/// Maximum number of test files that are named.
const MOST_FILES: usize = 12;
/// Maximum number of functions that a test is proposed for.
const MOST_MISSING: usize = 8;
/// Maximum number of targets that are named for one test.
const MOST_TARGETS: usize = 10;

/// A test to run or to write.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecommendedTest {
    /// `run` an existing test or `write` one.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// `high`, `medium` or `low`.
    pub(crate) priority: &'static str,
    /// Which test to run, or what to cover.
    pub(crate) description: String,
    /// The changed or removed symbols that it covers.
    pub(crate) target_symbols: Vec<Named>,
}

/// Returns the tests that use a changed symbol or used a removed one, directly or not, file by file, and the functions
/// that lack a test.
pub(crate) fn recommend_tests(compared: &Compared) -> Vec<RecommendedTest> {
    let mut files: BTreeMap<&str, (BTreeSet<&str>, Vec<&Subject>)> = BTreeMap::new();
    for (item, subject) in affected_tests(compared) {
        let (names, subjects) = files.entry(&item.file).or_default();
        names.insert(&item.name);
        if !subjects.iter().any(|known| known.wire.symbol_id == subject.wire.symbol_id) {
            subjects.push(subject);
        }
    }
    for subject in counted_subjects(compared) {
        for test in subject.tests.iter().filter(|_| subject.does_something_else()) {
            let (names, subjects) = files.entry(&test.file).or_default();
            names.insert(&test.name);
            if !subjects.iter().any(|known| known.wire.symbol_id == subject.wire.symbol_id) {
                subjects.push(subject);
            }
        }
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(file, (_, subjects))| (Reverse(subjects_weight(subjects)), *file));
    let mut all = Vec::new();
    for (file, (names, subjects)) in files.into_iter().take(MOST_FILES) {
        let shown: Vec<&str> = names.iter().copied().take(5).collect();
        let more = names.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        all.push(RecommendedTest {
            kind: "run",
            priority: if subjects.iter().any(|subject| subject.breaks()) { "high" } else { "medium" },
            description: format!("{file}: {}{more}", shown.join(", ")),
            target_symbols: subjects.iter().take(MOST_TARGETS).map(|subject| Named::of(subject)).collect(),
        });
    }
    let mut missing: Vec<&Subject> = counted_subjects(compared)
        .filter(|subject| is_testable(subject) && subject.tests.is_empty())
        .collect();
    missing.sort_by_key(|subject| (!subject.breaks(), Reverse(subject.fan_in)));
    for subject in missing.into_iter().take(MOST_MISSING) {
        let (name, file) = (&subject.wire.name, &subject.wire.file);
        all.push(RecommendedTest {
            kind: "write",
            priority: match subject.fan_in {
                10.. => "high",
                1.. => "medium",
                0 => "low",
            },
            description: format!("no test uses {name} in {file}"),
            target_symbols: vec![Named::of(subject)],
        });
    }
    all
}

/// Returns the test functions that the change may affect, and the symbols that affect them.
fn affected_tests(compared: &Compared) -> impl Iterator<Item = (&BlastItem, &Subject)> {
    let is_test = |item: &&BlastItem| item.is_callable && item.test_proximity == Some(Milli(1000));
    compared.blast.iter().filter(is_test).filter_map(|item| {
        let origin = counted_subjects(compared).find(|subject| subject.wire.symbol_id == item.origin)?;
        Some((item, origin))
    })
}

fn subjects_weight(subjects: &[&Subject]) -> (bool, usize) {
    (subjects.iter().any(|subject| subject.breaks()), subjects.len())
}
