//! Chains: references, one version, budgets, and steps that are what they are alone.

use crate::common::World;
use proptest::prelude::*;
use serde_json::{Value, json};

fn result(chain: &Value, step: usize) -> &Value {
    &chain["steps"][step]["result"]
}

#[test]
fn each_step_may_use_what_earlier_ones_gave() {
    let world = World::shop();
    let chain = world.ok(
        "sdl_chain",
        json!({"steps": [
            {"action": "symbol.search", "args": {"query": "validate", "limit": 3}, "as": "found"},
            {"action": "symbol.getCard", "args": {"symbolId": "$found.results[0].symbolId", "detail": "signature"}},
            {"action": "symbol.getCard", "args": {"symbolId": "$0.results[0].symbolId", "ifNoneMatch": "$1.card.etag",
                "minCallConfidence": "$0?.nothing"}},
            {"action": "map", "args": {"from": "$found.results", "path": "symbolId"}, "as": "ids"},
            {"action": "symbol.getCards", "args": {"symbolIds": "$ids.value"}},
            {"action": "template", "args": {"from": "$4.cards", "text": "{name} in {file}"}},
        ]}),
    );
    assert_eq!(chain["ok"], true, "{chain:#}");
    let id = world.repo.symbol("src/auth.py", "validate");
    assert_eq!(result(&chain, 1)["card"]["symbolId"], id);
    assert_eq!(result(&chain, 3)["value"][0], id);
    assert_eq!(result(&chain, 4)["cards"][0]["symbolId"], id);
    assert!(result(&chain, 5)["value"].as_str().unwrap().starts_with("validate in src/auth.py"));
    let alone = world.ok("sdl_symbol_search", json!({"query": "validate", "limit": 3}));
    assert_eq!(result(&chain, 0), &alone, "a step answers what the call alone answers");
    assert_eq!(chain["versions"], json!([{"repoId": "shop", "version": world.repo.head(), "fromStep": 0}]));
}

#[test]
fn a_reference_that_misses_is_an_error_that_names_it() {
    let world = World::shop();
    let search = json!({"action": "symbol.search", "args": {"query": "validate"}, "as": "found"});
    for (reference, says) in [
        ("$0.results[999].symbolId", "list of"),
        ("$found.reslts", "no field \"reslts\"; its fields are results"),
        ("$1", "step 1 comes later"),
        ("$7", "no step is called that"),
        ("$fuond", "no step is called that"),
        ("$0.results[x]", "[x] is not a number"),
        ("$", "must follow the dollar sign"),
    ] {
        let step = json!({"action": "symbol.getCard", "args": {"symbolId": reference}});
        let chain = world.ok("sdl_chain", json!({"steps": [search, step]}));
        assert_eq!((&chain["ok"], &chain["stoppedAt"]), (&json!(false), &json!(1)), "{chain}");
        let error = &chain["steps"][1]["error"];
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!("unknownReference"), &json!("steps[1].args.symbolId"))
        );
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&format!("{reference:?}")) && message.contains(says), "{message}");
    }
    let literal = json!({"steps": [{"action": "symbol.search", "args": {"query": "$$validate"}}]});
    let alone = world.ok("sdl_symbol_search", json!({"query": "$validate"}));
    assert_eq!(result(&world.ok("sdl_chain", literal), 0), &alone);
}

#[test]
fn a_failure_stops_the_chain_or_not_as_is_asked() {
    let world = World::shop();
    let steps = json!([
        {"action": "symbol.getCard", "args": {"symbolId": "s_0000000000000"}},
        {"action": "symbol.getCard", "args": {"symbolId": "$0.card.symbolId"}},
        {"action": "symbol.search", "args": {"query": "validate"}},
        {"action": "no.such", "args": {}},
        {"action": "chain", "args": {"steps": []}},
        {"action": "symbol.search", "args": {"query": "x", "limt": 3}},
    ]);
    let stopped = world.ok("sdl_chain", json!({"steps": steps}));
    assert_eq!((stopped["steps"].as_array().unwrap().len(), &stopped["stoppedAt"]), (1, &json!(0)));
    assert_eq!(
        stopped["steps"][0]["error"],
        world.err("sdl_symbol_getCard", json!({"symbolId": "s_0000000000000"})),
        "the error of the call alone"
    );
    let all = world.ok("sdl_chain", json!({"steps": steps, "onError": "continue"}));
    let codes: Vec<&Value> =
        all["steps"].as_array().unwrap().iter().map(|step| &step["error"]["code"]).collect();
    assert_eq!(
        codes,
        ["unknownSymbol", "unknownReference", "", "unknownAction", "invalidArgument", "unknownField"]
            .map(|code| if code.is_empty() { Value::Null } else { code.into() })
            .iter()
            .collect::<Vec<_>>()
    );
    assert!(all.get("stoppedAt").is_none());
    assert!(all["steps"][1]["error"]["message"].as_str().unwrap().contains("step 0 failed"));
}

