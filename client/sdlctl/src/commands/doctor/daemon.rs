//! What the daemon reports, and its checks: whether it answers, its build, what it left over, its warnings and its last crash.

use std::path::Path;

use sdl_client::holder::Holder;
use serde_json::{Value, json};

use super::finding::{DAEMON_ANSWERS, DAEMON_WARNING, Finding, LAST_CRASH, LEFT_OVER_SOCKET, STALE_DAEMON};
use super::machine::Machine;
use crate::output::{number_at, quote_word, text_at};
use crate::session::Session;

/// Repositories whose details are asked for.
const MAX_REPOS: usize = 100;

/// Words in a log that only a crash leaves there.
const CRASHES: [&str; 5] =
    ["panicked", "has overflowed its stack", "memory allocation of", "SIGSEGV", "fatal runtime error"];

/// The daemon, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Daemon {
    /// Its status, if it answers.
    pub(super) status: Option<Value>,
    /// Why there is none.
    pub(super) silence: String,
    /// Whether a process holds the state folder.
    pub(super) is_held: bool,
    /// Its process, from its status or from the lock.
    pub(super) pid: Option<u32>,
    /// `repo.status` of each repository that is served.
    pub(super) details: Vec<Value>,
}

impl Daemon {
    /// Asks the daemon. Starts none.
    pub(super) fn ask(machine: &Machine) -> Self {
        let mut daemon = Self::default();
        let Ok(paths) = &machine.paths else { return daemon };
        if let Ok(Some(holder)) = Holder::of(paths) {
            daemon.is_held = true;
            daemon.pid = holder.pid();
        }
        let session = match Session::existing_at(paths) {
            Ok(session) => session,
            Err(error) => {
                daemon.silence = error.to_string();
                return daemon;
            }
        };
        match session.call("daemon/status", &json!({})) {
            Ok(status) => {
                daemon.pid = u32::try_from(number_at(&status, "/pid")).ok().filter(|pid| *pid > 0);
                daemon.status = Some(status);
            }
            Err(error) => daemon.silence = error.to_string(),
        }
        let served = daemon.repos().iter().filter(|repo| repo["health"] != "failed").take(MAX_REPOS);
        let ids: Vec<String> = served.map(|repo| text_at(repo, "/repoId").to_owned()).collect();
        daemon.details = ids
            .iter()
            .filter_map(|id| session.tool("repo.status", &json!({ "repoId": id })).ok())
            .map(|answer| answer.structured)
            .collect();
        daemon
    }

    /// Its rows of repositories.
    pub(super) fn repos(&self) -> &[Value] {
        let repos = self.status.as_ref().and_then(|status| status["repos"].as_array());
        repos.map(Vec::as_slice).unwrap_or_default()
    }

    /// The roots of its repositories, each with its id.
    pub(super) fn roots(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.repos().iter().map(|repo| (text_at(repo, "/repoId"), Path::new(text_at(repo, "/rootPath"))))
    }
}

pub(super) fn check_daemon(machine: &Machine, daemon: &Daemon) -> Vec<Finding> {
    let mut found = vec![check_answers(daemon)];
    found.extend(check_build(machine, daemon));
    found.extend(check_socket(machine, daemon));
    found.extend(check_warnings(daemon));
    found.extend(check_crash(machine));
    found
}

fn check_answers(daemon: &Daemon) -> Finding {
    let process = daemon.pid.map(|pid| format!("process {pid}")).unwrap_or_default();
    // The rest is advice for a daemon that does not run.
    let silence = daemon.silence.split("; ").next().unwrap_or_default();
    match &daemon.status {
        Some(status) => Finding::ok(
            DAEMON_ANSWERS,
            format!(
                "build {} answers, {process}, {} MiB of its own",
                text_at(status, "/build"),
                number_at(status, "/memory/private") >> 20
            ),
        ),
        None if daemon.is_held => Finding::bad(
            DAEMON_ANSWERS,
            format!("{process} holds the state folder and does not answer here: {silence}"),
            "end it and start another with: sdlctl restart",
        ),
        None => Finding::warn(
            DAEMON_ANSWERS,
            "none is running",
            "clients start it when they connect; to start it now, run: sdlctl start",
        ),
    }
}

fn check_build(machine: &Machine, daemon: &Daemon) -> Option<Finding> {
    let status = daemon.status.as_ref()?;
    let build = text_at(status, "/build");
    let exe = daemon.pid.and_then(|pid| machine.link_target(Path::new(&format!("/proc/{pid}/exe"))));
    let gone = exe.as_deref().and_then(|exe| exe.strip_suffix(" (deleted)"));
    let restart = "start the new program with: sdlctl restart";
    Some(match gone {
        _ if build != sdl_proto::BUILD => Finding::warn(
            STALE_DAEMON,
            format!("the daemon is build {build}, this program is build {}", sdl_proto::BUILD),
            restart,
        ),
        Some(exe) => Finding::warn(
            STALE_DAEMON,
            format!("its program {exe} was replaced or deleted since it started"),
            restart,
        ),
        None => Finding::ok(STALE_DAEMON, "the daemon runs the program that is installed"),
    })
}

fn check_socket(machine: &Machine, daemon: &Daemon) -> Option<Finding> {
    let paths = machine.paths.as_ref().ok()?;
    let socket = machine.about(paths.socket()).filter(|about| about.is_socket)?;
    if daemon.status.is_some() || daemon.is_held {
        return None;
    }
    let place = paths.socket().display();
    if socket.user != machine.user {
        return Some(Finding::bad(
            LEFT_OVER_SOCKET,
            format!("{place} belongs to user {}", socket.user),
            format!("remove it with: sudo rm {}", quote_word(place)),
        ));
    }
    Some(Finding::warn(
        LEFT_OVER_SOCKET,
        format!("nobody listens on {place}; a daemon that did not end in order left it"),
        "a start replaces it: sdlctl start",
    ))
}

