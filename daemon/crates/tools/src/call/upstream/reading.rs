//! The lists of an upstream as they were last read, kept in the store, so that a search can answer before any upstream
//! runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use sdl_ledger::AgentStore;
use sdl_proto::gate::UpstreamLists;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::definition::{Definition, definition_hash};
use super::names;
use super::prompts::PromptNames;
use crate::ToolError;
use crate::stored::tables::UPSTREAM_LISTS;
use crate::stored::{from_bytes, to_bytes};

const LAYOUT: u8 = 1;
/// Maximum number of tools of one upstream.
pub(crate) const MOST_TOOLS: usize = 10_000;

/// What an upstream said of itself when it was read, each definition as it wrote it.
pub(crate) type Lists = UpstreamLists<Map<String, Value>>;

/// The lists of one upstream, with what we remember of each tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Reading {
    /// None until they were read for the first time.
    pub(crate) lists: Option<Lists>,
    /// Tells the server that was read from others that the same key may mean later.
    pub(crate) server: String,
    /// When they were read, in Unix milliseconds.
    pub(crate) read_at_ms: u64,
    /// The memory of each tool, by the name that the upstream knows. Of tools that are gone, too: one that comes back
    /// has its old name.
    pub(crate) known: BTreeMap<String, Known>,
    /// The names of its prompts.
    pub(crate) prompt_names: PromptNames,
    /// Which lists beside its tools were asked for: prompts, and resources.
    pub(crate) asked: (bool, bool),
}

/// The memory of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Known {
    /// The name that clients were given.
    pub(crate) advertised: String,
    /// Hash of the definition that is served.
    pub(crate) hash: String,
    /// When the tool was first seen, and when it was last seen, in Unix milliseconds.
    pub(crate) first_seen_ms: u64,
    pub(crate) last_seen_ms: u64,
}

