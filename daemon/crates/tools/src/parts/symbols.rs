//! Finds the symbols that arguments name, and suggests likely ones when there are none.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sdl_model::{FileRow, FileState, RelPath, SymbolId, Version};
use sdl_navigate::workspace::symbol_in_workspace;
use sdl_retrieve::card::{self, Card, CardOptions, Detail};
use sdl_retrieve::refresh::Lease;
use sdl_retrieve::search::{Hit, SearchRequest, search_symbols};
use sdl_retrieve::{Source, Sym};
use serde_json::json;

use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::parts::params::SymbolRef;
use crate::{Candidate, Code, Explained, Repo, ToolError};
use sdl_contract::nearest_names;

/// Candidates listed with an error.
const CANDIDATES: usize = 5;
/// Most results that are searched for one that has both the name and the file.
const NAMESAKES: usize = 1_000;

/// Returns the symbol with this id.
pub(crate) fn by_id(cx: &ReadCx<'_>, text: &str, field: &str) -> Result<Sym, ToolError> {
    let Ok(id) = text.parse::<SymbolId>() else {
        let shown: String = text.chars().take(80).collect();
        let message =
            format!("{shown:?} is not a symbol id (s_ and 13 characters); symbol.search finds ids by name");
        let error = ToolError::new(Code::UnknownSymbol, message).at(field);
        return Err(look_up(cx, error, text));
    };
    if let Some(sym) = find_id(cx, id, field)? {
        return Ok(sym);
    }
    let Some((name, file)) = former_symbol(cx, id)? else {
        let message = format!("there is no symbol {id} in version {}, nor was there lately", cx.version);
        let error = ToolError::new(Code::UnknownSymbol, message).at(field);
        let mut held = Vec::new();
        for near in near_ids(cx, id)? {
            held.extend(cx.source.symbol(near)?.map(|sym| sym_candidate(&sym)));
        }
        return Err(whats_there(cx, error.or_one_of(held)));
    };
    let message = format!(
        "{id} was {name:?} in {file}; it was removed, renamed or moved before version {}",
        cx.version
    );
    Err(look_up(cx, ToolError::new(Code::UnknownSymbol, message).at(field), &name))
}

/// Returns the symbol with this id. Over a workspace, a repository's id of it does too, and of a repository, a
/// workspace's.
fn find_id(cx: &ReadCx<'_>, id: SymbolId, field: &str) -> Result<Option<Sym>, ToolError> {
    if let Some(sym) = cx.source.symbol(id)? {
        return Ok(Some(sym));
    }
    let Some(across) = cx.across else {
        return Ok(cx.source.symbol(symbol_in_workspace(cx.repo.id(), id))?);
    };
    match across.workspace.of_members(id)?.as_slice() {
        [] => Ok(None),
        [only] => Ok(cx.source.symbol(*only)?),
        several => {
            let mut candidates = Vec::new();
            for one in several {
                candidates.extend(cx.source.symbol(*one)?.map(|sym| sym_candidate(&sym)));
            }
            let message =
                format!("{id} is in {} repositories; give one of the candidates' ids", several.len());
            Err(ToolError::new(Code::AmbiguousSymbol, message).at(field).or_one_of(candidates))
        }
    }
}

fn sym_candidate(sym: &Sym) -> Candidate {
    Candidate::of("symbolId", sym.id.to_string()).with("name", sym.qualified()).with("file", sym.path())
}

/// Returns the symbols that held slices follow and whose ids differ from `id` in a character or two.
fn near_ids(cx: &ReadCx<'_>, id: SymbolId) -> Result<Vec<SymbolId>, ToolError> {
    if cx.across.is_some() {
        return Ok(Vec::new());
    }
    let wanted = id.to_string();
    let differing = |other: &SymbolId| {
        wanted.bytes().zip(other.to_string().bytes()).filter(|(a, b)| a != b).count() <= MISSPELT
    };
    let mut near = Vec::new();
    for slice in cx.call.leases.slices(cx.repo)? {
        near.extend(Lease::followed_in(&slice.data, cx.snapshot.incarnation()).filter(differing));
    }
    near.sort_unstable();
    near.dedup();
    near.truncate(CANDIDATES);
    Ok(near)
}

