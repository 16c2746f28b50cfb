//! Tests of the changes between two versions.

use crate::common::{SHOP, World, handlers};
use sdl_tools::host::Barrier;
use serde_json::{Value, json};

fn delta(world: &World, from: &str, to: &str) -> Value {
    world.ok("sdl_delta_get", json!({"fromVersion": from, "toVersion": to}))
}

fn names(list: &Value) -> Vec<(&str, &str)> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|symbol| {
            let what = symbol["changeType"].as_str().or_else(|| symbol["reason"].as_str()).unwrap();
            (what, symbol["name"].as_str().unwrap())
        })
        .collect()
}

/// The shop, then an edited signature, then a rename and a removed file.
fn three_versions() -> (World, [String; 3]) {
    let world = World::shop();
    let first = world.repo.head();
    world.repo.write(&SHOP.replace("def parse(token: str)", "def parse(token: str, strict: bool)"));
    let second = world.repo.head();
    world.repo.remove("src/db.py");
    let third = world.repo.head();
    (world, [first, second, third])
}

#[test]
fn between_any_two_versions() {
    let (world, [first, second, third]) = three_versions();
    let found = delta(&world, &first, &second);
    assert_eq!(found["delta"]["fromVersion"], json!(first));
    assert_eq!(names(&found["delta"]["changedSymbols"]), [("modified", "parse")]);
    let change = &found["delta"]["changedSymbols"][0];
    assert_eq!(change["signatureDiff"]["after"], "parse(token: str, strict: bool)");
    assert_eq!(change["tiers"]["interfaceStable"], false);
    assert_eq!(found["delta"]["blastRadius"][0]["name"], "validate");
    assert_eq!(found["delta"]["blastRadius"][0]["distance"], 1);
    assert_eq!(found["freshness"]["version"], json!(third), "the answer is from the newest version's data");
    // The other way round, and with the two special names.
    let back = delta(&world, &second, &first);
    assert_eq!(back["delta"]["changedSymbols"][0]["signatureDiff"]["after"], "parse(token: str)");
    let words = delta(&world, "previous", "latest");
    assert_eq!(words["delta"]["fromVersion"], json!(second));
    let removed = names(&words["delta"]["changedSymbols"]);
    assert!(
        removed.contains(&("removed", "lookup")) && removed.contains(&("removed", "connect")),
        "{words:#}"
    );
    let affected = words["delta"]["blastRadius"].as_array().unwrap();
    let charge = affected.iter().find(|item| item["name"] == "charge").expect("it called connect");
    assert_eq!(charge["reason"], "called connect, which is gone");
    assert_eq!(delta(&world, "latest", "latest")["delta"]["changedSymbols"], json!([]));
}

#[test]
fn growing_fan_in_is_an_amplifier() {
    let world = World::shop();
    world.repo.write("//- /src/more.py\ndef a() calls decode\ndef b() calls decode\ndef c() calls decode\n");
    let found = delta(&world, "previous", "latest");
    let amplifier = &found["amplifiers"][0];
    assert_eq!((&amplifier["name"], &amplifier["growthRate"]), (&json!("decode"), &json!(3.0)));
    assert_eq!((&amplifier["previous"], &amplifier["current"]), (&json!(1), &json!(4)));
}

#[test]
fn a_budget_holds_for_the_whole_answer_and_a_handle_gives_the_rest() {
    let world = World::shop();
    world.repo.write(&handlers(300, " calls validate : One."));
    let edited = handlers(300, " calls decode : Another.");
    world.repo.write(&edited);
    for tokens in [400, 900, 3_000, 20_000] {
        let args = json!({"fromVersion": "previous", "toVersion": "latest", "budget": {"maxEstimatedTokens": tokens, "maxCards": 1_000}});
        let found = world.ok("sdl_delta_get", args);
        let size = sdl_tokens::count_tokens(&found.to_string());
        assert!(size <= tokens, "{size} > {tokens}");
        let shown = found["delta"]["changedSymbols"].as_array().unwrap().len();
        let truncation = &found["delta"]["truncation"];
        assert_eq!(truncation["droppedCards"], json!(300 - shown), "{truncation:#}");
        let handle = found["delta"]["spilloverHandle"].clone();
        let page = world.ok("sdl_slice_spillover_get", json!({"spilloverHandle": handle, "pageSize": 3}));
        assert!(!page["symbols"].as_array().unwrap().is_empty());
    }
    let args = json!({"fromVersion": "previous", "toVersion": "latest", "budget": {"maxCards": 7}});
    let found = world.ok("sdl_delta_get", args);
    assert_eq!(found["delta"]["changedSymbols"].as_array().unwrap().len(), 7);
}

