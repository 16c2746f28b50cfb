//! Briefings: the most important facts for a question, in a few hundred words. A pure function of a version and the
//! question.

mod render;
mod risk;
mod scope;

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use sdl_model::{FileId, RelPath, SymbolId};
use sdl_retrieve::card::{self, CardOptions, Detail};
use sdl_retrieve::slice::{Budget, Neighbourhood, SliceRequest};
use serde::Serialize;

use crate::call::budget;
use crate::call::context::ReadCx;
use crate::parts::symbols;
use crate::{ToolError, slices};

pub(crate) use render::render_markdown;
pub(crate) use risk::Risk;
pub(crate) use scope::{Scope, briefing_seeds};

/// Maximum number of symbols whose full cards are read to rate their risk.
const MOST_WEIGHED: usize = 12;
/// Maximum number of symbols just outside the briefing that are named.
const MOST_FRONTIER: usize = 8;
/// Maximum number of tests among the key symbols, where none is asked for.
const MOST_TESTS: usize = 3;
/// Maximum number of edges that are listed.
const MOST_EDGES: usize = 60;

/// What matters for a question.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Briefing {
    /// The symbols that matter, best first.
    pub(crate) key_symbols: Vec<KeySymbol>,
    /// How they depend on each other.
    pub(crate) dependency_graph: DependencyGraph,
    /// Symbols that are risky to change, riskiest first.
    pub(crate) risk_areas: Vec<Risk>,
    /// Their files, most important first. Missing where `content` has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files_touched: Vec<Touched>,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeySymbol {
    /// Its id.
    pub(crate) symbol_id: String,
    /// Its name with parameters and result.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) signature: String,
    /// Its kind, such as `function`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) kind: String,
    /// Path of its file.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) file: String,
    /// Its first line.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "Option<u32>")]
    pub(crate) line: u32,
    /// Its last line.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "Option<u32>")]
    pub(crate) end_line: u32,
    /// What it does, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DependencyGraph {
    /// Symbols that the edges are between.
    pub(crate) symbols: u64,
    /// Edges, by qualified name. Missing where `content` has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) edges: Vec<NamedEdge>,
    /// Clusters that the key symbols belong to, largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) clusters: Vec<String>,
    /// Names of symbols just outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) frontier: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NamedEdge {
    /// Qualified name of the source.
    pub(crate) from: String,
    /// Qualified name of the target.
    pub(crate) to: String,
    /// `call`, `implements`, `config`, `import` or `ref`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Touched {
    /// Path of the file.
    pub(crate) file: String,
    /// How many of the key symbols it has.
    pub(crate) symbols: u64,
    /// Commits that touched it in the last 30 days.
    #[serde(rename = "churn30d", skip_serializing_if = "Option::is_none")]
    pub(crate) churn: Option<u32>,
}

/// Gathers the symbols around the seeds of `request`, for an answer of about `tokens`.
pub(crate) fn gather_briefing(
    cx: &ReadCx<'_>,
    mut request: SliceRequest,
    tokens: usize,
) -> Result<Briefing, ToolError> {
    // A key symbol takes about 60 tokens.
    request.budget = Budget {
        max_cards: (tokens / 60).clamp(5, 60) as u32,
        max_estimated_tokens: budget::MOST_TOKENS as u32,
    };
    request.card_detail = Some(Detail::Signature);
    // All of them come before anything else, so no more than there are cards.
    request.entry_symbols.truncate(request.budget.max_cards as usize);
    let enrichment = cx.repo.enrichment(cx.snapshot);
    let near = Neighbourhood::of(cx.source, &request, enrichment.as_ref())
        .map_err(|error| symbols::found_nothing(cx, error, &["query"]))?;
    slices::note_missed(cx, &near);
    let members = ordered_members(cx, &near, &request.entry_symbols)?;
    let mut found = Vec::new();
    for &member in &members {
        found.extend(near.card(member)?);
    }
    cx.call.check()?;
    let mut briefing = Briefing::default();
    let mut names: HashMap<SymbolId, &str> = HashMap::new();
    let mut files: Vec<(&str, u64)> = Vec::new();
    let mut clusters: BTreeMap<String, u64> = BTreeMap::new();
    for found in &found {
        names.insert(found.symbol_id, &found.qualified_name);
        match files.iter_mut().find(|(file, _)| *file == found.file) {
            Some((_, count)) => *count += 1,
            None => files.push((&found.file, 1)),
        }
        if let Some(cluster) =
            RelPath::new(&found.file).map_or(Ok(None), |path| enrichment.cluster(FileId::of(&path)))?
        {
            *clusters.entry(cluster).or_default() += 1;
        }
        briefing.key_symbols.push(KeySymbol {
            symbol_id: found.symbol_id.to_string(),
            signature: card::signature_line(found),
            kind: found.kind.name().to_owned(),
            file: found.file.clone(),
            line: found.range.start_line,
            end_line: found.range.end_line,
            summary: found.summary.clone(),
        });
    }
    let edges = near.edges(&members)?;
    let edges = edges.iter().filter_map(|edge| {
        Some(NamedEdge {
            from: (*names.get(&edge.from)?).to_owned(),
            to: (*names.get(&edge.to)?).to_owned(),
            kind: edge.kind.name().to_owned(),
        })
    });
    briefing.dependency_graph = DependencyGraph {
        symbols: found.len() as u64,
        edges: edges.take(MOST_EDGES).collect(),
        clusters: most_first(clusters).into_iter().map(|(cluster, _)| cluster).take(5).collect(),
        frontier: near.frontier(MOST_FRONTIER)?,
    };
    let full = CardOptions { detail: Detail::Full, ..CardOptions::default() };
    for found in found.iter().take(MOST_WEIGHED) {
        cx.call.check()?;
        let Some(sym) = cx.source.symbol(found.symbol_id)? else { continue };
        let card = card::card_of(cx.source, &sym, full, enrichment.as_ref())?;
        briefing.risk_areas.extend(risk::symbol_risk(&card, sym.is_test()));
    }
    briefing.risk_areas.sort_by_key(|risk| std::cmp::Reverse(risk.score));
    let touched = |(file, symbols): (&str, u64)| Touched {
        churn: enrichment.churn_30d(file),
        file: file.to_owned(),
        symbols,
    };
    briefing.files_touched = files.into_iter().map(touched).collect();
    Ok(briefing)
}

