//! `ledger check|dump`.

use serde_json::json;

use super::verify::finding_texts;
use crate::cli::LedgerCommand;
use crate::output::{self, Failure, Outcome, style_green, text_at};
use crate::session::Session;

pub(crate) fn run_ledger(command: LedgerCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    match command {
        LedgerCommand::Check(args) => {
            let answer =
                session.call("ledger/check", &json!({ "repo": session.repo(args.repo.as_deref())? }))?;
            let good = answer["ok"].as_bool().unwrap_or(false);
            if as_json {
                output::print_json(&answer);
            } else if good {
                output::print_line(&format!(
                    "{}: {}",
                    text_at(&answer, "/repoId"),
                    style_green("the tables agree")
                ));
            } else {
                finding_texts(&answer).iter().for_each(|finding| output::print_line(finding));
            }
            Ok(if good { Outcome::Good } else { Outcome::Bad })
        }
        LedgerCommand::Dump { repo, to, postings } => {
            let to =
                std::path::absolute(&to).map_err(|error| Failure::io(&to.display().to_string(), &error))?;
            let repo = session.repo(repo.repo.as_deref())?;
            let answer =
                session.call("ledger/dump", &json!({ "repo": repo, "to": to, "postings": postings }))?;
            if as_json {
                output::print_json(&answer)
            } else {
                output::print_line(&format!("written to {}", text_at(&answer, "/to")))
            }
            Ok(Outcome::Good)
        }
    }
}
