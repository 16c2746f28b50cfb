//! `slice.spillover.get`: the cards that did not fit into a slice, page by page.

use schemars::JsonSchema;
use sdl_retrieve::card::{self, Card};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Object, append_block, append_text, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::leases::{HandleKind, LeaseWrite};
use crate::parts::symbols;
use crate::slices::spill::Spill;
use crate::{Code, Explained, ToolError, slices};

/// See [`ActionDef`].
pub(crate) struct SliceSpilloverGet;

/// The prefix of a cursor.
const CURSOR: &str = "at";
const PAGE: usize = 20;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// From `truncation`. Its `spilloverHandle`.
    spillover_handle: String,
    /// From the previous page.
    cursor: Option<String>,
    /// Default 20. Cards on a page.
    #[schemars(range(min = 1, max = 100))]
    page_size: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The handle, as given.
    spillover_handle: String,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// Whether there is a next page.
    has_more: bool,
    /// Full cards, best first, as the tree is now.
    #[schemars(with = "Vec<Object>")]
    symbols: Vec<Card>,
}

impl Action for SliceSpilloverGet {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "slice.spillover.get",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when a slice was truncated and you need the cards that did not fit",
        needs: "spilloverHandle",
        examples: &[r#"{"spilloverHandle":"sp_0000000000000ab","pageSize":20}"#],
        aliases: &[],
    };
}

impl ReadAction for SliceSpilloverGet {
    const ACROSS: bool = true;

    fn handle(request: &Request) -> Option<(HandleKind, &str)> {
        Some((HandleKind::Spillover, &request.spillover_handle))
    }

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let handle = request.spillover_handle;
        let held = cx.held().map_err(|error| slices::or_build_again(cx, error, None))?;
        let spill = Spill::from_bytes(&held.data).ok_or_else(|| {
            let message =
                format!("{handle} was written by another release; build the slice again with slice.build");
            ToolError::new(Code::UnknownHandle, message).at("spilloverHandle")
        })?;
        let start = start_offset(request.cursor.as_deref(), spill.symbols.len())?;
        let size = request.page_size.unwrap_or(PAGE);
        let mut response =
            Response { spillover_handle: handle.clone(), cursor: None, has_more: false, symbols: Vec::new() };
        let mut used = cx.around()? + budget::json_tokens(&response)? + 30;
        let mut at = start;
        while let Some(id) = spill.symbols.get(at) {
            if response.symbols.len() == size {
                break;
            }
            cx.call.check()?;
            let Some(sym) = cx.source.symbol(*id)? else {
                cx.note(format!("{id} is not in version {} any more", cx.version));
                used += NOTE_TOKENS;
                at += 1;
                continue;
            };
            let room = budget::DEFAULT_TOKENS.saturating_sub(used + NOTE_TOKENS);
            let card = symbols::card_within(cx, &sym, spill.options(), budget::DEFAULT_TOKENS / 2)?;
            let tokens = budget::json_tokens(&card)? + 1;
            if tokens > room && !response.symbols.is_empty() {
                break;
            }
            used += tokens;
            response.symbols.push(card);
            at += 1;
        }
        response.has_more = at < spill.symbols.len();
        response.cursor = response.has_more.then(|| format!("{CURSOR}{at}"));
        cx.write(LeaseWrite::Renew { handle });
        Ok(response)
    }
}

/// An upper bound for the tokens of this action's note.
const NOTE_TOKENS: usize = 60;

fn start_offset(cursor: Option<&str>, len: usize) -> Result<usize, ToolError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let at = cursor.strip_prefix(CURSOR).and_then(|at| at.parse().ok()).filter(|at| *at <= len);
    at.ok_or_else(|| {
        let message = "the cursor is not from this handle; repeat the call without it";
        ToolError::new(Code::BadCursor, message).at("cursor")
    })
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.spillover_handle.clone();
        if let Some(cursor) = &self.cursor {
            append_text(&mut text, format_args!(" next page: cursor {cursor}"));
        }
        for card in &self.symbols {
            append_block(&mut text, card::card_text(card).trim_end());
            begin_line(&mut text, format_args!("etag {}", card.etag));
        }
        text
    }
}
