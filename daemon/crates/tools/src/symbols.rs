//! Finding the symbols that arguments name, and saying which were meant when they name none.

use sdl_model::{RelPath, SymbolId, Version};
use sdl_retrieve::Sym;
use sdl_retrieve::card::{self, Card, CardOptions, Detail};
use sdl_retrieve::search::{Hit, SearchRequest, search};
use serde_json::json;

use crate::action::{Call, ReadCx};
use crate::params::SymbolRef;
use crate::{Candidate, Code, Repo, ToolError, budget};

/// Candidates listed with an error.
const CANDIDATES: usize = 5;
/// Results among which a name and a file are told apart.
const NAMESAKES: usize = 1_000;

/// The symbol of that id.
pub(crate) fn by_id(cx: &ReadCx<'_>, text: &str, field: &str) -> Result<Sym, ToolError> {
    let Ok(id) = text.parse::<SymbolId>() else {
        let shown: String = text.chars().take(80).collect();
        let message =
            format!("{shown:?} is not a symbol id (s_ and 13 characters); give symbolRef for a name");
        let error = ToolError::new(Code::UnknownSymbol, message).at(field);
        return Err(look_up(cx, error, text));
    };
    if let Some(sym) = cx.source.symbol(id)? {
        return Ok(sym);
    }
    let Some((name, file)) = was(cx, id)? else {
        let message = format!("there is no symbol {id} in version {}, nor was there lately", cx.version);
        return Err(ToolError::new(Code::UnknownSymbol, message).at(field));
    };
    let message = format!(
        "{id} was {name:?} in {file}; it was removed, renamed or moved before version {}",
        cx.version
    );
    Err(look_up(cx, ToolError::new(Code::UnknownSymbol, message).at(field), &name))
}

/// Versions that are searched for a symbol that is gone.
const LATELY: u64 = 200;

/// The qualified name and the file that a symbol had before it went, if that was lately.
fn was(cx: &ReadCx<'_>, id: SymbolId) -> Result<Option<(String, String)>, ToolError> {
    let Some(floor) = cx.snapshot.floor() else { return Ok(None) };
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

/// The one symbol that fits.
pub(crate) fn by_ref(cx: &ReadCx<'_>, wanted: &SymbolRef, field: &str) -> Result<Sym, ToolError> {
    let found = search(
        cx.source,
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
    // A path that is given in full beats those that only end alike, a qualified name the simple ones.
    keep_if_any(&mut hits, |hit| wanted.file.as_deref() == Some(hit.file.as_str()));
    keep_if_any(&mut hits, |hit| hit.qualified_name == wanted.name);
    let name: String = wanted.name.chars().take(80).collect();
    match &hits[..] {
        [only] => {
            let symbol = cx.source.symbol(only.symbol_id)?;
            symbol.ok_or_else(|| {
                ToolError::internal("opening a symbol", "search found it, the version lacks it")
            })
        }
        [] => {
            let place = wanted.file.as_deref().map(|file| format!(" in {file:?}")).unwrap_or_default();
            let message = format!("no symbol is called {name:?}{place}");
            Err(look_up(cx, ToolError::new(Code::UnknownSymbol, message).at(field), &wanted.name))
        }
        several => {
            let message = format!(
                "{} symbols are called {name:?}; give file or kind too, or one of the candidates' ids",
                several.len()
            );
            Err(ToolError::new(Code::AmbiguousSymbol, message)
                .at(field)
                .or_one_of(several.iter().take(2 * CANDIDATES).map(candidate)))
        }
    }
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
    let error = match search(cx.source, &request) {
        Ok(found) => {
            error.or_one_of(found.results.iter().chain(&found.near_misses).take(CANDIDATES).map(candidate))
        }
        // The error at hand says more than a failed search for what was meant.
        Err(_) => error,
    };
    error.next(
        Call::tool("symbol.search"),
        json!({"repoId": cx.repo.id(), "query": name}),
        "finds symbols by name",
    )
}

fn candidate(hit: &Hit) -> Candidate {
    Candidate::of("symbolId", hit.symbol_id.to_string())
        .with("name", hit.qualified_name.clone())
        .with("kind", hit.kind.name())
        .with("file", hit.file.clone())
        .with("line", hit.line)
}

/// A symbol's card, at the fullest level up to the wanted one that fits into `most` tokens.
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
            Some(lower) if budget::of(&card)? > most => {
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

/// A path of this repository, from what a client may write: relative, or absolute below the root.
pub(crate) fn path(repo: &dyn Repo, text: &str, field: &str) -> Result<RelPath, ToolError> {
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