/// Adds a call that shows the content of the repository.
pub(crate) fn whats_there(cx: &ReadCx<'_>, error: ToolError) -> ToolError {
    error.next(
        Call::tool("repo.overview"),
        json!({"repoId": cx.repo.id(), "level": "full"}),
        "names folders and the symbols that matter most, with their ids",
    )
}

/// Returns the error for a task that matches no symbol, file or word of the repository. `given` names the arguments
/// that were searched with.
pub(crate) fn found_nothing(cx: &ReadCx<'_>, error: sdl_retrieve::Error, given: &[&str]) -> ToolError {
    if !matches!(error, sdl_retrieve::Error::User(sdl_retrieve::UserError::NoSeeds)) {
        return error.into();
    }
    let what = given.join(", ");
    let message = format!(
        "nothing in version {} matches {what}; use names of symbols or files that are in this repository",
        cx.version
    );
    let error = ToolError::new(Code::UnknownSymbol, message);
    whats_there(
        cx,
        match given.first() {
            Some(field) => error.at(*field),
            None => error,
        },
    )
}

/// Returns the error for a file of the version that has no symbols because it was not parsed.
pub(crate) fn unparsed_file(row: &FileRow) -> ToolError {
    let why = match &row.state {
        FileState::Skipped(reason) => reason.name(),
        FileState::Indexed(_) | FileState::Failed(_) => "notParsed",
    };
    ToolError::new(Code::Unavailable, format!("{} is listed but not read ({why})", row.path))
}

/// Returns the file at `path` if it was not parsed.
pub(crate) fn find_unparsed(source: &Source<'_>, path: &RelPath) -> Result<Option<FileRow>, ToolError> {
    let row = source.view().file(source.view().file_id(path))?;
    Ok(row.filter(|row| row.state.facts().is_none()))
}

/// Returns the error for a path that is no file of the version, with the files that it may mean, or is one that was not
/// parsed.
pub(crate) fn no_such_file(cx: &ReadCx<'_>, path: &RelPath, key: &str) -> Result<ToolError, ToolError> {
    if let Some(row) = find_unparsed(cx.source, path)? {
        return Ok(unparsed_file(&row).at(key));
    }
    let near = near_files(cx, path)?;
    let hint = match &near[..] {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        _ => "; give one of the candidates".to_owned(),
    };
    let message = format!("no file of version {} is called {path}{hint}", cx.version);
    let error = ToolError::new(Code::UnknownPath, message).at(key);
    Ok(whats_there(cx, error.or_one_of(near.into_iter().map(|path| Candidate::of(key, path)))))
}

