//! Callers, callees, implementations and supertypes, to a depth.
//!
//! Law: the answer to depth `d` contains each symbol that some chain of at most `d` links of the relation leads to, and
//! whose links and symbols the filter keeps; each once, at its least depth. An asked symbol is in it if it is related to itself or to
//! another that was asked, as a recursive function is to itself.

use std::collections::{HashMap, HashSet};

use sdl_model::{EdgeKind, SymbolId};
use sdl_retrieve::members::own_members;
use sdl_retrieve::{Listed, Result, Sym};

use crate::structural::{satisfied_interfaces, satisfying_types};
use crate::{Filter, Graph, Link};

/// Most symbols of an answer. A deeper question is cut here, and says so.
pub const MAX_RELATED: usize = 20_000;
/// The greatest depth.
pub const MAX_DEPTH: u32 = 10;

/// How the symbols of the answer are related to the one asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// They call it, or a member that it overrides.
    Callers,
    /// It calls them, or a member that they override.
    Callees,
    /// They derive from it; of a member, they override it.
    Implementations,
    /// It derives from them; of a member, it overrides them.
    Supertypes,
}

/// One symbol of an answer.
#[derive(Clone, Debug)]
pub struct Related {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its entry in a list.
    pub listed: Listed,
    /// The number of links from the asked symbol, from 1.
    pub depth: u32,
    /// The row of the symbol that the link is to: its number in the answer. None for an asked symbol.
    pub parent: Option<usize>,
    /// The symbol that the link is to.
    pub of: SymbolId,
    /// The link. None for implementations and supertypes of members, and for types at more than one step, which no
    /// single edge makes.
    pub link: Option<Link>,
}

/// All rows of an answer, each symbol's own right below it.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The rows, in the order of a tree that is printed.
    pub rows: Vec<Related>,
    /// Whether there are more than [`MAX_RELATED`].
    pub is_cut: bool,
}

/// The symbols related to `targets` within `depth` links.
pub fn related_symbols(
    graph: &Graph<'_, '_>,
    targets: &[Sym],
    relation: Relation,
    depth: u32,
    filter: &Filter,
) -> Result<Tree> {
    let asked: HashSet<SymbolId> = targets.iter().map(|sym| sym.id).collect();
    let mut seen = HashSet::new();
    let mut found: Vec<Related> = Vec::new();
    let mut wave: Vec<(Option<usize>, SymbolId)> = targets.iter().map(|sym| (None, sym.id)).collect();
    let mut is_cut = false;
    for depth in 1..=depth.min(MAX_DEPTH) {
        let mut next = Vec::new();
        for (parent, of) in wave {
            for (symbol, link, listed) in sorted_steps(graph, of, relation, filter)? {
                if found.len() >= MAX_RELATED {
                    is_cut = true;
                } else if seen.insert(symbol) {
                    // What the asked symbols are related to is in the answer already.
                    if !asked.contains(&symbol) {
                        next.push((Some(found.len()), symbol));
                    }
                    found.push(Related { symbol, listed, depth, parent, of, link });
                }
            }
        }
        wave = next;
    }
    Ok(Tree { rows: in_tree_order(found), is_cut })
}

/// One step of a relation: the symbol, and the link if it is an edge or follows from one.
type Step = (SymbolId, Option<Link>);

/// The next symbols, without those that the filter drops. Surest first, code before tests, then by place.
fn sorted_steps(
    graph: &Graph<'_, '_>,
    of: SymbolId,
    relation: Relation,
    filter: &Filter,
) -> Result<Vec<(SymbolId, Option<Link>, Listed)>> {
    let mut best: HashMap<SymbolId, Option<Link>> = HashMap::new();
    for (symbol, link) in next_steps(graph, of, relation)? {
        if link.is_some_and(|link| link.confidence < filter.min_confidence) {
            continue;
        }
        let known = best.entry(symbol).or_insert(link);
        if link_order(link) < link_order(*known) {
            *known = link;
        }
    }
    let mut steps = Vec::with_capacity(best.len());
    for (symbol, link) in best {
        if let Some(listed) = graph.source().listed(symbol)?.filter(|listed| filter.keeps(listed)) {
            steps.push((symbol, link, listed));
        }
    }
    steps.sort_by_cached_key(|(symbol, link, listed)| {
        (listed.is_test(), link_order(*link), listed.path().to_owned(), listed.line(), *symbol)
    });
    Ok(steps)
}

