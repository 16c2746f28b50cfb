//! Rates how near a symbol is to its reader's work: the held slices, and the task in a request.

use std::collections::HashSet;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_retrieve::refresh::Lease;
use sdl_retrieve::slice::{self, Budget, SliceRequest};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::context::ReadCx;
use crate::parts::symbols;

/// Maximum number of callers that are looked at, because a symbol with more of them is next to nearly everything.
const CALLERS: usize = 500;

/// The task that a request belongs to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SliceContext {
    /// Task, in words.
    #[schemars(length(max = 20_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_text: Option<String>,
    /// As printed.
    #[schemars(length(max = 200_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stack_trace: Option<String>,
    /// Path, `path::test`. Of a failing test.
    #[schemars(length(max = 4_096))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failing_test_path: Option<String>,
    /// Paths edited lately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub(crate) edited_files: Vec<String>,
    /// Symbol ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub(crate) entry_symbols: Vec<String>,
    /// Size of the context. How much code around the task counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<ContextBudget>,
}

/// How much of the task's surroundings counts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ContextBudget {
    /// Symbols. How many symbols around the task count, at most.
    #[schemars(range(min = 1, max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cards: Option<u32>,
    /// Tokens. The size of the task's slice.
    #[schemars(range(min = 400, max = 20_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_estimated_tokens: Option<u32>,
}

/// Returns whether the symbol is in a currently held slice, and whether it is next to one.
pub(crate) fn to_slices(cx: &ReadCx<'_>, symbol: SymbolId) -> Result<(bool, bool), ToolError> {
    to_members(cx, &slice_members(cx)?, symbol)
}

/// Returns the symbols of all currently held slices of the repository.
pub(crate) fn slice_members(cx: &ReadCx<'_>) -> Result<HashSet<SymbolId>, ToolError> {
    let mut members = HashSet::new();
    for slice in cx.call.leases.slices(cx.repo)? {
        cx.call.check()?;
        members.extend(Lease::followed_in(&slice.data, cx.snapshot.incarnation()));
    }
    Ok(members)
}

/// Returns whether the symbol is one of `members`, and whether it is next to one.
pub(crate) fn to_members(
    cx: &ReadCx<'_>,
    members: &HashSet<SymbolId>,
    symbol: SymbolId,
) -> Result<(bool, bool), ToolError> {
    if members.is_empty() || members.contains(&symbol) {
        return Ok((!members.is_empty(), false));
    }
    let view = cx.source.view();
    let next = view.out_edges(symbol)?.iter().any(|edge| members.contains(&edge.to))
        || view.in_edges(symbol, CALLERS)?.iter().any(|edge| members.contains(&edge.from));
    Ok((false, next))
}

/// Rates how near the symbol is to the task: 1 in its slice, 0.6 in the slice's frontier, else 0. A task that names the
/// symbol itself as an entry does not count, because any caller can name it.
pub(crate) fn to_task(cx: &ReadCx<'_>, symbol: SymbolId, task: &SliceContext) -> Result<f64, ToolError> {
    let mut request = SliceRequest {
        task_text: task.task_text.clone().filter(|text| !text.trim().is_empty()),
        stack_trace: task.stack_trace.clone(),
        failing_test_path: task.failing_test_path.clone(),
        ..SliceRequest::default()
    };
    for (i, id) in task.entry_symbols.iter().enumerate() {
        let entry = symbols::by_id(cx, id, &format!("sliceContext.entrySymbols[{i}]"))?.id;
        if entry != symbol {
            request.entry_symbols.push(entry);
        }
    }
    for (i, path) in task.edited_files.iter().enumerate() {
        let path = symbols::repo_path(cx.repo, path, &format!("sliceContext.editedFiles[{i}]"))?;
        request.edited_files.push(path.as_str().to_owned());
    }
    if let Some(budget) = task.budget {
        let tokens = budget.max_estimated_tokens.unwrap_or(request.budget.max_estimated_tokens);
        request.budget = Budget::of_tokens(tokens);
        request.budget.max_cards = budget.max_cards.unwrap_or(request.budget.max_cards);
    }
    let told = request.task_text.is_some()
        || request.stack_trace.is_some()
        || request.failing_test_path.is_some()
        || !request.entry_symbols.is_empty()
        || !request.edited_files.is_empty();
    if !told {
        return Ok(0.0);
    }
    let enrichment = cx.repo.enrichment(cx.snapshot);
    let built = match slice::build_slice(cx.source, &request, enrichment.as_ref()) {
        Ok(built) => built,
        // A task that matches nothing makes nothing relevant.
        Err(sdl_retrieve::Error::User(_)) => return Ok(0.0),
        Err(error) => return Err(error.into()),
    };
    if built.members().any(|member| member == symbol) {
        return Ok(1.0);
    }
    let frontier = built.doc.frontier.iter().any(|item| item.symbol_id == symbol);
    Ok(if frontier || built.spilled.contains(&symbol) { 0.6 } else { 0.0 })
}
