//! The seeds of a request and their neighbourhood, from which slices of any size are cut.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sdl_model::{Edge, EdgeKind, Resolution, SymbolId};

use super::expand::{self, LEAST, Reached};
use super::levels::Levels;
use super::seeds;
use super::types::{BuiltSlice, SliceEdge, sort_edges};
use super::{Link, SliceRequest};
use crate::card::{Card, CardOptions, Detail, Enrichment, Opened, etag_covers};
use crate::numbers::Percent;
use crate::{Evidence, Missed, Result, Source, UserError, members};

/// The number of best symbols whose edges are all important.
const BEST: usize = 5;
/// The confidence of relations that a file's own text states, in percent.
const SURE: u8 = 100;

/// The symbols relevant to a request, best first. Everything read about a symbol is read once.
pub struct Neighbourhood<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) request: &'a SliceRequest,
    enrichment: &'a dyn Enrichment,
    /// Everything that was reached, best first.
    pub(super) reached: Vec<Reached>,
    /// The highest level of each card, if there is room for all.
    pub(super) most_told: Vec<Detail>,
    /// The number of those that are worth a card.
    pub(super) wanted: usize,
    /// Whether the search stopped at its limit, so that more symbols could be reached.
    pub(super) stopped: bool,
    evidence: Evidence,
    opened: RefCell<HashMap<SymbolId, Option<Rc<Opened>>>>,
    cards: RefCell<HashMap<(SymbolId, Detail), Rc<Card>>>,
    owners: RefCell<HashMap<SymbolId, Option<SymbolId>>>,
}

impl<'a> Neighbourhood<'a> {
    /// Finds the symbols relevant to a request.
    pub fn of(
        source: &'a Source<'a>,
        request: &'a SliceRequest,
        enrichment: &'a dyn Enrichment,
    ) -> Result<Self> {
        let mut evidence = Evidence::default();
        let seeds = seeds::collect_seeds(source, request, &mut evidence)?;
        if seeds.is_empty() {
            return Err(UserError::NoSeeds.into());
        }
        // Beyond the cards there must be enough symbols for the frontier and the spillover.
        let most = request.budget.max_cards.min(super::MAX_CARDS) as usize * 2 + 32;
        let (reached, stopped) = expand::expand_seeds(source, &seeds, request, most.max(seeds.len()))?;
        let stopped = stopped || evidence.limited;
        Ok(Self { stopped, evidence, ..Self::around(source, request, enrichment, reached) })
    }

    pub(super) fn around(
        source: &'a Source<'a>,
        request: &'a SliceRequest,
        enrichment: &'a dyn Enrichment,
        reached: Vec<Reached>,
    ) -> Self {
        let wanted = reached.iter().take_while(|one| one.forced || one.seed || one.score >= LEAST).count();
        let most_told = Levels::of(request).most_told(&reached);
        Self {
            source,
            request,
            enrichment,
            reached,
            most_told,
            wanted,
            stopped: false,
            evidence: Evidence::default(),
            opened: RefCell::default(),
            cards: RefCell::default(),
            owners: RefCell::default(),
        }
    }

    /// The largest slice of at most `max_tokens` tokens. A slice without any card may have more.
    pub fn slice(&self, max_tokens: u32) -> Result<BuiltSlice> {
        let mut slice = super::assemble::assemble_slice(self, max_tokens)?;
        slice.evidence = self.request.evidence.then(|| self.evidence.clone());
        Ok(slice)
    }

    /// Parts of the request that nothing was found for, although others were found.
    pub fn missed(&self) -> &[Missed] {
        &self.evidence.missed
    }

    /// The maximum number of symbols in a slice.
    pub fn most(&self) -> usize {
        self.wanted.min(self.request.budget.max_cards as usize)
    }

    /// Those symbols, best first.
    pub fn members(&self) -> impl Iterator<Item = SymbolId> {
        self.reached.iter().take(self.most()).map(|one| one.symbol)
    }

