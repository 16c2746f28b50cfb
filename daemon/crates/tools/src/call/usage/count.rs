//! The counts of usage, and their keys.

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::Host;
use crate::call::budget;

const HOUR_MS: u64 = 60 * 60 * 1_000;
/// The start of keys of upstreams among those of repositories. No repository's id begins so.
const OF_UPSTREAMS: &str = "mcp/";
/// Maximum number of bytes of a file that are counted, because no agent reads more at once.
const MOST_BYTES: u64 = 1 << 20;

/// The calls that a count is for: their action, hour and repository. The repository is empty for calls that belong to
/// none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) repo: String,
    /// Hours since 1970.
    pub(crate) hour: u64,
    pub(crate) action: String,
}

impl Key {
    /// The key of the calls of an upstream's tools. An empty name means searches among the tools of all upstreams. Of
    /// these counts, `tokens` are those of results or definitions, and `file_tokens` those that were kept back.
    pub(crate) fn of_upstream(upstream: &str, hour: u64) -> Self {
        Self { repo: format!("{OF_UPSTREAMS}{upstream}"), hour, action: "upstream.call".to_owned() }
    }

    /// The upstream of such a key.
    pub(crate) fn upstream(&self) -> Option<&str> {
        self.repo.strip_prefix(OF_UPSTREAMS)
    }

    /// The hour of a time in Unix milliseconds.
    pub(crate) fn hour_of(ms: u64) -> u64 {
        ms / HOUR_MS
    }

    /// Returns when this hour begins, in Unix milliseconds.
    pub(crate) fn begins_ms(hour: u64) -> u64 {
        hour * HOUR_MS
    }
}

/// Calls and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Count {
    pub(crate) calls: u64,
    /// How many of them were refused or failed.
    pub(crate) failed: u64,
    /// Tokens of the answers.
    pub(crate) tokens: u64,
    /// Files whose symbols or source were served, each counted once for a session.
    pub(crate) files: u64,
    /// Their tokens.
    pub(crate) file_tokens: u64,
}

impl Count {
    /// Adds another count.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.calls, other.calls),
            (&mut self.failed, other.failed),
            (&mut self.tokens, other.tokens),
            (&mut self.files, other.files),
            (&mut self.file_tokens, other.file_tokens),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// The rung of the ladder that an action serves.
pub(crate) fn action_rung(action: &str) -> &'static str {
    match action {
        "symbol.search" | "action.search" => "search",
        "symbol.getCard" | "symbol.getCards" => "card",
        "slice.build" | "slice.refresh" | "slice.spillover.get" | "agent.orchestrate" => "slice",
        "code.getSkeleton" => "skeleton",
        "code.getHotPath" => "hotPath",
        "code.needWindow" => "window",
        _ => "other",
    }
}

/// Returns the tokens of a file in its present state; none if it cannot be read.
pub fn file_tokens(host: &dyn Host, repo: &str, path: &str) -> Option<u64> {
    let path = sdl_model::RelPath::new(path)?;
    let full = host.repo(repo)?.root().join(path.as_str());
    if !std::fs::symlink_metadata(&full).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&full).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(budget::text_tokens(&String::from_utf8_lossy(&bytes)) as u64)
}
