//! Which members a type has, and which type a member belongs to.
//!
//! Containment is not stored as edges: a file's outline states it. Members that are in another file than their type (a
//! method of Go, an `impl` block of Rust, another part of a partial class) are found by their type's name.

use std::cmp::Reverse;

use sdl_ledger::NameHit;
use sdl_model::facts::{Def, DefFlags, DefIx, name_apart};
use sdl_model::lang::Parts;
use sdl_model::{FileId, Outline, SymbolKind};

use crate::{Result, Source, Sym};

/// Most files of a package that are searched for members.
const MOST_FILES: usize = 128;
/// Most blocks and types of one name that are looked at.
const MOST_NAMESAKES: usize = 64;

/// The members that a type's own file states, the most important ones first.
pub fn own_members(sym: &Sym) -> Vec<DefIx> {
    if !sym.kind().is_type() {
        return Vec::new();
    }
    let outline = sym.outline();
    let mut found: Vec<DefIx> = outline
        .iter()
        .filter(|(_, def)| def.kind != SymbolKind::Impl)
        .filter(|(ix, def)| *ix != sym.ix && holder_in(outline, def) == Some(sym.ix))
        .map(|(ix, _)| ix)
        .collect();
    found.sort_by_key(|ix| outline.def(*ix).map(|def| member_order(outline, def)));
    found
}

/// The members of one name that the file of `sym` states, each with the type there that it is a member of.
pub fn held_by_name(sym: &Sym, name: &str) -> Vec<(DefIx, Sym)> {
    let outline = sym.outline();
    let named =
        outline.iter().filter(|(_, def)| def.kind != SymbolKind::Impl && outline.str(def.name) == name);
    named.filter_map(|(ix, def)| Some((holder_in(outline, def)?, sym.beside(ix)?))).collect()
}

/// The members of a type that are in other files, in order of path and place.
pub fn members_elsewhere(source: &Source<'_>, sym: &Sym) -> Result<Vec<Sym>> {
    if !sym.kind().is_type() || sym.def().flags.has(DefFlags::LOCAL) {
        return Ok(Vec::new());
    }
    let traits = sym.outline().lang.traits();
    if traits.members.across_package {
        in_package(source, sym)
    } else if traits.types.impl_blocks {
        in_blocks(source, sym)
    } else if traits.types.parts != Parts::Whole {
        in_parts(source, sym)
    } else {
        Ok(Vec::new())
    }
}

/// The type that a symbol is a member of.
pub fn member_owner(source: &Source<'_>, sym: &Sym) -> Result<Option<Sym>> {
    let outline = sym.outline();
    if let Some(ix) = holder_in(outline, sym.def()) {
        return Ok(sym.beside(ix).filter(|owner| owner.kind().is_type()));
    }
    let Some(name) = stated_owner(outline, sym.def()) else { return Ok(None) };
    let named = source.view().named_up_to(name, MOST_NAMESAKES)?;
    let types: Vec<NameHit> = named.into_iter().filter(|hit| hit.kind.is_type()).collect();
    let Some(hit) = nearest_type(source, sym, &types)? else { return Ok(None) };
    if outline.lang.traits().members.across_package && !in_one_package(source, sym, hit.file)? {
        return Ok(None);
    }
    source.symbol(hit.symbol)
}

/// The order of a type's members. Members that can be called come before nested types and values, and members visible
/// to others before hidden ones; then in the order of the text.
fn member_order(outline: &Outline, def: &Def) -> (u8, bool, u32) {
    let group = match def.kind {
        kind if kind.is_callable() => 0,
        kind if kind.is_type() => 1,
        _ => 2,
    };
    let hidden = !def.flags.has(DefFlags::EXPORTED) || outline.str(def.name).starts_with('_');
    (group, hidden, def.span.start)
}

/// The type in the same file that a definition is a member of.
fn holder_in(outline: &Outline, def: &Def) -> Option<DefIx> {
    if let Some(name) = stated_owner(outline, def) {
        let at = enclosing_definition(outline, def);
        let mut types =
            outline.iter().filter(|(_, known)| known.kind.is_type() && outline.str(known.name) == name);
        let first = types.next()?;
        // Of several types of that name the one beside the member is meant.
        let beside = std::iter::once(first).chain(types).find(|(_, known)| known.parent == at);
        return Some(beside.unwrap_or(first).0);
    }
    let parent = def.parent?;
    outline.def(parent).filter(|parent| parent.kind.is_type()).map(|_| parent)
}

