//! The answer of a refresh for a slice that changed.

use std::collections::BTreeMap;

use sdl_model::{SymbolId, Version};
use serde::ser::SerializeTuple;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::compare::Differences;
use super::lease::Lease;
use crate::card::{self, CardOptions, Detail, Enrichment, Range, symbol_range};
use crate::diff::{Change, ChangedSymbol, Delta};
use crate::{Result, Source, Sym};

/// A delta limited to a slice, with the symbols that did not fit.
#[derive(Clone, Debug)]
pub struct RefreshDelta {
    /// The delta.
    pub delta: Delta,
    /// Held cards whose content is unchanged but whose lines moved.
    pub moved_cards: Vec<MovedCards>,
    /// Changed symbols whose cards did not fit the budget. The spillover handle serves them.
    pub spilled: Vec<SymbolId>,
    /// Exact tokens of [`RefreshDelta::to_object`], serialized.
    pub tokens: u32,
}

/// The cards of one file that only moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedCards {
    /// The file.
    pub file: String,
    /// The current place of each card's symbol.
    pub ranges: Vec<MovedCard>,
}

/// The current place of a symbol. Written as `[symbolId, startLine, endLine]`, followed by the columns of its range if
/// the client's cards have columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedCard {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its range.
    pub range: Range,
}

impl Serialize for MovedCard {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Range { start_line, start_col, end_line, end_col } = self.range;
        let columns = start_col.zip(end_col);
        let mut tuple = serializer.serialize_tuple(if columns.is_some() { 5 } else { 3 })?;
        tuple.serialize_element(&self.symbol.to_string())?;
        tuple.serialize_element(&start_line)?;
        tuple.serialize_element(&end_line)?;
        if let Some((start, end)) = columns {
            tuple.serialize_element(&start)?;
            tuple.serialize_element(&end)?;
        }
        tuple.end()
    }
}

impl RefreshDelta {
    /// Its fields on the wire.
    pub fn to_object(&self) -> Result<Map<String, Value>> {
        let Value::Object(mut object) = serde_json::to_value(&self.delta)? else { return Ok(Map::new()) };
        if !self.moved_cards.is_empty() {
            object.insert("movedCards".to_owned(), serde_json::to_value(&self.moved_cards)?);
        }
        Ok(object)
    }

    fn count(&self) -> Result<usize> {
        Ok(sdl_tokens::count_tokens(&serde_json::to_string(&self.to_object()?)?))
    }
}

/// Moved symbols, by file. `detail` is that of the client's cards.
pub(super) fn moved_cards(moved: &[Sym], detail: Detail) -> Vec<MovedCards> {
    let mut files: Vec<MovedCards> = Vec::new();
    for sym in moved {
        let card = MovedCard { symbol: sym.id, range: symbol_range(sym, detail) };
        match files.last_mut().filter(|last| last.file == sym.path()) {
            Some(last) => last.ranges.push(card),
            None => files.push(MovedCards { file: sym.path().to_owned(), ranges: vec![card] }),
        }
    }
    files
}

/// A delta with every card that it could have.
#[derive(Debug)]
pub(super) struct FoundDelta {
    /// Without cards: each symbol that has one has its etag.
    bare: RefreshDelta,
    /// By place among the changed symbols, with its tokens.
    cards: BTreeMap<usize, (card::Card, usize)>,
    /// Tokens of `bare`.
    tokens: usize,
}

/// The changed symbols with their cards.
pub(super) fn with_cards(
    source: &Source<'_>,
    delta: Delta,
    differences: &Differences,
    lease: &Lease,
    enrichment: &dyn Enrichment,
) -> Result<FoundDelta> {
    let detail = lease.request.card_detail.unwrap_or(Detail::Compact);
    let options = CardOptions {
        detail,
        min_call_confidence: lease.request.min_call_confidence,
        resolution_metadata: lease.request.resolution_metadata,
    };
    let moved_cards = moved_cards(&differences.moved, detail);
    let mut bare = RefreshDelta { delta, moved_cards, spilled: Vec::new(), tokens: 0 };
    let mut cards = BTreeMap::new();
    for (place, change) in differences.changed.iter().enumerate() {
        let mut told: ChangedSymbol = Change::to_wire(change);
        if let Some(sym) = &change.new {
            let mut card = card::card_of(source, sym, options, enrichment)?;
            card.ledger_version = None;
            told.etag = Some(card.etag.clone());
            let tokens = sdl_tokens::count_tokens(&serde_json::to_string(&card)?) + 4;
            cards.insert(place, (card, tokens));
        }
        bare.delta.changed_symbols.push(told);
    }
    let tokens = bare.count()?;
    Ok(FoundDelta { bare, cards, tokens })
}

impl FoundDelta {
    /// Records the versions that were compared.
    pub(super) fn set_versions(&mut self, from: Version, to: Version) {
        (self.bare.delta.from_version, self.bare.delta.to_version) = (from, to);
    }

    /// The delta with as many cards as fit; the other symbols keep their etags. It always contains all changes,
    /// whatever their size.
    pub(super) fn cut(&self, max_tokens: usize) -> Result<RefreshDelta> {
        let mut cut = self.bare.clone();
        // First by adding up the cards' tokens, which is cheap and nearly right; then by counting, which is exact.
        let mut tokens = self.tokens;
        let mut spilled = BTreeMap::new();
        for (place, told) in cut.delta.changed_symbols.iter_mut().enumerate() {
            let Some((card, more)) = self.cards.get(&place) else { continue };
            if tokens + more <= max_tokens {
                tokens += more;
                told.etag = None;
                told.card = Some(card.clone());
            } else {
                spilled.insert(place, card.symbol_id);
            }
        }
        tokens = cut.count()?;
        while tokens > max_tokens {
            let last =
                cut.delta.changed_symbols.iter_mut().enumerate().rfind(|(_, told)| told.card.is_some());
            if let Some((place, told)) = last {
                told.etag = told.card.take().map(|card| card.etag);
                spilled.insert(place, told.symbol_id);
            } else if cut.delta.blast_radius.pop().is_none() {
                break;
            }
            tokens = cut.count()?;
        }
        cut.tokens = tokens as u32;
        cut.spilled = spilled.into_values().collect();
        Ok(cut)
    }
}
