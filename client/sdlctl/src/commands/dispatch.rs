//! `dispatch ls|show|new|cancel`.

use serde_json::{Map, Value, json};

use crate::cli::{DispatchCommand, NewDispatchArgs};
use crate::output::{self, Failure, Outcome, number_at, style_bold, style_dim, text_at};
use crate::session::{Answer, Session};
use crate::time::format_rfc3339;

pub(crate) fn run_dispatch(command: DispatchCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let answer = match command {
        DispatchCommand::Ls { state, agent, plan, query, limit } => {
            let mut args = json!({"scope": "all", "limit": limit.clamp(1, 100)});
            let states = (!state.is_empty()).then(|| json!(state));
            put_given(
                &mut args,
                [
                    ("states", states),
                    ("agent", agent.map(Value::from)),
                    ("planSlug", plan.map(Value::from)),
                    ("query", query.map(Value::from)),
                ],
            );
            session.tool("dispatch.list", &args)?
        }
        DispatchCommand::Show { dispatch } => {
            let asked = json!({"about": "dispatch", "dispatchId": dispatch});
            let shown = session.call("work/ask", &asked)?;
            if as_json {
                output::print_json(&shown);
            } else {
                print_dispatch(&shown);
            }
            return Ok(Outcome::Good);
        }
        DispatchCommand::New(args) => session.tool("dispatch.start", &new_dispatch(args))?,
        DispatchCommand::Cancel { dispatch, why } => {
            let args = json!({"dispatchId": dispatch, "outcome": "cancelled", "summary": why});
            session.tool("dispatch.complete", &args)?
        }
    };
    print_answer(&answer, as_json);
    Ok(Outcome::Good)
}

/// Prints the answer of a tool in the form that was asked for.
pub(crate) fn print_answer(answer: &Answer, as_json: bool) {
    if as_json {
        output::print_json(&answer.structured);
    } else {
        output::print_block(&answer.text);
        output::print_notes(&answer.structured);
    }
}

fn new_dispatch(args: NewDispatchArgs) -> Value {
    let NewDispatchArgs { title, brief, to, plan, domain, milestone, retry_of, repo } = args;
    let brief = brief.unwrap_or_else(|| title.clone());
    let mut call = json!({"title": title, "brief": brief});
    let milestones = (!milestone.is_empty()).then(|| json!(milestone));
    put_given(
        &mut call,
        [
            ("to", to.map(Value::from)),
            ("planSlug", plan.map(Value::from)),
            ("domain", domain.map(Value::from)),
            ("milestones", milestones),
            ("retryOf", retry_of.map(Value::from)),
            ("repoId", repo.map(Value::from)),
        ],
    );
    call
}

/// Puts the arguments that were given.
fn put_given<const N: usize>(args: &mut Value, given: [(&str, Option<Value>); N]) {
    let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    if let Some(args) = args.as_object_mut() {
        args.extend(given.collect::<Map<String, Value>>());
    }
}

/// One dispatch: a line, the brief, and a line for each event.
fn print_dispatch(shown: &Value) {
    let row = &shown["dispatch"];
    let head = format!("{} {}", text_at(row, "/dispatchId"), text_at(row, "/state"));
    output::print_line(&format!("{} {}", style_bold(&head), text_at(row, "/title")));
    for (name, at) in [("for", "/to"), ("from", "/from"), ("held by", "/holder"), ("plan", "/planSlug")] {
        let value = text_at(row, at);
        if !value.is_empty() {
            output::print_line(&style_dim(&format!("  {name} {value}")));
        }
    }
    for line in text_at(shown, "/brief").lines() {
        output::print_line(&format!("  {line}"));
    }
    for event in shown["events"].as_array().into_iter().flatten() {
        let at = format_rfc3339(number_at(event, "/at"));
        let by = text_at(event, "/by");
        let step = event["step"].as_object().and_then(|step| step.iter().next());
        let Some((name, step)) = step else { continue };
        let said = ["note", "summary"].map(|field| step[field].as_str().unwrap_or_default()).concat();
        output::print_line(&format!("{} {by} {name} {said}", style_dim(&at)));
    }
}
