//! Resources, prompts and completions.

use crate::common::World;
use sdl_tools::{Cancel, MethodRequest, NoProgress, ProtocolError, is_protocol_method};
use serde_json::{Value, json};

fn ask(world: &World, method: &str, params: Value) -> Result<Value, ProtocolError> {
    assert!(is_protocol_method(method));
    let bytes = world.tools.protocol(
        &world.session,
        &MethodRequest::new(method, params.to_string().as_bytes()),
        &NoProgress,
        &Cancel::new(),
    )?;
    Ok(serde_json::from_slice(&bytes).unwrap())
}

fn read(world: &World, uri: &str) -> Result<Value, ProtocolError> {
    let result = ask(world, "resources/read", json!({ "uri": uri }))?;
    assert_eq!(result["contents"][0]["uri"], uri);
    Ok(serde_json::from_str(result["contents"][0]["text"].as_str().unwrap()).unwrap())
}

#[test]
fn cards_slices_and_states_are_resources() {
    let world = World::shop();
    let id = world.repo.symbol("src/auth.py", "validate");
    for symbol in [id.as_str(), "validate"] {
        assert_eq!(read(&world, &format!("sdl://shop/symbol/{symbol}")).unwrap()["card"]["symbolId"], id);
    }
    let built = world.ok("sdl_slice_build", json!({"taskText": "validate a token"}));
    let handle = built["sliceHandle"].as_str().unwrap();
    let slice = read(&world, &format!("sdl://shop/slice/{handle}")).unwrap();
    assert_eq!(slice["freshInstance"], true, "{slice}");
    let listed = ask(&world, "resources/list", json!({})).unwrap();
    let status = read(&world, listed["resources"][0]["uri"].as_str().unwrap()).unwrap();
    assert_eq!(status["repoId"], "shop");
    assert_eq!(
        ask(&world, "resources/templates/list", json!({})).unwrap()["resourceTemplates"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let pages = listed["resources"].as_array().unwrap().iter();
    let wire = pages.clone().find(|page| page["uri"] == "sdl://manual/wire").unwrap();
    assert_eq!(wire["mimeType"], "text/markdown");
    let page = ask(&world, "resources/read", json!({"uri": wire["uri"]})).unwrap();
    let manual = world.ok("sdl_manual", json!({"query": "wire format"}));
    let text = page["contents"][0]["text"].as_str().unwrap();
    assert_eq!(text, include_str!("../../../../../docs/wire.md"));
    assert!(manual["content"].as_str().unwrap().starts_with(text), "the manual has the same page");
    for uri in [
        "sdl://manual/other",
        "sdl://shop/symbol/nothing_like_this",
        "sdl://none/symbol/validate",
        "sdl://shop/slice/h_000000000000000",
        "sdl://shop/other/x",
        "sdl://shop/symbol/",
        "sdl://shop",
        "file:///etc/passwd",
        "sdl://shop/symbol/%zz",
    ] {
        let error = read(&world, uri).unwrap_err();
        assert_eq!((error.code, &error.details["uri"]), ("resourceNotFound", &json!(uri)));
    }
    let misspelt = read(&world, "sdl://shop/symbol/validat").unwrap_err();
    assert_eq!(misspelt.details["candidates"][0]["name"], "validate", "{misspelt:?}");
    assert_eq!(ask(&world, "resources/read", json!({})).unwrap_err().code, "invalidParams");
}

#[test]
fn each_kind_of_task_has_a_prompt() {
    let world = World::shop();
    let listed = ask(&world, "prompts/list", json!({})).unwrap();
    let names: Vec<&str> =
        listed["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["debug", "review", "implement", "explain"]);
    for name in names {
        let args = json!({"name": name, "arguments": {"task": "tokens expire early", "symbol": "validate"}});
        let got = ask(&world, "prompts/get", args).unwrap();
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("tokens expire early") && text.contains("symbol: validate"), "{text}");
    }
    for (params, code) in [
        (json!({"name": "sing", "arguments": {"task": "x"}}), "promptNotFound"),
        (json!({"name": "debug"}), "invalidParams"),
        (json!({"name": "debug", "arguments": {"task": "x", "other": "y"}}), "invalidParams"),
    ] {
        assert_eq!(ask(&world, "prompts/get", params.clone()).unwrap_err().code, code, "{params}");
    }
}

#[test]
fn repositories_and_symbols_are_completed() {
    let world = World::shop();
    let complete = |name: &str, value: &str| {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": "sdl://{repoId}/symbol/{symbol}"},
            "argument": {"name": name, "value": value},
            "context": {"arguments": {"repoId": "shop"}},
        });
        ask(&world, "completion/complete", params).unwrap()["completion"].clone()
    };
    assert_eq!(complete("repoId", "sh"), json!({"values": ["shop"], "total": 1, "hasMore": false}));
    assert_eq!(complete("repoId", "x")["values"], json!([]));
    assert_eq!(complete("symbol", "Valid")["values"], json!(["validate"]));
    assert_eq!(complete("symbol", "")["values"], json!([]));
    assert_eq!(complete("task", "x")["values"], json!([]));
}
