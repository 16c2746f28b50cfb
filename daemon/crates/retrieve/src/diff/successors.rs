//! Finds the successors of the symbols that a change removed.

use std::collections::HashSet;

use sdl_model::{FileChange, FileId, FileRow, SymbolId, SymbolKind};

use super::pair::pair_symbols;
use crate::source::symbols_in_row;
use crate::{Outlines, Result, Sym};

/// The symbols of a changed file before and after.
pub(crate) fn file_symbols(outlines: &dyn Outlines, change: &FileChange) -> Result<(Vec<Sym>, Vec<Sym>)> {
    let side = |row: &Option<FileRow>| match row {
        Some(row) => symbols_in_row(outlines, change.file, row),
        None => Ok(Vec::new()),
    };
    Ok((side(&change.old)?, side(&change.new)?))
}

/// Renames and moves: each symbol that is gone with the one that it became.
pub(crate) fn find_successors(outlines: &dyn Outlines, changes: &[FileChange]) -> Result<Vec<(Sym, Sym)>> {
    let (mut went, mut came) = (Vec::new(), Vec::new());
    for change in changes {
        let (before, after) = file_symbols(outlines, change)?;
        let ids = |syms: &[Sym]| syms.iter().map(|sym| sym.id).collect::<HashSet<_>>();
        let (old, new) = (ids(&before), ids(&after));
        let named = |sym: &Sym| sym.kind() != SymbolKind::Impl;
        went.extend(before.into_iter().filter(|sym| named(sym) && !new.contains(&sym.id)));
        came.extend(after.into_iter().filter(|sym| named(sym) && !old.contains(&sym.id)));
    }
    let found = pair_symbols(&went, &came).into_iter();
    Ok(found.filter_map(|(old, new)| Some((went.get(old)?.clone(), came.get(new)?.clone()))).collect())
}

/// The kind of a symbol in a file's row; none if the file does not define it there.
pub(crate) fn kind_in_row(
    outlines: &dyn Outlines,
    file: FileId,
    row: &FileRow,
    symbol: SymbolId,
) -> Result<Option<SymbolKind>> {
    let Some(key) = row.state.facts() else { return Ok(None) };
    let Some(outline) = outlines.outline(key)? else { return Ok(None) };
    Ok(outline.find(file, symbol).and_then(|ix| outline.def(ix)).map(|def| def.kind))
}
