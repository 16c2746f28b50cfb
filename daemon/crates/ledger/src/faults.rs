//! Faults on demand, for tests in which the disk is full, the map is full or the process dies.

/// A place where an operation can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPoint {
    /// The nth record written in this transaction, counted from 0.
    Put(u64),
    /// Everything is written, nothing is committed.
    BeforeCommit,
    /// Just committed.
    AfterCommit,
}

/// How it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// As if the map were full.
    MapFull,
    /// As if the disk were full.
    DiskFull,
    /// As if LMDB had found damage.
    Damage,
    /// As if LMDB had given up until it is opened again.
    Shut,
}

/// Decides what fails. Consulted at every [`FaultPoint`]; a panic or an abort in it is as good as a crash there.
pub trait Faults: Send + Sync {
    /// The fault to raise at `point`, if any.
    fn at(&self, point: FaultPoint) -> Option<Fault>;
}
