//! The links of a symbol: its edges, and those that dynamic dispatch adds to them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sdl_model::{EdgeKind, Resolution, Strategy, SymbolId};
use sdl_retrieve::{Result, Source, Sym};

use crate::overrides;

/// Maximum number of links of one symbol that are read. The most used symbol of Linux has fewer.
pub const MAX_LINKS: usize = 200_000;

/// One end of an edge, seen from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The symbol at the other end.
    pub symbol: SymbolId,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// How certain it is.
    pub resolution: Resolution,
    /// The rule that found the edge.
    pub strategy: Strategy,
    /// How often the rule is right, in percent. Half of that where the link follows from dispatch.
    pub confidence: u8,
    /// The symbol that the code names, where the link follows from dispatch: a call of `Shape.area` may run
    /// `Circle.area`.
    pub through: Option<SymbolId>,
}

/// In place of a rule: a member that nothing is known to call may be run by those who use its type.
pub const HOLDER: Strategy = Strategy(0);

impl Link {
    /// The name of the rule that found it: a rule of edges, or `holder`.
    pub fn rule_name(&self) -> &'static str {
        if self.strategy == HOLDER { "holder" } else { sdl_graph::strategies::rule_name(self.strategy) }
    }

    /// The same link through the member `named`, which the code names in place of one that overrides it.
    #[must_use]
    fn dispatched(self, symbol: SymbolId, named: SymbolId) -> Self {
        Self {
            symbol,
            resolution: Resolution::Ambiguous,
            confidence: (self.confidence / 2).max(1),
            through: Some(named),
            ..self
        }
    }
}

type Found = RefCell<HashMap<SymbolId, Rc<[SymbolId]>>>;

/// The graph of one version, with links by dispatch. Remembers what overrides what for as long as it lives.
pub struct Graph<'s, 'a> {
    source: &'s Source<'a>,
    overridden: Found,
    overriding: Found,
    derived: RefCell<HashMap<SymbolId, Rc<[Sym]>>>,
}

impl<'s, 'a> Graph<'s, 'a> {
    /// The graph of the version that `source` reads.
    pub fn new(source: &'s Source<'a>) -> Self {
        Self {
            source,
            overridden: Found::default(),
            overriding: Found::default(),
            derived: RefCell::default(),
        }
    }

    /// The version.
    pub fn source(&self) -> &'s Source<'a> {
        self.source
    }

    /// The members that a member overrides: those of its name in the types that its type derives from.
    pub fn overridden(&self, member: SymbolId) -> Result<Rc<[SymbolId]>> {
        remember(&self.overridden, member, || overrides::find_overridden(self.source, member))
    }

    /// The members that override a member: those of its name in the types that derive from its type.
    pub fn overriding(&self, member: SymbolId) -> Result<Rc<[SymbolId]>> {
        remember(&self.overriding, member, || {
            overrides::find_overriding(self.source, member, |owner| self.derived(owner))
        })
    }

    /// The types that derive from a type.
    fn derived(&self, ty: SymbolId) -> Result<Rc<[Sym]>> {
        remember(&self.derived, ty, || {
            overrides::opened_types(self.source, &overrides::derived_types(self.source, ty)?)
        })
    }

    /// The links that lead to a symbol, in the order of their sources. A call of a member that it overrides may run it,
    /// so that call leads to it too.
    pub fn links_in(&self, symbol: SymbolId) -> Result<Vec<Link>> {
        let mut links = self.edges_in(symbol)?;
        for base in self.overridden(symbol)?.iter() {
            let calls = self.edges_in(*base)?.into_iter().filter(|link| link.kind == EdgeKind::Call);
            links.extend(calls.map(|link| link.dispatched(link.symbol, *base)));
        }
        Ok(links)
    }

    /// The links that lead away from a symbol, in the order of the edges. A call of a member may also run each member
    /// that overrides it.
    pub fn links_out(&self, symbol: SymbolId) -> Result<Vec<Link>> {
        let mut links = Vec::new();
        for edge in self.source.view().out_edges(symbol)? {
            let link = Link {
                symbol: edge.to,
                kind: edge.kind,
                resolution: edge.resolution,
                strategy: edge.strategy,
                confidence: edge.confidence,
                through: None,
            };
            links.push(link);
            if edge.kind == EdgeKind::Call {
                let overriding = self.overriding(edge.to)?;
                links.extend(overriding.iter().map(|member| link.dispatched(*member, edge.to)));
            }
        }
        Ok(links)
    }

    /// The links that edges alone make.
    pub fn edges_in(&self, symbol: SymbolId) -> Result<Vec<Link>> {
        let edges = self.source.view().in_edges(symbol, MAX_LINKS)?;
        let link = |edge: sdl_model::InEdge| Link {
            symbol: edge.from,
            kind: edge.kind,
            resolution: edge.resolution,
            strategy: edge.strategy,
            confidence: edge.confidence,
            through: None,
        };
        Ok(edges.into_iter().map(link).collect())
    }
}

fn remember<T>(
    known: &RefCell<HashMap<SymbolId, Rc<[T]>>>,
    member: SymbolId,
    find: impl FnOnce() -> Result<Vec<T>>,
) -> Result<Rc<[T]>> {
    if let Some(found) = known.borrow().get(&member) {
        return Ok(Rc::clone(found));
    }
    let found: Rc<[T]> = find()?.into();
    known.borrow_mut().insert(member, Rc::clone(&found));
    Ok(found)
}
