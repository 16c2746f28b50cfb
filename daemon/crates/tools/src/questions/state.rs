//! The state that a question is asked of: the newest version, or an earlier one.

use sdl_retrieve::Source;
use sdl_retrieve::layer::{Laid, LaidOutlines};

use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::outlines::StoredOutlines;
use crate::changes::delta;

/// The state that a question is asked of.
pub(crate) struct Asked<'s, 'a> {
    /// The graph and the outlines.
    pub(crate) source: &'s Source<'a>,
    /// Its name: a version, or `git:` and a commit. None for the newest version, which `freshness` names.
    pub(crate) name: Option<String>,
}

impl Asked<'_, '_> {
    /// Whether the tree holds the texts of this state.
    pub(crate) fn is_newest(&self) -> bool {
        self.name.is_none()
    }
}

/// Runs `read` on the state called `at`, or on the newest.
pub(crate) fn read_state<T>(
    cx: &ReadCx<'_>,
    action: &str,
    at: Option<&str>,
    read: impl FnOnce(&Asked<'_, '_>) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    let Some(at) = at.filter(|at| *at != "latest") else {
        return read(&Asked { source: cx.source, name: None });
    };
    cx.only_one("atVersion")?;
    let end = delta::find_end(cx, action, at, "atVersion")?;
    let laid = Laid::new(cx.snapshot, &end.layer);
    let stored = StoredOutlines(cx.repo.facts());
    let outlines = LaidOutlines::new([&*end.layer], &stored);
    let source = Source::new(&laid, &outlines);
    read(&Asked { source: &source, name: Some(end.name.clone()) })
}
