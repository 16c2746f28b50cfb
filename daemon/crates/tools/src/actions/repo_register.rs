//! `repo.register`: registers a tree to be indexed and watched.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, HostAction, Namespace, Render};
use crate::call::context::Call;
use crate::call::freshness::Freshness;
use crate::call::freshness::Stand;
use crate::host::RegisterSpec;
use crate::parts::params::LangParam;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct RepoRegister;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Absolute path. Home folders, filesystem roots and trees inside or around a registered one are refused.
    #[schemars(length(min = 1, max = 4_096))]
    root_path: String,
    /// Default: folder's name. Made unique.
    #[schemars(length(min = 1, max = 64))]
    repo_id: Option<String>,
    /// `.gitignore` patterns. Skipped in addition to those of the tree's own files.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    ignore: Vec<String>,
    /// Default: all. Only these languages.
    #[serde(default)]
    languages: Vec<LangParam>,
    /// Default 2097152. Larger files are skipped.
    #[schemars(range(min = 1_024, max = 268_435_456))]
    max_file_bytes: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Always true.
    ok: bool,
    /// Its id.
    repo_id: String,
    /// False if the tree was registered before.
    created: bool,
    /// Whether its first index is running; `repo.status` tells the progress.
    indexing: bool,
    /// The newest version; `v0` before the first index is done.
    freshness: Freshness,
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
        let root = absolute_path(cx, &request.root_path)?;
        if let Some(id) = &request.repo_id
            && !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        {
            let message = format!("repoId may hold letters, digits, '.', '_' and '-' only, got {id:?}");
            return Err(ToolError::invalid("repoId", message));
        }
        let settings = [
            ("ignore", !request.ignore.is_empty()),
            ("languages", !request.languages.is_empty()),
            ("maxFileBytes", request.max_file_bytes.is_some()),
        ];
        let registered = cx.host.register(RegisterSpec {
            root,
            id: request.repo_id,
            ignore: request.ignore,
            languages: request.languages.into_iter().map(|lang| lang.0).collect(),
            max_file_bytes: request.max_file_bytes,
        })?;
        let given: Vec<&str> = settings.iter().filter_map(|(name, given)| given.then_some(*name)).collect();
        if !registered.created && !given.is_empty() {
            cx.note(format!(
                "the tree was registered before, and {} had no effect; to change its settings, forget it with \
                 `sdlctl repo rm {}` and register it again",
                given.join(", "),
                registered.id
            ));
        }
        let repo = cx.host.repo(&registered.id);
        let stand = repo.map(|repo| Stand::apart(repo.as_ref()));
        Ok(Response {
            ok: true,
            repo_id: registered.id,
            created: registered.created,
            indexing: registered.indexing,
            freshness: stand.unwrap_or_else(Stand::nowhere).into(),
        })
    }
}

/// Returns the path from the filesystem's root. A relative path is relative to the client's folder, not the daemon's.
fn absolute_path(cx: &Call<'_>, text: &str) -> Result<PathBuf, ToolError> {
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
