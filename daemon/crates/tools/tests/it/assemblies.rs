//! One call for a task's context.

use std::collections::BTreeSet;

use crate::common::World;
use serde_json::{Value, json};

const SOURCE: &str = r#"
//- /real/token.py
def check_token(token, now):
    """Says whether a token still counts."""
    if not token:
        raise ValueError("no token")
    parts = split_token(token)
    if parts.expires < now:
        log_expired(parts)
        return False
    for scope in parts.scopes:
        if scope == "admin":
            return True
    return len(parts.scopes) > 0

def split_token(token):
    """Splits a token into its parts."""
    head, body, tail = token.split(".")
    password = "hunter2-hunter2-hunter2"
    return Parts(head, body, tail)
//- /tests/test_token.py
def test_token() calls check_token : Tests a token.
"#;

fn world() -> World {
    let world = World::shop();
    world.repo.write(SOURCE);
    world
}

fn assemble(world: &World, more: Value) -> Value {
    let mut args = json!({"taskText": "why does check_token refuse a token", "budget": {"maxTokens": 4_000}});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.ok("sdl_agent_orchestrate", args)
}

fn pieces<'a>(answer: &'a Value, kind: &str) -> Vec<&'a str> {
    let all = answer["evidence"].as_array().unwrap().iter();
    all.filter(|piece| piece["kind"] == kind).map(|piece| piece["content"].as_str().unwrap()).collect()
}

#[test]
fn each_symbol_is_shown_once_and_whole_where_it_is_short() {
    let world = world();
    for task in ["debug", "review", "implement", "explain"] {
        let answer = assemble(&world, json!({"taskType": task}));
        let shown = pieces(&answer, "source");
        let check = shown.iter().find(|text| text.contains("def check_token")).expect("the asked function");
        assert!(check.starts_with("real/token.py:1-12 check_token\ndef check_token"), "{check}");
        assert!(check.ends_with("return len(parts.scopes) > 0"), "{check}");
        let evidence = answer["evidence"].as_array().unwrap();
        let ids: BTreeSet<&str> = evidence.iter().map(|piece| piece["symbolId"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), evidence.len(), "{answer:#}");
        for line in ["parts = split_token(token)", "token.split"] {
            assert!(answer["evidence"].to_string().matches(line).count() <= 1, "{line}: {answer:#}");
        }
        let sum = |list: &Value| {
            list.as_array().unwrap().iter().map(|one| one["tokens"].as_u64().unwrap()).sum::<u64>()
        };
        assert_eq!(answer["tokens"], sum(&answer["evidence"]));
        assert_eq!(sum(&answer["plan"]), sum(&answer["evidence"]));
        assert!(!answer.to_string().contains("hunter2"), "no secret is shown");
    }
}

