//! Checks that any input gives a well-formed result, and that every way to the same action understands it the same.

use std::sync::OnceLock;

use crate::common::World;
use proptest::prelude::*;
use sdl_tests::generate::{as_step, mask_volatile, snake_case};
use sdl_tools::{Cancel, NoProgress};
use serde_json::{Map, Value, json};

/// Returns the actions with their schemas, as the registry describes them.
fn actions() -> &'static [Value] {
    static ACTIONS: OnceLock<Vec<Value>> = OnceLock::new();
    ACTIONS.get_or_init(|| {
        let described: Value = serde_json::from_slice(&World::empty().tools.describe()).unwrap();
        described["actions"].as_array().unwrap().clone()
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("[1]")),
        Just(json!("{\"maxCards\":3}")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Returns a value that fits `schema`, or nearly.
fn near(schema: &Value) -> BoxedStrategy<Value> {
    let right: BoxedStrategy<Value> = match schema["type"].as_str().unwrap_or_default() {
        "object" => object(schema).prop_map(Value::Object).boxed(),
        "array" => prop::collection::vec(near(&schema["items"]), 0..3).prop_map(Value::from).boxed(),
        "string" => match schema["enum"].as_array() {
            Some(choices) => prop::sample::select(choices.clone()).boxed(),
            None => prop_oneof![
                Just(json!("validate")),
                Just(json!("src/auth.py")),
                Just(json!("shop")),
                Just(json!("s_0000000000000")),
                Just(json!("v1770600000000")),
                ".{0,20}".prop_map(Value::from),
            ]
            .boxed(),
        },
        "integer" => {
            let min = schema["minimum"].as_i64().unwrap_or(0);
            (min - 1..min + 500).prop_map(Value::from).boxed()
        }
        "number" => (-0.1..1.1f64).prop_map(Value::from).boxed(),
        _ => any::<bool>().prop_map(Value::from).boxed(),
    };
    let stringified = right.clone().prop_map(|value| Value::from(value.to_string()));
    prop_oneof![8 => right, 1 => stringified, 1 => Just(Value::Null), 1 => any_json()].boxed()
}

/// Returns some of the schema's properties: the required ones nearly always, some under an alias, now and then an
/// unknown one.
fn object(schema: &Value) -> BoxedStrategy<Map<String, Value>> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: BoxedStrategy<Vec<(String, Value)>> = Just(Vec::new()).boxed();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let odds = if required.contains(&name.as_str()) { 0.95 } else { 0.25 };
        let (plain, snake) = (name.clone(), snake_case(name));
        let spelled = prop_oneof![4 => Just(plain), 1 => Just(snake)];
        let field = prop::option::weighted(odds, (spelled, near(property)));
        fields = (fields, field)
            .prop_map(|(mut all, field)| {
                all.extend(field);
                all
            })
            .boxed();
    }
    let stray = prop::option::weighted(0.05, ("[a-zA-Z_]{0,10}", any_json()));
    (fields, stray).prop_map(|(fields, stray)| fields.into_iter().chain(stray).collect()).boxed()
}

fn any_call() -> impl Strategy<Value = (usize, Map<String, Value>)> {
    (0..actions().len()).prop_flat_map(|i| (Just(i), object(&actions()[i]["inputSchema"])))
}

/// Returns the parts on which two ways to the same action must agree: all but those drawn again for each call.
fn comparable(mut result: Value) -> Value {
    let result = result.as_object_mut().unwrap();
    result.shift_remove("content");
    // An action called through the wrong gateway has a note about it.
    if let Some(content) = result["structuredContent"].as_object_mut() {
        content.shift_remove("notes");
    }
    mask_volatile(Value::Object(std::mem::take(result)))
}

