//! A neighbourhood and a budget to a slice.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sdl_model::ids::stable_hash;
use sdl_model::{EdgeKind, SymbolId};
use serde_json::Value;

use super::SliceRequest;
use super::expand::{LEAST, Reached};
use super::levels::{self, Levels};
use super::types::{BuiltSlice, FrontierItem, SliceDoc, SliceEdge, Truncation};
use crate::card::{self, Card, CardOptions, CardRef, Detail, Enrichment, etag_covers};
use crate::numbers::{Milli, Percent};
use crate::{Result, Source, wire};

/// A slice is full when less than this part of the budget is left.
const NEARLY: u32 = 40;
/// Bytes of cards as they stand that hardly any wire format makes less than a token of.
const BYTES: usize = 12;
/// Symbols of the frontier that are shown.
const MOST_FRONTIER: usize = 8;

/// Builds slices of different sizes out of one neighbourhood; cards are built once.
pub(super) struct Assembler<'a> {
    source: &'a Source<'a>,
    request: &'a SliceRequest,
    enrichment: &'a dyn Enrichment,
    /// Everything that was reached, best first.
    reached: &'a [Reached],
    /// How many of those are worth a card.
    wanted: usize,
    cards: RefCell<HashMap<(SymbolId, Detail), Rc<Card>>>,
}

/// One size of slice.
struct Draft {
    doc: SliceDoc,
    json: Value,
    tokens: u32,
}

