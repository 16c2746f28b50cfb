//! The outline of a file, a type or a folder: what it contains, and which files use it.
//!
//! Law: the outline of a module contains each definition of its file that is not inside a function, and the outline of a
//! type its members, also those in other files; each once, below what contains it, in the order of the text. [`folder`]
//! states the law of folders. A file uses a definition if it has an edge to it or to a member of it.

pub mod folder;
mod users;

use std::collections::HashSet;

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{SymbolId, SymbolKind};
use sdl_retrieve::members::{member_owner, members_elsewhere, own_members};
use sdl_retrieve::{Result, Source, Sym};

use crate::{Filter, Graph};
use users::UserFiles;
pub use users::{MAX_USERS, User};

/// One part of an outline.
#[derive(Clone, Debug)]
pub struct Part {
    /// The definition.
    pub sym: Sym,
    /// How deep it is, from 1.
    pub depth: u32,
    /// The number of other files that use it; of a folder's parts, of files outside of the folder.
    pub users: usize,
}

/// What something contains, and who uses it.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// What it contains.
    pub parts: Vec<Part>,
    /// The files that use most of its parts, at most [`MAX_USERS`].
    pub users: Vec<User>,
}

/// The outline of a file or a type, to a depth.
pub fn outline_symbol(graph: &Graph<'_, '_>, of: &Sym, depth: u32, filter: &Filter) -> Result<Outline> {
    let own = of.path().to_owned();
    let mut users = UserFiles::new(graph.source(), filter, Box::new(move |path| path == own));
    let waiting = in_reverse(parts_of(graph.source(), of)?, 1);
    let parts = open_parts(&mut users, HashSet::from([of.id]), waiting, depth)?;
    Ok(Outline { parts, users: users.most_using() })
}

/// Opens the parts that wait for their turn, the last one first, and those below them.
fn open_parts(
    users: &mut UserFiles<'_, '_>,
    mut seen: HashSet<SymbolId>,
    mut waiting: Vec<(Sym, u32)>,
    depth: u32,
) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    while let Some((sym, at)) = waiting.pop() {
        if !seen.insert(sym.id) || !users.shows(&sym) {
            continue;
        }
        if at < depth {
            waiting.extend(in_reverse(parts_of(users.source(), &sym)?, at + 1));
        }
        let count = users.count(&sym, at == 1)?;
        parts.push(Part { sym, depth: at, users: count });
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
