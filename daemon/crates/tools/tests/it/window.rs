//! Raw code: who gets it, the replacement, the text of a denial, and the rows in the log.

use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::common::World;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

const SMALL: &str = r#"//- /real/auth.ts
export function validate(token: string): boolean {
    const apiKey = "PLANTED-9c1f-one";
    for (const part of token.split(".")) {
        if (expired(part, tokenExpiry)) {
            return false;
        }
    }
    return true;
}
export function unrelated(): number {
    return 1;
}
//- /real/old/.env.py
def secret_settings():
    return "PLANTED-9c1f-two"
//- /src/shop.py
def checkout(cart: Cart) calls total
def total(cart: Cart)
"#;

fn world() -> World {
    let world = World::empty();
    world.raise_ceiling(json!({}));
    world.repo.write(SMALL);
    let mut large = "//- /real/large.py\ndef large(items):\n".to_owned();
    for i in 0..300 {
        let _ = writeln!(large, "    step_{i} = prepare(items, {i})");
        if i % 100 == 50 {
            let _ = writeln!(large, "    if special_{i}:\n        finish(items)");
        }
    }
    large.push_str("    password = 'PLANTED-9c1f-three'\n    return items\n");
    world.repo.write(&large);
    world
}

fn id(world: &World, name: &str) -> String {
    let found = world.ok("sdl_symbol_search", json!({"query": name, "exact": true}));
    found["results"][0]["symbolId"].as_str().unwrap_or_else(|| panic!("{name}: {found:#}")).to_owned()
}

fn ask(world: &World, name: &str, lines: u32, identifiers: &[&str]) -> Value {
    json!({"symbolId": id(world, name), "reason": format!("see how {name} goes"), "expectedLines": lines, "identifiersToFind": identifiers})
}

fn with(mut args: Value, key: &str, value: Value) -> Value {
    args[key] = value;
    args
}

fn window(world: &World, args: Value) -> Value {
    world.ok("sdl_code_needWindow", args)
}

/// Returns all reasons of a decision.
fn why(answer: &Value) -> String {
    ["whyDenied", "whyApproved", "overridden", "whyDowngraded", "notes"]
        .map(|list| answer[list].as_array().into_iter().flatten().map(Value::to_string).collect::<String>())
        .concat()
}

/// Checks that the call that a denial offers works as it is, and so does the request that it suggests.
fn assert_helps(world: &World, denial: &Value) {
    assert_eq!(denial["approved"], false, "{denial:#}");
    let next = &denial["nextBestAction"];
    world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
    assert!(!next["rationale"].as_str().unwrap().is_empty());
    if let Some(suggested) = denial.get("suggestedNextRequest") {
        assert_eq!(window(world, suggested.clone())["approved"], true, "{suggested:#}");
    }
}

#[test]
fn a_useful_window_is_approved_with_its_secrets_masked() {
    let world = world();
    let answer = window(&world, ask(&world, "validate", 9, &["if", "tokenExpiry"]));
    assert_eq!(answer["approved"], true, "{answer:#}");
    let code = answer["code"].as_str().unwrap();
    assert!(code.starts_with("export function validate") && code.ends_with('}'), "{code}");
    assert!(code.contains("const apiKey = \"***\";"), "{code}");
    assert_eq!(answer["matchedIdentifiers"], json!(["tokenExpiry"]));
    assert_eq!(answer["matchedLineNumbers"], json!([4]));
    assert_eq!((&answer["range"]["startLine"], &answer["range"]["endLine"]), (&json!(1), &json!(9)));
    assert!(answer.get("downgradedFrom").is_none() && answer.get("truncated").is_none(), "{answer:#}");
    let block = with(ask(&world, "validate", 3, &["tokenExpiry"]), "granularity", json!("block"));
    let block = window(&world, block);
    assert_eq!((&block["range"]["startLine"], &block["range"]["endLine"]), (&json!(4), &json!(6)));
    let around = with(ask(&world, "unrelated", 5, &["unrelated"]), "granularity", json!("fileWindow"));
    let around = window(&world, around);
    assert_eq!((&around["range"]["startLine"], &around["range"]["endLine"]), (&json!(8), &json!(12)));
}

