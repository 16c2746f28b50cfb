//! The scope of a question: a symbol, a file or a task.

use std::cmp::Reverse;

use schemars::JsonSchema;
use sdl_model::facts::DefFlags;
use sdl_model::lang::is_source_name;
use sdl_model::{FileId, RelPath, SymbolKind};
use sdl_retrieve::search::{SearchRequest, search_symbols};
use sdl_retrieve::slice::SliceRequest;
use serde::{Deserialize, Serialize};

use crate::call::context::ReadCx;
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};

/// Maximum number of symbols of the same name that a briefing starts from.
const MOST_STARTS: usize = 3;

/// Words that make a short question a task.
const TASK_WORDS: [&str; 20] = [
    "add",
    "bug",
    "change",
    "debug",
    "error",
    "explain",
    "find",
    "fix",
    "how",
    "implement",
    "improve",
    "investigate",
    "refactor",
    "remove",
    "rename",
    "review",
    "trace",
    "understand",
    "where",
    "why",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Scope {
    Symbol,
    File,
    Task,
}

impl Scope {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::File => "file",
            Self::Task => "task",
        }
    }

    /// Guesses the scope from the form of a question: a path, else a sentence, else a name.
    pub(crate) fn of(query: &str) -> Self {
        let words: Vec<&str> = query.split_whitespace().collect();
        if words.len() == 1 && (query.contains(['/', '\\']) || is_source_name(query)) {
            return Self::File;
        }
        let task = |word: &&str| TASK_WORDS.contains(&word.to_lowercase().as_str());
        if words.len() >= 3 || words.iter().any(task) { Self::Task } else { Self::Symbol }
    }
}

/// Returns where a briefing on a question starts. A question that only looks like a path or a name is treated as a
/// task, and the answer says so.
pub(crate) fn briefing_seeds(
    cx: &ReadCx<'_>,
    query: &str,
    given: Option<Scope>,
) -> Result<(Scope, SliceRequest), ToolError> {
    let wanted = given.unwrap_or_else(|| Scope::of(query));
    let found = match wanted {
        Scope::Task => Ok(task_request(query)),
        Scope::File => file_request(cx, query),
        Scope::Symbol => symbol_request(cx, query),
    };
    match found {
        Ok(request) => Ok((wanted, request)),
        Err(error)
            if given.is_none() && matches!(error.refusal.code, Code::UnknownPath | Code::UnknownSymbol) =>
        {
            // A note can't carry candidates.
            let meant: Vec<&str> = error
                .refusal
                .about
                .candidates
                .iter()
                .filter_map(|one| one.0.get("query")?.as_str())
                .collect();
            let meant = if meant.is_empty() { String::new() } else { format!(" ({})", meant.join(", ")) };
            cx.note(format!("{}{meant}; taken as a task", error.refusal.message));
            Ok((Scope::Task, task_request(query)))
        }
        Err(error) => Err(error),
    }
}

fn task_request(query: &str) -> SliceRequest {
    SliceRequest { task_text: Some(query.to_owned()), ..SliceRequest::default() }
}

fn file_request(cx: &ReadCx<'_>, query: &str) -> Result<SliceRequest, ToolError> {
    let query = query.trim().replace('\\', "/");
    let path = symbols::repo_path(cx.repo, &query, "query")?;
    let file = cx.source.view().file_id(&path);
    if cx.source.view().file(file)?.is_some() {
        return own_request(cx, file);
    }
    let end = format!("/{}", path.as_str());
    let near = symbols::near_files(cx, &path)?;
    if let [only] = &near[..]
        && only.ends_with(&end)
        && let Some(path) = RelPath::new(only)
    {
        return own_request(cx, cx.source.view().file_id(&path));
    }
    Err(symbols::no_such_file(cx, &path, "query")?)
}

/// Starts from a file's own symbols, best first: tests last, then values, then what other files can't see. Its users
/// are no starts, as they are where it was edited: a file with many tests would be described by them.
fn own_request(cx: &ReadCx<'_>, file: FileId) -> Result<SliceRequest, ToolError> {
    let mut own = Vec::new();
    for (place, sym) in cx.source.symbols_of(file)?.into_iter().enumerate() {
        if sym.def().flags.has(DefFlags::LOCAL) || sym.kind() == SymbolKind::Impl {
            continue;
        }
        let value = !sym.kind().is_callable() && !sym.kind().is_type();
        let used = Reverse(cx.source.view().fan_in(sym.id)?);
        own.push(((sym.is_test(), value, !sym.exported(), used, place), sym.id));
    }
    own.sort_unstable();
    let own = own.into_iter().map(|(_, id)| id).collect();
    Ok(SliceRequest { entry_symbols: own, ..SliceRequest::default() })
}

fn symbol_request(cx: &ReadCx<'_>, query: &str) -> Result<SliceRequest, ToolError> {
    let query = query.trim();
    if query.parse::<sdl_model::SymbolId>().is_ok() {
        let sym = symbols::by_id(cx, query, "query")?;
        return Ok(SliceRequest { entry_symbols: vec![sym.id], ..SliceRequest::default() });
    }
    let found = search_symbols(cx.source, &SearchRequest { limit: 10, ..SearchRequest::new(query) })?;
    let exact = |hit: &&sdl_retrieve::search::Hit| hit.name == query || hit.qualified_name == query;
    let mut starts: Vec<_> = found.results.iter().filter(exact).map(|hit| hit.symbol_id).collect();
    if starts.is_empty() {
        starts = found.results.iter().map(|hit| hit.symbol_id).collect();
    }
    starts.truncate(MOST_STARTS);
    if starts.is_empty() {
        let shown: String = query.chars().take(80).collect();
        let error = ToolError::new(Code::UnknownSymbol, format!("no symbol is called {shown:?}")).at("query");
        return Err(symbols::look_up(cx, error, query));
    }
    Ok(SliceRequest { entry_symbols: starts, ..SliceRequest::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_question_decides_its_scope() {
        let all = [
            ("src/auth.ts", Scope::File),
            (r"src\auth", Scope::File),
            ("auth.py", Scope::File),
            ("Session.close", Scope::Symbol),
            ("auth middleware", Scope::Symbol),
            ("validateToken", Scope::Symbol),
            ("fix auth", Scope::Task),
            ("how tokens are checked", Scope::Task),
            ("read and/or write a file", Scope::Task),
        ];
        for (query, scope) in all {
            assert_eq!(Scope::of(query), scope, "{query}");
        }
    }
}
