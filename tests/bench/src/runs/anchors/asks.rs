//! The daemon's answers about rows.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::Outcome;
use crate::modules::Symbol;
use crate::world::{World, text_field};

/// What the daemon says about the symbol of a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) state: String,
    /// Where it is; of a fact only its name.
    pub(super) file: String,
    pub(super) name: String,
    pub(super) since: Option<Value>,
}

/// A memory and a fact about each symbol.
pub(super) struct Rows {
    pub(super) memories: Vec<String>,
    pub(super) facts: Vec<String>,
}

impl Rows {
    pub(super) fn store(world: &mut World, symbols: &[Symbol]) -> Outcome<Self> {
        let mut rows = Self { memories: Vec::new(), facts: Vec::new() };
        for (nth, symbol) in symbols.iter().enumerate() {
            let text = format!("Note {nth} about it.");
            let note = json!({"type": "note", "title": text, "content": text, "symbolIds": [symbol.id]});
            rows.memories.push(text_field(&world.call("memory_store", note)?, "memoryId")?);
            let fact =
                json!({"subject": symbol.id, "predicate": "owned_by", "object": format!("team {nth}")});
            rows.facts.push(text_field(&world.call("kg_add", fact)?, "tripleId")?);
        }
        Ok(rows)
    }
}

/// What `memory.query` says of every memory, by its id.
pub(super) fn ask_memories(world: &mut World, only_stale: bool) -> Outcome<HashMap<String, Said>> {
    let mut found = HashMap::new();
    let mut offset = 0;
    loop {
        let query = json!({"limit": 100, "offset": offset, "staleOnly": only_stale, "sortBy": "confidence"});
        let answer = world.call("memory_query", query)?;
        let page = answer["memories"].as_array().map(Vec::as_slice).unwrap_or_default();
        for memory in page {
            let symbol = &memory["symbols"][0];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let said = Said {
                state: text(&symbol["state"]),
                file: text(&symbol["file"]),
                name: text(&symbol["name"]),
                since: memory.get("staleSince").cloned(),
            };
            found.insert(text_field(memory, "memoryId")?, said);
        }
        offset += page.len();
        if page.is_empty() || answer["truncated"] != true {
            return Ok(found);
        }
    }
}

/// What `kg.query` says of the fact about a symbol, by the id that the symbol had at first.
pub(super) fn ask_fact(world: &mut World, symbol: &Symbol, fact: &str) -> Outcome<Option<Said>> {
    let answer = world.call("kg_query", json!({"entity": symbol.id, "direction": "out"}))?;
    let facts = answer["triples"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(facts.iter().find(|found| found["tripleId"] == fact).map(|found| Said {
        state: text(&found["state"]),
        file: String::new(),
        name: text(&found["subject"]),
        since: found.get("staleSince").cloned(),
    }))
}

/// The rows that the change between two versions made stale; at most ten are named.
pub(super) fn ask_staled(world: &mut World, (from, to): (u64, u64)) -> Outcome<Vec<String>> {
    let ends = json!({
        "fromVersion": format!("v{from}"), "toVersion": format!("v{to}"), "includeMemories": true,
        "budget": {"maxCards": 1_000, "maxEstimatedTokens": 20_000},
    });
    let answer = world.call("delta_get", ends)?;
    let staled = answer["staled"].as_array().ok_or_else(|| format!("no `staled`: {answer}"))?;
    staled.iter().map(|row| text_field(row, "id")).collect()
}
