//! The requests in the documents that define this contract, which agents know. They work unchanged, with snake_case
//! names, with nested arguments as text, and through a gateway.

use crate::common::World;
use sdl_tests::generate::{in_snake_case, mask_volatile, stringify_values};
use serde_json::{Value, json};

/// The codes with which a request is refused when it is not understood.
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

/// Returns the requests, each unchanged and once more with a real symbol or handle in place of the placeholder.
fn requests(symbol: &str, built: &Value) -> Vec<(&'static str, Value)> {
    let (handle, version) = (&built["sliceHandle"], &built["ledgerVersion"]);
    let spilled = &built["truncation"]["spilloverHandle"];
    vec![
        ("code.getSkeleton", json!({"repoId": "my-repo", "symbolId": symbol})),
        (
            "code.getHotPath",
            json!({"repoId": "my-repo", "symbolId": symbol, "identifiersToFind": ["validate", "token"], "contextLines": 3}),
        ),
        (
            "code.needWindow",
            json!({"repoId": "my-repo", "symbolId": symbol, "reason": "Need exact branch logic for debugging auth timeout",
                "expectedLines": 80, "identifiersToFind": ["if", "catch", "tokenExpiry"]}),
        ),
        ("policy.get", json!({"repoId": "my-repo"})),
        (
            "policy.set",
            json!({"repoId": "my-repo", "policyPatch": {"maxWindowLines": 220, "maxWindowTokens": 1800,
                "requireIdentifiers": true, "allowBreakGlass": true}}),
        ),
        (
            "slice.build",
            json!({"repoId": "my-repo", "taskText": "trace auth token validation", "entrySymbols": [symbol],
                "budget": {"maxCards": 50, "maxEstimatedTokens": 4000}}),
        ),
        ("slice.build", json!({"repoId": "my-repo", "taskText": "token", "editedFiles": ["src/auth.py"]})),
        ("slice.refresh", json!({"sliceHandle": handle, "knownVersion": version})),
        ("slice.refresh", json!({"sliceHandle": "h_abc123", "knownVersion": "v1770600000000"})),
        // The advice on budgets, and the fields that go with it.
        (
            "slice.build",
            json!({"repoId": "my-repo", "taskText": "token", "budget": {"maxCards": 30, "maxEstimatedTokens": 4000}}),
        ),
        (
            "slice.build",
            json!({"repoId": "my-repo", "taskText": "token", "minConfidence": 0.8, "knownCardEtags": {}}),
        ),
        ("slice.spillover.get", json!({"spilloverHandle": "sp_abc123", "pageSize": 20})),
        ("slice.spillover.get", json!({"spilloverHandle": spilled, "pageSize": 20})),
        ("delta.get", json!({"repoId": "my-repo", "fromVersion": "v1", "toVersion": "v2"})),
        (
            "context.summary",
            json!({"repoId": "my-repo", "query": "auth middleware", "budget": 2000, "format": "markdown", "scope": "task"}),
        ),
        (
            "pr.risk.analyze",
            json!({"repoId": "my-repo", "fromVersion": "v1", "toVersion": "v2", "riskThreshold": 70}),
        ),
        // Search, card and skeleton in one call.
        (
            "chain",
            json!({"steps": [
                {"action": "symbol.search", "args": {"repoId": "my-repo", "query": "validate"}},
                {"action": "symbol.getCard", "args": {"repoId": "my-repo", "symbolId": "$0.results[0].symbolId"}},
                {"action": "code.getSkeleton", "args": {"repoId": "my-repo", "symbolId": "$0.results[0].symbolId"}},
            ]}),
        ),
    ]
}

/// Returns a world whose repository has the name from the documents.
fn world() -> World {
    let world = World::empty();
    world.add("my-repo").write(crate::common::SHOP);
    world
}