#[test]
fn a_denial_says_why_and_what_works() {
    let world = world();
    for (args, says) in [
        (ask(&world, "validate", 9, &["nowhere"]), "none of the identifiers"),
        (ask(&world, "validate", 9, &["if", "for"]), "only keywords"),
        (ask(&world, "validate", 9, &[]), "none were given"),
        (ask(&world, "validate", 9, &["validate", "token"]), "no current slice"),
        (with(ask(&world, "validate", 9, &["nowhere"]), "breakGlass", json!(true)), "not allow"),
    ] {
        let denial = window(&world, args.clone());
        assert!(denial["whyDenied"].to_string().contains(says), "{says}: {denial:#}");
        assert!(
            !denial["whyDenied"].to_string().contains("are in the range"),
            "only what failed: {denial:#}"
        );
        assert_helps(&world, &denial);
        // It asks for less, by an identifier that exists.
        let suggested = &denial["suggestedNextRequest"];
        assert_eq!(suggested["granularity"], "block", "{says}: {denial:#}");
        assert!(suggested["expectedLines"].as_u64().unwrap() < 6, "{says}: {denial:#}");
        assert_ne!(suggested["identifiersToFind"], args["identifiersToFind"]);
        let again = window(&world, suggested.clone());
        assert!(again["approved"] == true && again.get("downgradedFrom").is_none(), "{says}: {again:#}");
    }
    world.err("sdl_code_needWindow", with(ask(&world, "validate", 9, &[]), "reason", json!("  ")));
}

#[test]
fn a_suggestion_does_not_let_a_vague_reason_in() {
    let world = world();
    for identifiers in [&[][..], &["nowhere"], &["if"], &["validate"]] {
        let denial =
            window(&world, with(ask(&world, "validate", 9, identifiers), "reason", json!("need it")));
        assert_helps(&world, &denial);
        let again = window(&world, denial["suggestedNextRequest"].clone());
        assert_eq!(again["downgradedFrom"], "window", "{again:#}");
    }
    // A reason that mentions something inside is accepted, and so is one with a typo.
    let meant = with(ask(&world, "validate", 9, &[]), "reason", json!("when does a token expire"));
    let denial = window(&world, meant);
    assert!(
        denial["suggestedNextRequest"]["identifiersToFind"].to_string().contains("\"expired\""),
        "{denial:#}"
    );
    let slip = window(&world, ask(&world, "validate", 9, &["tokenExpiri"]));
    assert_eq!(slip["suggestedNextRequest"]["identifiersToFind"], json!(["tokenExpiry"]), "{slip:#}");
    let large = window(&world, ask(&world, "large", 9_000, &["nowhere"]));
    assert!(large["suggestedNextRequest"]["expectedLines"].as_u64().unwrap() <= 180, "{large:#}");
}

#[test]
fn an_estimate_and_a_wrong_guess_are_noted_and_deny_nothing() {
    let world = world();
    for lines in [1, 9, 90, 9_000] {
        let answer = window(&world, ask(&world, "validate", lines, &["tokenExpiry", "nowhere"]));
        assert!(answer["approved"] == true && answer.get("downgradedFrom").is_none(), "{answer:#}");
        assert!(answer["notes"].to_string().contains("not in here: nowhere"), "{answer:#}");
        assert_eq!(answer["notes"].to_string().contains("expected"), lines != 9, "{answer:#}");
    }
    // As in the documentation: keywords beside an identifier, a reason in a few words, a round number.
    let reason = "Need exact branch logic for debugging auth timeout";
    let seed = with(ask(&world, "validate", 80, &["if", "catch", "tokenExpiry"]), "reason", json!(reason));
    let answer = window(&world, seed);
    assert!(answer["approved"] == true && answer.get("downgradedFrom").is_none(), "{answer:#}");
    assert!(answer["notes"].to_string().contains("keywords are not looked for: if, catch"), "{answer:#}");
}

