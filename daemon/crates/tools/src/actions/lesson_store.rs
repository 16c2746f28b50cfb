//! `lesson.store`: stores a lesson that an agent learned.

use schemars::JsonSchema;
use sdl_memory::notes::{Details, Draft, Lesson, LessonType, TaskFacts};
use serde::{Deserialize, Serialize};

use super::memory_store::store_draft;
use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::{anchors, memory};
use crate::parts::times;

/// See [`ActionDef`].
pub(crate) struct LessonStore;

/// Characters of the title that is made of a lesson without one.
const TITLE: usize = 120;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Name of the agent that learned it. `planner`, for example.
    #[schemars(length(min = 1, max = 200))]
    agent: String,
    /// Kind of lesson.
    lesson_type: LessonType,
    /// What was learned.
    #[schemars(length(min = 1, max = 8_000))]
    content: String,
    /// One line. Default: the beginning of `content`.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// 0 to 1, default 0.5. How much it matters.
    #[schemars(range(min = 0, max = 1))]
    importance: Option<f64>,
    /// The task in which it was learned.
    task_context: Option<TaskFacts>,
    /// Words to find it by.
    #[schemars(length(max = memory::MOST_TAGS))]
    tags: Option<Vec<String>>,
    /// Symbols it is about. It counts as stale once one changes.
    #[schemars(length(max = memory::MOST_LINKS))]
    symbol_ids: Option<Vec<String>>,
    /// Paths it is about.
    #[schemars(length(max = memory::MOST_LINKS))]
    files: Option<Vec<String>>,
    /// When it ends. RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(min = 1, max = 40))]
    expires_at: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The lesson's id, for `memory.update` and `memory.remove`.
    memory_id: String,
    /// Whether it is new.
    created: bool,
    /// Whether the agent knew it, word for word.
    deduplicated: bool,
}

impl Action for LessonStore {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "lesson.store",
        namespace: Namespace::Memory,
        mutating: true,
        description: "Call this when you learned something that you, as this agent, should do better next time",
        needs: "agent,lessonType,content",
        examples: &[
            r#"{"repoId":"my-repo","agent":"reviewer","lessonType":"failure","content":"Check the migrations before the models.","taskContext":{"outcome":"failure","attempts":2}}"#,
        ],
        aliases: &[("agentName", "agent"), ("memoryType", "lessonType")],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
}

impl OwnedAction for LessonStore {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let content = memory::check_text("content", &request.content)?;
        let title = match &request.title {
            Some(title) => memory::check_text("title", title)?,
            None => first_line(&content),
        };
        let details = Details::Lesson(Lesson {
            lesson_type: Some(request.lesson_type),
            importance: request.importance,
            task_context: request.task_context,
        });
        let draft = Draft {
            scope: cx.scopes.own.clone(),
            title,
            content,
            tags: request.tags.as_deref().map(memory::check_tags).transpose()?,
            confidence: None,
            anchors: anchors::link_anchors(cx, request.symbol_ids.as_deref(), request.files.as_deref())?,
            confirmed: None,
            details,
            agent: Some(memory::check_text("agent", &request.agent)?),
            expires_ms: times::end_of("expiresAt", request.expires_at.as_deref(), cx.now_ms())?,
            supersedes: None,
            version: cx.read.map_or(0, |read| read.version.0),
        };
        let stored = store_draft(cx, None, draft)?;
        Ok(Response { memory_id: stored.id, created: stored.created, deduplicated: stored.deduplicated })
    }
}

/// The beginning of a text, as a title.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} {}", self.memory_id, if self.created { "stored" } else { "known already" })
    }
}
