//! The outline of a file or a type: what it contains, and how many files use each part.
//!
//! Law: the outline of a module contains each definition of its file that is not inside a function, and the outline of a
//! type its members, also those in other files; each once, below what contains it, in the order of the text.

use std::collections::HashSet;

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{FileId, SymbolKind};
use sdl_retrieve::members::{member_owner, members_elsewhere, own_members};
use sdl_retrieve::{Result, Source, Sym};

use crate::{Filter, Graph};

/// Most incoming edges of a symbol that are looked at to count the files that use it.
const MAX_USES: usize = 5_000;

/// One part of an outline.
#[derive(Clone, Debug)]
pub struct Part {
    /// The definition.
    pub sym: Sym,
    /// How deep it is, from 1.
    pub depth: u32,
    /// The number of other files with an edge to it.
    pub users: usize,
}

/// The parts of `of`, to a depth.
pub fn outline_parts(graph: &Graph<'_, '_>, of: &Sym, depth: u32, filter: &Filter) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut seen = HashSet::from([of.id]);
    // Parts that wait for their turn; the last is the next.
    let mut waiting: Vec<(Sym, u32)> = in_reverse(parts_of(graph.source(), of)?, 1);
    while let Some((sym, at)) = waiting.pop() {
        if !seen.insert(sym.id) || (!filter.include_tests && sym.is_test()) {
            continue;
        }
        if at < depth {
            waiting.extend(in_reverse(parts_of(graph.source(), &sym)?, at + 1));
        }
        let users = count_users(graph.source(), &sym)?;
        parts.push(Part { sym, depth: at, users });
    }
    Ok(parts)
}

fn in_reverse(parts: Vec<Sym>, depth: u32) -> Vec<(Sym, u32)> {
    parts.into_iter().rev().map(|sym| (sym, depth)).collect()
}

/// What a symbol contains directly.
fn parts_of(source: &Source<'_>, of: &Sym) -> Result<Vec<Sym>> {
    if of.kind().is_type() {
        let mut members: Vec<Sym> = own_members(of).into_iter().filter_map(|ix| of.beside(ix)).collect();
        members.sort_by_key(|sym| sym.def().span.start);
        members.extend(members_elsewhere(source, of)?);
        return Ok(members);
    }
    if !matches!(of.kind(), SymbolKind::Module | SymbolKind::Namespace) {
        return Ok(Vec::new());
    }
    let mut parts = Vec::new();
    for (ix, def) in of.outline().iter() {
        let is_inside = def.parent == Some(of.ix) && ix != DefIx::MODULE && def.kind != SymbolKind::Impl;
        if !is_inside || def.flags.has(DefFlags::LOCAL) {
            continue;
        }
        let Some(sym) = of.beside(ix) else { continue };
        // A member that is written outside of its type is part of the type, if that is in this file.
        let owner = if def.owner.is_some() { member_owner(source, &sym)? } else { None };
        if owner.is_none_or(|owner| owner.file() != of.file()) {
            parts.push(sym);
        }
    }
    Ok(parts)
}

fn count_users(source: &Source<'_>, sym: &Sym) -> Result<usize> {
    let mut files: HashSet<FileId> = HashSet::new();
    for edge in source.view().in_edges(sym.id, MAX_USES)? {
        files.extend(source.view().symbol_file(edge.from)?.filter(|file| *file != sym.file()));
    }
    Ok(files.len())
}
