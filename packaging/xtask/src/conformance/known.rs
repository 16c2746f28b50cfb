//! `misses.txt`: the checks that are known not to pass, each with its reason.
//!
//! ```text
//! why KEY: a reason
//! TARGET REVISION KIND SCENARIO/CHECK KEY
//! ```
//!
//! A target is `product`, `fixtures` or `both`; a revision is a date, or `*` for both; a kind is the result of the
//! check: `failed`, `warned`, `skipped`, or `hollow` for a check that passes without having tried its subject.

use std::collections::{BTreeMap, BTreeSet};

use super::Target;
use super::outcome::{Outcomes, Status};
use crate::command::{Fault, Outcome};

pub(crate) struct Known {
    /// In the order of the file.
    pub(crate) reasons: Vec<(String, String)>,
    lines: Vec<Line>,
}

struct Line {
    targets: &'static [Target],
    /// None for both.
    revision: Option<String>,
    status: Status,
    scenario: String,
    check: String,
    reason: String,
}

impl Line {
    fn is_about(&self, target: Target, revision: &str) -> bool {
        self.targets.contains(&target) && self.revision.as_deref().is_none_or(|name| name == revision)
    }
}

impl Known {
    pub(crate) fn read(text: &str) -> Outcome<Self> {
        let mut known = Self { reasons: Vec::new(), lines: Vec::new() };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let bad = || Fault::new(format!("misses.txt: {line:?} is no line as its head describes"));
            if let Some(reason) = line.strip_prefix("why ") {
                let (key, reason) = reason.split_once(": ").ok_or_else(bad)?;
                known.reasons.push((key.to_owned(), reason.to_owned()));
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let [target, revision, kind, path, reason] = words[..] else { return Err(bad()) };
            let (scenario, check) = path.split_once('/').ok_or_else(bad)?;
            if !known.reasons.iter().any(|(key, _)| key == reason) {
                return Err(bad());
            }
            known.lines.push(Line {
                targets: match target {
                    "product" => &[Target::Gateway, Target::Flat],
                    "fixtures" => &[Target::Fixtures],
                    "both" => &[Target::Gateway, Target::Flat, Target::Fixtures],
                    _ => return Err(bad()),
                },
                revision: (revision != "*").then(|| revision.to_owned()),
                status: match kind {
                    "failed" => Status::Failed,
                    "warned" => Status::Warned,
                    "skipped" => Status::Skipped,
                    "hollow" => Status::Passed,
                    _ => return Err(bad()),
                },
                scenario: scenario.to_owned(),
                check: check.to_owned(),
                reason: reason.to_owned(),
            });
        }
        Ok(known)
    }

    /// The reasons that are given for a scenario's checks, without those for hollow ones.
    pub(crate) fn reasons_for(&self, target: Target, revision: &str, scenario: &str) -> BTreeSet<&str> {
        let lines =
            self.lines.iter().filter(|line| line.is_about(target, revision) && line.scenario == scenario);
        lines.filter(|line| line.status != Status::Passed).map(|line| line.reason.as_str()).collect()
    }

    /// The checks of a scenario that pass without having tried their subject.
    pub(crate) fn hollow(&self, target: Target, revision: &str, scenario: &str) -> Vec<&str> {
        let lines =
            self.lines.iter().filter(|line| line.is_about(target, revision) && line.scenario == scenario);
        lines.filter(|line| line.status == Status::Passed).map(|line| line.check.as_str()).collect()
    }

    /// Every check that goes otherwise than is known, in words.
    pub(crate) fn differences(&self, outcomes: &Outcomes) -> Vec<String> {
        let mut faults = Vec::new();
        for run in &outcomes.runs {
            let (target, revision) = (run.target, run.revision.name.as_str());
            let mut expected: BTreeMap<(&str, &str), Status> = BTreeMap::new();
            for line in self.lines.iter().filter(|line| line.is_about(target, revision)) {
                expected.insert((&line.scenario, &line.check), line.status);
            }
            let place = format!("{}, {revision}", target.name());
            for scenario in &run.scenarios {
                for (check, status) in &scenario.checks {
                    let known = expected.remove(&(&scenario.name, check)).unwrap_or(Status::Passed);
                    if known != *status {
                        let name = &scenario.name;
                        faults.push(format!("{place}: {name}/{check}: {status:?}, known as {known:?}"));
                    }
                }
            }
            for (scenario, check) in expected.into_keys() {
                faults.push(format!("{place}: {scenario}/{check} was not run, but is known"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::outcome::{Revision, Scenario};
    use super::*;

    const MISSES: &str =
        "# A comment\nwhy a: because\nproduct * failed s/x a\nboth 1 warned s/y a\nproduct 1 hollow s/z a\n";

    fn outcomes(checks: serde_json::Value) -> Outcomes {
        let mut outcomes = Outcomes::default();
        outcomes.add(Target::Flat, &Revision::new("1", ""), vec![Scenario::new("s", &checks)]);
        outcomes
    }

    #[test]
    fn what_is_known_is_no_difference_and_all_else_is() {
        let known = Known::read(MISSES).unwrap_or_else(|fault| panic!("{fault}"));
        let as_known = json!([
            {"id": "x", "status": "FAILURE"}, {"id": "y", "status": "WARNING"}, {"id": "z", "status": "SUCCESS"},
            {"id": "w", "status": "SUCCESS"},
        ]);
        assert_eq!(known.differences(&outcomes(as_known)), [""; 0]);
        let otherwise = json!([
            {"id": "x", "status": "SUCCESS"}, {"id": "z", "status": "FAILURE"}, {"id": "w", "status": "FAILURE"},
        ]);
        let found = known.differences(&outcomes(otherwise));
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[3].contains("s/y was not run"), "{found:?}");
        assert_eq!(known.hollow(Target::Gateway, "1", "s"), ["z"]);
        assert!(known.hollow(Target::Fixtures, "1", "s").is_empty());
    }

    #[test]
    fn a_line_without_a_reason_is_refused() {
        for line in
            ["product * failed s/x b", "product * failed s a", "all * failed s/x a", "product * lost s/x a"]
        {
            assert!(Known::read(&format!("why a: because\n{line}\n")).is_err(), "{line}");
        }
    }
}
