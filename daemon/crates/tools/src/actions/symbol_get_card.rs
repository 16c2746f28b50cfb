//! `symbol.getCard`: the card of one symbol.

use std::fmt::Write as _;

use schemars::JsonSchema;
use sdl_retrieve::card::{self, Card, Detail, Range};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::Object;
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::kept::memory::{self, Surfaced};
use crate::parts::outside::{OutsideOut, outside_calls, outside_lines};
use crate::parts::params::{DetailParam, SymbolRef, card_options};
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SymbolGetCard;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// This or `symbolRef`. A symbol's id, such as `s_0123456789abc`.
    symbol_id: Option<String>,
    /// By name. If several symbols match, the error lists them.
    symbol_ref: Option<SymbolRef>,
    /// Default full.
    detail: Option<DetailParam>,
    /// Etag you hold. If it is still valid, the answer is `notModified`, with the current `range`.
    if_none_match: Option<String>,
    /// For calls; default 0. Calls with a lower confidence are not shown.
    #[schemars(range(min = 0, max = 1))]
    min_call_confidence: Option<f64>,
    /// How dependencies were found. Adds `how` to each.
    include_resolution_metadata: Option<bool>,
    /// Add memories. About the symbol.
    include_memories: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The card: `symbolId`, `name`, `qualifiedName`, `kind`, `exported`, `file`, `range`, `etag`,
    /// `ledgerVersion`; from `signature` on `signature`, `summary`; from `deps` on `deps`; from `compact` on
    /// `invariants`, `sideEffects`; on `full` `metrics`, `cluster`, `processes`. The manual page `wire` has
    /// every field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    card: Option<Card>,
    /// True if the card you hold is still valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_modified: Option<bool>,
    /// The etag that is still valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// The version for which it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger_version: Option<String>,
    /// Where the symbol of the held card is now, because its lines may have moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    range: Option<Range>,
    /// Memories about the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<Object>>,
    /// What it calls in dependencies whose source is on the disk. Not part of `etag`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside: Vec<OutsideOut>,
}

impl Action for SymbolGetCard {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "symbol.getCard",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you want one symbol's signature, purpose, callees and effects before reading its source",
        needs: "symbolId|symbolRef",
        examples: &[
            r#"{"repoId":"my-repo","symbolId":"s_0123456789abc"}"#,
            r#"{"repoId":"my-repo","symbolRef":{"name":"validateToken","file":"src/auth.ts"},"detail":"signature"}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for SymbolGetCard {
    const ACROSS: bool = true;
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let options =
            card_options(request.detail, request.min_call_confidence, request.include_resolution_metadata);
        let options = symbols::within_reach(cx, options);
        let sym = match (&request.symbol_id, &request.symbol_ref) {
            (Some(id), None) => symbols::by_id(cx, id, "symbolId")?,
            (None, Some(wanted)) => symbols::by_ref(cx, wanted, "symbolRef")?,
            (Some(_), Some(_)) => {
                return Err(ToolError::invalid("symbolRef", "give symbolId or symbolRef, not both"));
            }
            (None, None) => {
                return Err(ToolError::new(Code::MissingField, "give symbolId or symbolRef").at("symbolId"));
            }
        };
        let memories = Surfaced::of(cx, request.include_memories, None)?.of_symbol(cx, &sym)?;
        if let Some(held) = &request.if_none_match {
            let etag = card::etag_of(cx.source, &sym, options.detail)?;
            if card::etag_covers(held, &etag) {
                return Ok(Response {
                    card: None,
                    not_modified: Some(true),
                    etag: Some(held.clone()),
                    ledger_version: Some(cx.version.to_string()),
                    range: Some(card::symbol_range(&sym, options.detail)),
                    memories,
                    outside: Vec::new(),
                });
            }
        }
        let outside = match options.detail {
            Detail::Minimal | Detail::Signature => Vec::new(),
            _ => outside_calls(cx, &sym)?,
        };
        // The fields around the card are few; notes may come.
        let room = budget::DEFAULT_TOKENS.saturating_sub(
            cx.around()? + 150 + memory::memory_tokens(memories.as_ref())? + budget::json_tokens(&outside)?,
        );
        let card = symbols::card_within(cx, &sym, options, room)?;
        Ok(Response {
            card: Some(card),
            not_modified: None,
            etag: None,
            ledger_version: None,
            range: None,
            memories,
            outside,
        })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = match (&self.card, &self.etag, &self.ledger_version) {
            (Some(card), ..) => {
                format!("{}\netag {}", card::card_text(card).trim_end(), card.etag)
            }
            (None, Some(etag), Some(version)) => format!("not modified: {etag} holds in {version}"),
            _ => "not modified".to_owned(),
        };
        if let Some(range) = &self.range {
            let _ = write!(text, ", lines {}-{}", range.start_line, range.end_line);
        }
        outside_lines(&mut text, &self.outside);
        memory::write_memories(&mut text, self.memories.as_ref());
        text
    }
}
