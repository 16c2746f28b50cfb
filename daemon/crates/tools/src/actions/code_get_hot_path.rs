//! `code.getHotPath`: the lines of a symbol around wanted identifiers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionDef, Namespace, ReadAction, ReadCx, Render};
use crate::answers::{block, line};
use crate::ladder::{self, RangeOut, hot_path, identifiers, lines, skeleton};
use crate::{ToolError, budget, source_text, symbols};

/// See [`ActionDef`].
pub(crate) struct CodeGetHotPath;

/// How large an answer is unless the call says otherwise, in tokens.
const TOKENS: usize = 4_000;
/// Lines around each match.
pub(crate) const CONTEXT: u32 = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The symbol to search in.
    symbol_id: String,
    /// What to find: whole identifiers, not in comments.
    #[schemars(length(min = 1, max = 50))]
    identifiers_to_find: Vec<String>,
    /// Lines above and below each match. 3 by default.
    #[schemars(range(min = 0, max = 1_000))]
    context_lines: Option<u32>,
    /// At most so many lines.
    #[schemars(range(min = 1, max = 100_000))]
    max_lines: Option<u32>,
    /// Tokens of the whole structured answer. 4000 by default.
    #[schemars(range(min = 1, max = 20_000))]
    max_tokens: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Lines of the symbol; `/* ... */` stands for what is left out.
    excerpt: String,
    /// The file.
    file: String,
    /// The symbol's place.
    range: RangeOut,
    /// Tokens of the excerpt.
    estimated_tokens: u64,
    /// Which identifiers were found.
    matched_identifiers: Vec<String>,
    /// Lines of the file with matches, as far as they are shown.
    matched_line_numbers: Vec<u32>,
    /// Whether matches were left out.
    truncated: bool,
    /// How to see them.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<More>,
}

/// What did not fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct More {
    /// Matched lines that are not shown; the first 100.
    dropped_line_numbers: Vec<u32>,
    /// What to call for the rest.
    how_to_resume: String,
}

impl Action for CodeGetHotPath {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "code.getHotPath",
        namespace: Namespace::Code,
        mutating: false,
        description: "Call this when you need the exact lines of a symbol where some identifiers stand",
        needs: "symbolId, identifiersToFind",
        examples: &[
            r#"{"repoId":"my-repo","symbolId":"s_0123456789abc","identifiersToFind":["validate","token"],"contextLines":3}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for CodeGetHotPath {
    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let sym = symbols::by_id(cx, &request.symbol_id, "symbolId")?;
        let text = source_text::of(cx, sym.row())?;
        let structure = ladder::structure(cx.call, &text, sym.outline())?;
        let (first, last) = skeleton::span_lines(&text, sym.def(), sym.ix);
        let found = identifiers::find(&text, &structure, &request.identifiers_to_find, first, last);
        let all = hot_path::lines(&text, &found, request.context_lines.unwrap_or(CONTEXT), first, last);
        if found.lines.is_empty() {
            cx.note("none of the identifiers stands in this symbol; getSkeleton shows its shape");
        }
        let range = RangeOut::lines(&text, first, last);
        let answer = |count: usize| {
            let shown = all.get(..count).unwrap_or_default();
            let excerpt = hot_path::joined(shown);
            let end = shown.iter().rev().find_map(|line| line.number).unwrap_or(0);
            let (seen, dropped): (Vec<u32>, Vec<u32>) = found.lines.iter().partition(|line| **line <= end);
            Response {
                estimated_tokens: budget::count(&excerpt) as u64,
                excerpt,
                file: sym.path().to_owned(),
                range: range.clone(),
                matched_identifiers: found.identifiers.clone(),
                matched_line_numbers: seen,
                truncated: count < all.len(),
                truncation: (count < all.len()).then(|| More {
                    dropped_line_numbers: dropped.into_iter().take(100).collect(),
                    how_to_resume:
                        "allow more with maxTokens or maxLines, or ask for fewer identifiers or contextLines"
                            .to_owned(),
                }),
            }
        };
        let wanted = request.max_lines.map_or(all.len(), |most| all.len().min(most as usize));
        let most = request.max_tokens.map_or(TOKENS, |most| most as usize);
        let around = cx.around()?;
        let count = lines::fitting(wanted, most, |count| Ok(around + budget::of(&answer(count))?))?;
        Ok(answer(count))
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let lines: Vec<String> = self.matched_line_numbers.iter().map(ToString::to_string).collect();
        let mut text = String::new();
        line(&mut text, format_args!("{} lines {}", self.file, lines.join(",")));
        block(&mut text, &self.excerpt);
        if self.truncated {
            text.push_str("\n… truncated: raise maxTokens");
        }
        text
    }
}
