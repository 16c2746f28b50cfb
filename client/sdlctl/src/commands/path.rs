//! `path`.

use serde_json::Value;

use super::related::with_filter;
use crate::cli::PathArgs;
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_path(args: &PathArgs, as_json: bool) -> Result<Outcome, Failure> {
    let (from, to) = match (args.from_starts, &args.from, &args.to) {
        (true, Some(to), None) => (None, to.clone()),
        (false, Some(from), Some(to)) => (Some(from.clone()), to.clone()),
        _ => return Err(Failure::Usage("give FROM and TO, or --from-starts and TO".to_owned())),
    };
    let session = Session::open()?;
    let repo = session.repo(args.repo.given().as_deref())?;
    let arguments = json_object([
        ("repoId", Some(repo.into())),
        ("from", from.map(Value::from)),
        ("to", Some(to.into())),
        ("limit", Some(args.limit.into())),
        ("maxTokens", Some(20_000.into())),
        ("includeText", Some(args.at.is_none().into())),
        ("atVersion", args.at.clone().map(Value::from)),
    ]);
    let answer = session.tool("symbol.path", &with_filter(arguments, &args.filter))?.structured;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    for way in answer["ways"].as_array().into_iter().flatten() {
        let place = format!("{}:{}", text_at(way, "/from/file"), number_at(way, "/from/line"));
        output::print_line(&format!("{} {}", style_bold(text_at(way, "/from/name")), style_dim(&place)));
        for hop in way["hops"].as_array().into_iter().flatten() {
            let at = hop["at"].as_u64().map(|at| format!("{at}: ")).unwrap_or_default();
            let text = hop["text"].as_str().unwrap_or_default();
            output::print_line(&style_dim(&format!("  │ {at}{text}")));
            let place = format!("{}:{}", text_at(hop, "/file"), number_at(hop, "/line"));
            output::print_line(&format!(
                "  └─ {} {} {}",
                text_at(hop, "/edge"),
                style_bold(text_at(hop, "/name")),
                style_dim(&place)
            ));
        }
        output::print_line(&style_dim(&format!("confidence {}", way["confidence"])));
    }
    if let Some(remark) = answer["remark"].as_str() {
        output::print_line(remark);
    }
    output::print_notes(&answer);
    Ok(Outcome::Good)
}
