//! The results of the suite.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Target;
use crate::command::{Fault, Outcome};

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    Passed,
    /// The suite skipped it.
    Skipped,
    /// Not everything that a server should do.
    Warned,
    /// Not everything that a server must do.
    Failed,
}

impl Status {
    /// Parses the suite's word; none for an entry that is not a check.
    fn from_suite(word: &str) -> Option<Self> {
        Some(match word {
            "SUCCESS" => Self::Passed,
            "SKIPPED" => Self::Skipped,
            "WARNING" => Self::Warned,
            "FAILURE" => Self::Failed,
            _ => return None,
        })
    }
}

/// A revision of the protocol, and the scenarios that the suite requires for it.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    pub(crate) name: String,
    /// The scenarios that a server has to pass.
    pub(crate) required: Vec<String>,
}

impl Revision {
    /// From the suite's list: the entries below `server:`.
    pub(crate) fn new(name: &str, requirements: &str) -> Self {
        let below = requirements.lines().skip_while(|line| *line != "server:").skip(1);
        let entries = below.map_while(|line| line.strip_prefix("  - ")).map(|entry| entry.trim().to_owned());
        Self { name: name.to_owned(), required: entries.collect() }
    }

    /// The required scenarios that were not run.
    pub(crate) fn unseen(&self, ran: &[Scenario]) -> Vec<String> {
        let seen = |name: &&String| !ran.iter().any(|scenario| scenario.name == **name);
        self.required.iter().filter(seen).cloned().collect()
    }
}

/// One scenario's checks. If several have one name, the worst counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) checks: BTreeMap<String, Status>,
}

impl Scenario {
    pub(crate) fn new(name: &str, checks: &Value) -> Self {
        let mut by_name = BTreeMap::new();
        for check in checks.as_array().into_iter().flatten() {
            let (name, status) =
                (check["id"].as_str(), check["status"].as_str().and_then(Status::from_suite));
            if let (Some(name), Some(status)) = (name, status) {
                let worst = by_name.entry(name.to_owned()).or_insert(status);
                *worst = status.max(*worst);
            }
        }
        Self { name: name.to_owned(), checks: by_name }
    }

    /// As the suite sees it: nothing failed.
    pub(crate) fn passed(&self) -> bool {
        self.checks.values().all(|status| *status != Status::Failed)
    }

    /// How many checks passed, and how many there are.
    pub(crate) fn count(&self) -> (usize, usize) {
        let passed = self.checks.values().filter(|status| **status == Status::Passed).count();
        (passed, self.checks.len())
    }
}

/// Reads the folders that the suite has written, `server-<scenario>-<time>/checks.json`, in no order, because two may
/// have begun within one millisecond.
pub(crate) fn read_scenarios(dir: &Path) -> Outcome<Vec<Scenario>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let folder = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = scenario_of(&folder) else { continue };
        let text = fs::read_to_string(entry.path().join("checks.json"))?;
        let checks = serde_json::from_str(&text).map_err(|error| Fault::new(format!("{folder}: {error}")))?;
        found.push(Scenario::new(name, &checks));
    }
    Ok(found)
}

/// The folder's scenario: the part before the time.
fn scenario_of(folder: &str) -> Option<&str> {
    const TIME: usize = "-2026-11-21T22-42-30-186Z".len();
    let rest = folder.strip_prefix("server-")?;
    rest.split_at_checked(rest.len().checked_sub(TIME)?).map(|(name, _)| name)
}

/// Everything that was found.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) runs: Vec<Run>,
}

/// One target at one revision.
pub(crate) struct Run {
    pub(crate) target: Target,
    pub(crate) revision: Revision,
    pub(crate) scenarios: Vec<Scenario>,
}

impl Outcomes {
    /// Sorts the scenarios in the order in which the revision requires them, then those that it does not require, by
    /// name.
    pub(crate) fn add(&mut self, target: Target, revision: &Revision, mut scenarios: Vec<Scenario>) {
        let place =
            |name: &str| revision.required.iter().position(|required| required == name).unwrap_or(usize::MAX);
        scenarios.sort_by(|a, b| (place(&a.name), &a.name).cmp(&(place(&b.name), &b.name)));
        self.runs.push(Run { target, revision: revision.clone(), scenarios });
    }

    pub(crate) fn scenario(&self, target: Target, revision: &str, name: &str) -> Option<&Scenario> {
        let run = self.runs.iter().find(|run| run.target == target && run.revision.name == revision)?;
        run.scenarios.iter().find(|scenario| scenario.name == name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_worst_of_a_checks_outcomes_counts_and_remarks_do_not() {
        let checks = json!([
            {"id": "a", "status": "SUCCESS"}, {"id": "a", "status": "FAILURE"}, {"id": "a", "status": "SUCCESS"},
            {"id": "b", "status": "INFO"}, {"id": "c", "status": "WARNING"},
        ]);
        let scenario = Scenario::new("s", &checks);
        assert_eq!(scenario.checks, [("a".into(), Status::Failed), ("c".into(), Status::Warned)].into());
        assert_eq!((scenario.passed(), scenario.count()), (false, (0, 2)));
    }

    #[test]
    fn required_is_what_stands_below_server() {
        let text = "# server:\nserver:\n  - ping\n  - tools-list\n\nclient:\n  - initialize\n";
        let revision = Revision::new("r", text);
        assert_eq!(revision.required, ["ping", "tools-list"]);
        assert_eq!(revision.unseen(&[Scenario::new("ping", &json!([]))]), ["tools-list"]);
    }

    #[test]
    fn folders_name_their_scenario() {
        let folder = "server-json-schema-2020-12-2026-11-21T22-42-30-207Z";
        assert_eq!(scenario_of(folder), Some("json-schema-2020-12"));
        assert_eq!(scenario_of("log.txt"), None);
    }

    #[test]
    fn the_order_is_the_same_whatever_ran_first() {
        let revision = Revision::new("r", "server:\n  - ping\n  - all\n");
        let mut outcomes = Outcomes::default();
        let ran = ["z", "all", "b", "ping"].map(|name| Scenario::new(name, &json!([])));
        outcomes.add(Target::Flat, &revision, ran.into());
        let names: Vec<&str> = outcomes.runs[0].scenarios.iter().map(|ran| ran.name.as_str()).collect();
        assert_eq!(names, ["ping", "all", "b", "z"]);
    }
}