/// Returns the answer of a chain of one step, in the form of the call alone.
fn through_chain(world: &World, action: &str, args: &Map<String, Value>) -> Value {
    let step = json!({"action": action, "args": as_step(&Value::Object(args.clone()))});
    let chain = world.ok("sdl_chain", json!({"steps": [step], "budget": {"maxTokens": 20_000}}));
    let step = &chain["steps"][0];
    assert!(step["omitted"].is_null(), "{chain}");
    let ok = step["ok"] == true;
    let content = if ok { &step["result"] } else { &step["error"] };
    json!({"content": [], "structuredContent": content, "isError": !ok})
}

/// Whether a value is an object, or a string that holds one.
fn holds_object(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(text)) => serde_json::from_str(text).is_ok_and(|value: Value| value.is_object()),
        value => value.is_some_and(Value::is_object),
    }
}

#[test]
fn every_way_to_an_action_understands_the_same_input_the_same() {
    let world = World::shop().with_modules();
    proptest!(ProptestConfig::with_cases(300), |((i, args) in any_call())| {
        let action = &actions()[i];
        let (name, tool) = (action["name"].as_str().unwrap(), action["tool"].as_str().unwrap());
        // An object in an action's own `args` is, beside `action`, the gateway's.
        prop_assume!(!action["inputSchema"]["properties"]["args"].is_object() || !holds_object(args.get("args")));
        let text = Value::Object(args.clone()).to_string();
        let flat = comparable(world.raw(tool, &text));
        let mut through = args.clone();
        through.insert("action".into(), name.into());
        let gateway = comparable(world.raw("sdl_query", &Value::Object(through).to_string()));
        prop_assert_eq!(&flat, &gateway, "{} {}", name, text);
        let nested = json!({"action": name, "args": text}).to_string();
        prop_assert_eq!(&flat, &comparable(world.raw("sdl_repo", &nested)), "{} {}", name, text);
        if name != "chain" {
            prop_assert_eq!(&flat, &comparable(through_chain(&world, name, &args)), "{} {}", name, text);
        }
        if flat["isError"] == false {
            let breaches = crate::common::schema::breaches(&action["outputSchema"], &world.raw(tool, &text)["structuredContent"], name);
            prop_assert!(breaches.is_empty(), "{} {}: {:?}", name, text, breaches);
        }
        if action["mutating"] == true {
            for payload in [json!({"payload": text}), json!({"payload": args})] {
                let twin = comparable(world.raw(&format!("{tool}_raw"), &payload.to_string()));
                prop_assert_eq!(&flat, &twin, "{} {}", name, payload);
            }
        }
    });
}

#[test]
fn generated_calls_are_answered_often_enough_to_mean_something() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let world = World::shop().with_modules();
    let mut runner = TestRunner::deterministic();
    let mut answered = 0;
    for _ in 0..200 {
        let (i, args) = any_call().new_tree(&mut runner).unwrap().current();
        let result = world.raw(actions()[i]["tool"].as_str().unwrap(), &Value::Object(args).to_string());
        answered += usize::from(result["isError"] == false);
    }
    assert!((20..=180).contains(&answered), "{answered} of 200");
}

#[test]
fn any_bytes_get_a_result() {
    let world = World::shop().with_modules();
    let names: Vec<String> = actions()
        .iter()
        .map(|action| action["tool"].as_str().unwrap().to_owned())
        .chain(["sdl_query", "sdl_repo", "sdl_repo_raw", "sdl_index_refresh_raw", "none"].map(str::to_owned))
        .collect();
    let name = prop::sample::select(names);
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        any_json().prop_map(|value| value.to_string().into_bytes()),
        r#"[\[\]{}",:\\0-9a-z ]{0,60}"#.prop_map(String::into_bytes),
    ];
    proptest!(ProptestConfig::with_cases(400), |(name in name, bytes in bytes)| {
        let result = world.tools.call(&world.session, &name, &bytes, &NoProgress, &Cancel::new());
        let result: Value = serde_json::from_slice(&result).expect("JSON");
        crate::common::schema::assert_call_tool_result(&result);
        prop_assert_ne!(&result["structuredContent"]["code"], "internal", "{} {:?}", name, bytes);
    });
}