#[test]
fn all_steps_answer_from_one_version_and_a_change_pins_the_next() {
    let world = World::shop();
    let before = world.repo.head();
    // The tree changes while the chain runs: at its third look at the repository.
    world.host.at_lookup(3, "//- /src/new.py\ndef fresh_function()\n");
    let status = json!({"action": "repo.status", "args": {"repoId": "shop"}});
    let chain = world.ok("sdl_chain", json!({"steps": [status, status, status, status]}));
    let after = world.repo.head();
    assert_ne!(before, after);
    let versions: Vec<&Value> = (0..4).map(|step| &result(&chain, step)["freshness"]["version"]).collect();
    assert_eq!(versions, [&json!(after); 4], "{chain:#}");
    assert_eq!(chain["versions"], json!([{"repoId": "shop", "version": after, "fromStep": 0}]));
    let refresh = json!({"action": "index.refresh", "args": {"repoId": "shop", "mode": "incremental"}});
    world.host.at_lookup(2, "//- /src/newer.py\ndef fresher_function()\n");
    let chain = world.ok("sdl_chain", json!({"steps": [status, refresh, status]}));
    let newer = world.repo.head();
    assert_eq!(
        chain["versions"],
        json!([
            {"repoId": "shop", "version": after, "fromStep": 0},
            {"repoId": "shop", "version": newer, "fromStep": 2}
        ])
    );
}

#[test]
fn a_chain_says_how_fresh_it_is_where_its_steps_agree() {
    let world = World::shop();
    world.add("zoo").write("//- /a.py\ndef elsewhere()\n");
    let status = |more: Value| {
        let mut args = json!({"repoId": "shop"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"action": "repo.status", "args": args})
    };
    let plain = status(json!({}));
    let alone = world.ok("sdl_repo_status", json!({"repoId": "shop"}))["freshness"].clone();
    let fresh = |steps: Value| {
        let args = json!({"steps": steps, "onError": "continue"});
        let result = world.raw("sdl_chain", &args.to_string());
        let answer = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (answer["freshness"].clone(), text)
    };
    let (found, text) = fresh(json!([plain, {"action": "limit", "args": {"from": [], "count": 1}}, plain]));
    assert_eq!(found, alone);
    assert!(text.ends_with(&format!("\n[{}]", world.repo.head())), "{text}");
    assert_eq!(fresh(json!([plain, {"action": "policy.get"}])).0, alone, "a policy says nothing of the tree");
    let (lax, text) = fresh(json!([plain, status(json!({"sync": "none"}))]));
    assert_eq!(
        (&lax["synced"], &lax["version"]),
        (&json!(false), &alone["version"]),
        "the worst step counts"
    );
    assert!(text.contains(", not synced]"), "{text}");
    assert!(fresh(json!([{"action": "info"}])).0.is_null(), "no step read a tree");
    assert!(fresh(json!([plain, status(json!({"repoId": "zoo"}))])).0.is_null(), "two repositories");
    let refresh = json!({"action": "index.refresh", "args": {"repoId": "shop", "mode": "incremental"}});
    assert_eq!(fresh(json!([plain, refresh, plain])).0["version"], alone["version"], "nothing changed");
    world.host.at_lookup(2, "//- /src/newer.py\ndef fresher_function()\n");
    assert!(fresh(json!([plain, refresh, plain])).0.is_null(), "two versions");
    assert!(fresh(json!([status(json!({"repoId": "none"}))])).0.is_null(), "what failed has no version");
}

