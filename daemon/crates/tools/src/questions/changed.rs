//! The symbols of a change that has not been made, or of one between two states.

use std::collections::BTreeSet;

use sdl_model::{SymbolId, SymbolKind};
use sdl_navigate::patch::{MAX_PATCH_BYTES, PatchedFile, parse_patch, patched_symbols};
use sdl_retrieve::Source;

use super::patched;
use super::target::find_target;
use crate::call::context::ReadCx;
use crate::changes::delta;
use crate::parts::symbols;
use crate::{Code, Explained, ToolError};

/// The arguments that name a change.
pub(crate) struct ChangeArgs<'r> {
    /// The action that asks.
    pub(crate) action: &'static str,
    /// Symbols.
    pub(crate) symbols: &'r [String],
    /// Paths: all symbols in them.
    pub(crate) files: &'r [String],
    /// A unified diff that has not been applied.
    pub(crate) diff: Option<&'r str>,
    /// The state before.
    pub(crate) from_version: Option<&'r str>,
    /// The state after.
    pub(crate) to_version: Option<&'r str>,
}

/// The symbols that change, sorted.
pub(crate) fn changed_symbols(
    cx: &ReadCx<'_>,
    source: &Source<'_>,
    args: &ChangeArgs<'_>,
) -> Result<Vec<SymbolId>, ToolError> {
    let mut changed = BTreeSet::new();
    for symbol in args.symbols {
        changed.extend(find_target(cx, source, symbol, "symbols")?.iter().map(|sym| sym.id));
    }
    for file in args.files {
        let path = symbols::repo_path(cx.repo, file, "files")?;
        let found = source.symbols_of(source.view().file_id(&path))?;
        if found.is_empty() {
            return Err(symbols::no_such_file(cx, &path, "files")?);
        }
        changed.extend(found.iter().map(|sym| sym.id));
    }
    if let Some(diff) = args.diff {
        cx.only_one("diff")?;
        changed.extend(read_diff(cx, source, diff)?);
    }
    if let Some(from) = args.from_version {
        cx.only_one("fromVersion")?;
        changed.extend(compared_symbols(cx, args, from)?);
    } else if args.to_version.is_some() {
        let message = "toVersion needs fromVersion: the state before the change";
        return Err(ToolError::invalid("fromVersion", message));
    }
    let is_named = !args.symbols.is_empty()
        || !args.files.is_empty()
        || args.diff.is_some()
        || args.from_version.is_some();
    if !is_named {
        let message =
            "name the change: symbols, files, diff, or fromVersion (and toVersion, by default the newest)";
        return Err(ToolError::new(Code::InvalidArgument, message).at("symbols"));
    }
    Ok(changed.into_iter().collect())
}

fn read_diff(cx: &ReadCx<'_>, source: &Source<'_>, diff: &str) -> Result<BTreeSet<SymbolId>, ToolError> {
    if diff.len() > MAX_PATCH_BYTES {
        let message = format!("diff has {} bytes; at most {MAX_PATCH_BYTES} are read", diff.len());
        return Err(ToolError::invalid("diff", message));
    }
    let patch = parse_patch(diff);
    if patch.is_empty() {
        let message = "diff has no hunk: give a unified diff, as git diff prints it";
        return Err(ToolError::invalid("diff", message));
    }
    let (compared, rest) = patched::changed_definitions(cx, &patch)?;
    let (by_line, unknown) = patched_symbols(source, &rest)?;
    // A module differs by each import. It changes as a whole only if other lines outside of its definitions do.
    let all: Vec<&PatchedFile> = patch.iter().collect();
    let (touched, _) = patched_symbols(source, &all)?;
    let is_module = |symbol: &SymbolId| -> Result<bool, ToolError> {
        Ok(source.view().symbol_home(*symbol)?.is_some_and(|home| home.kind == SymbolKind::Module))
    };
    let mut symbols = by_line;
    for symbol in compared {
        if touched.contains(&symbol) || !is_module(&symbol)? {
            symbols.insert(symbol);
        }
    }
    if !unknown.is_empty() {
        let shown = unknown.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        cx.note(format!("the diff names {} files that this version does not have: {shown}", unknown.len()));
    }
    Ok(symbols)
}

/// The symbols that differ between two states in more than documentation and layout.
fn compared_symbols(cx: &ReadCx<'_>, args: &ChangeArgs<'_>, from: &str) -> Result<Vec<SymbolId>, ToolError> {
    let to = args.to_version.unwrap_or("latest");
    let (from, to) = delta::find_ends(cx, args.action, from, to)?;
    let compared = delta::compare_ends(cx, &from, &to)?;
    let changed = compared.changed.iter().filter(|subject| subject.does_something_else());
    Ok(changed.map(|subject| subject.wire.symbol_id).collect())
}
