//! `code.getSkeleton`: signatures and control flow, without bodies.

use schemars::JsonSchema;
use sdl_model::FileId;
use sdl_model::facts::DefIx;
use sdl_retrieve::Sym;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::guard::audit;
use crate::guard::policy::Policy;
use crate::host::policies;
use crate::parts::symbols;
use crate::source::ladder::identifiers::{self, Matches};
use crate::source::ladder::{self, RangeOut, lines, share, skeleton};
use crate::source::text;
use crate::source::text::SourceText;
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct CodeGetSkeleton;

/// Default tokens of an answer.
const TOKENS: usize = 4_000;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// This or `file`. A symbol's id.
    symbol_id: Option<String>,
    /// Path from the root. This or `symbolId`.
    #[schemars(length(min = 1, max = 4_096))]
    file: Option<String>,
    /// Visible to other files. Default false.
    exported_only: Option<bool>,
    /// Lines to return.
    #[schemars(range(min = 1, max = 100_000))]
    max_lines: Option<u32>,
    /// Default 4000. Tokens of the whole answer.
    #[schemars(range(min = 1, max = 20_000))]
    max_tokens: Option<u32>,
    /// Keep lines with these. Such lines are marked.
    #[serde(default)]
    #[schemars(length(max = 50))]
    identifiers_to_find: Vec<String>,
    /// From `truncation`. Continues at this line of the skeleton.
    #[schemars(range(min = 0, max = 10_000_000))]
    skeleton_offset: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Lines of the file; `/* ... */` replaces lines left out.
    skeleton: String,
    /// Path of the file.
    file: String,
    /// What part of the file the skeleton covers.
    range: RangeOut,
    /// Tokens of `skeleton`.
    estimated_tokens: u64,
    /// Lines of source that the skeleton covers.
    original_lines: u32,
    /// Whether there is more.
    truncated: bool,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<More>,
}

/// What did not fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct More {
    /// Lines of the skeleton after these.
    dropped_lines: u32,
    /// `skeletonOffset` of the next call.
    skeleton_offset: u32,
    /// What to call for the rest.
    how_to_resume: String,
}

impl Action for CodeGetSkeleton {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "code.getSkeleton",
        namespace: Namespace::Code,
        mutating: false,
        description: "Call this when a card is not enough: signatures and control flow of a symbol or file, bodies left out",
        needs: "symbolId|file",
        examples: &[
            r#"{"repoId":"my-repo","symbolId":"s_0123456789abc"}"#,
            r#"{"repoId":"my-repo","file":"src/auth.ts","exportedOnly":true,"maxTokens":1000}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for CodeGetSkeleton {
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let sym = asked_for(cx, &request)?;
        let text = text::file_text(cx, sym.row())?;
        let structure = ladder::text_structure(cx.call, &text, sym.outline())?;
        let policy = policies::repo_policy(cx.call.host, cx.repo)?;
        let (first, last) = lines::span_lines(&text, sym.def(), sym.ix);
        let marked = match request.identifiers_to_find.as_slice() {
            [] => Matches::default(),
            wanted => marked_lines(cx, &text, wanted, (first, last), &policy)?,
        };
        let all = skeleton::skeleton_lines(&skeleton::Wanted {
            text: &text,
            outline: sym.outline(),
            structure: &structure,
            scope: sym.ix,
            exported_only: request.exported_only.unwrap_or(false),
            marked: &marked,
        });
        let range = RangeOut::of_symbol(&text, &sym, (first, last));
        let offset = request.skeleton_offset.unwrap_or(0) as usize;
        if offset > all.len() {
            return Err(beyond_end(cx, &sym, all.len()));
        }
        let rest = all.get(offset..).unwrap_or_default();
        let answer = |count: usize| {
            let shown = rest.get(..count).unwrap_or_default().join("\n");
            let dropped = (rest.len() - count.min(rest.len())) as u32;
            Response {
                estimated_tokens: budget::text_tokens(&shown) as u64,
                skeleton: shown,
                file: sym.path().to_owned(),
                range: range.clone(),
                original_lines: last + 1 - first,
                truncated: dropped > 0,
                truncation: (dropped > 0).then(|| More {
                    dropped_lines: dropped,
                    skeleton_offset: (offset + count) as u32,
                    how_to_resume: "send the same call with this skeletonOffset".to_owned(),
                }),
            }
        };
        let mut wanted = request.max_lines.map_or(rest.len(), |most| rest.len().min(most as usize));
        let mut most = request.max_tokens.map_or(TOKENS, |most| most as usize);
        // A skeleton that leaves out next to nothing counts as raw source, for example that of a list of constants.
        let raw = share::is_source(&all, &text, (first, last));
        if raw {
            wanted = wanted.min(policy.max_window_lines as usize);
            most = most.min(policy.max_window_tokens as usize);
        }
        let around = cx.around()?;
        let count =
            lines::fitting_lines(wanted, most, |count| Ok(around + budget::json_tokens(&answer(count))?))?;
        if count > 0 && (raw || !marked.lines.is_empty()) {
            let why = if raw {
                "the source is barely longer than its skeleton"
            } else {
                "lines with wanted identifiers, as many as need no approval"
            };
            cx.decided(audit::Row {
                decision: "served".to_owned(),
                why: vec![why.to_owned()],
                details: json!({
                    "symbolId": sym.id.to_string(),
                    "file": sym.path(),
                    "identifiersToFind": marked.identifiers,
                    "lines": count,
                    "range": range,
                }),
                ..audit::Row::default()
            });
        }
        Ok(answer(count))
    }
}