/// The name of the type that a definition, or its `impl` block, states as its owner.
fn stated_owner<'o>(outline: &'o Outline, def: &Def) -> Option<&'o str> {
    let block =
        def.parent.and_then(|parent| outline.def(parent)).filter(|parent| parent.kind == SymbolKind::Impl);
    let owner = def.owner.or_else(|| block.and_then(|block| block.owner))?;
    outline.last_name(owner)
}

/// The definition around a member and its `impl` block.
fn enclosing_definition(outline: &Outline, def: &Def) -> Option<DefIx> {
    let parent = def.parent?;
    match outline.def(parent) {
        Some(block) if block.kind == SymbolKind::Impl => block.parent,
        _ => Some(parent),
    }
}

/// The methods that other files of a type's package give it.
fn in_package(source: &Source<'_>, sym: &Sym) -> Result<Vec<Sym>> {
    let dir = sym.row().path.dir().to_owned();
    let mut found = Vec::new();
    for file in source.view().files_in_dir(&dir)?.into_iter().take(MOST_FILES) {
        if file == sym.file() {
            continue;
        }
        let package = |sym: &Sym| sym.outline().package.map(|ix| sym.outline().str(ix).to_owned());
        for other in source.symbols_of(file)? {
            let of_it = other.outline().lang == sym.outline().lang
                && !other.def().flags.has(DefFlags::LOCAL)
                && stated_owner(other.outline(), other.def()) == Some(sym.name());
            if of_it && package(&other) == package(sym) {
                found.push(other);
            }
        }
    }
    Ok(in_order(found))
}

/// The members that blocks in other files give a type.
fn in_blocks(source: &Source<'_>, sym: &Sym) -> Result<Vec<Sym>> {
    let blocks = source.view().named_up_to(&name_apart("", sym.name()), MOST_NAMESAKES)?;
    let mut types = None;
    let mut found = Vec::new();
    for block in blocks.iter().filter(|hit| hit.kind == SymbolKind::Impl && hit.file != sym.file()) {
        let Some(block) = source.symbol(block.symbol)? else { continue };
        let types = match &mut types {
            Some(types) => types,
            none => {
                let named = source.view().named_up_to(sym.name(), MOST_NAMESAKES)?;
                none.insert(named.into_iter().filter(|hit| hit.kind.is_type()).collect::<Vec<_>>())
            }
        };
        if nearest_type(source, &block, types)?.is_none_or(|hit| hit.symbol != sym.id) {
            continue;
        }
        let inside = block.outline().iter().filter(|(_, def)| def.parent == Some(block.ix));
        found.extend(inside.filter_map(|(ix, _)| block.beside(ix)));
    }
    Ok(in_order(found))
}

/// The members of the other parts of a partial or reopened type.
fn in_parts(source: &Source<'_>, sym: &Sym) -> Result<Vec<Sym>> {
    let is_partial = sym.outline().lang.traits().types.parts == Parts::Partial;
    if is_partial && !sym.def().flags.has(DefFlags::PARTIAL) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for hit in source.view().named_up_to(sym.name(), MOST_NAMESAKES)? {
        if hit.file == sym.file() || hit.kind != sym.kind() {
            continue;
        }
        let Some(part) = source.symbol(hit.symbol)? else { continue };
        if part.qualified() == sym.qualified() && part.outline().lang == sym.outline().lang {
            found.extend(own_members(&part).into_iter().filter_map(|ix| part.beside(ix)));
        }
    }
    Ok(in_order(found))
}

fn in_order(mut found: Vec<Sym>) -> Vec<Sym> {
    found.sort_by(|a, b| a.path().cmp(b.path()).then(a.def().span.start.cmp(&b.def().span.start)));
    found
}

/// Of types of one name, the most likely target of a block or member elsewhere: the only one, else the one whose path
/// shares most folders with it. None where several remain.
fn nearest_type(source: &Source<'_>, from: &Sym, types: &[NameHit]) -> Result<Option<NameHit>> {
    if let [only] = types {
        return Ok(Some(*only));
    }
    let mut ranked = Vec::with_capacity(types.len());
    for hit in types {
        let Some(row) = source.view().file(hit.file)? else { continue };
        ranked.push((Reverse(common_folders(row.path.as_str(), from.path())), *hit));
    }
    ranked.sort();
    Ok(match &ranked[..] {
        [(best, _), (next, _), ..] if best == next => None,
        [(_, hit), ..] => Some(*hit),
        [] => None,
    })
}

fn common_folders(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

fn in_one_package(source: &Source<'_>, sym: &Sym, file: FileId) -> Result<bool> {
    let row = source.view().file(file)?;
    Ok(row.is_some_and(|row| row.path.dir() == sym.row().path.dir()))
}