/// A relation is a call that the graph has, and users are counted where they are: in code or in tests.
#[test]
fn relations_are_those_of_the_graph() {
    let world = world();
    let answer =
        assemble(&world, json!({"taskText": "how does checkout pay: validate a token, then charge"}));
    let lines: Vec<&str> =
        answer["relations"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let calls: Vec<_> = lines.iter().filter_map(|line| line.split_once(" calls ")).collect();
    assert!(!calls.is_empty(), "{answer:#}");
    for (from, to) in calls {
        let related = world.ok("sdl_symbol_related", json!({"symbol": from, "want": "callees"}));
        for name in to.split(", ") {
            assert!(related.to_string().contains(&format!("\"{name}\"")), "{from} -> {name}: {related:#}");
        }
    }
    world
        .repo
        .write("//- /tests/test_db.py\ndef test_connect() calls connect, flush : Tests the database.\n");
    let answer = assemble(&world, json!({"taskText": "connect"}));
    let lines = answer["relations"].to_string();
    let told = lines.split('"').find(|line| line.starts_with("connect is used by")).expect("its users");
    assert!(told.ends_with(" in 2 files; tests in tests/test_db.py (1)"), "{told}");
    assert!(["charge", "flush", "lookup"].iter().all(|user| told.contains(user)), "{told}");
}

#[test]
fn what_no_window_is_approved_for_falls_to_a_lower_rung() {
    let world = world();
    world.ok("sdl_policy_set", json!({"policyPatch": {"utilityThreshold": 1.0}}));
    let answer = assemble(&world, json!({}));
    let split = answer["evidence"].as_array().unwrap().iter();
    let split =
        split.map(|piece| piece["content"].as_str().unwrap()).find(|text| text.contains(" split_token\n"));
    let split = split.expect("the function that the task leads to");
    assert!(split.contains("def split_token(token):") && !split.contains("Parts(head"), "{split}");
    world.ok("sdl_policy_set", json!({"policyPatch": {"utilityThreshold": 0.5, "maxWindowLines": 4}}));
    let answer = assemble(&world, json!({}));
    for text in pieces(&answer, "source").iter().chain(&pieces(&answer, "hotPath")) {
        let lines = text.lines().skip(1).filter(|line| !line.starts_with("...")).count();
        assert!(lines <= 4, "{text}");
    }
}

#[test]
fn a_long_symbol_is_shown_by_the_lines_that_matter() {
    let world = world();
    let mut long = "//- /real/long.py\ndef prune_sessions(items):\n".to_owned();
    (0..200).for_each(|at| long.push_str(&format!("    items.append({at})\n")));
    long.push_str("    stale = expire_leftovers(items)\n    return stale\n");
    world.repo.write(&format!("{SOURCE}{long}"));
    let answer = assemble(&world, json!({"taskText": "how does prune_sessions expire leftovers"}));
    let text = pieces(&answer, "hotPath").into_iter().find(|text| text.contains("prune_sessions")).unwrap();
    assert!(text.starts_with("real/long.py:1-203 prune_sessions\ndef prune_sessions(items):"), "{text}");
    assert!(text.contains("stale = expire_leftovers(items)") && text.lines().count() < 60, "{text}");
    // A gap gives the number of the next line.
    let mut number = 1;
    for line in text.lines().skip(1) {
        match line.strip_prefix("...").and_then(|line| line.strip_suffix(':')) {
            Some(next) => number = next.parse().unwrap(),
            None => {
                let appended = line.trim().strip_prefix("items.append(").and_then(|at| at.strip_suffix(')'));
                if let Some(at) = appended {
                    assert_eq!(number, at.parse::<usize>().unwrap() + 2, "{text}");
                }
                number += 1;
            }
        }
    }
}

#[test]
fn the_rest_is_named_with_its_places() {
    let world = world();
    world.repo.write(&crate::common::handlers(
        80,
        " calls check_token, lookup : Answers one of many requests for a token.",
    ));
    let answer =
        assemble(&world, json!({"budget": {"maxTokens": 1_500}, "taskText": "handle a token request"}));
    let more = answer["more"].as_array().unwrap();
    assert!(!more.is_empty(), "{answer:#}");
    let place = regex::Regex::new(r"^[\w./]+(: [\w.]+:\d+-\d+(, [\w.]+:\d+-\d+)*)?$").unwrap();
    assert!(more.iter().all(|line| place.is_match(line.as_str().unwrap())), "{more:#?}");
    assert!(answer["coverage"].as_str().unwrap().contains("symbols are shown"), "{answer:#}");
}

#[test]
fn most_of_a_budget_is_evidence() {
    let world = world();
    world.repo.write(&crate::common::handlers(
        80,
        " calls check_token, lookup : Answers one of many requests for a token.",
    ));
    for budget in [1_000, 2_000, 4_000, 8_000] {
        let answer =
            assemble(&world, json!({"budget": {"maxTokens": budget}, "taskText": "handle a token request"}));
        let of = |field: &str| sdl_tokens::count_tokens(&answer[field].to_string());
        let whole = sdl_tokens::count_tokens(&answer.to_string());
        // The policy limits raw lines, so a large budget is not filled.
        assert!(budget > 4_000 || whole * 10 > budget * 7, "{whole} of {budget} are used");
        assert!(of("evidence") * 5 > whole * 2, "{} of {whole} are evidence: {answer:#}", of("evidence"));
        assert!(of("omitted") * 12 <= budget, "{} of {budget}", of("omitted"));
        assert!(of("nextActions") <= 140.max(budget / 8), "{} of {budget}", of("nextActions"));
        let next = answer["nextActions"].as_array().unwrap();
        assert_eq!(next[0]["tool"], "sdl_slice_build");
    }
}

#[test]
fn an_assembly_keeps_to_its_budget() {
    let world = world();
    world.repo.write(&crate::common::handlers(
        80,
        " calls check_token, lookup : Answers one of many requests for a token.",
    ));
    for budget in [800, 1_200, 3_000, 9_000, 20_000] {
        let answer =
            assemble(&world, json!({"budget": {"maxTokens": budget}, "taskText": "handle a token request"}));
        let args = json!({"budget": {"maxTokens": budget}, "taskText": "handle a token request"});
        let text = world.raw("sdl_agent_orchestrate", &args.to_string());
        let text = text["content"][0]["text"].as_str().unwrap();
        for form in [&answer.to_string(), text] {
            let size = sdl_tokens::count_tokens(form);
            assert!(size <= budget, "{size} > {budget}");
        }
        assert!(!answer["evidence"].as_array().unwrap().is_empty(), "{budget}: {answer:#}");
    }
}

#[test]
fn focus_tests_and_held_cards_count() {
    let world = world();
    let charge = world.repo.symbol("src/shop/cart.py", "charge");
    let focused = assemble(&world, json!({"focusSymbols": [charge]}));
    assert_eq!(focused["evidence"][0]["symbolId"], json!(charge));
    let below = assemble(&world, json!({"focusPaths": ["src/db.py", "src/shop"]}));
    assert!(below["evidence"][0]["content"].as_str().unwrap().contains("src/db.py"), "{below:#}");
    let without = assemble(&world, json!({"includeTests": false}));
    assert!(!without.to_string().contains("tests/test_token.py"), "{without:#}");
    let card = &world.ok("sdl_symbol_getCard", json!({"symbolId": charge}))["card"];
    let held = assemble(&world, json!({"focusSymbols": [charge], "knownCardEtags": {&charge: card["etag"]}}));
    let content = card["etag"].as_str().unwrap().replace("full", "compact");
    assert_eq!(pieces(&held, "cardRef"), [format!("held: {content}")]);
    let error = world.err(
        "sdl_agent_orchestrate",
        json!({"taskText": "x", "budget": {"maxTokens": 900}, "focusSymbols": ["chrge"]}),
    );
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownSymbol"), &json!("focusSymbols[0]")));
}

#[test]
fn the_next_actions_work_as_they_are() {
    let world = world();
    let tight = assemble(
        &world,
        json!({"budget": {"maxTokens": 800}, "taskText": "validate a token and check it out"}),
    );
    for next in tight["nextActions"].as_array().unwrap() {
        world.ok(next["tool"].as_str().unwrap(), next["args"].clone());
    }
    assert!(tight["nextActions"].as_array().unwrap().len() >= 2, "{tight:#}");
}

#[test]
fn the_same_task_at_the_same_version_is_the_same_assembly() {
    let world = world();
    let first = assemble(&world, json!({}));
    assert_eq!(assemble(&world, json!({})), first);
    assert_ne!(assemble(&world, json!({"taskType": "debug"}))["assemblyId"], first["assemblyId"]);
    let said = json!({"assemblyId": first["assemblyId"], "usefulSymbols": [first["evidence"][0]["symbolId"]], "rating": 5});
    assert_eq!(world.ok("sdl_agent_feedback", said)["ok"], true);
    let told = world.ok("sdl_agent_feedback_query", json!({}));
    assert_eq!(told["items"][0]["taskText"], "why does check_token refuse a token", "{told:#}");
    for (unknown, says) in [("as_0000000000000", "no assembly is kept"), ("a_1", "not an assembly's id")] {
        let error = world.err("sdl_agent_feedback", json!({"assemblyId": unknown, "rating": 1}));
        assert_eq!((&error["code"], &error["field"]), (&json!("unknownHandle"), &json!("assemblyId")));
        assert!(error["message"].as_str().unwrap().contains(says), "{error:#}");
    }
    world.add("other");
    let elsewhere = json!({"repoId": "other", "assemblyId": first["assemblyId"], "rating": 1});
    let error = world.err("sdl_agent_feedback", elsewhere);
    assert_eq!((&error["field"], &error["candidates"]), (&json!("repoId"), &json!([{"repoId": "shop"}])));
    assert_eq!(
        world.ok("sdl_agent_feedback_query", json!({}))["aggregate"]["count"],
        1,
        "what was refused is not kept"
    );
    world.repo.write("//- /src/more.py\ndef more() calls validate");
    assert_ne!(assemble(&world, json!({}))["assemblyId"], first["assemblyId"]);
}

#[test]
fn a_line_that_does_not_fit_is_left_out_and_no_error() {
    let world = World::shop();
    let words = (0..40).map(|n| format!("scope_of_token_{n}")).collect::<Vec<_>>().join(", ");
    world.repo.write(&format!(
        "//- /real/wide.py\ndef check_token({words}):\n    if not scope_of_token_1:\n        raise ValueError(scope_of_token_1, {words})\n    return split_token({words})\n"
    ));
    for tokens in (800..1_600).step_by(10) {
        let answer = assemble(&world, json!({"budget": {"maxTokens": tokens}}));
        let told =
            answer["evidence"].as_array().unwrap().len() + answer["more"].as_array().map_or(0, Vec::len);
        assert!(told > 0 || tokens < 1_200, "{tokens}: {answer:#}");
    }
}

#[test]
fn focus_paths_have_effect_or_are_noted() {
    let world = world();
    let first = |answer: &Value| answer["evidence"][0]["content"].as_str().unwrap().to_owned();
    let focused = assemble(&world, json!({"focusPaths": ["src/shop"]}));
    assert!(first(&focused).contains("src/shop/cart.py"), "{focused:#}");
    assert!(focused.get("notes").is_none(), "{focused:#}");
    let slashed = assemble(&world, json!({"focusPaths": ["src/shop/"]}));
    assert_eq!(first(&slashed), first(&focused));
    let nothing = assemble(&world, json!({"focusPaths": ["src/gone"]}));
    let note = nothing["notes"][0].as_str().unwrap();
    assert!(note.starts_with("focusPaths[0]: src/gone has no symbols in version v"), "{note}");
}
