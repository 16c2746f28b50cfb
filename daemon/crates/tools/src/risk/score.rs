//! The score.
//!
//! It is the sum of six parts, each `weight × value` with a value from 0 to 1, rounded. The weights add up to 100. Where a
//! part counts something, `value = x / (x + half)`: the first few count most, and no number of them fills the part quite.
//! Tests are left out of every count but the last part's question.
//!
//! | part | weight | x, half |
//! |---|---|---|
//! | `interface` | 25 | over symbols whose interface changed or went and that others see or use: `1 + ln(1 + fanIn)`; 3 |
//! | `reach` | 20 | symbols outside the change that depend on it directly; 10 |
//! | `behavior` | 15 | symbols whose body changed; 10 |
//! | `sideEffects` | 10 | side effects that came; 2 |
//! | `guards` | 10 | checks, raised errors and early returns that went; 2 |
//! | `untested` | 20 | changed or new functions that no test uses: their share of all such, times `n / (n + 2)` |

use schemars::JsonSchema;
use sdl_retrieve::diff::ChangeType;
use serde::Serialize;

use super::counted;
use crate::delta::{Compared, Subject};

/// One part of the score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Part {
    /// `interface`, `reach`, `behavior`, `sideEffects`, `guards` or `untested`.
    pub(crate) name: &'static str,
    /// What it can add at most.
    pub(crate) weight: u32,
    /// From 0 to 1.
    pub(crate) value: f64,
    /// What it adds.
    pub(crate) points: f64,
    /// What was counted.
    pub(crate) why: String,
}

/// The score and its parts.
pub(crate) struct Score {
    /// From 0 to 100.
    pub(crate) total: u32,
    /// Their points add up to the total, but for rounding.
    pub(crate) parts: Vec<Part>,
}

/// Whether it is something that a test can call.
pub(super) fn runs(subject: &Subject) -> bool {
    subject.wire.kind.is_callable() && subject.wire.change_type != ChangeType::Removed
}

fn saturating(x: f64, half: f64) -> f64 {
    x / (x + half)
}

fn part(name: &'static str, weight: u32, value: f64, why: String) -> Part {
    let value = (value * 1000.0).round() / 1000.0;
    Part { name, weight, value, points: (value * f64::from(weight) * 10.0).round() / 10.0, why }
}

/// The score of a change.
pub(crate) fn score(compared: &Compared) -> Score {
    let breaking: Vec<&Subject> = counted(compared)
        .filter(|subject| subject.breaks() && (subject.exported || subject.fan_in > 0))
        .collect();
    // The sum of nothing is a negative zero.
    let weight = 0.0 + breaking.iter().map(|subject| 1.0 + (subject.fan_in as f64).ln_1p()).sum::<f64>();
    let direct = compared
        .blast
        .iter()
        .filter(|item| item.distance == 1 && !sdl_retrieve::index::is_test_path(&item.file))
        .count();
    let bodies = counted(compared).filter(|subject| subject.wire.body_changed).count();
    let effects: usize = counted(compared)
        .filter_map(|subject| subject.wire.side_effect_diff.as_ref())
        .map(|diff| diff.added.len())
        .sum();
    let guards: usize = counted(compared)
        .filter_map(|subject| subject.wire.invariant_diff.as_ref())
        .map(|diff| diff.removed.len())
        .sum();
    let callable = counted(compared).filter(|subject| runs(subject)).count();
    let untested = counted(compared).filter(|subject| runs(subject) && subject.tests.is_empty()).count();
    let share = untested as f64 / callable.max(1) as f64;
    let parts = vec![
        part(
            "interface",
            25,
            saturating(weight, 3.0),
            format!("{} interfaces changed or gone", breaking.len()),
        ),
        part("reach", 20, saturating(direct as f64, 10.0), format!("{direct} direct dependents")),
        part("behavior", 15, saturating(bodies as f64, 10.0), format!("{bodies} bodies changed")),
        part("sideEffects", 10, saturating(effects as f64, 2.0), format!("{effects} side effects came")),
        part("guards", 10, saturating(guards as f64, 2.0), format!("{guards} guards went")),
        part(
            "untested",
            20,
            share * saturating(untested as f64, 2.0),
            format!("{untested} of {callable} changed functions used by no test"),
        ),
    ];
    let total: f64 = parts.iter().map(|part| part.points).sum();
    Score { total: total.round() as u32, parts }
}
