//! The progress of long work.

/// Receives the progress of long work.
pub trait Progress: Sync {
    /// Reports `done` of `total` units; `total` is none while it is not known. Never blocks.
    fn report(&self, done: u64, total: Option<u64>, message: &str);

    /// Passes on a report that somebody else made: a JSON object with `progress`, and maybe `total` and `message`. Never
    /// blocks.
    fn forward(&self, report: &[u8]) {
        let _ = report;
    }
}

/// A listener that ignores every report.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _done: u64, _total: Option<u64>, _message: &str) {}
}
