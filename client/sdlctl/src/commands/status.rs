//! `status`: how the daemon and its repositories are. Starts nothing; exit code 0 only if all is healthy.

use std::time::Duration;

use sdl_client::CallOptions;
use serde_json::{Value, json};

use crate::output::{self, Failure, Outcome, bold, count, cyan, dim, green, number, red, text, yellow};
use crate::session::Session;

pub(crate) fn run(as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::existing()?;
    let options = CallOptions::read().deadline(Duration::from_secs(5));
    let status = session.call_with("daemon/status", &json!({}), options, |_| {})?;
    if as_json {
        output::json(&status);
    } else {
        show(&status);
    }
    let healthy = status["healthy"].as_bool().unwrap_or(false);
    Ok(if healthy { Outcome::Good } else { Outcome::Bad })
}

fn show(status: &Value) {
    output::line(&format!(
        "{} {} is up for {}, process {}, {} MiB of its own",
        bold("sdld"),
        text(status, "/build"),
        duration(number(status, "/uptimeMs")),
        number(status, "/pid"),
        number(status, "/memory/private") >> 20,
    ));
    for warning in status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output::line(&format!("{} {warning}", yellow("warning:")));
    }
    let repos: Vec<&Value> = status["repos"].as_array().into_iter().flatten().collect();
    if repos.is_empty() {
        output::line("No repository is registered. Add one with: sdlctl index PATH");
    }
    let width = repos.iter().map(|repo| text(repo, "/repoId").len()).max().unwrap_or(0);
    for repo in repos {
        output::line(&format!(
            "  {:width$}  {}  {}",
            bold(text(repo, "/repoId")),
            state(repo),
            dim(text(repo, "/rootPath"))
        ));
        if let Some(reason) = repo["reason"].as_str() {
            output::line(&format!("  {:width$}  {reason}", ""));
        }
    }
}

fn state(repo: &Value) -> String {
    let state = text(repo, "/state");
    match state {
        "live" => format!(
            "{} at {}, {} watched",
            green(state),
            text(repo, "/ledgerVersion"),
            count(number(repo, "/watcher/watches"), "folder")
        ),
        "indexing" => format!(
            "{} {}/{}",
            cyan(state),
            number(repo, "/progress/done"),
            repo.pointer("/progress/total")
                .and_then(Value::as_u64)
                .map_or("?".to_owned(), |total| total.to_string()),
        ),
        "scanning" => format!("{} at {}", yellow(state), text(repo, "/ledgerVersion")),
        other => red(other),
    }
}

fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
