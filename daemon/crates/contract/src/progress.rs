//! How far long work is.

/// Where long work says how far it is.
pub trait Progress: Sync {
    /// Reports `done` of `total` units; `total` is none while it is not known. Never blocks.
    fn report(&self, done: u64, total: Option<u64>, message: &str);
}

/// A listener that hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _done: u64, _total: Option<u64>, _message: &str) {}
}