/// Returns the members of a briefing: the starts in the order in which they were chosen, then the others, then tests. Of
/// tests few stay, unless the briefing starts from one.
fn ordered_members(
    cx: &ReadCx<'_>,
    near: &Neighbourhood<'_>,
    starts: &[SymbolId],
) -> Result<Vec<SymbolId>, ToolError> {
    let test = |id| Ok::<_, ToolError>(cx.source.symbol(id)?.is_some_and(|sym| sym.is_test()));
    let (Some(first), mut members) = (starts.first(), near.members().collect::<Vec<_>>()) else {
        return Ok(near.members().collect());
    };
    let place = |id: &SymbolId| starts.iter().position(|start| start == id).unwrap_or(starts.len());
    members.sort_by_key(place);
    if test(*first)? {
        return Ok(members);
    }
    let mut tests = Vec::new();
    let mut others = Vec::new();
    for id in members {
        if test(id)? { tests.push(id) } else { others.push(id) }
    }
    others.extend(tests.into_iter().take(MOST_TESTS));
    Ok(others)
}

/// Sorts counted things, highest count first; equal ones by name.
fn most_first<K: Ord>(counts: BTreeMap<K, u64>) -> Vec<(K, u64)> {
    let mut counts: Vec<(K, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl Briefing {
    /// Returns the briefing without the parts that its text form has: only ids, scores and counts.
    pub(crate) fn referred(&self) -> Self {
        let symbol =
            |symbol: &KeySymbol| KeySymbol { symbol_id: symbol.symbol_id.clone(), ..KeySymbol::default() };
        let risk = |risk: &Risk| Risk { name: String::new(), reasons: Vec::new(), ..risk.clone() };
        Self {
            key_symbols: self.key_symbols.iter().map(symbol).collect(),
            dependency_graph: DependencyGraph {
                symbols: self.dependency_graph.symbols,
                ..DependencyGraph::default()
            },
            risk_areas: self.risk_areas.iter().map(risk).collect(),
            files_touched: Vec::new(),
        }
    }

    /// Drops the last eighth of the list that is longest relative to its usefulness. Returns how many entries were
    /// dropped; none if nothing can be dropped any more. One key symbol stays.
    pub(crate) fn shorten(&mut self) -> Option<usize> {
        let graph = &mut self.dependency_graph;
        let sizes = [
            self.key_symbols.len().saturating_sub(1),
            graph.edges.len(),
            3 * self.risk_areas.len(),
            2 * self.files_touched.len(),
            2 * graph.frontier.len(),
            graph.clusters.len(),
        ];
        let (largest, size) = sizes.into_iter().enumerate().max_by_key(|(i, size)| (*size, *i))?;
        if size == 0 {
            return None;
        }
        fn cut<T>(list: &mut Vec<T>) -> usize {
            let gone = list.len().div_ceil(8);
            list.truncate(list.len() - gone);
            gone
        }
        Some(match largest {
            0 => cut(&mut self.key_symbols),
            1 => cut(&mut graph.edges),
            2 => cut(&mut self.risk_areas),
            3 => cut(&mut self.files_touched),
            4 => cut(&mut graph.frontier),
            _ => cut(&mut graph.clusters),
        })
    }
}
