//! The risks of a change, one finding at a time, with their evidence.

use std::cmp::Reverse;

use schemars::JsonSchema;
use sdl_retrieve::diff::ChangeType;
use serde::Serialize;

use super::verdict::{Verdict, left_behind_score};
use super::{Named, counted_subjects, is_testable};
use crate::changes::delta::{Compared, Subject};

/// Findings of one type that are listed one by one.
const MOST_OF_TYPE: usize = 10;
/// A symbol with at least this many dependents counts as widely used.
const WIDE: u64 = 10;
/// A change with at least this many affected symbols counts as far-reaching.
const FAR: usize = 50;
/// The highest score of a finding that breaks no users: medium.
const MOST: f64 = 49.0;

/// One thing that is risky.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    /// `removedSymbol`, `moved`, `renamed`, `signatureChange`, `behaviorChange`, `highFanIn`, `guardRemoved`, `sideEffectChange`,
    /// `missingTests`, `wideBlastRadius`, `growingFanIn` or `unparsedFile`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// `low`, `medium`, `high` or `critical`.
    pub(crate) severity: &'static str,
    /// From 0 to 100; compared with `riskThreshold`.
    pub(crate) score: u32,
    /// What was found, in a sentence.
    pub(crate) message: String,
    /// The symbols it is about.
    pub(crate) affected_symbols: Vec<Named>,
}

/// How something is known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// `signature`, `guard`, `sideEffect` or `fanIn`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The symbol it is about.
    pub(crate) symbol_id: String,
    /// What was seen.
    pub(crate) description: String,
}

/// Points for the number of dependents: 0 for none, 20 for 10, 40 for 100.
fn spread_points(fan_in: u64) -> f64 {
    20.0 * ((1 + fan_in) as f64).log10()
}

fn make_finding(kind: &'static str, score: f64, message: String, affected: Vec<Named>) -> Finding {
    let score = score.round().clamp(0.0, 100.0) as u32;
    Finding { kind, severity: Verdict::of(score).level, score, message, affected_symbols: affected }
}

/// The highest score of missing tests. It is low because missing tests say nothing about the effect of the change.
const MOST_UNTESTED: f64 = 24.0;

struct Found {
    findings: Vec<Finding>,
    evidence: Vec<Evidence>,
}

impl Found {
    /// Adds to the files that this call serves. A failure to count does not fail the call.
    fn about(&mut self, kind: &'static str, score: f64, subject: &Subject, message: String) {
        let left = if says_who_is_left(kind) { left_behind_score(subject.broken.len()) } else { 0.0 };
        let score = score.min(MOST).max(left);
        self.findings.push(make_finding(kind, score, message, vec![Named::of(subject)]));
    }

    fn prove(&mut self, kind: &'static str, subject: &Subject, description: String) {
        let symbol_id = subject.wire.symbol_id.to_string();
        self.evidence.push(Evidence { kind, symbol_id, description });
    }
}

/// Whether findings of this type say that users were not updated.
fn says_who_is_left(kind: &str) -> bool {
    matches!(kind, "removedSymbol" | "renamed" | "moved" | "signatureChange")
}

/// Returns all risks, the worst first, and the evidence for them.
pub(crate) fn find_risks(compared: &Compared) -> (Vec<Finding>, Vec<Evidence>) {
    let mut found = Found { findings: Vec::new(), evidence: Vec::new() };
    for subject in counted_subjects(compared) {
        of_symbol(subject, &mut found);
    }
    of_whole(compared, &mut found);
    found.findings.sort_by_key(|finding| Reverse(finding.score));
    (found.findings, found.evidence)
}

/// Keeps at most `most` findings, and of each type only those that are listed one by one.
pub(crate) fn keep_worst(findings: &mut Vec<Finding>, most: usize) {
    let mut counts = std::collections::HashMap::new();
    findings.retain(|finding| {
        let count = counts.entry(finding.kind).or_insert(0_usize);
        *count += 1;
        *count <= MOST_OF_TYPE
    });
    findings.truncate(most);
}

