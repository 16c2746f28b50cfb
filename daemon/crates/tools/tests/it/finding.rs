//! Finding actions by words, and the surface that lists nothing else.

use std::sync::atomic::Ordering;

use crate::common::World;
use sdl_tools::{Names, Surface};
use serde_json::{Value, json};

#[test]
fn results_are_ready_to_be_called() {
    let world = World::shop();
    let found = world.ok("sdl_action_search", json!({"query": "refresh a held slice", "limit": 2}));
    let first = &found["results"][0];
    assert_eq!((&first["action"], &first["tool"]), (&json!("slice.refresh"), &json!("sdl_slice_refresh")));
    assert_eq!(first["inputSchema"]["required"], json!(["sliceHandle", "knownVersion"]));
    assert_eq!(first["inputSchema"]["additionalProperties"], false, "the whole schema");
    assert!(first["outputSchema"].is_null(), "a call doesn't need it");
    assert!(first["examples"][0]["sliceHandle"].is_string());
    assert_eq!(found["results"].as_array().unwrap().len(), 2);
    let total = found["total"].as_u64().unwrap();
    assert_eq!(found["more"].as_array().unwrap().len() as u64, (total - 2).min(12), "of {total}");
    assert!(found["howToResume"].is_string());
    let alone = world.ok("sdl_action_search", json!({"query": "slice.refresh", "limit": 1}));
    assert!(alone["results"][0]["outputSchema"]["properties"]["notModified"].is_object());
}

#[test]
fn definitions_share_the_room_and_the_first_is_whole() {
    let world = World::shop();
    for query in ["symbol", "slice", "find a function by its name", "who calls this function"] {
        let found = world.ok("sdl_action_search", json!({"query": query}));
        let results = found["results"].as_array().unwrap();
        assert!(
            results.len() > 2 && sdl_tokens::count_tokens(&found.to_string()) <= 2_500,
            "{query}: {found}"
        );
        assert!(results[0]["outlined"].is_null(), "{query}");
        let is_outlined = results.iter().any(|one| one["outlined"] == true);
        let says = found["howToResume"].as_str().unwrap_or_default().contains("outlined");
        assert_eq!(is_outlined, says, "{query}: {found}");
        for one in results.iter().filter(|one| one["outlined"] == true) {
            let whole = world.ok("sdl_action_search", json!({"query": one["tool"], "limit": 1}));
            let (whole, short) = (&whole["results"][0]["inputSchema"], &one["inputSchema"]);
            assert_eq!(short["required"], whole["required"]);
            let names = |schema: &Value| -> Vec<String> {
                schema["properties"].as_object().unwrap().keys().cloned().collect()
            };
            assert_eq!(names(short), names(whole), "{query}");
        }
    }
}

#[test]
fn what_changes_something_comes_with_its_twin() {
    let world = World::shop();
    let found = world.ok("sdl_action_search", json!({"query": "index.refresh", "limit": 1}));
    assert_eq!(found["results"][0]["rawTool"], "sdl_index_refresh_raw");
}

#[test]
fn words_that_match_nothing_are_named_and_a_miss_lists_all() {
    let world = World::shop();
    let found = world.ok("sdl_action_search", json!({"query": "symbol zyxomma"}));
    assert_eq!(found["unmatched"], json!(["zyxomma"]));
    let none = world.ok("sdl_action_search", json!({"query": "zyxomma"}));
    assert_eq!(none["results"], json!([]));
    assert!(none["more"].as_array().unwrap().iter().any(|name| name == "slice.build"), "{none}");
}

#[test]
fn however_much_is_asked_for_the_budget_holds() {
    let world = World::shop();
    let words = "zyxomma ".repeat(200);
    for query in ["symbol", "slice repository index card search version memory code", &words] {
        let found = world.ok("sdl_action_search", json!({"query": query, "limit": 40}));
        assert!(sdl_tokens::count_tokens(&found.to_string()) <= 8_000);
        if found["truncated"] == true {
            assert!(!found["more"].as_array().unwrap().is_empty(), "{found}");
        }
    }
}

