//! One tool of an upstream, as its server defined it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::flags::{Flag, KnownNames, mentioned_names, text_flags};
use super::hidden::{is_hidden, strip_hidden};
use super::json_text::rewrite_strings;
use super::pins::Standing;

/// Larger definitions are kept without their schema.
const MOST_BYTES: usize = 256 << 10;
/// How many characters of the description of such a definition are kept.
const OVERSIZE_DESCRIPTION: usize = 1_500;

/// A tool of an upstream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    /// The upstream's key.
    pub(crate) key: Arc<str>,
    /// The name that the upstream knows.
    pub(crate) name: String,
    /// The name that clients see.
    pub(crate) advertised: String,
    /// Its name with the key, which leads to it too.
    pub(crate) prefixed: String,
    /// The definition, with the advertised name and without hidden characters.
    pub(crate) object: Map<String, Value>,
    pub(crate) hints: Hints,
    /// Hash of the definition as it was read, its icons apart.
    pub(crate) hash: String,
    /// Tokens of name, description and input schema.
    pub(crate) tokens: usize,
    /// Tokens of all of it, under the advertised name: about what a client reads that has the server for itself.
    pub(crate) whole_tokens: usize,
    /// Whether its schema was left out because of its size.
    pub(crate) oversize: bool,
    /// Whether it is served.
    pub(crate) standing: Standing,
    /// How it differs from the pinned definition, unless that is served.
    pub(crate) change: Option<Change>,
    /// Why it is suspicious, in order.
    pub(crate) flags: Vec<Flag>,
    /// Of these, those for its own text alone.
    own_flags: Vec<Flag>,
    /// The names in its text that may be those of tools.
    mentions: Vec<String>,
}

/// How a definition differs from the pinned one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// The fields that differ.
    pub(crate) fields: Vec<String>,
    /// When it came, in Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// What a definition says of the tool's effects. Hints, not promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

impl Definition {
    /// Reads a definition as the upstream wrote it. `advertise` names it.
    pub(crate) fn read(key: &Arc<str>, object: &Map<String, Value>, advertised: String) -> Option<Self> {
        let name = object.get("name")?.as_str()?.to_owned();
        let hash = definition_hash(object);
        let (own_flags, mentions) = (text_flags(object), mentioned_names(object));
        let mut object = clean_object(object);
        let oversize = Value::Object(object.clone()).to_string().len() > MOST_BYTES;
        if oversize {
            object = shortened(&object);
        }
        object.insert("name".into(), advertised.clone().into());
        object.insert("inputSchema".into(), input_schema(object.get("inputSchema")));
        let hint = |hint: &str| object.get("annotations")?.get(hint)?.as_bool();
        let hints = Hints {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        };
        let mut made = Self {
            key: Arc::clone(key),
            name,
            prefixed: advertised.clone(),
            advertised,
            object,
            hints,
            hash,
            tokens: 0,
            whole_tokens: 0,
            oversize,
            standing: Standing::default(),
            change: None,
            flags: own_flags.clone(),
            own_flags,
            mentions,
        };
        made.count_tokens();
        Some(made)
    }

    /// The same tool under its own name.
    pub(crate) fn bare(&self) -> Self {
        let mut bare = self.clone();
        bare.advertised.clone_from(&self.name);
        bare.object.insert("name".into(), self.name.clone().into());
        bare.count_tokens();
        bare
    }

    fn count_tokens(&mut self) {
        self.tokens = sdl_tokens::count_tokens(&self.brief().to_string());
        self.whole_tokens = sdl_tokens::count_tokens(&Value::Object(self.object.clone()).to_string());
    }

    /// Returns all its flags, where the other tools have these names.
    pub(crate) fn flags_among(&self, known: &KnownNames<'_>) -> Vec<Flag> {
        let mut flags = self.own_flags.clone();
        flags.extend(known.flags(&self.key, &self.name, &self.mentions));
        flags
    }

    /// The words of its flags.
    pub(crate) fn flag_names(&self) -> Vec<&'static str> {
        self.flags.iter().map(|flag| flag.name()).collect()
    }

    /// Name, description and input schema: what every client reads.
    fn brief(&self) -> Value {
        let part = |part: &str| self.object.get(part).cloned().unwrap_or_default();
        json!({"name": self.advertised, "description": part("description"), "inputSchema": part("inputSchema")})
    }

    /// For a person: names, tokens, and what it says it does.
    pub(crate) fn describe(&self) -> Value {
        json!({
            "tool": self.advertised,
            "name": self.name,
            "tokens": self.tokens,
            "readOnly": self.hints.read_only,
            "description": self.description(),
            "standing": self.standing.name(),
            "flags": self.flag_names(),
        })
    }

    /// What it does, in the words of its server.
    pub(crate) fn description(&self) -> &str {
        self.object.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Its name for people.
    pub(crate) fn title(&self) -> Option<&str> {
        let title = self.object.get("title").or_else(|| self.object.get("annotations")?.get("title"));
        title.and_then(Value::as_str).filter(|title| !title.is_empty())
    }

    /// The schema of its arguments.
    pub(crate) fn input_schema(&self) -> &Value {
        self.object.get("inputSchema").unwrap_or(&Value::Null)
    }

    /// Whether it says what its answers look like.
    pub(crate) fn has_output_schema(&self) -> bool {
        self.object.contains_key("outputSchema")
    }

    /// The definition as `tools/list` shows it.
    pub(crate) fn listed(&self, output_schemas: bool) -> Value {
        let mut object = self.object.clone();
        if !output_schemas {
            object.shift_remove("outputSchema");
        }
        Value::Object(object)
    }
}

