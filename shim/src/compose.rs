//! Results of the daemon, made ready for the wire without being parsed into values.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use rmcp::model::{CustomResult, ServerResult};
use sdl_proto::WireError;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};

/// The members that rmcp adds to a result because the protocol revision wants them.
const ADDED: &[&str] = &["resultType", "ttlMs", "cacheScope"];

/// The same that only a revision with cacheable lists knows.
const ADDED_SINCE_CACHING: &[&str] = &["ttlMs", "cacheScope"];

/// The daemon's result `json`, with those members of rmcp's own `template` that it lacks. The error names the fault of
/// the result.
pub(crate) fn compose_result(
    json: Vec<u8>,
    template: &ServerResult,
    caching: bool,
) -> Result<ServerResult, String> {
    let mut text = String::from_utf8(json).map_err(|_| "it is not UTF-8".to_owned())?;
    let Keys(keys) = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut extra = String::new();
    // What asks the client is no answer that could be kept.
    let caching = caching && !keys.iter().any(|key| key == "inputRequests");
    if let Ok(Value::Object(template)) = serde_json::to_value(template) {
        for &name in ADDED {
            let wanted = caching || !ADDED_SINCE_CACHING.contains(&name);
            if let Some(value) = template.get(name)
                && wanted
                && !keys.iter().any(|key| key == name)
            {
                let _ = write!(extra, ",\"{name}\":{value}");
            }
        }
    }
    let empty = keys.is_empty();
    drop(keys);
    if !extra.is_empty() {
        text.truncate(text.trim_end().len() - 1);
        text.push_str(if empty { extra.trim_start_matches(',') } else { &extra });
        text.push('}');
    }
    // A message is a line. Strings hold no raw line ends, so this touches only the space between tokens.
    if text.contains(['\n', '\r']) {
        text = text.replace(['\n', '\r'], " ");
    }
    Ok(ServerResult::CustomResult(CustomResult::new(Value::String(text))))
}

/// A tool's result that reports an error.
pub(crate) fn tool_error(error: &WireError, template: &ServerResult) -> ServerResult {
    let fields = error_fields(error, &[("code", &error.code), ("message", &error.message)]);
    let text = format!("{}: {}", error.code, error.message);
    let body = json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": fields,
        "isError": true,
    });
    compose_result(body.to_string().into_bytes(), template, false).unwrap_or_else(|_| template.clone())
}

/// The fields of an error: these, and those of its details, which overwrite none.
pub(crate) fn error_fields(error: &WireError, own: &[(&str, &String)]) -> Map<String, Value> {
    let own = own.iter().map(|&(name, value)| (name.to_owned(), Value::from(value.as_str())));
    let mut fields: Map<String, Value> = own.collect();
    if let Ok(details) = serde_json::from_slice::<Map<String, Value>>(&error.detail) {
        for (name, value) in details {
            fields.entry(name).or_insert(value);
        }
    }
    fields
}

/// The text of a result that was made here. No other result of the protocol is a string.
pub(crate) fn prepared_text(result: &ServerResult) -> Option<&str> {
    match result {
        ServerResult::CustomResult(CustomResult(Value::String(text), ..)) => Some(text),
        _ => None,
    }
}

/// The keys of an object; reading it checks that the rest is JSON.
struct Keys<'a>(Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Keys<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeysVisitor;
        impl<'de> Visitor<'de> for KeysVisitor {
            type Value = Keys<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<'de>, A::Error> {
                let mut keys = Vec::new();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    map.next_value::<IgnoredAny>()?;
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(KeysVisitor)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolResult, ListToolsResult};

    use super::*;

    fn made(json: &str, template: &ServerResult, caching: bool) -> String {
        let made = compose_result(json.as_bytes().to_vec(), template, caching).unwrap();
        prepared_text(&made).unwrap().to_owned()
    }

    fn call() -> ServerResult {
        ServerResult::CallToolResult(CallToolResult::success(vec![]))
    }

    #[test]
    fn the_daemons_bytes_stay_and_what_is_missing_is_added_behind() {
        let json = r#"{"z":1.50, "a":123456789012345678901234567890,"content":[]}"#;
        assert_eq!(
            made(json, &call(), true),
            r#"{"z":1.50, "a":123456789012345678901234567890,"content":[],"resultType":"complete"}"#
        );
        assert_eq!(made("{}", &call(), true), r#"{"resultType":"complete"}"#);
        let own = r#"{"resultType":"complete","content":[]}"#;
        assert_eq!(made(own, &call(), true), own);
    }

    #[test]
    fn cache_hints_are_added_only_for_those_who_know_them() {
        let mut list = ServerResult::ListToolsResult(ListToolsResult::default());
        list.fill_missing_cache_hints();
        let hinted = made(r#"{"tools":[],"ttlMs":7}"#, &list, true);
        assert_eq!(hinted, r#"{"tools":[],"ttlMs":7,"resultType":"complete","cacheScope":"private"}"#);
        let asks = r#"{"resultType":"input_required","inputRequests":{}}"#;
        assert_eq!(made(asks, &list, true), asks);
        list.strip_result_type_for_legacy_peer();
        assert_eq!(made(r#"{"tools":[]}"#, &list, false), r#"{"tools":[]}"#);
    }

    #[test]
    fn line_ends_between_tokens_go_and_those_in_strings_stay() {
        assert_eq!(
            made("{\n\"a\":\r\n\"x\\ny\"\n}\n", &call(), false),
            r#"{ "a":  "x\ny" ,"resultType":"complete"}"#
        );
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for json in ["", "[]", "null", "{\"a\":}", "{} {}", "\"x\""] {
            assert!(compose_result(json.as_bytes().to_vec(), &call(), true).is_err(), "{json}");
        }
    }

    #[test]
    fn errors_carry_their_details_without_letting_them_overwrite() {
        let error = WireError::new("nope", "not like this").with_detail(
            br#"{"code":"other","nextBestAction":{"action":"repo.status"},"big":123456789012345678901}"#
                .to_vec(),
        );
        let made = tool_error(&error, &call());
        assert_eq!(
            prepared_text(&made).unwrap(),
            r#"{"content":[{"type":"text","text":"nope: not like this"}],"structuredContent":{"code":"nope","message":"not like this","nextBestAction":{"action":"repo.status"},"big":123456789012345678901},"isError":true,"resultType":"complete"}"#
        );
    }
}
