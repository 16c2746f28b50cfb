//! `policy show|set-ceiling|allow|forbid|reset`.

use serde_json::{Value, json};

use crate::cli::{CeilingArgs, ForRepo, PolicyCommand, Switch};
use crate::output::{self, Failure, Outcome, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_policy(command: PolicyCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let answer = match command {
        PolicyCommand::Show { repo } => {
            let repo = resolve_repo(&session, repo.as_deref())?;
            session.call("policy/show", &json!({ "repo": repo }))?
        }
        PolicyCommand::SetCeiling(args) => {
            let patch = ceiling_patch(&args);
            if patch.as_object().is_none_or(serde_json::Map::is_empty) {
                let message =
                    "say what to set, such as --max-window-lines 300; see: sdlctl policy set-ceiling --help";
                return Err(Failure::Usage(message.into()));
            }
            change_ceiling(&session, &args.of, &patch, false)?
        }
        PolicyCommand::Allow(args) => {
            change_ceiling(&session, &args.of, &switch_patch(args.what, true), false)?
        }
        PolicyCommand::Forbid(args) => {
            change_ceiling(&session, &args.of, &switch_patch(args.what, false), false)?
        }
        PolicyCommand::Reset(of) => change_ceiling(&session, &of, &json!({}), true)?,
    };
    if as_json {
        output::print_json(&answer);
    } else {
        print_policies(&answer);
    }
    Ok(Outcome::Good)
}

fn resolve_repo(session: &Session, repo: Option<&str>) -> Result<Option<String>, Failure> {
    repo.map(|repo| session.repo(Some(repo))).transpose()
}

fn change_ceiling(session: &Session, of: &ForRepo, patch: &Value, reset: bool) -> Result<Value, Failure> {
    let repo = resolve_repo(session, of.repo.as_deref())?;
    session.call("policy/ceiling", &json!({ "repo": repo, "patch": patch, "reset": reset }))
}

fn ceiling_patch(args: &CeilingArgs) -> Value {
    let caps = json_object([
        ("maxCards", args.max_cards.map(Value::from)),
        ("maxEstimatedTokens", args.max_tokens.map(Value::from)),
    ]);
    let any = caps.as_object().is_some_and(|caps| !caps.is_empty());
    json_object([
        ("maxWindowLines", args.max_window_lines.map(Value::from)),
        ("maxWindowTokens", args.max_window_tokens.map(Value::from)),
        ("utilityThreshold", args.utility_threshold.map(Value::from)),
        ("budgetCaps", any.then_some(caps)),
    ])
}

fn switch_patch(what: Switch, allowed: bool) -> Value {
    match what {
        Switch::BreakGlass => json!({ "allowBreakGlass": allowed }),
        Switch::NoIdentifiers => json!({ "requireIdentifiers": !allowed }),
        Switch::RawByDefault => json!({ "defaultDenyRaw": !allowed }),
        Switch::UnmaskedSecrets => json!({ "redactSecrets": !allowed }),
    }
}

/// Fields of a policy and their names here.
const FIELDS: [(&str, &str); 9] = [
    ("/maxWindowLines", "lines of a window"),
    ("/maxWindowTokens", "tokens of a window"),
    ("/utilityThreshold", "utility threshold"),
    ("/allowBreakGlass", "breaking the glass"),
    ("/requireIdentifiers", "identifiers required"),
    ("/defaultDenyRaw", "raw code denied by default"),
    ("/redactSecrets", "likely secrets masked"),
    ("/budgetCaps/maxCards", "cards of a slice"),
    ("/budgetCaps/maxEstimatedTokens", "tokens of a slice"),
];

fn print_policies(answer: &Value) {
    for repo in answer["repos"].as_array().into_iter().flatten() {
        output::print_line(&style_bold(text_at(repo, "/repoId")));
        output::print_line(&style_dim(&format!("  {:<28} {:>8} {:>8}", "", "policy", "ceiling")));
        for (pointer, name) in FIELDS {
            let value = |of: &str| match repo[of].pointer(pointer) {
                Some(Value::Bool(true)) => "yes".to_owned(),
                Some(Value::Bool(false)) => "no".to_owned(),
                Some(value) => value.to_string(),
                None => "-".to_owned(),
            };
            output::print_line(&format!("  {name:<28} {:>8} {:>8}", value("policy"), value("ceiling")));
        }
        let clamped: Vec<&str> =
            repo["clamped"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !clamped.is_empty() {
            output::print_line(&format!("  held down by the ceiling: {}", clamped.join(", ")));
        }
    }
    output::print_line(&style_dim(&format!("The ceilings are in {}", text_at(answer, "/file"))));
}