fn of_symbol(subject: &Subject, found: &mut Found) {
    let (wire, fan_in) = (&subject.wire, subject.fan_in);
    let name = &wire.name;
    let users = match (fan_in, subject.broken.len()) {
        (0, _) => "nothing uses it".to_owned(),
        (1, 0) => "1 uses it".to_owned(),
        (1, _) => "1 uses it and was not edited".to_owned(),
        (_, 0) => format!("{fan_in} use it"),
        (_, left) => format!("{fan_in} use it, {left} of them were not edited"),
    };
    if subject.seen() {
        match wire.change_type {
            ChangeType::Removed => {
                found.about(
                    "removedSymbol",
                    25.0 + spread_points(fan_in),
                    subject,
                    format!("{name} is gone; {users}"),
                );
            }
            ChangeType::Renamed => {
                let was = wire.previous_name.as_deref().unwrap_or("something else");
                let message = format!("{was} is called {name} now; {users}");
                found.about("renamed", 10.0 + spread_points(fan_in) / 2.0, subject, message);
            }
            ChangeType::Moved => {
                let message = match (&wire.previous_file, &wire.previous_name) {
                    (Some(was), _) => format!("{name} moved from {was} to {}; {users}", wire.file),
                    (None, was) => {
                        let was = was.as_deref().unwrap_or("something else");
                        format!("{was} is {name} now; {users}")
                    }
                };
                found.about("moved", 5.0 + spread_points(fan_in) / 4.0, subject, message);
            }
            ChangeType::Added | ChangeType::Modified => {}
        }
        if subject.narrowed.is_some()
            || wire.change_type == ChangeType::Modified && !wire.tiers.interface_stable
        {
            let how = subject.narrowed.unwrap_or("which shows something else to others now");
            let score = match subject.narrowed {
                Some(_) => 25.0 + spread_points(fan_in),
                None => 5.0 + spread_points(fan_in) / 2.0,
            };
            let message = format!("{name} changed, {how}; {users}");
            found.about("signatureChange", score, subject, message);
        }
    }
    if let Some(diff) = &wire.signature_diff {
        found.prove("signature", subject, format!("{} => {}", diff.before, diff.after));
    }
    if wire.body_changed && (1..WIDE).contains(&fan_in) {
        let message = format!("the behavior of {name} changed; {users}");
        found.about("behaviorChange", 15.0 + spread_points(fan_in), subject, message);
    }
    if wire.body_changed && fan_in >= WIDE {
        let message = format!("the behavior of {name} changed; {users}");
        found.about("highFanIn", 15.0 + spread_points(fan_in), subject, message);
        found.prove("fanIn", subject, users);
    }
    if let Some(diff) = wire.invariant_diff.as_ref().filter(|diff| !diff.removed.is_empty()) {
        let message = format!("{name} lost {}", diff.removed.join("; "));
        found.about("guardRemoved", 30.0 + spread_points(fan_in), subject, message);
        found.prove("guard", subject, format!("gone: {}", diff.removed.join("; ")));
    }
    if let Some(diff) = wire.side_effect_diff.as_ref().filter(|diff| !diff.added.is_empty()) {
        let effects: Vec<String> =
            diff.added.iter().map(|effect| serde_json::to_string(effect).unwrap_or_default()).collect();
        found.about(
            "sideEffectChange",
            25.0 + spread_points(fan_in),
            subject,
            format!("{name} has new side effects"),
        );
        found.prove("sideEffect", subject, format!("new: {}", effects.join(", ")));
    }
}

fn of_whole(compared: &Compared, found: &mut Found) {
    let mut untested: Vec<&Subject> = counted_subjects(compared)
        .filter(|subject| is_testable(subject) && subject.tests.is_empty())
        .collect();
    if !untested.is_empty() {
        untested.sort_by_key(|subject| Reverse(subject.fan_in));
        let most = untested.first().map_or(0, |subject| subject.fan_in);
        let message = format!("no test uses {} of the changed functions", untested.len());
        let affected = untested.iter().take(MOST_OF_TYPE).map(|subject| Named::of(subject)).collect();
        let score = 10.0 + spread_points(untested.len() as u64) + spread_points(most) / 2.0;
        let score = score.min(MOST_UNTESTED);
        found.findings.push(make_finding("missingTests", score, message, affected));
    }
    let reached = compared.blast.len();
    if reached >= FAR {
        let message = format!("{reached} symbols may be affected");
        found.findings.push(make_finding(
            "wideBlastRadius",
            (10.0 + spread_points(reached as u64)).min(MOST),
            message,
            Vec::new(),
        ));
    }
    for amplifier in &compared.amplifiers {
        let changed =
            compared.changed.iter().find(|subject| subject.wire.symbol_id.to_string() == amplifier.symbol_id);
        let grew = |subject: &&Subject| !subject.is_test && subject.wire.body_changed;
        if let Some(subject) = changed.filter(grew) {
            let message = format!(
                "{} changed while what depends on it grew from {} to {}",
                amplifier.name, amplifier.previous, amplifier.current
            );
            found.about("growingFanIn", 15.0 + spread_points(amplifier.current), subject, message);
        }
    }
    for file in compared.diagnostics.unparsed() {
        let message = format!("{file} could not be parsed: its symbols are not compared");
        found.findings.push(make_finding("unparsedFile", 40.0, message, Vec::new()));
    }
}
