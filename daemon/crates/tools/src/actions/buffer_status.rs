//! `buffer.status`: the unsaved buffers that are held.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::answers::begin_line;
use crate::call::buffers::Shown;
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;

/// See [`ActionDef`].
pub(crate) struct BufferStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The unsaved buffers, by path.
    buffers: Vec<BufferOut>,
    /// State of all buffers: `freshness.overlay.seq` of the answers that see it.
    overlay_version: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BufferOut {
    /// Path, relative to the root.
    file: String,
    /// The editor's change counter.
    version: u64,
    /// Whether answers see this text instead of the file.
    dirty: bool,
    /// Milliseconds since it was pushed.
    age_ms: u64,
}

impl Action for BufferStatus {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "buffer.status",
        namespace: Namespace::Repo,
        mutating: false,
        description: "Call this when you want to know which unsaved buffers answers see",
        needs: "",
        examples: &[r#"{"repoId":"my-repo"}"#],
        aliases: &[],
    };
}

impl RepoAction for BufferStatus {
    fn run(cx: &RepoCx<'_>, _: Request) -> Result<(Response, Stand), ToolError> {
        let (shown, overlay_version) = cx.call.buffers.shown(cx.repo);
        let out = |Shown { file, version, dirty, age_ms }| BufferOut { file, version, dirty, age_ms };
        let response = Response { buffers: shown.into_iter().map(out).collect(), overlay_version };
        Ok((response, Stand::apart(cx.repo)))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} buffers, overlay {}", self.buffers.len(), self.overlay_version);
        for BufferOut { file, version, dirty, age_ms } in &self.buffers {
            let state = if *dirty { "unsaved" } else { "saved" };
            begin_line(&mut text, format_args!("{file} {version} {state}, {age_ms} ms old"));
        }
        text
    }
}
