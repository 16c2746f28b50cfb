//! Upstreams that a search could not look into, because their lists were never read.

use schemars::JsonSchema;
use sdl_proto::gate::UpstreamState;
use serde::Serialize;

use super::all_tools::Among;
use crate::call::upstream::View;

/// Maximum number of them that are named.
const MOST: usize = 20;

/// Characters of an upstream's last error that are shown.
const MOST_ERROR: usize = 200;

/// What went wrong last at an upstream.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct LastError {
    /// Its first 200 characters.
    pub(crate) message: String,
    /// Milliseconds since then.
    pub(crate) age_ms: u64,
}

impl LastError {
    /// That of an upstream in this state, if there was one.
    pub(crate) fn of(state: &UpstreamState, now_ms: u64) -> Option<Self> {
        let message = state.last_error.as_deref()?.chars().take(MOST_ERROR).collect();
        Some(Self { message, age_ms: now_ms.saturating_sub(state.last_error_at_ms?) })
    }
}

/// An upstream whose tools are not known yet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct Unread {
    /// Its key.
    upstream: String,
    /// `new`, `starting`, `failing`, `needsLogin`, `misconfigured`.
    state: String,
    /// Why its last start failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<LastError>,
}

impl Unread {
    /// The upstreams among those that a search is about whose lists were never read.
    pub(crate) fn among(
        view: &View,
        among: Among<'_>,
        (states, now_ms): (&[UpstreamState], u64),
    ) -> Vec<Self> {
        let is_meant = |key: &str| match among {
            Among::Actions => false,
            Among::All | Among::Upstreams => true,
            Among::Upstream(wanted) => sdl_settings::fold_key(wanted) == sdl_settings::fold_key(key),
        };
        let unread = view.upstreams.iter().filter(|one| !one.is_known() && is_meant(&one.key));
        let unread = unread.map(|one| {
            let state = states.iter().find(|state| state.key == *one.key);
            Self {
                upstream: one.key.to_string(),
                state: state.map_or("new", |state| state.state.as_str()).to_owned(),
                last_error: state.and_then(|state| LastError::of(state, now_ms)),
            }
        });
        unread.take(MOST).collect()
    }

    /// Whether it may be read in a moment.
    pub(crate) fn is_underway(&self) -> bool {
        matches!(self.state.as_str(), "new" | "starting")
    }
}

/// One line about all of them.
pub(crate) fn unread_line(all: &[Unread]) -> String {
    let one = |unread: &Unread| {
        let why = unread.last_error.as_ref().map(|why| format!(": {}", why.message)).unwrap_or_default();
        format!("{} ({}{why})", unread.upstream, unread.state)
    };
    let named: Vec<String> = all.iter().map(one).collect();
    let again = if all.iter().any(Unread::is_underway) { "; search again in a few seconds" } else { "" };
    format!("not searched, because their tools are not known yet: {}{again}", named.join(", "))
}
