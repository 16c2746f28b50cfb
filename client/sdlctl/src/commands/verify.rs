//! `verify`: whether the ledger equals a fresh index of the same tree.

use sdl_client::CallOptions;
use serde_json::{Value, json};

use crate::cli::RepoArg;
use crate::output::{self, Failure, Outcome, style_green, style_red, text_at};
use crate::session::Session;

pub(crate) fn run_verify(args: &RepoArg, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    let repo = session.repo(args.repo.as_deref())?;
    let answer = session.call_with("ledger/verify", &json!({ "repo": repo }), CallOptions::read(), |_| {})?;
    let identical = answer["identical"].as_bool().unwrap_or(false);
    if as_json {
        output::print_json(&answer);
    } else if identical {
        let (repo, version) = (text_at(&answer, "/repoId"), text_at(&answer, "/ledgerVersion"));
        output::print_line(&format!("{repo} at {version} is {} to a fresh index", style_green("identical")));
    } else {
        output::print_line(&style_red("The ledger differs from a fresh index (- kept, + fresh):"));
        for line in
            ["differences", "findings"].iter().flat_map(|name| answer[*name].as_array().into_iter().flatten())
        {
            output::print_line(line.as_str().unwrap_or_default());
        }
        output::print_line("Please report this. `sdlctl repo rm` and `sdlctl index` rebuild the ledger.");
    }
    Ok(if identical { Outcome::Good } else { Outcome::Bad })
}

/// Shared with `ledger check`: findings as text.
pub(super) fn finding_texts(answer: &Value) -> Vec<String> {
    let findings = answer["findings"].as_array().into_iter().flatten();
    findings.map(|finding| format!("{}: {}", text_at(finding, "/table"), text_at(finding, "/what"))).collect()
}
