//! `repo add|rm|ls`.

use serde_json::{Value, json};

use crate::cli::RepoCommand;
use crate::output::{self, Failure, Outcome, style_bold, style_dim, text_at};
use crate::session::{Session, json_object};

pub(crate) fn run_repo(command: RepoCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        RepoCommand::Add { path, id, ignore, language, max_file_bytes } => {
            let root = std::path::absolute(&path)
                .map_err(|error| Failure::io(&path.display().to_string(), &error))?;
            let many = |items: Vec<String>| (!items.is_empty()).then(|| json!(items));
            let arguments = json_object([
                ("rootPath", Some(json!(root))),
                ("repoId", id.map(Value::from)),
                ("ignore", many(ignore)),
                ("languages", many(language)),
                ("maxFileBytes", max_file_bytes.map(Value::from)),
            ]);
            let session = Session::open()?;
            session.revive(&root)?;
            let answer = session.tool("repo.register", &arguments)?;
            print_value(as_json, &answer.structured, || {
                let verb = if answer.structured["created"] == true {
                    "registered"
                } else {
                    "was registered already"
                };
                output::print_line(&format!("{} {verb}", style_bold(text_at(&answer.structured, "/repoId"))));
            });
        }
        RepoCommand::Rm { repo } => {
            let repo = std::path::absolute(&repo)
                .ok()
                .filter(|path| path.exists())
                .map_or(repo, |path| path.display().to_string());
            let answer = Session::open()?.call("repo/remove", &json!({ "repo": repo }))?;
            print_value(as_json, &answer, || {
                output::print_line(&format!(
                    "{} forgotten; its tree is untouched",
                    style_bold(text_at(&answer, "/repoId"))
                ));
            });
        }
        RepoCommand::Ls => {
            let status = Session::open()?.call("daemon/status", &json!({}))?;
            print_value(as_json, &status["repos"], || {
                if status["repos"].as_array().is_some_and(Vec::is_empty) {
                    output::print_line("No repository is registered. Add one with: sdlctl index PATH");
                }
                for repo in status["repos"].as_array().into_iter().flatten() {
                    output::print_line(&format!(
                        "{}  {}  {}",
                        style_bold(text_at(repo, "/repoId")),
                        text_at(repo, "/state"),
                        style_dim(text_at(repo, "/rootPath"))
                    ));
                }
            });
        }
    }
    Ok(Outcome::Good)
}

fn print_value(as_json: bool, value: &Value, human: impl FnOnce()) {
    if as_json { output::print_json(value) } else { human() }
}
