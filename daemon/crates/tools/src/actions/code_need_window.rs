//! `code.needWindow`: raw source, if the policy allows it to be shown.

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use sdl_lang::Structure;
use sdl_retrieve::Sym;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::code_get_hot_path::CONTEXT;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Object, append_block, begin_line, serialize_object};
use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::guard::audit;
use crate::guard::policy::Policy;
use crate::guard::policy::decide::{Ask, Decision, Verdict, decide_access};
use crate::host::policies;
use crate::parts::symbols;
use crate::source::ladder::hot_path::{self, Excerpt};
use crate::source::ladder::identifiers::{self, Matches};
use crate::source::ladder::{self, RangeOut, lines, share, skeleton, window};
use crate::source::nearness::{self, SliceContext};
use crate::source::reason;
use crate::source::text::{self, SourceText};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct CodeNeedWindow;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `s_…`. A symbol's id.
    symbol_id: String,
    /// Why raw code is needed: what in the symbol, and for which task. Audited.
    #[schemars(length(min = 1, max = 2_000))]
    reason: String,
    /// Lines you expect. An estimate: a wrong one is no reason to deny.
    #[schemars(range(min = 1, max = 1_000_000))]
    expected_lines: u32,
    /// Identifiers expected inside the symbol. For example `["retry"]`. Keywords don't count.
    #[schemars(length(max = 50))]
    identifiers_to_find: Vec<String>,
    /// Default symbol. `symbol`: all of it. `block`: its innermost block with the identifiers. `fileWindow`:
    /// `expectedLines` lines around it.
    granularity: Option<Granularity>,
    /// For the whole answer. The policy may allow fewer.
    #[schemars(range(min = 1, max = 20_000))]
    max_tokens: Option<u32>,
    /// The task, as for `slice.build`. Makes approval likelier.
    slice_context: Option<SliceContext>,
    /// Override; audited. Works only if the policy allows it.
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
    /// The symbol with the lines around it, `expectedLines` in total; never less than the symbol.
    FileWindow,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Whether `code` is given.
    approved: bool,
    /// The symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    /// Path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The lines that are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeOut>,
    /// The source text.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The conditions that were met.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_approved: Option<Vec<String>>,
    /// Tokens of `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_tokens: Option<u64>,
    /// The conditions that were not met and were overridden by `breakGlass`.
    #[serde(skip_serializing_if = "Option::is_none")]
    overridden: Option<Vec<String>>,
    /// `window` if a hot path or skeleton is given instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    downgraded_from: Option<String>,
    /// Why a window was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_downgraded: Option<Vec<String>>,
    /// Identifiers that were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_identifiers: Option<Vec<String>>,
    /// Lines of the file with those identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_line_numbers: Option<Vec<u32>>,
    /// Whether the code was cut to the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to see the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
    /// The conditions that were not met.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_denied: Option<Vec<String>>,
    /// Arguments for a narrower `code.needWindow` that is answered, with the text itself if the reason mentions it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_next_request: Option<Object>,
    /// A call that needs no approval and works as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_best_action: Option<Next>,
}

