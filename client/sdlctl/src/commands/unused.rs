//! `unused`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::related::tree_stems;
use crate::cli::UnusedArgs;
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_unused(args: &UnusedArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let arguments = json_object([
        ("repoId", Some(repo.into())),
        ("paths", (!args.paths.is_empty()).then(|| json!(args.paths))),
        ("kinds", (!args.kind.is_empty()).then(|| json!(args.kind))),
        ("minConfidence", args.min_confidence.map(Value::from)),
        ("includeTests", args.no_tests.then_some(false.into())),
        ("limit", Some(args.limit.into())),
        ("maxTokens", Some(20_000.into())),
        ("atVersion", args.at.clone().map(Value::from)),
    ]);
    let answer = session.tool("symbol.unused", &arguments)?.structured;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    print_unused(&answer);
    Ok(Outcome::Good)
}

/// Files, and below each its unused symbols.
fn print_unused(answer: &Value) {
    let mut files: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for row in answer["unused"].as_array().into_iter().flatten() {
        files.entry(text_at(row, "/file")).or_default().push(row);
    }
    for (file, mut rows) in files {
        rows.sort_by_key(|row| number_at(row, "/line"));
        output::print_line(&style_bold(file));
        let stems = tree_stems(&vec![1; rows.len()]);
        for (row, stem) in rows.iter().zip(stems) {
            let circle = row["circle"].as_u64().map(|circle| format!(" circle {circle}")).unwrap_or_default();
            let users: Vec<&str> =
                row["users"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let users = if users.is_empty() { String::new() } else { format!(": {}", users.join(", ")) };
            let rest = format!(
                "{}:{} {} lines, {} {}{users}{circle}",
                text_at(row, "/kind"),
                number_at(row, "/line"),
                number_at(row, "/lines"),
                row["confidence"],
                text_at(row, "/why"),
            );
            output::print_line(&format!("{stem}{} {}", style_bold(text_at(row, "/name")), style_dim(&rest)));
        }
    }
    let total = number_at(answer, "/total");
    let more = if answer.get("cursor").is_some() { "; more with --limit" } else { "" };
    output::print_line(&style_dim(&format!("{total} unused, {} lines{more}", number_at(answer, "/lines"))));
    output::print_line(&style_dim(text_at(answer, "/completeness")));
    output::print_notes(answer);
}
