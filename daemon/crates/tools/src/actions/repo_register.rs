//! `repo.register`: have a tree indexed and watched.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::action::{Action, ActionDef, Call, HostAction, Namespace, Render};
use crate::host::RegisterSpec;
use crate::params::LangParam;

/// See [`ActionDef`].
pub(crate) struct RepoRegister;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The tree's root. Home folders, filesystem roots and trees inside or around a registered one are refused.
    #[schemars(length(min = 1, max = 4_096))]
    root_path: String,
    /// What to call it. By default the folder's name, made unique.
    #[schemars(length(min = 1, max = 64))]
    repo_id: Option<String>,
    /// Patterns to leave out beside those of `.gitignore`, in its syntax.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    ignore: Vec<String>,
    /// Only these languages. By default all.
    #[serde(default)]
    languages: Vec<LangParam>,
    /// Files above this are listed as skipped. 2 MiB by default.
    #[schemars(range(min = 1_024, max = 268_435_456))]
    max_file_bytes: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    ok: bool,
    /// What it is called.
    repo_id: String,
    /// False if the same tree was registered already.
    created: bool,
    /// Whether the first index is under way.
    indexing: bool,
}

impl Action for RepoRegister {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "repo.register",
        namespace: Namespace::Repo,
        mutating: true,
        description: "Call this when a call says that no repository holds your working directory",
        needs: "rootPath",
        examples: &[
            r#"{"rootPath":"/home/me/my-repo"}"#,
            r#"{"rootPath":"/home/me/my-repo","repoId":"mine","ignore":["vendor/"],"languages":["python"]}"#,
        ],
        aliases: &[],
    };
}

impl HostAction for RepoRegister {
    fn run(cx: &Call<'_>, request: Request) -> Result<Response, ToolError> {
        let root = absolute(cx, &request.root_path)?;
        if let Some(id) = &request.repo_id
            && !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        {
            let message = format!("repoId may hold letters, digits, '.', '_' and '-' only, got {id:?}");
            return Err(ToolError::invalid("repoId", message));
        }
        let registered = cx.host.register(RegisterSpec {
            root,
            id: request.repo_id,
            ignore: request.ignore,
            languages: request.languages.into_iter().map(|lang| lang.0).collect(),
            max_file_bytes: request.max_file_bytes,
        })?;
        Ok(Response {
            ok: true,
            repo_id: registered.id,
            created: registered.created,
            indexing: registered.indexing,
        })
    }
}

/// The path from the filesystem's root. A relative one is the client's, not the daemon's.
fn absolute(cx: &Call<'_>, text: &str) -> Result<PathBuf, ToolError> {
    let path = Path::new(text);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    match &cx.session.cwd {
        Some(cwd) if !text.starts_with('~') => Ok(cwd.join(path)),
        _ => {
            let message = format!("rootPath must be absolute, got {text:?}");
            Err(ToolError::invalid("rootPath", message))
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let what = if self.created { "registered" } else { "was registered already" };
        let then = if self.indexing { "; the first index is under way" } else { "" };
        format!("{} {what}{then}", self.repo_id)
    }
}