/// A call that works when sent as it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Next {
    /// The tool to call.
    tool: String,
    /// Its arguments.
    args: Object,
    /// What the call is good for.
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
        needs: "symbolId,reason,expectedLines,identifiersToFind",
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
        let policy = policies::repo_policy(cx.call.host, cx.repo)?;
        let glass = request.break_glass.unwrap_or(false);
        if sdl_lang::is_secret_file(sym.path()) {
            let ask = Ask { secret_file: true, break_glass: glass, ..Ask::default() };
            let decision = decide_access(&ask, &policy);
            let response = denied_response(cx, &request, &sym, &decision, None, &policy)?;
            record_decision(cx, &request, &sym, &decision, &response);
            return Ok(response);
        }
        let text = text::file_text(cx, sym.row())?;
        let names = ladder::identifier_ranges(cx.call, &text)?;
        let found = Window::find(cx.call, (&text, names.as_deref()), &sym, &request, &policy);
        found.notes(&request, &policy).into_iter().for_each(|note| cx.note(note));
        let (in_slice, in_frontier) = nearness::to_slices(cx, sym.id)?;
        let relevance = match &request.slice_context {
            Some(task) => nearness::to_task(cx, sym.id, task)?,
            None => 0.0,
        };
        let most = request.max_tokens.unwrap_or(u32::MAX).min(policy.max_window_tokens) as usize;
        let around = cx.around()?;
        let matches = &found.matches;
        let mut ask = Ask {
            secret_file: false,
            wanted: matches.wanted(),
            keywords: matches.keywords.len(),
            found: matches.identifiers.len(),
            inner: identifiers::count_inner(matches, &sym, &text, names.as_deref()),
            in_slice,
            in_frontier,
            relevance,
            reason: reason::speaks_of(&request.reason, &sym, &matches.identifiers),
            lines: found.last + 1 - found.first,
            tokens: 0,
            most_tokens: most,
            whole: matches!(request.granularity, None | Some(Granularity::Symbol)),
            break_glass: glass,
        };
        let decided = decide_access(&ask, &policy);
        if decided.verdict == Verdict::Window {
            let all = Shown::Lines(found.lines());
            let whole = approved_response(&sym, &found, &decided, all.len(), &all);
            ask.tokens = around + budget::json_tokens(&whole)?;
        }
        let decision = decide_access(&ask, &policy);
        let response = match decision.verdict {
            Verdict::Denied => denied_response(cx, &request, &sym, &decision, Some(&found), &policy)?,
            verdict => {
                let (shown, most_lines) = match verdict {
                    // Without a task that leads here, show only the lines of a hot path, because those need no
                    // approval.
                    Verdict::HotPath if decided.verdict != Verdict::Window => {
                        (found.hot_path(), share::unapproved_lines(ask.lines, &policy))
                    }
                    Verdict::HotPath => (found.hot_path(), policy.max_window_lines as usize),
                    Verdict::Skeleton => (Shown::Lines(found.skeleton(&sym)), usize::MAX),
                    _ => (Shown::Lines(found.clamped(&policy)), usize::MAX),
                };
                let cost = |count| {
                    Ok(around
                        + budget::json_tokens(&approved_response(&sym, &found, &decision, count, &shown))?)
                };
                let count = lines::fitting_lines(shown.len().min(most_lines), most, cost)?;
                approved_response(&sym, &found, &decision, count, &shown)
            }
        };
        record_decision(cx, &request, &sym, &decision, &response);
        Ok(response)
    }
}

/// The request, resolved in the text.
struct Window<'a> {
    text: &'a SourceText,
    names: Option<&'a [Range<u32>]>,
    structure: Arc<Structure>,
    matches: Matches,
    /// The symbol's lines.
    symbol: (u32, u32),
    first: u32,
    last: u32,
}

/// Lines to show, as many as fit.
enum Shown<'a> {
    /// In order.
    Lines(Vec<hot_path::Line>),
    Excerpt(Excerpt<'a>),
}

impl Shown<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.len(),
            Self::Excerpt(excerpt) => excerpt.len(),
        }
    }

    fn lines(&self, count: usize) -> Vec<hot_path::Line> {
        match self {
            Self::Lines(lines) => lines.get(..count).unwrap_or(lines).to_vec(),
            Self::Excerpt(excerpt) => excerpt.lines(count),
        }
    }
}

impl<'a> Window<'a> {
    fn find(
        call: &Call<'_>,
        (text, names): (&'a SourceText, Option<&'a [Range<u32>]>),
        sym: &Sym,
        request: &Request,
        policy: &Policy,
    ) -> Self {
        // Without a parse there are no blocks, so the whole symbol is taken.
        let structure = ladder::text_structure(call, text, sym.outline())
            .unwrap_or_else(|_| Arc::new(Structure::unknown(text.unmasked().len())));
        let asked = &request.identifiers_to_find;
        let symbol = lines::span_lines(text, sym.def(), sym.ix);
        let (first, last) = match request.granularity {
            None | Some(Granularity::Symbol) => symbol,
            Some(Granularity::Block) => {
                let found = identifiers::find_identifiers(text, names, asked, symbol.0, symbol.1);
                window::matching_block(text, &structure, &found, symbol)
            }
            Some(Granularity::FileWindow) => {
                window::centered_window(text, symbol, request.expected_lines.min(policy.max_window_lines))
            }
        };
        let matches = identifiers::find_identifiers(text, names, asked, first, last);
        Self { text, names, structure, matches, symbol, first, last }
    }