impl<'a> Assembler<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        request: &'a SliceRequest,
        enrichment: &'a dyn Enrichment,
        reached: &'a [Reached],
    ) -> Self {
        let wanted = reached.iter().take_while(|one| one.forced || one.seed || one.score >= LEAST).count();
        Self { source, request, enrichment, reached, wanted, cards: RefCell::default() }
    }

    /// The largest slice that keeps the budget.
    pub(super) fn assemble(&self) -> Result<BuiltSlice> {
        let most = self.wanted.min(self.request.budget.max_cards as usize);
        let limit = self.request.budget.max_estimated_tokens;
        let mut wholes = Vec::new();
        // Everything, as telling as it fits.
        for levels in levels::choices(self.request) {
            let plenty = self.plenty(most, levels)?;
            let mut whole = (plenty, self.draft(plenty, levels)?);
            if whole.1.tokens <= limit && plenty < most {
                whole = (most, self.draft(most, levels)?);
            }
            let (count, draft) = whole;
            if draft.tokens <= limit {
                return self.finish(count, draft);
            }
            wholes.push((levels, (count, draft.tokens)));
        }
        // Otherwise fewer cards: by the middle plan, unless the tersest brings half as many again.
        let middle = wholes.get(1).or(wholes.first()).copied();
        let tersest = wholes.get(2).copied();
        let mut best = match middle {
            Some((levels, whole)) => self.largest(levels, whole)?,
            None => None,
        };
        if let Some((levels, whole)) = tersest
            && best.as_ref().is_none_or(|(count, _)| *count * 3 / 2 < most)
            && let Some(more) = self.largest(levels, whole)?
            && best.as_ref().is_none_or(|(count, _)| more.0 > *count * 3 / 2)
        {
            best = Some(more);
        }
        let (count, draft) = match best {
            Some(best) => best,
            None => (0, self.draft(0, Levels::terse())?),
        };
        self.finish(count, draft)
    }

    /// So many cards that they take more than the budget, by a rough count that hardly takes them for more than they are;
    /// `most` if that many do not. Counting tokens exactly costs more than all else, so it is not done for twice the budget.
    fn plenty(&self, most: usize, levels: Levels) -> Result<usize> {
        let limit = self.request.budget.max_estimated_tokens as usize * BYTES;
        let mut bytes = 0;
        for (count, one) in self.reached.iter().take(most).enumerate() {
            if bytes > limit {
                return Ok(count);
            }
            if let Some(card) = self.card(one, levels.of(one))? {
                bytes += serde_json::to_vec(&*card)?.len();
            }
        }
        Ok(most)
    }

    /// The most cards whose slice fits, and that slice; none if not even one does. `whole` is a number of cards that do
    /// not, and what they take.
    fn largest(&self, levels: Levels, whole: (usize, u32)) -> Result<Option<(usize, Draft)>> {
        let limit = self.request.budget.max_estimated_tokens;
        let (mut low, mut high) = ((0, 0), whole);
        let mut fitting = None;
        let mut by_share = false;
        while low.0 + 1 < high.0 {
            // Where it would fit if all cards between were alike, and every other time the middle, which always halves.
            by_share = !by_share;
            let span = f64::from(high.1.saturating_sub(low.1).max(1));
            let share = if by_share { f64::from(limit.saturating_sub(low.1)) / span } else { 0.5 };
            let at = low.0 + ((high.0 - low.0) as f64 * share) as usize;
            let at = at.clamp(low.0 + 1, high.0 - 1);
            let draft = self.draft(at, levels)?;
            if draft.tokens > limit {
                high = (at, draft.tokens);
                continue;
            }
            low = (at, draft.tokens);
            // What is left would hardly hold another card.
            let full = draft.tokens + limit / NEARLY > limit;
            fitting = Some((at, draft));
            if full {
                break;
            }
        }
        Ok(fitting)
    }

    fn draft(&self, count: usize, levels: Levels) -> Result<Draft> {
        let chosen = self.reached.get(..count).unwrap_or(self.reached);
        let mut doc = SliceDoc::default();
        for one in chosen {
            let detail = levels.of(one);
            let Some(card) = self.card(one, detail)? else { continue };
            let held = self.request.known_card_etags.get(&one.symbol);
            if held.is_some_and(|held| etag_covers(held, &card.etag)) {
                let etag = card.etag.clone();
                doc.card_refs.push(CardRef { symbol_id: card.symbol_id, etag, range: card.range });
            } else {
                doc.cards.push(Card::clone(&card));
            }
        }
        doc.edges = self.edges(chosen)?;
        doc.sort_edges();
        doc.frontier = self.frontier(count)?;
        let json = settle(&mut doc, self.request)?;
        Ok(Draft { tokens: doc.estimated_tokens, doc, json })
    }

    /// None for a symbol whose file's facts are gone, which the ledger's own check reports.
    fn card(&self, one: &Reached, detail: Detail) -> Result<Option<Rc<Card>>> {
        if let Some(card) = self.cards.borrow().get(&(one.symbol, detail)) {
            return Ok(Some(Rc::clone(card)));
        }
        let Some(sym) = self.source.symbol(one.symbol)? else { return Ok(None) };
        let options = CardOptions {
            detail,
            min_call_confidence: self.request.min_call_confidence,
            resolution_metadata: self.request.resolution_metadata,
        };
        let mut card = card::card_of(self.source, &sym, options, self.enrichment)?;
        // The answer says it once.
        card.ledger_version = None;
        let card = Rc::new(card);
        self.cards.borrow_mut().insert((one.symbol, detail), Rc::clone(&card));
        Ok(Some(card))
    }

    /// The edges between chosen symbols, those of the best first.
    fn edges(&self, chosen: &[Reached]) -> Result<Vec<SliceEdge>> {
        let inside: HashSet<SymbolId> = chosen.iter().map(|one| one.symbol).collect();
        let mut edges = Vec::new();
        for one in chosen {
            for edge in self.source.view().out_edges(one.symbol)? {
                let sure = edge.confidence >= self.request.min_confidence
                    && (edge.kind != EdgeKind::Call || edge.confidence >= self.request.min_call_confidence);
                if sure && edge.kind != EdgeKind::Ref && edge.to != one.symbol && inside.contains(&edge.to) {
                    edges.push(SliceEdge {
                        from: one.symbol,
                        to: edge.to,
                        kind: edge.kind,
                        confidence: Percent(edge.confidence),
                        resolution: edge.resolution,
                    });
                }
            }
        }
        Ok(edges)
    }

    fn frontier(&self, count: usize) -> Result<Vec<FrontierItem>> {
        let small = self.request.budget.max_estimated_tokens < 1_500;
        let most = if small { MOST_FRONTIER / 2 } else { MOST_FRONTIER };
        let mut items = Vec::with_capacity(most);
        for one in self.reached.get(count..).unwrap_or_default().iter().take(most) {
            let Some(sym) = self.source.listed(one.symbol)? else { continue };
            items.push(FrontierItem {
                symbol_id: one.symbol,
                name: sym.qualified().to_owned(),
                file: sym.path().to_owned(),
                score: Milli::of((f64::from(one.score) * 100.0).round() / 100.0),
            });
        }
        Ok(items)
    }

    fn finish(&self, count: usize, draft: Draft) -> Result<BuiltSlice> {
        let Draft { doc, json, tokens } = draft;
        let dropped = self.reached.get(count..self.wanted).unwrap_or_default();
        let spilled: Vec<SymbolId> = dropped.iter().map(|one| one.symbol).collect();
        let truncation = if dropped.is_empty() { None } else { Some(self.truncation(count, &spilled)?) };
        let hash = stable_hash(&[serde_json::to_string(&doc)?.as_bytes()]);
        Ok(BuiltSlice {
            version: self.source.view().version(),
            doc,
            json,
            tokens,
            truncation,
            spilled,
            evidence: None,
            hash: format!("{hash:016x}"),
        })
    }

    fn truncation(&self, count: usize, spilled: &[SymbolId]) -> Result<Truncation> {
        let outside: HashSet<SymbolId> = spilled.iter().copied().collect();
        let mut dropped_edges = 0;
        for one in self.reached.get(..count).unwrap_or_default() {
            let edges = self.source.view().out_edges(one.symbol)?;
            dropped_edges += edges.iter().filter(|edge| outside.contains(&edge.to)).count() as u32;
        }
        Ok(Truncation { truncated: true, dropped_cards: spilled.len() as u32, dropped_edges })
    }
}

/// Writes the slice with the number of its own tokens in it. That number stands alone, between signs, and so counts one
/// token for every three digits, whatever is before and after it.
fn settle(doc: &mut SliceDoc, request: &SliceRequest) -> Result<Value> {
    doc.estimated_tokens = 0;
    let mut json = wire::encode(doc, request.wire_format)?;
    let others = sdl_tokens::count(&serde_json::to_string(&json)?) as u32 - 1;
    let with_itself = |digits: u32| others + digits;
    let mut tokens = with_itself(1);
    while tokens != with_itself(groups(tokens)) {
        tokens = with_itself(groups(tokens));
    }
    doc.estimated_tokens = tokens;
    if let Some(field) = json.get_mut("estimatedTokens") {
        *field = tokens.into();
    }
    Ok(json)
}

/// How many groups of three digits a number has.
fn groups(number: u32) -> u32 {
    number.checked_ilog10().map_or(1, |log| log / 3 + 1)
}
