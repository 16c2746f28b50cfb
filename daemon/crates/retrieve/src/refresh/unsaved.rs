//! A held slice between two states that are no versions: unsaved buffers came, changed or went.

use sdl_model::Version;

use super::advance::advance_lease;
use super::found::{Found, Parts};
use super::fresh::with_unsaved;
use super::{Ends, Lease, Place, compare_states, find_fresh_unsaved, is_comparable};
use crate::Error;
use crate::layer::{Between, LaidOutlines, Layer};

/// Advances a slice that is held at the state `then`, over the version `known`, to the state `now` over the current
/// version of the place's history. Both layers are over the newest version; the place's source reads `now`.
pub fn find_between<T, E: From<Error>>(
    place: &Place<'_>,
    lease: &Lease,
    (known, then): (Version, &Layer),
    now: &Layer,
    choose: impl FnOnce(&Found<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let &Place { history, outlines, enrichment, .. } = place;
    if !is_comparable(history, lease, known) {
        return find_fresh_unsaved(place, lease, now, choose);
    }
    let head = history.version();
    let mut lease = lease.clone();
    advance_lease(history, outlines, &mut lease, head)?;
    let below = Layer::of_version(history, outlines, known)?;
    let before = with_unsaved(history, outlines, &lease, (lease.following.at(known), &below), then)?;
    let after = with_unsaved(history, outlines, &lease, (lease.following.at(head), &Layer::default()), now)?;
    let laid = LaidOutlines::new([then, now], outlines);
    let between = Between::new(history, then, now);
    let ends = Ends { from: Between::FROM, to: Between::TO, before: &before, after: &after };
    let mut parts = compare_states(&between, &laid, &lease, &ends, enrichment)?;
    if let Parts::Delta(delta) = &mut parts {
        delta.set_versions(known, head);
    }
    choose(&Found { current: head, lease, parts })
}