    /// Returns notes on wrong assumptions of the caller. None of them is a reason to deny.
    fn notes(&self, request: &Request, policy: &Policy) -> Vec<String> {
        let mut notes = self.matches.notes();
        let (expected, lines) = (request.expected_lines, self.last + 1 - self.first);
        if expected > policy.max_window_lines {
            notes.push(format!(
                "expectedLines was clamped to {}, as the policy has it",
                policy.max_window_lines
            ));
        } else if expected > lines.saturating_mul(2) || lines > expected.saturating_mul(2) {
            notes.push(format!("{expected} lines were expected; there are {lines}"));
        }
        notes
    }

    fn numbered(&self, first: u32, last: u32) -> Vec<hot_path::Line> {
        let line = |number| hot_path::Line {
            text: lines::shorten_line(&self.text.shown(number)),
            number: Some(number),
        };
        (first..=last).map(line).collect()
    }

    fn lines(&self) -> Vec<hot_path::Line> {
        self.numbered(self.first, self.last)
    }

    fn clamped(&self, policy: &Policy) -> Vec<hot_path::Line> {
        let (first, last) =
            window::clamp_window(&self.matches, (self.first, self.last), policy.max_window_lines);
        self.numbered(first, last)
    }

    fn hot_path(&self) -> Shown<'_> {
        Shown::Excerpt(Excerpt::new(self.text, &self.matches, CONTEXT, self.first, self.last))
    }

    fn skeleton(&self, sym: &Sym) -> Vec<hot_path::Line> {
        let lines = skeleton::skeleton_lines(&skeleton::Wanted {
            text: self.text,
            outline: sym.outline(),
            structure: &self.structure,
            scope: sym.ix,
            exported_only: false,
            marked: &Matches::default(),
        });
        lines.into_iter().map(|text| hot_path::Line { text, number: None }).collect()
    }
}

/// Returns the answer with the first `count` of `lines`.
fn approved_response(
    sym: &Sym,
    found: &Window<'_>,
    decision: &Decision,
    count: usize,
    all: &Shown<'_>,
) -> Response {
    let shown = all.lines(count);
    let code = hot_path::join_lines(&shown);
    let whole = decision.verdict == Verdict::Window;
    let mut numbers = shown.iter().filter_map(|line| line.number);
    let first = numbers.next().unwrap_or(found.first);
    let last = if whole { numbers.next_back().unwrap_or(first) } else { found.last };
    let first = if whole { first } else { found.first };
    let cut = count < all.len() || (whole && last - first < found.last - found.first);
    let seen = |line: &&u32| shown.iter().any(|shown| shown.number == Some(**line));
    let told = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    Response {
        approved: true,
        symbol_id: Some(sym.id.to_string()),
        file: Some(sym.path().to_owned()),
        range: Some(RangeOut::lines(found.text, first, last)),
        estimated_tokens: Some(budget::text_tokens(&code) as u64),
        code: Some(code),
        why_approved: Some(decision.held.clone()),
        overridden: told(&decision.overridden),
        downgraded_from: (!whole).then(|| "window".to_owned()),
        why_downgraded: told(&decision.downgraded),
        matched_identifiers: Some(found.matches.identifiers.clone()),
        matched_line_numbers: Some(found.matches.lines.iter().filter(seen).copied().collect()),
        truncated: cut.then_some(true),
        how_to_resume: cut.then(|| {
            "code.getHotPath with identifiersToFind shows lines anywhere in the symbol; granularity block a part".to_owned()
        }),
        ..Response::default()
    }
}

