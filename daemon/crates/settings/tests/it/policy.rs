//! Conditions on arguments.

use sdl_settings::{Conditions, Effect, Settings};
use serde_json::{Value, json};

fn conditions(args: &Value) -> Conditions {
    let text = json!({"sdl": {"policy": [{"effect": "deny", "args": args}]}}).to_string();
    Settings::parse(&text).unwrap_or_else(|error| panic!("{error}")).settings.policy.remove(0).args
}

/// Whether a rule that denies holds, and one that allows.
fn judge(tests: Value, args: Value) -> (bool, bool) {
    let conditions = conditions(&tests);
    assert_eq!(conditions.evaluate(Effect::Deny, &args), conditions.evaluate(Effect::Ask, &args));
    (conditions.evaluate(Effect::Deny, &args), conditions.evaluate(Effect::Allow, &args))
}

const BOTH: (bool, bool) = (true, true);
const NONE: (bool, bool) = (false, false);
const STRICT: (bool, bool) = (true, false);

#[test]
fn single_values_are_tested() {
    for (test, value, expected) in [
        (json!({"in": ["a", 1]}), json!("a"), BOTH),
        (json!({"in": ["a", 1]}), json!(1.0), BOTH),
        (json!({"in": ["a", 1]}), json!("1"), NONE),
        (json!({"notIn": ["a"]}), json!("b"), BOTH),
        (json!({"notIn": ["a"]}), json!("a"), NONE),
        (json!({"notIn": [{"x": [1]}]}), json!({"x": [1.0]}), NONE),
        (json!({"matches": "^rm "}), json!("rm -r"), BOTH),
        (json!({"matches": "^rm "}), json!("arm "), NONE),
        (json!({"matches": "42"}), json!(1421), BOTH),
        (json!({"min": 5}), json!(5), BOTH),
        (json!({"min": 5}), json!(4.9), NONE),
        (json!({"min": 5}), json!("6"), BOTH),
        (json!({"min": 5}), json!(true), NONE),
        (json!({"max": 5}), json!(5), BOTH),
        (json!({"max": 5}), json!(6), NONE),
        (json!({"min": 2, "max": 3}), json!(4), NONE),
        (json!({"exists": true}), json!(null), BOTH),
        (json!({"exists": false}), json!(null), NONE),
        (json!({"under": ["/src"]}), json!("/src/a"), BOTH),
        (json!({"under": ["/src"]}), json!(3), NONE),
        (json!({"notUnder": ["/src"]}), json!("/etc/passwd"), BOTH),
        (json!({"notUnder": ["/src"]}), json!("/src/../etc/passwd"), BOTH),
        (json!({"notUnder": ["/src"]}), json!("/src/./a"), NONE),
        // A value that is no path is denied, and never allowed.
        (json!({"notUnder": ["/src"]}), json!(3), STRICT),
    ] {
        assert_eq!(judge(json!({"a": test}), json!({"a": value})), expected, "{test} {value}");
    }
}

