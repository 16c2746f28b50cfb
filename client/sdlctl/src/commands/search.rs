//! `search`.

use serde_json::{Value, json};

use crate::cli::SearchArgs;
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_search(args: SearchArgs, as_json: bool) -> Result<Outcome, Failure> {
    let flag = |set: bool| set.then_some(Value::Bool(true));
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let arguments = json_object([
        ("query", Some(Value::from(args.query))),
        ("repoId", Some(repo.into())),
        ("kinds", (!args.kind.is_empty()).then(|| json!(args.kind))),
        ("limit", Some(args.limit.into())),
        ("exact", flag(args.exact)),
        ("regex", flag(args.regex)),
        ("pathGlob", args.path.map(Value::from)),
        ("exportedOnly", flag(args.exported)),
    ]);
    let answer = session.tool("symbol.search", &arguments)?.structured;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    for result in answer["results"].as_array().into_iter().flatten() {
        output::print_line(&format!(
            "{}  {} {}",
            style_bold(text_at(result, "/qualifiedName")),
            text_at(result, "/kind"),
            style_dim(&format!(
                "{}:{}  {}",
                text_at(result, "/file"),
                number_at(result, "/line"),
                text_at(result, "/symbolId")
            )),
        ));
    }
    let shown = answer["results"].as_array().map_or(0, Vec::len);
    match number_at(&answer, "/total") {
        0 => {
            let near: Vec<&str> = answer["nearMisses"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|near| near.as_str().or_else(|| near["name"].as_str()))
                .collect();
            let hint = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
            output::print_line(&format!("nothing found{hint}"));
        }
        total if total > shown as u64 => {
            output::print_line(&style_dim(&format!("{shown} of {total}; more with --limit")))
        }
        _ => {}
    }
    if answer["freshness"]["synced"] == false {
        let why = answer["freshness"]["reason"].as_str().unwrap_or("the last changes may be missing");
        output::print_note(&format!("not synced: {why}"));
    }
    Ok(Outcome::Good)
}
