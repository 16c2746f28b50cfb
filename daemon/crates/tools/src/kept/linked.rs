//! Finds rows by the code that they are about, without reading the others.

use std::collections::{BTreeSet, HashSet};

use sdl_memory::store::{self, Holder, Linked, linked_symbols, store_revision};
use sdl_model::SymbolId;

use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::memos::Recent;

/// The repository, its version, and the revision of the store, in which every link was found to lead somewhere.
type Sound = (String, u64, u64);

/// States that were looked at, because most calls ask the same one again.
type SoundStates = Recent<Sound, (), 16>;

/// The code that rows are wanted about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'a> {
    /// Symbols.
    pub(crate) symbols: &'a [SymbolId],
    /// Files.
    pub(crate) files: &'a HashSet<String>,
    /// Whether rows about other symbols of the files are wanted too.
    pub(crate) beside: bool,
}

/// Returns the rows of one kind that are about this code; see [`all_about_code`].
pub(crate) fn rows_about_code(
    cx: &ReadCx<'_>,
    family: &Family,
    holder: Holder,
    code: Code<'_>,
) -> Result<BTreeSet<Linked>, ToolError> {
    let mut found = all_about_code(cx, family, code)?;
    found.retain(|row| row.holder == holder);
    Ok(found)
}

/// Returns the rows that are about this code, and those whose code may be there now because it is no longer where it was. Callers follow
/// the links of these rows, and look again.
pub(crate) fn all_about_code(
    cx: &ReadCx<'_>,
    family: &Family,
    code: Code<'_>,
) -> Result<BTreeSet<Linked>, ToolError> {
    let homes = family.ids();
    let files = code.files.iter().map(String::as_str);
    let mut found = cx.call.host.agent().read(|reader| {
        let mut found = store::rows_about(reader, homes, code.symbols.iter().copied())?;
        found.extend(store::rows_of_files(reader, homes, files.clone())?);
        if code.beside {
            found.extend(store::rows_beside(reader, homes, files)?);
        }
        Ok(found)
    })?;
    found.extend(lost_rows(cx, family)?);
    Ok(found)
}

/// Returns the rows with a link that leads nowhere in this version and was not yet found to be gone.
fn lost_rows(cx: &ReadCx<'_>, family: &Family) -> Result<BTreeSet<Linked>, ToolError> {
    let store = cx.call.host.agent();
    let revision = store.read(|reader| store_revision(reader))?;
    let state: Sound = (cx.repo.id().to_owned(), cx.version.0, revision);
    let sound = cx.call.memos.shared::<SoundStates>();
    // Unsaved buffers lie over the version, which then doesn't say where symbols are.
    if cx.overlay.is_none() && sound.get(&state).is_some() {
        return Ok(BTreeSet::new());
    }
    let mut lost = Vec::new();
    for home in family.ids() {
        for symbol in store.read(|reader| linked_symbols(reader, home))? {
            cx.call.check()?;
            if cx.source.view().symbol_file(symbol)?.is_none() {
                lost.push(symbol);
            }
        }
    }
    if lost.is_empty() {
        if cx.overlay.is_none() {
            sound.put(state, ());
        }
        return Ok(BTreeSet::new());
    }
    Ok(store.read(|reader| store::rows_about(reader, family.ids(), lost.iter().copied()))?)
}
