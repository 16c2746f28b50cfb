//! `symbol.getCards`: the cards of several symbols.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_retrieve::Sym;
use sdl_retrieve::card::{self, Card, CardOptions, CardRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Object, append_block, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::kept::memory::{self, Surfaced};
use crate::parts::params::{DetailParam, SymbolRef, card_options};
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SymbolGetCards;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// These or `symbolRefs`. Ids of symbols.
    #[schemars(length(min = 1, max = 100))]
    symbol_ids: Option<Vec<String>>,
    /// By name.
    #[schemars(length(min = 1, max = 100))]
    symbol_refs: Option<Vec<SymbolRef>>,
    /// Etags you hold, by symbol id. Cards that are still valid come back as `cardRefs`, without their
    /// content.
    #[serde(default)]
    known_etags: BTreeMap<String, String>,
    /// Default full.
    detail: Option<DetailParam>,
    /// One etag you hold. Prefer `knownEtags`.
    if_none_match: Option<String>,
    /// For calls; default 0. Calls with a lower confidence are not shown.
    #[schemars(range(min = 0, max = 1))]
    min_call_confidence: Option<f64>,
    /// How dependencies were found. Adds `how` to each.
    include_resolution_metadata: Option<bool>,
    /// Add memories. About the symbols.
    include_memories: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The cards, in the order asked for; fields as in `symbol.getCard`.
    #[schemars(with = "Vec<Object>")]
    cards: Vec<Card>,
    /// Cards you hold that are still valid: `symbolId`, `etag`, `range`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Object>>")]
    card_refs: Vec<CardRef>,
    /// True if some symbols are not answered for: see `failed` and `omitted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
    /// Symbols that were not found: `input`, `code`, `message`, `candidates`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Object>>")]
    failed: Vec<Failed>,
    /// Symbols whose cards did not fit; ask for these next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    omitted: Vec<String>,
    /// Memories about the symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<Object>>,
}

/// One symbol that could not be found.
#[derive(Debug, Serialize)]
struct Failed {
    input: Value,
    code: Code,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<crate::Candidate>,
}

impl Action for SymbolGetCards {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "symbol.getCards",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you want the cards of up to 100 symbols at once",
        needs: "symbolIds|symbolRefs",
        examples: &[
            r#"{"repoId":"my-repo","symbolIds":["s_0123456789abc","s_1123456789abc"],"detail":"signature"}"#,
            r#"{"repoId":"my-repo","symbolRefs":[{"name":"Command.invoke"},{"name":"main","file":"src/main.rs"}]}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for SymbolGetCards {
    const ACROSS: bool = true;
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let options =
            card_options(request.detail, request.min_call_confidence, request.include_resolution_metadata);
        let options = symbols::within_reach(cx, options);
        let inputs = request_inputs(&request)?;
        let mut known = BTreeMap::new();
        for (id, etag) in &request.known_etags {
            let bad = |e| ToolError::invalid(format!("knownEtags.{id}"), format!("a key of knownEtags: {e}"));
            known.insert(id.parse::<SymbolId>().map_err(bad)?, etag.as_str());
        }
        let memories = Surfaced::of(cx, request.include_memories, None)?;
        let mut page = Page {
            cx,
            options,
            used: cx.around()? + 60 + memories.reserve(),
            left: inputs.len(),
            full: false,
            response: Response::empty(),
        };
        for (i, input) in inputs.iter().enumerate() {
            cx.call.check()?;
            page.left = inputs.len() - i;
            let found = match input {
                Input::Id(id) => symbols::by_id(cx, id, &format!("symbolIds[{i}]")),
                Input::Ref(wanted) => symbols::by_ref(cx, wanted, &format!("symbolRefs[{i}]")),
            };
            match found {
                Ok(sym) => {
                    let held = known.get(&sym.id).copied().or(request.if_none_match.as_deref());
                    page.add(&sym, held)?;
                }
                Err(error) if matches!(error.refusal.code, Code::UnknownSymbol | Code::AmbiguousSymbol) => {
                    page.fail(input, error)?;
                }
                Err(error) => return Err(error),
            }
        }
        let mut response = page.response;
        if cx.part.is_some() && response.symbols().next().is_none() {
            let message = "none of the symbols is in the files read so far";
            return Err(ToolError::new(Code::UnknownSymbol, message));
        }
        let served: Vec<SymbolId> = response.symbols().collect();
        response.memories = memories.about(cx, &served, None, memory::TOKENS)?;
        response.partial = (!response.failed.is_empty() || !response.omitted.is_empty()).then_some(true);
        Ok(response)
    }
}

/// Maximum number of tokens that a symbol id takes in a list.
const ID_TOKENS: usize = 18;

