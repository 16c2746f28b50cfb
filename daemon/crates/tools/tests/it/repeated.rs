//! An answer is a function of the tree and the request: on two fresh ledgers of one tree every read action answers alike,
//! but for what is drawn by chance, and that never decides what fits.

use std::fmt::Write as _;

use crate::common::World;
use regex::Regex;
use serde_json::{Value, json};

/// Enough for answers that do not fit, with source that can be shown.
fn source() -> String {
    let mut source = crate::common::handlers(60, " calls lookup : Handles a request for a token.");
    source.push_str(crate::common::SHOP.trim_start());
    for i in 0..30 {
        let _ = write!(
            source,
            "//- /real/token_{i}.py\ndef check_token_{i}(token, now):\n    \"\"\"Says whether token {i} counts.\"\"\"\n    \
             if not token:\n        raise ValueError(\"no token\")\n    parts = split_{i}(token)\n    return parts\n\n\n\
             def split_{i}(token):\n    \"\"\"Splits token {i} into its parts.\"\"\"\n    return token.split(\".\")\n"
        );
    }
    source
}

fn world() -> World {
    let world = World::empty();
    world.repo.write(crate::common::SHOP);
    world.repo.write(&source());
    world
}

/// The answer without what is drawn by chance.
fn settled(world: &World, result: &Value) -> String {
    let text = result.to_string().replace(world.host.dir.path().to_str().unwrap(), "<dir>");
    let mut text = text;
    for (form, stand_in) in [
        (r"\bv1\d{12}\b", "<version>"),
        (r"\b(h|sp)_[0-9a-z]{15}\b", "<handle>"),
        (r"\bas_[0-9a-z]{13}\b", "<assembly>"),
        (r"\bc_[0-9a-f]+(\.[0-9a-f]+)+\b", "<cursor>"),
        (r"\b[0-9a-f]{64}\b", "<hash>"),
        (r#""(expiresAt|lagMs|lastEventMs|atMs)":\d+"#, "<time>"),
    ] {
        text = Regex::new(form).unwrap().replace_all(&text, stand_in).into_owned();
    }
    text
}

/// The calls of every action that reads the tree, each at sizes at which something does not fit.
fn calls(world: &World) -> Vec<(&'static str, Value)> {
    let id = world.repo.symbol("src/auth.py", "validate");
    let task = "why does check_token refuse a token of a request";
    let mut calls = vec![
        ("sdl_symbol_get_card", json!({"symbolId": id})),
        ("sdl_delta_get", json!({"fromVersion": "previous", "toVersion": "latest"})),
        ("sdl_pr_risk_analyze", json!({"fromVersion": "previous", "toVersion": "latest"})),
        ("sdl_code_get_skeleton", json!({"file": "real/token_1.py"})),
        ("sdl_code_get_hot_path", json!({"symbolId": id, "identifiersToFind": ["parse"]})),
        ("sdl_repo_overview", json!({"level": "full"})),
        ("sdl_memory_surface", json!({})),
    ];
    for tokens in (800..2_600).step_by(17) {
        calls.push(("sdl_agent_orchestrate", json!({"taskText": task, "budget": {"maxTokens": tokens}})));
    }
    for tokens in (450..1_600).step_by(23) {
        let budget = json!({"maxEstimatedTokens": tokens});
        calls.push(("sdl_slice_build", json!({"taskText": task, "budget": budget})));
        calls.push(("sdl_context_summary", json!({"query": task, "budget": tokens})));
        calls.push((
            "sdl_delta_get",
            json!({"fromVersion": "previous", "toVersion": "latest", "budget": budget}),
        ));
    }
    for limit in (20..400).step_by(31) {
        calls.push(("sdl_symbol_search", json!({"query": "token", "limit": limit})));
    }
    calls
}

#[test]
fn two_fresh_ledgers_of_one_tree_answer_alike() {
    let worlds: Vec<World> = (0..3).map(|_| world()).collect();
    let mut refused = 0;
    for (tool, args) in calls(&worlds[0]) {
        let answers: Vec<String> = worlds
            .iter()
            .map(|world| {
                let result = world.raw(tool, &args.to_string());
                refused += usize::from(result["isError"] == true);
                settled(world, &result)
            })
            .collect();
        assert!(
            answers.iter().all(|answer| *answer == answers[0]),
            "{tool} {args}:\n{}\n{}",
            answers[0],
            answers[1]
        );
    }
    // An answer that does not fit at all says how much it takes, which is a few of the smallest.
    assert!(refused < 60, "{refused} calls were refused");
}

#[test]
fn how_long_the_tree_took_does_not_decide_what_fits() {
    let world = world();
    let lag = |ms: u64| {
        let barrier = sdl_tools::host::Barrier { synced: true, lag_ms: ms, ..Default::default() };
        *world.repo.synced.lock().unwrap() = barrier;
    };
    for tokens in (800..1_400).step_by(3) {
        let args = json!({"taskText": "validate a token", "budget": {"maxTokens": tokens}});
        let asked = |ms| {
            lag(ms);
            settled(&world, &world.ok("sdl_agent_orchestrate", args.clone())["evidence"])
        };
        assert_eq!(asked(0), asked(12_345), "{tokens}");
    }
}
