//! A call that has ended, for those who follow the daemon.

use std::time::Duration;

/// The figures of a call, with neither its arguments nor any part of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallEnded {
    /// When it ended, in Unix milliseconds.
    pub at_ms: u64,
    /// The connection that made it.
    pub session: u64,
    /// The client's name, as it introduced itself.
    pub client: String,
    /// The action, such as `symbol.search`; the name that was called if it is no action.
    pub action: String,
    /// The repository that it was about, by id.
    pub repo: Option<String>,
    /// The upstream whose tool was called.
    pub upstream: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// The code of its error, if it was refused or failed.
    pub code: Option<&'static str>,
    /// Tokens of its answer.
    pub tokens: u64,
    /// The files that it served and that its session had not got before, by path.
    pub files: Vec<String>,
}
