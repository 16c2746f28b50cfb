//! `buffer.push`: takes unsaved text from an editor.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use sdl_ledger::View as _;
use sdl_model::{FileId, Lang};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, Render, RepoAction};
use crate::call::answers::begin_line;
use crate::call::buffers::{Event, Push};
use crate::call::context::RepoCx;
use crate::call::freshness::Stand;
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};

/// One row is read.
const READ_LIMIT: Duration = Duration::from_secs(2);

/// See [`ActionDef`].
pub(crate) struct BufferPush;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum EventType {
    /// The file was opened.
    Open,
    /// Its text changed.
    Change,
    /// It was written to disk: from now on the file counts.
    Save,
    /// It was closed: the buffer is forgotten.
    Close,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Relative to the root. Or absolute. The file may be new.
    file_path: String,
    /// Editor event. `change` needs `content`; after `save` and `close` the file on disk counts again.
    event_type: EventType,
    /// Whole text. Required for `change`.
    content: Option<String>,
    /// Editor's change counter. A version older than the last one pushed is ignored.
    version: u64,
    /// Default: by name. For example `python`.
    #[schemars(length(max = 40))]
    language: Option<String>,
    /// Text differs from disk. Default: true for `change`, false for `save`; `open` is compared.
    dirty: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Whether the buffer was taken.
    accepted: bool,
    /// State of all buffers: `freshness.overlay.seq` of the answers that see it.
    overlay_version: u64,
    /// What to know about this buffer; empty if all is well.
    warnings: Vec<String>,
}

impl Action for BufferPush {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "buffer.push",
        namespace: Namespace::Repo,
        mutating: true,
        description: "Call this when you are an editor: answers then see unsaved text, which is never stored",
        needs: "filePath,eventType,version",
        examples: &[
            r#"{"repoId":"my-repo","filePath":"src/auth.ts","eventType":"change","version":7,"content":"export const limit = 3;\n","dirty":true}"#,
            r#"{"repoId":"my-repo","filePath":"src/auth.ts","eventType":"close","version":8}"#,
        ],
        aliases: &[],
    };
}

impl RepoAction for BufferPush {
    fn run(cx: &RepoCx<'_>, request: Request) -> Result<(Response, Stand), ToolError> {
        let path = symbols::repo_path(cx.repo, &request.file_path, "filePath")?;
        let event = match request.event_type {
            EventType::Open => Event::Open,
            EventType::Change => Event::Change,
            EventType::Save => Event::Save,
            EventType::Close => Event::Close,
        };
        if event == Event::Change && request.content.is_none() {
            let message = "a change comes with the whole text; give content";
            return Err(ToolError::new(Code::MissingField, message).at("content"));
        }
        let language = request.language.as_deref().map(parse_language).transpose()?;
        let deadline = Instant::now() + cx.call.at_most(READ_LIMIT);
        let saved = cx.repo.ledger().read(deadline, |snapshot| snapshot.file(FileId::of(&path)))?;
        let push = Push {
            path,
            event,
            content: request.content,
            version: request.version,
            language,
            dirty: request.dirty,
            session: cx.call.session.id,
        };
        cx.call.serves(|served| served.touched.push(push.path.as_str().to_owned()));
        let done = cx.call.buffers.push(cx.repo, push, saved.as_ref())?;
        let response = Response {
            accepted: done.accepted,
            overlay_version: done.overlay_version,
            warnings: done.warnings,
        };
        Ok((response, Stand::apart(cx.repo)))
    }
}

fn parse_language(name: &str) -> Result<Lang, ToolError> {
    Lang::from_name(&name.to_lowercase()).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let known: Vec<&str> = Lang::ALL.iter().map(|lang| lang.name()).collect();
        ToolError::invalid("language", format!("{shown:?} is none of {}", known.join(", ")))
    })
}

impl Render for Response {
    fn text(&self) -> String {
        let what = if self.accepted { "accepted" } else { "not accepted" };
        let mut text = format!("{what}, overlay {}", self.overlay_version);
        for warning in &self.warnings {
            begin_line(&mut text, format_args!("{warning}"));
        }
        text
    }
}
