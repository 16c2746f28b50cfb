//! Finds the symbol that a question is about.

use sdl_model::{FileId, RelPath};
use sdl_retrieve::search::Hit;
use sdl_retrieve::{Source, Sym};

use crate::call::context::ReadCx;
use crate::parts::params::SymbolRef;
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};

/// Returns the symbols that `text` names: an id, `Session.close`, `src/auth.py:Session.close`, `src/auth.py:12`, or
/// `src/auth.py`. Several only if they are the overloads of one function.
pub(crate) fn find_target(
    cx: &ReadCx<'_>,
    source: &Source<'_>,
    text: &str,
    field: &str,
) -> Result<Vec<Sym>, ToolError> {
    if text.starts_with("s_") && text.len() == 15 {
        return Ok(vec![match text.parse().ok().map(|id| source.symbol(id)).transpose()?.flatten() {
            Some(sym) => sym,
            None => symbols::by_id(cx, text, field)?,
        }]);
    }
    // `a.py:Session.close`, but not `std::fs` or `C:/a.py`.
    if let Some((path, rest)) = text.rsplit_once(':').filter(|(path, rest)| is_place(path, rest)) {
        return match rest.parse::<u32>() {
            Ok(line) => symbol_at(cx, source, path, line, field),
            Err(_) => by_name(cx, source, rest, Some(path), field),
        };
    }
    if let Some(file) = known_file(source, text)? {
        return Ok(source.symbols_of(file)?.into_iter().take(1).collect());
    }
    by_name(cx, source, text, None, field)
}

/// Whether `path` and `rest` are the parts of a place in a file.
fn is_place(path: &str, rest: &str) -> bool {
    !rest.is_empty() && !path.ends_with(':') && path.contains('.') && !rest.contains('/')
}

fn plain_path(path: &str) -> Option<RelPath> {
    RelPath::new(path.strip_prefix("./").unwrap_or(path))
}

/// Returns the file at a path of this state; none if there is none with symbols.
fn known_file(source: &Source<'_>, path: &str) -> Result<Option<FileId>, ToolError> {
    let Some(path) = plain_path(path) else { return Ok(None) };
    let file = source.view().file_id(&path);
    let row = source.view().file(file)?;
    Ok(row.filter(|row| row.state.facts().is_some()).map(|_| file))
}

/// Returns the innermost symbol at a line.
fn symbol_at(
    cx: &ReadCx<'_>,
    source: &Source<'_>,
    path: &str,
    line: u32,
    field: &str,
) -> Result<Vec<Sym>, ToolError> {
    let Some(file) = known_file(source, path)? else {
        let path = symbols::repo_path(cx.repo, path, field)?;
        return Err(symbols::no_such_file(cx, &path, field)?);
    };
    let found = source.symbol_at(file, line)?;
    found.map(|sym| vec![sym]).ok_or_else(|| {
        let message = format!("{path} has no symbol at line {line}");
        ToolError::new(Code::UnknownSymbol, message).at(field)
    })
}

fn by_name(
    cx: &ReadCx<'_>,
    source: &Source<'_>,
    name: &str,
    file: Option<&str>,
    field: &str,
) -> Result<Vec<Sym>, ToolError> {
    let wanted =
        SymbolRef { name: name.to_owned(), file: file.map(str::to_owned), kind: None, exported_only: None };
    let mut hits = symbols::hits_of(source, &wanted)?;
    if hits.is_empty() {
        // `Walk.build` and `Walk::build` are one name, which each language writes in its own way.
        let other = if name.contains("::") { name.replace("::", ".") } else { name.replace('.', "::") };
        hits = symbols::hits_of(source, &SymbolRef { name: other, ..wanted.clone() })?;
    }
    let Some(first) = hits.first() else {
        let path = plain_path(file.unwrap_or(name));
        let unparsed = path.map(|path| symbols::find_unparsed(source, &path)).transpose()?.flatten();
        return Err(match unparsed {
            Some(row) => symbols::unparsed_file(&row).at(field),
            None => symbols::no_such_symbol(cx, &wanted, field),
        });
    };
    let is_overload = |hit: &Hit| hit.file == first.file && hit.qualified_name == first.qualified_name;
    if !hits.iter().all(is_overload) {
        return Err(symbols::ambiguous_symbol(&wanted, &hits, field, "give `path:name`"));
    }
    let mut found = Vec::with_capacity(hits.len());
    for hit in &hits {
        found.extend(source.symbol(hit.symbol_id)?);
    }
    Ok(found)
}
