//! `workspace add|rm|ls`.

use serde_json::{Value, json};

use crate::cli::WorkspaceCommand;
use crate::output::{self, Failure, Outcome, style_bold, style_dim, text_at};
use crate::session::Session;

pub(crate) fn run_workspace(command: WorkspaceCommand, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    match command {
        WorkspaceCommand::Add { name, repos } => {
            let repos: Vec<String> = repos.into_iter().map(absolute_path).collect();
            let answer = session.call("workspace/set", &json!({ "name": name, "repos": repos }))?;
            print_value(as_json, &answer, || {
                let verb = if answer["replaced"] == true { "is now" } else { "is" };
                output::print_line(&format!(
                    "{} {verb} {}",
                    style_bold(text_at(&answer, "/name")),
                    members(&answer)
                ));
            });
        }
        WorkspaceCommand::Rm { name } => {
            let answer = session.call("workspace/remove", &json!({ "name": name }))?;
            print_value(as_json, &answer, || {
                let name = style_bold(text_at(&answer, "/name"));
                output::print_line(&format!("{name} forgotten; its repositories stay registered"));
            });
        }
        WorkspaceCommand::Ls => {
            let answer = session.call("workspace/list", &json!({}))?;
            print_value(as_json, &answer["workspaces"], || {
                let known = answer["workspaces"].as_array().map(Vec::as_slice).unwrap_or_default();
                if known.is_empty() {
                    output::print_line("No workspace is named. --repo '*' asks all registered repositories.");
                }
                for one in known {
                    let name = style_bold(text_at(one, "/name"));
                    output::print_line(&format!("{name}  {}", style_dim(&members(one))));
                }
            });
        }
    }
    Ok(Outcome::Good)
}

/// A path that exists, made absolute; anything else is an id.
fn absolute_path(repo: String) -> String {
    let path = std::path::absolute(&repo).ok().filter(|path| path.exists() && repo.contains(['/', '.']));
    path.map_or(repo, |path| path.display().to_string())
}

fn members(workspace: &Value) -> String {
    let ids = workspace["repos"].as_array().into_iter().flatten().filter_map(Value::as_str);
    ids.collect::<Vec<_>>().join(", ")
}

fn print_value(as_json: bool, value: &Value, human: impl FnOnce()) {
    if as_json { output::print_json(value) } else { human() }
}

#[cfg(test)]
mod tests {
    use crate::cli::ScopeArg;

    #[test]
    fn a_star_is_all_repositories_and_another_word_a_workspace() {
        let given = |repo: Option<&str>, workspace: Option<&str>| {
            ScopeArg { repo: repo.map(str::to_owned), workspace: workspace.map(str::to_owned) }.given()
        };
        assert_eq!(given(None, Some("*")).as_deref(), Some("*"));
        assert_eq!(given(None, Some("python")).as_deref(), Some("workspace:python"));
        assert_eq!(given(Some("*"), None).as_deref(), Some("*"));
        assert_eq!(given(None, None), None);
    }
}
