//! `tools/list` on every surface, byte for byte, beside the files in `fixtures/lists/`: each client reads these tokens at its start,
//! and whoever configured no upstream gets what he always got.
//!
//! A file has the tools in order. With upstreams, a tool that is listed as without them is its name alone.
//! `UPDATE_FIXTURES=1 cargo test -p sdl-tools --test it lists` rewrites the files; read the diff.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sdl_tools::{Names, Surface};
use serde_json::{Value, json};

use crate::common::World;

/// The most tokens of each list without upstreams.
const CEILINGS: [(Surface, &str, usize); 4] = [
    (Surface::Search, "search", 60),
    (Surface::Pair, "pair", 115),
    (Surface::Gateway, "gateway", 1_050),
    (Surface::Flat, "flat", 6_500),
];
/// What `sdl_tool_call` and its twin may add where they are not listed without upstreams.
const RELAY: usize = 105;
/// What each upstream that is named may add.
const NAMED: usize = 12;

/// What two upstreams list: one with nearly nothing, one with all that a definition may have.
fn upstream_tools() -> [(&'static str, Value); 2] {
    let plain = json!([{"name": "now", "inputSchema": {"type": "object"}}]);
    let rich = json!([
        {
            "name": "put-note",
            "title": "Put a note",
            "description": "Keeps a note.\n\nUse it for texts.",
            "inputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {
                    "text": {"type": "string", "title": "Text"},
                    "weight": {"type": "number", "default": 1.50},
                },
                "required": ["text"]
            },
            "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
            "annotations": {"title": "Put a note", "destructiveHint": false},
            "_meta": {"b": 1, "a": 2}
        },
        {"name": "find.notes", "description": "Finds notes.", "inputSchema": {
            "type": "object", "properties": {"words": {"type": "array", "items": {"type": "string"}}}
        }}
    ]);
    [("clock", plain), ("Note-Book", rich)]
}

fn world_in(mode: Option<&str>) -> World {
    let world = World::shop();
    let Some(mode) = mode else { return world };
    world.configure(&json!({"mcpServers": {
        "clock": {"command": "clock", "sdl": {"mode": mode}},
        "Note-Book": {"command": "notes", "sdl": {"mode": mode, "about": "what to remember"}}
    }}));
    for (key, tools) in upstream_tools() {
        world.lists(key, &tools);
    }
    world
}

/// The tools of a list, after checking that its bytes are those of the compact form. So tools that are equal as JSON, in the same
/// order, is equal byte for byte.
fn listed(world: &World, surface: Surface) -> Vec<Value> {
    let bytes = world.tools.list(&world.session, surface, false, Names::Underscored);
    let list: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), list.to_string());
    list["tools"].as_array().unwrap().clone()
}

fn tokens(tools: &[Value]) -> usize {
    sdl_tokens::count_tokens(&Value::from(tools.to_vec()).to_string())
}

fn path_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/lists").join(format!("{name}.json"))
}

/// Compares tools with the file of this name, or writes it.
fn check_file(name: &str, tools: &[Value], known: &BTreeMap<String, String>) {
    let shortened = tools.iter().map(|tool| {
        let (name, text) = (&tool["name"], tool.to_string());
        let is_known = known.get(name.as_str().unwrap()).is_some_and(|held| *held == text);
        if is_known { name.clone() } else { tool.clone() }
    });
    let text = serde_json::to_string_pretty(&shortened.collect::<Vec<Value>>()).unwrap() + "\n";
    let path = path_of(name);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text).unwrap();
    }
    let held = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let differing = held.lines().zip(text.lines()).enumerate().find(|(_, (one, other))| one != other);
    assert!(held == text, "{} differs: {differing:?}", path.display());
}

/// The texts of tools by their names.
fn by_name(tools: &[Value]) -> BTreeMap<String, String> {
    tools.iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool.to_string())).collect()
}

#[test]
fn lists_without_upstreams_are_the_files_and_below_their_ceilings() {
    let world = world_in(None);
    for (surface, name, ceiling) in CEILINGS {
        let tools = listed(&world, surface);
        check_file(name, &tools, &BTreeMap::new());
        assert!(tokens(&tools) <= ceiling, "{name}: {} tokens of {ceiling}", tokens(&tools));
    }
}

#[test]
fn an_empty_configuration_is_as_good_as_none() {
    let (without, empty) = (world_in(None), world_in(None));
    empty.configure(&json!({"mcpServers": {}}));
    for (surface, name, _) in CEILINGS {
        let list = |world: &World| world.tools.list(&world.session, surface, false, Names::Underscored);
        assert!(list(&empty) == list(&without), "{name}");
    }
}

#[test]
fn lists_with_upstreams_are_the_files_and_below_their_ceilings() {
    let without = world_in(None);
    let definitions: Vec<Value> =
        upstream_tools().iter().flat_map(|(_, tools)| tools.as_array().unwrap().clone()).collect();
    for mode in ["synthesize", "passthrough"] {
        let world = world_in(Some(mode));
        for (surface, name, ceiling) in CEILINGS {
            let (before, tools) = (listed(&without, surface), listed(&world, surface));
            check_file(&format!("{name}_{mode}"), &tools, &by_name(&before));
            let relay = if before.iter().any(|tool| tool["name"] == "sdl_tool_call") { 0 } else { RELAY };
            let relay = if surface == Surface::Search { 0 } else { relay };
            let is_passed = mode == "passthrough" && matches!(surface, Surface::Gateway | Surface::Flat);
            // Names grow by the key, and the list's own brackets are not counted twice.
            let passed = if is_passed { tokens(&definitions) + 4 * definitions.len() } else { 0 };
            let most = ceiling + relay + 2 * NAMED + passed;
            assert!(tokens(&tools) <= most, "{name}, {mode}: {} tokens of {most}", tokens(&tools));
            let passed: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
            let theirs = passed.iter().filter(|name| !name.starts_with("sdl_")).count();
            assert_eq!(theirs, if is_passed { definitions.len() } else { 0 }, "{name}, {mode}");
        }
    }
}

#[test]
fn a_passed_definition_keeps_every_byte_of_its_schema() {
    let tools = listed(&world_in(Some("passthrough")), Surface::Gateway);
    let (_, rich) = &upstream_tools()[1];
    let put = tools.iter().find(|tool| tool["name"] == "note_book_put-note").unwrap();
    for part in ["title", "description", "inputSchema", "annotations", "_meta"] {
        assert_eq!(put[part].to_string(), rich[0][part].to_string(), "{part}");
    }
    assert!(put.get("outputSchema").is_none(), "only with --output-schemas");
}
