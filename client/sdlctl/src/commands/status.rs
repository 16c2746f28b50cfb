//! `status`: the state of the daemon and its repositories. Starts nothing; exit code 0 only if all is healthy.

use std::time::Duration;

use sdl_client::CallOptions;
use serde_json::{Value, json};

use crate::commands::upstream::listing::{error_age, style_state};
use crate::output::{
    self, Failure, MAX_NAME_WIDTH, Outcome, format_count, number_at, style_bold, style_cyan, style_dim,
    style_green, style_red, style_yellow, text_at,
};
use crate::session::Session;

pub(crate) fn run_status(as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::existing()?;
    let options = CallOptions::read().deadline(Duration::from_secs(5));
    let status = session.call_with("daemon/status", &json!({}), options, |_| {})?;
    if as_json {
        output::print_json(&status);
    } else {
        print_status(&status);
    }
    let healthy = status["healthy"].as_bool().unwrap_or(false);
    Ok(if healthy { Outcome::Good } else { Outcome::Bad })
}

fn print_status(status: &Value) {
    output::print_line(&format!(
        "{} {} is up for {}, process {}, {} MiB of its own",
        style_bold("sdld"),
        text_at(status, "/build"),
        format_duration(number_at(status, "/uptimeMs")),
        number_at(status, "/pid"),
        number_at(status, "/memory/private") >> 20,
    ));
    for warning in status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output::print_line(&format!("{} {warning}", style_yellow("warning:")));
    }
    let repos: Vec<&Value> = status["repos"].as_array().into_iter().flatten().collect();
    if repos.is_empty() {
        output::print_line("No repository is registered. Add one with: sdlctl index PATH");
    }
    let widths = repos.iter().map(|repo| text_at(repo, "/repoId").chars().count());
    let width = widths.max().unwrap_or(0).min(MAX_NAME_WIDTH);
    for repo in repos {
        output::print_line(&format!(
            "  {:width$}  {}  {}",
            style_bold(text_at(repo, "/repoId")),
            repo_state(repo),
            style_dim(text_at(repo, "/rootPath"))
        ));
        if let Some(reason) = repo["reason"].as_str() {
            output::print_line(&format!("  {:width$}  {reason}", ""));
        }
    }
    print_upstreams(&status["upstreams"]);
}

/// The upstreams in one line, and one for each that needs a person.
fn print_upstreams(upstreams: &Value) {
    if let Some(error) = upstreams["configError"].as_str() {
        output::print_line(&format!("{} mcp.json is not in force: {error}", style_red("error:")));
    }
    let all: Vec<&Value> = upstreams["upstreams"].as_array().into_iter().flatten().collect();
    if all.is_empty() {
        return;
    }
    let mut states: Vec<(&str, u64)> = Vec::new();
    for one in &all {
        let state = text_at(one, "/state");
        match states.iter_mut().find(|(known, _)| *known == state) {
            Some((_, count)) => *count += 1,
            None => states.push((state, 1)),
        }
    }
    let states: Vec<String> =
        states.iter().map(|(state, count)| format!("{count} {}", style_state(state))).collect();
    let tools = all.iter().map(|one| number_at(one, "/tools")).sum();
    let calls = all.iter().map(|one| number_at(one, "/calls")).sum();
    output::print_line(&format!(
        "{}  {}; {}, {}",
        style_bold("upstreams"),
        states.join(", "),
        format_count(tools, "tool"),
        format_count(calls, "call")
    ));
    for one in
        all.iter().filter(|one| matches!(text_at(one, "/state"), "failing" | "misconfigured" | "needsLogin"))
    {
        let why = one["lastError"].as_str().unwrap_or_default();
        output::print_line(&format!(
            "  {}  {}  {why}{}",
            style_bold(text_at(one, "/key")),
            style_state(text_at(one, "/state")),
            error_age(one)
        ));
    }
}

fn repo_state(repo: &Value) -> String {
    let state = text_at(repo, "/state");
    match state {
        "live" => format!(
            "{} at {}, {} watched",
            style_green(state),
            text_at(repo, "/ledgerVersion"),
            format_count(number_at(repo, "/watcher/watches"), "folder")
        ),
        "indexing" => format!(
            "{} {}/{}",
            style_cyan(state),
            number_at(repo, "/progress/done"),
            repo.pointer("/progress/total")
                .and_then(Value::as_u64)
                .map_or("?".to_owned(), |total| total.to_string()),
        ),
        "scanning" => format!("{} at {}", style_yellow(state), text_at(repo, "/ledgerVersion")),
        other => style_red(other),
    }
}

fn format_duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
