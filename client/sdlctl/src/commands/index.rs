//! `index`: registers a tree if need be and waits until its index is up to date, with a progress bar.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::IndexArgs;
use crate::output::{self, Failure, Outcome, Progress, format_count, number_at, style_bold, text_at};
use crate::session::Session;

pub(crate) fn run_index(args: &IndexArgs, as_json: bool) -> Result<Outcome, Failure> {
    let path = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let root = path.canonicalize().map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    let session = Session::open()?;
    session.revive(&root)?;
    let registered = session.tool("repo.register", &json!({ "rootPath": root }))?.structured;
    let repo = text_at(&registered, "/repoId");
    let mode = if args.full { "full" } else { "incremental" };
    let bar = Progress::new(as_json);
    let done = session.tool_with("index.refresh", &json!({ "repoId": repo, "mode": mode }), |progress| {
        bar.show(progress);
    });
    bar.clear();
    let done = done?.structured;
    let status = session.tool("repo.status", &json!({ "repoId": repo, "sync": "none" }))?.structured;
    if as_json {
        output::print_json(&json!({ "repoId": repo, "refresh": done, "status": status }));
    } else {
        print_index(repo, &done, &status);
    }
    Ok(Outcome::Good)
}

fn print_index(repo: &str, done: &Value, status: &Value) {
    output::print_line(&format!(
        "{} is at {}: {}, {}, {}",
        style_bold(repo),
        text_at(done, "/versionId"),
        format_count(number_at(status, "/files"), "file"),
        format_count(number_at(status, "/symbols"), "symbol"),
        format_count(number_at(status, "/edges"), "edge"),
    ));
    output::print_line(&format!(
        "{} parsed, {} known already, in {:.2} s",
        number_at(done, "/parsed"),
        number_at(done, "/reused"),
        number_at(done, "/durationMs") as f64 / 1000.0,
    ));
    let skipped: Vec<String> = status["skipped"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    for rule in status["ignoredBy"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output::print_line(&format!("ignored: {rule}"));
    }
    if let Some(problem) = status["gitProblem"].as_str() {
        output::print_line(&format!("without git: {problem}"));
    }
    if !skipped.is_empty() {
        output::print_line(&format!("skipped: {}", skipped.join(", ")));
    }
}
