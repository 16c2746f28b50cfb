//! Facts about code: anchored when they are added, followed and compared with the code when they are shown.

use sdl_memory::Anchors;
use sdl_memory::graph::{Fact, OnChange, Triple, View, When, facts_about_code, is_code, put_followed_facts};

use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::{
    AnchorState, FileState, StaleSince, States, anchor_states, follow_anchors, link_anchors, stale_since,
};
use crate::{Explained as _, ToolError};

/// The beginning of the name of an entity that is a file.
const FILE: &str = "file:";
/// Facts about code that are followed at once.
const MOST_FOLLOWED: usize = 2_000;
/// Symbols, and files, that a fact may be about.
pub(crate) const MOST_LINKS: usize = 50;

/// A fact and the state of the code that it is about.
pub(crate) struct Checked {
    pub(crate) fact: Fact,
    /// None for a fact that is about no code.
    pub(crate) state: Option<AnchorState>,
    pub(crate) since: Option<StaleSince>,
}

/// Links a new fact to its code: its subject and its object where they are code, and the other symbols and files that are given. Returns the
/// names of subject and object as they are kept.
pub(crate) fn link_fact(
    cx: &OwnedCx<'_>,
    (subject, object): (&str, &str),
    (symbols, files): (Option<&[String]>, Option<&[String]>),
) -> Result<(Anchors, String, String), ToolError> {
    let mut all = Anchors::default();
    let mut names = Vec::new();
    for (field, name) in [("subject", subject), ("object", object)] {
        let name = name.trim();
        if !is_code(name) {
            names.push(name.to_owned());
            continue;
        }
        let one = [name.strip_prefix(FILE).unwrap_or(name).to_owned()];
        let linked = if name.starts_with(FILE) {
            link_anchors(cx, None, Some(&one))
        } else {
            link_anchors(cx, Some(&one), None)
        };
        let (of_symbol, of_file) = linked.map_err(|error| error.at(field))?;
        let path = of_file.as_ref().and_then(|anchors| anchors.files.first());
        names.push(path.map_or_else(|| name.to_owned(), |file| format!("{FILE}{}", file.path)));
        for anchors in of_symbol.iter().chain(&of_file) {
            all.join(anchors, MOST_LINKS);
        }
    }
    let (of_symbols, of_files) = link_anchors(cx, symbols, files)?;
    for anchors in of_symbols.iter().chain(&of_files) {
        all.join(anchors, MOST_LINKS);
    }
    if let Some(read) = cx.read.filter(|_| !all.is_empty()) {
        all.version = all.version.max(read.version.0);
    }
    let object = names.pop().unwrap_or_default();
    Ok((all, names.pop().unwrap_or_default(), object))
}

/// Leads the anchors of rows to where their code is, and stores that. Whether any was led somewhere.
fn follow_rows(cx: &OwnedCx<'_>, rows: &mut [Triple]) -> Result<bool, ToolError> {
    cx.read.map_or(Ok(false), |read| follow_facts(read, &cx.family(), rows))
}

/// The same in a version of a repository.
pub(crate) fn follow_facts(
    read: &ReadCx<'_>,
    family: &Family,
    rows: &mut [Triple],
) -> Result<bool, ToolError> {
    let mut anchors: Vec<(String, Anchors)> =
        rows.iter().map(|row| (row.scope.clone(), row.anchors.clone())).collect();
    let mut held: Vec<_> = anchors.iter_mut().map(|(scope, anchors)| (scope.as_str(), anchors)).collect();
    let stored = follow_anchors(read, family, &mut held)?;
    let mut is_changed = false;
    for (row, (_, anchors)) in rows.iter_mut().zip(anchors) {
        is_changed |= row.anchors != anchors;
        row.follow(anchors);
    }
    let stored: Vec<Triple> = stored.into_iter().filter_map(|at| rows.get(at).cloned()).collect();
    if !stored.is_empty() {
        // Anchors that can't be written now are followed again by the next call.
        if let Err(error) = put_followed_facts(read.call.host.agent(), &stored) {
            read.note(format!("links that were followed could not be stored: {error}"));
        }
    }
    Ok(is_changed)
}

