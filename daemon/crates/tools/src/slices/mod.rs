//! Shared by `slice.build` and `slice.refresh`: how a built slice becomes part of an answer, and how it is held.

pub(crate) mod since;
pub(crate) mod spill;

use schemars::JsonSchema;
use sdl_model::{SymbolId, Version};
use sdl_retrieve::refresh::Lease;
use sdl_retrieve::slice::{BuiltSlice, Neighbourhood, SliceRequest, WireFormat};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::call::answers::{LeaseOut, Object, Truncation};
use crate::call::context::{Call, ReadCx};
use crate::call::leases::{HandleKind, LeaseWrite};
use crate::slices::spill::Spill;
use crate::{Code, ToolError};

/// The page of the manual that explains compact slices. As short as it can be understood.
const HOW_TO_DECODE: &str = "sdl_manual query: wire";

/// A slice in an answer, with all that goes with it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SliceOut {
    /// `standard` or `compact`.
    pub(crate) wire_format: String,
    /// Of `compact`: 1, 2 or 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wire_format_version: Option<u8>,
    /// Where the format is explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) how_to_decode: Option<String>,
    /// `cards`, `cardRefs`, `edges`, `frontier`, `estimatedTokens`, in the wire format.
    #[schemars(with = "Object")]
    pub(crate) slice: Value,
    /// What did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truncation: Option<Truncation>,
    /// How the start symbols were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    pub(crate) retrieval_evidence: Option<sdl_retrieve::Evidence>,
}

/// Identifies what a client holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SliceEtag {
    /// The slice's handle.
    pub(crate) handle: String,
    /// The version that the slice is of.
    pub(crate) version: String,
    /// Hash of the slice's content.
    pub(crate) slice_hash: String,
}

impl SliceOut {
    /// Returns the slice in the form of the answer; `spillover` is the handle of the symbols that did not fit.
    pub(crate) fn of(built: &BuiltSlice, format: WireFormat, spillover: Option<String>) -> Self {
        let (wire_format, wire_format_version) = match format {
            WireFormat::Standard => ("standard", None),
            WireFormat::CompactV1 => ("compact", Some(1)),
            WireFormat::CompactV2 => ("compact", Some(2)),
            WireFormat::CompactV3 => ("compact", Some(3)),
        };
        let truncation = built.truncation.as_ref().filter(|t| t.truncated).map(|dropped| Truncation {
            truncated: true,
            dropped_cards: u64::from(dropped.dropped_cards),
            dropped_edges: u64::from(dropped.dropped_edges),
            how_to_resume: match (&spillover, dropped.search_stopped) {
                (Some(_), false) => "slice.spillover.get with spilloverHandle".to_owned(),
                (Some(_), true) => {
                    "slice.spillover.get with spilloverHandle; the search stopped there, a larger budget finds more"
                        .to_owned()
                }
                (None, _) => "build again with a larger budget".to_owned(),
            },
            spillover_handle: spillover,
        });
        Self {
            wire_format: wire_format.to_owned(),
            how_to_decode: wire_format_version.map(|_| HOW_TO_DECODE.to_owned()),
            wire_format_version,
            slice: built.json.clone(),
            truncation,
            retrieval_evidence: built.evidence.clone(),
        }
    }
}

/// Notes which parts of a request matched nothing, although others did.
pub(crate) fn note_missed(cx: &ReadCx<'_>, found: &Neighbourhood<'_>) {
    for missed in found.missed() {
        cx.note(format!("{}: {}", missed.field, missed.why));
    }
}

/// Stores the symbols that did not fit under a handle.
pub(crate) fn keep_spilled(cx: &ReadCx<'_>, handle: &str, symbols: &[SymbolId], request: &SliceRequest) {
    let spill = Spill {
        symbols: symbols.to_vec(),
        min_call_confidence: request.min_call_confidence,
        resolution_metadata: request.resolution_metadata,
    };
    spill.keep(cx, handle);
}