#[test]
fn they_run_as_they_stand_and_in_every_forgiven_form() {
    let world = world();
    let described: Value = serde_json::from_slice(&world.tools.describe()).unwrap();
    let schema = |action: &str| {
        let all = described["actions"].as_array().unwrap();
        let known = all.iter().find(|known| known["name"] == action);
        known.unwrap_or_else(|| panic!("{action} is no action"))["inputSchema"].clone()
    };
    let symbol = crate::common::symbol("src/auth.py", "validate").to_string();
    let budget = json!({"repoId": "my-repo", "taskText": "validate", "budget": {"maxCards": 2}});
    let built = world.ok("sdl_slice_build", budget);
    let plain_requests = requests("<symbol-id>", &built);
    let mut answered = std::collections::BTreeSet::new();
    for (action, args) in plain_requests.into_iter().chain(requests(&symbol, &built)) {
        let dotted = format!("sdl.{action}");
        let plain = world.raw(&dotted, &args.to_string());
        let understood = |result: &Value, form: &str| {
            let code = result["structuredContent"]["code"].as_str().unwrap_or_default();
            let refused = result["isError"] == true && NOT_UNDERSTOOD.contains(&code);
            assert!(!refused, "{action} {form}: {result:#}");
            let same =
                |result: &Value| mask_volatile(json!([result["isError"], result["structuredContent"]]));
            assert_eq!(same(result), same(&plain), "{action} {form}");
        };
        if plain["isError"] == false {
            answered.insert(action);
        }
        let schema = schema(action);
        understood(&plain, "as it stands");
        understood(&world.raw(&dotted, &in_snake_case(&schema, &args).to_string()), "in snake_case");
        understood(&world.raw(&dotted, &stringify_values(&schema, &args).to_string()), "as text");
        let snake = in_snake_case(&schema, &stringify_values(&schema, &args));
        understood(&world.raw(&dotted, &snake.to_string()), "in snake_case and as text");
        let home = if action.starts_with("code") {
            "sdl.code"
        } else if action.starts_with("policy") {
            "sdl.repo"
        } else {
            "sdl.query"
        };
        let through = json!({"action": action, "args": args.to_string()});
        understood(&world.raw(home, &through.to_string()), "through a gateway");
        let mut beside = in_snake_case(&schema, &args);
        beside["action"] = dotted.clone().into();
        understood(&world.raw(home, &beside.to_string()), "beside action, in snake_case");
    }
    // The versions v1 and v2 don't exist, so a delta has nothing to answer from.
    let silent: Vec<&str> = requests("", &built)
        .iter()
        .map(|(action, _)| *action)
        .filter(|action| !answered.contains(action))
        .collect();
    assert_eq!(silent, ["delta.get", "pr.risk.analyze"]);
}

#[test]
fn the_documented_answers_are_ours() {
    let world = world();
    let policy = world.ok("sdl.policy.get", json!({"repoId": "my-repo"}))["policy"].clone();
    for (field, value) in [
        ("maxWindowLines", json!(180)),
        ("maxWindowTokens", json!(1400)),
        ("requireIdentifiers", json!(true)),
        ("allowBreakGlass", json!(false)),
    ] {
        assert_eq!(policy[field], value, "{field}");
    }
    let set =
        world.ok("sdl.policy.set", json!({"repoId": "my-repo", "policyPatch": {"maxWindowLines": 220}}));
    assert_eq!((&set["ok"], &set["repoId"]), (&json!(true), &json!("my-repo")));
    // The documented example is below the default ceiling.
    let example = json!({"maxWindowLines": 220, "maxWindowTokens": 1800, "requireIdentifiers": true, "allowBreakGlass": true});
    world.ok("sdl.policy.set", json!({"repoId": "my-repo", "policyPatch": example}));
}

#[test]
fn the_common_aliases_are_taken_by_gateways() {
    let world = world();
    let symbol = crate::common::symbol("src/auth.py", "validate").to_string();
    for args in [
        json!({"action": "symbol.getCard", "repo_id": "my-repo", "symbol_id": symbol}),
        json!({"action": "symbol.getCard", "repo": "my-repo", "args": {"symbol_id": symbol}}),
        json!({"action": "slice.build", "repo": "my-repo", "task_text": "token", "edited_files": ["src/auth.py"]}),
    ] {
        world.ok("sdl_query", args);
    }
    let built =
        world.ok("sdl_query", json!({"action": "slice.build", "repo": "my-repo", "task_text": "token"}));
    let refresh = json!({"action": "slice.refresh", "slice_handle": built["sliceHandle"],
        "known_version": built["ledgerVersion"]});
    assert_eq!(world.ok("sdl_query", refresh)["notModified"], true);
    world.ok("sdl_repo", json!({"action": "repo.register", "root_path": "/somewhere/else"}));
}
