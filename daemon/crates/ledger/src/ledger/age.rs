//! Forgets the past: by count, by age and by size, never a version that a live lease holds.

use std::ops::ControlFlow;

use sdl_model::{Version, VersionRow};

use super::Ledger;
use super::leases::Lease;
use super::state::State;
use crate::Result;
use crate::codec::{self, history_key, id_key};
use crate::env::{Reads, Write};

/// The number of versions that are forgotten in one transaction.
const PER_TRANSACTION: u32 = 64;

/// The result of ageing out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgedOut {
    /// How many versions were forgotten.
    pub versions: u64,
    /// The oldest version that can be answered from now.
    pub floor: Option<Version>,
}

impl Ledger {
    /// Forgets versions beyond the limits of [`crate::Retention`], oldest first and in short transactions. Cheap when
    /// there is nothing to forget.
    pub fn age_out(&self, now_ms: u64) -> Result<AgedOut> {
        let mut aged = AgedOut { versions: 0, floor: None };
        loop {
            let (state, went) = self.write_aside(|txn| self.age_some(txn, now_ms))?;
            aged.versions += u64::from(went);
            aged.floor = state.floor;
            if went < PER_TRANSACTION {
                return Ok(aged);
            }
        }
    }

    fn age_some(&self, txn: &mut Write<'_>, now_ms: u64) -> Result<(State, u32)> {
        let mut state = State::load_existing(txn, self.shared())?;
        let mut went = 0;
        let held = self.held_from(txn, now_ms)?;
        while went < PER_TRANSACTION
            && let (Some(floor), Some(head)) = (state.floor, state.head)
            && floor < head
            && held.is_none_or(|held| floor < held)
            && self.is_due(txn, floor, now_ms)?
        {
            state.floor = Some(self.forget(txn, floor)?);
            went += 1;
        }
        if went > 0 {
            state.store(txn, self.shared())?;
        }
        Ok((state, went))
    }

    /// The oldest version that a live lease holds.
    fn held_from(&self, txn: &Write<'_>, now_ms: u64) -> Result<Option<Version>> {
        let mut held: Option<Version> = None;
        txn.scan(self.shared().leases, &[], &mut |_, value| {
            let lease: Lease = codec::decode_record("leases", value)?;
            if lease.expires_ms >= now_ms {
                held = Some(held.map_or(lease.holds_from, |held| held.min(lease.holds_from)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(held)
    }

    fn is_due(&self, txn: &Write<'_>, floor: Version, now_ms: u64) -> Result<bool> {
        let limits = self.retention;
        if txn.entries(self.shared().versions)? > limits.versions.max(1) {
            return Ok(true);
        }
        let mut bytes = 0;
        for table in self.shared().of_the_past() {
            bytes += txn.bytes(table)?;
        }
        Ok(bytes > limits.bytes
            || self.row(txn, floor)?.is_some_and(|row| now_ms.saturating_sub(row.time_ms) > limits.age_ms))
    }

    fn row(&self, txn: &Write<'_>, version: Version) -> Result<Option<VersionRow>> {
        let row = txn.get(self.shared().versions, &id_key(version.0))?;
        row.map(|bytes| codec::decode_record("versions", bytes)).transpose()
    }

    /// Forgets the version at the floor; returns the new floor. The version at the new floor keeps its row but not its
    /// changes, which can no longer be computed.
    fn forget(&self, txn: &mut Write<'_>, floor: Version) -> Result<Version> {
        txn.delete(self.shared().versions, &id_key(floor.0))?;
        let next = floor.next();
        let Some(row) = self.row(txn, next)? else {
            return Err(codec::corrupt_record("versions", format!("{next} is missing")));
        };
        for change in &row.changes {
            txn.delete(self.shared().file_history, &history_key(change.file.0, next))?;
        }
        for symbol in &row.edge_changes {
            txn.delete(self.shared().edge_history, &history_key(symbol.0, next))?;
        }
        let row = VersionRow { parent: None, changes: Vec::new(), edge_changes: Vec::new(), ..row };
        txn.put(self.shared().versions, &id_key(next.0), &codec::encode_record("versions", &row)?)?;
        Ok(next)
    }
}
