//! Gathers edges: several sites with the same source, target and kind are one.

use std::rc::Rc;

use sdl_ledger::ResolutionCounts;
use sdl_model::facts::DefIx;
use sdl_model::{Edge, EdgeKind, Lang, SymbolId, SymbolKind};

use crate::confidence;
use crate::hash::NumberMap;
use crate::strategies::{self, Rule};
use crate::world::FileIndex;

/// The edges of one file in the making.
pub(super) struct Edges {
    file: Rc<FileIndex>,
    lang: Lang,
    found: NumberMap<(DefIx, SymbolId, EdgeKind), Edge>,
    /// How references came out.
    pub(super) counts: ResolutionCounts,
}

impl Edges {
    pub(super) fn new(file: Rc<FileIndex>, lang: Lang) -> Self {
        Self { file, lang, found: NumberMap::default(), counts: ResolutionCounts::default() }
    }

    /// Adds an edge from the symbol around `scope`, made at `line`.
    pub(super) fn add(&mut self, scope: DefIx, to: SymbolId, kind: EdgeKind, rule: &Rule, line: u32) {
        let Some(source) = self.file.enclosing(scope, |kind| kind != SymbolKind::Impl) else { return };
        let Some(def) = self.file.outline.def(source) else { return };
        if kind != EdgeKind::Call && self.file.symbol(source) == Some(to) {
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
        let known = self.found.entry((source, to, kind)).or_insert(Edge { sites: 0, ..edge });
        known.sites = known.sites.saturating_add(1);
        known.line_offset = known.line_offset.min(edge.line_offset);
        // Which rule is named does not depend on what was measured; the edge is as sure as the surest of them.
        let order = |edge: &Edge| (edge.resolution, strategies::rule_order(edge.strategy));
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
