//! `impact` and `tests`.

use std::io::Read as _;

use serde_json::{Value, json};

use super::related::with_filter;
use crate::cli::{ChangeArgs, ImpactArgs, TestsArgs};
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

/// Most bytes of a diff, as the daemon reads it.
const MAX_DIFF_BYTES: u64 = 4 << 20;

pub(crate) fn run_impact(args: &ImpactArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let mut arguments = change_arguments(&args.change, repo)?;
    arguments["depth"] = args.depth.into();
    arguments["limit"] = args.limit.into();
    arguments["maxTokens"] = 20_000.into();
    let answer = session.tool("change.impact", &with_filter(arguments, &args.filter))?.structured;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    for row in answer["dependents"].as_array().into_iter().flatten() {
        let place = format!("{}:{}", text_at(row, "/file"), number_at(row, "/line"));
        output::print_line(&format!(
            "{:5.3} {} {} {}",
            row["rank"].as_f64().unwrap_or_default(),
            style_bold(text_at(row, "/name")),
            style_dim(&place),
            style_dim(&format!("{} {}", text_at(row, "/edge"), text_at(row, "/towards")))
        ));
    }
    for process in answer["processes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output::print_line(&format!("runs in {process}"));
    }
    let count = |name: &str| number_at(&answer["counts"], &format!("/{name}"));
    output::print_line(&format!(
        "{} direct and {} transitive dependents in {} files, {} of them exported; {} tests",
        count("direct"),
        count("transitive"),
        count("files"),
        count("exported"),
        count("tests")
    ));
    output::print_line(&style_dim(text_at(&answer, "/completeness")));
    output::print_notes(&answer);
    Ok(Outcome::Good)
}

pub(crate) fn run_tests(args: &TestsArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let mut arguments = change_arguments(&args.change, repo)?;
    arguments["want"] = "tests".into();
    arguments["limit"] = 500.into();
    arguments["maxTokens"] = 20_000.into();
    let mut tests: Vec<Value> = Vec::new();
    let mut commands: Vec<Value> = Vec::new();
    // What could be missing is the same on each page.
    let completeness = loop {
        let page = session.tool("change.impact", &arguments)?.structured;
        tests.extend(page["tests"].as_array().into_iter().flatten().cloned());
        commands.extend(page["commands"].as_array().into_iter().flatten().cloned());
        match page.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break page["completeness"].clone(),
        }
    };
    if as_json {
        output::print_json(&json!({"tests": tests, "commands": commands, "completeness": completeness}));
        return Ok(Outcome::Good);
    }
    if args.commands {
        commands.iter().filter_map(Value::as_str).for_each(output::print_line);
        return Ok(Outcome::Good);
    }
    for test in &tests {
        output::print_line(text_at(test, "/id"));
        if args.why {
            let way: Vec<&str> =
                test["way"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            output::print_line(&style_dim(&format!("  {}", way.join(" > "))));
        }
    }
    if tests.is_empty() {
        output::print_note("no test is known to reach the change");
    }
    output::print_note(completeness.as_str().unwrap_or_default());
    Ok(Outcome::Good)
}

fn change_arguments(change: &ChangeArgs, repo: String) -> Result<Value, Failure> {
    let diff = change.diff.as_deref().map(read_diff).transpose()?;
    Ok(json_object([
        ("repoId", Some(repo.into())),
        ("symbols", (!change.symbols.is_empty()).then(|| json!(change.symbols))),
        ("files", (!change.file.is_empty()).then(|| json!(change.file))),
        ("diff", diff.map(Value::from)),
        ("fromVersion", change.since.clone().map(Value::from)),
        ("toVersion", change.until.clone().map(Value::from)),
    ]))
}

fn read_diff(path: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = if path == "-" {
        std::io::stdin().lock().take(MAX_DIFF_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_DIFF_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::io(path, &error))?;
    if bytes.len() as u64 > MAX_DIFF_BYTES {
        return Err(Failure::Usage(format!(
            "{path} has more than {MAX_DIFF_BYTES} bytes; give a smaller diff"
        )));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
