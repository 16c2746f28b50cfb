//! The risk of a change: a score with its parts, the findings, and the tests to run.

mod findings;
mod recommend;
mod score;
mod verdict;

use schemars::JsonSchema;
use sdl_retrieve::diff::ChangeType;
use serde::Serialize;

use crate::changes::delta::{Compared, Subject};

pub(crate) use findings::{Evidence, Finding, find_risks, keep_worst};
pub(crate) use recommend::{RecommendedTest, recommend_tests};
pub(crate) use score::{Part, change_score};
pub(crate) use verdict::{HIGH, Verdict};

/// A symbol, to be found again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Named {
    /// The symbol.
    pub(crate) symbol_id: String,
    /// Its qualified name.
    pub(crate) name: String,
    /// Path of its file.
    pub(crate) file: String,
    /// Its first line; missing if it is gone.
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

/// Returns the changed symbols that count. Tests don't count, because a change to a test breaks no users.
fn counted_subjects(compared: &Compared) -> impl Iterator<Item = &Subject> {
    compared.changed.iter().filter(|subject| !subject.is_test)
}

/// Whether it is something that a test can call, and its behavior changed.
fn is_testable(subject: &Subject) -> bool {
    let wire = &subject.wire;
    let edited = match wire.change_type {
        ChangeType::Removed => false,
        ChangeType::Added => true,
        _ => wire.body_changed || subject.narrowed.is_some() || wire.signature_diff.is_some(),
    };
    wire.kind.is_callable() && edited
}
