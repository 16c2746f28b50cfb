//! A held slice between two states that are no versions: unsaved buffers came, changed or went.

use std::collections::HashSet;

use sdl_model::SymbolId;

use super::{Lease, Member, Outcome, Refreshed, refresh};
use crate::card::Enrichment;
use crate::layer::{Between, LaidOutlines, Layer};
use crate::{History, Outlines, Result};

/// Brings a slice that is held at the state `from`, over whichever version, up to the state `to` over the version that
/// `history` is at. Both layers lie over that version.
pub fn refresh_between(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    (from, to): (&Layer, &Layer),
    enrichment: &dyn Enrichment,
) -> Result<Refreshed> {
    let outlines = LaidOutlines::new([from, to], outlines);
    let between = Between::new(history, from, to);
    let (known, head) = (lease.current, history.version());
    let held = lease.held_at(known).map(|symbol| Member { symbol, since: Between::FROM, until: None });
    let as_two = Lease {
        built: Between::FROM,
        current: Between::FROM,
        overlay: None,
        members: held.collect(),
        ..lease.clone()
    };
    let mut refreshed = refresh(&between, &outlines, &as_two, Between::FROM, enrichment)?;
    if let Outcome::Delta(delta) = &mut refreshed.outcome {
        delta.delta.from_version = known;
        delta.delta.to_version = head;
    }
    refreshed.current = head;
    refreshed.lease = renumbered(lease, refreshed.lease, history);
    Ok(refreshed)
}

/// What is held after a refresh between two states, with the versions of the lease before.
fn renumbered(before: &Lease, after: Lease, history: &dyn History) -> Lease {
    let head = history.version();
    let now: HashSet<SymbolId> = after.held_at(Between::TO).collect();
    let mut lease = Lease { current: head, request: after.request, ..before.clone() };
    for member in lease.members.iter_mut().filter(|member| member.until.is_none()) {
        if !now.contains(&member.symbol) {
            member.until = Some(head);
        }
    }
    for member in after.members {
        if now.contains(&member.symbol) && !lease.holds(member.symbol) {
            lease.members.push(Member { symbol: member.symbol, since: head, until: None });
        }
    }
    super::advance::forget(&mut lease, history.floor());
    lease
}
