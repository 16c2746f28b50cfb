//! `symbol.path`: the best ways from one symbol to another, or to one from where programs start.

use schemars::JsonSchema;
use sdl_model::{EdgeKind, SymbolId};
use sdl_navigate::paths::{Hop, Over, Path, best_paths};
use sdl_navigate::{Filter, Graph};
use sdl_retrieve::card::find_chains;
use sdl_retrieve::numbers::Percent;
use sdl_retrieve::{Source, Sym};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::context::ReadCx;
use crate::questions::filter::read_filter;
use crate::questions::lines::{LineTexts, record_lines};
use crate::questions::page::{PAGE_TOKENS, Pages};
use crate::questions::rows::{LinkOut, SymbolOut, first_site};
use crate::questions::state::{Asked, read_state};
use crate::questions::target::find_target;

/// See [`ActionDef`].
pub(crate) struct SymbolPath;

/// Ways of an answer.
const WAYS: usize = 3;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Symbol. Where the ways start, written as in `symbol.related`. Default: where programs start.
    #[schemars(length(min = 1, max = 1_000))]
    from: Option<String>,
    /// Symbol. Where they end.
    #[schemars(length(min = 1, max = 1_000))]
    to: String,
    /// Default: calls, then any.
    edges: Option<EdgesParam>,
    /// Default 3. Ways, best first.
    #[schemars(range(min = 1, max = 10))]
    limit: Option<u32>,
    /// Default true. Whether ways may lead through tests.
    include_tests: Option<bool>,
    /// 0 to 1. Only edges whose rule is right at least this often.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// As in symbol_related. Only ways through symbols in these paths.
    #[serde(default)]
    #[schemars(length(max = 50))]
    paths: Vec<String>,
    /// Lines' text. Default false.
    include_text: Option<bool>,
    /// Default 4000. Tokens of the answer.
    #[schemars(range(min = 400, max = 20_000))]
    max_tokens: Option<u32>,
    /// `v…`, `git:v1.2`. The state to ask, if not the newest: a version, or `git:` and a revision.
    #[schemars(length(min = 1, max = 300))]
    at_version: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum EdgesParam {
    Calls,
    Any,
}

/// One link of a way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HopOut {
    /// The symbol that the link leads to: `symbolId`, `name`, `kind`, `file`, `line`.
    #[serde(flatten)]
    symbol: SymbolOut,
    /// Line that makes the link, in the file of the symbol before.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u32>,
    /// Text of that line, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// How they are linked.
    #[serde(flatten)]
    link: LinkOut,
}

/// One way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WayOut {
    /// Where it starts.
    from: SymbolOut,
    /// Its links, in order.
    hops: Vec<HopOut>,
    /// Product of the links' confidences.
    #[schemars(with = "f64")]
    confidence: Percent,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The ways, fewest and surest links first.
    ways: Vec<WayOut>,
    /// What the ways consist of: `calls`, or edges of `any` kind.
    edges: &'static str,
    /// Why there is no way, or whether there may be others.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    /// The state that was asked, if not the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_version: Option<String>,
}

impl Action for SymbolPath {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(PAGE_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "symbol.path",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you ask how one symbol reaches another, or from where one is reached",
        needs: "to",
        examples: &[
            r#"{"repoId":"my-repo","from":"main","to":"validateToken"}"#,
            r#"{"repoId":"my-repo","to":"Session.close","includeText":true}"#,
        ],
        aliases: &[],
    };
}

impl ReadAction for SymbolPath {
    const ACROSS: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        read_state(cx, Self::DEF.name, request.at_version.as_deref(), |asked| {
            answer_ways(cx, asked, &request)
        })
    }
}

fn answer_ways(cx: &ReadCx<'_>, asked: &Asked<'_, '_>, request: &Request) -> Result<Response, ToolError> {
    let source = asked.source;
    let filter = read_filter(request.include_tests, request.min_confidence, &request.paths)?;
    let to = find_target(cx, source, &request.to, "to")?;
    let most = request.limit.map_or(WAYS, |limit| limit as usize);
    let found = match &request.from {
        Some(from) => {
            let from = find_target(cx, source, from, "from")?;
            find_ways(source, (&from, &to), request.edges, most, &filter)?
        }
        None => ways_from_starts(source, &to, most, &filter)?,
    };
    let mut texts = match request.include_text {
        Some(true) if asked.is_newest() => Some(LineTexts::new(cx)),
        Some(true) => {
            cx.note("the text of lines is that of the newest version alone; this state is shown without it");
            None
        }
        _ => None,
    };
    let mut ways = Vec::with_capacity(found.ways.len());
    for way in &found.ways {
        ways.extend(show_way(source, way, texts.as_mut())?);
    }
    let pages = Pages::read(source, &[], None, (most, request.max_tokens))?;
    let response = pages.fit(cx, ways.len(), |count| {
        Ok(Response {
            ways: ways.get(..count).unwrap_or_default().to_vec(),
            edges: found.edges,
            remark: found.remark.clone(),
            at_version: asked.name.clone(),
        })
    })?;
    let mut shown = Vec::new();
    for way in &response.ways {
        let files = std::iter::once(&way.from).chain(way.hops.iter().map(|hop| &hop.symbol));
        let lines = files.zip(&way.hops).filter(|(_, hop)| hop.text.is_some());
        shown.extend(lines.filter_map(|(before, hop)| Some((before.file.as_str(), hop.at?))));
    }
    record_lines(cx, shown.into_iter());
    Ok(response)
}

