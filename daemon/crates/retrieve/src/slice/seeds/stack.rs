//! Symbols that a stack trace runs through.

use sdl_model::FileId;

use super::Seeds;
use super::frames::{self, Frame};
use crate::search::files::files_at;
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source, Sym};

pub(super) fn lane(
    source: &Source<'_>,
    request: &SliceRequest,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    let frames = frames::parse(request.stack_trace.as_deref().unwrap_or(""));
    if request.stack_trace.is_none() {
        evidence.skipped("stackTrace");
        return Ok(());
    }
    let mut found = 0;
    for frame in &frames {
        let Some(sym) = at(source, frame)? else { continue };
        // The innermost frame of ours matters most.
        seeds.add(sym.id, (0.98 - 0.04 * found as f32).max(0.4), true);
        found += 1;
    }
    evidence.ran("stackTrace", found);
    Ok(())
}

/// The symbol of a frame: that of its function's name in its file, nearest to its line; else whatever is at its line.
fn at(source: &Source<'_>, frame: &Frame) -> Result<Option<Sym>> {
    let mut first: Option<FileId> = None;
    for file in files_at(source.view(), &frame.path)? {
        first.get_or_insert(file);
        let Some(function) = &frame.function else { continue };
        let named = source
            .symbols_of(file)?
            .into_iter()
            .filter(|sym| sym.name() == function)
            .min_by_key(|sym| (sym.def().span.start_line.abs_diff(frame.line), sym.id));
        if let Some(sym) = named.filter(|_| !function.is_empty()) {
            return Ok(Some(sym));
        }
    }
    match first {
        Some(file) => source.symbol_at(file, frame.line),
        None => Ok(None),
    }
}
