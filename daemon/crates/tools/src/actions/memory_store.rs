//! `memory.store`: stores a memory of a repository or of the user.

use schemars::JsonSchema;
use sdl_contract::Union;
use sdl_memory::notes::{self, Bugfix, Decision, Details, Draft, Note, Pattern, Stored, TaskContext};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::{anchors, memory};
use crate::parts::times;

/// See [`ActionDef`].
pub(crate) struct MemoryStore;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Common {
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
    /// When it ends. RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(min = 1, max = 40))]
    expires_at: Option<String>,
    /// `m_…`. An older memory that it replaces; that one is kept and names this one.
    #[schemars(length(min = 1, max = 100))]
    supersedes: Option<String>,
}

sdl_contract::union_request! {
    pub(crate) struct Request {
        common: Common,
        /// Kind of knowledge.
        "type" as content: Content {
            Decision(Decision) = "decision",
            Bugfix(Bugfix) = "bugfix",
            TaskContext(TaskContext) = "task_context",
            Pattern(Pattern) = "pattern",
            Note(Note) = "note",
        }
    }
}

impl From<Content> for Details {
    fn from(content: Content) -> Self {
        match content {
            Content::Decision(fields) => Self::Decision(fields),
            Content::Bugfix(fields) => Self::Bugfix(fields),
            Content::TaskContext(fields) => Self::TaskContext(fields),
            Content::Pattern(fields) => Self::Pattern(fields),
            Content::Note(fields) => Self::Note(fields),
        }
    }
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
    const MOVES: Option<(Module, Namespace)> = Some((Module::Memory, Namespace::Memory));
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] = &[(
        Module::Memory,
        &[
            "scope",
            "idempotencyKey",
            "expiresAt",
            "supersedes",
            "alternatives",
            "rationale",
            "symptom",
            "cause",
            "fix",
            "dispatchId",
            "nextSteps",
            "blockedBy",
            "appliesTo",
            "example",
            "counterExample",
            "revision",
            "replayed",
            "masked",
        ],
    )];
    const UNION: Option<fn() -> Union> = Some(Content::branches);
}

impl OwnedAction for MemoryStore {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let Request { common, content } = request;
        let title = memory::check_text("title", &common.title)?;
        let text = memory::check_text("content", &common.content)?;
        let tags = common.tags.as_deref().map(memory::check_tags).transpose()?;
        let anchors = anchors::link_anchors(cx, common.symbol_ids.as_deref(), common.files.as_deref())?;
        let expires_ms = times::end_of("expiresAt", common.expires_at.as_deref(), cx.now_ms())?;
        let draft = Draft {
            scope: cx.scopes.own.clone(),
            title,
            content: text,
            tags,
            confidence: common.confidence,
            anchors,
            confirmed: None,
            details: content.into(),
            agent: None,
            expires_ms,
            supersedes: common.supersedes,
            version: cx.read.map_or(0, |read| read.version.0),
        };
        if cx.repo().is_none() {
            cx.note("no repository is known, so this is yours in every repository; give repoId otherwise");
        }
        let stored = store_draft(cx, common.memory_id.as_deref(), draft)?;
        Ok(Response {
            ok: true,
            memory_id: stored.id,
            created: stored.created,
            deduplicated: stored.deduplicated,
        })
    }
}

/// Stores a draft, over the memory `id` if there is one. Who writes a memory over has looked at its code, so the links are to the code as
/// it is.
pub(super) fn store_draft(cx: &OwnedCx<'_>, id: Option<&str>, mut draft: Draft) -> Result<Stored, ToolError> {
    let own = std::slice::from_ref(&draft.scope);
    let known = match id {
        Some(id) => cx.look(|reader| Ok(notes::find_memory(reader, Some(own), id)?))?,
        None => None,
    };
    draft.confirmed = known.map(|known| memory::confirmed_anchors(cx, known)).transpose()?.flatten();
    cx.change(|change| notes::store_memory(change, id, &draft))
        .map_err(|error| memory::lead_on(error, &cx.scopes.own))
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
