//! `code.getHotPath`: the lines of a symbol around wanted identifiers.

use std::ops::Range;

use schemars::JsonSchema;
use sdl_retrieve::Sym;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::guard::audit;
use crate::guard::policy::decide::{Ask, Decision, Verdict, decide_access};
use crate::host::policies;
use crate::parts::symbols;
use crate::source::ladder::hot_path::{self, Excerpt};
use crate::source::ladder::identifiers::{self, Matches};
use crate::source::ladder::{self, RangeOut, lines, share};
use crate::source::nearness;
use crate::source::text;
use crate::source::text::SourceText;

/// See [`ActionDef`].
pub(crate) struct CodeGetHotPath;

/// Default tokens of an answer.
const TOKENS: usize = 4_000;
/// Lines around each match.
pub(crate) const CONTEXT: u32 = 3;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `s_…`. A symbol's id.
    symbol_id: String,
    /// Whole identifiers, or paths of them, such as ["this.cache"]. Keywords, comments and literals don't count.
    #[schemars(length(min = 1, max = 50))]
    identifiers_to_find: Vec<String>,
    /// Default 3, at most 10. Lines above and below each match.
    #[schemars(range(min = 0, max = 1_000))]
    context_lines: Option<u32>,
    /// Line limit. The policy may allow fewer.
    #[schemars(range(min = 1, max = 100_000))]
    max_lines: Option<u32>,
    /// Default 4000. Tokens of the whole answer; the policy may allow fewer.
    #[schemars(range(min = 1, max = 20_000))]
    max_tokens: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Lines of the symbol, each with its number; a gap says how many lines are left out.
    excerpt: String,
    /// Path of the file.
    file: String,
    /// Where the symbol is.
    range: RangeOut,
    /// Tokens of `excerpt`.
    estimated_tokens: u64,
    /// Identifiers that were found.
    matched_identifiers: Vec<String>,
    /// Lines of the file that match, as far as they are shown.
    matched_line_numbers: Vec<u32>,
    /// Whether matches were left out.
    truncated: bool,
    /// How to see the matches that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<More>,
    /// Limits that hold whatever was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    capped: Option<Capped>,
}

/// The parts of the request that exceed a hot path's limits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Capped {
    /// What was capped, and at what.
    limits: Vec<String>,
    /// How to see more.
    how_to_go_on: String,
}

/// What did not fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct More {
    /// Lines that match and are not shown; the first 100.
    dropped_line_numbers: Vec<u32>,
    /// What to call for the rest.
    how_to_resume: String,
}

impl Action for CodeGetHotPath {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "code.getHotPath",
        namespace: Namespace::Code,
        mutating: false,
        description: "Call this when you need the exact lines of a symbol where given identifiers are used",
        needs: "symbolId,identifiersToFind",
        examples: &[
            r#"{"repoId":"my-repo","symbolId":"s_0123456789abc","identifiersToFind":["validate","token"],"contextLines":3}"#,
        ],
        aliases: &[],
    };
}

/// Returns why at most `free` of a symbol's `lines` are shown.
fn unapproved(decision: &Decision, free: usize, lines: u32) -> String {
    let why = decision.downgraded.iter().chain(&decision.failed).map(String::as_str);
    let why = why.collect::<Vec<_>>().join("; ");
    format!("{free} of the symbol's {lines} lines are shown without approval: {why}")
}