enum Input<'a> {
    Id(&'a str),
    Ref(&'a SymbolRef),
}

fn request_inputs(request: &Request) -> Result<Vec<Input<'_>>, ToolError> {
    match (&request.symbol_ids, &request.symbol_refs) {
        (Some(ids), None) => Ok(ids.iter().map(|id| Input::Id(id)).collect()),
        (None, Some(refs)) => Ok(refs.iter().map(Input::Ref).collect()),
        (Some(_), Some(_)) => Err(ToolError::invalid("symbolRefs", "give symbolIds or symbolRefs, not both")),
        (None, None) => {
            Err(ToolError::new(Code::MissingField, "give symbolIds or symbolRefs").at("symbolIds"))
        }
    }
}

/// An answer to which cards are added until it is full.
struct Page<'a> {
    cx: &'a ReadCx<'a>,
    options: CardOptions,
    used: usize,
    /// Inputs that are not yet answered.
    left: usize,
    full: bool,
    response: Response,
}

impl Page<'_> {
    fn add(&mut self, sym: &Sym, held: Option<&str>) -> Result<(), ToolError> {
        if let Some(held) = held {
            let etag = card::etag_of(self.cx.source, sym, self.options.detail)?;
            if card::etag_covers(held, &etag) {
                let range = card::symbol_range(sym, self.options.detail);
                let held = CardRef { symbol_id: sym.id, etag: held.to_owned(), range };
                self.used += budget::json_tokens(&held)? + 1;
                self.response.card_refs.push(held);
                return Ok(());
            }
        }
        // Once one card is left out, so are all later ones, because the omitted symbols must be a tail of the list.
        if !self.full {
            let first = self.response.cards.is_empty();
            let room = self.room();
            let enrichment = self.cx.repo.enrichment(self.cx.snapshot);
            let card = if first {
                symbols::card_within(self.cx, sym, self.options, room)?
            } else {
                let mut card = card::card_of(self.cx.source, sym, self.options, enrichment.as_ref())?;
                card.ledger_version = Some(self.cx.version);
                card
            };
            let tokens = budget::json_tokens(&card)? + 1;
            if first || tokens <= room {
                self.used += tokens;
                self.response.cards.push(card);
                return Ok(());
            }
            self.full = true;
        }
        self.used += ID_TOKENS;
        self.response.omitted.push(sym.id.to_string());
        Ok(())
    }

    fn fail(&mut self, input: &Input<'_>, error: ToolError) -> Result<(), ToolError> {
        let input = match input {
            Input::Id(id) => Value::from(id.chars().take(200).collect::<String>()),
            Input::Ref(wanted) => serde_json::json!({
                "name": wanted.name,
                "file": wanted.file,
                "kind": wanted.kind.map(|kind| kind.0.name()),
            }),
        };
        // A symbol that is not read yet is not unknown.
        let in_rest = self.cx.part.is_some() && error.refusal.code == Code::UnknownSymbol;
        let mut failed = Failed {
            input,
            code: if in_rest { Code::Indexing } else { error.refusal.code },
            message: if in_rest {
                "not in the files read so far, but may be in the rest; ask again".to_owned()
            } else {
                error.refusal.message
            },
            // Similar names of the part say nothing about a name in the rest.
            candidates: if in_rest { Vec::new() } else { error.refusal.about.candidates },
        };
        if budget::json_tokens(&failed)? > self.room() {
            failed.candidates.clear();
        }
        self.used += budget::json_tokens(&failed)? + 1;
        self.response.failed.push(failed);
        Ok(())
    }

    /// Returns the tokens for one more card, with room reserved to list all later symbols as omitted.
    fn room(&self) -> usize {
        budget::DEFAULT_TOKENS.saturating_sub(self.used + self.left * ID_TOKENS)
    }
}

impl Response {
    /// Returns the symbols whose cards are in the answer, or that the client holds.
    fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        let held = self.card_refs.iter().map(|held| held.symbol_id);
        self.cards.iter().map(|card| card.symbol_id).chain(held)
    }

    fn empty() -> Self {
        Self {
            cards: Vec::new(),
            card_refs: Vec::new(),
            partial: None,
            failed: Vec::new(),
            omitted: Vec::new(),
            memories: None,
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        for card in &self.cards {
            append_block(&mut text, card::card_text(card).trim_end());
            begin_line(&mut text, format_args!("etag {}", card.etag));
        }
        for held in &self.card_refs {
            begin_line(
                &mut text,
                format_args!("{} not modified, line {}", held.symbol_id, held.range.start_line),
            );
        }
        for failed in &self.failed {
            begin_line(&mut text, format_args!("failed: {}", failed.message));
        }
        if !self.omitted.is_empty() {
            begin_line(&mut text, format_args!("did not fit, ask next: {}", self.omitted.join(" ")));
        }
        memory::write_memories(&mut text, self.memories.as_ref());
        text
    }
}