/// A direct link before one by dispatch, then the surer one.
fn link_order(link: Option<Link>) -> (bool, u8) {
    link.map_or((false, 0), |link| (link.through.is_some(), 100 - link.confidence.min(100)))
}

fn next_steps(graph: &Graph<'_, '_>, of: SymbolId, relation: Relation) -> Result<Vec<Step>> {
    let calls = |links: Vec<Link>| {
        links.into_iter().filter(|link| link.kind == EdgeKind::Call).map(|link| (link.symbol, Some(link)))
    };
    Ok(match relation {
        Relation::Callers => {
            let mut links = graph.links_in(of)?;
            links.extend(constructor_links(graph, of)?);
            calls(links).collect()
        }
        Relation::Callees => calls(graph.links_out(of)?).collect(),
        Relation::Implementations => type_steps(graph, of, true)?,
        Relation::Supertypes => type_steps(graph, of, false)?,
    })
}

/// The calls that construct a value of a type lead to its constructor, if it declares one.
fn constructor_links(graph: &Graph<'_, '_>, of: SymbolId) -> Result<Vec<Link>> {
    let source = graph.source();
    if !source.view().symbol_home(of)?.is_some_and(|home| home.kind.is_type()) {
        return Ok(Vec::new());
    }
    let Some(ty) = source.symbol(of)? else { return Ok(Vec::new()) };
    let mut links = Vec::new();
    for member in own_members(&ty).into_iter().filter_map(|ix| ty.beside(ix)) {
        if is_constructor(&ty, &member) {
            let calls = graph.edges_in(member.id)?.into_iter();
            links.extend(calls.map(|link| Link { through: Some(member.id), ..link }));
        }
    }
    Ok(links)
}

fn is_constructor(ty: &Sym, member: &Sym) -> bool {
    use sdl_model::lang::Constructor;
    match ty.outline().lang.traits().members.constructor {
        Constructor::None => false,
        Constructor::Named(name) => member.name() == name,
        Constructor::TypeName => member.name() == ty.name() && member.kind().is_callable(),
    }
}

/// Derived types or base types, one step away; of a member, all that override it or that it overrides.
fn type_steps(graph: &Graph<'_, '_>, of: SymbolId, derived: bool) -> Result<Vec<Step>> {
    let source = graph.source();
    let is_type = source.view().symbol_home(of)?.is_some_and(|home| home.kind.is_type());
    if !is_type {
        let members = if derived { graph.overriding(of)? } else { graph.overridden(of)? };
        return Ok(members.iter().map(|member| (*member, None)).collect());
    }
    let links = if derived { graph.edges_in(of)? } else { graph.links_out(of)? };
    let links = links.into_iter().filter(|link| link.kind == EdgeKind::Implements);
    let mut steps: Vec<Step> = links.map(|link| (link.symbol, Some(link))).collect();
    if let Some(ty) = source.symbol(of)? {
        let types = if derived { satisfying_types(source, &ty)? } else { satisfied_interfaces(source, &ty)? };
        let is_new = |id: &SymbolId| steps.iter().all(|(known, _)| known != id);
        let more: Vec<Step> = types.into_iter().filter(is_new).map(|id| (id, None)).collect();
        steps.extend(more);
    }
    Ok(steps)
}

/// Puts each row right below its parent. Rows arrive by depth.
fn in_tree_order(found: Vec<Related>) -> Vec<Related> {
    let mut below: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, row) in found.iter().enumerate() {
        below.entry(row.parent).or_default().push(at);
    }
    let mut order = Vec::with_capacity(found.len());
    let mut stack: Vec<usize> = below.get(&None).into_iter().flatten().rev().copied().collect();
    while let Some(at) = stack.pop() {
        order.push(at);
        stack.extend(below.get(&Some(at)).into_iter().flatten().rev());
    }
    let new_place: HashMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let mut rows: Vec<Option<Related>> = found.into_iter().map(Some).collect();
    let in_order = order.iter().filter_map(|at| rows.get_mut(*at)?.take());
    in_order
        .map(|row| Related { parent: row.parent.and_then(|at| new_place.get(&at).copied()), ..row })
        .collect()
}
