//! Limits of the kernel: watches, instances of inotify, queued events, open files.

use std::path::Path;

use serde_json::Value;

use super::daemon::Daemon;
use super::finding::{Check, EVENT_QUEUE, Finding, OPEN_FILES, WATCH_INSTANCES, WATCH_LIMIT};
use super::machine::Machine;
use crate::output::number_at;

const INOTIFY: &str = "/proc/sys/fs/inotify";

/// Watches below which a large tree is in danger.
const LOW_WATCHES: u64 = 65_536;

/// The kernel's default length of the queue of events.
const DEFAULT_QUEUE: u64 = 16_384;

/// Files that a daemon needs: a few for each ledger, and one for each connection.
const LOW_FILES: u64 = 1_024;

/// What the daemon's log says after the queue overflowed.
const OVERFLOW: &str = "the system dropped file events";

pub(super) fn check_limits(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let found = [
        check_watches(machine, daemon),
        check_instances(machine),
        check_queue(machine),
        check_files(machine, daemon),
    ];
    found.into_iter().flatten().collect()
}

/// The command that sets a variable of the kernel now and after the next start.
fn set_variable(machine: &Machine, name: &str, value: u64) -> String {
    let place = if machine.is_container() { "raise it on the container's host" } else { "raise it" };
    format!(
        "{place}: echo fs.inotify.{name}={value} | sudo tee -a /etc/sysctl.d/60-sdl.conf && sudo sysctl --system"
    )
}

/// Each folder takes one watch. All programs of the user share the number.
fn check_watches(machine: &Machine, daemon: &Daemon) -> Option<Finding> {
    let limit = machine.read_number(format!("{INOTIFY}/max_user_watches"))?;
    let used: u64 = daemon.repos().iter().map(|repo| number_at(repo, "/watcher/watches")).sum();
    let is_reached = |repo: &&Value| {
        repo["watcher"]["degradedReason"].as_str().is_some_and(|why| why.contains("max_user_watches"))
    };
    let note = format!("{limit} folders can be watched, the trees use {used}");
    let fix = || set_variable(machine, "max_user_watches", 1_048_576.max(used.saturating_mul(4)));
    Some(match daemon.repos().iter().filter(is_reached).count() as u64 {
        0 if used.saturating_mul(4) > limit.saturating_mul(3) => Finding::warn(WATCH_LIMIT, note, fix()),
        0 if limit < LOW_WATCHES => {
            Finding::warn(WATCH_LIMIT, format!("{note}; a large tree, and your editor, may need more"), fix())
        }
        0 => Finding::ok(WATCH_LIMIT, note),
        reached => {
            let trees = crate::output::format_count(reached, "tree");
            Finding::bad(WATCH_LIMIT, format!("{note}; {trees} could not be watched"), fix())
        }
    })
}

/// Each program that watches takes an instance, often several.
fn check_instances(machine: &Machine) -> Option<Finding> {
    let limit = machine.read_number(format!("{INOTIFY}/max_user_instances"))?;
    let used = count_instances(machine);
    let note = format!("{used} of {limit} watchers of this user's programs are in use");
    let fix = || set_variable(machine, "max_user_instances", 1_024.max(limit.saturating_mul(4)));
    Some(if used >= limit {
        Finding::bad(WATCH_INSTANCES, note, fix())
    } else if used.saturating_mul(5) >= limit.saturating_mul(4) {
        Finding::warn(WATCH_INSTANCES, note, fix())
    } else {
        Finding::ok(WATCH_INSTANCES, note)
    })
}

/// The instances of inotify that processes of this user have open.
fn count_instances(machine: &Machine) -> u64 {
    let own = |pid: &u32| {
        machine.about(Path::new(&format!("/proc/{pid}"))).is_some_and(|about| about.user == machine.user)
    };
    let count_in = |pid: u32| {
        let folder = Path::new("/proc").join(pid.to_string()).join("fd");
        let links =
            machine.names_in(&folder).into_iter().filter_map(|name| machine.link_target(&folder.join(name)));
        links.filter(|target| target.contains("inotify")).count() as u64
    };
    machine.processes().into_iter().filter(own).map(count_in).sum()
}

fn check_queue(machine: &Machine) -> Option<Finding> {
    let limit = machine.read_number(format!("{INOTIFY}/max_queued_events"))?;
    let dropped = count_overflows(machine);
    let note = format!("up to {limit} events wait");
    let fix = || set_variable(machine, "max_queued_events", 65_536.max(limit.saturating_mul(4)));
    Some(if dropped > 0 {
        let times = crate::output::format_count(dropped, "time");
        let note = format!("{note}, and the system dropped some {times}; the trees were then compared again");
        Finding::warn(EVENT_QUEUE, note, fix())
    } else if limit < DEFAULT_QUEUE {
        Finding::warn(EVENT_QUEUE, format!("{note}, fewer than the usual {DEFAULT_QUEUE}"), fix())
    } else {
        Finding::ok(EVENT_QUEUE, note)
    })
}

/// How often the newest log notes that events were dropped.
fn count_overflows(machine: &Machine) -> u64 {
    let Ok(paths) = &machine.paths else { return 0 };
    let names = machine.names_in(&paths.logs());
    let newest = names.iter().filter(|name| name.starts_with("sdld.")).max();
    let text = newest.and_then(|name| machine.read_end(&paths.logs().join(name))).unwrap_or_default();
    text.lines().filter(|line| line.contains(OVERFLOW)).count() as u64
}

