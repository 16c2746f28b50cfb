//! The parameters of a request as they are sent: those of the caller, with the protocol's own keys in their `_meta`.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, each value as it is written.
pub(crate) struct Members<'t>(pub(crate) Vec<(Cow<'t, str>, &'t str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'t>(#[serde(borrow)] Cow<'t, str>);

impl<'t> Members<'t> {
    pub(crate) fn read(text: &'t str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'t str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The object without the member `left_out`.
    pub(crate) fn without(&self, left_out: &str) -> String {
        let mut out = String::from("{");
        for (key, value) in self.0.iter().filter(|(key, _)| key != left_out) {
            push_member(&mut out, key, value);
        }
        out.push('}');
        out
    }
}

fn push_member(out: &mut String, key: &str, value: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push_str(&serde_json::to_string(key).unwrap_or_default());
    out.push(':');
    out.push_str(value);
}

/// `params` with the members of `meta` in its `_meta`, in place of those with the same names. Everything else stays as it is
/// written. Both are objects.
pub(crate) fn with_meta(params: &str, meta: &str) -> Result<String, serde_json::Error> {
    let own = Members::read(meta)?;
    let all = Members::read(params)?;
    let mut merged = String::from("{");
    if let Some(theirs) = all.get("_meta").filter(|theirs| theirs.starts_with('{')) {
        for (key, value) in &Members::read(theirs)?.0 {
            if own.get(key).is_none() {
                push_member(&mut merged, key, value);
            }
        }
    }
    for (key, value) in &own.0 {
        push_member(&mut merged, key, value);
    }
    merged.push('}');
    let mut out = String::with_capacity(params.len() + merged.len() + 16);
    out.push('{');
    for (key, value) in all.0.iter().filter(|(key, _)| key != "_meta") {
        push_member(&mut out, key, value);
    }
    push_member(&mut out, "_meta", &merged);
    out.push('}');
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_keys_of_meta_are_replaced() {
        let meta = r#"{"progressToken":7}"#;
        for (params, expected) in [
            ("{}", r#"{"_meta":{"progressToken":7}}"#),
            (
                r#"{"name":"a","arguments":{"n":1.0e+2,"b":1,"a":2}}"#,
                r#"{"name":"a","arguments":{"n":1.0e+2,"b":1,"a":2},"_meta":{"progressToken":7}}"#,
            ),
            (
                r#"{"_meta":{"progressToken":"x","vendor/k":[1, 2]},"z\n":"ü"}"#,
                r#"{"z\n":"ü","_meta":{"vendor/k":[1, 2],"progressToken":7}}"#,
            ),
        ] {
            assert_eq!(with_meta(params, meta).unwrap(), expected);
        }
        assert!(with_meta("[]", meta).is_err());
    }
}
