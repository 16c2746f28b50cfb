//! `verify`: whether the ledger equals a fresh index of the same tree.

use sdl_client::CallOptions;
use serde_json::{Value, json};

use crate::cli::VerifyArgs;
use crate::output::{
    self, Failure, Outcome, Progress, format_count, number_at, style_green, style_red, text_at,
};
use crate::session::Session;

pub(crate) fn run_verify(args: &VerifyArgs, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    if args.memory {
        return verify_memory(&session, as_json);
    }
    let repo = session.repo(args.repo.repo.as_deref())?;
    let bar = Progress::new(as_json);
    let params = json!({ "repo": repo });
    let answer = session.call_with("ledger/verify", &params, CallOptions::read(), |said| bar.show(said));
    bar.clear();
    let answer = answer?;
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

fn verify_memory(session: &Session, as_json: bool) -> Result<Outcome, Failure> {
    let answer = session.call_with("memory/verify", &json!({}), CallOptions::read(), |_| {})?;
    let faults = answer["faults"].as_array().map(Vec::as_slice).unwrap_or_default();
    if as_json {
        output::print_json(&answer);
    } else if faults.is_empty() {
        let rows = number_at(&answer, "/rows");
        output::print_line(&format!(
            "{} and their words are {}",
            format_count(rows, "row"),
            style_green("in agreement")
        ));
    } else {
        output::print_line(&style_red("The words of the agents' store differ from its rows:"));
        faults.iter().filter_map(Value::as_str).for_each(output::print_line);
        output::print_line(
            "Please report this. `sdlctl memory export`, and an import into an empty folder, make them again.",
        );
    }
    Ok(if faults.is_empty() { Outcome::Good } else { Outcome::Bad })
}

/// Shared with `ledger check`: findings as text.
pub(super) fn finding_texts(answer: &Value) -> Vec<String> {
    let findings = answer["findings"].as_array().into_iter().flatten();
    findings.map(|finding| format!("{}: {}", text_at(finding, "/table"), text_at(finding, "/what"))).collect()
}
