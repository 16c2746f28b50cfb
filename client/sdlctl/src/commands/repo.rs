//! `repo add|rm|ls`.

use serde_json::{Value, json};

use crate::cli::RepoCommand;
use crate::output::{self, Failure, Outcome, bold, dim, text};
use crate::session::{Session, object};

pub(crate) fn run(command: RepoCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        RepoCommand::Add { path, id, ignore, language, max_file_bytes } => {
            let root = std::path::absolute(&path)
                .map_err(|error| Failure::io(&path.display().to_string(), &error))?;
            let many = |items: Vec<String>| (!items.is_empty()).then(|| json!(items));
            let arguments = object([
                ("rootPath", Some(json!(root))),
                ("repoId", id.map(Value::from)),
                ("ignore", many(ignore)),
                ("languages", many(language)),
                ("maxFileBytes", max_file_bytes.map(Value::from)),
            ]);
            let session = Session::open()?;
            session.revive(&root)?;
            let answer = session.tool("repo.register", &arguments)?;
            show(as_json, &answer.structured, || {
                let verb = if answer.structured["created"] == true {
                    "registered"
                } else {
                    "was registered already"
                };
                output::line(&format!("{} {verb}", bold(text(&answer.structured, "/repoId"))));
            });
        }
        RepoCommand::Rm { repo } => {
            let repo = std::path::absolute(&repo)
                .ok()
                .filter(|path| path.exists())
                .map_or(repo, |path| path.display().to_string());
            let answer = Session::open()?.call("repo/remove", &json!({ "repo": repo }))?;
            show(as_json, &answer, || {
                output::line(&format!("{} forgotten; its tree is untouched", bold(text(&answer, "/repoId"))));
            });
        }
        RepoCommand::Ls => {
            let status = Session::open()?.call("daemon/status", &json!({}))?;
            show(as_json, &status["repos"], || {
                if status["repos"].as_array().is_some_and(Vec::is_empty) {
                    output::line("No repository is registered. Add one with: sdlctl index PATH");
                }
                for repo in status["repos"].as_array().into_iter().flatten() {
                    output::line(&format!(
                        "{}  {}  {}",
                        bold(text(repo, "/repoId")),
                        text(repo, "/state"),
                        dim(text(repo, "/rootPath"))
                    ));
                }
            });
        }
    }
    Ok(Outcome::Good)
}

fn show(as_json: bool, value: &Value, human: impl FnOnce()) {
    if as_json { output::json(value) } else { human() }
}
