//! `symbol.getCard`: what is known of one symbol.

use schemars::JsonSchema;
use sdl_retrieve::card::{self, Card};
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionDef, Namespace, ReadAction, ReadCx, Render};
use crate::answers::Object;
use crate::memory::{self, Surfaced};
use crate::params::{DetailParam, SymbolRef, card_options};
use crate::{Code, ToolError, budget, symbols};

/// See [`ActionDef`].
pub(crate) struct SymbolGetCard;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The symbol; this or `symbolRef`.
    symbol_id: Option<String>,
    /// The symbol by name; this or `symbolId`. Where several fit, the error lists them.
    symbol_ref: Option<SymbolRef>,
    /// How much to tell. `full` by default.
    detail: Option<DetailParam>,
    /// The etag of the card that the client holds: if it still holds, the answer is `notModified`.
    if_none_match: Option<String>,
    /// Leave out calls below this confidence.
    #[schemars(range(min = 0, max = 1))]
    min_call_confidence: Option<f64>,
    /// Say how each dependency was found.
    include_resolution_metadata: Option<bool>,
    /// Add memories about the symbol.
    include_memories: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The card: identity, `signature`, `summary`, `deps`, `invariants`, `sideEffects`, `metrics`, `cluster`, `processes`,
    /// `etag`, `ledgerVersion`, as far as the detail goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    card: Option<Card>,
    /// The client's card still holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_modified: Option<bool>,
    /// The etag that still holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// The version for which it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger_version: Option<String>,
    /// Memories about the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<Object>>,
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
    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let options =
            card_options(request.detail, request.min_call_confidence, request.include_resolution_metadata);
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
                    memories,
                });
            }
        }
        // The fields around the card are few; notes may come.
        let room =
            budget::DEFAULT_TOKENS.saturating_sub(cx.around()? + 150 + memory::tokens(memories.as_ref())?);
        let card = symbols::card_within(cx, &sym, options, room)?;
        Ok(Response { card: Some(card), not_modified: None, etag: None, ledger_version: None, memories })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = match (&self.card, &self.etag, &self.ledger_version) {
            (Some(card), ..) => {
                format!("{}\netag {}", card::text(card).trim_end(), card.etag)
            }
            (None, Some(etag), Some(version)) => format!("not modified: {etag} holds in {version}"),
            _ => "not modified".to_owned(),
        };
        memory::lines(&mut text, self.memories.as_ref());
        text
    }
}