#[test]
fn numbers_are_compared_by_their_value() {
    let huge: Value = serde_json::from_str(r#"{"a": 1e999}"#).unwrap();
    assert_eq!(judge(json!({"a": {"min": 1000}}), huge), BOTH);
    let exact: Value = serde_json::from_str(r#"{"a": 9007199254740993}"#).unwrap();
    assert_eq!(judge(json!({"a": {"max": 9_007_199_254_740_992_u64}}), exact), NONE);
    let exponent: Value = serde_json::from_str(r#"{"a": 1e0}"#).unwrap();
    assert_eq!(judge(json!({"a": {"in": [1]}}), exponent), BOTH);
}

#[test]
fn a_missing_value_passes_only_the_test_for_it() {
    for args in [json!({}), json!({"b": 1}), json!([]), json!(null), json!("x")] {
        assert_eq!(judge(json!({"a": {"exists": false}}), args.clone()), BOTH, "{args}");
        for test in
            [json!({"exists": true}), json!({"notIn": [1]}), json!({"notUnder": ["/"]}), json!({"max": 1})]
        {
            assert_eq!(judge(json!({"a": test}), args.clone()), NONE, "{args} {test}");
        }
    }
    assert_eq!(judge(json!({"a.b": {"exists": false}}), json!({"a": {"b": null}})), NONE);
    assert_eq!(judge(json!({"a.b": {"exists": false}}), json!({"a": 1})), BOTH);
}

#[test]
fn one_element_is_enough_to_deny_and_all_are_needed_to_allow() {
    let under = json!({"paths": {"under": ["/src"]}});
    assert_eq!(judge(under.clone(), json!({"paths": ["/src/a", "/src/b"]})), BOTH);
    assert_eq!(judge(under.clone(), json!({"paths": ["/src/a", "/etc"]})), STRICT);
    assert_eq!(judge(under.clone(), json!({"paths": ["/etc", ["/src"]]})), STRICT);
    assert_eq!(judge(under.clone(), json!({"paths": ["/etc"]})), NONE);
    // Nothing is tested, so nothing is allowed.
    assert_eq!(judge(under, json!({"paths": []})), NONE);
    assert_eq!(judge(json!({"paths": {"exists": true}}), json!({"paths": []})), BOTH);
    assert_eq!(judge(json!({"paths": {"exists": false}}), json!({"paths": []})), NONE);
    let inner = json!({"edits.path": {"under": ["/src"]}});
    assert_eq!(judge(inner.clone(), json!({"edits": [{"path": "/src/a"}, {"path": "/etc"}]})), STRICT);
    assert_eq!(judge(inner, json!({"edits": [{"path": "/src/a"}, {}]})), STRICT);
    // One value has to pass all tests: neither 1 nor 9 does.
    assert_eq!(judge(json!({"a": {"min": 3, "max": 5}}), json!({"a": [1, 9]})), NONE);
}

#[test]
fn all_paths_of_a_rule_have_to_hold() {
    let both = json!({"a": {"in": [1]}, "b": {"in": [2]}});
    assert_eq!(judge(both.clone(), json!({"a": 1, "b": 2})), BOTH);
    assert_eq!(judge(both, json!({"a": 1, "b": 3})), NONE);
    assert_eq!(judge(json!({"a\\.b": {"in": [1]}}), json!({"a.b": 1})), BOTH);
    assert!(Conditions::default().evaluate(Effect::Allow, &json!({})));
}

#[test]
fn paths_are_compared_by_their_text() {
    for (folder, path, is_under) in [
        ("/src", "/src", true),
        ("/src", "/src/", true),
        ("/src/", "/src//a", true),
        ("/src", "/srcs", false),
        ("/src", "/src/a/../../srcs", false),
        ("/src", "/../src/a", true),
        ("/src", "/a/../src", true),
        ("/src", "src/a", false),
        ("src", "src/a", true),
        ("src", "./src/b/../a", true),
        ("src", "src/../a", false),
        ("src", "../src/a", false),
        (".", "a/b", true),
        (".", "../a", false),
        ("..", "../a", true),
        ("..", "../../a", false),
        ("/", "/etc", true),
        ("/", "etc", false),
        ("~/.ssh", "~/.ssh/id", true),
        ("/src", "file:///src/a", true),
        ("/src", "file://localhost/src/%2e%2e/etc", false),
        ("/etc", "FILE:///%65tc/passwd", true),
        ("/etc", "file:/etc/passwd", true),
        ("/src", "file:///src/%zz%", true),
        ("/src", "", false),
    ] {
        let found = judge(json!({"p": {"under": [folder]}}), json!({"p": path}));
        assert_eq!(found, (is_under, is_under), "{path} under {folder}");
        let not = judge(json!({"p": {"notUnder": [folder]}}), json!({"p": path}));
        assert_eq!(not, (!is_under, !is_under), "{path} not under {folder}");
    }
}
