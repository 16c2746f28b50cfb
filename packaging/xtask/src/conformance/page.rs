//! The tables on `docs/conformance.md`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use super::known::Known;
use super::outcome::{Outcomes, Run, Status};
use super::{REVISIONS, Target};
use crate::command::{self, Fault, Outcome};

const PAGE: &str = "docs/conformance.md";
const BEGIN: &str = "<!-- Written by `cargo xtask conformance --write`. -->\n";
const END: &str = "<!-- Until here. -->";

/// The scores, every scenario, and the reasons.
pub(crate) fn outcome_table(outcomes: &Outcomes, known: &Known) -> String {
    let mut text = String::from("| required scenarios passed | 2025-11-25 | 2026-07-28 |\n|---|---|---|\n");
    for (target, _) in super::TARGETS {
        let scores = REVISIONS.map(|revision| {
            let run = outcomes.runs.iter().find(|run| run.target == target && run.revision.name == revision);
            run.map(|run| score_text(run, known)).unwrap_or_default()
        });
        let _ = writeln!(text, "| {} | {} |", target.name(), scores.join(" | "));
    }
    text.push_str("\n| scenario | revision | product | with fixtures | |\n|---|---|---|---|---|\n");
    for run in outcomes.runs.iter().filter(|run| run.target == Target::Gateway) {
        let revision = run.revision.name.as_str();
        for scenario in &run.scenarios {
            let name = &scenario.name;
            let cell = |target| {
                outcomes.scenario(target, revision, name).map_or_else(String::new, |scenario| {
                    let (passed, of) = scenario.count();
                    let hollow = known.hollow(target, revision, name).len();
                    let hollow = if hollow == 0 { String::new() } else { format!(", {hollow} hollow") };
                    format!("{passed}/{of}{hollow}")
                })
            };
            let mut remarks: BTreeSet<&str> = known.reasons_for(Target::Gateway, revision, name);
            remarks.extend(known.reasons_for(Target::Fixtures, revision, name));
            if !run.revision.required.contains(name) {
                remarks.insert("(not scored)");
            }
            let remarks: Vec<&str> = remarks.into_iter().collect();
            let (product, fixtures) = (cell(Target::Gateway), cell(Target::Fixtures));
            let _ =
                writeln!(text, "| {name} | {revision} | {product} | {fixtures} | {} |", remarks.join(", "));
        }
    }
    text.push_str("\n| why | |\n|---|---|\n");
    for (key, reason) in &known.reasons {
        let _ = writeln!(text, "| {key} | {reason} |");
    }
    text
}

/// `passed of all`, and of how many of the passed ones no check of their own has passed but hollow ones.
fn score_text(run: &Run, known: &Known) -> String {
    let required = run.scenarios.iter().filter(|scenario| run.revision.required.contains(&scenario.name));
    let (mut passed, mut hollow) = (0, 0);
    for scenario in required.filter(|scenario| scenario.passed()) {
        passed += 1;
        let unproven = known.hollow(run.target, &run.revision.name, &scenario.name);
        // The shape of each message is checked in every scenario.
        let mut own = scenario.checks.iter().filter(|(check, _)| *check != "wire-schema-valid");
        let proves =
            own.any(|(check, status)| *status == Status::Passed && !unproven.contains(&check.as_str()));
        hollow += usize::from(!proves);
    }
    let all = run.revision.required.len();
    if hollow == 0 {
        format!("{passed} of {all}")
    } else {
        format!("{passed} of {all}, {hollow} of them hollow")
    }
}

/// Puts the tables on the page, or says that it has others.
pub(crate) fn compare_page(table: &str, write: bool) -> Outcome<Option<String>> {
    let path = command::workspace_root().join(PAGE);
    let page = fs::read_to_string(&path)?;
    let split = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let (before, (found, after)) = split.ok_or_else(|| Fault::new(format!("{PAGE} has lost its marks")))?;
    if found == table {
        return Ok(None);
    }
    if !write {
        return Ok(Some(format!(
            "{PAGE} has other tables; `cargo xtask conformance --write` puts these there"
        )));
    }
    fs::write(path, format!("{before}{BEGIN}{table}{END}{after}"))?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::outcome::{Revision, Scenario};
    use super::*;

    #[test]
    fn a_scenario_that_proves_nothing_is_hollow() {
        let known = Known::read("why a: because\nproduct * hollow untried/x a\n");
        let known = known.unwrap_or_else(|fault| panic!("{fault}"));
        let scenario = |name: &str, status: &str| {
            let shape = json!({"id": "wire-schema-valid", "status": "SUCCESS"});
            Scenario::new(name, &json!([{"id": "x", "status": status}, shape]))
        };
        let run = Run {
            target: Target::Flat,
            revision: Revision::new("1", "server:\n  - good\n  - bad\n  - untried\n  - warned\n"),
            scenarios: vec![
                scenario("good", "SUCCESS"),
                scenario("bad", "FAILURE"),
                scenario("untried", "SUCCESS"),
                scenario("warned", "WARNING"),
                scenario("extra", "SUCCESS"),
            ],
        };
        assert_eq!(score_text(&run, &known), "3 of 4, 2 of them hollow");
    }
}
