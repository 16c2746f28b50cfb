//! `kg.add`: adds a fact that holds for a time.

use schemars::JsonSchema;
use sdl_memory::graph::{self, Draft, admit_fact, end_gone_facts};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::freshness::Sync;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::fact_code;
use crate::kept::facts::{self, CutOut, ObjectType, OnChange};

/// See [`ActionDef`].
pub(crate) struct KgAdd;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The thing that the fact is about. For example `auth service`; a symbol id or `file:PATH` for code. Names that differ in
    /// case, spaces, `_` and `-` are one.
    #[schemars(length(min = 1, max = 200))]
    subject: String,
    /// What it says. For example `owned_by`.
    #[schemars(length(min = 1, max = 200))]
    predicate: String,
    /// The other thing, or a value.
    #[schemars(length(min = 1, max = 2_000))]
    object: String,
    /// Default entity; text above 200 characters.
    object_type: Option<ObjectType>,
    /// When it begins to hold. Default now. RFC 3339 with offset, a date, or Unix ms.
    valid_from: Option<String>,
    /// When it ends: the first instant at which it no longer holds. Default open.
    valid_to: Option<String>,
    /// 0 to 1, default 0.8. How sure you are.
    #[schemars(range(min = 0, max = 1))]
    confidence: Option<f64>,
    /// Where it is from, such as a file, a ticket or a person.
    #[schemars(length(max = 200))]
    source: Option<String>,
    /// True: one object at a time. The fact ends the one before, and ends where the next begins, in whatever order they arrive.
    exclusive: Option<bool>,
    /// Fact that this one corrects. It is retracted: it never held.
    supersedes: Option<String>,
    /// Symbols that it is about, beside its subject and object.
    #[schemars(length(max = fact_code::MOST_LINKS))]
    symbol_ids: Option<Vec<String>>,
    /// Paths that it is about.
    #[schemars(length(max = fact_code::MOST_LINKS))]
    files: Option<Vec<String>>,
    /// Default flag. `invalidate`: it ends when that code is gone.
    on_change: Option<OnChange>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The fact's id.
    triple_id: String,
    /// Whether it is a new assertion.
    created: bool,
    /// Whether it was known for all of that time.
    deduplicated: bool,
    /// Facts that it ended, cut short or corrected.
    invalidated: Vec<CutOut>,
}

impl Action for KgAdd {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "kg.add",
        namespace: Namespace::Kg,
        mutating: true,
        description: "Call this when you learned a fact that holds from some time on, such as who owns a service",
        needs: "subject,predicate,object",
        examples: &[
            r#"{"subject":"auth service","predicate":"owned_by","object":"team north","validFrom":"2026-01-31","exclusive":true}"#,
            r#"{"subject":"auth service","predicate":"uses","object":"redis 7","source":"ADR 12","supersedes":"t_0123456789abc"}"#,
            r#"{"repoId":"my-repo","subject":"s_0123456789abc","predicate":"owned_by","object":"team north","onChange":"invalidate"}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Kg);
}

impl OwnedAction for KgAdd {
    fn sync(request: &Request) -> Sync {
        let is_linked = request.symbol_ids.is_some() || request.files.is_some();
        let is_code =
            is_linked || [&request.subject, &request.object].iter().any(|name| graph::is_code(name.trim()));
        if is_code { Sync::Prefer } else { Sync::None }
    }

    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let lists = (request.symbol_ids.as_deref(), request.files.as_deref());
        let (anchors, subject, object) =
            fact_code::link_fact(cx, (&request.subject, &request.object), lists)?;
        let draft = Draft {
            scope: cx.scopes.own.clone(),
            valid_from: facts::time_arg("validFrom", request.valid_from.as_deref())?,
            valid_to: facts::time_arg("validTo", request.valid_to.as_deref())?,
            subject,
            predicate: request.predicate,
            object,
            object_type: request.object_type.map(graph::ObjectType::from),
            confidence: request.confidence,
            source: request.source,
            exclusive: request.exclusive.unwrap_or(false),
            supersedes: request.supersedes,
            on_change: request.on_change.map(graph::OnChange::from).unwrap_or_default(),
            anchors,
        };
        let view = facts::view_of(cx);
        let gone = fact_code::gone_facts(cx, &view)?;
        let added = cx
            .change(|change| {
                end_gone_facts(change, &gone)?;
                admit_fact(change, &view, &draft)
            })
            .map_err(|error| facts::with_lookup(error, Some(&draft.subject)))?;
        Ok(Response {
            triple_id: added.triple_id,
            created: added.created,
            deduplicated: added.deduplicated,
            invalidated: added.invalidated.into_iter().map(CutOut::from).collect(),
        })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let what = match (self.created, self.deduplicated) {
            (true, false) => "added",
            (true, true) => "added, known before",
            (false, _) => "known already",
        };
        let mut text = format!("{} {what}", self.triple_id);
        for cut in &self.invalidated {
            text.push_str("; ");
            cut.write(&mut text);
        }
        text
    }
}
