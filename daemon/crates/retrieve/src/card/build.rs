//! A symbol to its card.

use sdl_model::facts::DefIx;
use sdl_model::{Edge, SymbolId};

use super::types::{Card, Detail, MemberRef, Range, SideEffect};
use super::{CardOptions, Enrichment, deps, etag, metrics, signature, summary};
use crate::{Result, Source, Sym, members};

/// How many members a card lists, and how many a full card lists.
const MEMBERS: usize = 8;
const MEMBERS_ON_FULL: usize = 32;

/// Builds a symbol's card; none if this version does not have the symbol.
pub fn build_card(
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
    Opened::of(source, sym.clone())?.card(source, options, enrichment)
}

/// A symbol with all that its cards of every level are made from, read once.
pub(crate) struct Opened {
    pub(crate) sym: Sym,
    /// Its outgoing edges.
    pub(crate) edges: Vec<Edge>,
    /// The part of its etags after the level.
    content: String,
}

impl Opened {
    pub(crate) fn of(source: &Source<'_>, sym: Sym) -> Result<Self> {
        let edges = source.view().out_edges(sym.id)?;
        let content = etag::content_hash(&sym, &edges);
        Ok(Self { sym, edges, content })
    }

    /// The etag of its card at a level.
    pub(crate) fn etag(&self, detail: Detail) -> String {
        etag::at_level(detail, &self.content)
    }

    pub(crate) fn card(
        &self,
        source: &Source<'_>,
        options: CardOptions,
        enrichment: &dyn Enrichment,
    ) -> Result<Card> {
        let Self { sym, edges, .. } = self;
        let detail = options.detail;
        let (def, outline) = (sym.def(), sym.outline());
        let mut card = Card {
            symbol_id: sym.id,
            name: sym.name().to_owned(),
            qualified_name: sym.qualified().to_owned(),
            kind: sym.kind(),
            exported: sym.exported(),
            file: sym.path().to_owned(),
            range: symbol_range(sym, detail),
            signature: None,
            summary: None,
            deps: None,
            members: Vec::new(),
            members_omitted: 0,
            invariants: Vec::new(),
            side_effects: Vec::new(),
            metrics: None,
            cluster: None,
            processes: Vec::new(),
            etag: self.etag(detail),
            ledger_version: Some(source.view().version()),
        };
        if detail >= Detail::Signature {
            card.signature = signature::symbol_signature(sym);
            card.summary = summary::symbol_summary(sym);
        }
        if detail >= Detail::Deps {
            card.deps = Some(deps::symbol_deps(source, sym, edges, options)?);
            let all = members::own_members(sym);
            let most = if detail == Detail::Full { MEMBERS_ON_FULL } else { MEMBERS };
            card.members_omitted = all.len().saturating_sub(most) as u32;
            card.members = all.iter().take(most).filter_map(|ix| member_ref(sym, *ix)).collect();
        }
        if detail >= Detail::Compact {
            card.invariants =
                def.invariants.iter().map(|ix| signature::shorten_text(outline.str(*ix))).collect();
            card.side_effects = side_effects(sym);
        }
        if detail == Detail::Full {
            card.metrics = Some(metrics::symbol_metrics(source, sym, edges.len(), enrichment)?);
            card.cluster = enrichment.cluster(sym.file())?;
            card.processes = enrichment.processes(source, sym.id)?;
        }
        Ok(card)
    }
}

fn member_ref(owner: &Sym, ix: DefIx) -> Option<MemberRef> {
    let member = owner.beside(ix)?;
    Some(MemberRef { symbol_id: member.id, name: member.name().to_owned(), kind: member.kind() })
}

/// A symbol's etag at a level of detail, without building its card.
pub fn etag_of(source: &Source<'_>, sym: &Sym, detail: Detail) -> Result<String> {
    Ok(Opened::of(source, sym.clone())?.etag(detail))
}

/// The place of a symbol now; with columns on full cards.
pub fn symbol_range(sym: &Sym, detail: Detail) -> Range {
    let span = sym.def().span;
    let full = detail == Detail::Full;
    Range {
        start_line: span.start_line,
        start_col: full.then_some(span.start_col),
        end_line: span.end_line,
        end_col: full.then_some(span.end_col),
    }
}

/// A symbol's side effects, as the wire has them.
pub(crate) fn side_effects(sym: &Sym) -> Vec<SideEffect> {
    let one = |effect: &sdl_model::facts::Effect| SideEffect {
        kind: effect.kind.name().to_owned(),
        what: signature::shorten_text(sym.outline().str(effect.what)),
    };
    sym.def().effects.iter().map(one).collect()
}