    /// The names of symbols just outside, best first.
    pub fn frontier(&self, most: usize) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for one in self.reached.iter().skip(self.most()).take(most) {
            names.extend(self.source.listed(one.symbol)?.map(|sym| sym.qualified().to_owned()));
        }
        Ok(names)
    }

    /// The card of a member in the highest level that the request allows. None for a symbol whose file's facts are
    /// gone, which the ledger's own check reports.
    pub fn card(&self, member: SymbolId) -> Result<Option<Rc<Card>>> {
        match self.most_told_of(member) {
            Some(most) => self.card_at(member, most),
            None => Ok(None),
        }
    }

    /// A member's card at the lowest level.
    pub fn brief(&self, member: SymbolId) -> Result<Option<Rc<Card>>> {
        self.card_at(member, Detail::Minimal)
    }

    /// The etag of a member's card, if the client holds one that can replace it.
    pub fn held(&self, member: SymbolId) -> Result<Option<String>> {
        if self.request.known_card_etags.is_empty() {
            return Ok(None);
        }
        let Some(most) = self.most_told_of(member) else { return Ok(None) };
        self.held_at(member, most)
    }

    fn most_told_of(&self, member: SymbolId) -> Option<Detail> {
        let place = self.reached.iter().position(|one| one.symbol == member)?;
        self.most_told.get(place).copied()
    }

    pub(super) fn held_at(&self, symbol: SymbolId, detail: Detail) -> Result<Option<String>> {
        let Some(held) = self.request.known_card_etags.get(&symbol) else { return Ok(None) };
        let etag = self.opened(symbol)?.map(|opened| opened.etag(detail));
        Ok(etag.filter(|etag| etag_covers(held, etag)))
    }

    pub(super) fn card_at(&self, symbol: SymbolId, detail: Detail) -> Result<Option<Rc<Card>>> {
        if let Some(card) = self.cards.borrow().get(&(symbol, detail)) {
            return Ok(Some(Rc::clone(card)));
        }
        let Some(opened) = self.opened(symbol)? else { return Ok(None) };
        let options = CardOptions {
            detail,
            min_call_confidence: self.request.min_call_confidence,
            resolution_metadata: self.request.resolution_metadata,
        };
        let mut card = opened.card(self.source, options, self.enrichment)?;
        // The answer states it once.
        card.ledger_version = None;
        let card = Rc::new(card);
        self.cards.borrow_mut().insert((symbol, detail), Rc::clone(&card));
        Ok(Some(card))
    }

    fn opened(&self, symbol: SymbolId) -> Result<Option<Rc<Opened>>> {
        if let Some(known) = self.opened.borrow().get(&symbol) {
            return Ok(known.clone());
        }
        let sym = self.source.symbol(symbol)?;
        let opened = sym.map(|sym| Opened::of(self.source, sym)).transpose()?.map(Rc::new);
        self.opened.borrow_mut().insert(symbol, opened.clone());
        Ok(opened)
    }

    /// A member's outgoing edges.
    pub(super) fn each_edge(&self, symbol: SymbolId, mut each: impl FnMut(&Edge)) -> Result<()> {
        if let Some(opened) = self.opened(symbol)? {
            opened.edges.iter().for_each(&mut each);
        }
        Ok(())
    }

    /// The edges between some members, in the order in which slices have them.
    pub fn edges(&self, members: &[SymbolId]) -> Result<Vec<SliceEdge>> {
        let mut edges = self.edges_where(members, |_, _| true)?;
        sort_edges(&mut edges, members.iter().copied());
        Ok(edges)
    }

    /// The most important edges between the first `count` reached symbols: those of the best, and those by which a
    /// symbol was reached. The others connect symbols that words point to independently.
    pub(super) fn telling_edges(&self, count: usize) -> Result<Vec<SliceEdge>> {
        let chosen = self.reached.get(..count).unwrap_or(&self.reached);
        let guessed =
            chosen.iter().enumerate().filter(|(place, one)| *place >= BEST && one.seed && !one.forced);
        let guessed: HashSet<SymbolId> = guessed.map(|(_, one)| one.symbol).collect();
        let members: Vec<SymbolId> = chosen.iter().map(|one| one.symbol).collect();
        self.edges_where(&members, |from, to| !guessed.contains(&from) || !guessed.contains(&to))
    }

    fn edges_where(
        &self,
        members: &[SymbolId],
        keep: impl Fn(SymbolId, SymbolId) -> bool,
    ) -> Result<Vec<SliceEdge>> {
        let inside: HashSet<SymbolId> = members.iter().copied().collect();
        let mut edges = Vec::new();
        for &from in members {
            self.each_edge(from, |edge| {
                let link = Link::Edge(edge.kind);
                let sure = self.request.follows(link, edge.confidence);
                let between = edge.to != from && inside.contains(&edge.to);
                if sure && between && edge.kind != EdgeKind::Ref && keep(from, edge.to) {
                    edges.push(SliceEdge {
                        from,
                        to: edge.to,
                        kind: link,
                        confidence: Percent(edge.confidence),
                        resolution: edge.resolution,
                    });
                }
            })?;
        }
        for &to in members.iter().filter(|_| self.request.follows(Link::Member, SURE)) {
            let Some(from) = self.owner(to)?.filter(|owner| inside.contains(owner)) else { continue };
            if keep(from, to) {
                edges.push(SliceEdge {
                    from,
                    to,
                    kind: Link::Member,
                    confidence: Percent(SURE),
                    resolution: Resolution::Exact,
                });
            }
        }
        Ok(edges)
    }

    /// The type that a symbol is a member of.
    fn owner(&self, symbol: SymbolId) -> Result<Option<SymbolId>> {
        if let Some(known) = self.owners.borrow().get(&symbol) {
            return Ok(*known);
        }
        let owner = match self.opened(symbol)? {
            Some(opened) => members::member_owner(self.source, &opened.sym)?.map(|owner| owner.id),
            None => None,
        };
        self.owners.borrow_mut().insert(symbol, owner);
        Ok(owner)
    }
}
