//! `code.needWindow`: source as it is, if the policy lets it be shown.

use schemars::JsonSchema;
use sdl_retrieve::Sym;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::code_get_hot_path::CONTEXT;
use crate::action::{Action, ActionDef, Call, Namespace, ReadAction, ReadCx, Render};
use crate::answers::{Object, block, line, object};
use crate::ladder::identifiers::{self, Matches};
use crate::ladder::{RangeOut, hot_path, lines, skeleton, window};
use crate::policy::decide::{Ask, Decision, Lacking, Verdict, decide};
use crate::policy::nearness::{self, SliceContext};
use crate::policy::{self, Policy};
use crate::source_text::{self, SourceText};
use crate::{ToolError, audit, budget, redact, symbols};

/// See [`ActionDef`].
pub(crate) struct CodeNeedWindow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// The symbol to read.
    symbol_id: String,
    /// Why raw code is needed.
    #[schemars(length(min = 1, max = 2_000))]
    reason: String,
    /// How many lines are expected.
    #[schemars(range(min = 1, max = 1_000_000))]
    expected_lines: u32,
    /// What is expected to stand there; keywords don't count.
    #[schemars(length(max = 50))]
    identifiers_to_find: Vec<String>,
    /// `symbol` by default.
    granularity: Option<Granularity>,
    /// Tokens of the whole structured answer; the policy may allow less.
    #[schemars(range(min = 1, max = 20_000))]
    max_tokens: Option<u32>,
    /// The task: raises the odds.
    slice_context: Option<SliceContext>,
    /// Override the policy's conditions, where it allows that. Audited.
    break_glass: Option<bool>,
}

/// What the window is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Granularity {
    /// The whole symbol.
    Symbol,
    /// The innermost block of it that has the identifiers.
    Block,
    /// The expected number of lines around it.
    FileWindow,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Whether source is shown.
    approved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// What is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_approved: Option<Vec<String>>,
    /// Tokens of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_tokens: Option<u64>,
    /// `window` if a hot path or a skeleton is served in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    downgraded_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_identifiers: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_line_numbers: Option<Vec<u32>>,
    /// Whether the code was cut to the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to see the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_denied: Option<Vec<String>>,
    /// A request for a window that may be approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_next_request: Option<Object>,
    /// What answers without approval; works as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_best_action: Option<Next>,
}

/// A call that works when sent as it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Next {
    tool: String,
    args: Object,
    rationale: String,
}

