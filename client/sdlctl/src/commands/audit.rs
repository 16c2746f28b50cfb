//! `audit show|verify|acknowledge`.

use serde_json::{Value, json};

use crate::cli::AuditCommand;
use crate::output::{self, Failure, Outcome, dim, green, number, red, text, yellow};
use crate::session::Session;
use crate::time::rfc3339;

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
                faults(&answer, "faults", "");
                faults(&answer, "acknowledged", "acknowledged: ");
                output::line(&dim(&format!("head {}", text(&answer, "/head"))));
            }
            Ok(if good { Outcome::Good } else { Outcome::Bad })
        }
        AuditCommand::Acknowledge { reason } => {
            let answer = session.call("audit/acknowledge", &json!({ "reason": reason }))?;
            if as_json {
                output::json(&answer);
            } else if answer["ok"] == true {
                output::line("Nothing is wrong with the log that was not acknowledged already.");
            } else {
                faults(&answer, "faults", "acknowledged: ");
            }
            Ok(Outcome::Good)
        }
    }
}

/// What is wrong with the log.
fn faults(answer: &Value, list: &str, before: &str) {
    const SHOWN: usize = 20;
    let faults: Vec<&str> = answer[list].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for fault in faults.iter().take(SHOWN) {
        output::line(&format!("{before}{fault}"));
    }
    if faults.len() > SHOWN {
        output::line(&format!("{before}{} more; --json lists them", faults.len() - SHOWN));
    }
}

/// One decision, with its reasons on the line below.
fn row(one: &Value) {
    let row = &one["row"];
    let decision = text(row, "/decision");
    let color = match decision {
        "denied" | "cut" | "escalate" => red,
        "downgraded" | "review" | "acknowledged" => yellow,
        _ => green,
    };
    let glass = if row["breakGlass"] == true { " (glass broken)" } else { "" };
    output::line(&format!(
        "{} {} {} {}{glass} {}",
        number(row, "/seq"),
        rfc3339(number(row, "/atMs")),
        text(row, "/repoId"),
        color(decision),
        what(&row["details"]),
    ));
    if one["holds"] == false {
        output::line(&red("    this row is not what was written"));
    }
    let why: Vec<&str> = row["why"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !why.is_empty() {
        output::line(&dim(&format!("    {}", why.join("; "))));
    }
}

/// What was decided on: a policy, a command, a change, or source.
fn what(details: &Value) -> String {
    if let Some(set) = details.get("policyPatch").or_else(|| details.get("ceiling")) {
        return set.to_string();
    }
    if details.get("command").is_some() {
        let ended = match (&details["exitCode"], &details["signal"]) {
            (Value::Number(code), _) => format!("exit code {code}"),
            (_, Value::Number(signal)) => format!("signal {signal}"),
            _ => "not run".to_owned(),
        };
        return format!("{} in {}: {ended}", text(details, "/command"), text(details, "/cwd"));
    }
    if details.get("fromVersion").is_some() {
        let (from, to) = (text(details, "/fromVersion"), text(details, "/toVersion"));
        return format!("{from} to {to}: risk {}", number(details, "/riskScore"));
    }
    if let Some(reason) =
        details.get("reason").and_then(Value::as_str).filter(|_| details.get("faults").is_some())
    {
        return reason.to_owned();
    }
    let mut place = [text(details, "/file"), text(details, "/symbolId")].join(" ");
    if let (Some(first), Some(last)) =
        (details.pointer("/range/startLine"), details.pointer("/range/endLine"))
    {
        place.push_str(&format!(" lines {first}-{last}"));
    }
    place
}
