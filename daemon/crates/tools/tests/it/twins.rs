//! Raw twins: every action has one, those of actions that change something are listed, and a twin takes and refuses exactly what its tool does, also
//! where two readers of JSON could differ.

use crate::common::World;
use sdl_tests::generate::mask_volatile;
use sdl_tools::{Cancel, Names, NoProgress, Surface};
use serde_json::{Value, json};

fn actions(world: &World) -> Vec<Value> {
    let described: Value = serde_json::from_slice(&world.tools.describe()).unwrap();
    described["actions"].as_array().unwrap().clone()
}

#[test]
fn every_action_has_a_twin_and_those_of_reads_are_in_no_list() {
    let world = World::shop().with_modules();
    let listed: Value =
        serde_json::from_slice(&world.tools.list(&world.session, Surface::Flat, false, Names::Underscored))
            .unwrap();
    let listed: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for action in actions(&world) {
        let (name, twin) =
            (action["name"].as_str().unwrap(), format!("{}_raw", action["tool"].as_str().unwrap()));
        // Without upstreams every tool can be called directly.
        let is_listed = action["mutating"] == true && name != "tool.call";
        assert_eq!(listed.contains(&twin.as_str()), is_listed, "{twin} is listed");
        let called = world.raw(&twin, r#"{"payload": "{}"}"#);
        assert_ne!(called["structuredContent"]["code"], "unknownTool", "{twin} can be called");
    }
}

/// Texts around an example of an action that readers of JSON are at odds about, or that are no arguments.
fn texts(example: &Value) -> Vec<String> {
    let text = example.to_string();
    let mut all = vec![
        text.clone(),
        format!(" \r\n\t{text}\n"),
        format!("\u{feff}{text}"),
        format!("{text}{text}"),
        format!("{text},"),
        text[..text.len() - 1].to_owned(),
        text.replace('"', "'"),
        format!("/* a comment */{text}"),
        json!(text).to_string(),
        json!(json!(text).to_string()).to_string(),
        format!("[{text}]"),
        format!("{}1{}", "[".repeat(200), "]".repeat(200)),
        String::new(),
        " ".to_owned(),
        "null".to_owned(),
        "{}".to_owned(),
        "[]".to_owned(),
        "5".to_owned(),
        "NaN".to_owned(),
        "\"\"".to_owned(),
        r#"{"":1}"#.to_owned(),
        r#"{"__proto__":{}}"#.to_owned(),
        r#"{"payload":"{}"}"#.to_owned(),
    ];
    for (key, value) in example.as_object().unwrap() {
        let quoted = json!(key).to_string();
        let rest = &text[1..];
        // Twice, plainly and written in another way.
        all.push(format!("{{{quoted}:{value},{rest}"));
        all.push(format!("{{\"\\u{:04x}{}:{value},{rest}", key.as_bytes()[0], &quoted[2..]));
        let with = |other: &str| {
            let mut args = example.clone();
            args[key] = json!("@@");
            args.to_string().replace("\"@@\"", other)
        };
        for other in [
            "\"\\ud800\"",
            "\"a\\udc00\"",
            "\"\\ud83d\\ude00\"",
            "\"\\u0000\"",
            "\"a\u{1}\"",
            "\"\\x41\"",
            "\"\u{2028}\"",
            "1e400",
            "-0",
            "1E+2",
            "1.0",
            "01",
            "+1",
            ".5",
            "1.",
            "0x10",
            "123456789012345678901234567890",
            "9007199254740993",
            "0.1000000000000000055511151231257827",
            "true",
            "null",
            "Infinity",
            "[1,]",
            "{\"a\":1,\"a\":2}",
            "[[[[[[1]]]]]]",
            "undefined",
        ] {
            all.push(with(other));
        }
        // Text within text: once is taken where no text is wanted, twice is not.
        let once = json!(value.to_string()).to_string();
        all.push(with(&once));
        all.push(with(&json!(once).to_string()));
        all.push(with(&format!("\" {} \"", value.to_string().replace('\\', "\\\\").replace('"', "\\\""))));
    }
    all
}

fn call(world: &World, tool: &str, args: &[u8]) -> Value {
    let result = world.tools.call(&world.session, tool, args, &NoProgress, &Cancel::new());
    let result: Value = serde_json::from_slice(&result).expect("JSON");
    crate::common::schema::assert_call_tool_result(&result);
    let mut content = result["structuredContent"].clone();
    // Whether a command ends within the millisecond that one of the texts allows it is a matter of luck.
    if tool.contains("runtime") {
        content.as_object_mut().unwrap().retain(|key, _| !LUCK.contains(&key.as_str()));
    }
    mask_volatile(json!([result["isError"], content]))
}

const LUCK: [&str; 6] = ["exitCode", "signal", "timedOut", "digest", "stdoutLines", "stderrLines"];

#[test]
fn a_twin_takes_and_refuses_what_its_tool_does() {
    let world = World::shop().with_modules();
    world.allow(r#"{"enabled": true, "executables": ["env"]}"#);
    let (mut refused, mut taken) = (0, 0);
    // A fact is ended once, so that the second call of the same text has another answer.
    let again = |action: &&Value| action["mutating"] == true && action["name"] != "kg.invalidate";
    for action in actions(&world).iter().filter(again) {
        let tool = action["tool"].as_str().unwrap();
        let twin = format!("{tool}_raw");
        for example in action["examples"].as_array().unwrap() {
            let example = example.to_string().replace("my-repo", "shop").replace("\"cargo\"", "\"env\"");
            for text in texts(&serde_json::from_str(&example).unwrap()) {
                let flat = call(&world, tool, text.as_bytes());
                let malformed = flat[1]["code"] == "malformedJson";
                if malformed {
                    refused += 1
                } else {
                    taken += 1
                }
                let payload = json!({ "payload": text }).to_string();
                let mut through = call(&world, &twin, payload.as_bytes());
                if malformed {
                    // It says of which field the text is.
                    assert_eq!(through[1]["field"], "payload", "{twin} {text:?}: {through}");
                    through[1].as_object_mut().unwrap().shift_remove("field");
                }
                assert_eq!(through, flat, "{twin} {text:?}");
                // As an object: what a twin is sent then is no text of its own, so the place of a fault is another.
                let object = text.trim_start_matches(['\u{feff}', ' ', '\r', '\n', '\t']);
                if object.starts_with('{') && !text.starts_with('\u{feff}') {
                    let through = call(&world, &twin, format!("{{\"payload\":{text}}}").as_bytes());
                    assert_eq!(
                        through[1]["code"], flat[1]["code"],
                        "{twin} {text:?} as an object: {through}"
                    );
                    assert!(
                        malformed || through == flat,
                        "{twin} {text:?} as an object: {through}, not {flat}"
                    );
                }
            }
        }
    }
    assert!(refused > 300 && taken > 300, "{refused} malformed, {taken} others");
}

#[test]
fn bytes_that_are_no_text_are_refused_by_both() {
    let world = World::shop();
    for (flat, twin) in [
        (
            &b"{\"mode\":\"full\",\"reason\":\"\xff\"}"[..],
            &b"{\"payload\":\"{\\\"mode\\\":\\\"full\xff\\\"}\"}"[..],
        ),
        (b"{\"mode\":\"\xed\xa0\x80\"}", b"{\"payload\":\"\xed\xa0\x80\"}"),
        (b"\xff", b"\xff"),
    ] {
        for (tool, bytes) in [("sdl_index_refresh", flat), ("sdl_index_refresh_raw", twin)] {
            assert_eq!(call(&world, tool, bytes)[1]["code"], "malformedJson", "{tool} {bytes:?}");
        }
    }
}
