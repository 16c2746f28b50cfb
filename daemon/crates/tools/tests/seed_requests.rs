//! The requests that agents were taught by the documents this contract comes from: they run as they stand, with snake_case
//! names, with nested arguments as text, and through a gateway.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as a test does")]

mod common;

use common::World;
use serde_json::{Map, Value, json};

/// What a request is refused with when it is not understood.
const NOT_UNDERSTOOD: [&str; 8] = [
    "malformedJson",
    "unknownField",
    "missingField",
    "wrongType",
    "invalidArgument",
    "unknownTool",
    "unknownAction",
    "internal",
];

/// The requests, with what stands for a symbol, a handle or a repository filled in.
fn requests(world: &World) -> Vec<(&'static str, Value)> {
    let symbol = world.repo.symbol("src/auth.py", "validate");
    let built = world.ok("sdl_slice_build", json!({"taskText": "validate", "budget": {"maxCards": 2}}));
    let (handle, version) = (&built["sliceHandle"], &built["ledgerVersion"]);
    vec![
        ("code.getSkeleton", json!({"repoId": "shop", "symbolId": symbol})),
        (
            "code.getHotPath",
            json!({"repoId": "shop", "symbolId": symbol, "identifiersToFind": ["validate", "token"], "contextLines": 3}),
        ),
        (
            "code.needWindow",
            json!({"repoId": "shop", "symbolId": symbol, "reason": "Need exact branch logic for debugging auth timeout",
                "expectedLines": 80, "identifiersToFind": ["if", "catch", "tokenExpiry"]}),
        ),
        ("policy.get", json!({"repoId": "shop"})),
        (
            "policy.set",
            json!({"repoId": "shop", "policyPatch": {"maxWindowLines": 220, "maxWindowTokens": 1800,
                "requireIdentifiers": true, "allowBreakGlass": true}}),
        ),
        (
            "slice.build",
            json!({"repoId": "shop", "taskText": "trace auth token validation", "entrySymbols": [symbol],
                "budget": {"maxCards": 50, "maxEstimatedTokens": 4000}}),
        ),
        ("slice.build", json!({"repoId": "shop", "taskText": "token", "editedFiles": ["src/auth.py"]})),
        ("slice.refresh", json!({"sliceHandle": handle, "knownVersion": version})),
        ("slice.refresh", json!({"sliceHandle": "h_abc123", "knownVersion": "v1770600000000"})),
        ("slice.spillover.get", json!({"spilloverHandle": "sp_abc123", "pageSize": 20})),
        ("delta.get", json!({"repoId": "shop", "fromVersion": "v1", "toVersion": "v2"})),
        (
            "context.summary",
            json!({"repoId": "shop", "query": "auth middleware", "budget": 2000, "format": "markdown", "scope": "task"}),
        ),
        (
            "pr.risk.analyze",
            json!({"repoId": "shop", "fromVersion": "v1", "toVersion": "v2", "riskThreshold": 70}),
        ),
    ]
}

fn snake_case(value: &Value) -> Value {
    let snake = |name: &str| {
        name.chars()
            .flat_map(|c| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]))
            .collect::<String>()
    };
    match value {
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (snake(key), snake_case(value))).collect())
        }
        value => value.clone(),
    }
}

/// Everything that is no text, as text.
fn stringified(args: &Value) -> Value {
    let fields = args.as_object().unwrap().iter().map(|(key, value)| {
        let value = if value.is_string() { value.clone() } else { value.to_string().into() };
        (key.clone(), value)
    });
    Value::Object(fields.collect::<Map<_, _>>())
}

#[test]
fn they_run_as_they_stand_and_in_every_forgiven_form() {
    let world = World::shop();
    let described: Value = serde_json::from_slice(&world.tools.describe()).unwrap();
    let known: Vec<&str> = described["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|action| action["name"].as_str())
        .collect();
    let mut run = 0;
    for (action, args) in requests(&world) {
        if !known.contains(&action) {
            continue;
        }
        run += 1;
        let dotted = format!("sdl.{action}");
        let plain = world.raw(&dotted, &args.to_string());
        let understood = |result: &Value, form: &str| {
            let code = result["structuredContent"]["code"].as_str().unwrap_or_default();
            let refused = result["isError"] == true && NOT_UNDERSTOOD.contains(&code);
            assert!(!refused, "{action} {form}: {result:#}");
            assert_eq!(result["isError"], plain["isError"], "{action} {form}: {result:#}");
        };
        understood(&plain, "as it stands");
        understood(&world.raw(&dotted, &snake_case(&args).to_string()), "in snake_case");
        understood(&world.raw(&dotted, &stringified(&args).to_string()), "as text");
        let through = json!({"action": action, "args": args.to_string()});
        understood(&world.raw("sdl.query", &through.to_string()), "through a gateway");
    }
    assert!(run >= 6, "only {run} of the requests have an action");
}

#[test]
fn the_common_aliases_are_taken_by_gateways() {
    let world = World::shop();
    let symbol = world.repo.symbol("src/auth.py", "validate");
    for args in [
        json!({"action": "symbol.getCard", "repo_id": "shop", "symbol_id": symbol}),
        json!({"action": "symbol.getCard", "repo": "shop", "args": {"symbol_id": symbol}}),
        json!({"action": "slice.build", "repo": "shop", "task_text": "token", "edited_files": ["src/auth.py"]}),
    ] {
        world.ok("sdl_query", args);
    }
    let built = world.ok("sdl_query", json!({"action": "slice.build", "task_text": "token"}));
    let refresh = json!({"action": "slice.refresh", "slice_handle": built["sliceHandle"],
        "known_version": built["ledgerVersion"]});
    assert_eq!(world.ok("sdl_query", refresh)["notModified"], true);
    world.ok("sdl_repo", json!({"action": "repo.register", "root_path": "/somewhere/else"}));
}
