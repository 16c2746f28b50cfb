//! `dispatch.claim`: takes work over for a time.

use schemars::JsonSchema;
use sdl_memory::Author;
use sdl_memory::work::dispatch::{Dispatch, claim_dispatch, find_attempts, find_brief, need_dispatch};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::context::Call;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::work::{
    CodeOut, DispatchOut, Overlap, dispatch_line, find_overlaps, overlap_lines, show_code,
};
use crate::{Code, ToolError};

/// See [`ActionDef`].
pub(crate) struct DispatchClaim;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `d_…`. The dispatch.
    #[schemars(length(min = 1, max = 64))]
    dispatch_id: String,
    /// Default 1800. Seconds that it is yours without a report; each report renews them.
    #[schemars(range(min = 1, max = 86_400))]
    lease_seconds: Option<u64>,
    /// Your name, if you have not joined by session.join.
    #[schemars(length(max = 200))]
    agent: Option<String>,
}

/// An attempt before this one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptOut {
    /// `d_…`.
    dispatch_id: String,
    /// Its number.
    attempt: u32,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The dispatch.
    dispatch: DispatchOut,
    /// The task, as its starter wrote it.
    brief: String,
    /// The symbols and files that it is about, each with its state: `same`, `changed`, `renamed`, `gone`, `unchecked`, `unknown`.
    anchors: Vec<CodeOut>,
    /// The attempts before this one, the first one first.
    attempts: Vec<AttemptOut>,
    /// When the lease ends, in Unix milliseconds.
    lease_until: u64,
    /// Others who work on the same code now. Nobody is kept from it.
    overlaps: Vec<Overlap>,
}

impl Action for DispatchClaim {
    type Request = Request;
    type Response = Response;
    const MODULE: Option<Module> = Some(Module::Work);
    const DEF: ActionDef = ActionDef {
        name: "dispatch.claim",
        namespace: Namespace::Work,
        mutating: true,
        description: "Call this when you take work over: returns the brief, and makes it yours for a time",
        needs: "dispatchId",
        examples: &[r#"{"dispatchId":"d_0123456789abc","leaseSeconds":3600}"#],
        aliases: &[],
    };
}

/// Who acts: the author, by another name if the request has one.
pub(crate) fn named_author(author: &Author, agent: Option<&str>) -> Author {
    let agent = agent.map(|name| name.trim().trim_start_matches('@')).filter(|name| !name.is_empty());
    Author { agent: agent.map(str::to_owned).or_else(|| author.agent.clone()), ..author.clone() }
}

/// The same error, with a call that works.
pub(crate) fn with_next(error: ToolError) -> ToolError {
    match error.refusal.code {
        Code::UnknownDispatch | Code::NotClaimed | Code::Conflict => {
            error.next(Call::tool("dispatch.list"), json!({}), "shows the dispatches that are open")
        }
        _ => error,
    }
}

impl OwnedAction for DispatchClaim {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let by = named_author(cx.author, request.agent.as_deref());
        let lease_ms = request.lease_seconds.unwrap_or(1_800) * 1_000;
        let claimed = cx.change(|change| {
            see_dispatch(cx, &need_dispatch(change.tables(), &request.dispatch_id, "dispatchId")?)?;
            Ok(claim_dispatch(change, &request.dispatch_id, &by, lease_ms)?.id)
        });
        let id = claimed.map_err(with_next)?;
        let (row, brief, attempts) = cx.look(|tables| {
            let row = need_dispatch(tables, &id, "dispatchId")?;
            let brief = find_brief(tables, &id)?.map(|text| text.brief).unwrap_or_default();
            let attempts = find_attempts(tables, &row)?;
            Ok((row, brief, attempts))
        })?;
        let overlaps = find_overlaps(cx, &row.anchors, Some(&row.id))?;
        let dispatch = DispatchOut::of(&row, cx.now_ms());
        let attempts = attempts.iter().map(attempt_out).collect();
        let anchors = show_code(cx, &row.scope, row.anchors.clone())?;
        Ok(Response {
            lease_until: row.standing.lease_until_ms,
            dispatch,
            brief,
            anchors,
            attempts,
            overlaps,
        })
    }
}

/// Refuses a dispatch of a repository that does not exist for the session.
pub(crate) fn see_dispatch(cx: &OwnedCx<'_>, row: &Dispatch) -> Result<(), sdl_contract::Refusal> {
    use crate::Explained as _;
    if row.scope.is_empty() || row.scope == cx.scopes.own || cx.call.host.repo(&row.scope).is_some() {
        return Ok(());
    }
    let message = format!("no dispatch {:?} is known; dispatch.list shows those that are", row.id);
    Err(sdl_contract::Refusal::new(Code::UnknownDispatch, message).at("dispatchId"))
}

fn attempt_out(row: &Dispatch) -> AttemptOut {
    let standing = &row.standing;
    AttemptOut {
        dispatch_id: row.id.clone(),
        attempt: row.attempt,
        holder: standing.holder.as_ref().map(crate::call::work::sender_name),
        outcome: standing.outcome.map(|outcome| outcome.name().to_owned()),
        summary: standing.summary.clone().or_else(|| standing.note.clone()),
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        dispatch_line(&mut text, &self.dispatch);
        begin_line(&mut text, format_args!("yours until {}", self.lease_until));
        append_block(&mut text, &sdl_retrieve::plain::quote_lines(&self.brief));
        for one in &self.anchors {
            let name = one.name.as_deref().or(one.symbol_id.as_deref()).unwrap_or("file");
            begin_line(&mut text, format_args!("about {name} in {} ({})", one.file, one.state));
        }
        for one in &self.attempts {
            let AttemptOut { dispatch_id, attempt, holder, outcome, summary } = one;
            let part = |text: &Option<String>| text.clone().unwrap_or_default();
            begin_line(
                &mut text,
                format_args!(
                    "attempt {attempt} {dispatch_id} {} {}: {}",
                    part(holder),
                    part(outcome),
                    part(summary)
                ),
            );
        }
        overlap_lines(&mut text, &self.overlaps);
        text
    }
}