/// The daemon's limit, or else that of this terminal, which a daemon that is started here inherits.
fn check_files(machine: &Machine, daemon: &Daemon) -> Option<Finding> {
    let pid = daemon.pid.filter(|_| daemon.status.is_some());
    let process = pid.map_or_else(|| "self".to_owned(), |pid| pid.to_string());
    let limit = open_limit(&machine.read(format!("/proc/{process}/limits"))?)?;
    let whose = if pid.is_some() { "the daemon" } else { "a daemon started here" };
    let used = pid.map_or(0, |pid| machine.names_in(Path::new(&format!("/proc/{pid}/fd"))).len() as u64);
    let open = if pid.is_some() { format!(", {used} are open") } else { String::new() };
    let note = format!("{whose} can open {limit} files{open}");
    Some(judge_files(OPEN_FILES, note, used, limit))
}

fn judge_files(check: &'static Check, note: String, used: u64, limit: u64) -> Finding {
    let fix =
        "start it with more: ulimit -n 8192 && sdlctl restart (a service has them: sdlctl service install)";
    if used.saturating_mul(10) >= limit.saturating_mul(9) {
        Finding::bad(check, note, fix)
    } else if used.saturating_mul(2) >= limit || limit < LOW_FILES {
        Finding::warn(check, note, fix)
    } else {
        Finding::ok(check, note)
    }
}

/// The soft limit of open files in the kernel's table of a process.
fn open_limit(table: &str) -> Option<u64> {
    let row = table.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match row.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use serde_json::json;

    use super::super::finding::Severity;
    use super::*;

    const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     \n\
                          Max cpu time              unlimited            unlimited            seconds   \n\
                          Max open files            1024                 524288               files     \n";

    fn with_repos(repos: Value) -> Daemon {
        Daemon { status: Some(json!({ "repos": repos })), pid: Some(7), ..Daemon::default() }
    }

    fn fixture(root: &Path, watches: &str, instances: &str, queue: &str) -> Machine {
        let machine = Machine::fixture(root);
        machine.write("/proc/sys/fs/inotify/max_user_watches", watches);
        machine.write("/proc/sys/fs/inotify/max_user_instances", instances);
        machine.write("/proc/sys/fs/inotify/max_queued_events", queue);
        machine
    }

    #[test]
    fn watches_are_compared_with_what_the_trees_use() {
        let root = tempfile::tempdir().unwrap();
        let machine = fixture(root.path(), "100000\n", "128", "16384");
        let of = |repos| check_watches(&machine, &with_repos(repos)).unwrap().severity;
        assert_eq!(of(json!([{ "watcher": { "watches": 10 } }])), Severity::Ok);
        assert_eq!(
            of(json!([{ "watcher": { "watches": 50_000 } }, { "watcher": { "watches": 40_000 } }])),
            Severity::Warn
        );
        let reached =
            json!([{ "watcher": { "watches": 0, "degradedReason": "raise fs.inotify.max_user_watches" } }]);
        let found = check_watches(&machine, &with_repos(reached)).unwrap();
        assert_eq!(found.severity, Severity::Bad);
        assert!(found.fix.unwrap().contains("sudo sysctl --system"));
        machine.write("/proc/sys/fs/inotify/max_user_watches", "8192");
        assert_eq!(of(json!([])), Severity::Warn);
        assert_eq!(check_watches(&Machine::fixture(&root.path().join("mac")), &Daemon::default()), None);
    }

    #[test]
    fn instances_of_all_programs_count() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = fixture(root.path(), "1", "5", "1");
        machine.link("/proc/7/fd/3", "anon_inode:inotify");
        machine.link("/proc/7/fd/4", "socket:[1]");
        assert_eq!(check_instances(&machine).unwrap().severity, Severity::Ok);
        for fd in 5..8 {
            machine.link(&format!("/proc/8/fd/{fd}"), "anon_inode:inotify");
        }
        assert_eq!(check_instances(&machine).unwrap().severity, Severity::Warn);
        machine.link("/proc/9/fd/1", "anon_inode:inotify");
        assert_eq!(check_instances(&machine).unwrap().severity, Severity::Bad);
        machine.user += 1;
        assert_eq!(check_instances(&machine).unwrap().severity, Severity::Ok, "those of others");
    }

    #[test]
    fn a_queue_that_overflowed_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let machine = fixture(root.path(), "1", "1", "16384");
        assert_eq!(check_queue(&machine).unwrap().severity, Severity::Ok);
        let line =
            format!("2026-01-01T00:00:00Z  WARN sdl_watch: {OVERFLOW}; all repositories are compared\n");
        machine.write("/home/me/.local/state/sdl/log/sdld.2026-01-01.log", &line.repeat(2));
        let found = check_queue(&machine).unwrap();
        assert!(found.severity == Severity::Warn && found.note.contains("2 times"), "{found:?}");
        machine.write("/home/me/.local/state/sdl/log/sdld.2026-01-02.log", "");
        machine.write("/proc/sys/fs/inotify/max_queued_events", "100");
        assert_eq!(check_queue(&machine).unwrap().severity, Severity::Warn);
    }

    #[test]
    fn open_files_are_those_of_the_daemon() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        let daemon = with_repos(json!([]));
        machine.write("/proc/7/limits", LIMITS);
        machine.write("/proc/7/fd/0", "");
        let found = check_files(&machine, &daemon).unwrap();
        assert_eq!(
            (found.severity, found.note.as_str()),
            (Severity::Ok, "the daemon can open 1024 files, 1 are open")
        );
        machine.write("/proc/self/limits", &LIMITS.replace("1024", "256 "));
        assert_eq!(check_files(&machine, &Daemon::default()).unwrap().severity, Severity::Warn);
        assert_eq!(judge_files(OPEN_FILES, String::new(), 950, 1_024).severity, Severity::Bad);
        assert_eq!(open_limit("Max open files            unlimited  unlimited  files"), Some(u64::MAX));
    }
}