/// Returns the files whose paths end in `path`; else those with similar names.
pub(crate) fn near_files(cx: &ReadCx<'_>, path: &RelPath) -> Result<Vec<String>, ToolError> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let wanted = name(path.as_str());
    let (mut ending, mut alike) = (Vec::new(), Vec::new());
    cx.source.view().files_under("", &mut |_, known| {
        if ends_with_path(known, path.as_str()) {
            ending.push(known.to_owned());
        } else if ending.is_empty() && alike.len() < MOST_ALIKE && is_like(&wanted, &name(known)) {
            alike.push(known.to_owned());
        }
        if ending.len() > CANDIDATES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if ending.is_empty() {
        // Files in the nearest folder come first.
        let whole = nearest_names(path.as_str(), alike.iter().map(String::as_str), CANDIDATES);
        let mut ordered: Vec<String> = whole.into_iter().map(str::to_owned).collect();
        ordered.extend(alike.iter().filter(|path| !ordered.contains(path)).cloned().collect::<Vec<_>>());
        ending = ordered;
    }
    ending.truncate(CANDIDATES);
    Ok(ending)
}

fn is_like(wanted: &str, name: &str) -> bool {
    !nearest_names(wanted, [name], 1).is_empty()
}

/// Most files with names similar to a missing one, of which the best are chosen.
const MOST_ALIKE: usize = 200;
/// Characters in which a misspelt id may differ.
const MISSPELT: usize = 2;
/// Versions that are searched for a removed symbol.
const LATELY: u64 = 200;

/// Returns the qualified name and the file that a symbol had before it was removed, if that was recent.
fn former_symbol(cx: &ReadCx<'_>, id: SymbolId) -> Result<Option<(String, String)>, ToolError> {
    let Some(floor) = cx.snapshot.floor().filter(|_| cx.across.is_none()) else { return Ok(None) };
    let from = floor.max(Version(cx.version.0.saturating_sub(LATELY)));
    for change in cx.snapshot.changes_between(from, cx.version)?.files {
        cx.call.check()?;
        let Some(row) = change.old else { continue };
        let Some(key) = row.state.facts() else { continue };
        let Some(outline) = cx.source.outlines().outline(key)? else { continue };
        if let Some(def) = outline.find(change.file, id).and_then(|ix| outline.def(ix)) {
            return Ok(Some((outline.str(def.qualified).to_owned(), row.path.as_str().to_owned())));
        }
    }
    Ok(None)
}

/// Returns the only symbol that matches.
pub(crate) fn by_ref(cx: &ReadCx<'_>, wanted: &SymbolRef, field: &str) -> Result<Sym, ToolError> {
    let hits = hits_of(cx.source, wanted)?;
    match &hits[..] {
        [only] => {
            let symbol = cx.source.symbol(only.symbol_id)?;
            symbol.ok_or_else(|| {
                ToolError::internal("opening a symbol", "search found it, the version lacks it")
            })
        }
        [] => Err(no_such_symbol(cx, wanted, field)),
        several => Err(ambiguous_symbol(wanted, several, field, "give file or kind too")),
    }
}

/// Returns the symbols that match. A full path beats paths that only end alike, and a qualified name beats simple ones.
pub(crate) fn hits_of(source: &Source<'_>, wanted: &SymbolRef) -> Result<Vec<Hit>, ToolError> {
    let found = search_symbols(
        source,
        &SearchRequest {
            query: wanted.name.clone(),
            kinds: wanted.kind.iter().map(|kind| kind.0).collect(),
            limit: NAMESAKES,
            exact: true,
            exported_only: wanted.exported_only.unwrap_or(false),
            ..SearchRequest::default()
        },
    )?;
    let in_file = |hit: &Hit| wanted.file.as_deref().is_none_or(|file| ends_with_path(&hit.file, file));
    let mut hits: Vec<Hit> = found.results.into_iter().filter(in_file).collect();
    keep_if_any(&mut hits, |hit| wanted.file.as_deref() == Some(hit.file.as_str()));
    keep_if_any(&mut hits, |hit| hit.qualified_name == wanted.name);
    drop_declarations(source, &mut hits)?;
    Ok(hits)
}

/// Drops functions without a body, such as the prototypes in a header of C, if one of the same name in another file has
/// one, because they are the same function. Those of one file are overloads, such as abstract ones in Java.
fn drop_declarations(source: &Source<'_>, hits: &mut Vec<Hit>) -> Result<(), ToolError> {
    if hits.len() < 2 || !hits.iter().all(|hit| hit.kind.is_callable()) {
        return Ok(());
    }
    let mut with_body = HashSet::new();
    for hit in hits.iter() {
        if source.symbol(hit.symbol_id)?.is_some_and(|sym| sym.def().body_start.is_some()) {
            with_body.insert(hit.symbol_id);
        }
    }
    let defined: Vec<(String, String)> = hits
        .iter()
        .filter(|hit| with_body.contains(&hit.symbol_id))
        .map(|hit| (hit.qualified_name.clone(), hit.file.clone()))
        .collect();
    hits.retain(|hit| {
        let mut same = defined.iter().filter(|(name, _)| *name == hit.qualified_name).peekable();
        with_body.contains(&hit.symbol_id) || same.peek().is_none() || same.any(|(_, file)| *file == hit.file)
    });
    Ok(())
}

/// Returns the error for a name that no symbol has.
pub(crate) fn no_such_symbol(cx: &ReadCx<'_>, wanted: &SymbolRef, field: &str) -> ToolError {
    let name = short_name(wanted);
    let place = wanted.file.as_deref().map(|file| format!(" in {file:?}")).unwrap_or_default();
    let message = format!("no symbol is called {name:?}{place}");
    look_up(cx, ToolError::new(Code::UnknownSymbol, message).at(field), &wanted.name)
}

/// Returns the error for a name that several symbols have.
pub(crate) fn ambiguous_symbol(wanted: &SymbolRef, hits: &[Hit], field: &str, advice: &str) -> ToolError {
    let message = format!(
        "{} symbols are called {:?}; {advice}, or one of the candidates' ids",
        hits.len(),
        short_name(wanted)
    );
    let candidates = hits.iter().take(2 * CANDIDATES).map(hit_candidate);
    ToolError::new(Code::AmbiguousSymbol, message).at(field).or_one_of(candidates)
}

fn short_name(wanted: &SymbolRef) -> String {
    wanted.name.chars().take(80).collect()
}

fn keep_if_any(hits: &mut Vec<Hit>, fits: impl Fn(&Hit) -> bool) {
    if hits.iter().any(&fits) {
        hits.retain(fits);
    }
}

fn ends_with_path(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./");
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}

/// Adds the nearest symbols to an error about `name`, and the search that finds more.
pub(crate) fn look_up(cx: &ReadCx<'_>, error: ToolError, name: &str) -> ToolError {
    let name: String = name.chars().take(200).collect();
    let request = SearchRequest { limit: CANDIDATES, ..SearchRequest::new(&name) };
    let error = match search_symbols(cx.source, &request) {
        Ok(found) => error
            .or_one_of(found.results.iter().chain(&found.near_misses).take(CANDIDATES).map(hit_candidate)),
        // The error at hand says more than a failed search.
        Err(_) => error,
    };
    error.next(
        Call::tool("symbol.search"),
        json!({"repoId": cx.repo.id(), "query": name}),
        "finds symbols by name",
    )
}

fn hit_candidate(hit: &Hit) -> Candidate {
    Candidate::of("symbolId", hit.symbol_id.to_string())
        .with("name", hit.qualified_name.clone())
        .with("kind", hit.kind.name())
        .with("file", hit.file.clone())
        .with("line", hit.line)
}

/// Returns the options for cards, as far as the source has what they show. Of a part of the tree that is the text of the
/// symbol itself, because edges are found once all files are read.
pub(crate) fn within_reach(cx: &ReadCx<'_>, mut options: CardOptions) -> CardOptions {
    if cx.part.is_some() && options.detail > Detail::Signature {
        cx.note(format!(
            "cards are at detail {} until the first index is done, in place of {}",
            Detail::Signature.name(),
            options.detail.name()
        ));
        options.detail = Detail::Signature;
    }
    options
}

/// Returns a symbol's card, at the fullest level up to the wanted one that fits into `most` tokens.
pub(crate) fn card_within(
    cx: &ReadCx<'_>,
    sym: &Sym,
    mut options: CardOptions,
    most: usize,
) -> Result<Card, ToolError> {
    let enrichment = cx.repo.enrichment(cx.snapshot);
    loop {
        let mut card = card::card_of(cx.source, sym, options, enrichment.as_ref())?;
        card.ledger_version = Some(cx.version);
        let lower = Detail::ALL.into_iter().rev().find(|level| *level < options.detail);
        match lower {
            Some(lower) if budget::json_tokens(&card)? > most => {
                cx.note(format!(
                    "the card of {} at detail {} is larger than the answer may be; here it is at {}",
                    card.qualified_name,
                    options.detail.name(),
                    lower.name()
                ));
                options.detail = lower;
            }
            _ => return Ok(card),
        }
    }
}

/// Returns a path of this repository, from a client's text: relative, or absolute below the root.
pub(crate) fn repo_path(repo: &dyn Repo, text: &str, field: &str) -> Result<RelPath, ToolError> {
    let below = std::path::Path::new(text).strip_prefix(repo.root()).ok().and_then(std::path::Path::to_str);
    let text = below.unwrap_or(text);
    let text = text.strip_prefix("./").unwrap_or(text);
    RelPath::new(text).ok_or_else(|| {
        let shown: String = text.chars().take(200).collect();
        let message = format!("{shown:?} is not a path inside {}", repo.root().display());
        ToolError::new(Code::UnknownPath, message).at(field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_at_whole_parts() {
        assert!(ends_with_path("src/a/mod.rs", "mod.rs"));
        assert!(ends_with_path("src/a/mod.rs", "./a/mod.rs"));
        assert!(ends_with_path("src/a/mod.rs", "src/a/mod.rs"));
        assert!(!ends_with_path("src/a/mod.rs", "od.rs"));
    }
}
