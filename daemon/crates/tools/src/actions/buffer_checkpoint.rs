//! `buffer.checkpoint`: drops the unsaved buffers that are now equal to their files.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use sdl_ledger::View as _;
use sdl_model::Version;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::answers::begin_line;
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;

/// How long to wait for the tree.
const SYNC_TIMEOUT: Duration = Duration::from_secs(2);
/// One row for each buffer is read.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// See [`ActionDef`].
pub(crate) struct BufferCheckpoint;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// For the log.
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Buffers that equal their files on disk and were dropped.
    checkpointed: u64,
    /// Files whose buffers differ from the disk.
    diverged: Vec<String>,
    /// Buffers that answers still see.
    pending: u64,
}

impl Action for BufferCheckpoint {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "buffer.checkpoint",
        namespace: Namespace::Repo,
        mutating: true,
        description: "Call this when buffers were saved: drops those equal to disk, names the others",
        needs: "",
        examples: &[r#"{"repoId":"my-repo","reason":"saved all"}"#],
        aliases: &[],
    };
}

impl RepoAction for BufferCheckpoint {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        let barrier = cx.repo.barrier(cx.call.at_most(SYNC_TIMEOUT), cx.call.cancel);
        cx.call.check()?;
        tracing::debug!(repo = cx.repo.id(), reason = request.reason, "checkpoint of buffers");
        let buffers = cx.call.buffers;
        let lying = |files: Option<(u64, usize)>| files.map_or(0, |(_, files)| files as u64);
        let version = cx.repo.ledger().head().unwrap_or(Version(0));
        if !barrier.synced {
            // No buffer is dropped, because the content of the tree is not known, and a buffer may be the only copy
            // of its text.
            let response =
                Response { checkpointed: 0, diverged: Vec::new(), pending: lying(buffers.lying(cx.repo)) };
            let reason = barrier.reason.or_else(|| Some("the tree could not be confirmed".to_owned()));
            return Ok((response, Stand { version, synced: Some(false), reason }));
        }
        let deadline = Instant::now() + cx.call.at_most(READ_LIMIT);
        let (version, found) = cx.repo.ledger().read_with(deadline, |snapshot| {
            let found = buffers.checkpoint(cx.repo, |file| Ok(snapshot.file(file)?))?;
            Ok::<_, ToolError>((snapshot.version(), found))
        })??;
        let response = Response {
            checkpointed: found.dropped.len() as u64,
            diverged: found.diverged,
            pending: lying(buffers.lying(cx.repo)),
        };
        Ok((response, Stand { version, synced: Some(true), reason: None }))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} dropped, {} pending", self.checkpointed, self.pending);
        for file in &self.diverged {
            begin_line(&mut text, format_args!("differs: {file}"));
        }
        text
    }
}
