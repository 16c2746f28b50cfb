//! `session ls|send|inbox`.

use serde_json::json;

use super::dispatch::print_answer;
use super::hook;
use crate::cli::SessionCommand;
use crate::output::{self, Failure, Outcome, number_at, style_dim, text_at};
use crate::session::Session;
use crate::time::format_rfc3339;

pub(crate) fn run_session(command: SessionCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        SessionCommand::Ls { all } => {
            let args = json!({"scope": "all", "includeEnded": all, "limit": 100});
            print_answer(&Session::open()?.tool("session.list", &args)?, as_json);
        }
        SessionCommand::Send { to, body, kind } => {
            let args = json!({"to": to, "body": body, "kind": kind.name()});
            print_answer(&Session::open()?.tool("session.send", &args)?, as_json);
        }
        SessionCommand::Inbox { of } => {
            let asked = json!({"about": "inbox", "of": of});
            let answer = Session::open()?.call("work/ask", &asked)?;
            if as_json {
                output::print_json(&answer);
                return Ok(Outcome::Good);
            }
            for message in answer["messages"].as_array().into_iter().flatten() {
                let at = format_rfc3339(number_at(message, "/at"));
                let (id, kind) = (text_at(message, "/id"), text_at(message, "/kind"));
                let (from, body) = (text_at(message, "/from"), text_at(message, "/body"));
                output::print_line(&format!("{} {id} {kind} from {from}: {body}", style_dim(&at)));
            }
        }
        SessionCommand::Hook(args) => hook::run_hook(args.client),
    }
    Ok(Outcome::Good)
}
