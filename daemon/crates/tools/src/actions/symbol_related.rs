//! `symbol.related`: callers, callees, mentions, implementations and supertypes of a symbol.

use schemars::JsonSchema;
use sdl_navigate::Graph;
use sdl_navigate::related::{Relation, related_symbols};
use sdl_retrieve::Sym;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::context::ReadCx;
use crate::parts::outside::{OutsideOut, outside_calls, outside_lines};
use crate::questions::completeness::completeness;
use crate::questions::filter::read_filter;
use crate::questions::lines::{LineTexts, record_lines};
use crate::questions::mentions::{add_texts, find_mentions};
use crate::questions::outline::{Outlined, UserOut, explain_folder, says_of_users, user_lines};
use crate::questions::page::{PAGE_TOKENS, Pages};
use crate::questions::related::{End, RelatedOut, related_line, show_part, show_related};
use crate::questions::rows::SymbolOut;
use crate::questions::state::{Asked, read_state};
use crate::questions::target::find_target;

/// See [`ActionDef`].
pub(crate) struct SymbolRelated;

/// Rows of a page.
const ROWS: usize = 50;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Id, `Session.close`, `a.py:12`. A symbol: its id, its name, `path:name`, `path:line`, or a path for the module.
    /// With `want: members` also a folder, such as `src/auth`; `.` is the root.
    #[schemars(length(min = 1, max = 1_000))]
    symbol: String,
    /// Default callers.
    #[serde(default)]
    want: Want,
    /// Default 1. Steps, such as callers of callers. Not for references.
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Default true.
    include_tests: Option<bool>,
    /// 0 to 1. Only edges whose rule is right at least this often.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// `src/**`, `!**/gen/**`. Only symbols in these paths; `!` leaves paths out.
    #[serde(default)]
    #[schemars(length(max = 50))]
    paths: Vec<String>,
    /// Lines' text. Default true for references, else false.
    include_text: Option<bool>,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Want {
    #[default]
    Callers,
    Callees,
    References,
    Implementations,
    Supertypes,
    Members,
}

impl Want {
    /// The name on the wire.
    fn name(self) -> &'static str {
        match self {
            Self::Callers => "callers",
            Self::Callees => "callees",
            Self::References => "references",
            Self::Implementations => "implementations",
            Self::Supertypes => "supertypes",
            Self::Members => "members",
        }
    }

    /// The relation; none for references, which are places, and for members, which are an outline.
    fn relation(self) -> Option<Relation> {
        match self {
            Self::Callers => Some(Relation::Callers),
            Self::Callees => Some(Relation::Callees),
            Self::Implementations => Some(Relation::Implementations),
            Self::Supertypes => Some(Relation::Supertypes),
            Self::References | Self::Members => None,
        }
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The symbol asked about; each overload, if there are several.
    of: Vec<SymbolOut>,
    /// The folder asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    /// What `related` holds.
    want: &'static str,
    /// Surest first, code before tests, each symbol once and its own right below it; references by path and line; of a
    /// folder, what most files outside use first.
    related: Vec<RelatedOut>,
    /// Rows on all pages; of references, mentions as edges count them.
    total: u64,
    /// Give it with the next call for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// Of members: the other files that use most of them, at most 10.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    used_by: Vec<UserOut>,
    /// Of callees: what it calls in dependencies whose source is on the disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside: Vec<OutsideOut>,
    /// Whether the list is complete, and if not, why.
    completeness: String,
    /// First files that mention the name without a known meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved_files: Vec<String>,
    /// The state that was asked, if not the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_version: Option<String>,
}

