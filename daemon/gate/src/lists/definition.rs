//! Which definitions are kept, and as what.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A larger definition is kept as a short one.
const MAX_DEFINITION_BYTES: usize = 256 << 10;

/// Deeper definitions are kept as short ones: readers of JSON refuse to go deeper than this.
const MAX_DEPTH: usize = 100;

const MAX_NAME_CHARS: usize = 128;
const MAX_URI_BYTES: usize = 4 << 10;

/// The characters of its description that a short definition keeps.
const SHORT_CHARS: usize = 1_500;

/// What a list lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tool,
    Prompt,
    Resource,
    Template,
}

impl Kind {
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Tool => "tools/list",
            Self::Prompt => "prompts/list",
            Self::Resource => "resources/list",
            Self::Template => "resources/templates/list",
        }
    }

    /// The member of a result that holds the definitions.
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
            Self::Resource => "resources",
            Self::Template => "resourceTemplates",
        }
    }
}

/// A definition that is kept.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) definition: Box<RawValue>,
    /// Its name, if it is a short one in place of one that is too large.
    pub(super) oversize: Option<String>,
}

#[derive(Deserialize)]
struct Head<'t> {
    #[serde(borrow)]
    name: Option<Cow<'t, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'t, str>>,
    #[serde(borrow, rename = "uriTemplate")]
    uri_template: Option<Cow<'t, str>>,
    #[serde(borrow)]
    title: Option<&'t RawValue>,
    #[serde(borrow)]
    description: Option<&'t RawValue>,
    #[serde(borrow)]
    annotations: Option<&'t RawValue>,
}

/// The definition as it is kept, or the reason why it is skipped. `names` are those that came before.
pub(super) fn judge(
    kind: Kind,
    definition: &RawValue,
    names: &mut HashSet<String>,
) -> Result<Kept, &'static str> {
    let text = definition.get();
    if !text.starts_with('{') {
        return Err("malformed");
    }
    let head: Head<'_> = serde_json::from_str(text).map_err(|_| "malformed")?;
    let (name, is_good) = match kind {
        Kind::Tool | Kind::Prompt => {
            let name = head.name.as_deref().unwrap_or_default();
            (name, name.chars().count() <= MAX_NAME_CHARS)
        }
        Kind::Resource => {
            let uri = head.uri.as_deref().unwrap_or_default();
            (uri, uri.len() <= MAX_URI_BYTES)
        }
        Kind::Template => {
            let uri = head.uri_template.as_deref().unwrap_or_default();
            (uri, uri.len() <= MAX_URI_BYTES)
        }
    };
    if name.is_empty() || !is_good {
        return Err("badName");
    }
    if !names.insert(name.to_owned()) {
        return Err("duplicate");
    }
    if text.len() <= MAX_DEFINITION_BYTES && depth(text) <= MAX_DEPTH {
        return Ok(Kept { definition: definition.to_owned(), oversize: None });
    }
    if kind != Kind::Tool {
        return Err("tooLarge");
    }
    let short = RawValue::from_string(Value::Object(short_tool(name, &head)).to_string());
    Ok(Kept { definition: short.map_err(|_| "malformed")?, oversize: Some(name.to_owned()) })
}

/// The tool with an open schema and the beginning of its description.
fn short_tool(name: &str, head: &Head<'_>) -> Map<String, Value> {
    let text = |raw: Option<&RawValue>| {
        let text: String = serde_json::from_str(raw?.get()).ok()?;
        Some(Value::from(text.chars().take(SHORT_CHARS).collect::<String>()))
    };
    let mut short = Map::new();
    short.insert("name".to_owned(), name.into());
    let texts = [("title", text(head.title)), ("description", text(head.description))];
    for (key, value) in texts {
        if let Some(value) = value {
            short.insert(key.to_owned(), value);
        }
    }
    short.insert("inputSchema".to_owned(), serde_json::json!({ "type": "object" }));
    // Whether it only reads is needed for policies. Hints are few and flat.
    let hints = head.annotations.filter(|raw| raw.get().len() <= 4_096 && depth(raw.get()) <= 4);
    if let Some(hints) = hints.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
        short.insert("annotations".to_owned(), hints);
    }
    short
}

/// How deep the brackets of a valid text are nested.
fn depth(text: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => {
                now += 1;
                most = most.max(now);
            }
            b'}' | b']' if !is_string => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn judged(
        kind: Kind,
        text: &str,
        names: &mut HashSet<String>,
    ) -> Result<(String, Option<String>), &'static str> {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        judge(kind, &raw, names).map(|kept| (kept.definition.get().to_owned(), kept.oversize))
    }

    #[test]
    fn what_is_kept_stays_as_it_is_written_and_what_is_not_has_a_reason() {
        let mut names = HashSet::new();
        let good = r#"{"name":"a", "x":1.0e+2,"inputSchema":{"b":1,"a":2}}"#;
        assert_eq!(judged(Kind::Tool, good, &mut names), Ok((good.to_owned(), None)));
        let long = format!(r#"{{"name":"{}"}}"#, "n".repeat(129));
        for (text, reason) in [
            (good, "duplicate"),
            (r#"{"name":""}"#, "badName"),
            (r#"{"title":"t"}"#, "badName"),
            (&long, "badName"),
            (r#"{"name":1}"#, "malformed"),
            ("[]", "malformed"),
            ("null", "malformed"),
        ] {
            assert_eq!(judged(Kind::Tool, text, &mut names), Err(reason), "{text}");
        }
        assert!(judged(Kind::Resource, r#"{"uri":"a://b"}"#, &mut names).is_ok());
        assert_eq!(judged(Kind::Template, r#"{"uri":"a://b"}"#, &mut names), Err("badName"));
    }

    #[test]
    fn a_large_or_deep_tool_is_kept_short_with_its_hints() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(5 << 20));
        for schema in [deep, large] {
            let text = format!(
                r#"{{"name":"t","description":"{}","inputSchema":{schema},"annotations":{{"readOnlyHint":true}}}}"#,
                "d".repeat(2_000)
            );
            let (short, oversize) = judged(Kind::Tool, &text, &mut HashSet::new()).unwrap();
            let short: Value = serde_json::from_str(&short).unwrap();
            assert_eq!(oversize.as_deref(), Some("t"));
            assert_eq!(short["description"].as_str().unwrap().len(), 1_500);
            assert_eq!(short["inputSchema"], serde_json::json!({"type": "object"}));
            assert_eq!(short["annotations"]["readOnlyHint"], true);
            let text = text.replacen("\"name\"", "\"uri\":\"u\",\"name\"", 1);
            assert_eq!(judged(Kind::Resource, &text, &mut HashSet::new()), Err("tooLarge"));
        }
    }

    #[test]
    fn brackets_inside_of_strings_nest_nothing() {
        assert_eq!(depth(r#"{"a":"[[[\"{{","b":[{}]}"#), 3);
    }
}
