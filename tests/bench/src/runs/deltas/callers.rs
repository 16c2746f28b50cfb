//! The calls of the newest version, as the ledger exports them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::Outcome;
use crate::world::{World, text_field};

/// A symbol by file and qualified name. A file's own code goes by its file alone.
pub(super) type Place = (String, String);

/// The direct callers of every symbol of a version.
pub(super) struct Callers {
    pub(super) version: String,
    /// Each with the line of the callee, which distinguishes symbols of the same name.
    of: BTreeMap<Place, BTreeSet<(u64, Place)>>,
}

impl Callers {
    /// The callers in the present tree.
    pub(super) fn now(world: &mut World) -> Outcome<Self> {
        let status =
            world.call("repo_status", serde_json::json!({"sync": "require", "syncTimeoutMs": 60_000}))?;
        let version = text_field(&status, "ledgerVersion")?;
        let repo = world.repo.clone();
        let mut of: BTreeMap<Place, BTreeSet<(u64, Place)>> = BTreeMap::new();
        for line in world.env.ctl_ok(&["export", "edges", "--repo", &repo]).lines() {
            let edge: Value = serde_json::from_str(line)?;
            if edge["kind"] != "call" {
                continue;
            }
            let place = |end: &str| -> Outcome<Place> {
                let name = edge[format!("{end}_name")].as_str().unwrap_or_default();
                Ok((text_field(&edge, &format!("{end}_file"))?, name.to_owned()))
            };
            let line = edge["callee_line"].as_u64().unwrap_or(0);
            of.entry(place("callee")?).or_default().insert((line, place("caller")?));
        }
        Ok(Self { version, of })
    }

    /// The callers of a symbol at a place, within these lines if they are known.
    pub(super) fn of<'a>(
        &'a self,
        place: &Place,
        lines: Option<(u64, u64)>,
    ) -> impl Iterator<Item = &'a Place> + use<'a> {
        let there = self.of.get(place).into_iter().flatten();
        there
            .filter(move |(line, _)| lines.is_none_or(|(from, to)| (from..=to).contains(line)))
            .map(|(_, caller)| caller)
    }

    /// Whether anything calls it, or it calls anything.
    pub(super) fn knows(&self, place: &Place) -> bool {
        self.of.contains_key(place) || self.of.values().flatten().any(|(_, caller)| caller == place)
    }
}