impl Reading {
    /// Returns the reading that follows this one. Names that tools have stay theirs; `is_taken` says which names others
    /// have.
    pub(crate) fn next(
        &self,
        key: &str,
        mut lists: Lists,
        now: u64,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Self {
        lists.tools.truncate(MOST_TOOLS);
        self.keep_unread(&mut lists);
        let mut known = self.known.clone();
        let mut given: Vec<String> = known.values().map(|one| one.advertised.clone()).collect();
        given.sort_unstable();
        let mut names: Vec<(&str, String)> = lists
            .tools
            .iter()
            .filter_map(|tool| Some((tool.get("name")?.as_str()?, definition_hash(tool))))
            .collect();
        // The order of the list must not decide who gets the plain name.
        names.sort_unstable();
        for (name, hash) in names {
            let one = known.entry(name.to_owned()).or_default();
            if one.advertised.is_empty() {
                let plain = names::plain_name(key, name);
                let is_free = !is_taken(&plain) && given.binary_search(&plain).is_err();
                one.advertised = if is_free { plain } else { names::marked_name(key, name) };
                one.first_seen_ms = now;
                let at = given.binary_search(&one.advertised).unwrap_or_else(|at| at);
                given.insert(at, one.advertised.clone());
            }
            one.hash = hash;
            one.last_seen_ms = now;
        }
        Self { lists: Some(lists), read_at_ms: now, known, ..Self::default() }
    }

    /// A list that could not be read stays as it was: a failure never removes a tool.
    fn keep_unread(&self, lists: &mut Lists) {
        let Some(before) = &self.lists else { return };
        let lists_of = [
            ("tools", &before.tools, &mut lists.tools),
            ("prompts", &before.prompts, &mut lists.prompts),
            ("resources", &before.resources, &mut lists.resources),
            ("resourceTemplates", &before.resource_templates, &mut lists.resource_templates),
        ];
        for (name, before, now) in lists_of {
            if lists.unread.contains_key(name) && now.is_empty() {
                now.clone_from(before);
            }
        }
    }

    /// The tools, in the order of their advertised names.
    pub(crate) fn definitions(&self, key: &Arc<str>) -> Vec<Arc<Definition>> {
        let read = |tool: &Map<String, Value>| {
            let name = tool.get("name")?.as_str()?;
            Definition::read(key, tool, self.known.get(name)?.advertised.clone()).map(Arc::new)
        };
        let tools = self.lists.iter().flat_map(|lists| &lists.tools);
        let mut all: Vec<Arc<Definition>> = tools.filter_map(read).collect();
        all.sort_by(|a, b| a.advertised.cmp(&b.advertised));
        all.dedup_by(|a, b| a.advertised == b.advertised);
        all
    }

    /// Reads the row of an upstream.
    pub(crate) fn load(store: &AgentStore, key: &str) -> Result<Option<Self>, ToolError> {
        let row = row_key(key);
        Ok(store.read(|reader| {
            Ok(reader.get(UPSTREAM_LISTS, &row)?.and_then(|bytes| from_bytes(LAYOUT, bytes)))
        })?)
    }

    /// Stores it in place of the former one.
    pub(crate) fn store(&self, store: &AgentStore, key: &str) -> Result<(), ToolError> {
        let bytes = to_bytes(LAYOUT, self)?;
        let row = row_key(key);
        store.write(|writer| writer.put(UPSTREAM_LISTS, &row, &bytes))?;
        Ok(())
    }
}

fn row_key(key: &str) -> Vec<u8> {
    sdl_settings::fold_key(key).into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn lists(tools: &[&str]) -> Lists {
        let tools = tools.iter().map(|name| json!({"name": name}).as_object().cloned().unwrap()).collect();
        lists_of(tools)
    }

    fn lists_of(tools: Vec<Map<String, Value>>) -> Lists {
        let text = json!({
            "era": "2025-11-25", "tools": tools, "prompts": [], "resources": [], "resourceTemplates": [], "oversize": [],
            "skipped": {}, "announces": {"tools": true, "prompts": false, "resources": false}, "unread": {}
        });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_list_that_could_not_be_read_stays() {
        let first = Reading::default().next("fs", lists(&["read"]), 1, &|_| false);
        let mut failed = lists(&[]);
        failed.unread.insert("tools".into(), "it timed out".into());
        assert_eq!(names_of(&first.next("fs", failed, 2, &|_| false)), ["fs_read"]);
        assert!(
            names_of(&first.next("fs", lists(&[]), 2, &|_| false)).is_empty(),
            "it says that it has none"
        );
    }

    fn names_of(reading: &Reading) -> Vec<String> {
        reading.definitions(&"fs".into()).iter().map(|one| one.advertised.clone()).collect()
    }

    #[test]
    fn a_name_once_given_stays_while_others_come_and_go() {
        let first = Reading::default().next("fs", lists(&["read!file"]), 1, &|_| false);
        assert_eq!(names_of(&first), ["fs_read_file"]);
        // `read file` sorts before `read!file` and would have had the plain name.
        let second = first.next("fs", lists(&["read file", "read!file"]), 2, &|_| false);
        assert_eq!(second.known["read!file"].advertised, "fs_read_file");
        assert_ne!(second.known["read file"].advertised, "fs_read_file");
        let third = second.next("fs", lists(&["read file"]), 3, &|_| false);
        let fourth = third.next("fs", lists(&["read!file"]), 4, &|_| false);
        assert_eq!(names_of(&fourth), ["fs_read_file"]);
        assert_eq!((fourth.known["read!file"].first_seen_ms, fourth.known["read!file"].last_seen_ms), (1, 4));
    }

    #[test]
    fn a_name_that_others_have_is_marked() {
        let taken = Reading::default().next("repo", lists(&["status"]), 1, &|name| name == "repo_status");
        let name = &taken.known["status"].advertised;
        assert!(name.starts_with("repo_status_") && name.len() == "repo_status_".len() + 6, "{name}");
    }

    proptest! {
        #[test]
        fn names_do_not_depend_on_the_order_of_a_list(mut tools in proptest::collection::vec("[ab!? ]{1,3}", 1..8)) {
            let of = |tools: &[String]| {
                let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
                Reading::default().next("fs", lists(&tools), 1, &|_| false).known
            };
            let one = of(&tools);
            tools.reverse();
            prop_assert_eq!(&one, &of(&tools));
            let mut names: Vec<&String> = one.values().map(|known| &known.advertised).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), one.len());
        }
    }
}
