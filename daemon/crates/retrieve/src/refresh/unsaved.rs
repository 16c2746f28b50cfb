//! A held slice between two states that are no versions: unsaved buffers came, changed or went.

use sdl_model::Version;

use super::advance::advance;
use super::fresh::with_unsaved;
use super::{Ends, Lease, Outcome, Refreshed, compare, fresh_unsaved, is_comparable};
use crate::card::Enrichment;
use crate::layer::{Between, LaidOutlines, Layer};
use crate::{History, Outlines, Result, Source};

/// Brings a slice that is held at the state `then`, over the version `known`, up to the state `now` over the version that
/// `history` is at. Both layers lie over the newest version; `source` reads `now`.
pub fn refresh_between(
    source: &Source<'_>,
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    (known, then): (Version, &Layer),
    now: &Layer,
    enrichment: &dyn Enrichment,
) -> Result<Refreshed> {
    if !is_comparable(history, lease, known) {
        return fresh_unsaved(source, history, outlines, lease, now, enrichment);
    }
    let head = history.version();
    let mut lease = lease.clone();
    advance(history, outlines, &mut lease, head)?;
    let below = Layer::of_version(history, outlines, known)?;
    let before = with_unsaved(history, outlines, &lease, (lease.following.at(known), &below), then)?;
    let after = with_unsaved(history, outlines, &lease, (lease.following.at(head), &Layer::default()), now)?;
    let laid = LaidOutlines::new([then, now], outlines);
    let between = Between::new(history, then, now);
    let ends = Ends { from: Between::FROM, to: Between::TO, before: &before, after: &after };
    let mut outcome = compare(&between, &laid, &lease, &ends, enrichment)?;
    if let Outcome::Delta(delta) = &mut outcome {
        delta.delta.from_version = known;
        delta.delta.to_version = head;
    }
    Ok(Refreshed { current: head, outcome, lease })
}
