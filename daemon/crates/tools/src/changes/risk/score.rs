//! The score of a change, and the verdict that follows from it.
//!
//! It is the sum of seven parts, each `weight × value` with a value from 0 to 1, rounded, and 100 at most. Where a
//! part counts something, `value = x / (x + half)`: the first few count most, and no number of them fills the part.
//!
//! | part | weight | x, half |
//! |---|---|---|
//! | `worst` | 100 | not a sum: the score of the worst finding, so that none is above the whole; only one of users who were not updated reaches 60, see [`left_behind_score`](super::verdict::left_behind_score) |
//! | `interface` | 25 | over symbols that were removed, were narrowed or have another header, and that others see or use: 1, or 3 for an exported one that was removed or narrowed; 8 |
//! | `reach` | 10 | symbols outside the change that it affects directly, tests too; 10 |
//! | `behavior` | 25 | over symbols whose body changed: `1 + ln(1 + fanIn)`; a third where nobody sees or uses it or where it was removed, a tenth where it only moved; 10 |
//! | `sideEffects` | 15 | added side effects; 2 |
//! | `guards` | 20 | removed checks, raised errors and early returns; 1 |
//! | `untested` | 5 | changed or new functions that no test uses: their share of all such, times `n / (n + 2)` |
//!
//! Comments, white space and documentation count nowhere. Changed tests count in no part; tests that use what changed
//! count as users.
//!
//! [`Verdict`](super::Verdict) maps the score to a level and the level to a decision.

use schemars::JsonSchema;
use sdl_retrieve::diff::ChangeType;
use serde::Serialize;

use super::findings::Finding;
use super::{counted_subjects, is_testable};
use crate::changes::delta::{Compared, Subject};

/// One part of the score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Part {
    /// `worst`, `interface`, `reach`, `behavior`, `sideEffects`, `guards` or `untested`.
    pub(crate) name: &'static str,
    /// The most points that it can add.
    pub(crate) weight: u32,
    /// How bad it is, from 0 to 1.
    pub(crate) value: f64,
    /// The points that it adds to the score.
    pub(crate) points: f64,
    /// What was counted, in words.
    pub(crate) why: String,
}

/// The score and its parts.
pub(crate) struct Score {
    /// From 0 to 100.
    pub(crate) total: u32,
    /// Their points add up to the total, but for rounding and the limit of 100.
    pub(crate) parts: Vec<Part>,
}

fn saturate_at(x: f64, half: f64) -> f64 {
    x / (x + half)
}

fn score_part(name: &'static str, weight: u32, value: f64, why: String) -> Part {
    let value = (value * 1000.0).round() / 1000.0;
    Part { name, weight, value, points: (value * f64::from(weight) * 10.0).round() / 10.0, why }
}

/// Returns the weight of a change to an interface.
fn interface_weight(subject: &Subject) -> f64 {
    let lost = subject.wire.change_type == ChangeType::Removed || subject.narrowed.is_some();
    match (subject.seen(), lost && subject.exported) {
        (false, _) => 0.0,
        (true, true) => 3.0,
        (true, false) => 1.0,
    }
}

/// Returns the weight of a change to a body.
fn behavior_weight(subject: &Subject) -> f64 {
    match subject.wire.change_type {
        _ if subject.wire.body_changed && subject.seen() => 1.0 + (subject.fan_in as f64).ln_1p(),
        _ if subject.wire.body_changed => 1.0 / 3.0,
        ChangeType::Removed => 1.0 / 3.0,
        ChangeType::Moved | ChangeType::Renamed => 0.1,
        ChangeType::Added | ChangeType::Modified => 0.0,
    }
}

/// Returns the score of a change with these findings, the worst first.
pub(crate) fn change_score(compared: &Compared, findings: &[Finding]) -> Score {
    let worst = findings.first().map_or(0, |finding| finding.score);
    let why = findings.first().map_or("nothing found", |finding| finding.kind).to_owned();
    // Each sum begins with zero, because the sum of an empty iterator is negative zero.
    let interfaces: Vec<&Subject> =
        counted_subjects(compared).filter(|subject| subject.changes_interface() && subject.seen()).collect();
    let interface = 0.0 + interfaces.iter().map(|subject| interface_weight(subject)).sum::<f64>();
    let direct = compared.blast.iter().filter(|item| item.distance == 1).count();
    let bodies = counted_subjects(compared).filter(|subject| subject.wire.body_changed).count();
    let behavior = 0.0 + counted_subjects(compared).map(behavior_weight).sum::<f64>();
    let effects: usize = counted_subjects(compared)
        .filter_map(|subject| subject.wire.side_effect_diff.as_ref())
        .map(|diff| diff.added.len())
        .sum();
    let guards: usize = counted_subjects(compared)
        .filter_map(|subject| subject.wire.invariant_diff.as_ref())
        .map(|diff| diff.removed.len())
        .sum();
    let callable = counted_subjects(compared).filter(|subject| is_testable(subject)).count();
    let untested =
        counted_subjects(compared).filter(|subject| is_testable(subject) && subject.tests.is_empty()).count();
    let share = untested as f64 / callable.max(1) as f64;
    let parts = vec![
        score_part("worst", 100, f64::from(worst) / 100.0, why),
        score_part(
            "interface",
            25,
            saturate_at(interface, 8.0),
            format!("{} interfaces changed or gone", interfaces.len()),
        ),
        score_part("reach", 10, saturate_at(direct as f64, 10.0), format!("{direct} direct dependents")),
        score_part("behavior", 25, saturate_at(behavior, 10.0), format!("{bodies} bodies changed")),
        score_part(
            "sideEffects",
            15,
            saturate_at(effects as f64, 2.0),
            format!("{effects} side effects added"),
        ),
        score_part("guards", 20, saturate_at(guards as f64, 1.0), format!("{guards} guards removed")),
        score_part(
            "untested",
            5,
            share * saturate_at(untested as f64, 2.0),
            format!("{untested} of {callable} changed functions used by no test"),
        ),
    ];
    let total: f64 = parts.iter().map(|part| part.points).sum();
    Score { total: total.round().min(100.0) as u32, parts }
}
