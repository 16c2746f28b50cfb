//! Finds what JSON allows and no two parsers agree on: keys that occur twice, and halves of surrogate pairs.
//!
//! A parser that keeps the last of two equal keys would hand on something that the client did not write. So a call
//! that holds them is refused, naming where.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Objects with more keys than this use a hash set.
const FEW: usize = 16;

/// Checks one JSON text; the error says what is wrong and where.
pub(crate) fn check(json: &str) -> Result<(), String> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    Check.deserialize(&mut deserializer).and_then(|()| deserializer.end()).map_err(|error| describe(&error))
}

fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // Which half is missing shows in several ways, of which not all are told plainly.
    if text.contains("hex escape") {
        return format!("half of a surrogate pair at line {} column {}", error.line(), error.column());
    }
    text
}

#[derive(Clone, Copy)]
struct Check;

impl<'de> DeserializeSeed<'de> for Check {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while sequence.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Seen::Few(Vec::new());
        while let Some(Key(key)) = map.next_key()? {
            if let Some(key) = seen.insert(key) {
                return Err(A::Error::custom(format_args!("the key `{key}` occurs twice in one object")));
            }
            map.next_value_seed(self)?;
        }
        Ok(())
    }
}

/// A key, borrowed from the text unless it holds escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

enum Seen<'de> {
    Few(Vec<Cow<'de, str>>),
    Many(HashSet<Cow<'de, str>>),
}

impl<'de> Seen<'de> {
    /// Gives the key back if it was there already.
    fn insert(&mut self, key: Cow<'de, str>) -> Option<Cow<'de, str>> {
        match self {
            Self::Few(keys) if keys.contains(&key) => return Some(key),
            Self::Few(keys) if keys.len() < FEW => keys.push(key),
            Self::Few(keys) => {
                let mut set: HashSet<_> = keys.drain(..).collect();
                set.insert(key);
                *self = Self::Many(set);
            }
            Self::Many(set) => {
                if let Some(key) = set.replace(key) {
                    return Some(key);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn good_json_passes() {
        let many: String =
            (0..40).flat_map(|number| ["\"k".to_owned(), number.to_string(), "\":0,".to_owned()]).collect();
        for json in [
            "{}",
            r#"{"a":1,"b":[{"a":1},{"a":2}],"c":{"a":null}}"#,
            r#"{"n":123456789012345678901234567890.5e400,"s":"\ud83d\ude00","t":true}"#,
            &format!("{{{many}\"end\":0}}"),
        ] {
            assert_eq!(check(json), Ok(()), "{json}");
        }
    }

    #[test]
    fn ambiguous_json_is_refused_and_named() {
        let many: String =
            (0..40).flat_map(|number| ["\"k".to_owned(), number.to_string(), "\":0,".to_owned()]).collect();
        for (json, expected) in [
            (r#"{"a":1,"a":1}"#.to_owned(), "`a` occurs twice"),
            (r#"{"x":[{"b":{"key":1,"\u006bey":2}}]}"#.to_owned(), "`key` occurs twice"),
            (format!("{{{many}\"k3\":0}}"), "`k3` occurs twice"),
            (r#"{"a":"\ud800"}"#.to_owned(), "surrogate"),
            (r#"{"\udc00":1}"#.to_owned(), "surrogate"),
            (r#"{"a":"\ud800\u0041"}"#.to_owned(), "surrogate"),
            ("{\"a\":1} x".to_owned(), "trailing"),
        ] {
            let error = check(&json).unwrap_err();
            assert!(error.contains(expected), "{json}: {error}");
            assert!(error.contains("line 1 column"), "{json}: {error}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        assert!(check(&"[".repeat(100_000)).unwrap_err().contains("recursion"));
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,200}") {
            let _ = check(&text);
        }
    }
}