impl Action for CodeNeedWindow {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "code.needWindow",
        namespace: Namespace::Code,
        mutating: false,
        description: "Call this when skeleton and hot path did not answer: raw code, if the policy approves; audited",
        needs: "symbolId, reason, expectedLines, identifiersToFind",
        examples: &[
            r#"{"repoId":"my-repo","symbolId":"s_0123456789abc","reason":"Need exact branch logic for debugging auth timeout","expectedLines":80,"identifiersToFind":["if","catch","tokenExpiry"]}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for CodeNeedWindow {
    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        if request.reason.trim().is_empty() {
            return Err(ToolError::invalid("reason", "say why raw code is needed"));
        }
        let sym = symbols::by_id(cx, &request.symbol_id, "symbolId")?;
        let policy = policy::of(cx.call.host.agent(), cx.repo)?;
        let glass = request.break_glass.unwrap_or(false);
        if redact::is_secret_file(sym.path()) {
            let ask = Ask { secret_file: true, break_glass: glass, ..Ask::default() };
            let decision = decide(&ask, &policy);
            let response = denied(cx, &request, &sym, &decision, None)?;
            record(cx, &request, &sym, &decision, &response);
            return Ok(response);
        }
        let text = source_text::of(cx, sym.row())?;
        let found = Window::find(cx.call, &text, &sym, &request, &policy);
        let (in_slice, in_frontier) = nearness::to_slices(cx, sym.id)?;
        let relevance = match &request.slice_context {
            Some(task) => nearness::to_task(cx, sym.id, task)?,
            None => 0.0,
        };
        let most = request.max_tokens.unwrap_or(u32::MAX).min(policy.max_window_tokens) as usize;
        let all = found.lines();
        let around = cx.around()?;
        let mut ask = Ask {
            secret_file: false,
            wanted: found.wanted.len(),
            keywords: request.identifiers_to_find.len() - found.wanted.len(),
            found: found.told,
            in_slice,
            in_frontier,
            relevance,
            reason: speaks_of(&request.reason, sym.name(), &found.wanted),
            expected: request.expected_lines,
            lines: found.last + 1 - found.first,
            tokens: 0,
            most_tokens: most,
            whole: matches!(request.granularity, None | Some(Granularity::Symbol)),
            break_glass: glass,
        };
        let decided = decide(&ask, &policy);
        if decided.verdict != Verdict::Denied {
            let whole = approved(&sym, &found, &decided, all.len(), &all);
            ask.tokens = around + budget::of(&whole)?;
        }
        let decision = decide(&ask, &policy);
        let response = match decision.verdict {
            Verdict::Denied => denied(cx, &request, &sym, &decision, Some(&found))?,
            verdict => {
                let shown = match verdict {
                    Verdict::HotPath => found.hot_path(),
                    Verdict::Skeleton => found.skeleton(&sym),
                    _ => found.clamped(&policy),
                };
                let cost =
                    |count| Ok(around + budget::of(&approved(&sym, &found, &decision, count, &shown))?);
                let count = lines::fitting(shown.len(), most, cost)?;
                approved(&sym, &found, &decision, count, &shown)
            }
        };
        record(cx, &request, &sym, &decision, &response);
        Ok(response)
    }
}

/// What was asked for, found in the text.
struct Window<'a> {
    text: &'a SourceText,
    structure: std::sync::Arc<sdl_lang::Structure>,
    /// Identifiers that are no keywords.
    wanted: Vec<String>,
    /// All that was found, keywords too.
    matches: Matches,
    /// How many of `wanted` were.
    told: usize,
    first: u32,
    last: u32,
}

impl<'a> Window<'a> {
    fn find(call: &Call<'_>, text: &'a SourceText, sym: &Sym, request: &Request, policy: &Policy) -> Self {
        // What can't be parsed has no blocks, no comments and nothing to show in a skeleton.
        let structure = crate::ladder::structure(call, text, sym.outline())
            .unwrap_or_else(|_| std::sync::Arc::new(sdl_lang::Structure::unknown(text.unmasked().len())));
        let asked = &request.identifiers_to_find;
        let telling = |one: &&String| !identifiers::is_keyword(one.trim());
        let mut wanted: Vec<String> = asked.iter().filter(telling).cloned().collect();
        wanted.dedup();
        let symbol = skeleton::span_lines(text, sym.def(), sym.ix);
        let (first, last) = match request.granularity {
            None | Some(Granularity::Symbol) => symbol,
            Some(Granularity::Block) => {
                let found = identifiers::find(text, &structure, &wanted, symbol.0, symbol.1);
                window::block(text, &structure, &found, symbol)
            }
            Some(Granularity::FileWindow) => {
                window::around(text, symbol, request.expected_lines.min(policy.max_window_lines))
            }
        };
        let told = identifiers::find(text, &structure, &wanted, first, last);
        let matches = if told.lines.is_empty() {
            identifiers::find(text, &structure, asked, first, last)
        } else {
            told.clone()
        };
        Self { text, structure, wanted, matches, told: told.identifiers.len(), first, last }
    }

    fn numbered(&self, first: u32, last: u32) -> Vec<hot_path::Line> {
        let line = |number| hot_path::Line {
            text: lines::shortened(&self.text.shown(number)),
            number: Some(number),
        };
        (first..=last).map(line).collect()
    }

    fn lines(&self) -> Vec<hot_path::Line> {
        self.numbered(self.first, self.last)
    }