impl ReadAction for CodeGetHotPath {
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let sym = symbols::by_id(cx, &request.symbol_id, "symbolId")?;
        let policy = policies::repo_policy(cx.call.host, cx.repo)?;
        let text = text::file_text(cx, sym.row())?;
        let names = ladder::identifier_ranges(cx.call, &text)?;
        let (first, last) = lines::span_lines(&text, sym.def(), sym.ix);
        let found =
            identifiers::find_identifiers(&text, names.as_deref(), &request.identifiers_to_find, first, last);
        if found.lines.is_empty() {
            cx.note("none of the identifiers is used in this symbol; getSkeleton shows its shape");
        }
        found.notes().into_iter().for_each(|note| cx.note(note));
        let context = request.context_lines.unwrap_or(CONTEXT);
        let all = Excerpt::new(&text, &found, context.min(share::MOST_CONTEXT), first, last);
        let mut limits = Limits::default();
        if context > share::MOST_CONTEXT
            && all.len() < Excerpt::new(&text, &found, context, first, last).len()
        {
            limits.hold("contextLines", request.context_lines, share::MOST_CONTEXT);
        }
        let most_lines = request.max_lines.unwrap_or(u32::MAX) as usize;
        let mut wanted = lines::fitting_lines(all.len(), most_lines, |count| Ok(all.lines(count).len()))?;
        if wanted > policy.max_window_lines as usize {
            limits.hold("maxLines", request.max_lines, policy.max_window_lines);
            wanted = policy.max_window_lines as usize;
        }
        let free = share::unapproved_lines(last + 1 - first, &policy);
        // More lines need approval, because this much of a symbol is a window, whichever action shows it.
        let decision = if wanted > free {
            let ask = build_ask(cx, &sym, (&text, names.as_deref()), &found)?;
            Some(decide_access(&ask, &policy))
        } else {
            None
        };
        if let Some(decision) = decision.as_ref().filter(|decision| decision.verdict != Verdict::Window) {
            limits.say(unapproved(decision, free, last + 1 - first));
            wanted = free;
        }
        let range = RangeOut::of_symbol(&text, &sym, (first, last));
        let answer = |count: usize, limits: &Limits| {
            let shown = all.lines(count);
            let excerpt = hot_path::join_lines(&shown);
            let is_shown = |line: &&u32| shown.iter().any(|shown| shown.number == Some(**line));
            let (seen, dropped): (Vec<u32>, Vec<u32>) = found.lines.iter().partition(is_shown);
            Response {
                estimated_tokens: budget::text_tokens(&excerpt) as u64,
                excerpt,
                file: sym.path().to_owned(),
                range: range.clone(),
                matched_identifiers: found.identifiers.clone(),
                matched_line_numbers: seen,
                truncated: count < all.len(),
                truncation: (count < all.len()).then(|| More {
                    dropped_line_numbers: dropped.into_iter().take(100).collect(),
                    how_to_resume:
                        "ask for fewer identifiers or contextLines, or allow more with maxTokens or maxLines"
                            .to_owned(),
                }),
                capped: limits.said(),
            }
        };
        let most = request.max_tokens.map_or(TOKENS, |most| most as usize);
        let most = most.min(policy.max_window_tokens as usize);
        let around = cx.around()?;
        let fitting = |limits: &Limits| {
            lines::fitting_lines(wanted, most, |count| {
                Ok(around + budget::json_tokens(&answer(count, limits))?)
            })
        };
        let mut count = fitting(&limits)?;
        if count < wanted && limits.hold("maxTokens", request.max_tokens, policy.max_window_tokens) {
            count = fitting(&limits)?;
        }
        let response = answer(count, &limits);
        if count > 0 {
            let shown = all.lines(count);
            record_served(cx, &sym, &request.identifiers_to_find, &shown, decision.as_ref());
        }
        Ok(response)
    }
}

/// Records the source lines that were shown, for the log.
pub(crate) fn record_served(
    cx: &ReadCx<'_>,
    sym: &Sym,
    identifiers: &[String],
    shown: &[hot_path::Line],
    decision: Option<&Decision>,
) {
    let mut numbers = shown.iter().filter_map(|line| line.number);
    let count = numbers.clone().count();
    let first = numbers.next().unwrap_or(0);
    let last = numbers.next_back().unwrap_or(first);
    let (decision, why) = match decision {
        Some(made) if made.verdict == Verdict::Window => ("approved", made.why()),
        Some(made) => ("downgraded", made.why()),
        None => ("served", vec!["lines around identifiers, as many as need no approval".to_owned()]),
    };
    let identifiers: Vec<String> = identifiers.iter().map(|one| one.chars().take(100).collect()).collect();
    cx.decided(audit::Row {
        decision: decision.to_owned(),
        why,
        details: json!({
            "symbolId": sym.id.to_string(),
            "file": sym.path(),
            "identifiersToFind": identifiers,
            "lines": count,
            "range": {"startLine": first, "endLine": last},
        }),
        ..audit::Row::default()
    });
}

/// Returns the facts on which a window of this symbol would be decided. A hot path states no reason and no task.
fn build_ask(
    cx: &ReadCx<'_>,
    sym: &Sym,
    (text, names): (&SourceText, Option<&[Range<u32>]>),
    found: &Matches,
) -> Result<Ask, ToolError> {
    let (in_slice, in_frontier) = nearness::to_slices(cx, sym.id)?;
    Ok(Ask {
        wanted: found.wanted(),
        keywords: found.keywords.len(),
        found: found.identifiers.len(),
        inner: identifiers::count_inner(found, sym, text, names),
        in_slice,
        in_frontier,
        ..Ask::default()
    })
}

/// The limits that cut the request. A limit that cut nothing is not mentioned.
#[derive(Default)]
struct Limits(Vec<String>);

impl Limits {
    /// Records that a field was limited to `most`, if the request asked for more. Returns whether it was.
    fn hold(&mut self, name: &str, asked: Option<u32>, most: u32) -> bool {
        let held = asked.filter(|asked| *asked > most);
        self.0.extend(held.map(|asked| format!("{name} is {most}, not {asked}")));
        held.is_some()
    }

    fn say(&mut self, limit: String) {
        self.0.push(limit);
    }

    fn said(&self) -> Option<Capped> {
        let how = "ask for other identifiers to see other lines; code.needWindow decides on more at once";
        (!self.0.is_empty()).then(|| Capped { limits: self.0.clone(), how_to_go_on: how.to_owned() })
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let lines: Vec<String> = self.matched_line_numbers.iter().map(ToString::to_string).collect();
        let mut text = String::new();
        begin_line(&mut text, format_args!("{} lines {}", self.file, lines.join(",")));
        append_block(&mut text, &self.excerpt);
        if let Some(more) = &self.truncation {
            begin_line(&mut text, format_args!("… truncated: {}", more.how_to_resume));
        }
        if let Some(capped) = &self.capped {
            begin_line(
                &mut text,
                format_args!("capped: {}; {}", capped.limits.join("; "), capped.how_to_go_on),
            );
        }
        text
    }
}
