//! How risky a change is: a score with its parts, what was found, which tests to run.

mod findings;
mod score;
mod tests;

use schemars::JsonSchema;
use serde::Serialize;

use crate::delta::{Compared, Subject};

pub(crate) use findings::{Evidence, Finding, findings, keep_worst};
pub(crate) use score::{Part, score};
pub(crate) use tests::{RecommendedTest, recommended};

/// From here on somebody has to look at it who knows it.
pub(crate) const ESCALATE: u32 = 70;
/// From here on somebody should look at it.
const REVIEW: u32 = 40;

/// A symbol, to be found again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Named {
    pub(crate) symbol_id: String,
    pub(crate) name: String,
    pub(crate) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

impl Named {
    pub(crate) fn of(subject: &Subject) -> Self {
        let wire = &subject.wire;
        Self {
            symbol_id: wire.symbol_id.to_string(),
            name: wire.name.clone(),
            file: wire.file.clone(),
            line: wire.range.map(|range| range.start_line),
        }
    }
}

/// What a score or a finding's weight is called.
pub(crate) fn level(score: u32) -> &'static str {
    match score {
        0..25 => "low",
        25..50 => "medium",
        50..75 => "high",
        _ => "critical",
    }
}

/// What the score asks for.
pub(crate) fn decision(score: u32, escalate: bool) -> &'static str {
    match score {
        _ if escalate => "escalate",
        REVIEW.. => "review",
        _ => "approve",
    }
}

/// The changed symbols that count: tests don't break anybody.
fn counted(compared: &Compared) -> impl Iterator<Item = &Subject> {
    compared.changed.iter().filter(|subject| !subject.is_test)
}
