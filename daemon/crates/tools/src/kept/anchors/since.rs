//! Finds the version since which a row is stale.

use schemars::JsonSchema;
use sdl_memory::{Anchors, SymbolAnchor};
use sdl_model::{FileId, RelPath, SymbolId, Version, VersionRow};
use sdl_retrieve::diff::changed_symbols;
use serde::Serialize;

use super::same::is_same_code;
use super::{AnchorState, FileState, States};
use crate::ToolError;
use crate::call::context::ReadCx;

/// Versions that are looked at for one row, newest first.
const MOST_VERSIONS: usize = 50;

/// Since when a row is stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct StaleSince {
    /// The first version of its present stale time. With `before`, the oldest one that was looked at.
    version: String,
    /// When that version was made, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    /// Git's commit then.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// True if it was stale before that version already: no older one is kept, or 50 were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<bool>,
}

impl StaleSince {
    /// When that version was made, in Unix milliseconds.
    pub(crate) fn at_ms(&self) -> Option<u64> {
        self.at
    }

    /// The version, for texts.
    pub(crate) fn words(&self) -> String {
        let before = if self.before.is_some() { "before " } else { "" };
        format!("{before}{}", self.version)
    }
}

/// A stale anchor on its way back in time.
struct Trace<'a> {
    /// The symbol, or the module of a file.
    id: Option<SymbolId>,
    path: String,
    /// The anchor whose code it should have; none for a file, which should only be there.
    anchor: Option<&'a SymbolAnchor>,
}

/// Returns since which version the row is stale: the first of the versions, back from the one that is answered from, in which one of its anchors
/// that are stale now was stale. None if it is not stale. Looks at 50 versions at most, and opens only those that changed its files.
pub(crate) fn stale_since(
    cx: &ReadCx<'_>,
    anchors: &Anchors,
    states: &States,
) -> Result<Option<StaleSince>, ToolError> {
    let Some(head) = cx.snapshot.head().filter(|_| states.is_stale()) else { return Ok(None) };
    let stale = anchors.symbols.iter().zip(&states.symbols).filter(|(_, state)| state.is_stale());
    let mut traces: Vec<Trace<'_>> = stale
        .map(|(anchor, _)| Trace { id: Some(anchor.id), path: anchor.file.clone(), anchor: Some(anchor) })
        .collect();
    let gone = |state: &FileState| *state == FileState::Known(AnchorState::Gone);
    let files = anchors.files.iter().zip(&states.files).filter(|(_, state)| gone(state));
    traces.extend(files.map(|(anchor, _)| Trace { id: None, path: anchor.path.clone(), anchor: None }));
    let floor = cx.snapshot.floor().unwrap_or(head);
    // The row is stale as long as any anchor is; those that became so earliest decide.
    let mut since = head;
    let mut version = head;
    for _ in 0..MOST_VERSIONS {
        if version <= floor || traces.is_empty() {
            break;
        }
        cx.call.check()?;
        let Some(row) = cx.snapshot.version_row(version)? else { break };
        let before = row.parent.unwrap_or(floor);
        let mut open = Vec::new();
        for trace in traces {
            open.extend(step_back(cx, trace, &row, before)?);
        }
        traces = open;
        since = version;
        version = before;
    }
    let before = !traces.is_empty();
    let shown = if before { version } else { since };
    let row = cx.snapshot.version_row(shown)?;
    Ok(Some(StaleSince {
        version: shown.to_string(),
        at: row.as_ref().map(|row| row.time_ms),
        commit: row.and_then(|row| row.head).and_then(|head| head.commit),
        before: before.then_some(true),
    }))
}

/// The anchor in the version before `row`'s; none if it was not stale there.
fn step_back<'a>(
    cx: &ReadCx<'_>,
    mut trace: Trace<'a>,
    row: &VersionRow,
    before: Version,
) -> Result<Option<Trace<'a>>, ToolError> {
    let Some(path) = RelPath::new(&trace.path) else { return Ok(None) };
    let file = FileId::of(&path);
    if !row.changes.iter().any(|change| change.file == file) {
        return Ok(Some(trace));
    }
    let past = cx.snapshot.file_at(file, before)?;
    let Some(anchor) = trace.anchor else {
        return Ok(if past.is_some() { None } else { Some(trace) });
    };
    let outline = match past.and_then(|past| past.state.facts()) {
        Some(key) => cx.source.outlines().outline(key)?,
        None => None,
    };
    let found = outline.as_ref().and_then(|outline| {
        let ix = outline.find(file, trace.id?)?;
        outline.def(ix)
    });
    if let Some(def) = found {
        return Ok((!is_same_code(anchor, def)).then_some(trace));
    }
    // It had another name or place before, or was not there.
    let changes = cx.snapshot.changes_between(before, row.version)?;
    let changed = changed_symbols(cx.snapshot, cx.source.outlines(), (before, row.version), &changes)?;
    let moved = changed.into_iter().find(|change| change.new.as_ref().map(|new| new.id) == trace.id);
    let Some(old) = moved.and_then(|change| change.old) else { return Ok(Some(trace)) };
    if is_same_code(anchor, old.def()) {
        return Ok(None);
    }
    trace.id = Some(old.id);
    old.path().clone_into(&mut trace.path);
    Ok(Some(trace))
}
