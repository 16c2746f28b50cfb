//! A folder of tools and queries.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use sdl_find::Doc;
use serde_json::Value;

/// Tools and queries with what they need.
pub(crate) struct Set {
    pub(crate) ids: Vec<String>,
    pub(crate) docs: Vec<Doc>,
    pub(crate) queries: Vec<Query>,
}

pub(crate) struct Query {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    /// The server of the first tool that is needed, by name.
    pub(crate) server: String,
    /// Each need with the places of the tools that meet it.
    pub(crate) needs: Vec<Vec<usize>>,
}

fn read_lines(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines.map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text_of(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

impl Set {
    pub(crate) fn read(dir: &Path, queries: &Path) -> Result<Self, Box<dyn Error>> {
        let servers: Value = serde_json::from_str(&fs::read_to_string(dir.join("servers.json"))?)?;
        let about: BTreeMap<String, String> = items(&servers)
            .iter()
            .map(|server| {
                let words = format!("{}. {}", text_of(server, "title"), text_of(server, "about"));
                (text_of(server, "key"), words)
            })
            .collect();
        let tools = read_lines(&dir.join("tools.jsonl"))?;
        let ids: Vec<String> = tools.iter().map(|tool| text_of(tool, "id")).collect();
        let docs = tools.iter().map(|tool| doc_of(tool, &about)).collect();
        let places: BTreeMap<&str, usize> =
            ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        let queries = read_lines(queries)?.iter().map(|query| query_of(query, &places)).collect();
        Ok(Self { ids, docs, queries })
    }
}

fn doc_of(tool: &Value, about: &BTreeMap<String, String>) -> Doc {
    let key = text_of(tool, "server");
    let mut doc = Doc {
        name: text_of(tool, "name"),
        title: tool.get("annotations").map(|hints| text_of(hints, "title")).unwrap_or_default(),
        about: about.get(&key).cloned().unwrap_or_default(),
        description: text_of(tool, "description"),
        key,
        ..Doc::default()
    };
    doc.add_schema(&tool["inputSchema"]);
    doc
}

fn query_of(query: &Value, places: &BTreeMap<&str, usize>) -> Query {
    let mut servers: Vec<&str> = Vec::new();
    let mut needs = Vec::new();
    for need in items(&query["needs"]) {
        let any: Vec<&str> = items(&need["any"]).iter().filter_map(Value::as_str).collect();
        servers.extend(any.first().and_then(|id| id.split('/').next()));
        let met = any.into_iter().chain(items(&need["alt"]).iter().filter_map(Value::as_str));
        needs.push(met.filter_map(|id| places.get(id).copied()).collect());
    }
    Query {
        id: text_of(query, "id"),
        kind: text_of(query, "kind"),
        text: text_of(query, "query"),
        server: servers.into_iter().min().unwrap_or_default().to_owned(),
        needs,
    }
}