fn check_warnings(daemon: &Daemon) -> Vec<Finding> {
    let Some(status) = &daemon.status else { return Vec::new() };
    let warnings = status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let found: Vec<Finding> = warnings
        .map(|text| {
            if text.contains("is not served") || text.contains("are not served") {
                Finding::bad(DAEMON_WARNING, text, "remove the cause, then run: sdlctl restart")
            } else if text.contains("was damaged") {
                let fix = "compare the ledger that was built in its place with the tree: sdlctl verify";
                Finding::warn(DAEMON_WARNING, text, fix)
            } else {
                Finding::warn(DAEMON_WARNING, text, "see what led to it with: sdlctl logs -n 200")
            }
        })
        .collect();
    if found.is_empty() { vec![Finding::ok(DAEMON_WARNING, "no warnings since its start")] } else { found }
}

/// Looks for a crash in what the daemon wrote: the log, and its standard error before the log was open.
fn check_crash(machine: &Machine) -> Option<Finding> {
    let paths = machine.paths.as_ref().ok()?;
    let logs = paths.logs();
    let names = machine.names_in(&logs);
    let newest = names.iter().filter(|name| name.starts_with("sdld.")).max();
    let files = newest.map(|name| logs.join(name)).into_iter().chain([paths.start_log()]);
    let crash = files.into_iter().find_map(|file| {
        let text = machine.read_end(&file)?;
        let line = text.lines().rev().find(|line| CRASHES.iter().any(|word| line.contains(word)))?;
        Some((file, shorten_line(line)))
    });
    Some(match crash {
        Some((file, line)) => Finding::warn(
            LAST_CRASH,
            format!("{}: {line}", file.display()),
            "report it with the lines around it, which this prints: sdlctl logs -n 200",
        ),
        None => Finding::ok(LAST_CRASH, "none in the newest log"),
    })
}

/// The beginning of a line of a log.
fn shorten_line(line: &str) -> String {
    const MOST: usize = 300;
    if line.chars().count() <= MOST {
        line.to_owned()
    } else {
        line.chars().take(MOST).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    fn running() -> Daemon {
        let status =
            json!({ "build": sdl_proto::BUILD, "pid": 7, "memory": { "private": 3 << 20 }, "warnings": [] });
        Daemon { status: Some(status), is_held: true, pid: Some(7), ..Daemon::default() }
    }

    #[test]
    fn a_daemon_that_is_well_has_no_problems() {
        let root = tempfile::tempdir().unwrap();
        let found = check_daemon(&Machine::fixture(root.path()), &running());
        assert!(found.iter().all(|one| one.severity == Severity::Ok) && found.len() == 4, "{found:#?}");
    }

    #[test]
    fn one_that_does_not_answer_is_worse_than_none() {
        assert_eq!(check_answers(&Daemon::default()).severity, Severity::Warn);
        let held = Daemon { is_held: true, pid: Some(9), silence: "no answer".into(), ..Daemon::default() };
        let found = check_answers(&held);
        assert!(found.severity == Severity::Bad && found.note.contains("process 9"), "{found:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_program_and_another_build_are_stale() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        machine.link("/proc/7/exe", "/usr/bin/sdld (deleted)");
        let found = check_build(&machine, &running()).unwrap();
        assert!(
            found.severity == Severity::Warn && found.note.contains("/usr/bin/sdld was replaced"),
            "{found:?}"
        );
        let mut other = running();
        other.status.as_mut().unwrap()["build"] = "0.0.1".into();
        let found = check_build(&machine, &other).unwrap();
        assert!(found.note.contains("build 0.0.1") && found.fix.unwrap().contains("sdlctl restart"));
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_without_a_daemon_is_left_over() {
        let root = tempfile::tempdir().unwrap();
        let mut machine = Machine::fixture(root.path());
        assert_eq!(check_socket(&machine, &Daemon::default()), None);
        let place = machine.place(Path::new("/run/user/1000/sdl/sdl-v1.sock"));
        let _listener = std::os::unix::net::UnixListener::bind(place).unwrap();
        assert_eq!(check_socket(&machine, &Daemon::default()).unwrap().severity, Severity::Warn);
        assert_eq!(check_socket(&machine, &running()), None);
        machine.user += 1;
        assert_eq!(check_socket(&machine, &Daemon::default()).unwrap().severity, Severity::Bad);
    }

    #[test]
    fn warnings_and_crashes_are_shown() {
        let mut daemon = running();
        daemon.status.as_mut().unwrap()["warnings"] =
            json!(["the ledger of a was damaged (x); it is kept", "repository b is not served: y"]);
        let severities: Vec<_> = check_warnings(&daemon).iter().map(|one| one.severity).collect();
        assert_eq!(severities, [Severity::Warn, Severity::Bad]);
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::fixture(root.path());
        machine
            .write("/home/me/.local/state/sdl/log/sdld.2026-01-01.log", "thread 'a' panicked at b\nwell\n");
        machine.write("/home/me/.local/state/sdl/log/sdld.2026-01-02.log", "well\n");
        assert_eq!(check_crash(&machine).unwrap().severity, Severity::Ok, "an old log");
        machine.write("/home/me/.local/state/sdl/log/start.log", "thread 'main' has overflowed its stack\n");
        let found = check_crash(&machine).unwrap();
        assert!(
            found.severity == Severity::Warn && found.note.contains("start.log: thread 'main'"),
            "{found:?}"
        );
    }
}
