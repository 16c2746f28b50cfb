//! `slice.build`: collects the symbols that a task is about, within a budget.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_retrieve::card::Detail;
use sdl_retrieve::refresh::Lease;
use sdl_retrieve::slice::{self, Budget, BuiltSlice, Neighbourhood, SliceRequest, WireFormat};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{LeaseOut, Object, Truncation, append_block, append_text};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::leases::HandleKind;
use crate::context::assembly::{self, Evidence};
use crate::kept::memory::{self, Surfaced};
use crate::parts::params::{DetailParam, confidence_percent};
use crate::parts::symbols;
use crate::slices::{self, SliceEtag, SliceOut};
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SliceBuild;

/// The approximate size of the smallest answer with a slice.
const LEAST_TOKENS: u32 = 400;
/// The share of the budget that is kept for source, in percent, if the request asks for it.
const SOURCE_SHARE: usize = 50;
/// Tokens of the name of the list of source.
const LIST_FIELDS: usize = 8;
/// The note of an answer whose budget is too small for its entry symbols.
const REDUCED: &str = "entrySymbols: the budget is too small for compact cards of all of them";

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task, in words. Enough on its own.
    #[schemars(length(min = 1, max = 200_000))]
    task_text: Option<String>,
    /// Symbol ids to start from. As `symbol.search` gives them.
    #[serde(default)]
    #[schemars(length(max = 100))]
    entry_symbols: Vec<String>,
    /// Paths edited lately. Their symbols and those symbols' callers are in the slice.
    #[serde(default)]
    #[schemars(length(max = 100))]
    edited_files: Vec<String>,
    /// As printed. Its frames' symbols rank higher.
    #[schemars(length(max = 200_000))]
    stack_trace: Option<String>,
    /// `path` or `path::test`. The failing test, such as `tests/test_auth.py::test_expiry`. The code that it tests
    /// ranks higher.
    #[schemars(length(max = 4_096))]
    failing_test_path: Option<String>,
    /// Size of the answer.
    budget: Option<BudgetParam>,
    /// For edges; default 0.5. Edges with a lower confidence are not followed.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// For calls; default 0. Calls with a lower confidence are neither followed nor shown.
    #[schemars(range(min = 0, max = 1))]
    min_call_confidence: Option<f64>,
    /// Etags you hold, by symbol id. Cards that are still valid come back as `cardRefs`, without their
    /// content.
    #[serde(default)]
    known_card_etags: BTreeMap<String, String>,
    /// Default: by rank. One detail level for every card. By rank, entry symbols and the best cards get the most
    /// detail.
    card_detail: Option<DetailParam>,
    /// Less detail further away. true: `cardDetail` is the highest level, and distant symbols get lower levels
    /// instead of being dropped. false: every card has the same level, `compact` by default.
    adaptive_detail: Option<bool>,
    /// See `sdl_manual wire`. `compact` (default) saves tokens, `standard` names every field.
    wire_format: Option<Format>,
    /// For compact; default 2.
    #[schemars(range(min = 1, max = 3))]
    wire_format_version: Option<u8>,
    /// How dependencies were found. Adds `how` to each.
    include_resolution_metadata: Option<bool>,
    /// Add memories. About the slice's symbols.
    include_memories: Option<bool>,
    /// Default 5. Maximum number of memories.
    #[schemars(range(min = 0, max = 100))]
    memory_limit: Option<u32>,
    /// How the start was found. Adds `retrievalEvidence`.
    include_retrieval_evidence: Option<bool>,
    /// Adds code. Half of the budget goes to the text of the best cards.
    include_source: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BudgetParam {
    /// Default: as many as fit.
    #[schemars(range(min = 1, max = slice::MAX_CARDS))]
    max_cards: Option<u32>,
    /// Default 4000. Tokens of the whole answer.
    #[schemars(range(min = 400, max = 20_000))]
    max_estimated_tokens: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Format {
    /// Every field by name.
    Standard,
    /// Tables and short keys.
    Compact,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Give it to `slice.refresh` to learn what changed.
    slice_handle: String,
    /// The version it was built from: `knownVersion` of the next refresh.
    ledger_version: String,
    /// How long the handle is valid.
    lease: LeaseOut,
    /// Identifies this slice at this version.
    slice_etag: SliceEtag,
    /// `standard` or `compact`.
    wire_format: String,
    /// Version of `compact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    wire_format_version: Option<u8>,
    /// With `compact`: where the format is explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_decode: Option<String>,
    /// The slice. With `wireFormat: standard`: `cards[]`, `cardRefs[]?`, `edges[]` (`from`, `to`, `type`,
    /// `confidence`, `resolution`), `frontier[]` (`symbolId`, `name`, `file`, `score`) and `estimatedTokens`.
    /// `compact` has the same with short keys: each `i` is a place in `symbolIndex`; the manual page `wire`
    /// explains it.
    #[schemars(with = "Object")]
    slice: serde_json::Value,
    /// What did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
    /// How the start symbols were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    retrieval_evidence: Option<sdl_retrieve::Evidence>,
    /// Memories about the slice's symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<Object>>,
    /// The text of the best symbols, each once. `slice.refresh` does not repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Vec<Evidence>>,
    #[serde(skip)]
    #[schemars(skip)]
    rendered: String,
}

impl Action for SliceBuild {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(sdl_retrieve::slice::USUAL_TOKENS as usize);
    const DEF: ActionDef = ActionDef {
        name: "slice.build",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you start a task: finds the symbols that matter, with cards and edges",
        needs: "taskText|entrySymbols|editedFiles|stackTrace",
        examples: &[
            r#"{"repoId":"my-repo","taskText":"trace auth token validation","budget":{"maxEstimatedTokens":4000}}"#,
            r#"{"repoId":"my-repo","entrySymbols":["s_0123456789abc"],"editedFiles":["src/auth.ts"],"minConfidence":0.8}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for SliceBuild {
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        if request.include_memories == Some(true) {
            cx.only_one("includeMemories")?;
        }
        let remembered = Surfaced::of(cx, request.include_memories, request.memory_limit)?;
        let wanted = Wanted::of(cx, request)?;
        let handles = Handles {
            slice: slices::new_handle(cx, HandleKind::Slice),
            spillover: slices::new_handle(cx, HandleKind::Spillover),
        };
        let answer = |built: &BuiltSlice, lease: &Lease, handles: &Handles| {
            let members: Vec<SymbolId> = built.members().collect();
            // Memories must leave room for the slice itself.
            let room = memory::TOKENS.min(wanted.most / 4);
            let text = wanted.slice.task_text.as_deref();
            let memories = remembered.about(cx, &members, text, room)?;
            Ok(wanted.response(cx, handles, built, lease, memories))
        };
        let measured = Handles::measure();
        let built = wanted.build(cx, |built, lease| answer(built, lease, &measured))?;
        slices::keep_spilled(cx, &handles.spillover, &built.spilled, &wanted.slice);
        let mut lease =
            Lease::begin(cx.source.view(), cx.snapshot.incarnation(), &built, wanted.slice.clone())?;
        if cx.across.is_some() {
            lease.record_state(cx.source)?;
        }
        slices::hold_lease(cx, &handles.slice, &lease, None);
        let mut response = answer(&built, &lease, &handles)?;
        if wanted.with_source {
            response.add_source(cx, &built, &wanted)?;
        }
        Ok(response)
    }
}

/// Returns the requested budget, as far as the policy allows it.
fn budget_of(cx: &ReadCx<'_>, asked: Option<BudgetParam>) -> Result<Budget, ToolError> {
    let asked = asked.unwrap_or(BudgetParam { max_cards: None, max_estimated_tokens: None });
    let caps = cx.policy()?.budget_caps;
    let most = asked
        .max_estimated_tokens
        .unwrap_or(Budget::default().max_estimated_tokens)
        .min(caps.max_estimated_tokens)
        .max(LEAST_TOKENS);
    let caps_of_policy = [
        ("maxEstimatedTokens", asked.max_estimated_tokens, caps.max_estimated_tokens),
        ("maxCards", asked.max_cards, caps.max_cards),
    ];
    for (field, asked, cap) in caps_of_policy {
        if let Some(above) = asked.filter(|asked| *asked > cap) {
            cx.note(format!("budget.{field}: the policy's budgetCaps allow {cap}, not {above}"));
        }
    }
    Ok(Budget {
        max_cards: asked.max_cards.unwrap_or(Budget::of_tokens(most).max_cards).min(caps.max_cards),
        max_estimated_tokens: most,
    })
}

/// The handles of an answer.
struct Handles {
    slice: String,
    spillover: String,
}

impl Handles {
    /// Returns placeholders with the most tokens that handles can have.
    fn measure() -> Self {
        Self { slice: HandleKind::Slice.measure(), spillover: HandleKind::Spillover.measure() }
    }
}

/// A parsed request.
struct Wanted {
    slice: SliceRequest,
    format: WireFormat,
    most: usize,
    with_source: bool,
}

impl Wanted {
    fn of(cx: &ReadCx<'_>, request: Request) -> Result<Self, ToolError> {
        let format = match request.wire_format {
            Some(Format::Standard) => "standard",
            Some(Format::Compact) | None => "compact",
        };
        if let (Some(Format::Standard), Some(_)) = (request.wire_format, request.wire_format_version) {
            cx.note("wireFormatVersion: only compact has versions, and the format is standard");
        }
        let format = WireFormat::from_params(format, request.wire_format_version)
            .ok_or_else(|| ToolError::invalid("wireFormatVersion", "wireFormatVersion must be 1, 2 or 3"))?;
        let budget = budget_of(cx, request.budget)?;
        let mut entry_symbols = Vec::new();
        for (i, id) in request.entry_symbols.iter().enumerate() {
            entry_symbols.push(symbols::by_id(cx, id, &format!("entrySymbols[{i}]"))?.id);
        }
        let mut known_card_etags = BTreeMap::new();
        for (id, etag) in request.known_card_etags {
            let bad = |e| {
                ToolError::invalid(format!("knownCardEtags.{id}"), format!("a key of knownCardEtags: {e}"))
            };
            known_card_etags.insert(id.parse::<SymbolId>().map_err(bad)?, etag);
        }
        let mut edited_files = Vec::new();
        for (i, text) in request.edited_files.iter().enumerate() {
            let path = symbols::repo_path(cx.repo, text, &format!("editedFiles[{i}]"))?;
            let view = cx.source.view();
            if view.file(view.file_id(&path))?.is_none() {
                cx.note(format!("editedFiles[{i}]: {path} is not in version {}", cx.version));
            }
            edited_files.push(path.as_str().to_owned());
        }
        // One level for all cards, even if the request doesn't name the level.
        let same = (request.adaptive_detail == Some(false)).then_some(Detail::Compact);
        let slice = SliceRequest {
            task_text: request.task_text,
            entry_symbols,
            edited_files,
            stack_trace: request.stack_trace,
            failing_test_path: request.failing_test_path,
            chat_mentions: Vec::new(),
            budget,
            min_confidence: confidence_percent(request.min_confidence, 50),
            min_call_confidence: confidence_percent(request.min_call_confidence, 0),
            known_card_etags,
            card_detail: request.card_detail.map(|detail| detail.0).or(same),
            adaptive_detail: request.adaptive_detail.unwrap_or(false),
            wire_format: format,
            resolution_metadata: request.include_resolution_metadata.unwrap_or(false),
            evidence: request.include_retrieval_evidence.unwrap_or(false),
        };
        let seeds = slice.task_text.is_some()
            || slice.stack_trace.is_some()
            || slice.failing_test_path.is_some()
            || !slice.entry_symbols.is_empty()
            || !slice.edited_files.is_empty();
        if !seeds {
            let message = "give taskText, entrySymbols, editedFiles, stackTrace or failingTestPath: a slice needs a start";
            return Err(ToolError::new(Code::MissingField, message).at("taskText"));
        }
        let with_source = request.include_source.unwrap_or(false);
        Ok(Self { slice, format, most: budget.max_estimated_tokens as usize, with_source })
    }

    /// Returns how many tokens an answer may have before source is added to it.
    fn most_of_slice(&self) -> usize {
        let least = (LEAST_TOKENS as usize).min(self.most);
        if self.with_source { (self.most - self.most * SOURCE_SHARE / 100).max(least) } else { self.most }
    }

    /// Returns the reason for which source is shown.
    fn task(&self) -> &str {
        self.slice.task_text.as_deref().unwrap_or_default()
    }

    /// Returns the arguments that say where the slice starts.
    fn starts(&self) -> Vec<&'static str> {
        let slice = &self.slice;
        [
            ("taskText", slice.task_text.is_some()),
            ("entrySymbols", !slice.entry_symbols.is_empty()),
            ("editedFiles", !slice.edited_files.is_empty()),
            ("stackTrace", slice.stack_trace.is_some()),
            ("failingTestPath", slice.failing_test_path.is_some()),
        ]
        .into_iter()
        .filter_map(|(field, given)| given.then_some(field))
        .collect()
    }

    /// Builds the slice so that the whole answer, not just the slice, stays within the budget.
    fn build(
        &self,
        cx: &ReadCx<'_>,
        answer: impl Fn(&BuiltSlice, &Lease) -> Result<Response, ToolError>,
    ) -> Result<BuiltSlice, ToolError> {
        let enrichment = cx.repo.enrichment(cx.snapshot);
        let found = Neighbourhood::of(cx.source, &self.slice, enrichment.as_ref())
            .map_err(|error| symbols::found_nothing(cx, error, &self.starts()))?;
        slices::note_missed(cx, &found);
        // The fields around the slice, measured on an empty answer with room for a spillover handle.
        let empty = BuiltSlice {
            version: cx.version,
            doc: slice::SliceDoc::default(),
            json: serde_json::json!({}),
            tokens: 0,
            entries_reduced: 0,
            truncation: Some(slice::Truncation {
                truncated: true,
                dropped_cards: 99,
                dropped_edges: 999,
                search_stopped: true,
            }),
            spilled: vec![SymbolId(0)],
            evidence: None,
            // A token for each digit. No hash has more.
            hash: "0a".repeat(8),
        };
        let lease = Lease::begin(cx.source.view(), cx.snapshot.incarnation(), &empty, self.slice.clone())?;
        let most = self.most_of_slice();
        let first = most.saturating_sub(cx.around()? + budget::json_tokens(&answer(&empty, &lease)?)?);
        let mut noted = false;
        let cut = |tokens: usize| {
            let built = found.slice(tokens as u32)?;
            if built.entries_reduced > 0 && !noted {
                noted = true;
                cx.note(format!(
                    "{REDUCED}; allow more than {} tokens or {} cards, or give fewer entrySymbols",
                    self.most, self.slice.budget.max_cards
                ));
            }
            let total = cx.around()? + budget::json_tokens(&answer(&built, &lease)?)?;
            Ok((built, total))
        };
        let (built, total) = budget::fit_answer(cx.call.cancel, most, first, cut)?;
        if total > most {
            let message = format!("an answer to this request takes at least {total} tokens; allow that many");
            return Err(ToolError::invalid("budget.maxEstimatedTokens", message).with("needed", total));
        }
        Ok(built)
    }

    fn response(
        &self,
        cx: &ReadCx<'_>,
        handles: &Handles,
        built: &BuiltSlice,
        lease: &Lease,
        memories: Option<Vec<Object>>,
    ) -> Response {
        let out =
            SliceOut::of(built, self.format, (!built.spilled.is_empty()).then(|| handles.spillover.clone()));
        Response {
            slice_handle: handles.slice.clone(),
            ledger_version: cx.stamp().to_string(),
            lease: slices::lease_out(cx, lease),
            slice_etag: SliceEtag {
                handle: handles.slice.clone(),
                version: cx.stamp().to_string(),
                slice_hash: built.hash.clone(),
            },
            wire_format: out.wire_format,
            wire_format_version: out.wire_format_version,
            how_to_decode: out.how_to_decode,
            slice: out.slice,
            truncation: out.truncation,
            retrieval_evidence: out.retrieval_evidence,
            memories,
            source: None,
            rendered: sdl_retrieve::wire::slice_text(&built.doc),
        }
    }
}

impl Response {
    /// Fills the rest of the budget with the text of the slice's symbols, best first.
    fn add_source(&mut self, cx: &ReadCx<'_>, built: &BuiltSlice, wanted: &Wanted) -> Result<(), ToolError> {
        let members: Vec<SymbolId> = built.members().collect();
        let total = |response: &Self| Ok::<_, ToolError>(cx.around()? + budget::json_tokens(response)?);
        let room = wanted.most.saturating_sub(total(self)? + LIST_FIELDS);
        let mut pieces = assembly::texts_of(cx, &members, wanted.task(), room)?;
        loop {
            self.source = Some(pieces.clone());
            // Notes on files that can't be shown take room too.
            if total(self)? <= wanted.most || pieces.pop().is_none() {
                break;
            }
        }
        pieces.into_iter().filter_map(|piece| piece.row).for_each(|row| cx.decided(row));
        Ok(())
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.slice_handle.clone();
        append_block(&mut text, self.rendered.trim_end());
        if let Some(truncation) = &self.truncation {
            text.push_str(&truncation.line());
            if let Some(handle) = &truncation.spillover_handle {
                append_text(&mut text, format_args!(" {handle}"));
            }
        }
        for piece in self.source.iter().flatten() {
            append_block(&mut text, &piece.content);
        }
        memory::write_memories(&mut text, self.memories.as_ref());
        text
    }
}
