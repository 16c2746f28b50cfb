//! `index.refresh`: compares the tree with the ledger, or reads it all again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;
use crate::host::RefreshSpec;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct IndexRefresh;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Mode {
    /// Read and resolve everything again.
    Full,
    /// Only what differs from the ledger.
    Incremental,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `full` parses every file. `incremental` reads what looks changed.
    mode: Mode,
    /// For the log.
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Default: whole tree. Only these files and folders, relative to the root.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    paths: Vec<String>,
    /// Return at once. `repo.status` tells the progress.
    r#async: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Always true.
    ok: bool,
    /// The newest version after the refresh.
    version_id: String,
    /// Files that differ from the version before.
    changed_files: u64,
    /// Files that were parsed.
    parsed: u64,
    /// Files whose facts were known and not parsed again.
    reused: u64,
    /// Milliseconds it took.
    duration_ms: u64,
    /// With `async`: names the work that continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<String>,
}

impl Action for IndexRefresh {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "index.refresh",
        namespace: Namespace::Repo,
        mutating: true,
        description: "Call this when answers seem wrong or watching is degraded; changes are otherwise picked up by themselves",
        needs: "mode",
        examples: &[
            r#"{"repoId":"my-repo","mode":"incremental"}"#,
            r#"{"repoId":"my-repo","mode":"full","reason":"after restoring a backup","async":true}"#,
        ],
        aliases: &[],
    };
}

impl RepoAction for IndexRefresh {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        let mut paths = Vec::new();
        for (i, path) in request.paths.iter().enumerate() {
            paths.push(below_root(cx, path, &format!("paths[{i}]"))?);
        }
        // If the root itself is among the paths, everything is refreshed.
        if paths.iter().any(String::is_empty) {
            paths.clear();
        }
        if request.mode == Mode::Full && !paths.is_empty() {
            paths.clear();
            cx.call.note("paths has no effect with mode: full, which reads every file");
        }
        let partial = !paths.is_empty();
        let background = request.r#async.unwrap_or(false);
        let spec =
            RefreshSpec { full: request.mode == Mode::Full, paths, reason: request.reason, background };
        let done = cx.repo.refresh(spec, cx.call.progress, cx.call.cancel)?;
        let reason = if background {
            Some("the refresh goes on in the background".to_owned())
        } else {
            partial.then(|| "only the given paths were compared".to_owned())
        };
        let stand = Stand { version: done.version, synced: Some(reason.is_none()), reason };
        let response = Response {
            ok: true,
            version_id: done.version.to_string(),
            changed_files: done.changed_files,
            parsed: done.parsed,
            reused: done.reused,
            duration_ms: done.duration_ms,
            operation_id: done.operation_id,
        };
        Ok((response, stand))
    }
}

/// Returns the path from the root, `/` between parts, empty for the root itself.
fn below_root(cx: &RepoCx<'_>, text: &str, field: &str) -> Result<String, ToolError> {
    let below =
        std::path::Path::new(text).strip_prefix(cx.repo.root()).ok().and_then(std::path::Path::to_str);
    let text = below.unwrap_or(text);
    let text = text.strip_prefix("./").unwrap_or(text).trim_end_matches('/');
    if text.is_empty() || text == "." {
        return Ok(String::new());
    }
    sdl_model::RelPath::new(text).map(|path| path.as_str().to_owned()).ok_or_else(|| {
        let shown: String = text.chars().take(200).collect();
        ToolError::invalid(field, format!("{shown:?} is not a path inside {}", cx.repo.root().display()))
    })
}

impl Render for Response {
    fn text(&self) -> String {
        match &self.operation_id {
            Some(id) => format!("{id} goes on in the background from {}", self.version_id),
            None => format!(
                "{}: {} files changed, {} parsed, {} reused, {} ms",
                self.version_id, self.changed_files, self.parsed, self.reused, self.duration_ms
            ),
        }
    }
}