impl Action for SymbolRelated {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(PAGE_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "symbol.related",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you ask who calls or mentions a symbol, what it calls, implements or contains",
        needs: "symbol",
        examples: &[
            r#"{"repoId":"my-repo","symbol":"validateToken"}"#,
            r#"{"repoId":"my-repo","symbol":"Session.close","want":"references","includeTests":false}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for SymbolRelated {
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        read_state(cx, Self::DEF.name, request.at_version.as_deref(), |asked| {
            if request.want == Want::Members {
                return answer_outline(cx, asked, &request);
            }
            let targets = match find_target(cx, asked.source, &request.symbol, "symbol") {
                Ok(targets) => targets,
                Err(error) => return Err(explain_folder(asked.source, &request.symbol, error)?),
            };
            let response = match request.want.relation() {
                Some(relation) => answer_tree(cx, asked, &request, &targets, relation)?,
                None => answer_mentions(cx, asked, &request, &targets)?,
            };
            let shown = response.related.iter().filter(|row| row.text.is_some());
            let callees = request.want == Want::Callees;
            record_lines(
                cx,
                shown.filter_map(|row| {
                    let file =
                        if callees { response.of.first()?.file.as_str() } else { row.symbol.file.as_str() };
                    Some((file, row.at?))
                }),
            );
            Ok(response)
        })
    }
}

impl Request {
    fn pages(&self, asked: &Asked<'_, '_>, folder: &str, targets: &[Sym]) -> Result<Pages, ToolError> {
        let ids: Vec<String> = targets.iter().map(|sym| sym.id.to_string()).collect();
        let parts = [
            ids.join(","),
            folder.to_owned(),
            self.want.name().to_owned(),
            format!("{:?} {:?} {:?}", self.depth, self.include_tests, self.min_confidence),
            self.paths.join("\n"),
            asked.name.clone().unwrap_or_default(),
        ];
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let limit = self.limit.map_or(ROWS, |limit| limit as usize);
        Pages::read(asked.source, &parts, self.cursor.as_deref(), (limit, self.max_tokens))
    }

    fn texts<'c, 'a>(
        &self,
        cx: &'c ReadCx<'a>,
        asked: &Asked<'_, '_>,
    ) -> Result<Option<LineTexts<'c, 'a>>, ToolError> {
        if !self.include_text.unwrap_or(self.want == Want::References) {
            return Ok(None);
        }
        if !asked.is_newest() {
            cx.note("the text of lines is that of the newest version alone; this state is shown without it");
            return Ok(None);
        }
        Ok(Some(LineTexts::new(cx)))
    }

    fn response(&self, asked: &Asked<'_, '_>, targets: &[Sym]) -> Response {
        Response {
            of: targets.iter().map(SymbolOut::of).collect(),
            folder: None,
            want: self.want.name(),
            related: Vec::new(),
            total: 0,
            cursor: None,
            used_by: Vec::new(),
            outside: Vec::new(),
            completeness: String::new(),
            unresolved_files: Vec::new(),
            at_version: asked.name.clone(),
        }
    }

