//! `delta.get`: returns the symbols that differ between two versions, and those that they may affect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Object, Truncation, append_text, begin_line, serialize_object};
use crate::call::budget::{self, Room};
use crate::call::context::ReadCx;
use crate::call::freshness::Sync;
use crate::call::leases::HandleKind;
use crate::call::modules::Module;
use crate::changes::delta::{self, Amplifier, Compared, Costs, End, Fitted};
use crate::kept::staled::{Staled, find_staled, write_staled};
use crate::slices::spill::Spill;
use crate::{Explained, ToolError, slices};

/// See [`ActionDef`].
pub(crate) struct DeltaGet;

/// Default number of entries of both lists.
const ENTRIES: usize = 200;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `v…`, `previous`, `git:HEAD~3`. The state before: a version, `latest`, `previous`, or `git:` and a git
    /// revision.
    #[schemars(length(min = 1, max = 300))]
    from_version: String,
    /// `v…`, `latest`, `git:main`. The state after, written the same way.
    #[schemars(length(min = 1, max = 300))]
    to_version: String,
    /// Size of the answer.
    budget: Option<BudgetParam>,
    /// True adds `staled`. The memories, lessons and facts that this change made stale.
    include_memories: Option<bool>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BudgetParam {
    /// Default 200. Changed and affected symbols together.
    #[schemars(range(min = 1, max = 1_000))]
    max_cards: Option<usize>,
    /// Default 8000. Tokens of the whole answer.
    #[schemars(range(min = 400, max = 20_000))]
    max_estimated_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// What changed: `fromVersion`, `toVersion`, `changedSymbols[]` (`symbolId`, `changeType` added, removed,
    /// modified, renamed or moved, `name`, `file`, what differs), `blastRadius[]` (affected symbols with
    /// `reason` and `distance`), `diagnosticsSummary`, `truncation?`, `spilloverHandle?`. The manual page
    /// `wire` has every field.
    #[schemars(with = "Object")]
    delta: Object,
    /// Symbols whose number of dependents grew.
    amplifiers: Vec<Amplifier>,
    /// With `includeMemories`: what this change made stale, 10 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    staled: Option<Vec<Staled>>,
    #[serde(skip)]
    #[schemars(skip)]
    rendered: String,
}

impl Action for DeltaGet {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(budget::DEFAULT_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "delta.get",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you need what changed between two versions or git revisions, and whom it affects",
        needs: "fromVersion,toVersion",
        examples: &[
            r#"{"repoId":"my-repo","fromVersion":"v1","toVersion":"v2"}"#,
            r#"{"repoId":"my-repo","fromVersion":"git:main","toVersion":"latest","budget":{"maxEstimatedTokens":4000}}"#,
        ],
        aliases: &[],
    };
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] =
        &[(Module::Memory, &["includeMemories", "staled"])];
}

impl ReadAction for DeltaGet {
    const SYNC: Sync = Sync::Require;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let asked = request.budget.unwrap_or_default();
        let most = asked.max_estimated_tokens.unwrap_or(budget::DEFAULT_TOKENS);
        let (from, to) =
            delta::find_ends(cx, DeltaGet::DEF.name, &request.from_version, &request.to_version)?;
        let compared = delta::compare_ends(cx, &from, &to)?;
        let staled = match (from.name.parse(), to.name.parse()) {
            (Ok(from), Ok(to)) => find_staled(
                cx,
                request.include_memories,
                compared.changed.iter().map(|subject| &subject.wire),
                (from, to),
            )?,
            _ => None,
        };
        if request.include_memories == Some(true) && staled.is_none() {
            cx.note("staled is known between two kept versions of the index, not between git revisions");
        }
        let spillover = slices::new_handle(cx, HandleKind::Spillover);
        let items = asked.max_cards.unwrap_or(ENTRIES);
        let costs = Costs::of(&compared)?;
        let cut = |tokens: usize| {
            let fitted = delta::fit_lists(&compared, &costs, Room { tokens, items });
            let mut response = Response::of(&compared, (&from, &to), &fitted, &spillover)?;
            response.staled.clone_from(&staled);
            write_staled(&mut response.rendered, staled.as_ref());
            let mut total = cx.around()? + budget::json_tokens(&response)?;
            while total > most && tokens == 0 && response.amplifiers.pop().is_some() {
                total = cx.around()? + budget::json_tokens(&response)?;
            }
            Ok(((fitted, response), total))
        };
        let ((fitted, response), _) = budget::fit_answer(cx.call.cancel, most, most, cut)?;
        let spill = Spill { symbols: fitted.spilled, min_call_confidence: 0, resolution_metadata: false };
        spill.keep(cx, &spillover);
        Ok(response)
    }
}

impl Response {
    fn of(
        compared: &Compared,
        (from, to): (&End, &End),
        fitted: &Fitted,
        spillover: &str,
    ) -> Result<Self, ToolError> {
        let mut rendered = format!(
            "{} -> {}: {} changed, {} affected",
            from.name,
            to.name,
            compared.changed.len(),
            compared.blast.len()
        );
        for symbol in &fitted.changed {
            let place = symbol.range.map(|range| format!(":{}", range.start_line)).unwrap_or_default();
            let kind = serde_json::to_value(symbol.change_type).unwrap_or_default();
            let kind = kind.as_str().unwrap_or_default().to_owned();
            begin_line(
                &mut rendered,
                format_args!("{kind} {} {} {}{place}", symbol.symbol_id, symbol.name, symbol.file),
            );
            if let Some(old) = symbol.renamed_from {
                append_text(&mut rendered, format_args!(" (was {old})"));
            }
            if let Some(diff) = &symbol.signature_diff {
                begin_line(&mut rendered, format_args!("  {} => {}", diff.before, diff.after));
            }
        }
        for item in &fitted.blast {
            let (id, name, file) = (item.symbol_id, &item.name, &item.file);
            begin_line(
                &mut rendered,
                format_args!("affected {id} {name} {file}: {}, {}", item.reason, item.distance),
            );
        }
        let mut delta = Object::new();
        delta.insert("fromVersion".into(), from.name.clone().into());
        delta.insert("toVersion".into(), to.name.clone().into());
        delta.insert("changedSymbols".into(), to_json(&fitted.changed)?);
        delta.insert("blastRadius".into(), to_json(&fitted.blast)?);
        delta.insert("diagnosticsSummary".into(), serialize_object(&compared.diagnostics)?.into());
        if fitted.dropped > 0 {
            let truncation = Truncation {
                truncated: true,
                dropped_cards: fitted.dropped as u64,
                dropped_edges: 0,
                spillover_handle: Some(spillover.to_owned()),
                how_to_resume: "slice.spillover.get with spilloverHandle, or a larger budget".to_owned(),
            };
            rendered.push_str(&truncation.line());
            append_text(&mut rendered, format_args!(" {spillover}"));
            delta.insert("truncation".into(), serialize_object(&truncation)?.into());
            delta.insert("spilloverHandle".into(), spillover.into());
        }
        Ok(Self { delta, amplifiers: compared.amplifiers.clone(), staled: None, rendered })
    }
}

fn to_json(items: &impl Serialize) -> Result<Value, ToolError> {
    Ok(json!(serde_json::to_value(items).map_err(|e| ToolError::internal("writing the answer", e))?))
}

impl Render for Response {
    fn text(&self) -> String {
        self.rendered.clone()
    }
}
