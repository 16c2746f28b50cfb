//! Who works on the same code.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use sdl_memory::Anchors;
use sdl_memory::work::dispatch::{DispatchFilter, list_dispatches};
use sdl_memory::work::session::find_session;
use serde::Serialize;

use crate::ToolError;
use crate::call::answers::begin_line;
use crate::call::owned::OwnedCx;

/// Overlaps that are named.
const MOST: usize = 10;
/// Dispatches that are compared.
const MOST_DISPATCHES: usize = 500;
/// Files and symbols that are named of one overlap.
const MOST_SHARED: usize = 10;

/// Somebody who works on the same code.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Overlap {
    /// The session that was lately served the same code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session_id: Option<String>,
    /// The claimed dispatch that is about the same code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dispatch_id: Option<String>,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// Paths and symbol ids that both are about.
    pub(crate) shared: Vec<String>,
}

/// The paths and symbol ids of anchors.
fn names_of(anchors: &Anchors) -> BTreeSet<String> {
    let symbols = anchors.symbols.iter().flat_map(|symbol| [symbol.id.to_string(), symbol.file.clone()]);
    symbols.chain(anchors.files.iter().map(|file| file.path.clone())).collect()
}

/// Returns the other open sessions and claimed dispatches that are about the same code: nobody is kept from it.
pub(crate) fn find_overlaps(
    cx: &OwnedCx<'_>,
    anchors: &Anchors,
    own: Option<&str>,
) -> Result<Vec<Overlap>, ToolError> {
    let names = names_of(anchors);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let now_ms = cx.now_ms();
    let mut found = Vec::new();
    let present = &cx.call.work.present;
    let other = |id: &&String| cx.author.session.as_ref() != Some(*id);
    for id in present.open_keys().iter().filter(other) {
        let touched = present.touched_by(id, now_ms).into_iter();
        let touched = touched.filter(|touched| cx.scopes.reads(&touched.repo)).map(|touched| touched.name);
        let shared: Vec<String> = touched.filter(|name| names.contains(name)).take(MOST_SHARED).collect();
        if !shared.is_empty() {
            let agent = cx.look(|tables| find_session(tables, id))?.and_then(|row| row.agent);
            found.push(Overlap { session_id: Some(id.clone()), dispatch_id: None, agent, shared });
        }
    }
    let reads = |scope: &str| cx.scopes.reads(scope);
    let live = cx.look(|tables| {
        list_dispatches(tables, DispatchFilter::default(), reads, (now_ms, MOST_DISPATCHES))
    })?;
    for row in live.into_iter().filter(|row| Some(row.id.as_str()) != own) {
        let Some(holder) = row.standing.holder_at(now_ms) else { continue };
        let shared: Vec<String> = names_of(&row.anchors)
            .into_iter()
            .filter(|name| names.contains(name))
            .take(MOST_SHARED)
            .collect();
        if !shared.is_empty() {
            let agent = holder.agent.clone();
            found.push(Overlap { session_id: None, dispatch_id: Some(row.id), agent, shared });
        }
    }
    found.truncate(MOST);
    Ok(found)
}

/// Appends overlaps to the text of an answer.
pub(crate) fn overlap_lines(text: &mut String, overlaps: &[Overlap]) {
    for overlap in overlaps {
        let who = overlap.agent.as_deref().unwrap_or("somebody");
        let place = overlap.session_id.as_deref().or(overlap.dispatch_id.as_deref()).unwrap_or_default();
        begin_line(text, format_args!("overlap: {who} [{place}] {}", overlap.shared.join(", ")));
    }
}