    /// The answer without rows, and what it may lack.
    fn judged_response(&self, asked: &Asked<'_, '_>, targets: &[Sym]) -> Result<Response, ToolError> {
        let open = completeness(asked.source, targets, self.want.name())?;
        let whole = self.response(asked, targets);
        Ok(Response { completeness: open.says, unresolved_files: open.files, ..whole })
    }
}

fn answer_tree(
    cx: &ReadCx<'_>,
    asked: &Asked<'_, '_>,
    request: &Request,
    targets: &[Sym],
    relation: Relation,
) -> Result<Response, ToolError> {
    let filter = read_filter(request.include_tests, request.min_confidence, &request.paths)?;
    let pages = request.pages(asked, "", targets)?;
    let graph = Graph::new(asked.source);
    let tree = related_symbols(&graph, targets, relation, request.depth.unwrap_or(1), &filter)?;
    let end = match relation {
        Relation::Callers | Relation::Implementations => End::Source,
        Relation::Callees | Relation::Supertypes => End::Target,
    };
    let mut texts = request.texts(cx, asked)?;
    let items = pages.items(&tree.rows);
    let mut rows = Vec::with_capacity(items.len());
    for row in items {
        rows.push(show_related(asked.source, row, (end, targets), texts.as_mut())?);
    }
    let mut whole = request.judged_response(asked, targets)?;
    if tree.is_cut {
        whole.completeness = format!("Cut at {} symbols. {}", tree.rows.len(), whole.completeness);
    }
    if relation == Relation::Callees && asked.is_newest() && pages.offset == 0 {
        for target in targets {
            whole.outside.extend(outside_calls(cx, target)?);
        }
    }
    let total = tree.rows.len();
    pages.fit(cx, rows.len(), |count| {
        Ok(Response {
            related: rows.get(..count).unwrap_or_default().to_vec(),
            total: total as u64,
            cursor: pages.next_cursor(count, total),
            ..whole.clone()
        })
    })
}

fn answer_outline(cx: &ReadCx<'_>, asked: &Asked<'_, '_>, request: &Request) -> Result<Response, ToolError> {
    let filter = read_filter(request.include_tests, None, &request.paths)?;
    let of = Outlined::find(cx, asked.source, &request.symbol)?;
    let pages = request.pages(asked, of.folder().unwrap_or_default(), of.symbols())?;
    let outline = of.outline(&Graph::new(asked.source), request.depth.unwrap_or(1), &filter)?;
    let rows: Vec<RelatedOut> = pages.items(&outline.parts).iter().map(show_part).collect();
    let (says, files) = says_of_users(asked.source, &rows)?;
    let whole = Response {
        folder: of.folder().map(str::to_owned),
        used_by: outline.users.iter().map(UserOut::of).collect(),
        completeness: says,
        unresolved_files: files,
        ..request.response(asked, of.symbols())
    };
    pages.fit(cx, rows.len(), |count| {
        Ok(Response {
            related: rows.get(..count).unwrap_or_default().to_vec(),
            total: outline.parts.len() as u64,
            cursor: pages.next_cursor(count, outline.parts.len()),
            ..whole.clone()
        })
    })
}

fn answer_mentions(
    cx: &ReadCx<'_>,
    asked: &Asked<'_, '_>,
    request: &Request,
    targets: &[Sym],
) -> Result<Response, ToolError> {
    let filter = read_filter(request.include_tests, request.min_confidence, &request.paths)?;
    let pages = request.pages(asked, "", targets)?;
    let graph = Graph::new(asked.source);
    let mut found = find_mentions(cx, &graph, targets, &filter, (pages.offset, pages.limit))?;
    if let Some(mut texts) = request.texts(cx, asked)? {
        add_texts(asked.source, &mut found.rows, &mut texts)?;
    }
    let whole = request.judged_response(asked, targets)?;
    pages.fit(cx, found.rows.len(), |count| {
        let goes_on = count < found.rows.len() || !found.is_last;
        let next = count.checked_sub(1).and_then(|last| found.next.get(last)).filter(|_| goes_on);
        Ok(Response {
            related: found.rows.get(..count).unwrap_or_default().to_vec(),
            total: found.total,
            cursor: next.map(|next| pages.cursor_to(*next)),
            ..whole.clone()
        })
    })
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        for of in &self.of {
            begin_line(&mut text, format_args!("{} of {} {}:{}", self.want, of.name, of.file, of.line));
        }
        if let Some(folder) = &self.folder {
            begin_line(
                &mut text,
                format_args!("{} of {}", self.want, if folder.is_empty() { "." } else { folder }),
            );
        }
        append_text(&mut text, format_args!(", {} of {}", self.related.len(), self.total));
        if let Some(cursor) = &self.cursor {
            append_text(&mut text, format_args!(", next page: cursor {cursor}"));
        }
        self.related.iter().for_each(|row| related_line(&mut text, row));
        user_lines(&mut text, &self.used_by);
        outside_lines(&mut text, &self.outside);
        begin_line(&mut text, format_args!("{}", self.completeness));
        for file in &self.unresolved_files {
            append_text(&mut text, format_args!(" {file}"));
        }
        text
    }
}
