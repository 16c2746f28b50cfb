//! Compares anchors with the code of one version.

use sdl_memory::{Anchors, FileAnchor, SymbolAnchor};
use sdl_model::{FileId, RelPath};

use super::codes::code_now;
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::family::Family;

/// How the code of an anchor is, compared with when the row was written or confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnchorState {
    /// As it was.
    Same,
    /// Different.
    Changed,
    /// As it was, under another name or in another file.
    Renamed,
    /// Not there any more.
    Gone,
    /// Not known: it is in another repository, none was asked, or there is no version yet.
    Unchecked,
}

impl AnchorState {
    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Renamed => "renamed",
            Self::Gone => "gone",
            Self::Unchecked => "unchecked",
        }
    }

    /// Whether the row may be wrong now.
    pub(crate) fn is_stale(self) -> bool {
        matches!(self, Self::Changed | Self::Gone)
    }
}

/// How the file of an anchor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// As a symbol can be. A file never counts as changed.
    Known(AnchorState),
    /// It never was in a version.
    Unknown,
}

impl FileState {
    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known(state) => state.name(),
            Self::Unknown => "unknown",
        }
    }
}

/// The states of the anchors of a row, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct States {
    pub(crate) symbols: Vec<AnchorState>,
    pub(crate) files: Vec<FileState>,
}

impl States {
    /// The state of the symbols that matters most to a reader; none without symbols.
    pub(crate) fn worst_of_symbols(&self) -> Option<AnchorState> {
        let order = [AnchorState::Gone, AnchorState::Changed, AnchorState::Renamed, AnchorState::Unchecked];
        let worst = order.into_iter().find(|state| self.symbols.contains(state));
        worst.or(self.symbols.first().copied())
    }

    /// Whether the code of any anchor changed or is gone.
    pub(crate) fn is_stale(&self) -> bool {
        self.symbols.iter().any(|state| state.is_stale())
            || self.files.contains(&FileState::Known(AnchorState::Gone))
    }
}

/// Returns the states of the anchors of a row of `scope` in the version of the call; all unchecked without one. The anchors were followed before, because a renamed symbol would count as gone otherwise.
pub(crate) fn anchor_states(
    cx: Option<&ReadCx<'_>>,
    family: &Family,
    scope: &str,
    anchors: &Anchors,
) -> Result<States, ToolError> {
    let here = |repo: &Option<String>| family.has(repo.as_deref().unwrap_or(scope));
    let cx = cx.filter(|cx| cx.snapshot.head().is_some());
    let mut states = States::default();
    for anchor in &anchors.symbols {
        states.symbols.push(match cx.filter(|_| here(&anchor.repo)) {
            Some(cx) => symbol_state(cx, anchor)?,
            None => AnchorState::Unchecked,
        });
    }
    for anchor in &anchors.files {
        states.files.push(match cx.filter(|_| here(&anchor.repo)) {
            Some(cx) => file_state(cx, anchor)?,
            None => FileState::Known(AnchorState::Unchecked),
        });
    }
    Ok(states)
}

fn symbol_state(cx: &ReadCx<'_>, anchor: &SymbolAnchor) -> Result<AnchorState, ToolError> {
    Ok(match code_now(cx, anchor.id)? {
        None => AnchorState::Gone,
        Some(code) if !code.are_of(anchor) => AnchorState::Changed,
        Some(_) if anchor.was.is_some() => AnchorState::Renamed,
        Some(_) => AnchorState::Same,
    })
}

fn file_state(cx: &ReadCx<'_>, anchor: &FileAnchor) -> Result<FileState, ToolError> {
    let row = match RelPath::new(&anchor.path) {
        Some(path) => cx.source.view().file(FileId::of(&path))?,
        None => None,
    };
    Ok(match (row, anchor.gone) {
        (Some(_), _) if anchor.was.is_some() => FileState::Known(AnchorState::Renamed),
        (Some(_), _) => FileState::Known(AnchorState::Same),
        (None, Some(0)) => FileState::Unknown,
        (None, _) => FileState::Known(AnchorState::Gone),
    })
}