/// Returns the answer that says why the window is denied, and which call to make instead.
fn denied_response(
    cx: &ReadCx<'_>,
    request: &Request,
    sym: &Sym,
    decision: &Decision,
    found: Option<&Window<'_>>,
    policy: &Policy,
) -> Result<Response, ToolError> {
    let id = sym.id.to_string();
    let repo = cx.repo.id();
    let (tool, args, rationale) = match found {
        None => (
            "symbol.getCard",
            json!({"repoId": repo, "symbolId": id}),
            "describes the symbol without its text",
        ),
        Some(found) if !found.matches.identifiers.is_empty() => (
            "code.getHotPath",
            json!({"repoId": repo, "symbolId": id, "identifiersToFind": found.matches.identifiers}),
            "shows the lines with the identifiers and needs no approval",
        ),
        Some(_) => (
            "code.getSkeleton",
            json!({"repoId": repo, "symbolId": id}),
            "shows what the symbol consists of and needs no approval; name what you need from it",
        ),
    };
    let suggested = match found {
        Some(found) => suggest_request(cx, request, sym, found, policy)?,
        None => None,
    };
    Ok(Response {
        approved: false,
        symbol_id: Some(id),
        why_denied: Some(decision.failed.clone()),
        suggested_next_request: suggested,
        next_best_action: Some(Next {
            tool: Call::tool(tool),
            args: serialize_object(&args)?,
            rationale: rationale.to_owned(),
        }),
        ..Response::default()
    })
}

/// Suggests a narrower request: for the block that contains the identifiers in the reason, or else for some block, by
/// identifiers that are in it. It is always answered; with the text itself only if the reason mentions the symbol or
/// one of these identifiers.
fn suggest_request(
    cx: &ReadCx<'_>,
    request: &Request,
    sym: &Sym,
    found: &Window<'_>,
    policy: &Policy,
) -> Result<Option<Object>, ToolError> {
    let Window { text, names, structure, symbol, .. } = found;
    let inside = identifiers::names_inside(sym, text, names.unwrap_or_default(), *symbol);
    let related: Vec<String> = inside
        .iter()
        .filter(|name| reason::speaks_to(&request.reason, &found.matches, name))
        .take(3)
        .cloned()
        .collect();
    let place = |wanted: &[String]| {
        let found = identifiers::find_identifiers(text, *names, wanted, symbol.0, symbol.1);
        window::matching_block(text, structure, &found, *symbol)
    };
    let length = |(first, last): (u32, u32)| last + 1 - first;
    let narrow = |wanted: &[String]| length(place(wanted)) * 2 <= length(*symbol);
    let wanted = if related.is_empty() {
        inside.iter().take(200).map(|name| vec![name.clone()]).find(|one| narrow(one))
    } else {
        Some(related)
    };
    let Some(wanted) = wanted else { return Ok(None) };
    let block = place(&wanted);
    let mut args = Map::new();
    args.insert("repoId".into(), cx.repo.id().into());
    args.insert("symbolId".into(), sym.id.to_string().into());
    args.insert("reason".into(), request.reason.clone().into());
    args.insert("expectedLines".into(), length(block).min(policy.max_window_lines).into());
    args.insert("identifiersToFind".into(), wanted.into());
    let granularity = if block == *symbol { Granularity::Symbol } else { Granularity::Block };
    args.insert("granularity".into(), object_value(&granularity)?);
    let known = request.slice_context.as_ref().filter(|task| {
        // A large stack trace would only be repeated.
        task.stack_trace.as_ref().is_none_or(|trace| trace.len() < 2_000)
    });
    if let Some(known) = known {
        args.insert("sliceContext".into(), object_value(known)?);
    }
    Ok(Some(args))
}

fn object_value(value: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(value).map_err(|e| ToolError::internal("writing the answer", e))
}

/// Records the decision for the log.
fn record_decision(cx: &ReadCx<'_>, request: &Request, sym: &Sym, decision: &Decision, response: &Response) {
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
        why: decision.why(),
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
            begin_line(&mut text, format_args!("{file}:{}-{}", range.start_line, range.end_line));
            if self.downgraded_from.is_some() {
                text.push_str(" (downgraded)");
            }
            append_block(&mut text, code);
            for why in self.why_downgraded.iter().flatten() {
                begin_line(&mut text, format_args!("no window: {why}"));
            }
            if self.truncated.is_some() {
                text.push_str("\n… truncated");
            }
            return text;
        }
        let why = self.why_denied.as_deref().unwrap_or_default();
        begin_line(&mut text, format_args!("denied: {}", why.join("; ")));
        if let Some(next) = &self.next_best_action {
            let args = Value::Object(next.args.clone());
            begin_line(&mut text, format_args!("instead: {} {args}", next.tool));
        }
        text
    }
}
