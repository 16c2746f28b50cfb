//! `memory.store`: stores a memory of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::context::ReadCx;
use crate::kept::memory::{self, Draft, Kind};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct MemoryStore;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Kind of knowledge.
    r#type: Kind,
    /// One line.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// What to remember.
    #[schemars(length(min = 1, max = 8_000))]
    content: String,
    /// Words to find it by. For example `["auth"]`.
    #[schemars(length(max = memory::MOST_TAGS))]
    tags: Option<Vec<String>>,
    /// 0 to 1, default 0.8. How sure you are.
    #[schemars(range(min = 0, max = 1))]
    confidence: Option<f64>,
    /// Symbols it is about. It counts as stale once one changes.
    #[schemars(length(max = memory::MOST_LINKS))]
    symbol_ids: Option<Vec<String>>,
    /// Paths it is about.
    #[schemars(length(max = memory::MOST_LINKS))]
    files: Option<Vec<String>>,
    /// Memory to update. Fields that are not given stay.
    memory_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Always true.
    ok: bool,
    /// The memory's id.
    memory_id: String,
    /// Whether it is new.
    created: bool,
    /// Whether a memory with the same text existed and got the new links and tags.
    deduplicated: bool,
}

impl Action for MemoryStore {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "memory.store",
        namespace: Namespace::Agent,
        mutating: true,
        description: "Call this when you learned or decided something that later work on this code should know",
        needs: "type,title,content",
        examples: &[
            r#"{"repoId":"my-repo","type":"decision","title":"Tokens are checked twice","content":"The gateway checks too, since it caches.","symbolIds":["s_0123456789abc"],"tags":["auth"]}"#,
            r#"{"repoId":"my-repo","type":"note","title":"Slow test","content":"test_checkout needs a network.","files":["tests/test_shop.py"],"memoryId":"m_0123456789abc"}"#,
        ],
        aliases: &[],
    };
}

/// Maximum number of characters of a tag.
const TAG: usize = 50;

impl ReadAction for MemoryStore {
    const EARLY: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        for (field, text) in [("title", &request.title), ("content", &request.content)] {
            if text.trim().is_empty() {
                return Err(ToolError::invalid(field, format!("{field} must not be empty")));
            }
        }
        for (i, tag) in request.tags.iter().flatten().enumerate() {
            if tag.trim().is_empty() || tag.chars().count() > TAG {
                let message = format!("a tag has 1 to {TAG} characters");
                return Err(ToolError::invalid(format!("tags[{i}]"), message));
            }
        }
        let draft = Draft {
            kind: request.r#type,
            title: request.title.trim().to_owned(),
            content: request.content.trim().to_owned(),
            tags: request.tags.map(|tags| tags.iter().map(|tag| tag.trim().to_owned()).collect()),
            confidence: request.confidence,
            symbols: request.symbol_ids.map(|ids| memory::symbol_links(cx, &ids)).transpose()?,
            files: request.files.map(|files| memory::file_links(cx, &files)).transpose()?,
        };
        let stored = memory::store_memory(cx, request.memory_id.as_deref(), &draft)?;
        Ok(Response {
            ok: true,
            memory_id: stored.id,
            created: stored.created,
            deduplicated: stored.deduplicated,
        })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let what = match (self.created, self.deduplicated) {
            (true, _) => "stored",
            (false, true) => "known already",
            (false, false) => "updated",
        };
        format!("{} {what}", self.memory_id)
    }
}
