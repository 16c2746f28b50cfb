//! Who sees what, and which calls are denied or asked about.

mod args;
mod equal;
mod under;

use crate::globs::{KeyPattern, Pattern, ToolPattern};
use crate::types::{Mode, words};

pub use args::{ArgPath, Condition, Conditions, Test};

words! {
    /// What a rule does. The strictest of all rules that match counts.
    #[derive(PartialOrd, Ord)]
    Effect {
        /// The call is made.
        Allow = "allow",
        /// The person is asked.
        Ask = "ask",
        /// The call is refused.
        Deny = "deny",
    }
}

/// What happens to calls that it matches. All that it states has to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What happens.
    pub effect: Effect,
    /// Globs over the client's name; empty for every client.
    pub clients: Vec<Pattern>,
    /// Names of profiles; empty for every profile.
    pub profiles: Vec<String>,
    /// Tools; empty for every tool.
    pub tools: Vec<ToolPattern>,
    /// What the arguments have to be.
    pub args: Conditions,
    /// What the tool has to say of itself.
    pub hints: Hints,
    /// Whether the definition has to be flagged, or not.
    pub flagged: Option<bool>,
    /// The person's reason, shown to the caller.
    pub why: Option<String>,
}

/// What a tool says of itself; none where it does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

/// Limits what some sessions see. A field that is none limits nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The sessions that it applies to.
    pub matches: ProfileMatch,
    /// The upstreams that exist for them.
    pub upstreams: Option<Vec<KeyPattern>>,
    /// The tools that exist for them.
    pub tools: ToolGlobs,
    /// Globs over the repositories that exist for them.
    pub repos: Option<Vec<Pattern>>,
    /// The modules that are on for them.
    pub modules: Option<Vec<String>>,
    /// The surface that they are listed.
    pub surface: Option<String>,
    /// The mode of every upstream.
    pub mode: Option<Mode>,
}

/// The sessions that a profile applies to. Each list that is given needs one match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileMatch {
    /// Names of tokens.
    pub token: Vec<String>,
    /// Scopes.
    pub scope: Vec<String>,
    /// Globs over the client's name.
    pub client: Vec<Pattern>,
}

impl ProfileMatch {
    /// Whether a session is meant: by the name of its token, its scopes and its client's name.
    pub fn is_match(&self, token: Option<&str>, scopes: &[&str], client: &str) -> bool {
        let by_token =
            self.token.is_empty() || token.is_some_and(|token| self.token.iter().any(|name| name == token));
        let by_scope =
            self.scope.is_empty() || self.scope.iter().any(|scope| scopes.contains(&scope.as_str()));
        let by_client = self.client.is_empty() || self.client.iter().any(|pattern| pattern.is_match(client));
        by_token && by_scope && by_client
    }
}

/// Tools of all upstreams that are allowed, less those that are denied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolGlobs {
    /// None allows every tool; an empty list none.
    pub allow: Option<Vec<ToolPattern>>,
    /// Wins over `allow`.
    pub deny: Vec<ToolPattern>,
}

impl ToolGlobs {
    /// Whether a tool is allowed and not denied.
    pub fn permits(&self, key: &str, name: &str) -> bool {
        self.allow.as_ref().is_none_or(|allow| allow.iter().any(|pattern| pattern.is_match(key, name)))
            && !self.deny.iter().any(|pattern| pattern.is_match(key, name))
    }
}

/// What the audit log keeps of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditSettings {
    /// Whether permitted calls have rows too.
    pub permitted_calls: bool,
    /// Whether rows have the arguments' values, masked.
    pub args: bool,
    /// The number of rows that are kept.
    pub keep: u64,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { permitted_calls: true, args: false, keep: 500_000 }
    }
}
