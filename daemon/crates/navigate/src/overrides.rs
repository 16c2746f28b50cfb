//! Which members override which.
//!
//! It is computed, because no edge states it: a member overrides the members of its name in the types that its own
//! type derives from, directly or not. For example, `Circle.area` overrides `Shape.area`. What a type derives from
//! are its `implements` edges, and in a language such as Go also the interfaces that it has the methods of.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use sdl_model::{EdgeKind, SymbolId, SymbolKind};
use sdl_retrieve::members::{held_by_name, member_owner, members_elsewhere};
use sdl_retrieve::{Result, Source, Sym};

use crate::structural;

/// Most types that a type derives from.
const MAX_BASES: usize = 64;
/// Most types that derive from a type.
const MAX_DERIVED: usize = 2_000;

/// The members that `member` overrides, sorted.
pub(crate) fn find_overridden(source: &Source<'_>, member: SymbolId) -> Result<Vec<SymbolId>> {
    let Some((sym, owner)) = find_member(source, member)? else { return Ok(Vec::new()) };
    let more = structural::implemented_methods(source, &sym, &owner)?;
    namesakes(source, &sym, &opened_types(source, &base_types(source, owner.id)?)?, more)
}

/// The members that override `member`, sorted. `derived` finds the types that derive from its type, as
/// [`opened_types`] puts them.
pub(crate) fn find_overriding(
    source: &Source<'_>,
    member: SymbolId,
    derived: impl FnOnce(SymbolId) -> Result<Rc<[Sym]>>,
) -> Result<Vec<SymbolId>> {
    let Some((sym, owner)) = find_member(source, member)? else { return Ok(Vec::new()) };
    let more = structural::implementing_methods(source, &sym, &owner)?;
    namesakes(source, &sym, &derived(owner.id)?, more)
}

/// Types in the order of their files, so that each file is searched once.
pub(crate) fn opened_types(source: &Source<'_>, types: &[SymbolId]) -> Result<Vec<Sym>> {
    let mut opened = Vec::with_capacity(types.len());
    for ty in types {
        opened.extend(source.symbol(*ty)?);
    }
    opened.sort_unstable_by_key(|ty| (ty.file(), ty.ix));
    Ok(opened)
}

/// A member that can be overridden, and its type.
fn find_member(source: &Source<'_>, member: SymbolId) -> Result<Option<(Sym, Sym)>> {
    let Some(home) = source.view().symbol_home(member)? else { return Ok(None) };
    if !matches!(home.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Function) {
        return Ok(None);
    }
    let Some(sym) = source.symbol(member)? else { return Ok(None) };
    Ok(member_owner(source, &sym)?.map(|owner| (sym, owner)))
}

/// The types that a type derives from, directly or not.
pub(crate) fn base_types(source: &Source<'_>, of: SymbolId) -> Result<Vec<SymbolId>> {
    closure(of, MAX_BASES, |one| {
        let edges = source.view().out_edges(one)?;
        Ok(edges.iter().filter(|edge| edge.kind == EdgeKind::Implements).map(|edge| edge.to).collect())
    })
}

/// The types that derive from a type, directly or not.
pub(crate) fn derived_types(source: &Source<'_>, of: SymbolId) -> Result<Vec<SymbolId>> {
    closure(of, MAX_DERIVED, |one| {
        let edges = source.view().in_edges(one, crate::graph::MAX_LINKS)?;
        Ok(edges.iter().filter(|edge| edge.kind == EdgeKind::Implements).map(|edge| edge.from).collect())
    })
}

/// Everything that `next` leads to from `start`, without `start`, nearest first, at most `most`.
fn closure(
    start: SymbolId,
    most: usize,
    mut next: impl FnMut(SymbolId) -> Result<Vec<SymbolId>>,
) -> Result<Vec<SymbolId>> {
    let mut seen = HashSet::from([start]);
    let mut queue = VecDeque::from([start]);
    let mut found = Vec::new();
    while let Some(one) = queue.pop_front() {
        for other in next(one)? {
            if found.len() < most && seen.insert(other) {
                found.push(other);
                queue.push_back(other);
            }
        }
    }
    Ok(found)
}

/// The members called as `sym` of `types`, which are in the order of their files, and `found`, sorted.
fn namesakes(
    source: &Source<'_>,
    sym: &Sym,
    types: &[Sym],
    mut found: Vec<SymbolId>,
) -> Result<Vec<SymbolId>> {
    for in_file in types.chunk_by(|a, b| a.file() == b.file()) {
        let Some(first) = in_file.first() else { continue };
        for (holder, member) in held_by_name(first, sym.name()) {
            if is_namesake(&member, sym) && in_file.binary_search_by_key(&holder, |ty| ty.ix).is_ok() {
                found.push(member.id);
            }
        }
        for ty in in_file {
            let elsewhere = members_elsewhere(source, ty)?.into_iter();
            found.extend(elsewhere.filter(|member| is_namesake(member, sym)).map(|member| member.id));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn is_namesake(member: &Sym, sym: &Sym) -> bool {
    let can_run = matches!(member.kind(), SymbolKind::Method | SymbolKind::Property | SymbolKind::Function);
    can_run && member.id != sym.id && member.name() == sym.name()
}
