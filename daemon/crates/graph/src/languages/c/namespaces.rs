//! C++: namespaces with parts in several files.

use sdl_model::facts::{DefFlags, DefIx, ImportKind};
use sdl_model::{Lang, SymbolKind};

use super::includes;
use crate::languages::namespaces::namespace_member as member_of_all;
use crate::modules::{ModRef, Place, as_place};
use crate::world::{DefRef, FileIndex, FileIx, Question, Sym, World};

/// Deepest nesting of namespaces that is searched.
const DEPTH: usize = 8;

/// The meaning of `name` in the namespaces, own and included, that `scope` of a file sees.
pub(super) fn find_implicit(w: &World<'_>, from: FileIx, scope: DefIx, name: Sym) -> Place {
    let file = w.file(from);
    let own = path_of(&file, scope);
    let mut seen: Vec<Vec<Sym>> = (0..=own.len()).rev().map(|len| own[..len].to_vec()).collect();
    for import in file.wildcards.iter().filter_map(|ix| file.import(*ix)) {
        if import.kind == ImportKind::Wildcard {
            seen.push(namespace_parts(w, file.outline.str(import.module)));
        }
    }
    seen.iter()
        .find_map(|path| in_namespace(w, from, path, name))
        .or_else(|| written_elsewhere(w, from, &seen, name))
        .map_or(Place::Missing, |found| linked_place(w, found))
}

/// The type `name` of a file that this one does not include, in one of the namespaces `seen`. It is declared here and
/// defined there. It must be the only one, or the only one in a header.
fn written_elsewhere(w: &World<'_>, from: FileIx, seen: &[Vec<Sym>], name: Sym) -> Option<DefRef> {
    let hits = w.named(name)?;
    let mut found: Vec<(usize, bool, DefRef)> = Vec::new();
    for hit in hits.iter().filter(|hit| hit.kind.is_type()) {
        let Some(at) = w.open(hit.file).filter(|at| *at != from) else { continue };
        let index = w.file(at);
        let Some(def) = index.find(hit.symbol) else { continue };
        let Some(one) = index.outline.def(def).filter(|one| one.owner.is_none()) else { continue };
        let parent = one.parent.unwrap_or(DefIx::MODULE);
        let in_namespace = parent == DefIx::MODULE
            || index.outline.def(parent).is_some_and(|parent| parent.kind == SymbolKind::Namespace);
        if !in_namespace || !matches!(index.lang(), Lang::C | Lang::Cpp) {
            continue;
        }
        let path = path_of(&index, parent);
        let Some(rank) = seen.iter().position(|one| *one == path) else { continue };
        let is_header = index.path.extension().is_some_and(|ext| ext.starts_with(['h', 'H', 'i']));
        found.push((rank, !is_header, DefRef { file: at, def }));
    }
    let nearest = found.iter().map(|(rank, ..)| *rank).min()?;
    found.retain(|(rank, ..)| *rank == nearest);
    if found.len() > 1 {
        found.retain(|(_, is_source, _)| !is_source);
    }
    match found.as_slice() {
        [(.., only)] => Some(*only),
        _ => None,
    }
}

/// The definition of `name` in the namespace `path` that a file sees.
fn in_namespace(w: &World<'_>, from: FileIx, path: &[Sym], name: Sym) -> Option<DefRef> {
    let mut best: Option<(u8, DefRef)> = None;
    for at in std::iter::once(from).chain(includes::included_with_any(w, from, name)) {
        let index = w.file(at);
        for holder in matching_namespaces(&index, path) {
            for def in index.children(holder, name) {
                let Some(rank) = definition_rank(&index, def) else { continue };
                if best.is_none_or(|(known, _)| rank < known) {
                    best = Some((rank, DefRef { file: at, def }));
                }
            }
        }
    }
    best.map(|(_, found)| found)
}

fn namespace_parts(w: &World<'_>, text: &str) -> Vec<Sym> {
    text.split("::").filter(|part| !part.is_empty()).take(DEPTH).map(|part| w.sym(part)).collect()
}