/// Returns a new handle for data that is about to be served.
pub(crate) fn new_handle(cx: &ReadCx<'_>, kind: HandleKind) -> String {
    cx.call.leases.new_handle(kind, cx.snapshot.incarnation(), cx.repo.id().as_bytes())
}

/// Queues the lease to be written under its handle; `before` is the lease that it replaces.
pub(crate) fn hold_lease(cx: &ReadCx<'_>, handle: &str, lease: &Lease, before: Option<&Lease>) {
    // A lease's `following` can be computed again: a lease that is restored in its earlier state after a crash gives
    // the same answers.
    let at_once = before.is_none_or(|before| {
        lease.following != before.following
            || lease.incarnation != before.incarnation
            || lease.built != before.built
            || lease.request != before.request
    });
    let (holds_from, known_to, replaces) = match cx.across {
        None => (lease.oldest(), lease.current, before.map(Lease::oldest)),
        Some(_) => across_order(cx, before.is_some()),
    };
    let (handle, data) = (handle.to_owned(), lease.to_bytes());
    cx.write(LeaseWrite::Put { handle, holds_from, known_to, replaces, data, at_once });
}

/// The versions that put the writes of a workspace's handle in order: those of workspaces are in none. The lease needs
/// no version of the ledger that has it, so it holds the one of its build, and the latest write wins.
fn across_order(cx: &ReadCx<'_>, is_held: bool) -> (Version, Version, Option<Version>) {
    let held = cx.held.as_ref().and_then(|held| held.as_ref().ok()).filter(|_| is_held);
    let holds_from = held.map_or_else(|| cx.kept_version(), |held| held.holds_from);
    (holds_from, Version(cx.call.leases.now()), held.map(|held| held.holds_from))
}

/// Returns the lease in the form that clients see.
pub(crate) fn lease_out(cx: &ReadCx<'_>, lease: &Lease) -> LeaseOut {
    LeaseOut {
        expires_at: cx.call.leases.expiry(),
        min_version: lease.oldest().to_string(),
        max_version: lease.current.to_string(),
    }
}

/// Most bytes of a text of the request that an error repeats.
const MOST_REPEATED: usize = 4_000;

/// Adds to the error how to build the slice of this handle again.
pub(crate) fn or_build_again(cx: &ReadCx<'_>, error: ToolError, lease: Option<&Lease>) -> ToolError {
    if !matches!(error.refusal.code, Code::UnknownHandle | Code::HandleExpired) {
        return error;
    }
    let Some(lease) = lease else {
        // Without the request, the suggestion is only `slice.build` in general.
        return error.next(
            Call::tool("manual"),
            json!({"actions": ["slice.build"], "detail": "standard"}),
            "shows how to build a slice, which gives a new handle",
        );
    };
    let request = &lease.request;
    let mut args = Map::new();
    args.insert("repoId".into(), cx.repo.id().into());
    let mut is_cut = false;
    let mut text = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            let end = value.floor_char_boundary(MOST_REPEATED.min(value.len()));
            is_cut |= end < value.len();
            args.insert(key.into(), value[..end].into());
        }
    };
    text("taskText", &request.task_text);
    text("stackTrace", &request.stack_trace);
    text("failingTestPath", &request.failing_test_path);
    if !request.entry_symbols.is_empty() {
        let ids: Vec<String> = request.entry_symbols.iter().map(ToString::to_string).collect();
        args.insert("entrySymbols".into(), ids.into());
    }
    if !request.edited_files.is_empty() {
        args.insert("editedFiles".into(), request.edited_files.clone().into());
    }
    let tokens = request.budget.max_estimated_tokens;
    args.insert("budget".into(), json!({"maxCards": request.budget.max_cards, "maxEstimatedTokens": tokens}));
    let why = if is_cut {
        "builds the slice again; its long texts are cut here, so give them whole"
    } else {
        "builds the same slice from the tree as it is now"
    };
    error.next(Call::tool("slice.build"), Value::Object(args), why)
}
