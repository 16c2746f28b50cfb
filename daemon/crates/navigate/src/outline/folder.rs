//! The outline of a folder: the public surface of a module or package.
//!
//! Law: the outline of a folder contains each definition of its files that is not inside a function or a type, and that
//! other files can see or a file outside of the folder uses (of the root, another file); each once. Those that most files
//! outside use come first, then those that an index file, such as `__init__.py`, defines or imports; then by place.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::ControlFlow;

use sdl_model::{EdgeKind, FileId, SymbolKind};
use sdl_retrieve::{Result, Sym};

use super::users::UserFiles;
use super::{Outline, Part, in_reverse, open_parts, parts_of};
use crate::fronts::is_front;
use crate::{Filter, Graph};

/// Most definitions of a folder that are looked at.
pub const MAX_LOOKED_AT: usize = 20_000;

/// What became of the request for the outline of a folder.
#[derive(Clone, Debug)]
pub enum FolderOutline {
    /// No file is below the folder.
    Unknown,
    /// The folder has more than [`MAX_LOOKED_AT`] definitions.
    TooLarge,
    /// The outline.
    Outline(Outline),
}

/// The outline of a folder, to a depth: 1 for the definitions, 2 for their members too. `folder` is a path without a
/// slash at its end; empty for the root.
pub fn outline_folder(
    graph: &Graph<'_, '_>,
    folder: &str,
    depth: u32,
    filter: &Filter,
) -> Result<FolderOutline> {
    let Some(files) = files_below(graph, folder)? else { return Ok(FolderOutline::Unknown) };
    let owned = folder.to_owned();
    // All other files are users of a definition in the root, because nothing is outside of it.
    let is_inside = move |path: &str| !owned.is_empty() && is_below(path, &owned);
    let mut users = UserFiles::new(graph.source(), filter, Box::new(is_inside));
    let mut surface: Vec<Part> = Vec::new();
    let mut fronted = HashSet::new();
    let mut looked_at = 0;
    for (file, path) in files {
        if !filter.keeps_file(&path) {
            continue;
        }
        let Some(module) = graph.source().symbols_of(file)?.into_iter().next() else { continue };
        if is_front(&path) {
            let edges = graph.source().view().out_edges(module.id)?;
            fronted.extend(edges.iter().filter(|edge| edge.kind == EdgeKind::Import).map(|edge| edge.to));
        }
        for sym in definitions_in(graph, &module)? {
            looked_at += 1;
            if looked_at > MAX_LOOKED_AT {
                return Ok(FolderOutline::TooLarge);
            }
            if users.shows(&sym) {
                let count = users.count(&sym, true)?;
                if count > 0 || sym.exported() {
                    surface.push(Part { sym, depth: 1, users: count });
                }
            }
        }
    }
    surface.sort_by_cached_key(|part| {
        let in_front = is_front(part.sym.path()) || fronted.contains(&part.sym.id);
        (Reverse(part.users), !in_front, part.sym.path().to_owned(), part.sym.line(), part.sym.id)
    });
    if depth > 1 {
        surface = with_members(&mut users, surface, depth)?;
    }
    Ok(FolderOutline::Outline(Outline { parts: surface, users: users.most_using() }))
}

/// The definitions of a file that are not inside a function or a type, namespaces opened.
fn definitions_in(graph: &Graph<'_, '_>, module: &Sym) -> Result<Vec<Sym>> {
    let mut found = Vec::new();
    let mut waiting = parts_of(graph.source(), module)?;
    while let Some(sym) = waiting.pop() {
        match sym.kind() {
            SymbolKind::Module | SymbolKind::Namespace => waiting.extend(parts_of(graph.source(), &sym)?),
            _ => found.push(sym),
        }
    }
    Ok(found)
}

fn with_members(users: &mut UserFiles<'_, '_>, surface: Vec<Part>, depth: u32) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for part in surface {
        let members: Vec<Sym> = parts_of(users.source(), &part.sym)?;
        let seen = HashSet::from([part.sym.id]);
        parts.push(part);
        parts.extend(open_parts(users, seen, in_reverse(members, 2), depth)?);
    }
    Ok(parts)
}

/// The files below a folder; none if there are none.
fn files_below(graph: &Graph<'_, '_>, folder: &str) -> Result<Option<Vec<(FileId, String)>>> {
    let mut files = Vec::new();
    graph.source().view().files_under(folder, &mut |file, path| {
        if is_below(path, folder) {
            files.push((file, path.to_owned()));
        }
        ControlFlow::Continue(())
    })?;
    Ok((!files.is_empty()).then_some(files))
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