    fn clamped(&self, policy: &Policy) -> Vec<hot_path::Line> {
        let (first, last) = window::clamped(&self.matches, (self.first, self.last), policy.max_window_lines);
        self.numbered(first, last)
    }

    fn hot_path(&self) -> Vec<hot_path::Line> {
        hot_path::lines(self.text, &self.matches, CONTEXT, self.first, self.last)
    }

    fn skeleton(&self, sym: &Sym) -> Vec<hot_path::Line> {
        let lines = skeleton::lines(&skeleton::Wanted {
            text: self.text,
            outline: sym.outline(),
            structure: &self.structure,
            scope: sym.ix,
            exported_only: false,
            identifiers: &[],
        });
        lines.into_iter().map(|text| hot_path::Line { text, number: None }).collect()
    }
}

/// The answer with the first `count` of `lines`.
fn approved(
    sym: &Sym,
    found: &Window<'_>,
    decision: &Decision,
    count: usize,
    lines: &[hot_path::Line],
) -> Response {
    let shown = lines.get(..count).unwrap_or_default();
    let code = hot_path::joined(shown);
    let whole = decision.verdict == Verdict::Window;
    let mut numbers = shown.iter().filter_map(|line| line.number);
    let first = numbers.next().unwrap_or(found.first);
    let last = if whole { numbers.next_back().unwrap_or(first) } else { found.last };
    let first = if whole { first } else { found.first };
    let cut = count < lines.len() || (whole && last - first < found.last - found.first);
    let seen = |line: &&u32| shown.iter().any(|shown| shown.number == Some(**line));
    Response {
        approved: true,
        symbol_id: Some(sym.id.to_string()),
        file: Some(sym.path().to_owned()),
        range: Some(RangeOut::lines(found.text, first, last)),
        estimated_tokens: Some(budget::count(&code) as u64),
        code: Some(code),
        why_approved: Some(decision.why.clone()),
        downgraded_from: (!whole).then(|| "window".to_owned()),
        matched_identifiers: Some(found.matches.identifiers.clone()),
        matched_line_numbers: Some(found.matches.lines.iter().filter(seen).copied().collect()),
        truncated: cut.then_some(true),
        how_to_resume: cut.then(|| {
            "code.getHotPath with identifiersToFind shows lines anywhere in the symbol; granularity block a part".to_owned()
        }),
        ..Response::default()
    }
}

/// The answer that says why not, and what else to do.
fn denied(
    cx: &ReadCx<'_>,
    request: &Request,
    sym: &Sym,
    decision: &Decision,
    found: Option<&Window<'_>>,
) -> Result<Response, ToolError> {
    let id = sym.id.to_string();
    let repo = cx.repo.id();
    let (tool, args, rationale) = match found {
        None => (
            "symbol.getCard",
            json!({"repoId": repo, "symbolId": id}),
            "tells of the symbol without its text",
        ),
        Some(found) if !found.matches.identifiers.is_empty() => (
            "code.getHotPath",
            json!({"repoId": repo, "symbolId": id, "identifiersToFind": found.matches.identifiers}),
            "shows the lines with the identifiers and needs no approval",
        ),
        Some(_) => (
            "code.getSkeleton",
            json!({"repoId": repo, "symbolId": id}),
            "shows the symbol's shape and needs no approval",
        ),
    };
    let suggested = found.map(|found| suggested(cx, request, sym, decision, found)).transpose()?;
    Ok(Response {
        approved: false,
        symbol_id: Some(id),
        why_denied: Some(decision.why.clone()),
        suggested_next_request: suggested,
        next_best_action: Some(Next {
            tool: Call::tool(tool),
            args: object(&args)?,
            rationale: rationale.to_owned(),
        }),
        ..Response::default()
    })
}

