//! `ledger check|dump`.

use serde_json::json;

use super::verify::findings;
use crate::cli::LedgerCommand;
use crate::output::{self, Failure, Outcome, green, text};
use crate::session::Session;

pub(crate) fn run(command: LedgerCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    match command {
        LedgerCommand::Check(args) => {
            let answer =
                session.call("ledger/check", &json!({ "repo": session.repo(args.repo.as_deref())? }))?;
            let good = answer["ok"].as_bool().unwrap_or(false);
            if as_json {
                output::json(&answer);
            } else if good {
                output::line(&format!("{}: {}", text(&answer, "/repoId"), green("the tables agree")));
            } else {
                findings(&answer).iter().for_each(|finding| output::line(finding));
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
                output::json(&answer)
            } else {
                output::line(&format!("written to {}", text(&answer, "/to")))
            }
            Ok(Outcome::Good)
        }
    }
}
