//! JSON as values.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use crate::reader::{BadJson, Build, Fault, Place, read};

/// Deeper nesting than this is refused, because it could exhaust the stack. No action's arguments need more than a
/// few levels.
const MAX_DEPTH: usize = 64;

/// Reads one JSON value that fills `bytes` but for white space around it. Refuses whatever is ambiguous. Linear in the length.
pub fn parse(bytes: &[u8]) -> Result<Value, BadJson> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let (what, at) = ("bytes that are not UTF-8".to_owned(), e.valid_up_to());
        BadJson { fault: Fault::Broken, what, at, end: at }
    })?;
    read(text, &mut Values, MAX_DEPTH)
}

struct Values;

impl<'t> Build<'t> for Values {
    type Value = Value;
    type Members = Map<String, Value>;
    type Items = Vec<Value>;
    const KEEPS_TEXT: bool = true;

    fn word(&mut self, word: Option<bool>) -> Value {
        word.map_or(Value::Null, Value::Bool)
    }

    fn number(&mut self, text: &'t str) -> Result<Value, String> {
        // The reader has checked it. Parsing it would write `1e400` as `1e+400`.
        Ok(Value::Number(Number::from_string_unchecked(text.to_owned())))
    }

    fn string(&mut self, text: Cow<'t, str>) -> Value {
        Value::String(text.into_owned())
    }

    fn key(&mut self, members: &mut Map<String, Value>, key: &Cow<'t, str>, _: usize) -> bool {
        members.contains_key(&**key)
    }

    fn member(&mut self, members: &mut Map<String, Value>, key: Cow<'t, str>, value: Value, _: Place) {
        members.insert(key.into_owned(), value);
    }

    fn item(&mut self, items: &mut Vec<Value>, value: Value) {
        items.push(value);
    }

    fn object(&mut self, members: Map<String, Value>) -> Value {
        Value::Object(members)
    }

    fn array(&mut self, items: Vec<Value>) -> Value {
        Value::Array(items)
    }

    fn ambiguous(&mut self, bad: BadJson) -> Result<(), BadJson> {
        Err(bad)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_what_two_readers_would_read_differently() {
        for (text, what) in [
            (r#"{"a":1,"a":2}"#, "occurs twice"),
            ("{\"a\":1,\"\\u0061\":2}", "occurs twice"),
            (r#"{"x":{"b":1,"b":1}}"#, "occurs twice"),
            (r#""\ud800""#, "lone surrogate"),
            (r#""\ud800\u0041""#, "lone surrogate"),
            (r#""\udc00""#, "lone surrogate"),
            ("\"a\nb\"", "control character"),
            ("[1,]", "not the start"),
            ("01", "more text"),
            ("{} {}", "more text"),
            ("\"abc", "ends inside"),
            ("\u{feff}{}", "not the start"),
            ("nul", "not the start"),
            ("-", "digit expected"),
        ] {
            let error = parse(text.as_bytes()).expect_err(text);
            assert!(error.to_string().contains(what), "{text}: {error}");
        }
        assert!(parse(b"\"\xff\"").is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).is_err(), "nesting");
    }

    #[test]
    fn keeps_numbers_and_text_exactly() {
        let text = r#"{"big":123456789012345678901234567890,"f":1.50,"e":1e5,"s":"ü😀\ud83d\ude00\n"}"#;
        let value = parse(text.as_bytes()).unwrap();
        assert_eq!(value["big"].to_string(), "123456789012345678901234567890");
        assert_eq!(value["f"].to_string(), "1.50");
        assert_eq!(value["s"], json!("ü😀😀\n"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9f64).prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,8}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_back_what_serde_json_writes(value in any_json()) {
            prop_assert_eq!(parse(value.to_string().as_bytes()).unwrap(), value);
        }

        #[test]
        fn accepts_nothing_that_serde_json_refuses(text in r#"[\[\]{}",:\\0-9a-fnrtul.eE+ -]{0,40}"#) {
            if let Ok(value) = parse(text.as_bytes()) {
                prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
            }
        }

        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