/// Leads all facts about the code of the repository to where that code is now, so that they are found under its new names.
pub(crate) fn follow_all(cx: &OwnedCx<'_>, view: &View) -> Result<bool, ToolError> {
    let family = cx.family();
    let mut rows = cx.look(|reader| facts_about_code(reader, view, family.ids(), MOST_FOLLOWED))?;
    if rows.is_empty() {
        return Ok(false);
    }
    follow_rows(cx, &mut rows)
}

/// Follows the code of facts, compares it with that of the version, and ends facts whose code is gone if they ask for that.
pub(crate) fn check_facts(cx: &OwnedCx<'_>, facts: Vec<Fact>, when: When) -> Result<Vec<Checked>, ToolError> {
    let mut rows: Vec<Triple> = facts.iter().map(|fact| fact.triple.clone()).collect();
    if rows.iter().any(|row| !row.anchors.is_empty()) {
        follow_rows(cx, &mut rows)?;
    }
    let family = cx.family();
    let mut checked = Vec::with_capacity(facts.len());
    for (mut fact, row) in facts.into_iter().zip(rows) {
        if row.anchors.is_empty() {
            checked.push(Checked { fact, state: None, since: None });
            continue;
        }
        fact.follow(row.anchors);
        let row = &fact.triple;
        let states = anchor_states(cx.read, &family, &row.scope, &row.anchors)?;
        let since = match cx.read {
            Some(read) => stale_since(read, &row.anchors, &states)?,
            None => None,
        };
        let state = worst_state(&states);
        if row.on_change == OnChange::Invalidate
            && state == AnchorState::Gone
            && let Some(gone) = since.as_ref().and_then(StaleSince::at_ms)
        {
            let gone = gone as i64;
            fact.to = Some(fact.to.map_or(gone, |to| to.min(gone)));
            if matches!(when, When::At(at) if gone <= at) || gone <= fact.from {
                continue;
            }
        }
        checked.push(Checked { fact, state: Some(state), since });
    }
    Ok(checked)
}

/// Returns the facts that end because their code is gone and whose end is not stored, with the time of it.
pub(crate) fn gone_facts(cx: &OwnedCx<'_>, view: &View) -> Result<Vec<(String, i64)>, ToolError> {
    let Some(read) = cx.read else { return Ok(Vec::new()) };
    let family = cx.family();
    let mut rows = cx.look(|reader| facts_about_code(reader, view, family.ids(), MOST_FOLLOWED))?;
    rows.retain(|row| row.on_change == OnChange::Invalidate && row.valid_to.is_none() && row.ends.is_empty());
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    follow_rows(cx, &mut rows)?;
    let mut gone = Vec::new();
    for row in rows {
        let states = anchor_states(cx.read, &family, &row.scope, &row.anchors)?;
        if worst_state(&states) == AnchorState::Gone
            && let Some(at) = stale_since(read, &row.anchors, &states)?.and_then(|since| since.at_ms())
        {
            gone.push((row.id, i64::try_from(at).unwrap_or(i64::MAX)));
        }
    }
    Ok(gone)
}

/// The state of all anchors of a fact: of the one that changed most.
fn worst_state(states: &States) -> AnchorState {
    let files = states.files.iter().filter_map(|state| match state {
        FileState::Known(state) => Some(*state),
        FileState::Unknown => None,
    });
    let all: Vec<AnchorState> = states.symbols.iter().copied().chain(files).collect();
    let order = [AnchorState::Gone, AnchorState::Changed, AnchorState::Renamed, AnchorState::Unchecked];
    order.into_iter().find(|state| all.contains(state)).unwrap_or(AnchorState::Same)
}