/// The place that `using text::name` binds.
pub(super) fn import_name(w: &World<'_>, from: FileIx, text: &str, name: &str) -> Place {
    in_namespace(w, from, &namespace_parts(w, text), w.sym(name))
        .map_or(Place::Missing, |found| linked_place(w, found))
}

/// The meaning of `name` in the namespace that `text` spells out, seen from those around `scope`, among the included
/// files.
pub(super) fn find_qualified(w: &World<'_>, from: FileIx, scope: DefIx, text: &str, name: &str) -> Place {
    let file = w.file(from);
    let around = file.namespace_around(scope);
    let whole = w.sym(&format!("{text}::{name}"));
    let q = Question::Spelled(DefRef { file: from, def: around }, whole);
    w.derive(&w.memos.places, q, Place::Missing, || {
        let own = path_of(&file, around);
        let inner = namespace_parts(w, text);
        let name = w.sym(name);
        (0..=own.len())
            .rev()
            .find_map(|len| {
                let path: Vec<Sym> = own.iter().take(len).chain(&inner).copied().collect();
                in_namespace(w, from, &path, name)
            })
            .map_or(Place::Missing, |found| linked_place(w, found))
    })
}

/// The namespace that `text` spells out.
pub(super) fn find_namespace(w: &World<'_>, from: FileIx, text: &str) -> Place {
    let path = namespace_parts(w, text);
    let found = std::iter::once(from).chain(includes::all_included(w, from)).find_map(|at| {
        let holder = matching_namespaces(&w.file(at), &path).into_iter().find(|def| *def != DefIx::MODULE)?;
        Some(DefRef { file: at, def: holder })
    });
    found.map_or(Place::Missing, |def| Place::Module(ModRef::Inline(def)))
}

/// The names of the namespaces around `scope`, outermost first.
fn path_of(file: &FileIndex, scope: DefIx) -> Vec<Sym> {
    let mut path = Vec::new();
    let mut at = Some(scope);
    while let Some(ix) = at {
        let Some(def) = file.outline.def(ix) else { break };
        if def.kind == SymbolKind::Namespace && path.len() < DEPTH {
            path.extend(file.name(ix));
        }
        at = def.parent.filter(|parent| *parent < ix);
    }
    path.reverse();
    path
}

/// The namespaces of a file that `path` names. For an empty path, the file itself.
fn matching_namespaces(file: &FileIndex, path: &[Sym]) -> Vec<DefIx> {
    let mut found = vec![DefIx::MODULE];
    for name in path {
        let inner = found.iter().flat_map(|at| file.children(*at, *name));
        found = inner
            .filter(|ix| file.outline.def(*ix).is_some_and(|def| def.kind == SymbolKind::Namespace))
            .take(64)
            .collect();
    }
    found
}

/// The order in which several definitions of one name are tried. None for a member, which is reached only through its
/// type.
fn definition_rank(file: &FileIndex, def: DefIx) -> Option<u8> {
    let found = file.outline.def(def).filter(|def| def.owner.is_none() && !def.flags.has(DefFlags::LOCAL))?;
    Some(match found.kind {
        SymbolKind::Function if found.flags.has(DefFlags::ABSTRACT) => 1,
        SymbolKind::Macro => 2,
        SymbolKind::Constant => 3,
        _ => 0,
    })
}

/// A definition as a place; a function's declaration leads on to its definition.
fn linked_place(w: &World<'_>, found: DefRef) -> Place {
    let found = includes::linked_definition(w, found).unwrap_or(found);
    as_place(&w.file(found.file), found, found.def)
}

/// The meaning of `name` in a namespace, in any file.
pub(super) fn namespace_member(w: &World<'_>, namespace: DefRef, name: Sym) -> Place {
    match member_of_all(w, namespace, name) {
        Place::Def(found) => linked_place(w, found),
        // Another part of the namespace may hold the inner one.
        Place::Module(ModRef::Inline(inner)) => Place::Module(ModRef::Inline(inner)),
        other => other,
    }
}
