//! `symbol.search`: finds symbols by names, words and patterns.

use schemars::JsonSchema;
use sdl_retrieve::Evidence;
use sdl_retrieve::search::{DEFAULT_LIMIT, Hit, SearchRequest, SearchResponse, search_symbols};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Object, Truncation, append_text, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::parts::params::KindParam;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SymbolSearch;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Name, words, path or pattern. A simple or qualified name, words, a path, or, with `regex`, a pattern.
    #[schemars(length(min = 1, max = 20_000))]
    query: String,
    /// Only these. For example `["function", "method"]`.
    #[serde(default)]
    kinds: Vec<KindParam>,
    /// Default 50. Results on a page.
    #[schemars(range(min = 1, max = 1_000))]
    limit: Option<u32>,
    /// From the previous page.
    cursor: Option<String>,
    /// Whole name. Simple or qualified, case included.
    exact: Option<bool>,
    /// Query is a pattern. A regular expression over simple names.
    regex: Option<bool>,
    /// `src/**/*.ts`. Only paths that match.
    path_glob: Option<String>,
    /// Visible to other files. Default false.
    exported_only: Option<bool>,
    /// Also by meaning. If the daemon has a model.
    semantic: Option<bool>,
    /// How results were found. Adds `retrievalEvidence`.
    include_retrieval_evidence: Option<bool>,
    /// Names to prefer. They came up in the conversation.
    #[serde(default)]
    #[schemars(length(max = 100))]
    chat_mentions: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The symbols, best first: `symbolId`, `name`, `qualifiedName`, `file`, `line`, `kind`, `exported`,
    /// `score`.
    #[schemars(with = "Vec<Object>")]
    results: Vec<Hit>,
    /// Results on all pages.
    total: u64,
    /// Set if there may be more than `total`, because frequent words were not read to the end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    total_at_least: bool,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// Symbols with similar names, if nothing matched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Object>>")]
    near_misses: Vec<Hit>,
    /// How the results were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    retrieval_evidence: Option<Evidence>,
    /// Set if the page is shorter than asked for, to stay within the answer's tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
}

impl Action for SymbolSearch {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "symbol.search",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you know a name, part of one, or words, and want the symbols. Use before grep",
        needs: "query",
        examples: &[
            r#"{"repoId":"my-repo","query":"validateToken"}"#,
            r#"{"repoId":"my-repo","query":"^get_.*_for_user$","regex":true,"kinds":["function","method"],"limit":20}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for SymbolSearch {
    const ACROSS: bool = true;
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let evidence = request.include_retrieval_evidence.unwrap_or(false);
        let mut wanted = SearchRequest {
            query: request.query,
            kinds: request.kinds.into_iter().map(|kind| kind.0).collect(),
            limit: request.limit.map_or(DEFAULT_LIMIT, |limit| limit as usize),
            cursor: request.cursor,
            exact: request.exact.unwrap_or(false),
            regex: request.regex.unwrap_or(false),
            path_glob: request.path_glob,
            exported_only: request.exported_only.unwrap_or(false),
            semantic: request.semantic.unwrap_or(false),
            evidence,
            chat_mentions: request.chat_mentions,
        };
        if wanted.semantic && !evidence && cx.call.host.meaning().is_none() {
            cx.note(
                "search by meaning needs an embedding model, and none is configured; the words of the query were searched",
            );
        }
        let asked = wanted.limit;
        if cx.part.is_some() {
            return search_part(cx, &wanted);
        }
        loop {
            let found = search_symbols(cx.source, &wanted)?;
            let page = Response::of(found, wanted.limit < asked);
            let total = cx.around()? + budget::json_tokens(&page)?;
            let fits = budget::count_kept(&page.results, total.saturating_sub(budget::DEFAULT_TOKENS))?;
            if fits == page.results.len() || fits == 0 {
                return Ok(page);
            }
            // The search itself makes the shorter page, so that its cursor continues where the page ends.
            wanted.limit = fits;
            cx.call.check()?;
        }
    }
}

/// Searches the files that a first index has read so far. There is one page, because the next one would be of more files.
///
/// # Errors
/// If the part has no match: the rest may have one.
fn search_part(cx: &ReadCx<'_>, wanted: &SearchRequest) -> Result<Response, ToolError> {
    if !wanted.exact && !wanted.regex {
        cx.note("names alone were searched; words of documentation and bodies follow once the first index is done");
    }
    let found = search_symbols(cx.source, wanted)?;
    if found.results.is_empty() {
        let message = "no name in the files read so far matches";
        return Err(ToolError::new(Code::UnknownSymbol, message).at("query"));
    }
    let mut page = Response::of(found, false);
    let total = cx.around()? + budget::json_tokens(&page)?;
    let fits = budget::count_kept(&page.results, total.saturating_sub(budget::DEFAULT_TOKENS))?;
    page.results.truncate(fits.max(1));
    let left = page.total.saturating_sub(page.results.len() as u64);
    page.truncation = (left > 0).then(|| Truncation {
        truncated: true,
        dropped_cards: left,
        dropped_edges: 0,
        spillover_handle: None,
        how_to_resume: "repeat the call once the first index is done".to_owned(),
    });
    Ok(page)
}

impl Response {
    fn of(found: SearchResponse, shortened: bool) -> Self {
        let truncation = (shortened && found.cursor.is_some()).then(|| Truncation {
            truncated: true,
            dropped_cards: found.total.saturating_sub(found.results.len() as u64),
            dropped_edges: 0,
            spillover_handle: None,
            how_to_resume: "repeat the call with cursor".to_owned(),
        });
        Self {
            results: found.results,
            total: found.total,
            total_at_least: found.total_at_least,
            cursor: found.cursor,
            near_misses: found.near_misses,
            retrieval_evidence: found.retrieval_evidence,
            truncation,
        }
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let more = if self.total_at_least { " or more" } else { "" };
        let mut text = format!("{} of {}{more}", self.results.len(), self.total);
        if let Some(cursor) = &self.cursor {
            append_text(&mut text, format_args!(", next page: cursor {cursor}"));
        }
        for hit in &self.results {
            hit_line(&mut text, hit);
        }
        if !self.near_misses.is_empty() {
            begin_line(&mut text, format_args!("nothing matched; similar names:"));
            self.near_misses.iter().for_each(|hit| hit_line(&mut text, hit));
        }
        for lane in self.retrieval_evidence.iter().flat_map(|evidence| &evidence.lanes) {
            begin_line(&mut text, format_args!("{}: {}", lane.lane, lane.candidates));
        }
        text
    }
}

fn hit_line(text: &mut String, hit: &Hit) {
    let kind = hit.kind.name();
    begin_line(
        text,
        format_args!("{} {kind} {} {}:{}", hit.symbol_id, hit.qualified_name, hit.file, hit.line),
    );
}
