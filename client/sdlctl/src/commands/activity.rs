//! `activity`: what agents logged.

use serde_json::json;

use crate::cli::ActivityArgs;
use crate::output::{self, Failure, Outcome, number_at, style_dim, text_at};
use crate::session::Session;
use crate::time::format_rfc3339;

pub(crate) fn run_activity(args: &ActivityArgs, as_json: bool) -> Result<Outcome, Failure> {
    let asked = json!({
        "about": "activity",
        "agent": args.agent,
        "sessionId": args.session,
        "dispatchId": args.dispatch,
        "limit": args.limit.to_string(),
    });
    let answer = Session::open()?.call("work/ask", &asked)?;
    if as_json {
        output::print_json(&answer);
        return Ok(Outcome::Good);
    }
    for row in answer["activity"].as_array().into_iter().flatten() {
        let at = format_rfc3339(number_at(row, "/atMs"));
        let agent = text_at(row, "/head/by/agent");
        let who = if agent.is_empty() { text_at(row, "/head/by/client") } else { agent };
        let (kind, message) = (text_at(row, "/kind"), text_at(row, "/message"));
        output::print_line(&format!("{} {who} {kind}: {message}", style_dim(&at)));
    }
    Ok(Outcome::Good)
}
