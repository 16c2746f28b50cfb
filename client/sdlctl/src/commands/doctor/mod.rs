//! `doctor`: checks common problems, for example a full watch limit, and suggests what to do. Starts nothing, unless `--reach`
//! asks for it.

mod upstreams;

use std::fs;

use serde_json::{Value, json};

use crate::output::{self, Failure, Outcome, style_green, style_red, text_at};
use crate::session::{self, Session};

struct Check {
    what: &'static str,
    good: bool,
    note: String,
}

impl Check {
    fn good(what: &'static str, note: impl Into<String>) -> Self {
        Self { what, good: true, note: note.into() }
    }

    fn bad(what: &'static str, note: impl Into<String>) -> Self {
        Self { what, good: false, note: note.into() }
    }
}

pub(crate) fn run_doctor(reach: bool, as_json: bool) -> Result<Outcome, Failure> {
    let mut checks = vec![check_folders(), check_program(), check_watches()];
    let (daemon, status) = check_daemon();
    checks.push(daemon);
    checks.extend(status.iter().flat_map(check_repos));
    checks.extend(upstreams::check_upstreams(status.as_ref(), reach));
    let good = checks.iter().all(|check| check.good);
    if as_json {
        let list: Vec<Value> = checks
            .iter()
            .map(|check| json!({ "check": check.what, "ok": check.good, "note": check.note }))
            .collect();
        output::print_json(&json!({ "ok": good, "checks": list }));
    } else {
        for check in &checks {
            let mark = if check.good { style_green("ok ") } else { style_red("bad") };
            output::print_line(&format!("{mark}  {}: {}", check.what, check.note));
        }
    }
    Ok(if good { Outcome::Good } else { Outcome::Bad })
}

fn check_folders() -> Check {
    let what = "folders";
    match session::daemon_paths() {
        Err(error) => Check { what, good: false, note: error.to_string() },
        Ok(paths) => match paths.create() {
            Ok(()) => Check {
                what,
                good: true,
                note: format!("state in {}, socket {}", paths.state().display(), paths.socket().display()),
            },
            Err(error) => Check { what, good: false, note: error.to_string() },
        },
    }
}

fn check_program() -> Check {
    match sdl_client::spawn::daemon_program() {
        Ok(path) => Check { what: "daemon program", good: true, note: path.display().to_string() },
        Err(error) => Check { what: "daemon program", good: false, note: error.to_string() },
    }
}

/// On Linux each folder takes one watch (`fs.inotify.max_user_watches`). All programs of the user share that number.
fn check_watches() -> Check {
    let what = "watch limit";
    match fs::read_to_string("/proc/sys/fs/inotify/max_user_watches") {
        Err(_) => Check { what, good: true, note: "none on this system".into() },
        Ok(text) => {
            let limit: u64 = text.trim().parse().unwrap_or(0);
            let advice = if limit < 65_536 {
                "; large trees may fall back to scanning: raise fs.inotify.max_user_watches with sysctl"
            } else {
                ""
            };
            Check { what, good: limit >= 8_192, note: format!("{limit} folders{advice}") }
        }
    }
}

fn check_daemon() -> (Check, Option<Value>) {
    let what = "daemon";
    match Session::existing().and_then(|session| session.call("daemon/status", &json!({}))) {
        Ok(status) => {
            let note = format!("build {} answers", text_at(&status, "/build"));
            (Check { what, good: true, note }, Some(status))
        }
        Err(error) => (Check { what, good: false, note: error.to_string() }, None),
    }
}

fn check_repos(status: &Value) -> Vec<Check> {
    let warnings = status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let warnings = warnings.map(|text| Check { what: "warning", good: false, note: text.to_owned() });
    let repos = status["repos"].as_array().into_iter().flatten().map(|repo| {
        let reason = repo["reason"].as_str().map_or_else(String::new, |reason| format!(": {reason}"));
        let note = format!("{} is {}{reason}", text_at(repo, "/repoId"), text_at(repo, "/state"));
        Check { what: "repository", good: repo["health"] != "failed", note }
    });
    warnings.chain(repos).collect()
}
