//! `dispatch.progress`: reports on work that was taken over.

use schemars::JsonSchema;
use sdl_memory::work::dispatch::{Report, need_dispatch, report_progress};
use serde::{Deserialize, Serialize};

use super::dispatch_claim::{see_dispatch, with_next};
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::work::{DispatchOut, MilestoneOut};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct DispatchProgress;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Working {
    /// It goes on.
    Active,
    /// It waits for something else.
    Blocked,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `d_…`. The dispatch.
    #[schemars(length(min = 1, max = 64))]
    dispatch_id: String,
    /// What was done since the last report.
    #[schemars(length(min = 1, max = 2_000))]
    note: String,
    /// How much of it is done.
    #[schemars(range(min = 0, max = 100))]
    percent: Option<u8>,
    /// Milestones that are done now, by text or by number from 1.
    #[schemars(length(max = 50))]
    milestones_done: Option<Vec<String>>,
    /// Default `active`.
    state: Option<Working>,
    /// What it waits for. For `blocked`.
    #[schemars(length(max = 2_000))]
    blocked_by: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The dispatch's id.
    dispatch_id: String,
    /// `active` or `blocked`.
    state: String,
    /// The steps, and which are done.
    milestones: Vec<MilestoneOut>,
    /// When the lease ends, in Unix milliseconds.
    lease_until: u64,
}

impl Action for DispatchProgress {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "dispatch.progress",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when a dispatch of yours moved on or is stuck; it stays yours for another lease",
        needs: "dispatchId,note",
        examples: &[
            r#"{"dispatchId":"d_0123456789abc","note":"it is the clock","percent":40,"milestonesDone":["reproduce"]}"#,
            r#"{"dispatchId":"d_0123456789abc","note":"the fix is up","state":"blocked","blockedBy":"review"}"#,
        ],
        aliases: &[("message", "note")],
    };
}

impl OwnedAction for DispatchProgress {
    const READS_CODE: bool = false;

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let blocked = request.state == Some(Working::Blocked) || request.blocked_by.is_some();
        if blocked && request.state == Some(Working::Active) {
            let message = "blockedBy goes with state blocked; leave one of them out";
            return Err(ToolError::invalid("blockedBy", message));
        }
        let report = Report {
            note: request.note.trim().to_owned(),
            percent: request.percent,
            milestones: request.milestones_done.unwrap_or_default(),
            blocked,
            blocked_by: request.blocked_by,
        };
        let id = &request.dispatch_id;
        let reported = cx.change(|change| {
            see_dispatch(cx, &need_dispatch(change.tables(), id, "dispatchId")?)?;
            Ok(report_progress(change, id, report.clone())?.id)
        });
        let id = reported.map_err(with_next)?;
        let row = cx.look(|tables| need_dispatch(tables, &id, "dispatchId"))?;
        let out = DispatchOut::of(&row, cx.now_ms());
        Ok(Response {
            dispatch_id: id,
            state: out.state,
            milestones: out.milestones,
            lease_until: row.standing.lease_until_ms,
        })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let done = self.milestones.iter().filter(|milestone| milestone.done).count();
        let Self { dispatch_id, state, milestones, lease_until } = self;
        format!("{dispatch_id} {state}, {done}/{} milestones, yours until {lease_until}", milestones.len())
    }
}
