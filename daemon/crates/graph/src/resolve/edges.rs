//! Gathers edges: several sites with the same source, target and kind are one.

use std::rc::Rc;

use sdl_ledger::ResolutionCounts;
use sdl_model::facts::DefIx;
use sdl_model::{Edge, EdgeKind, Lang, SymbolId, SymbolKind};

use crate::confidence;
use crate::hash::NumberMap;
use crate::strategies::{self, Rule};
use crate::world::{Counted, FileIndex, KeptEdge};

/// The place of a mention in the file.
#[derive(Clone, Copy)]
pub(super) struct Mention {
    /// Its line.
    pub(super) line: u32,
    /// The byte offset of the name. None where the facts state only the line.
    pub(super) at: Option<u32>,
}

impl Mention {
    /// One of which only the line is known.
    pub(super) fn of_line(line: u32) -> Self {
        Self { line, at: None }
    }
}

/// One place where a file refers to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The line of the mention, from 1.
    pub line: u32,
    /// The byte offset of the name. None for bases and imports.
    pub at: Option<u32>,
    /// The source of the edge: the symbol around the mention.
    pub from: SymbolId,
    /// The edge that this mention makes alone, such as one call of several.
    pub edge: Edge,
}

/// The edges of one file in the making.
pub(super) struct Edges {
    file: Rc<FileIndex>,
    lang: Lang,
    found: NumberMap<(DefIx, SymbolId, EdgeKind), Edge>,
    /// Each mention on its own, where they are asked for.
    sites: Option<Vec<Site>>,
    /// The mentions of a symbol inside itself, which are no edges.
    within: Vec<Site>,
    /// The edges as they were added since they were last taken, if somebody wants them.
    added: Option<Vec<KeptEdge>>,
    /// How references came out.
    counts: ResolutionCounts,
}

impl Edges {
    pub(super) fn new(file: Rc<FileIndex>, lang: Lang) -> Self {
        Self {
            file,
            lang,
            found: NumberMap::default(),
            sites: None,
            within: Vec::new(),
            added: None,
            counts: ResolutionCounts::default(),
        }
    }

    /// The same, with each mention on its own.
    pub(super) fn with_sites(self) -> Self {
        Self { sites: Some(Vec::new()), ..self }
    }

    /// The mentions, in the order in which they were resolved.
    pub(super) fn take_sites(&mut self) -> Vec<Site> {
        self.sites.take().unwrap_or_default()
    }

    /// The mentions of symbols inside themselves.
    pub(super) fn take_within(&mut self) -> Vec<Site> {
        std::mem::take(&mut self.within)
    }

    /// Logs the edges that are added from here on.
    pub(super) fn log_added(&mut self) {
        self.added = Some(Vec::new());
    }

    /// The edges that were added since the last time.
    pub(super) fn take_added(&mut self) -> Vec<KeptEdge> {
        self.added.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Counts a reference.
    pub(super) fn count(&mut self, counted: Counted) {
        *match counted {
            Counted::Exact => &mut self.counts.exact,
            Counted::Inferred => &mut self.counts.inferred,
            Counted::Ambiguous => &mut self.counts.ambiguous,
            Counted::External => &mut self.counts.external,
            Counted::Unresolved => &mut self.counts.unresolved,
        } += 1;
    }

    /// Adds an edge from the symbol around `scope`, made by a mention.
    pub(super) fn add(
        &mut self,
        scope: DefIx,
        to: SymbolId,
        kind: EdgeKind,
        rule: &'static Rule,
        mention: Mention,
    ) {
        if let Some(added) = &mut self.added {
            added.push(KeptEdge { scope, to, kind, rule });
        }
        let line = mention.line;
        let Some(source) = self.file.enclosing(scope, |kind| kind != SymbolKind::Impl) else { return };
        let Some(def) = self.file.outline.def(source) else { return };
        let is_within = kind != EdgeKind::Call && self.file.symbol(source) == Some(to);
        if is_within && self.sites.is_none() {
            return;
        }
        let edge = Edge {
            to,
            kind,
            resolution: rule.resolution,
            strategy: rule.strategy(),
            confidence: confidence::measured_precision(rule.strategy(), self.lang),
            line_offset: line.saturating_sub(def.span.start_line),
            sites: 1,
        };
        if let (Some(sites), Some(from)) = (&mut self.sites, self.file.symbol(source)) {
            let site = Site { line, at: mention.at, from, edge };
            if is_within {
                self.within.push(site);
                return;
            }
            sites.push(site);
        }
        let known = self.found.entry((source, to, kind)).or_insert(Edge { sites: 0, ..edge });
        known.sites = known.sites.saturating_add(1);
        known.line_offset = known.line_offset.min(edge.line_offset);
        // Which rule is named does not depend on what was measured; the edge is as sure as the surest of them.
        let order = |edge: &Edge| strategies::rule_order(edge.resolution, edge.strategy);
        if order(&edge) < order(known) {
            known.resolution = edge.resolution;
            known.strategy = edge.strategy;
        }
        known.confidence = known.confidence.max(edge.confidence);
    }

    /// All edges by source, sorted, and the counts.
    pub(super) fn finish(self) -> (Vec<(SymbolId, Vec<Edge>)>, ResolutionCounts) {
        let mut all: Vec<(SymbolId, Edge)> = self
            .found
            .into_iter()
            .filter_map(|((source, ..), edge)| Some((self.file.symbol(source)?, edge)))
            .collect();
        all.sort_unstable();
        let mut edges: Vec<(SymbolId, Vec<Edge>)> = Vec::new();
        for (source, edge) in all {
            match edges.last_mut() {
                Some((last, list)) if *last == source => list.push(edge),
                _ => edges.push((source, vec![edge])),
            }
        }
        (edges, self.counts)
    }
}