/// The request with what it lacks: identifiers that are there, the lines that are there, a task.
fn suggested(
    cx: &ReadCx<'_>,
    request: &Request,
    sym: &Sym,
    decision: &Decision,
    found: &Window<'_>,
) -> Result<Object, ToolError> {
    let mut wanted: Vec<String> = found.matches.identifiers.clone();
    if matches!(decision.lacking, Lacking::Identifiers | Lacking::Matches) {
        let outline = sym.outline();
        let names = std::iter::once(sym.def().name).chain(sym.def().params.iter().map(|param| param.name));
        let names: Vec<String> = names.map(|name| outline.str(name).to_owned()).collect();
        wanted = identifiers::find(found.text, &found.structure, &names, found.first, found.last).identifiers;
        wanted.retain(|one| !identifiers::is_keyword(one));
    }
    let mut args = Map::new();
    args.insert("repoId".into(), cx.repo.id().into());
    args.insert("symbolId".into(), sym.id.to_string().into());
    args.insert("reason".into(), request.reason.clone().into());
    args.insert("expectedLines".into(), (found.last + 1 - found.first).into());
    args.insert("identifiersToFind".into(), wanted.into());
    if let Some(granularity) = request.granularity {
        args.insert("granularity".into(), object_value(&granularity)?);
    }
    let task = SliceContext {
        task_text: Some(request.reason.clone()),
        entry_symbols: vec![sym.id.to_string()],
        ..SliceContext::default()
    };
    let known = request.slice_context.as_ref().filter(|task| {
        // One that is large would only be repeated.
        task.stack_trace.as_ref().is_none_or(|trace| trace.len() < 2_000) && !task.entry_symbols.is_empty()
    });
    args.insert("sliceContext".into(), object_value(known.unwrap_or(&task))?);
    Ok(args)
}

fn object_value(value: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(value).map_err(|e| ToolError::internal("writing the answer", e))
}

/// How far a reason speaks of what is asked for: 1 if it names the symbol or an identifier, half if a part of the name.
fn speaks_of(reason: &str, name: &str, wanted: &[String]) -> f64 {
    let reason = reason.to_lowercase();
    let names = |one: &str| one.len() > 1 && reason.contains(&one.to_lowercase());
    if names(name) || wanted.iter().any(|one| names(one.trim())) {
        return 1.0;
    }
    let parts = name.split(|c: char| !c.is_alphanumeric()).flat_map(words);
    let part = parts.into_iter().any(|part| part.len() >= 4 && names(&part));
    if part { 0.5 } else { 0.0 }
}

/// The words of `camelCase`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words
}

/// Leaves the decision for the log.
fn record(cx: &ReadCx<'_>, request: &Request, sym: &Sym, decision: &Decision, response: &Response) {
    let made = match decision.verdict {
        Verdict::Denied => "denied",
        Verdict::Window => "approved",
        Verdict::HotPath | Verdict::Skeleton => "downgraded",
    };
    let identifiers: Vec<String> =
        request.identifiers_to_find.iter().map(|one| one.chars().take(100).collect()).collect();
    let row = audit::Row {
        decision: made.to_owned(),
        break_glass: request.break_glass.unwrap_or(false),
        why: decision.why.clone(),
        details: json!({
            "symbolId": sym.id.to_string(),
            "file": sym.path(),
            "reason": request.reason,
            "expectedLines": request.expected_lines,
            "identifiersToFind": identifiers,
            "granularity": request.granularity,
            "range": response.range,
            "tokens": response.estimated_tokens,
        }),
        ..audit::Row::default()
    };
    cx.decided(row);
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        if let (Some(file), Some(range), Some(code)) = (&self.file, &self.range, &self.code) {
            line(&mut text, format_args!("{file}:{}-{}", range.start_line, range.end_line));
            if self.downgraded_from.is_some() {
                text.push_str(" (downgraded)");
            }
            block(&mut text, code);
            if self.truncated.is_some() {
                text.push_str("\n… truncated");
            }
            return text;
        }
        let why = self.why_denied.as_deref().unwrap_or_default();
        line(&mut text, format_args!("denied: {}", why.join("; ")));
        if let Some(next) = &self.next_best_action {
            let args = Value::Object(next.args.clone());
            line(&mut text, format_args!("instead: {} {args}", next.tool));
        }
        text
    }
}