#[test]
fn on_the_search_surface_one_tool_is_listed_and_every_tool_is_callable() {
    let world = World::shop();
    let listed: Value =
        serde_json::from_slice(&world.tools.list(&world.session, Surface::Search, false, Names::Underscored))
            .unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    let found = world.ok(tools[0]["name"].as_str().unwrap(), json!({"query": "symbol.search"}));
    let tool = found["results"][0]["tool"].as_str().unwrap();
    assert_eq!(world.ok(tool, json!({"query": "validate"}))["results"][0]["name"], "validate");
    assert!(world.ok("sdl_query", json!({"action": "symbol.search", "query": "validate"}))["total"].is_u64());
}

#[test]
fn the_manual_describes_what_is_asked_for_in_each_form() {
    let world = World::shop();
    let all = world.ok("sdl_manual", json!({}));
    assert!(all.get("more").is_none());
    let content = all["content"].as_str().unwrap();
    assert!(content.contains("`slice.build(taskText|entrySymbols"), "{content}");
    assert_eq!(all["tokens"], sdl_tokens::count_tokens(content));
    let named = |args: Value| world.ok("sdl_manual", args)["content"].as_str().unwrap().to_owned();
    let typescript =
        named(json!({"actions": ["sdl_slice_refresh"], "format": "typescript", "detail": "standard"}));
    assert!(typescript.contains("declare function sdl_slice_refresh(args: {"), "{typescript}");
    assert!(typescript.contains("\n  sliceHandle: string;"), "{typescript}");
    let json: Value = serde_json::from_str(&named(json!({"actions": ["info"], "format": "json"}))).unwrap();
    assert_eq!(json[0]["inputSchema"]["properties"]["redactPaths"]["type"], "boolean");
    let markdown = named(json!({"actions": ["slice.refresh"]}));
    assert!(markdown.contains("| `knownVersion` **required** | string |"), "{markdown}");
    let found = world.ok("sdl_manual", json!({"query": "refresh a slice zyxomma"}));
    assert_eq!((&found["actions"][0], &found["unmatched"]), (&json!("slice.refresh"), &json!(["zyxomma"])));
    let error = world.err("sdl_manual", json!({"actions": ["info", "slice.biuld"]}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownAction"), &json!("actions[1]")));
    assert_eq!(error["candidates"][0]["actions"], "slice.build");
}

#[test]
fn the_manual_keeps_to_its_budget_and_names_the_rest() {
    let world = World::shop();
    for format in ["markdown", "typescript", "json"] {
        for detail in ["compact", "standard", "full"] {
            let all = world.ok("sdl_manual", json!({"format": format, "detail": detail}));
            let tokens = sdl_tokens::count_tokens(&all.to_string());
            assert!(tokens <= 8_000, "{format} {detail}: {tokens}");
            assert!(!all["actions"].as_array().unwrap().is_empty());
            assert_eq!(all["more"].is_null(), all["howToResume"].is_null());
        }
    }
}

#[test]
fn the_page_on_wire_formats_is_found_and_fits() {
    let world = World::shop();
    for args in [
        json!({"query": "wire format"}),
        json!({"query": "how to decode a compact slice"}),
        json!({"actions": ["wire"]}),
        json!({"query": "wire", "format": "json"}),
        json!({"query": "wire", "format": "typescript"}),
    ] {
        let found = world.ok("sdl_manual", args.clone());
        assert_eq!(found["topics"], json!(["wire"]), "{args}");
        assert!(found["content"].as_str().unwrap().contains("symbolIndex"), "{args}");
        assert!(sdl_tokens::count_tokens(&found.to_string()) <= 8_000, "{args}");
    }
    assert!(world.ok("sdl_manual", json!({}))["content"].as_str().unwrap().contains("`wire`"));
    assert!(world.ok("sdl_manual", json!({"query": "what changed"})).get("topics").is_none());
    let built = world.ok("sdl_slice_build", json!({"taskText": "validate a token"}));
    assert_eq!(built["howToDecode"], "sdl_manual query: wire");
    let plain = json!({"taskText": "validate a token", "wireFormat": "standard"});
    assert!(world.ok("sdl_slice_build", plain).get("howToDecode").is_none());
}

#[test]
fn a_search_names_the_upstreams_that_it_could_not_look_into() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {
        "files": {"command": "a"}, "new": {"command": "b", "sdl": {"about": "the weather"}}, "prompts": {"command": "c"}
    }}));
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    world.lists("files", &json!([tool("read_file")]));
    world.lists("prompts", &json!([]));
    let search = |args: Value| world.ok("sdl_action_search", args);
    let found = search(json!({"query": "read a file"}));
    assert_eq!(found["unread"], json!([{"upstream": "new", "state": "new"}]), "{found:#}");
    assert_eq!(
        world.host.upstreams.get().unwrap().read.lock().unwrap()[..],
        ["new".to_owned()],
        "it is read for the search"
    );
    let text = world.raw("sdl_action_search", r#"{"query":"read a file"}"#)["content"][0]["text"].clone();
    assert!(
        text.as_str().unwrap().contains("not known yet: new (new); search again in a few seconds"),
        "{text}"
    );
    world.fails("new", "no such program", 1);
    let found = search(json!({"query": "read a file"}));
    assert_eq!(found["unread"][0]["lastError"]["message"], "no such program", "{found:#}");
    for args in [json!({"query": "x", "scope": "own"}), json!({"query": "x", "upstream": "files"})] {
        assert!(search(args)["unread"].is_null());
    }
    let listed = world.tools.list(&world.session, Surface::Search, false, Names::default());
    let listed = String::from_utf8(listed).unwrap();
    assert!(listed.contains("; also tools of files (1), new (the weather)\""), "{listed}");
    world.lists("new", &json!([tool("forecast")]));
    assert!(search(json!({"query": "read a file"}))["unread"].is_null());
}

