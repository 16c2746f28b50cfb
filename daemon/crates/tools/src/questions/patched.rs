//! The definitions that a diff changes, found by applying it.
//!
//! The files after the change are parsed and compared with the files before it, as two versions are. So a new comment,
//! another layout or a sentence of documentation is no change, and neither is a definition that only moves.

use std::collections::BTreeSet;
use std::sync::Arc;

use sdl_model::{ContentHash, FactsKey, FileId, FileRow, FileState, RelPath, SymbolId};
use sdl_navigate::patch::PatchedFile;
use sdl_retrieve::diff::changed_symbols;
use sdl_retrieve::layer::{Between, LaidOutlines, Layer, LayerFile};

use crate::call::context::ReadCx;
use crate::source::text;
use crate::{Code, ToolError};

/// The definitions whose behavior a diff changes, and the files to which it could not be applied: those that are not in
/// this version, and those that have another text.
pub(super) fn changed_definitions<'p>(
    cx: &ReadCx<'_>,
    patch: &'p [PatchedFile],
) -> Result<(BTreeSet<SymbolId>, Vec<&'p PatchedFile>), ToolError> {
    let (mut laid, mut rest) = (Vec::new(), Vec::new());
    for patched in patch.iter().filter(|patched| !patched.is_new) {
        cx.call.check()?;
        match patched_file(cx, patched)? {
            Some(file) => laid.push(file),
            None => rest.push(patched),
        }
    }
    let before = cx.overlay.map(|overlay| Arc::clone(&overlay.layer)).unwrap_or_default();
    let known = before.files().map(|(_, file)| file.clone());
    let patched: BTreeSet<FileId> = laid.iter().map(|file| FileId::of(&file.path)).collect();
    let kept = known.filter(|file| !patched.contains(&FileId::of(&file.path)));
    let after = Layer::of_files(kept.chain(laid).collect::<Vec<_>>());
    let between = Between::new(cx.snapshot, &before, &after);
    let outlines = LaidOutlines::new([&*before, &after], cx.source.outlines());
    let changes = between.changes()?;
    let range = (Between::FROM, Between::TO);
    let changed = changed_symbols(&between, &outlines, range, &changes)?;
    let behaving = changed.iter().filter(|change| change.is_behavior());
    Ok((behaving.filter_map(|change| Some(change.old.as_ref()?.id)).collect(), rest))
}

/// A file as the diff leaves it. None if the diff can't be applied to it.
fn patched_file(cx: &ReadCx<'_>, patched: &PatchedFile) -> Result<Option<LayerFile>, ToolError> {
    let Some(path) = RelPath::new(&patched.path) else { return Ok(None) };
    let Some(row) = cx.source.view().file(FileId::of(&path))? else { return Ok(None) };
    let Some(key) = row.state.facts() else { return Ok(None) };
    if patched.is_gone {
        return Ok(Some(LayerFile { path, row: None, outline: None }));
    }
    let text = match text::file_text(cx, &row) {
        Ok(text) => text,
        // The call is answered again on a newer version.
        Err(error) if error.refusal.code == Code::SourceMoved => return Err(error),
        Err(_) => return Ok(None),
    };
    let Some(after) = patched.apply(text.unmasked()) else { return Ok(None) };
    let Ok(facts) = sdl_lang::extract_facts(key.lang, after.as_bytes()) else { return Ok(None) };
    let key = FactsKey { lang: key.lang, content: ContentHash::of(after.as_bytes()) };
    let row = FileRow { path: path.clone(), state: FileState::Indexed(key), size: after.len() as u64 };
    Ok(Some(LayerFile { path, row: Some(row), outline: Some(Arc::new(facts.outline)) }))
}
