//! `kg.invalidate`: ends facts, or says that they never held.

use schemars::JsonSchema;
use sdl_memory::graph::{Cut, Which, end_facts, end_gone_facts, retract_facts};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::freshness::Sync;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::fact_code;
use crate::kept::facts::{self, CutOut};
use crate::{Code, Explained as _, ToolError};

/// See [`ActionDef`].
pub(crate) struct KgInvalidate;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `t_…`. The fact, or give subject, predicate and object.
    #[schemars(length(min = 1, max = 100))]
    triple_id: Option<String>,
    /// With predicate and object, the fact's parts.
    #[schemars(length(min = 1, max = 200))]
    subject: Option<String>,
    /// See subject.
    #[schemars(length(min = 1, max = 200))]
    predicate: Option<String>,
    /// See subject.
    #[schemars(length(min = 1, max = 2_000))]
    object: Option<String>,
    /// The first instant at which it no longer holds, default now. RFC 3339 with offset, a date, or Unix ms.
    at: Option<String>,
    /// Why.
    #[schemars(length(max = 2_000))]
    reason: Option<String>,
    /// True: it never held. What was believed before is still answered with `knownAt`.
    retract: Option<bool>,
    /// True: every fact that fits.
    all: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The facts, with their ends.
    invalidated: Vec<CutOut>,
}

impl Action for KgInvalidate {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "kg.invalidate",
        namespace: Namespace::Kg,
        mutating: true,
        description: "Call this when a fact no longer holds, or never did",
        needs: "tripleId|subject",
        examples: &[
            r#"{"subject":"auth service","predicate":"owned_by","object":"team north","at":"2026-03-01","reason":"handed over"}"#,
            r#"{"tripleId":"t_0123456789abc","retract":true}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Kg);
}

impl OwnedAction for KgInvalidate {
    fn sync(_request: &Request) -> Sync {
        Sync::None
    }

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let which = which_facts(&request)?;
        let is_retraction = request.retract.unwrap_or(false);
        if is_retraction && request.at.is_some() {
            let message =
                "\"at\" is when a fact ends, and one that is retracted never held; give one of them";
            return Err(ToolError::invalid("at", message));
        }
        let at = facts::time_arg("at", request.at.as_deref())?;
        let view = facts::view_of(cx);
        let gone = fact_code::gone_facts(cx, &view)?;
        let reason = request.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        let cuts: Vec<Cut> = cx
            .change(|change| {
                end_gone_facts(change, &gone)?;
                if is_retraction {
                    retract_facts(change, &view, which, reason)
                } else {
                    end_facts(change, &view, which, at, reason)
                }
            })
            .map_err(|error| facts::with_lookup(error, request.subject.as_deref()))?;
        Ok(Response { invalidated: cuts.into_iter().map(CutOut::from).collect() })
    }
}

fn which_facts(request: &Request) -> Result<Which<'_>, ToolError> {
    let Request { triple_id, subject, predicate, object, .. } = request;
    let is_all = request.all.unwrap_or(false);
    match (triple_id, subject, predicate, object) {
        (Some(id), None, None, None) if !is_all => Ok(Which::Id(id)),
        (Some(_), None, None, None) => Err(ToolError::invalid(
            "all",
            "\"all\" goes with subject, predicate and object, not with a tripleId",
        )),
        (None, Some(s), Some(p), Some(o)) if is_all => Ok(Which::AllOf(s, p, o)),
        (None, Some(s), Some(p), Some(o)) => Ok(Which::Spo(s, p, o)),
        (Some(_), ..) => {
            Err(ToolError::invalid("tripleId", "give tripleId, or subject, predicate and object; not both"))
        }
        (None, ..) => {
            let missing = if subject.is_none() {
                "subject"
            } else if predicate.is_none() {
                "predicate"
            } else {
                "object"
            };
            let message = "give tripleId, or all of subject, predicate and object";
            Err(ToolError::new(Code::MissingField, message).at(missing))
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        for cut in &self.invalidated {
            if !text.is_empty() {
                text.push('\n');
            }
            cut.write(&mut text);
        }
        text
    }
}
