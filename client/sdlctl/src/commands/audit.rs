//! `audit show|verify`.

use serde_json::{Value, json};

use crate::cli::AuditCommand;
use crate::output::{self, Failure, Outcome, dim, green, number, red, text, yellow};
use crate::session::Session;

pub(crate) fn run(command: AuditCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    match command {
        AuditCommand::Show { repo, limit } => {
            let answer = session.call("audit/show", &json!({ "repo": repo, "limit": limit }))?;
            if as_json {
                output::json(&answer);
            } else {
                answer["rows"].as_array().into_iter().flatten().for_each(row);
            }
            Ok(Outcome::Good)
        }
        AuditCommand::Verify => {
            let answer = session.call("audit/verify", &json!({}))?;
            let good = answer["ok"].as_bool().unwrap_or(false);
            if as_json {
                output::json(&answer);
            } else {
                let state = if good { green("the chain is whole") } else { red("the chain is broken") };
                output::line(&format!("{}: {state}", output::count(number(&answer, "/rows"), "row")));
                for fault in answer["faults"].as_array().into_iter().flatten() {
                    output::line(fault.as_str().unwrap_or_default());
                }
                output::line(&dim(&format!("head {}", text(&answer, "/head"))));
            }
            Ok(if good { Outcome::Good } else { Outcome::Bad })
        }
    }
}

/// One decision, with its reasons on the line below.
fn row(one: &Value) {
    let row = &one["row"];
    let decision = text(row, "/decision");
    let color = match decision {
        "denied" => red,
        "downgraded" => yellow,
        _ => green,
    };
    let glass = if row["breakGlass"] == true { " (glass broken)" } else { "" };
    let place = [text(row, "/details/file"), text(row, "/details/symbolId")].join(" ");
    output::line(&format!(
        "{} {} {} {}{glass} {}",
        number(row, "/seq"),
        number(row, "/atMs"),
        text(row, "/repoId"),
        color(decision),
        if row["details"].get("policyPatch").is_some() {
            row["details"]["policyPatch"].to_string()
        } else {
            place
        },
    ));
    let why: Vec<&str> = row["why"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !why.is_empty() {
        output::line(&dim(&format!("    {}", why.join("; "))));
    }
}
