//! Whose facts a question is about.

use std::collections::HashMap;

/// The scopes whose rows are read, and which of them are one world. Facts of different worlds never end one another: what holds in
/// one repository says nothing about a repository with the same names, but worktrees of one repository share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The scopes that are read; none for all.
    pub scopes: Option<Vec<String>>,
    /// The world of a scope. A scope that is not listed is a world of its own.
    pub worlds: HashMap<String, String>,
}

impl View {
    /// Every scope, each a world of its own.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Whether the rows of a scope are read.
    pub fn reads(&self, scope: &str) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.iter().any(|known| known == scope))
    }

    /// The world of a scope.
    pub fn world<'v>(&'v self, scope: &'v str) -> &'v str {
        self.worlds.get(scope).map_or(scope, String::as_str)
    }
}