#[test]
fn versions_that_are_not_kept_say_which_are() {
    let (world, [_, _, third]) = three_versions();
    for (from, to, field) in [
        ("v1", "latest", "fromVersion"),
        ("latest", "v99999999999999999", "toVersion"),
        ("yesterday", "latest", "fromVersion"),
        ("latest", "", "toVersion"),
    ] {
        let error = world.err("sdl_delta_get", json!({"fromVersion": from, "toVersion": to}));
        assert_eq!(error["field"], field, "{error:#}");
        if error["code"] == "unknownVersion" {
            assert_eq!(error["candidates"][1][field], json!(third));
            let next = &error["nextBestAction"];
            world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
        }
    }
    let error = world.err("sdl_delta_get", json!({"fromVersion": "git:main", "toVersion": "latest"}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unavailable"), &json!("fromVersion")));
}

#[test]
fn a_delta_is_confirmed_unless_the_call_says_otherwise() {
    let world = World::shop();
    *world.repo.synced.lock().unwrap() = Barrier::default();
    let mut args = json!({"fromVersion": "latest", "toVersion": "latest"});
    assert_eq!(world.err("sdl_delta_get", args.clone())["code"], "notSynced");
    args["sync"] = json!("none");
    world.ok("sdl_delta_get", args);
}

fn risk(world: &World, more: Value) -> Value {
    let mut args = json!({"fromVersion": "previous", "toVersion": "latest"});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.ok("sdl_pr_risk_analyze", args)
}

#[test]
fn a_risk_score_is_the_sum_of_its_parts() {
    let world = World::shop();
    world.repo.write("//- /tests/test_auth.py\ndef test_parse() calls parse\n");
    world.repo.write(&SHOP.replace("def parse(token: str)", "def parse(token: str, strict: bool)"));
    let found = risk(&world, json!({}));
    let analysis = &found["analysis"];
    let points: f64 =
        analysis["parts"].as_array().unwrap().iter().map(|part| part["points"].as_f64().unwrap()).sum();
    assert_eq!(analysis["riskScore"], json!(points.round().min(100.0) as u64), "{found:#}");
    assert_eq!(analysis["findings"][0]["type"], "signatureChange");
    assert_eq!(analysis["findings"][0]["affectedSymbols"][0]["name"], "parse");
    let proof = "parse(token: str) => parse(token: str, strict: bool)";
    assert_eq!(analysis["evidence"][0]["description"], proof);
    assert_eq!(analysis["impactedSymbols"][0]["name"], "validate");
    assert_eq!(analysis["recommendedTests"][0]["description"], "tests/test_auth.py: test_parse");
    assert_eq!(
        (&found["escalationRequired"], &found["policyDecision"]["decision"]),
        (&json!(true), &json!("escalate")),
        "validate was not edited with parse"
    );
    // The decision is in the log, and its hash there is the one in the answer.
    let row = world.shown_hashes(1).remove(0);
    assert_eq!((row.0.action.as_str(), row.0.decision.as_str()), ("pr.risk.analyze", "escalate"));
    assert_eq!(found["policyDecision"]["auditHash"], row.1);
    assert_eq!(row.0.details["riskScore"], analysis["riskScore"]);
    let again = risk(&world, json!({}));
    assert_eq!(again["analysis"], found["analysis"]);
    assert_ne!(again["policyDecision"]["auditHash"], found["policyDecision"]["auditHash"], "two decisions");
    let few = risk(&world, json!({"riskThreshold": 100}));
    assert_eq!(few["analysis"]["findings"], json!([]));
    assert_eq!(few["analysis"]["riskScore"], analysis["riskScore"], "the threshold is for findings alone");
}

#[test]
fn no_finding_is_above_the_whole() {
    let world = World::shop();
    world.repo.write("//- /tests/test_auth.py\ndef test_parse() calls parse\n");
    for edit in [
        SHOP.replace("def parse(token: str)", "def parse(token: str, strict: bool)"),
        SHOP.replace("def parse(token: str)", "def parse(token: str) raises Malformed"),
        SHOP.replace("def parse", "def read"),
        handlers(300, " calls validate : One."),
    ] {
        world.repo.write(&edit);
        let found = risk(&world, json!({}));
        let score = found["analysis"]["riskScore"].as_u64().unwrap();
        for finding in found["analysis"]["findings"].as_array().unwrap() {
            assert!(finding["score"].as_u64().unwrap() <= score, "{found:#}");
        }
        // The levels that `docs/changes.md` has somebody look at who knows the code.
        let level = found["analysis"]["riskLevel"].as_str().unwrap();
        let escalates = matches!(level, "high" | "critical");
        assert_eq!(escalates, score >= 60, "{found:#}");
        assert_eq!(found["escalationRequired"], escalates, "{found:#}");
        assert_eq!(found["policyDecision"]["deniedReasons"] != json!([]), escalates, "{found:#}");
        world.repo.write(SHOP);
    }
}

#[test]
fn edited_documentation_is_a_change_without_risk() {
    let world = World::shop();
    world.repo.write("//- /src/said.py\ndef said(a: int) calls decode : One.\n");
    world.repo.write("//- /src/said.py\ndef said(a: int) calls decode : Another.\n");
    let found = delta(&world, "previous", "latest");
    let change = &found["delta"]["changedSymbols"][0];
    assert_eq!((&change["docChanged"], &change["bodyChanged"]), (&json!(true), &json!(false)), "{found:#}");
    assert_eq!(found["delta"]["blastRadius"], json!([]));
    let found = risk(&world, json!({}));
    assert_eq!(found["analysis"]["riskScore"], 0, "{found:#}");
}

#[test]
fn nothing_changed_is_no_risk() {
    let world = World::shop();
    let found = world.ok("sdl_pr_risk_analyze", json!({"fromVersion": "latest", "toVersion": "latest"}));
    assert_eq!(
        (&found["analysis"]["riskScore"], &found["analysis"]["riskLevel"]),
        (&json!(0), &json!("low"))
    );
    assert_eq!(found["policyDecision"]["deniedReasons"], json!([]));
}

#[test]
fn a_large_change_escalates_and_stays_within_the_cap() {
    let world = World::shop();
    world.repo.write(&handlers(300, " calls validate, handler_number_0 raises Denied : One."));
    world.repo.write(&handlers(300, " : Another.").replace("(request: HttpRequest)", "(request: Request)"));
    let found = risk(&world, json!({}));
    assert!(sdl_tokens::count_tokens(&found.to_string()) <= 8_000);
    assert_eq!(
        (&found["escalationRequired"], &found["policyDecision"]["decision"]),
        (&json!(true), &json!("escalate"))
    );
    let analysis = &found["analysis"];
    let truncation = &analysis["truncation"];
    assert!(truncation["droppedCards"].as_u64().unwrap() > 0, "{found:#}");
    assert_eq!(truncation["spilloverHandle"], analysis["spilloverHandle"]);
    // The named symbols and those of the handle are the whole change, each symbol once.
    let mut seen: Vec<Value> = Vec::new();
    let (mut cursor, mut pages) = (Value::Null, 0);
    while pages < 40 {
        let args = json!({"spilloverHandle": analysis["spilloverHandle"], "pageSize": 100, "cursor": cursor});
        let page = world.ok("sdl_slice_spillover_get", args);
        seen.extend(page["symbols"].as_array().unwrap().iter().map(|card| card["symbolId"].clone()));
        pages += 1;
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let shown = found["analysis"].to_string();
    assert!(seen.iter().all(|id| !shown.contains(id.as_str().unwrap())), "nothing is served twice");
    for i in 0..300 {
        let id = json!(world.repo.symbol("src/handlers.py", &format!("handler_number_{i}")));
        assert!(shown.contains(id.as_str().unwrap()) || seen.contains(&id), "handler {i} is nowhere");
    }
    let error = world.err("sdl_pr_risk_analyze", json!({"fromVersion": "v1", "toVersion": "latest"}));
    world.ok(error["nextBestAction"]["tool"].as_str().unwrap(), error["nextBestAction"]["args"].clone());
}
