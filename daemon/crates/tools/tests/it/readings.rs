//! Lists of upstreams that are read again.

use serde_json::{Value, json};

use crate::common::World;

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

#[test]
fn a_list_that_could_not_be_read_is_marked_and_loses_nothing() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"fs": {"command": "fs"}}}));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let read = |lists: &Value| {
        world.lists_at("fs", lists, u64::try_from(now).unwrap());
        let found = world.ok("sdl_action_search", json!({"query": "read_zyxomma", "scope": "upstream"}));
        (found["results"][0]["tool"].clone(), found["results"][0]["stale"].clone())
    };
    let (good, failed) =
        (json!({"tools": [tool("read_zyxomma")]}), json!({"unread": {"tools": "the catalogue is closed"}}));
    let name = json!("fs_read_zyxomma");
    assert_eq!(read(&good), (name.clone(), Value::Null));
    assert_eq!(read(&failed), (name.clone(), json!(true)));
    assert_eq!(read(&good), (name, Value::Null));
}

#[test]
fn another_command_under_a_key_has_to_be_read() {
    let world = World::shop();
    let entry = |word: &str| json!({"mcpServers": {"fs": {"command": "fs", "args": [word]}}});
    world.configure(&entry("one"));
    world.lists("fs", &json!([tool("read_zyxomma")]));
    assert!(world.tools.upstreams_to_read().is_empty());
    world.configure(&entry("two"));
    assert_eq!(world.tools.upstreams_to_read(), ["fs"]);
}

#[test]
fn a_result_that_may_be_out_of_date_says_what_went_wrong_and_when() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"fs": {"command": "fs"}}}));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let now = u64::try_from(now).unwrap();
    world.lists_at("fs", &json!({ "tools": [tool("read_zyxomma")] }), now);
    let search = || {
        let asked = json!({"query": "read_zyxomma", "scope": "upstream"});
        world.ok("sdl_action_search", asked)["results"][0].clone()
    };
    assert_eq!(search()["lastError"], Value::Null);
    world.fails("fs", &format!("no configuration{}", "!".repeat(500)), now - 5_000);
    let found = search();
    assert_eq!((&found["state"], &found["stale"]), (&json!("failing"), &json!(true)));
    let error = &found["lastError"];
    assert!(error["ageMs"].as_u64().is_some_and(|age| age >= 5_000), "{found:#}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("no configuration!") && message.len() == 200, "{found:#}");
}