#[test]
fn a_version_is_reported_with_the_first_step_that_answered_from_it() {
    let world = World::shop();
    world.add("zoo").write("//- /a.py\ndef elsewhere()\n");
    let status = |repo: &str| json!({"action": "repo.status", "args": {"repoId": repo}});
    let chain = world.ok("sdl_chain", json!({"steps": [status("shop"), status("shop"), status("zoo")]}));
    let from: Vec<(&Value, &Value)> = chain["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| (&version["repoId"], &version["fromStep"]))
        .collect();
    assert_eq!(from, [(&json!("shop"), &json!(0)), (&json!("zoo"), &json!(2))]);
}

#[test]
fn longer_texts_take_what_steps_gave_in_braces_and_else_say_how() {
    let world = World::shop();
    let found = json!({"action": "symbol.search", "args": {"query": "validate", "limit": 1}, "as": "found"});
    let asked = |query: &str| {
        let steps = json!([found, {"action": "context.summary", "args": {"query": query, "format": "json"}}]);
        world.ok("sdl_chain", json!({ "steps": steps }))
    };
    let chain = asked("explain ${0.results[0].name} of ${found.results[0].file}");
    let text = result(&chain, 1).to_string();
    assert!(text.contains("validate"), "{text}");
    assert!(result(&chain, 1).get("notes").is_none(), "{chain:#}");
    let chain = asked("explain how $0.results[0].name is called by checkout");
    let notes = result(&chain, 1)["notes"].to_string();
    assert!(notes.contains("${0.results[0].name}"), "{notes}");
    let missing = json!([found, {"action": "symbol.search", "args": {"query": "x ${0.none}"}}]);
    let chain = world.ok("sdl_chain", json!({ "steps": missing }));
    assert_eq!(chain["steps"][1]["error"]["code"], "unknownReference", "{chain:#}");
}

#[test]
fn a_missing_value_may_be_missing_on_either_side_of_its_mark() {
    let world = World::shop();
    let found = json!({"action": "symbol.search", "args": {"query": "validate", "limit": 1}});
    for (cursor, ok) in [("$0.nothing?.here", true), ("$0?.nothing", true), ("$0.nothing.here", false)] {
        let next = json!({"action": "symbol.search", "args": {"query": "validate", "cursor": cursor}});
        let chain = world.ok("sdl_chain", json!({"steps": [found, next]}));
        assert_eq!(chain["ok"], ok, "{cursor}: {chain:#}");
    }
}

#[test]
fn a_budget_is_handed_down_to_steps_without_one() {
    let world = World::empty();
    world
        .repo
        .write(&crate::common::handlers(300, " : Looks at the request and says what is to be done about it"));
    let build = json!({"action": "slice.build", "args": {"taskText": "handler number request"}});
    for tokens in [2_000, 4_000, 8_000] {
        let chain = world.ok("sdl_chain", json!({"steps": [build, build], "budget": {"maxTokens": tokens}}));
        assert!(sdl_tokens::count_tokens(&chain.to_string()) <= tokens);
        for step in 0..2 {
            assert!(
                result(&chain, step)["slice"]["cards"].as_array().unwrap().len() > 3,
                "{tokens}: {chain:#}"
            );
        }
        let given = chain["tokens"]["given"].as_u64().unwrap() as usize;
        assert!(given * 10 > tokens * 6, "{given} of {tokens}");
    }
    // By default, too, two slices fit.
    let chain = world.ok("sdl_chain", json!({"steps": [build, build]}));
    assert!((0..2).all(|step| chain["steps"][step].get("result").is_some()), "{}", chain["tokens"]);
    // Their own budgets stay what they are.
    let own = json!({"action": "slice.build", "args": {"taskText": "handler number request",
        "budget": {"maxEstimatedTokens": 600}}});
    let chain = world.ok("sdl_chain", json!({"steps": [own], "budget": {"maxTokens": 6_000}}));
    assert!(chain["steps"][0]["tokens"].as_u64().unwrap() <= 600, "{}", chain["steps"][0]["tokens"]);
}

#[test]
fn one_barrier_serves_every_step() {
    let world = World::shop();
    let before = world.repo.barriers.load(std::sync::atomic::Ordering::Relaxed);
    let step = json!({"action": "symbol.search", "args": {"query": "validate"}});
    world.ok("sdl_chain", json!({"steps": [step, step, step]}));
    assert_eq!(world.repo.barriers.load(std::sync::atomic::Ordering::Relaxed), before + 1);
}

#[test]
fn a_chain_is_made_as_it_is_asked_for() {
    let world = World::shop();
    let search = json!({"action": "symbol.search", "args": "{\"query\":\"validate\"}"});
    let plain = world.ok("sdl_chain", json!({"steps": [search]}));
    assert_eq!(
        world.ok("sdl.chain", json!({"steps": json!([search]).to_string(), "on_error": "stop"})),
        plain
    );
    let payload = json!({"payload": json!({"steps": [search]}).to_string()});
    assert_eq!(world.ok("sdl_chain_raw", payload), plain);
    assert_eq!(world.ok("sdl_query", json!({"action": "chain", "steps": [search]})), plain);
    for (args, field) in [
        (json!({"steps": [{"action": "info", "as": "1a"}]}), "steps[0].as"),
        (json!({"steps": [{"action": "info", "as": "a"}, {"action": "info", "as": "a"}]}), "steps[1].as"),
        (json!({"steps": []}), "steps"),
        (json!({"steps": [{"action": "info", "arg": {}}]}), "steps[0].arg"),
        (
            json!({"steps": [{"action": "info"}, {"action": "info"}], "budget": {"maxTokens": 310}}),
            "budget.maxTokens",
        ),
    ] {
        assert_eq!(world.err("sdl_chain", args.clone())["field"], field, "{args}");
    }
}

/// A step of a random graph: an action or a transform, on what may be there or not.
fn any_step() -> impl Strategy<Value = Value> {
    let reference = prop_oneof![
        3 => (0..6usize, prop::sample::select(vec![
            "", ".results", ".results[0].symbolId", ".results[-1]", ".card", "?.value", ".value", ".value[0]", "[0]",
            ".cards[0].symbolId", ".nope", "?.nope", ".results[", ".freshness.version",
        ])).prop_map(|(step, path)| Value::from(format!("${step}{path}"))),
        1 => "[$a-z0-9.?\\[\\]]{0,8}".prop_map(Value::from),
        1 => Just(json!("validate")),
    ];
    let args = (reference.clone(), reference, 0..30u32).prop_flat_map(|(a, b, n)| {
        prop::sample::select(vec![
            ("symbol.search", json!({"query": "handler", "limit": n})),
            ("symbol.search", json!({"query": a})),
            ("symbol.getCard", json!({"symbolId": a})),
            ("symbol.getCards", json!({"symbolIds": [a, b]})),
            ("symbol.getCards", json!({"symbolIds": a})),
            ("index.refresh", json!({"mode": "incremental"})),
            ("repo.status", json!({"detail": a})),
            ("map", json!({"from": a, "path": "symbolId"})),
            ("pick", json!({"from": a, "fields": ["name", "?.file"]})),
            ("filter", json!({"from": a, "op": "ne", "value": b})),
            ("sort", json!({"from": a, "path": "name"})),
            ("limit", json!({"from": a, "count": n})),
            ("template", json!({"from": a, "text": "{name} {?.file} "})),
            ("nothing", json!({"a": b})),
        ])
    });
    (args, prop::option::weighted(0.3, "[a-c]")).prop_map(|((action, args), name)| {
        let mut step = json!({"action": action, "args": args});
        if let Some(name) = name {
            step["as"] = name.into();
        }
        step
    })
}

#[test]
fn random_step_graphs_keep_their_budget_and_name_what_misses() {
    let world = World::shop();
    world.repo.write(&crate::common::handlers(40, ""));
    // Run with more for a long test: PROPTEST_CASES=10000.
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let chain = (prop::collection::vec(any_step(), 1..6), 1_050..4_000usize, any::<bool>());
    proptest!(ProptestConfig::with_cases(cases), |((steps, budget, go_on) in chain)| {
        let on_error = if go_on { "continue" } else { "stop" };
        let args = json!({"steps": steps, "budget": {"maxTokens": budget}, "onError": on_error});
        let result = world.raw("sdl_chain", &args.to_string());
        let chain = &result["structuredContent"];
        if result["isError"] == true {
            prop_assert_eq!(&chain["code"], "invalidArgument", "{}", chain);
            prop_assert!(chain["message"].as_str().unwrap().contains("two steps are called"), "{}", chain);
            return Ok(());
        }
        let tokens = sdl_tokens::count_tokens(&chain.to_string());
        prop_assert!(tokens <= budget, "{} of {}", tokens, budget);
        let taken = chain["steps"].as_array().unwrap();
        prop_assert_eq!(taken.len() == steps.len(), chain["stoppedAt"].is_null() || taken.len() == steps.len());
        for step in taken {
            prop_assert!(step["omitted"] == true || step["result"].is_object() != step["error"]["message"].is_string());
            if step["error"]["code"] == "unknownReference" && step["omitted"].is_null() {
                let message = step["error"]["message"].as_str().unwrap();
                let asked = &steps[step["step"].as_u64().unwrap() as usize];
                let named = message.split('"').nth(1).unwrap_or_default();
                prop_assert!(!named.is_empty() && asked.to_string().contains(named), "{} {}", message, asked);
                let field = step["error"]["field"].as_str().unwrap();
                prop_assert!(field.starts_with(&format!("steps[{}].args", step["step"])), "{} {}", field, message);
            }
        }
    });
}
