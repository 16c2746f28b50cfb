//! `symbol.unused`: symbols that nothing reaches, each with its evidence and how sure that is.

use schemars::JsonSchema;
use sdl_model::{FileId, FileRow};
use sdl_navigate::unused::{Candidates, Spelled, UnusedSymbol, Wanted, find_candidates};
use sdl_retrieve::numbers::Percent;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::context::ReadCx;
use crate::parts::params::KindParam;
use crate::questions::filter::read_filter;
use crate::questions::page::{PAGE_TOKENS, Pages};
use crate::questions::rows::SymbolOut;
use crate::questions::state::{Asked, read_state};
use crate::source::words;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SymbolUnused;

/// Rows of a page.
const ROWS: usize = 50;
/// The least confidence, in percent, unless the caller gives another.
const LEAST: u8 = 60;
/// Most symbols of a tree that can be asked about. All of them are looked at: the 4.85 million of Linux took 2.5 GB until the request
/// ran past its 20 seconds.
const MOST_SYMBOLS: u64 = 1_000_000;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// As in symbol_related. Only unused symbols in these paths.
    #[serde(default)]
    #[schemars(length(max = 50))]
    paths: Vec<String>,
    /// Only these. Default: what can be called, and types.
    #[serde(default)]
    #[schemars(length(max = 20))]
    kinds: Vec<KindParam>,
    /// 0 to 1; default 0.6. How often such symbols are unused; 0.5 adds exported ones.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// Default true. False: what only tests use is unused.
    include_tests: Option<bool>,
    /// Default 50.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// From the page before.
    cursor: Option<String>,
    /// Default 4000. Tokens of the answer.
    #[schemars(range(min = 400, max = 20_000))]
    max_tokens: Option<u32>,
    /// `v…`, `git:v1.2`. The state to ask, if not the newest: a version, or `git:` and a revision.
    #[schemars(length(min = 1, max = 300))]
    at_version: Option<String>,
}

/// A symbol that nothing reaches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnusedOut {
    /// The symbol: `symbolId`, `name`, `kind`, `file`, `line`.
    #[serde(flatten)]
    symbol: SymbolOut,
    /// Its lines.
    lines: u32,
    /// How often such a symbol is unused, from 0 to 1.
    #[schemars(with = "f64")]
    confidence: Percent,
    /// Why it is listed, and what speaks against it.
    why: String,
    /// Unused symbols that use it; the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    users: Vec<String>,
    /// The same for unused symbols that use each other in a circle.
    #[serde(skip_serializing_if = "Option::is_none")]
    circle: Option<u32>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Surest first, then by place. Members of an unused type are part of it.
    unused: Vec<UnusedOut>,
    /// Rows on all pages.
    total: u64,
    /// Lines of all rows.
    lines: u64,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// What was looked at, and what could not be seen.
    completeness: String,
    /// The state that was asked, if not the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_version: Option<String>,
}

impl Action for SymbolUnused {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(PAGE_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "symbol.unused",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you look for dead code: symbols that nothing reaches",
        needs: "",
        examples: &[r#"{"repoId":"my-repo","paths":["src/**"],"minConfidence":0.8}"#],
        aliases: &[],
    };
}

impl ReadAction for SymbolUnused {
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        read_state(cx, Self::DEF.name, request.at_version.as_deref(), |asked| answer(cx, asked, &request))
    }
}

fn answer(cx: &ReadCx<'_>, asked: &Asked<'_, '_>, request: &Request) -> Result<Response, ToolError> {
    let filter = read_filter(None, request.min_confidence, &request.paths)?;
    let least = request.min_confidence.map_or(LEAST, |_| filter.min_confidence);
    let wanted = Wanted {
        kinds: request.kinds.iter().map(|kind| kind.0).collect(),
        tests_count: request.include_tests.unwrap_or(true),
    };
    check_size(asked.source.view().counters()?.symbols)?;
    let mut candidates = find_candidates(asked.source, &wanted, &filter)?;
    candidates.drop_below(least);
    let looked_at = candidates.looked_at;
    let files = if asked.is_newest() { Some(spelling_files(cx, asked, &candidates)?) } else { None };
    let mut found = candidates.weigh(files.as_deref());
    found.retain(|one| one.confidence >= least);
    let how = format!("{:?} {least} {:?} {}", wanted.kinds, wanted.tests_count, request.paths.join("\n"));
    let limit = request.limit.map_or(ROWS, |limit| limit as usize);
    let parts = [how.as_str(), asked.name.as_deref().unwrap_or_default()];
    let pages = Pages::read(asked.source, &parts, request.cursor.as_deref(), (limit, request.max_tokens))?;
    let rows: Vec<UnusedOut> = pages.items(&found).iter().map(show_unused).collect();
    let whole = Response {
        unused: Vec::new(),
        total: found.len() as u64,
        lines: found.iter().map(|one| u64::from(lines_of(one))).sum(),
        cursor: None,
        completeness: says(looked_at, least, files.is_some()),
        at_version: asked.name.clone(),
    };
    pages.fit(cx, rows.len(), |count| {
        Ok(Response {
            unused: rows.get(..count).unwrap_or_default().to_vec(),
            cursor: pages.next_cursor(count, found.len()),
            ..whole.clone()
        })
    })
}

