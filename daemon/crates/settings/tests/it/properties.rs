//! What holds for every text.

use proptest::prelude::*;
use sdl_settings::edit::{Document, read_block};
use sdl_settings::import::import_text;
use sdl_settings::{Conditions, Effect, Mode, Settings, Template, fold_key, refuse_key};
use serde_json::{Value, json};

/// Words of which texts near to settings are made.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\"mcpServers\":",
        "\"sdl\":",
        "\"a\":",
        "\"command\":",
        "\"url\":",
        "\"x\"",
        "\"https://a\"",
        "\"${A:-b}\"",
        "true",
        "null",
        "1",
        "-0.5e9",
        "\"policy\":",
        "\"effect\":",
        "\"deny\"",
        "\"tools\":",
        "\"args\":",
        "\"*/x\"",
        "\"under\":",
        "\"matches\":",
        "\"profiles\":",
        "\"match\":",
        "\"mode\":",
        "//",
        "/*",
        "\\",
        "\n",
        "é",
        "\u{0}",
    ])
    .prop_map(str::to_owned)
}

fn near_text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..40).prop_map(|words| words.concat())
}

/// Any JSON of moderate depth.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z/.~]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    "[A-Za-z0-9][A-Za-z0-9_-]{0,6}".prop_filter("a key", |key| refuse_key(key).is_none())
}

fn entry() -> impl Strategy<Value = Value> {
    let stdio = (
        "[a-z]{1,8}",
        prop::collection::vec("[ -#%-~é\\n]{0,40}", 0..6),
        prop::option::of(any::<bool>()),
        prop::option::of(any_json()),
    );
    stdio.prop_map(|(command, args, disabled, other)| {
        let mut entry = json!({"command": command, "args": args});
        if let Some(disabled) = disabled {
            entry["disabled"] = json!(disabled);
        }
        if let Some(other) = other {
            entry["other"] = other;
        }
        entry
    })
}

/// The parts of a path, resolved by hand in another way than the product's: by walking.
fn walk(path: &str) -> Option<Vec<String>> {
    let mut stack = Vec::new();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(stack.pop()),
            part => stack.push(part.to_owned()),
        }
    }
    Some(stack)
}

fn conditions(test: Value) -> Conditions {
    let text = json!({"sdl": {"policy": [{"effect": "deny", "args": {"p": test}}]}}).to_string();
    Settings::parse(&text).unwrap().settings.policy.remove(0).args
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), near in near_text()) {
        for text in [String::from_utf8_lossy(&bytes).into_owned(), near] {
            if let Err(error) = Settings::parse(&text) {
                prop_assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
                prop_assert!(error.line <= text.matches('\n').count() + 1);
            }
            let _ = read_block(&text);
            let _ = import_text(None, &text, false);
            let _ = Template::parse(&text);
        }
    }

    #[test]
    fn what_is_read_is_json_for_others_too(text in near_text()) {
        let ours = Document::parse(&text).is_ok();
        let theirs = serde_json::from_str::<Value>(&text);
        prop_assert!(!ours || theirs.is_ok(), "{text}");
    }

    #[test]
    fn a_text_that_is_edited_reads_as_it_was_meant(
        entries in prop::collection::vec((key(), entry()), 0..6),
        other in any_json(),
        chosen in any::<prop::sample::Index>(),
        is_enabled in any::<bool>(),
    ) {
        let mut document = Document::parse(&json!({"other": other, "mcpServers": {}}).to_string()).unwrap();
        let mut expected: Vec<(String, Value)> = Vec::new();
        for (key, entry) in entries {
            let is_taken = expected.iter().any(|(known, _)| fold_key(known) == fold_key(&key));
            prop_assert_eq!(document.add(&key, entry.clone()).is_err(), is_taken);
            if !is_taken {
                expected.push((key, entry));
            }
        }
        if !expected.is_empty() {
            let at = chosen.index(expected.len());
            let key = expected[at].0.clone();
            document.set_enabled(&key, is_enabled).unwrap();
            document.set_mode(&key.to_uppercase(), Mode::Auto).unwrap();
            let text = document.to_text().unwrap();
            let read = Settings::parse(&text).unwrap().settings;
            prop_assert_eq!(read.upstreams.len(), expected.len());
            prop_assert_eq!((read.upstreams[at].enabled, read.upstreams[at].own.mode), (is_enabled, Mode::Auto));
            // An edit and its reading are the same document, keys in their order.
            prop_assert_eq!(&Document::parse(&text).unwrap(), &document);
            let whole: Value = serde_json::from_str(&text).unwrap();
            let keys: Vec<&String> = whole["mcpServers"].as_object().unwrap().keys().collect();
            prop_assert_eq!(keys, expected.iter().map(|(key, _)| key).collect::<Vec<_>>());
            prop_assert_eq!(&whole["other"], &other);
            document.remove(&key).unwrap();
            expected.remove(at);
        }
        let text = document.to_text().unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        for (key, entry) in &expected {
            prop_assert_eq!(&whole["mcpServers"][key], entry);
        }
        prop_assert_eq!(whole["mcpServers"].as_object().unwrap().len(), expected.len());
    }

    #[test]
    fn folding_is_one_step_and_decides_which_keys_can_be_together(one in key(), other in key()) {
        prop_assert_eq!(fold_key(&fold_key(&one)), fold_key(&one));
        let text = format!(
            "{{\"mcpServers\": {{\"{one}\": {{\"command\": \"x\"}}, \"{other}\": {{\"command\": \"x\"}}}}}}"
        );
        let alike = one.replace('-', "_").eq_ignore_ascii_case(&other.replace('-', "_"));
        prop_assert_eq!(Settings::parse(&text).is_err(), alike);
    }

    #[test]
    fn under_agrees_with_a_walk(folder in "(/(a|b|\\.|\\.\\.)?){1,4}", path in "(/(a|b|\\.|\\.\\.)?){1,6}") {
        let (inside, outside) = (walk(&path).unwrap(), walk(&folder).unwrap());
        let is_under = inside.starts_with(&outside);
        let args = json!({"p": path});
        for effect in [Effect::Deny, Effect::Allow] {
            prop_assert_eq!(conditions(json!({"under": [folder]})).evaluate(effect, &args), is_under);
            prop_assert_eq!(conditions(json!({"notUnder": [folder]})).evaluate(effect, &args), !is_under);
        }
    }

    /// What a rule allows, the same rule would deny: allowing never takes more than denying does.
    #[test]
    fn allowing_is_narrower_than_denying(args in any_json(), wanted in any_json(), folder in "/?[a-c]") {
        for test in [
            json!({"in": [wanted]}), json!({"notIn": [wanted]}), json!({"matches": "a"}), json!({"under": [folder]}),
            json!({"notUnder": [folder]}), json!({"min": 0}), json!({"max": 0}), json!({"exists": true}),
            json!({"exists": false}),
        ] {
            let conditions = conditions(test.clone());
            let args = json!({"p": args});
            prop_assert!(
                !conditions.evaluate(Effect::Allow, &args) || conditions.evaluate(Effect::Deny, &args),
                "{test} {args}"
            );
        }
    }
}
