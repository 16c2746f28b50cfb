//! Removes facts that nobody names any more.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use sdl_tools::{Damage, Repo as _};

use super::{Engine, Work, memory, read_lock};

/// How long the sweep may read one ledger.
const SWEEP_DEADLINE: Duration = Duration::from_secs(60);

impl Engine {
    /// Removes the facts that no kept version of any repository names. Once per start is enough, because a day's edits
    /// leave few unused facts.
    pub(super) fn sweep_facts(&self) {
        // No sweep while a repository is not served, because its ledger names facts too and is not open to ask.
        if !read_lock(&self.absent).is_empty() {
            return;
        }
        let swept = self.facts.sweep(|| {
            let mut live = HashSet::new();
            for repo in self.all_repos() {
                let deadline = Instant::now() + SWEEP_DEADLINE;
                let named = repo.ledger().read(deadline, |view| {
                    view.facts_keys(&mut |key, _| {
                        live.insert(key);
                    })
                });
                named.inspect_err(|error| {
                    if let Some(damage) = Damage::of(error) {
                        repo.damaged(&damage);
                    }
                })?;
            }
            Ok(live)
        });
        match swept {
            Ok(swept) => tracing::debug!(kept = swept.kept, removed = swept.removed, "swept the facts"),
            Err(error) => tracing::warn!(%error, "the facts were not swept"),
        }
        memory::give_back(Work::Sweep);
    }
}
