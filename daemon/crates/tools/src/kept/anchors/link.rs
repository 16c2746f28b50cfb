//! Makes anchors to what a call names.

use sdl_memory::{Anchors, FileAnchor, SymbolAnchor};
use sdl_model::{FileId, RelPath, Version};
use sdl_retrieve::Sym;

use super::same::code_hash;
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::owned::OwnedCx;
use crate::parts::symbols;

/// An anchor to the symbol as it is.
pub(crate) fn symbol_anchor(sym: &Sym, version: Version) -> SymbolAnchor {
    SymbolAnchor {
        id: sym.id,
        name: sym.qualified().to_owned(),
        file: sym.path().to_owned(),
        fingerprint: code_hash(sym.def()),
        gone: None,
        was: None,
        repo: None,
        version: version.0,
    }
}

/// Anchors to symbols, as they are in this version. An error for one that is not there.
fn symbol_anchors(cx: &ReadCx<'_>, ids: &[String]) -> Result<Anchors, ToolError> {
    let mut anchors = Anchors { version: cx.version.0, ..Anchors::default() };
    for (i, id) in ids.iter().enumerate() {
        cx.call.check()?;
        let sym = symbols::by_id(cx, id, &format!("symbolIds[{i}]"))?;
        if anchors.symbols.iter().all(|anchor| anchor.id != sym.id) {
            anchors.symbols.push(symbol_anchor(&sym, cx.version));
        }
    }
    Ok(anchors)
}

/// Anchors to files. One that this version does not have is linked all the same, with a note.
fn file_anchors(cx: &ReadCx<'_>, paths: &[String]) -> Result<Anchors, ToolError> {
    let mut anchors = Anchors { version: cx.version.0, ..Anchors::default() };
    for (i, text) in paths.iter().enumerate() {
        cx.call.check()?;
        let path = symbols::repo_path(cx.repo, text, &format!("files[{i}]"))?;
        let anchor = file_anchor(cx, &path)?;
        if anchor.gone.is_some() {
            cx.note(format!("files[{i}]: {path} is not in version {}; linked all the same", cx.version));
        }
        if anchors.files.iter().all(|known| known.path != anchor.path) {
            anchors.files.push(anchor);
        }
    }
    Ok(anchors)
}

fn file_anchor(cx: &ReadCx<'_>, path: &RelPath) -> Result<FileAnchor, ToolError> {
    let file = FileId::of(path);
    let known = cx.source.view().file(file)?.is_some();
    let module = cx.source.symbols_of(file)?.first().map(|sym| sym.id);
    // A file that never existed can't be gone.
    let gone = (!known).then_some(0);
    Ok(FileAnchor { path: path.as_str().to_owned(), module, gone, was: None, repo: None })
}

/// Anchors of a row of the call's own scope to symbols and files, each none if none were given. Without a repository an error if
/// there are any.
pub(crate) fn link_anchors(
    cx: &OwnedCx<'_>,
    symbol_ids: Option<&[String]>,
    files: Option<&[String]>,
) -> Result<(Option<Anchors>, Option<Anchors>), ToolError> {
    let given = |field: &'static str, list: Option<&[String]>| {
        list.filter(|list| !list.is_empty()).map(|_| cx.need_code(field)).transpose()
    };
    let symbols = match (symbol_ids, given("symbolIds", symbol_ids)?) {
        (Some(ids), Some(read)) => Some(own_anchors(cx, symbol_anchors(read, ids)?)),
        (Some(_), None) => Some(Anchors::default()),
        (None, _) => None,
    };
    let files = match (files, given("files", files)?) {
        (Some(paths), Some(read)) => Some(own_anchors(cx, file_anchors(read, paths)?)),
        (Some(_), None) => Some(Anchors::default()),
        (None, _) => None,
    };
    Ok((symbols, files))
}

/// Names the repository in the anchors of a row that belongs to none, because the row's scope does not.
fn own_anchors(cx: &OwnedCx<'_>, mut anchors: Anchors) -> Anchors {
    let repo = cx.repo().map(|repo| repo.id().to_owned()).filter(|repo| *repo != cx.scopes.own);
    if repo.is_some() {
        anchors.symbols.iter_mut().for_each(|anchor| anchor.repo.clone_from(&repo));
        anchors.files.iter_mut().for_each(|anchor| anchor.repo.clone_from(&repo));
    }
    anchors
}

/// Returns anchors that take the code as it is: someone has looked at it. Those to code that is gone, or can't be seen, stay as they are.
pub(crate) fn confirm_anchors(
    cx: &ReadCx<'_>,
    family: &Family,
    scope: &str,
    anchors: &Anchors,
) -> Result<Anchors, ToolError> {
    let mut confirmed = anchors.clone();
    for anchor in &mut confirmed.symbols {
        if !family.has(anchor.repo.as_deref().unwrap_or(scope)) {
            continue;
        }
        if let Some(sym) = cx.source.symbol(anchor.id)? {
            *anchor = SymbolAnchor { repo: anchor.repo.take(), ..symbol_anchor(&sym, cx.version) };
        }
    }
    for anchor in &mut confirmed.files {
        if !family.has(anchor.repo.as_deref().unwrap_or(scope)) {
            continue;
        }
        let Some(path) = RelPath::new(&anchor.path) else { continue };
        let now = file_anchor(cx, &path)?;
        if now.gone.is_none() {
            *anchor = FileAnchor { repo: anchor.repo.take(), ..now };
        }
    }
    confirmed.version = cx.version.0;
    Ok(confirmed)
}
