//! How far an agent may loosen a policy: below a ceiling that a person sets.

use crate::common::World;
use sdl_tools::Host as _;
use sdl_tools::audit::Row;
use serde_json::{Value, json};

fn set(world: &World, patch: Value) -> Value {
    world.ok("sdl_policy_set", json!({ "policyPatch": patch }))
}

fn refused(world: &World, patch: Value) -> Value {
    world.err("sdl_policy_set", json!({ "policyPatch": patch }))
}

fn get(world: &World, what: &str) -> Value {
    world.ok("sdl_policy_get", json!({}))[what].clone()
}

fn ceiling(world: &World, repo: Option<&str>, patch: Value) {
    let patch = serde_json::from_value(patch).unwrap();
    world.host.ceilings().set(world.host.audit(), world.host.agent(), repo, &patch, &Row::default()).unwrap();
}

#[test]
fn an_agent_loosens_a_policy_up_to_the_ceiling_and_no_further() {
    let world = World::shop();
    set(&world, json!({"maxWindowLines": 220, "maxWindowTokens": 1_800, "allowBreakGlass": true}));
    set(&world, json!({"maxWindowLines": 10, "utilityThreshold": 0.9, "redactSecrets": true}));
    let before = get(&world, "policy");
    for (patch, field, remedy) in [
        (json!({"maxWindowLines": 221}), "maxWindowLines", "set-ceiling --max-window-lines 221"),
        (json!({"maxWindowTokens": 1_801}), "maxWindowTokens", "set-ceiling --max-window-tokens 1801"),
        (json!({"utilityThreshold": 0.25}), "utilityThreshold", "set-ceiling --utility-threshold 0.25"),
        (json!({"requireIdentifiers": false}), "requireIdentifiers", "allow no-identifiers"),
        (json!({"defaultDenyRaw": false}), "defaultDenyRaw", "allow raw-by-default"),
        (json!({"redactSecrets": false, "maxWindowLines": 20}), "redactSecrets", "allow unmasked-secrets"),
    ] {
        let error = refused(&world, patch.clone());
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!("denied"), &json!(format!("policyPatch.{field}")))
        );
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&format!("sdlctl policy {remedy} --repo shop")), "{message}");
        let row = world.shown(1).remove(0);
        assert_eq!((row.decision.as_str(), &row.details["policyPatch"]), ("denied", &patch));
    }
    assert_eq!(get(&world, "policy"), before, "nothing of a refused patch is set");
}

#[test]
fn a_person_raises_the_ceiling_for_all_or_for_one_and_lowers_it_again() {
    let world = World::shop();
    world.add("other");
    ceiling(&world, None, json!({"maxWindowLines": 300, "allowBreakGlass": false}));
    ceiling(&world, Some("shop"), json!({"redactSecrets": false, "maxWindowLines": 500}));
    set(&world, json!({"redactSecrets": false, "maxWindowLines": 500}));
    assert_eq!(refused(&world, json!({"allowBreakGlass": true}))["field"], "policyPatch.allowBreakGlass");
    let other = json!({"repoId": "other", "policyPatch": {"redactSecrets": false}});
    assert_eq!(world.err("sdl_policy_set", other)["code"], "denied");
    let file = std::fs::read_to_string(world.host.ceilings().path()).unwrap();
    assert!(file.contains("\"everywhere\"") && file.contains("\"shop\""), "{file}");
    // A value above the ceiling is brought down at once, and is restored when the ceiling rises again.
    ceiling(&world, Some("shop"), json!({"redactSecrets": true, "maxWindowLines": 100}));
    let found = world.ok("sdl_policy_get", json!({}));
    assert_eq!(
        (&found["policy"]["redactSecrets"], &found["policy"]["maxWindowLines"]),
        (&json!(true), &json!(100))
    );
    assert_eq!(found["clamped"], json!(["maxWindowLines", "redactSecrets"]));
    assert_eq!(found["ceiling"]["maxWindowLines"], 100);
    world
        .host
        .ceilings()
        .reset(world.host.audit(), world.host.agent(), Some("shop"), &Row::default())
        .unwrap();
    assert_eq!(get(&world, "ceiling")["maxWindowLines"], 300, "that of all");
    let decisions: Vec<String> = world.shown(100).into_iter().map(|row| row.decision).collect();
    assert_eq!(decisions.iter().filter(|decision| *decision == "ceiling").count(), 4, "{decisions:?}");
}

#[cfg(unix)]
#[test]
fn a_ceiling_edited_by_hand_is_logged_and_must_be_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::shop();
    let path = world.host.ceilings().path().to_owned();
    let write = |text: &str, mode: u32| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    write(r#"{"everywhere": {"maxWindowLines": 250}}"#, 0o600);
    set(&world, json!({"maxWindowLines": 250}));
    let decisions: Vec<String> = world.shown(9).into_iter().map(|row| row.decision).collect();
    assert_eq!(decisions, ["ceiling", "set"]);
    for (text, mode, says) in [
        ("{}", 0o666, "written by others"),
        ("no json", 0o600, "can't be understood"),
        (r#"{"everywhere": {"maxWindow": 1}}"#, 0o600, "maxWindow"),
    ] {
        write(text, mode);
        let symbol = crate::common::symbol("src/auth.py", "validate").to_string();
        let error = world.err("sdl_code_getSkeleton", json!({ "symbolId": symbol }));
        assert_eq!(error["code"], "unavailable");
        assert!(error["message"].as_str().unwrap().contains(says), "{error:#}");
        assert!(error["message"].as_str().unwrap().contains("policy-ceiling.json"), "{error:#}");
    }
}

#[test]
fn no_path_that_an_action_takes_leads_to_the_ceiling() {
    let world = World::shop();
    ceiling(&world, None, json!({"maxWindowLines": 250}));
    for path in ["../policy-ceiling.json", "/policy-ceiling.json", "src/../../policy-ceiling.json"] {
        assert_eq!(
            world.err("sdl_code_getSkeleton", json!({ "file": path }))["code"],
            "unknownPath",
            "{path}"
        );
        let pushed = json!({"filePath": path, "eventType": "open", "version": 1, "content": "{}"});
        world.err("sdl_buffer_push", pushed);
    }
    assert_eq!(get(&world, "ceiling")["maxWindowLines"], 250);
}
