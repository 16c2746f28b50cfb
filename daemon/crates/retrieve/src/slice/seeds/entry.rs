//! Symbols that the request names by id.

use super::Seeds;
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source, UserError};

pub(super) fn add_entry_seeds(
    source: &Source<'_>,
    request: &SliceRequest,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    for &symbol in &request.entry_symbols {
        if source.view().symbol_file(symbol)?.is_none() {
            return Err(UserError::UnknownSymbol(symbol).into());
        }
        seeds.enter(symbol);
    }
    match request.entry_symbols.len() {
        0 => evidence.skipped("entrySymbols"),
        given => evidence.ran("entrySymbols", given),
    }
    Ok(())
}
