//! `dispatch.complete`: ends work that was handed over.

use schemars::JsonSchema;
use sdl_memory::notes::{Details, Draft, Lesson, LessonType, TaskFacts, TaskOutcome, store_memory};
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::state::{Outcome, is_same_author};
use sdl_memory::work::dispatch::{Dispatch, Ending, complete_dispatch, need_dispatch};
use sdl_memory::work::message::{MessageKind, NewMessage, send_news};
use serde::{Deserialize, Serialize};

use super::dispatch_claim::{see_dispatch, with_next};
use super::session_send::announce;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::call::work::sender_name;
use crate::context::assembly::{Assembly, find_assembly_of};
use crate::context::gathering::judge_assembly;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct DispatchComplete;

/// Characters of the title that is made of a lesson.
const LESSON_TITLE: usize = 120;
/// The news that a dispatch has ended waits for a week.
const NEWS_TTL_MS: u64 = 7 * 86_400_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum OutcomeIn {
    /// All of it is done.
    Success,
    /// A part of it is done.
    Partial,
    /// It failed.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}

impl From<OutcomeIn> for Outcome {
    fn from(outcome: OutcomeIn) -> Self {
        match outcome {
            OutcomeIn::Success => Self::Success,
            OutcomeIn::Partial => Self::Partial,
            OutcomeIn::Failed => Self::Failed,
            OutcomeIn::Cancelled => Self::Cancelled,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `d_…`. The dispatch.
    #[schemars(length(min = 1, max = 64))]
    dispatch_id: String,
    /// How it ended.
    outcome: OutcomeIn,
    /// What came of it, for whoever reads on.
    #[schemars(length(min = 1, max = 8_000))]
    summary: String,
    /// Default true. Counts for how well the agent does in this domain.
    domain_affinity: Option<bool>,
    /// Paths, commits or links that came of it.
    #[schemars(length(max = 50))]
    artifacts: Option<Vec<String>>,
    /// Sources of the assembled context that helped, of the dispatch's `assemblyId`.
    #[schemars(length(max = 200))]
    used_source_ids: Option<Vec<String>>,
    /// What you learned: each becomes a lesson of yours.
    #[schemars(length(max = 10))]
    learned: Option<Vec<String>>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The dispatch's id.
    dispatch_id: String,
    /// `done`, `failed` or `cancelled`.
    state: String,
    /// The lessons that were stored.
    lessons: Vec<String>,
}

impl Action for DispatchComplete {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] =
        &[(Module::Memory, &["usedSourceIds", "learned", "lessons"])];
    const DEF: ActionDef = ActionDef {
        name: "dispatch.complete",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when a dispatch has ended, well or not: whoever started it hears of it",
        needs: "dispatchId,outcome,summary",
        examples: &[
            r#"{"dispatchId":"d_0123456789abc","outcome":"success","summary":"The clock was read twice; now once.","artifacts":["src/login.py"]}"#,
        ],
        aliases: &[],
    };
}

impl OwnedAction for DispatchComplete {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        for (i, text) in request.artifacts.iter().flatten().enumerate() {
            if text.trim().is_empty() || text.chars().count() > sdl_memory::limits::NOTE {
                let message = format!("an artifact has 1 to {} characters", sdl_memory::limits::NOTE);
                return Err(ToolError::invalid(format!("artifacts[{i}]"), message));
            }
        }
        let outcome = Outcome::from(request.outcome);
        let ending = Ending {
            outcome,
            summary: request.summary.trim().to_owned(),
            artifacts: request.artifacts.unwrap_or_default(),
            counts: request.domain_affinity.unwrap_or(true),
            // A person's command line has no session.
            by_person: cx.author.session.is_none() && cx.author.principal.is_none(),
        };
        let id = &request.dispatch_id;
        let learned = check_learned(request.learned)?;
        let used = request.used_source_ids.unwrap_or_default();
        let assembly = if used.is_empty() { None } else { assembly_of(cx, id)? };
        let ended = cx.change(|change| {
            see_dispatch(cx, &need_dispatch(change.tables(), id, "dispatchId")?)?;
            let row = complete_dispatch(change, id, ending.clone())?;
            let mut lessons = Vec::new();
            for text in &learned {
                lessons.push(store_memory(change, None, &lesson_of(cx, &row, text))?.id);
            }
            if let Some(assembly) = &assembly {
                judge_assembly(change, &row.scope, assembly, &used)?;
            }
            let news = match news_for_starter(cx, &row, &ending) {
                Some(new) => Some((new.to_text.clone(), send_news(change, new)?.id)),
                None => None,
            };
            Ok((row.id, lessons, news))
        });
        let (dispatch_id, lessons, news) = ended.map_err(with_next)?;
        if let Some((to, message)) = news.filter(|_| !cx.outcome.borrow().replayed) {
            announce(cx.call, (&to, MessageKind::Info, ending.summary.len()), &message);
        }
        Ok(Response { dispatch_id, state: outcome.state().name().to_owned(), lessons })
    }
}

/// The assembled context of a dispatch. A note says so if it has none.
fn assembly_of(cx: &OwnedCx<'_>, id: &str) -> Result<Option<Assembly>, ToolError> {
    let row = cx.look(|tables| need_dispatch(tables, id, "dispatchId"))?;
    let found = row.assembly.as_deref().and_then(|known| find_assembly_of(cx.call, &row.scope, known).ok());
    if found.is_none() {
        cx.note("usedSourceIds counts for nothing: the dispatch has no assemblyId that is still kept");
    }
    Ok(found)
}

fn check_learned(learned: Option<Vec<String>>) -> Result<Vec<String>, ToolError> {
    let learned = learned.unwrap_or_default();
    for (i, text) in learned.iter().enumerate() {
        if text.trim().is_empty() || text.chars().count() > sdl_memory::limits::CONTENT {
            let message = format!("a lesson has 1 to {} characters", sdl_memory::limits::CONTENT);
            return Err(ToolError::invalid(format!("learned[{i}]"), message));
        }
    }
    Ok(learned)
}

/// A lesson of whoever ends a dispatch.
fn lesson_of(cx: &OwnedCx<'_>, row: &Dispatch, text: &str) -> Draft {
    let outcome = match row.standing.outcome {
        Some(Outcome::Success) => Some(TaskOutcome::Success),
        Some(Outcome::Partial) => Some(TaskOutcome::Partial),
        Some(Outcome::Failed) => Some(TaskOutcome::Failure),
        Some(Outcome::Cancelled) | None => None,
    };
    let kind =
        if outcome == Some(TaskOutcome::Failure) { LessonType::Failure } else { LessonType::Procedural };
    let facts = TaskFacts {
        task_text: Some(row.title.clone()),
        dispatch_id: Some(row.id.clone()),
        outcome,
        domain: row.domain.clone(),
        attempts: Some(row.attempt),
        ..TaskFacts::default()
    };
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    Draft {
        scope: row.scope.clone(),
        title: line.chars().take(LESSON_TITLE).collect(),
        content: text.to_owned(),
        tags: None,
        confidence: None,
        anchors: (Some(row.anchors.clone()), None),
        confirmed: None,
        details: Details::Lesson(Lesson {
            lesson_type: Some(kind),
            importance: None,
            task_context: Some(facts),
        }),
        agent: Some(sender_name(cx.author)),
        expires_ms: None,
        supersedes: None,
        version: row.anchors.version,
    }
}

/// The message that tells the starter how it ended, unless the starter ended it.
fn news_for_starter(cx: &OwnedCx<'_>, row: &Dispatch, ending: &Ending) -> Option<NewMessage> {
    let starter = &row.started_by;
    if is_same_author(starter, cx.author) || ending.by_person {
        return None;
    }
    let to = match (&starter.agent, &starter.session) {
        (Some(agent), _) => Address::Agent(agent.clone()),
        (None, Some(session)) => Address::Session(session.clone()),
        (None, None) => return None,
    };
    let short: String = ending.summary.chars().take(400).collect();
    Some(NewMessage {
        scope: row.scope.clone(),
        to_text: to.key(),
        to,
        kind: MessageKind::Info,
        body: format!("{} ended: {}. {short}", row.title, ending.outcome.name()),
        requires_ack: false,
        in_reply_to: None,
        ttl_ms: NEWS_TTL_MS,
        dispatch: Some(row.id.clone()),
    })
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} {}", self.dispatch_id, self.state)
    }
}
