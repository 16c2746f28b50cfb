//! `agent.feedback`: records which parts of a context were useful.

use schemars::JsonSchema;
use sdl_memory::SymbolAnchor;
use sdl_memory::store::{Asked, change_store};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::context::ReadCx;
use crate::call::leases::HandleKind;
use crate::call::modules::Module;
use crate::call::owned::author_of;
use crate::context::assembly;
use crate::context::gathering::judge_assembly;
use crate::kept::anchors::symbol_anchor;
use crate::kept::feedback::{self, Feedback};
use crate::parts::params::SymbolRef;
use crate::parts::symbols;
use crate::{Code, Explained, ToolError, stored};

/// See [`ActionDef`].
pub(crate) struct AgentFeedback;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// From `agent.orchestrate`. This or `sliceHandle`.
    #[schemars(length(min = 1, max = 100))]
    assembly_id: Option<String>,
    /// From `slice.build`. This or `assemblyId`.
    #[schemars(length(min = 1, max = 100))]
    slice_handle: Option<String>,
    /// Ids or names. Symbols that helped.
    #[serde(default)]
    #[schemars(length(max = 100))]
    useful_symbols: Vec<String>,
    /// Ids or names. Symbols that should have been there.
    #[serde(default)]
    #[schemars(length(max = 100))]
    missing_symbols: Vec<String>,
    /// 1 useless to 5 complete.
    #[schemars(range(min = 1, max = 5))]
    rating: Option<u8>,
    /// Task, in words.
    #[schemars(length(max = 2_000))]
    task_text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Always true.
    ok: bool,
    /// The id under which it is stored.
    feedback_id: String,
}

impl Action for AgentFeedback {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "agent.feedback",
        namespace: Namespace::Agent,
        mutating: true,
        description: "Call this when a task is done, to say which symbols of its context helped and which were missing",
        needs: "assemblyId|sliceHandle",
        examples: &[
            r#"{"sliceHandle":"h_0123456789abcde","usefulSymbols":["s_0123456789abc"],"missingSymbols":["Session.close"],"rating":4}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for AgentFeedback {
    const EARLY: bool = true;

    fn handle(request: &Request) -> Option<(HandleKind, &str)> {
        request.slice_handle.as_deref().map(|handle| (HandleKind::Slice, handle))
    }

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        match (&request.assembly_id, &request.slice_handle) {
            (None, None) => {
                let message = "give the assemblyId or the sliceHandle that the feedback is about";
                return Err(ToolError::new(Code::MissingField, message).at("sliceHandle"));
            }
            (Some(_), Some(_)) => {
                return Err(ToolError::invalid("assemblyId", "give assemblyId or sliceHandle, not both"));
            }
            _ => {}
        }
        let says = !request.useful_symbols.is_empty() || !request.missing_symbols.is_empty();
        if !says && request.rating.is_none() {
            let message =
                "give usefulSymbols, missingSymbols or a rating: feedback without them says nothing";
            return Err(ToolError::new(Code::MissingField, message).at("usefulSymbols"));
        }
        // The lease is not checked, because feedback is welcome even after it has expired.
        if request.slice_handle.is_some()
            && let Err(error) = cx.held()
            && error.refusal.code != Code::HandleExpired
        {
            return Err(error);
        }
        let assembly =
            request.assembly_id.as_deref().map(|id| assembly::find_assembly(cx, id)).transpose()?;
        let feedback = Feedback {
            id: String::new(),
            at_ms: cx.call.leases.now(),
            version: cx.version.0,
            useful: symbol_links(cx, &request.useful_symbols, "usefulSymbols")?,
            missing: symbol_links(cx, &request.missing_symbols, "missingSymbols")?,
            assembly_id: request.assembly_id,
            slice_handle: request.slice_handle,
            rating: request.rating,
            task_text: match (&request.task_text, &assembly) {
                (Some(text), _) => Some(stored::masked_text(text)),
                (None, Some(assembly)) => Some(assembly.task_text.clone()),
                (None, None) => None,
            },
            ..Feedback::default()
        };
        let feedback_id = feedback::store_feedback(cx.call.host.agent(), cx.repo.id(), &feedback)?;
        if let Some(assembly) = assembly.filter(|_| cx.call.modules().has(Module::Memory)) {
            let used: Vec<String> = feedback.useful.iter().map(|anchor| anchor.id.to_string()).collect();
            let by = author_of(cx.call);
            let asked = Asked { by: &by, now_ms: feedback.at_ms, once: None };
            change_store(cx.call.host.agent(), &asked, |change| {
                judge_assembly(change, cx.repo.id(), &assembly, &used)
            })?;
        }
        Ok(Response { ok: true, feedback_id })
    }
}

fn symbol_links(cx: &ReadCx<'_>, wanted: &[String], field: &str) -> Result<Vec<SymbolAnchor>, ToolError> {
    let mut links: Vec<SymbolAnchor> = Vec::new();
    for (i, text) in wanted.iter().enumerate() {
        cx.call.check()?;
        let field = format!("{field}[{i}]");
        let sym = if text.parse::<sdl_model::SymbolId>().is_ok() {
            symbols::by_id(cx, text, &field)?
        } else {
            let wanted = SymbolRef { name: text.clone(), file: None, kind: None, exported_only: None };
            symbols::by_ref(cx, &wanted, &field)?
        };
        if links.iter().all(|link| link.id != sym.id) {
            links.push(symbol_anchor(&sym, cx.version));
        }
    }
    Ok(links)
}

impl Render for Response {
    fn text(&self) -> String {
        format!("{} noted", self.feedback_id)
    }
}