/// Returns the symbol in the request, or the module of the file.
fn asked_for(cx: &ReadCx<'_>, request: &Request) -> Result<Sym, ToolError> {
    match (&request.symbol_id, &request.file) {
        (Some(id), None) => symbols::by_id(cx, id, "symbolId"),
        (None, Some(file)) => {
            let path = symbols::repo_path(cx.repo, file, "file")?;
            if let Some(module) = cx.source.symbols_of(FileId::of(&path))?.into_iter().next() {
                return Ok(module);
            }
            // Returns the error that says why there are none.
            text::text_at(cx, &path, "file")?;
            Err(ToolError::internal("reading a file's facts", "the store lacks them"))
        }
        (Some(_), Some(_)) => Err(ToolError::invalid("file", "give symbolId or file, not both")),
        (None, None) => Err(ToolError::new(Code::MissingField, "give symbolId or file").at("symbolId")),
    }
}

/// Returns the error for an offset after the skeleton's last line.
fn beyond_end(cx: &ReadCx<'_>, sym: &Sym, lines: usize) -> ToolError {
    let message = format!("the skeleton has {lines} lines; begin at 0");
    let error = ToolError::invalid("skeletonOffset", message);
    let mut args = json!({"repoId": cx.repo.id(), "symbolId": sym.id.to_string()});
    if sym.ix == DefIx::MODULE {
        args = json!({"repoId": cx.repo.id(), "file": sym.path()});
    }
    error.next(Call::tool("code.getSkeleton"), args, "shows it from its beginning")
}

/// Returns the lines to mark: at most as many as a hot path shows without approval.
fn marked_lines(
    cx: &ReadCx<'_>,
    text: &SourceText,
    wanted: &[String],
    (first, last): (u32, u32),
    policy: &Policy,
) -> Result<Matches, ToolError> {
    let names = ladder::identifier_ranges(cx.call, text)?;
    let mut found = identifiers::find_identifiers(text, names.as_deref(), wanted, first, last);
    found.notes().into_iter().for_each(|note| cx.note(note));
    let most = share::unapproved_lines(last + 1 - first, policy);
    if found.lines.len() > most {
        cx.note(format!(
            "the first {most} of {} lines with these identifiers are marked; code.getHotPath shows others",
            found.lines.len()
        ));
        found.lines.truncate(most);
    }
    Ok(found)
}

impl Render for Response {
    fn text(&self) -> String {
        let range = &self.range;
        let mut text = String::new();
        begin_line(&mut text, format_args!("{}:{}-{}", self.file, range.start_line, range.end_line));
        append_block(&mut text, &self.skeleton);
        if let Some(more) = &self.truncation {
            begin_line(
                &mut text,
                format_args!("… {} more lines: skeletonOffset {}", more.dropped_lines, more.skeleton_offset),
            );
        }
        text
    }
}