/// The ways that were found, and what they consist of.
struct Found {
    ways: Vec<Path>,
    edges: &'static str,
    remark: Option<String>,
}

fn find_ways(
    source: &Source<'_>,
    (from, to): (&[Sym], &[Sym]),
    edges: Option<EdgesParam>,
    most: usize,
    filter: &Filter,
) -> Result<Found, ToolError> {
    let ids = |syms: &[Sym]| -> Vec<SymbolId> { syms.iter().map(|sym| sym.id).collect() };
    let (from_ids, to_ids) = (ids(from), ids(to));
    let graph = Graph::new(source);
    let kinds: &[(Over, &'static str)] = match edges {
        Some(EdgesParam::Calls) => &[(Over::Calls, "calls")],
        Some(EdgesParam::Any) => &[(Over::AnyLink, "any")],
        None => &[(Over::Calls, "calls"), (Over::AnyLink, "any")],
    };
    let mut last = Found { ways: Vec::new(), edges: "any", remark: None };
    for (over, name) in kinds {
        let found = best_paths(&graph, (&from_ids, &to_ids), *over, most, filter)?;
        let is_found = !found.paths.is_empty();
        let remark = match (is_found, found.gave_up) {
            (true, false) => None,
            (true, true) => Some("The search was cut, so a better way may be missing.".to_owned()),
            (false, true) => Some("The search was cut before it found a way.".to_owned()),
            (false, false) => Some(no_way(from, to)),
        };
        last = Found { ways: found.paths, edges: name, remark };
        if is_found {
            break;
        }
    }
    Ok(last)
}

fn no_way(from: &[Sym], to: &[Sym]) -> String {
    let name = |syms: &[Sym]| syms.first().map_or(String::new(), |sym| sym.qualified().to_owned());
    format!(
        "No chain of known edges leads from {} to {}; ask with the ends exchanged, or for the callers of the second.",
        name(from),
        name(to)
    )
}

/// The chains of calls to `to` from functions that nothing is known to call, such as `main`.
fn ways_from_starts(
    source: &Source<'_>,
    to: &[Sym],
    most: usize,
    filter: &Filter,
) -> Result<Found, ToolError> {
    let graph = Graph::new(source);
    let mut ways = Vec::new();
    for sym in to {
        for process in find_chains(source, sym.id)?.into_iter().take(most) {
            let mut hops = Vec::new();
            for step in process.chain.windows(2) {
                let [from, to] = step else { continue };
                let links = graph.links_out(*from)?;
                let call = links.into_iter().find(|link| link.symbol == *to && link.kind == EdgeKind::Call);
                hops.extend(call.map(|link| Hop { from: *from, link }));
            }
            if !hops.is_empty() && hops.iter().all(|hop| hop.link.confidence >= filter.min_confidence) {
                ways.push(Path { hops });
            }
        }
    }
    let name = to.first().map_or("", |sym| sym.qualified());
    let remark = ways.is_empty().then(|| {
        format!("No function that nothing calls is known to reach {name}; symbol.related lists who calls it.")
    });
    ways.truncate(most);
    Ok(Found { ways, edges: "calls", remark })
}

fn show_way(
    source: &Source<'_>,
    way: &Path,
    mut texts: Option<&mut LineTexts<'_, '_>>,
) -> Result<Option<WayOut>, ToolError> {
    let Some(first) = way.hops.first().map(|hop| source.symbol(hop.from)).transpose()?.flatten() else {
        return Ok(None);
    };
    let mut hops = Vec::with_capacity(way.hops.len());
    for hop in &way.hops {
        let (Some(from), Some(to)) = (source.symbol(hop.from)?, source.symbol(hop.link.symbol)?) else {
            return Ok(None);
        };
        let named = hop.link.through.unwrap_or(hop.link.symbol);
        let at = first_site(source, &from, named, hop.link.kind)?.map(|(line, _)| line);
        let text = match (at, texts.as_deref_mut()) {
            (Some(line), Some(texts)) => texts.text(&from, line)?,
            _ => None,
        };
        hops.push(HopOut { symbol: SymbolOut::of(&to), at, text, link: LinkOut::of(source, &hop.link)? });
    }
    Ok(Some(WayOut { from: SymbolOut::of(&first), hops, confidence: Percent::of(way.confidence()) }))
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} ways over {}", self.ways.len(), self.edges);
        for way in &self.ways {
            let from = &way.from;
            begin_line(
                &mut text,
                format_args!("{} {}:{} {}", from.name, from.file, from.line, from.symbol_id),
            );
            for hop in &way.hops {
                let HopOut { symbol, at, link, text: line, .. } = hop;
                begin_line(&mut text, format_args!("  {} {}", link.edge, symbol.name));
                if let Some(at) = at {
                    append_text(&mut text, format_args!(" at line {at}"));
                }
                append_text(
                    &mut text,
                    format_args!(" -> {}:{} {}", symbol.file, symbol.line, symbol.symbol_id),
                );
                if let Some(line) = line {
                    append_text(&mut text, format_args!(" | {line}"));
                }
            }
        }
        if let Some(remark) = &self.remark {
            begin_line(&mut text, format_args!("{remark}"));
        }
        text
    }
}
