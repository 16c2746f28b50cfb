//! What is told of one symbol.

mod types;

pub use types::{
    Card, CardRef, Dep, Deps, Detail, How, Metrics, Param, Range, SideEffect, Signature, TestRef,
};

use sdl_model::SymbolId;

use crate::{Result, Source, Sym};

/// How a card is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct CardOptions {
    /// How much it tells.
    pub detail: Detail,
    /// Call dependencies below this confidence, in percent, are left out.
    pub min_call_confidence: u8,
    /// Whether dependencies say how they were found.
    pub resolution_metadata: bool,
}

/// What cards tell that neither the graph nor the facts hold.
pub trait Enrichment {
    /// Commits that touched the file in the 30 days before the version's HEAD.
    fn churn_30d(&self, path: &str) -> Option<u32> {
        let _ = path;
        None
    }
    /// The cluster that a symbol belongs to.
    fn cluster(&self, symbol: SymbolId) -> Option<String> {
        let _ = symbol;
        None
    }
    /// The processes that a symbol takes part in.
    fn processes(&self, symbol: SymbolId) -> Vec<String> {
        let _ = symbol;
        Vec::new()
    }
}

/// No enrichment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Enrichment for Plain {}

/// Builds a symbol's card; none if this version does not have the symbol.
pub fn card(
    source: &Source<'_>,
    symbol: SymbolId,
    options: CardOptions,
    enrichment: &dyn Enrichment,
) -> Result<Option<Card>> {
    source.symbol(symbol)?.map(|sym| card_of(source, &sym, options, enrichment)).transpose()
}

/// Builds the card of a symbol that is already open.
pub fn card_of(
    source: &Source<'_>,
    sym: &Sym,
    options: CardOptions,
    enrichment: &dyn Enrichment,
) -> Result<Card> {
    let _ = (source, options, enrichment);
    let def = sym.def();
    Ok(Card {
        symbol_id: sym.id,
        name: sym.name().to_owned(),
        qualified_name: sym.qualified().to_owned(),
        kind: sym.kind(),
        exported: sym.exported(),
        file: sym.path().to_owned(),
        range: Range {
            start_line: def.span.start_line,
            start_col: None,
            end_line: def.span.end_line,
            end_col: None,
        },
        signature: None,
        summary: None,
        deps: None,
        invariants: Vec::new(),
        side_effects: Vec::new(),
        metrics: None,
        cluster: None,
        processes: Vec::new(),
        etag: String::new(),
        ledger_version: None,
    })
}

/// A symbol's etag at a level of detail.
pub fn etag(source: &Source<'_>, sym: &Sym, detail: Detail) -> Result<String> {
    let _ = (source, sym);
    Ok(format!("{}-", detail.name()))
}

/// Whether a card with etag `held` can stand in for one with etag `wanted`: the same content, held at that level or a fuller one.
pub fn etag_covers(held: &str, wanted: &str) -> bool {
    let (Some((held_level, held_hash)), Some((wanted_level, wanted_hash))) =
        (held.split_once('-'), wanted.split_once('-'))
    else {
        return false;
    };
    let (Some(held_level), Some(wanted_level)) =
        (Detail::from_name(held_level), Detail::from_name(wanted_level))
    else {
        return false;
    };
    held_hash == wanted_hash && held_level >= wanted_level
}

/// A card as text for people and models: 50 to 150 tokens for a typical function, never more than its JSON.
pub fn text(card: &Card) -> String {
    format!("{} {} ({}:{})", card.kind.name(), card.qualified_name, card.file, card.range.start_line)
}
