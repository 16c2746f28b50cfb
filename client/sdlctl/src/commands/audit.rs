//! `audit show|verify|acknowledge`.

use serde_json::{Value, json};

use crate::cli::AuditCommand;
use crate::output::{
    self, Failure, Outcome, number_at, style_dim, style_green, style_red, style_yellow, text_at,
};
use crate::session::Session;
use crate::time::format_rfc3339;

pub(crate) fn run_audit(command: AuditCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    match command {
        AuditCommand::Show { repo, limit } => {
            let answer = session.call("audit/show", &json!({ "repo": repo, "limit": limit }))?;
            if as_json {
                output::print_json(&answer);
            } else {
                answer["rows"].as_array().into_iter().flatten().for_each(print_row);
            }
            Ok(Outcome::Good)
        }
        AuditCommand::Verify => {
            let answer = session.call("audit/verify", &json!({}))?;
            let good = answer["ok"].as_bool().unwrap_or(false);
            if as_json {
                output::print_json(&answer);
            } else {
                let state =
                    if good { style_green("the chain is intact") } else { style_red("the chain is broken") };
                output::print_line(&format!(
                    "{}: {state}",
                    output::format_count(number_at(&answer, "/rows"), "row")
                ));
                print_faults(&answer, "faults", "");
                print_faults(&answer, "acknowledged", "acknowledged: ");
                output::print_line(&style_dim(&format!("head {}", text_at(&answer, "/head"))));
            }
            Ok(if good { Outcome::Good } else { Outcome::Bad })
        }
        AuditCommand::Acknowledge { reason } => {
            let answer = session.call("audit/acknowledge", &json!({ "reason": reason }))?;
            if as_json {
                output::print_json(&answer);
            } else if answer["ok"] == true {
                output::print_line("Everything that is wrong with the log is already acknowledged.");
            } else {
                print_faults(&answer, "faults", "acknowledged: ");
            }
            Ok(Outcome::Good)
        }
    }
}

/// Prints the faults of the log.
fn print_faults(answer: &Value, list: &str, before: &str) {
    const SHOWN: usize = 20;
    let faults: Vec<&str> = answer[list].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for fault in faults.iter().take(SHOWN) {
        output::print_line(&format!("{before}{fault}"));
    }
    if faults.len() > SHOWN {
        output::print_line(&format!("{before}{} more; --json lists them", faults.len() - SHOWN));
    }
}

/// One decision, with its reasons on the line below.
fn print_row(one: &Value) {
    let row = &one["row"];
    let decision = text_at(row, "/decision");
    let color = match decision {
        "denied" | "cut" | "escalate" | "held" => style_red,
        "downgraded" | "review" | "acknowledged" | "changed" => style_yellow,
        _ => style_green,
    };
    let glass = if row["breakGlass"] == true { " (glass broken)" } else { "" };
    let named = |member: &str, word: &str| match row[member].as_str() {
        None | Some("") => String::new(),
        Some(name) => format!(" {word} {name}"),
    };
    let whose = named("client", "by") + &named("principal", "for");
    let repo = match text_at(row, "/repoId") {
        "" | "-" => String::new(),
        repo => format!("{repo} "),
    };
    output::print_line(&format!(
        "{} {} {repo}{}{glass} {}{whose}",
        number_at(row, "/seq"),
        format_rfc3339(number_at(row, "/atMs")),
        color(decision),
        decision_subject(&row["details"]),
    ));
    if one["holds"] == false {
        output::print_line(&style_red("    this row is not what was written"));
    }
    let why: Vec<&str> = row["why"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !why.is_empty() {
        output::print_line(&style_dim(&format!("    {}", why.join("; "))));
    }
}

/// The subject of a decision: a policy, a command, a change, or source.
fn decision_subject(details: &Value) -> String {
    if let Some(set) = details.get("policyPatch").or_else(|| details.get("ceiling")) {
        return set.to_string();
    }
    if details.get("command").is_some() {
        let ended = match (&details["exitCode"], &details["signal"]) {
            (Value::Number(code), _) => format!("exit code {code}"),
            (_, Value::Number(signal)) => format!("signal {signal}"),
            _ => "not run".to_owned(),
        };
        return format!("{} in {}: {ended}", text_at(details, "/command"), text_at(details, "/cwd"));
    }
    if details.get("upstream").is_some() {
        let (key, tool) = (text_at(details, "/upstream"), text_at(details, "/tool"));
        return format!("{key}/{tool}: {}", text_at(details, "/outcome"));
    }
    if details.get("fromVersion").is_some() {
        let (from, to) = (text_at(details, "/fromVersion"), text_at(details, "/toVersion"));
        return format!("{from} to {to}: risk {}", number_at(details, "/riskScore"));
    }
    if let Some(reason) =
        details.get("reason").and_then(Value::as_str).filter(|_| details.get("faults").is_some())
    {
        return reason.to_owned();
    }
    let mut place = [text_at(details, "/file"), text_at(details, "/symbolId")].join(" ");
    if let (Some(first), Some(last)) =
        (details.pointer("/range/startLine"), details.pointer("/range/endLine"))
    {
        place.push_str(&format!(" lines {first}-{last}"));
    }
    place
}
