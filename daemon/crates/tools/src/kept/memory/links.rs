//! Links of a memory, as a call gives them.

use sdl_model::FileId;
use sdl_retrieve::Sym;

use super::{FileLink, SymbolLink};
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::parts::symbols;

impl SymbolLink {
    /// A link to the symbol as it is.
    pub(crate) fn of(sym: &Sym) -> Self {
        Self {
            id: sym.id,
            name: sym.qualified().to_owned(),
            file: sym.path().to_owned(),
            fingerprint: sym.def().fingerprint,
            gone: None,
        }
    }
}

/// Links to symbols, as they are in this version. An error for one that is not there.
pub(crate) fn symbol_links(cx: &ReadCx<'_>, ids: &[String]) -> Result<Vec<SymbolLink>, ToolError> {
    let mut links: Vec<SymbolLink> = Vec::new();
    for (i, id) in ids.iter().enumerate() {
        cx.call.check()?;
        let sym = symbols::by_id(cx, id, &format!("symbolIds[{i}]"))?;
        if links.iter().all(|link| link.id != sym.id) {
            links.push(SymbolLink::of(&sym));
        }
    }
    Ok(links)
}

/// Links to files. One that this version does not have is linked all the same, with a note.
pub(crate) fn file_links(cx: &ReadCx<'_>, paths: &[String]) -> Result<Vec<FileLink>, ToolError> {
    let mut links: Vec<FileLink> = Vec::new();
    for (i, text) in paths.iter().enumerate() {
        cx.call.check()?;
        let path = symbols::repo_path(cx.repo, text, &format!("files[{i}]"))?;
        let file = FileId::of(&path);
        let known = cx.source.view().file(file)?.is_some();
        if !known {
            cx.note(format!("files[{i}]: {path} is not in version {}; linked all the same", cx.version));
        }
        let module = cx.source.symbols_of(file)?.first().map(|sym| sym.id);
        if links.iter().all(|link| link.path != path.as_str()) {
            // A file that never existed can't be gone.
            let gone = (!known).then_some(0);
            links.push(FileLink { path: path.as_str().to_owned(), module, gone });
        }
    }
    Ok(links)
}