/// Hash of a definition, whatever the order of its keys. Icons don't count: servers serve them under changing addresses.
pub(crate) fn definition_hash(object: &Map<String, Value>) -> String {
    let mut object = object.clone();
    object.shift_remove("icons");
    let mut text = String::new();
    write_sorted(&Value::Object(object), &mut text);
    blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
}

/// Writes a value with its keys in order.
pub(crate) fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for key in keys {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_sorted(map.get(key).unwrap_or(&Value::Null), out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        leaf => out.push_str(&leaf.to_string()),
    }
}

/// A schema of the arguments that every client understands: the root is an object.
fn input_schema(given: Option<&Value>) -> Value {
    match given {
        Some(Value::Object(schema)) if schema.get("type").is_some_and(|kind| kind == "object") => {
            Value::Object(schema.clone())
        }
        Some(Value::Object(schema)) if !schema.contains_key("type") => {
            let mut object = Map::new();
            object.insert("type".into(), "object".into());
            object.extend(schema.clone());
            Value::Object(object)
        }
        _ => json!({"type": "object"}),
    }
}

fn shortened(object: &Map<String, Value>) -> Map<String, Value> {
    let mut kept = Map::new();
    if let Some(description) = object.get("description").and_then(Value::as_str) {
        let start: String = description.chars().take(OVERSIZE_DESCRIPTION).collect();
        kept.insert("description".into(), start.into());
    }
    if let Some(annotations) = object.get("annotations").filter(|hints| hints.to_string().len() < 4_096) {
        kept.insert("annotations".into(), annotations.clone());
    }
    kept
}

/// The same without characters that a reader can't see: they could tell a model what a person does not read.
pub(super) fn clean_object(object: &Map<String, Value>) -> Map<String, Value> {
    let text = Value::Object(object.clone()).to_string();
    let cleaned = rewrite_strings(&text, &mut |inner| {
        inner.contains(is_hidden).then(|| strip_hidden(inner).into_owned())
    });
    match cleaned.map(|text| serde_json::from_str(&text)) {
        Some(Ok(Value::Object(cleaned))) => cleaned,
        _ => object.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Definition {
        Definition::read(&"fs".into(), value.as_object().unwrap(), "fs_read".into()).unwrap()
    }

    #[test]
    fn hidden_characters_are_taken_out_wherever_they_are() {
        let found = read(json!({
            "name": "read", "description": "Reads\u{200b} a\u{202e} file\u{1b}[31m\u{e0041}.\nSecond line.",
            "inputSchema": {"type": "object", "properties": {"pa\u{200b}th": {"type": "string"}}}
        }));
        assert_eq!(found.description(), "Reads a file[31m.\nSecond line.");
        assert!(found.input_schema()["properties"]["path"].is_object());
    }

    #[test]
    fn a_root_that_is_no_object_is_wrapped() {
        let typed = json!({"name": "x", "inputSchema": {"properties": {"a": {}}}});
        assert_eq!(read(typed).input_schema(), &json!({"type": "object", "properties": {"a": {}}}));
        assert_eq!(read(json!({"name": "x"})).input_schema(), &json!({"type": "object"}));
        assert_eq!(
            read(json!({"name": "x", "inputSchema": {"type": "string"}})).input_schema(),
            &json!({"type": "object"})
        );
    }

    #[test]
    fn the_hash_is_of_the_meaning_and_not_of_the_icons() {
        let one = read(
            json!({"name": "x", "description": "a", "icons": [1], "inputSchema": {"type": "object", "a": 1}}),
        );
        let same = read(json!({"inputSchema": {"a": 1, "type": "object"}, "description": "a", "name": "x"}));
        let other = read(json!({"name": "x", "description": "b", "inputSchema": {"type": "object", "a": 1}}));
        assert_eq!(one.hash, same.hash);
        assert_ne!(one.hash, other.hash);
    }

    #[test]
    fn a_definition_that_is_too_large_stays_callable() {
        let huge = read(json!({
            "name": "x", "description": "y".repeat(5_000), "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "description": "z".repeat(MOST_BYTES)}
        }));
        assert!(huge.oversize);
        assert_eq!(huge.description().len(), OVERSIZE_DESCRIPTION);
        assert_eq!((huge.input_schema(), huge.hints.read_only), (&json!({"type": "object"}), Some(true)));
    }
}
