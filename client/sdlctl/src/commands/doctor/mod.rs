//! `doctor`: finds the most likely problems and says what to do about each. It starts and changes nothing, unless `--reach` asks
//! for it. Each check is a function of the [`machine`] and of the report of the [`daemon`], so that tests need neither.

mod clients;
mod daemon;
mod finding;
mod folders;
mod limits;
mod machine;
mod mounts;
mod places;
mod programs;
mod resources;
mod service;
mod show;
mod trees;
mod upstreams;

use daemon::Daemon;
use finding::{Finding, Severity};
use machine::Machine;

use crate::output::{self, Failure, Outcome};

pub(crate) fn run_doctor(reach: bool, as_json: bool) -> Result<Outcome, Failure> {
    let machine = Machine::of_this_process();
    let daemon = Daemon::ask(&machine);
    let mut findings = check_machine(&machine, &daemon);
    findings.extend(upstreams::check_upstreams(daemon.status.as_ref(), reach));
    findings.sort_by_key(|one| one.check.theme);
    if as_json {
        output::print_json(&show::findings_json(&findings));
    } else {
        show::print_findings(&findings);
    }
    let is_bad = findings.iter().any(|one| one.severity == Severity::Bad);
    Ok(if is_bad { Outcome::Bad } else { Outcome::Good })
}

/// All checks but those of upstreams.
fn check_machine(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let mut found = limits::check_limits(machine, daemon);
    found.extend(resources::check_resources(machine, daemon));
    found.extend(programs::check_programs(machine));
    found.extend(folders::check_folders(machine, daemon));
    found.extend(service::check_service(machine));
    found.extend(daemon::check_daemon(machine, daemon));
    found.extend(trees::check_trees(machine, daemon));
    found.extend(places::check_places(machine, daemon));
    found.extend(clients::check_clients(machine));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_says_what_to_do_and_changes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let count = || walk(root.path());
        let before = count();
        for finding in check_machine(&machine, &Daemon::default()) {
            assert_eq!(finding.fix.is_some(), finding.severity != Severity::Ok, "{finding:?}");
            assert_ne!(finding.severity, Severity::Bad, "{finding:?}");
        }
        assert_eq!(count(), before);
    }

    fn walk(folder: &std::path::Path) -> usize {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.map(|path| 1 + if path.is_dir() { walk(&path) } else { 0 }).sum()
    }
}