/// Refuses a tree with too many symbols. To look at a part of it would not do, because what uses a symbol may be anywhere.
fn check_size(symbols: u64) -> Result<(), ToolError> {
    if symbols <= MOST_SYMBOLS {
        return Ok(());
    }
    let message = format!(
        "unused symbols are looked for among at most {MOST_SYMBOLS}, and there are {symbols}; symbol.related shows who uses one of them"
    );
    Err(ToolError::invalid("repoId", message))
}

/// The files that spell the name of a candidate, or a part from which code may make it up.
fn spelling_files(
    cx: &ReadCx<'_>,
    asked: &Asked<'_, '_>,
    candidates: &Candidates,
) -> Result<Vec<Spelled>, ToolError> {
    let names = candidates.words();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let found = words::files_with_words(cx, asked.source, &words::Wanted::any_of(names))?;
    let spelled = |(row, bytes): (FileRow, Vec<u8>)| Spelled {
        file: FileId::of(&row.path),
        path: row.path.as_str().to_owned(),
        bytes,
    };
    Ok(found.files.into_iter().map(spelled).collect())
}

fn lines_of(one: &UnusedSymbol) -> u32 {
    let span = one.sym.def().span;
    span.end_line.saturating_sub(span.start_line) + 1
}

fn show_unused(one: &UnusedSymbol) -> UnusedOut {
    UnusedOut {
        symbol: SymbolOut::of(&one.sym),
        lines: lines_of(one),
        confidence: Percent(one.confidence),
        why: why_listed(one),
        users: one.users.clone(),
        circle: one.circle,
    }
}

fn why_listed(one: &UnusedSymbol) -> String {
    let reached = match (one.by_export, one.users.is_empty()) {
        (true, _) => "exported, and nothing here reaches it",
        (false, true) => "nothing reaches it",
        (false, false) => "only unused code uses it",
    };
    format!("{reached}{}", against(one))
}

/// What speaks against it: the reason that counts most.
fn against(one: &UnusedSymbol) -> String {
    match (&one.less_by, &one.made_from, &one.spelled_at, &one.looked_up_by) {
        (Some(user), ..) => format!("; but it is no surer than {user}, which uses it"),
        (_, Some(part), ..) => format!("; but code spells {part:?}, from which its name may be made up"),
        (_, _, Some((path, line)), _) => format!("; but its name is spelled at {path}:{line}"),
        _ if one.is_in_open_block => {
            "; but it is in the braces of a macro or of an ambient declaration, which may use it".to_owned()
        }
        _ if one.is_test_data => "; but nothing imports its file, which tests may read as data".to_owned(),
        _ if one.is_open => "; but code that is given the object may call it".to_owned(),
        (_, _, _, Some(word)) => format!("; but its file looks names up: {word}"),
        _ => String::new(),
    }
}

fn says(looked_at: usize, least: u8, is_read: bool) -> String {
    let text = if is_read {
        "Files that are not indexed, and users outside of this repository, were not looked at"
    } else {
        "The text of this state is not at hand, so names in strings were not looked for"
    };
    format!(
        "Of {looked_at} symbols, those whose confidence is at least {}. {text}.",
        f64::from(least) / 100.0
    )
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        begin_line(&mut text, format_args!("{} unused, {} lines", self.total, self.lines));
        if let Some(cursor) = &self.cursor {
            append_text(&mut text, format_args!(", next page: cursor {cursor}"));
        }
        for row in &self.unused {
            let SymbolOut { name, file, line, symbol_id, kind } = &row.symbol;
            let confidence = f64::from(row.confidence.0) / 100.0;
            begin_line(
                &mut text,
                format_args!("{confidence} {name} {kind} {file}:{line} {symbol_id} {}", row.why),
            );
            if !row.users.is_empty() {
                append_text(&mut text, format_args!(": {}", row.users.join(", ")));
            }
            if let Some(circle) = row.circle {
                append_text(&mut text, format_args!(" (circle {circle})"));
            }
        }
        begin_line(&mut text, format_args!("{}", self.completeness));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_with_too_many_symbols_are_refused() {
        assert!(check_size(MOST_SYMBOLS).is_ok());
        let refused = check_size(MOST_SYMBOLS + 1).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|message| message.contains("there are 1000001; symbol.related")));
    }
}
