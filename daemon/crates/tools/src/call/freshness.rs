//! How an answer relates to the current tree.

use schemars::JsonSchema;
use sdl_model::Version;
use serde::{Deserialize, Serialize};

use crate::Repo;
use crate::call::answers::append_text;

/// How hard to try that an answer reflects the tree as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Sync {
    /// Confirmed, or an error.
    Require,
    /// Confirmed if that comes in time; the answer says whether.
    #[default]
    Prefer,
    /// Don't wait.
    None,
}

/// What the pipeline adds to every answer on a repository.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Freshness {
    /// The version that the answer was computed from, such as `v1770600000000`.
    pub(crate) version: String,
    /// True if every write that had finished before the call is in the answer. False if that is not confirmed; `reason`
    /// says why. Left out where the answer does not depend on the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) synced: Option<bool>,
    /// Milliseconds that the oldest change not in the answer has waited; 0 if none is known.
    pub(crate) lag_ms: u64,
    /// The unsaved editor buffers that the answer takes into account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overlay: Option<OverlayOut>,
    /// Why the answer is not synced, or how watching is degraded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// See [`FreshnessInPart`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(crate) partial: Option<Partial>,
    /// Of a workspace: the version of each repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(crate) repositories: Vec<MemberFreshness>,
}

/// How much of a tree an answer is from that came before the end of the first index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Partial {
    /// Files read.
    pub(crate) files_done: u64,
    /// Files in all, once counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files_total: Option<u64>,
    /// Estimated seconds until the index is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds_left: Option<u64>,
}

/// The freshness of an answer that may come before the end of the first index, as its schema has it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FreshnessInPart<F> {
    #[serde(flatten)]
    whole: F,
    /// During the first index: how much of the tree the answer is from. The rest may have more.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<Partial>,
}

/// The freshness of an answer that may be over a workspace, as its schema has it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FreshnessAcross {
    #[serde(flatten)]
    whole: Freshness,
    /// Of a workspace: the version of each repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    repositories: Option<Vec<MemberFreshness>>,
}

/// How an answer over a workspace relates to one of its repositories.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberFreshness {
    /// The repository.
    pub(crate) repo_id: String,
    /// The version that was asked.
    pub(crate) version: String,
    /// As for the whole answer.
    pub(crate) synced: bool,
    /// As for the whole answer.
    #[serde(skip)]
    pub(crate) lag_ms: u64,
    /// Why it is not synced, or how watching is degraded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl From<Stand> for Freshness {
    fn from(stand: Stand) -> Self {
        Self {
            version: stand.version.to_string(),
            synced: stand.synced,
            lag_ms: 0,
            overlay: None,
            reason: stand.reason,
            partial: None,
            repositories: Vec::new(),
        }
    }
}

impl Freshness {
    /// The freshness of an answer over a workspace: synced if all repositories are.
    pub(crate) fn of_members(version: Version, repositories: Vec<MemberFreshness>) -> Self {
        let reasons =
            repositories.iter().filter_map(|one| Some(format!("{}: {}", one.repo_id, one.reason.as_ref()?)));
        let reasons: Vec<String> = reasons.collect();
        Self {
            version: version.to_string(),
            synced: Some(repositories.iter().all(|one| one.synced)),
            lag_ms: repositories.iter().map(|one| one.lag_ms).max().unwrap_or(0),
            overlay: None,
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            partial: None,
            repositories,
        }
    }

    /// Formats it as one line of text: only the version if all is well, otherwise also the problems.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("\n[{}", self.version);
        for (n, one) in self.repositories.iter().enumerate() {
            let before = if n == 0 { ": " } else { ", " };
            append_text(&mut line, format_args!("{before}{} {}", one.repo_id, one.version));
        }
        if self.synced.is_none() {
            line.push(']');
            return line;
        }
        if self.partial.is_some() {
            line.push_str(", from a part of the tree");
        } else if self.synced == Some(false) {
            line.push_str(", not synced");
        }
        if self.lag_ms > 0 {
            append_text(&mut line, format_args!(", lags {} ms", self.lag_ms));
        }
        if let Some(reason) = &self.reason {
            append_text(&mut line, format_args!(": {reason}"));
        }
        if let Some(overlay) = &self.overlay {
            let s = if overlay.files == 1 { "" } else { "s" };
            append_text(&mut line, format_args!(", with {} unsaved buffer{s}", overlay.files));
        }
        line.push(']');
        line
    }
}

/// Unsaved buffers over the tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OverlayOut {
    /// The state of the buffers: the number after `+` in versions.
    pub(crate) seq: u64,
    /// Files with an unsaved buffer.
    pub(crate) files: u64,
}

/// The freshness of an answer where only the handler knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    /// The version of the answer.
    pub(crate) version: Version,
    /// Whether everything written before the call is in it. None for an answer that doesn't depend on the tree.
    pub(crate) synced: Option<bool>,
    /// If not true, why not.
    pub(crate) reason: Option<String>,
}

/// The reason in an answer that doesn't depend on the tree.
const APART: &str = "the answer does not depend on the tree";

impl Stand {
    /// Returns the state of an answer that doesn't depend on the tree.
    pub(crate) fn apart(repo: &dyn Repo) -> Self {
        let reason = Some(APART.to_owned());
        Self { version: repo.ledger().head().unwrap_or(Version(0)), synced: None, reason }
    }

    /// Returns the same where there is no version either.
    pub(crate) fn nowhere() -> Self {
        Self { version: Version(0), synced: None, reason: Some(APART.to_owned()) }
    }

    /// Whether the answer doesn't depend on the tree.
    pub(crate) fn is_apart(&self) -> bool {
        self.synced.is_none()
    }
}
