//! `activity.log`: logs what an agent did.

use schemars::JsonSchema;
use sdl_memory::work::activity::{ActivityKind, NewActivity, log_activity};
use sdl_memory::work::dispatch::need_dispatch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::work::read_ms;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct ActivityLog;

/// The longest `details`, in bytes as JSON.
const MOST_DETAILS: usize = 8_192;
/// How far a clock may be ahead of ours.
const AHEAD_MS: u64 = 60_000;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Kind {
    /// A remark.
    Note,
    /// Something was decided.
    Decision,
    /// A command was run.
    Command,
    /// Files were changed.
    Edit,
    /// Tests were run.
    Test,
    /// Something failed.
    Error,
    /// A step is done.
    Milestone,
    /// Something was reviewed.
    Review,
    /// Something was put into service.
    Deploy,
}

impl From<Kind> for ActivityKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Note => Self::Note,
            Kind::Decision => Self::Decision,
            Kind::Command => Self::Command,
            Kind::Edit => Self::Edit,
            Kind::Test => Self::Test,
            Kind::Error => Self::Error,
            Kind::Milestone => Self::Milestone,
            Kind::Review => Self::Review,
            Kind::Deploy => Self::Deploy,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Kind of activity.
    r#type: Kind,
    /// What happened.
    #[schemars(length(min = 1, max = 2_000))]
    message: String,
    /// More about it, any object.
    details: Option<Map<String, Value>>,
    /// Dispatch during which it happened.
    #[schemars(length(max = 64))]
    dispatch_id: Option<String>,
    /// Default: now. RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(max = 64))]
    at: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The entry's id.
    activity_id: String,
}

impl Action for ActivityLog {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "activity.log",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when you did something that others, or you later, should find by session.search",
        needs: "type,message",
        examples: &[
            r#"{"type":"test","message":"all 214 tests of the gateway pass"}"#,
            r#"{"type":"deploy","message":"v1.4 on staging","details":{"commit":"4f2c91a"},"dispatchId":"d_0123456789abc"}"#,
        ],
        aliases: &[],
    };
}

impl OwnedAction for ActivityLog {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let at_ms = read_ms("at", request.at.as_deref())?;
        if at_ms.is_some_and(|at| at > cx.now_ms() + AHEAD_MS) {
            return Err(ToolError::invalid("at", "an entry is about the past; give an earlier time"));
        }
        let details = request.details.unwrap_or_default();
        let bytes = serde_json::to_string(&details).map_or(0, |text| text.len());
        if bytes > MOST_DETAILS {
            let message =
                format!("details has {bytes} bytes as JSON, and {MOST_DETAILS} are kept; give less");
            return Err(ToolError::invalid("details", message));
        }
        if request.message.trim().is_empty() {
            return Err(ToolError::invalid("message", "message must not be empty"));
        }
        let activity_id = cx.change(|change| {
            if let Some(id) = &request.dispatch_id {
                need_dispatch(change.tables(), id, "dispatchId")?;
            }
            let new = NewActivity {
                scope: cx.scopes.own.clone(),
                kind: request.r#type.into(),
                message: request.message.trim().to_owned(),
                details: details.clone(),
                dispatch: request.dispatch_id.clone(),
                at_ms,
                anchors: sdl_memory::Anchors::default(),
            };
            log_activity(change, new)
        })?;
        Ok(Response { activity_id })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} logged", self.activity_id)
    }
}
