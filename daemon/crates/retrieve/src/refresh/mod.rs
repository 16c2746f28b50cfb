//! Finds exactly the changes of a held slice up to a version.
//!
//! # The symbols of a slice
//!
//! A slice *follows* symbols, and *holds* those of them that exist:
//!
//! * In the version of its build, it follows the symbols that the build served.
//! * A later version adds the symbols that followed ones became by being renamed or moved in that version, and those
//!   that they newly call or implement: targets that no followed symbol called when the slice began to follow it
//!   ([`Following`]).
//! * It never stops following. A symbol that is removed is not held while it is gone, and is held again once it is
//!   back.
//!
//! So the symbols that a slice holds at a version are a function of the build's request, the version of the build, and
//! that version. Earlier requests by any client do not matter. Deltas compose, two clients of one handle at one version
//! hold the same, and a fresh instance holds the sum of the deltas. `docs/slices.md` states this for clients.
//!
//! Unsaved buffers count as one more version after the one that they are laid over. They are not stored.

mod advance;
mod compare;
mod delta;
mod found;
mod fresh;
mod lease;
mod standing;
mod unsaved;

pub use delta::{MovedCard, MovedCards, RefreshDelta};
pub use found::Found;
pub use fresh::find_fresh_unsaved;
pub use lease::{Followed, Following, Lease};
pub use standing::{HeldState, find_standing};
pub use unsaved::find_between;

use sdl_model::Version;

use crate::card::{Detail, Enrichment, Plain};
use crate::diff::{BlastQuestion, Delta, FanIn, blast_radius};
use crate::slice::BuiltSlice;
use crate::{Error, History, Outlines, Result, Source};
use found::Parts;

/// Most affected symbols that a slice's delta names.
const MOST_AFFECTED: usize = 12;

/// The result of a refresh.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nothing in the client's slice changed.
    NotModified,
    /// The changes.
    Delta(Box<RefreshDelta>),
    /// The whole slice: the client's version is unknown, aged out, or of another ledger.
    Fresh(Box<BuiltSlice>),
}

/// The inputs of a refresh.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Reads the state from which the refresh is answered.
    pub source: &'a Source<'a>,
    /// The versions.
    pub history: &'a dyn History,
    /// The outlines of the store.
    pub outlines: &'a dyn Outlines,
    /// The data of cards that is not in the graph.
    pub enrichment: &'a dyn Enrichment,
}

/// The outcome of a refresh, and the new lease.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The version that was compared with.
    pub current: Version,
    /// The changes.
    pub outcome: Outcome,
    /// The lease, brought up to `current`. Store it if it differs from the one given.
    pub lease: Lease,
}

/// Updates a held slice to the current version of `history`, within the budget that it was built with.
pub fn refresh_slice(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    known: Version,
    enrichment: &dyn Enrichment,
) -> Result<Refreshed> {
    find(history, outlines, lease, known, enrichment, found::to_budget)
}

/// As [`refresh_slice`]; `choose` decides how much of the findings is needed.
pub fn find<T, E: From<Error>>(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    known: Version,
    enrichment: &dyn Enrichment,
    choose: impl FnOnce(&Found<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let head = history.version();
    if !is_comparable(history, lease, known) {
        let source = Source::new(history, outlines);
        return fresh::find_fresh(&source, history, lease, enrichment, choose);
    }
    // The smaller version counts, because a client may have seen a newer version in another answer, but of this slice
    // only the served one.
    let known = known.min(lease.current);
    let mut lease = lease.clone();
    advance::advance_lease(history, outlines, &mut lease, head)?;
    let (before, after) = (lease.following.at(known), lease.following.at(head));
    let ends = Ends { from: known, to: head, before: &before, after: &after };
    let parts = compare_states(history, outlines, &lease, &ends, enrichment)?;
    choose(&Found { current: head, lease, parts })
}

/// Whether a delta from `known` can be computed.
fn is_comparable(history: &dyn History, lease: &Lease, known: Version) -> bool {
    is_followed(history, lease) && (lease.built..=history.version()).contains(&known)
}

/// Whether the ledger still has every version since the build.
fn is_followed(history: &dyn History, lease: &Lease) -> bool {
    lease.incarnation == history.incarnation()
        && lease.built <= history.version()
        && history.floor().is_some_and(|floor| floor <= lease.built)
}

/// Two states of a slice.
struct Ends<'f> {
    from: Version,
    to: Version,
    before: &'f Following,
    after: &'f Following,
}

/// Compares a slice in two states of `history`, of which the later is the newest.
fn compare_states<'p>(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    &Ends { from, to, before, after }: &Ends<'_>,
    enrichment: &dyn Enrichment,
) -> Result<Parts<'p>> {
    if from == to {
        return Ok(Parts::NotModified);
    }
    let changes = history.changes_between(from, to)?;
    let detail = lease.request.card_detail.unwrap_or(Detail::Compact);
    let found = compare::compare_held(history, outlines, (from, to), (before, after), &changes, detail)?;
    if found.is_empty() {
        return Ok(Parts::NotModified);
    }
    let source = Source::new(history, outlines);
    let fan_in = FanIn::between(history, from, &changes)?;
    // Without processes, because they need walks over the graph, and a refresh is requested after each edit.
    let question = BlastQuestion {
        from,
        changes: &changes,
        changed: &found.changed,
        fan_in: &fan_in,
        enrichment: &Plain,
        most: MOST_AFFECTED,
    };
    let blast = blast_radius(&source, history, &question)?;
    let delta =
        Delta { from_version: from, to_version: to, changed_symbols: Vec::new(), blast_radius: blast };
    Ok(Parts::Delta(Box::new(delta::with_cards(&source, delta, &found, lease, enrichment)?)))
}