#[test]
fn ours_leave_room_for_tools_that_fit_half_as_well() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"disk": {"command": "disk"}}}));
    let described = |name: &str, text: &str| json!({"name": name, "description": text, "inputSchema": {"type": "object"}});
    world.lists(
        "disk",
        &json!([
            described("list_directory", "Lists files and directories."),
            described("read_file", "Reads a file."),
            described("write_file", "Writes a file."),
            described("make_directory", "Makes a directory."),
            described("symbol_of", "Tells the symbol of a unit."),
        ]),
    );
    let found = |query: &str, scope: &str| -> Vec<String> {
        let found = world.ok("sdl_action_search", json!({"query": query, "scope": scope}));
        let results = found["results"].as_array().unwrap();
        results.iter().map(|one| one["tool"].as_str().unwrap().to_owned()).collect()
    };
    assert!(found("show what is in a folder", "all").contains(&"disk_list_directory".to_owned()));
    let both = found("symbol", "all");
    assert_eq!(both.len(), 4);
    assert!(both.contains(&"disk_symbol_of".to_owned()), "{both:?}");
    assert!(!found("symbol", "own").iter().any(|tool| tool.starts_with("disk_")));
    assert_eq!(found("symbol", "upstream"), ["disk_symbol_of"]);
}

#[test]
fn what_says_nothing_is_left_out_of_results() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"web": {"command": "web"}}}));
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"page_url": {"type": "string", "title": "Page Url", "description": "Where."}}
    });
    let annotations = json!({"title": "Fetch a page", "readOnlyHint": true});
    world.lists("web", &json!([{"name": "fetch", "inputSchema": schema, "annotations": annotations}]));
    let found = world.ok("sdl_action_search", json!({"query": "fetch a page", "limit": 1}));
    let first = &found["results"][0];
    assert_eq!((&first["tool"], &first["title"]), (&json!("web_fetch"), &json!("Fetch a page")));
    assert_eq!(first["annotations"], json!({"readOnlyHint": true}));
    let kept =
        json!({"type": "object", "properties": {"page_url": {"type": "string", "description": "Where."}}});
    assert_eq!(first["inputSchema"], kept);
}

#[test]
fn memory_is_given_back_once_for_each_index() {
    let world = World::shop();
    let freed = || world.host.freed.load(Ordering::SeqCst);
    for query in ["read a file", "callers of a function"] {
        world.ok("sdl_action_search", json!({ "query": query }));
        assert_eq!(freed(), 1);
    }
    world.configure(&json!({"mcpServers": {"files": {"command": "a"}}}));
    world.lists("files", &json!([{"name": "read_file", "inputSchema": {"type": "object"}}]));
    world.ok("sdl_action_search", json!({"query": "read a file"}));
    assert_eq!(freed(), 2, "other tools have another index");
}