/// A name, the changes to the default policy, the request, the verdict, and the reason.
type Row = (&'static str, Value, Value, &'static str, &'static str);

#[test]
fn every_row_of_the_contract_through_the_tool() {
    let world = world();
    let same = || json!({});
    let asks = |name: &str, lines: u32, identifiers: &[&str]| ask(&world, name, lines, identifiers);
    let glass = |args: Value| with(args, "breakGlass", json!(true));
    let useless = || asks("validate", 1_000, &["tokenExpiry", "no", "such", "thing"]);
    let itself = json!({"entrySymbols": [id(&world, "validate")]});
    let task = json!({"taskText": "validate a token"});
    let open = || json!({"allowBreakGlass": true, "requireIdentifiers": false, "defaultDenyRaw": false, "utilityThreshold": 0});
    let rows: Vec<Row> = vec![
        ("found and useful", same(), asks("validate", 9, &["tokenExpiry"]), "window", "utility"),
        (
            "a keyword beside it",
            same(),
            asks("validate", 9, &["if", "tokenExpiry"]),
            "window",
            "1 of 1 identifiers",
        ),
        ("keywords alone", same(), asks("validate", 9, &["if", "for"]), "denied", "only keywords"),
        ("no identifiers", same(), asks("validate", 9, &[]), "denied", "none were given"),
        (
            "not in the range",
            same(),
            asks("validate", 9, &["unrelated"]),
            "denied",
            "none of the identifiers",
        ),
        ("guesses", same(), useless(), "hotPath", "no current slice or frontier"),
        (
            "vague",
            same(),
            with(asks("validate", 9, &["tokenExpiry"]), "reason", json!("need it")),
            "hotPath",
            "what would raise it",
        ),
        (
            "known from its card alone",
            same(),
            asks("validate", 9, &["token"]),
            "denied",
            "from inside the symbol",
        ),
        (
            "its own entry",
            same(),
            with(asks("validate", 9, &["token"]), "sliceContext", itself),
            "denied",
            "no current slice",
        ),
        (
            "none required, no task",
            json!({"requireIdentifiers": false}),
            asks("validate", 9, &[]),
            "denied",
            "no current slice",
        ),
        (
            "none required, a task",
            json!({"requireIdentifiers": false}),
            with(asks("validate", 9, &[]), "sliceContext", task),
            "window",
            "requires no identifiers",
        ),
        (
            "raw not denied by default",
            json!({"defaultDenyRaw": false}),
            useless(),
            "window",
            "asks for no slice",
        ),
        ("a low threshold", json!({"utilityThreshold": 0.05}), useless(), "window", "threshold of 0.05"),
        (
            "glass that may not be broken",
            same(),
            glass(asks("validate", 9, &["nowhere"])),
            "denied",
            "not allow",
        ),
        (
            "glass broken for identifiers",
            json!({"allowBreakGlass": true}),
            glass(asks("validate", 9, &["nowhere"])),
            "window",
            "breakGlass",
        ),
        (
            "glass broken for relevance",
            json!({"allowBreakGlass": true}),
            glass(useless()),
            "window",
            "breakGlass",
        ),
        (
            "glass not asked to be broken",
            json!({"allowBreakGlass": true}),
            useless(),
            "hotPath",
            "no current slice",
        ),
        (
            "more lines expected than allowed",
            same(),
            with(asks("validate", 500, &["tokenExpiry"]), "reason", json!("how validate works")),
            "window",
            "clamped to 180",
        ),
        (
            "more lines than allowed",
            same(),
            asks("large", 300, &["special_50"]),
            "hotPath",
            "180 are allowed",
        ),
        (
            "more lines, no identifiers",
            json!({"requireIdentifiers": false, "defaultDenyRaw": false}),
            asks("large", 300, &[]),
            "skeleton",
            "a skeleton",
        ),
        (
            "more tokens asked for than allowed",
            json!({"maxWindowLines": 500}),
            with(asks("large", 300, &["special_50"]), "maxTokens", json!(20_000)),
            "hotPath",
            "1400 are allowed",
        ),
        (
            "a file of secrets",
            same(),
            asks("secret_settings", 5, &["secret_settings"]),
            "denied",
            "holds secrets",
        ),
        (
            "the same, all allowed",
            open(),
            glass(asks("secret_settings", 5, &["secret_settings"])),
            "denied",
            "holds secrets",
        ),
    ];
    let default = world.ok("sdl_policy_get", json!({}))["policy"].clone();
    for (name, patch, args, outcome, says) in rows {
        world.ok("sdl_policy_set", json!({"policyPatch": default}));
        world.ok("sdl_policy_set", json!({"policyPatch": patch}));
        let before = world.rows();
        let answer = window(&world, args);
        assert_eq!(world.rows(), before + 1, "{name}");
        let row = world.shown(1).remove(0);
        let lower = answer.get("downgradedFrom").is_some();
        let shape = why(&answer).contains("a skeleton");
        let came = match (answer["approved"] == true, lower, shape) {
            (false, ..) => "denied",
            (true, false, _) => "window",
            (true, true, true) => "skeleton",
            (true, true, false) => "hotPath",
        };
        assert_eq!(came, outcome, "{name}: {answer:#}");
        assert!(why(&answer).contains(says), "{name}: {answer:#}");
        match outcome {
            "denied" => assert_helps(&world, &answer),
            _ => assert!(sdl_tokens::count_tokens(&answer.to_string()) <= 1_400, "{name}"),
        }
        let written = match outcome {
            "denied" => "denied",
            "window" => "approved",
            _ => "downgraded",
        };
        assert_eq!((row.action.as_str(), row.decision.as_str()), ("code.needWindow", written), "{name}");
    }
}

#[test]
fn a_slice_that_is_not_held_any_more_is_not_current() {
    let world = world();
    let args = ask(&world, "total", 900, &["total", "x", "y", "z"]);
    let total = id(&world, "total");
    world.ok("sdl_slice_build", json!({"entrySymbols": [total], "budget": {"maxCards": 1}}));
    assert!(why(&window(&world, args.clone())).contains("in a current slice"));
    // The symbol went and came back under another name: the slice holds the old one, and this is a different symbol.
    world.repo.write("//- /src/shop.py\ndef checkout(cart: Cart) calls sum\ndef sum(cart: Cart)\n");
    let other = ask(&world, "sum", 900, &["sum", "x", "y", "z"]);
    assert!(why(&window(&world, other)).contains("no current slice"));
}

#[test]
fn being_in_a_slice_or_next_to_one_counts() {
    let world = world();
    let args = ask(&world, "total", 900, &["total", "x", "y", "z"]);
    assert_eq!(window(&world, args.clone())["downgradedFrom"], "window");
    let checkout = id(&world, "checkout");
    world.ok("sdl_slice_build", json!({"entrySymbols": [checkout], "budget": {"maxCards": 1}}));
    let next = window(&world, args);
    assert!(next["approved"] == true && why(&next).contains("slice"), "{next:#}");
    let task = json!({"taskText": "validate a token"});
    let vague = with(ask(&world, "validate", 20, &["tokenExpiry"]), "reason", json!("need it"));
    assert_eq!(window(&world, vague.clone())["downgradedFrom"], "window");
    let told = window(&world, with(vague, "sliceContext", task));
    assert!(why(&told).contains("utility") && told.get("downgradedFrom").is_none(), "{told:#}");
}

#[test]
fn a_window_above_the_limits_is_served_as_a_lower_rung() {
    let world = world();
    let hot = window(&world, ask(&world, "large", 300, &["special_50"]));
    assert_eq!((&hot["approved"], &hot["downgradedFrom"]), (&json!(true), &json!("window")), "{hot:#}");
    assert!(hot["code"].as_str().unwrap().contains("if special_50:"), "{hot:#}");
    assert!(sdl_tokens::count_tokens(&hot.to_string()) <= 1_400);
    let open = json!({"policyPatch": {"requireIdentifiers": false, "defaultDenyRaw": false}});
    world.ok("sdl_policy_set", open);
    let shape = window(&world, ask(&world, "large", 300, &[]));
    let code = shape["code"].as_str().unwrap();
    assert!(code.contains("if special_50:") && !code.contains("finish"), "{shape:#}");
    world.ok("sdl_policy_set", json!({"policyPatch": {"allowBreakGlass": true, "requireIdentifiers": true}}));
    let glass = with(ask(&world, "large", 300, &["nowhere"]), "breakGlass", json!(true));
    let glass = window(&world, glass);
    assert_eq!((&glass["approved"], &glass["truncated"]), (&json!(true), &json!(true)), "{glass:#}");
    let failed = "none of the identifiers";
    assert!(glass["overridden"].to_string().contains(failed), "{glass:#}");
    assert!(
        !glass["whyApproved"].to_string().contains(failed),
        "a failed condition approves nothing: {glass:#}"
    );
    assert!(glass["range"]["endLine"].as_u64().unwrap() <= 180);
    let part = with(ask(&world, "large", 20, &["special_150"]), "granularity", json!("fileWindow"));
    let part = window(&world, part);
    assert!(
        part["code"].as_str().unwrap().contains("if special_150:"),
        "never less than the symbol: {part:#}"
    );
    let small = with(ask(&world, "validate", 9, &["tokenExpiry"]), "maxTokens", json!(400));
    let small = window(&world, small);
    assert!(sdl_tokens::count_tokens(&small.to_string()) <= 400, "{small:#}");
    assert_eq!(
        world.err(
            "sdl_code_needWindow",
            with(ask(&world, "validate", 9, &["tokenExpiry"]), "maxTokens", json!(9))
        )["field"],
        "maxTokens"
    );
}

#[test]
fn files_of_secrets_are_never_shown() {
    let world = world();
    world.ok("sdl_policy_set", json!({"policyPatch": {"allowBreakGlass": true, "redactSecrets": false}}));
    let glass = with(ask(&world, "secret_settings", 5, &["secret_settings"]), "breakGlass", json!(true));
    let denial = window(&world, glass);
    assert!(
        why(&denial).contains("holds secrets") && denial.get("suggestedNextRequest").is_none(),
        "{denial:#}"
    );
    assert_helps(&world, &denial);
}

#[test]
fn a_policy_is_patched_field_by_field_and_kept_by_repository() {
    let world = world();
    let other = world.add("other");
    other.write("//- /a.py\ndef elsewhere()\n");
    let get = |repo: &str| world.ok("sdl_policy_get", json!({"repoId": repo}))["policy"].clone();
    let before = get("shop");
    assert_eq!(
        (
            &before["maxWindowLines"],
            &before["maxWindowTokens"],
            &before["requireIdentifiers"],
            &before["allowBreakGlass"]
        ),
        (&json!(180), &json!(1400), &json!(true), &json!(false))
    );
    let patch = json!({"maxWindowLines": 220, "budgetCaps": {"maxCards": 2}});
    let set = world.ok("sdl_policy_set", json!({"repoId": "shop", "policyPatch": patch}));
    assert_eq!((&set["ok"], &set["repoId"]), (&json!(true), &json!("shop")));
    let after = get("shop");
    assert_eq!((&after["maxWindowLines"], &after["maxWindowTokens"]), (&json!(220), &json!(1400)));
    assert_eq!(after["budgetCaps"]["maxCards"], 2);
    assert_eq!(get("other"), before);
    world.err("sdl_policy_set", json!({"policyPatch": {"maxWindowLines": 0}}));
    world.err("sdl_policy_set", json!({"policyPatch": {"maxWindow": 1}}));
}

#[test]
fn every_decision_is_one_row_of_a_chain() {
    let world = world();
    window(&world, ask(&world, "validate", 9, &["tokenExpiry"]));
    window(&world, ask(&world, "validate", 9, &["nowhere"]));
    window(&world, ask(&world, "large", 300, &["special_50"]));
    world.ok("sdl_policy_set", json!({"policyPatch": {"allowBreakGlass": true}}));
    window(&world, with(ask(&world, "validate", 9, &["nowhere"]), "breakGlass", json!(true)));
    // An error is no decision.
    world.err(
        "sdl_code_needWindow",
        json!({"symbolId": "s_0000000000000", "reason": "x", "expectedLines": 1, "identifiersToFind": []}),
    );
    let rows = world.shown(100);
    let decisions: Vec<&str> = rows.iter().map(|row| row.decision.as_str()).collect();
    assert_eq!(decisions, ["ceiling", "approved", "denied", "downgraded", "set", "approved"]);
    assert!(rows[5].break_glass && rows[1].details["range"]["endLine"] == 9, "{rows:#?}");
    let found = world.verified();
    assert!(found.ok && found.rows == 6, "{found:?}");
}

/// Random requests to every rung, some under random policies. `SDL_WINDOW_CASES` sets how many.
#[test]
fn no_denied_or_secret_byte_leaves() {
    let cases = std::env::var("SDL_WINDOW_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    static WORLD: OnceLock<(World, Vec<String>)> = OnceLock::new();
    let (world, symbols) = WORLD.get_or_init(|| {
        let world = world();
        let names = ["validate", "unrelated", "secret_settings", "large", "checkout", "total"];
        let symbols = names.iter().map(|name| id(&world, name)).collect();
        (world, symbols)
    });
    let words = prop::sample::select(vec![
        "if",
        "token",
        "tokenExpiry",
        "special_50",
        "items",
        "nowhere",
        "apiKey",
        "password",
        "PLANTED",
        "9c1f",
        "return",
        "cart",
        "PLANTED-9c1f-one",
        "",
        " ",
        "***",
    ]);
    let patch = prop::option::weighted(
        0.1,
        (any::<[bool; 4]>(), 1u32..300, 500u32..3_000, 0.0..1.0f64).prop_map(|(on, lines, tokens, threshold)| {
            json!({"allowBreakGlass": on[0], "requireIdentifiers": on[1], "defaultDenyRaw": on[2], "redactSecrets": true,
                "maxWindowLines": lines, "maxWindowTokens": tokens, "utilityThreshold": threshold})
        }),
    );
    let request = (
        prop::sample::select(symbols.clone()),
        prop::collection::vec(words, 0..5),
        (0u8..6, any::<[bool; 3]>()),
        1u32..400,
        prop::option::of(1u32..3_000),
        patch,
    );
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let done = runner.run(&request, |(symbol, words, (kind, on), lines, tokens, patch)| {
        if let Some(patch) = patch {
            world.ok("sdl_policy_set", json!({ "policyPatch": patch }));
        }
        let policy = world.ok("sdl_policy_get", json!({}))["policy"].clone();
        let (tool, mut args) = match kind {
            0 => ("sdl_code_getSkeleton", json!({"symbolId": symbol, "identifiersToFind": words, "skeletonOffset": lines % 7})),
            1 => {
                let file = ["real/auth.ts", "real/old/.env.py", "real/large.py", "../etc/passwd"][lines as usize % 4];
                ("sdl_code_getSkeleton", json!({"file": file, "exportedOnly": on[0], "identifiersToFind": words}))
            }
            2 => ("sdl_code_getHotPath", json!({"symbolId": symbol, "identifiersToFind": words, "contextLines": lines})),
            _ => {
                let granularity = ["symbol", "block", "fileWindow"][lines as usize % 3];
                let args = json!({"symbolId": symbol, "reason": "why not", "expectedLines": lines, "identifiersToFind": words,
                    "granularity": granularity, "breakGlass": on[0]});
                let task = json!({"taskText": "validate a token", "entrySymbols": [symbol]});
                ("sdl_code_needWindow", if on[1] { with(args, "sliceContext", task) } else { args })
            }
        };
        if let Some(tokens) = tokens {
            args["maxTokens"] = tokens.into();
        }
        let sent = args.to_string();
        let result = world.raw(tool, &sent);
        let answer = &result["structuredContent"];
        // The answer may repeat the request; the planted secrets are longer than any part of it.
        for planted in ["c1f-two", "c1f-three"] {
            prop_assert!(!result.to_string().contains(planted), "{tool} {sent}: {result:#}");
        }
        let code = ["code", "skeleton", "excerpt"].map(|key| answer[key].as_str().unwrap_or_default().to_owned()).join("\n");
        prop_assert!(!code.replace("/* <- ", "").contains("PLANTED-9c1f-one\""), "{tool} {sent}: {result:#}");
        if result["isError"] == false {
            let most = tokens.unwrap_or(20_000).min(if kind > 2 { policy["maxWindowTokens"].as_u64().unwrap() as u32 } else { 4_000.max(tokens.unwrap_or(0)) });
            let denied = answer["approved"] == false;
            prop_assert!(denied || sdl_tokens::count_tokens(&answer.to_string()) <= most as usize, "{tool} {sent}: {answer:#}");
            if denied {
                prop_assert!(answer.get("code").is_none() && answer.get("range").is_none(), "{answer:#}");
                for line in ["tokenExpiry))", "prepare(items", "return true"] {
                    prop_assert!(!result.to_string().contains(line), "{tool} {sent}: {result:#}");
                }
                let next = &answer["nextBestAction"];
                let followed = world.raw(next["tool"].as_str().unwrap(), &next["args"].to_string());
                prop_assert!(followed["isError"] == false, "{next:#}: {followed:#}");
            }
            if answer["approved"] == true && answer.get("downgradedFrom").is_none() {
                let (start, end) = (answer["range"]["startLine"].as_u64().unwrap(), answer["range"]["endLine"].as_u64().unwrap());
                prop_assert!(end - start < policy["maxWindowLines"].as_u64().unwrap(), "{answer:#}");
            }
        }
        Ok(())
    });
    done.unwrap_or_else(|failure| panic!("{failure}"));
    let found = world.verified();
    assert!(found.ok, "{found:?}");
}
