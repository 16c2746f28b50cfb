//! `kg.timeline`: what happened to facts, in the order of time.

use schemars::JsonSchema;
use sdl_memory::graph::{self, FactEvent, TimelineOf, TimelineQuery, read_timeline};
use sdl_memory::times::{FOREVER, write_time};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::freshness::Sync;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::facts::{self, FactOut, short_time};
use crate::{Code, Explained as _, ToolError};

/// See [`ActionDef`].
pub(crate) struct KgTimeline;

/// Default number of events in an answer.
const LIMIT: usize = 50;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The facts of this entity.
    #[schemars(length(min = 1, max = 2_000))]
    entity: Option<String>,
    /// This fact.
    #[schemars(length(min = 1, max = 100))]
    triple_id: Option<String>,
    /// The facts with this predicate.
    #[schemars(length(min = 1, max = 200))]
    predicate: Option<String>,
    /// Events from then on. RFC 3339 with offset, a date, or Unix ms.
    from: Option<String>,
    /// Events before then.
    to: Option<String>,
    /// As it was known then. Default now.
    known_at: Option<String>,
    /// Default 50. Events to return.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// From the page before.
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Kind {
    /// It begins to hold.
    Asserted,
    /// It no longer holds.
    Ended,
    /// It was withdrawn, and another fact says it right.
    Corrected,
    /// It was withdrawn.
    Retracted,
}

impl From<graph::EventKind> for Kind {
    fn from(of: graph::EventKind) -> Self {
        match of {
            graph::EventKind::Asserted => Self::Asserted,
            graph::EventKind::Ended => Self::Ended,
            graph::EventKind::Corrected => Self::Corrected,
            graph::EventKind::Retracted => Self::Retracted,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventOut {
    /// When: a beginning and an end in the time in which facts hold, a withdrawal when it was recorded.
    at: String,
    /// `asserted`: it begins to hold; `ended`: it no longer holds; `corrected`, `retracted`: it never held.
    event: Kind,
    /// When that was recorded.
    recorded_at: String,
    /// The fact.
    triple: FactOut,
    /// Who recorded it.
    by: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The fact that ended or corrected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_triple_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The events, the earliest first.
    events: Vec<EventOut>,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

impl Action for KgTimeline {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "kg.timeline",
        namespace: Namespace::Kg,
        mutating: false,
        description: "Call this when you need how facts changed over time, ended and retracted ones too",
        needs: "entity|predicate",
        examples: &[
            r#"{"entity":"auth service","from":"2026-01-01","to":"2026-07-01"}"#,
            r#"{"predicate":"owned_by","limit":20}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Kg);
}

impl OwnedAction for KgTimeline {
    fn sync(_request: &Request) -> Sync {
        Sync::None
    }

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let of = match (&request.entity, &request.triple_id, &request.predicate) {
            (Some(entity), None, None) => TimelineOf::Entity(entity),
            (None, Some(id), None) => TimelineOf::Id(id),
            (None, None, Some(predicate)) => TimelineOf::Predicate(predicate),
            (None, None, None) => {
                let message = "give one of entity, tripleId and predicate";
                return Err(ToolError::new(Code::MissingField, message).at("entity"));
            }
            _ => return Err(ToolError::invalid("entity", "give only one of entity, tripleId and predicate")),
        };
        let query = TimelineQuery {
            of,
            from: facts::time_arg("from", request.from.as_deref())?,
            to: facts::time_arg("to", request.to.as_deref())?,
            known_at: facts::time_arg("knownAt", request.known_at.as_deref())?.unwrap_or(FOREVER),
            limit: request.limit.map_or(LIMIT, |limit| limit as usize),
            after: request.cursor.as_deref(),
        };
        let view = facts::view_of(cx);
        let page = cx.look(|reader| read_timeline(reader, &view, &query))?;
        if page.events.is_empty() && request.cursor.is_none() {
            cx.note("nothing is known of that; kg.query with query finds entities by their words");
        }
        let events = page.events.into_iter().map(|event| event_out(cx, event)).collect();
        Ok(Response { events, cursor: page.next })
    }
}

fn event_out(cx: &OwnedCx<'_>, event: FactEvent) -> EventOut {
    EventOut {
        at: write_time(event.at),
        event: event.kind.into(),
        recorded_at: write_time(event.recorded_at),
        triple: FactOut::of_row(cx, &event.triple, (event.subject, event.object)),
        by: facts::author_name(&event.by),
        reason: event.reason,
        by_triple_id: event.by_triple,
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} events", self.events.len());
        for event in &self.events {
            let FactOut { triple_id, subject, predicate, object, .. } = &event.triple;
            let what = match event.event {
                Kind::Asserted => "+",
                Kind::Ended => "end",
                Kind::Corrected => "corrected",
                Kind::Retracted => "retracted",
            };
            begin_line(
                &mut text,
                format_args!("{} {what} {subject} {predicate} {object} ({triple_id}", short_time(&event.at)),
            );
            if let Some(by) = &event.by_triple_id {
                append_text(&mut text, format_args!(" by {by}"));
            }
            text.push(')');
            if let Some(reason) = &event.reason {
                append_text(&mut text, format_args!(": {reason}"));
            }
        }
        if let Some(cursor) = &self.cursor {
            begin_line(&mut text, format_args!("… more: cursor {cursor}"));
        }
        text
    }
}
