//! The result of `tools/list` on each surface.

use serde_json::{Map, Value, json};

use crate::call::action::Namespace;
use crate::call::names::{RAW, advertised_name};
use crate::call::registry::{Entry, Registry};
use crate::{Names, Surface};
use sdl_contract::schema;

impl Registry {
    /// The `tools/list` result: `{"tools": […]}`, always in the same order.
    pub(crate) fn list(&self, surface: Surface, output_schemas: bool, names: Names) -> Value {
        let writer = Writer { registry: self, output_schemas, names };
        let tools = match surface {
            Surface::Flat => writer.flat(),
            Surface::Gateway => writer.gateways(),
            Surface::Search => vec![writer.search()],
        };
        json!({ "tools": tools })
    }
}

impl Registry {
    /// Every action in full: what `tools/list` leaves out to be short.
    pub(crate) fn describe(&self) -> Value {
        let actions = self.entries().iter().map(|entry| {
            let examples: Vec<Value> =
                entry.def.examples.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
            let aliases: Map<String, Value> = entry
                .def
                .aliases
                .iter()
                .map(|(alias, field)| ((*alias).to_owned(), (*field).into()))
                .collect();
            json!({
                "name": entry.def.name,
                "tool": advertised_name(entry.def.name, Names::Underscored),
                "namespace": entry.def.namespace.name(),
                "mutating": entry.def.mutating,
                "description": entry.def.description,
                "needs": entry.def.needs,
                "aliases": aliases,
                "examples": examples,
                "inputSchema": entry.request,
                "outputSchema": entry.response,
            })
        });
        json!({ "actions": actions.collect::<Vec<Value>>() })
    }
}

/// Arguments that barely any call needs, by action (none means every action). Reads wait for writes by default, and the
/// manual comes in the format that models read best. The manual and `action.search` list them.
const UNLISTED: [(&str, &str); 39] = [
    ("", "sync"),
    ("", "syncTimeoutMs"),
    ("", "atVersion"),
    ("manual", "format"),
    ("manual", "detail"),
    ("chain", "budget"),
    ("symbol.getCard", "minCallConfidence"),
    ("symbol.getCard", "includeResolutionMetadata"),
    ("symbol.getCards", "minCallConfidence"),
    ("symbol.getCards", "includeResolutionMetadata"),
    ("symbol.getCards", "ifNoneMatch"),
    ("slice.build", "minCallConfidence"),
    ("slice.build", "includeResolutionMetadata"),
    ("slice.build", "wireFormatVersion"),
    ("slice.build", "memoryLimit"),
    ("slice.build", "includeRetrievalEvidence"),
    // Their handles name the repository or the workspace.
    ("slice.refresh", "repoId"),
    ("slice.spillover.get", "repoId"),
    ("symbol.search", "includeRetrievalEvidence"),
    ("memory.query", "offset"),
    ("runtime.queryOutput", "repoId"),
    ("symbol.related", "minConfidence"),
    ("symbol.related", "maxTokens"),
    ("symbol.path", "minConfidence"),
    ("symbol.path", "includeTests"),
    ("symbol.path", "paths"),
    ("symbol.path", "limit"),
    ("symbol.path", "maxTokens"),
    ("change.impact", "minConfidence"),
    ("change.impact", "includeTests"),
    ("change.impact", "paths"),
    ("change.impact", "maxTokens"),
    ("change.impact", "depth"),
    ("symbol.rename", "includeText"),
    ("symbol.rename", "limit"),
    ("symbol.rename", "maxTokens"),
    ("symbol.unused", "kinds"),
    ("symbol.unused", "limit"),
    ("symbol.unused", "maxTokens"),
];

/// Objects with the same fields as the arguments of another action, which the description names.
const UNOPENED: [&str; 1] = ["sliceContext"];

struct Writer<'a> {
    registry: &'a Registry,
    output_schemas: bool,
    names: Names,
}

impl Writer<'_> {
    fn flat(&self) -> Vec<Value> {
        let mut tools = Vec::new();
        for entry in self.registry.entries() {
            tools.push(self.action(entry));
            if entry.def.mutating {
                tools.push(self.twin(entry.def.name));
            }
        }
        tools
    }

    fn gateways(&self) -> Vec<Value> {
        let mut tools = Vec::new();
        let mut twins = Vec::new();
        for namespace in Namespace::GATEWAYS {
            let inside: Vec<&Entry> = self.registry.of(namespace).collect();
            if inside.is_empty() {
                continue;
            }
            tools.push(self.gateway(namespace, &inside));
            if inside.iter().any(|entry| entry.def.mutating) {
                twins.push(self.twin(namespace.name()));
            }
        }
        for entry in self.registry.of(Namespace::Universal) {
            tools.push(self.action(entry));
            if entry.def.mutating {
                twins.push(self.twin(entry.def.name));
            }
        }
        tools.extend(twins);
        tools
    }

    /// Returns the only tool of this surface, which finds the others.
    fn search(&self) -> Value {
        json!({
            "name": advertised_name("action.search", self.names),
            "description": "Call this when you need code tools: finds tools by name",
            "annotations": {"readOnlyHint": true},
            "inputSchema": {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "Task"}},
                "required": ["query"]
            }
        })
    }

    fn action(&self, entry: &Entry) -> Value {
        let mut tool = Map::new();
        tool.insert("name".into(), advertised_name(entry.def.name, self.names).into());
        tool.insert("description".into(), entry.def.description.into());
        let mut input = schema::terse_schema(&entry.request);
        if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
            let unlisted = |name: &str| {
                UNLISTED.iter().any(|(action, field)| *field == name && [entry.def.name, ""].contains(action))
            };
            properties.retain(|name, _| !unlisted(name));
            for name in UNOPENED {
                if let Some(property) = properties.get_mut(name).and_then(Value::as_object_mut) {
                    property.shift_remove("properties");
                }
            }
        }
        tool.insert("inputSchema".into(), input);
        if self.output_schemas {
            tool.insert("outputSchema".into(), response_outline(&entry.response));
        }
        if let Some(hints) = self.hints(entry.def.name) {
            tool.insert("annotations".into(), hints);
        }
        Value::Object(tool)
    }

    fn gateway(&self, namespace: Namespace, inside: &[&Entry]) -> Value {
        let purpose = match namespace {
            Namespace::Query => "you need to find symbols or what depends on them",
            Namespace::Code => "a card is not enough and you need source",
            Namespace::Repo => "you need a repository's state, index or settings",
            Namespace::Agent | Namespace::Universal => "you need a task, a command or a memory",
        };
        let actions: Vec<String> =
            inside.iter().map(|entry| format!("{}({})", entry.def.name, entry.def.needs)).collect();
        json!({
            "name": advertised_name(namespace.name(), self.names),
            "description": format!("Call this when {purpose}. Actions: {}", actions.join(" ")),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "action": {"type": "string", "description": "Name"},
                    "repoId": {"type": "string", "description": "Default: the cwd's"},
                    "args": {"type": "object", "description": "Arguments"}
                },
                "required": ["action"],
                "additionalProperties": true
            }
        })
    }

    fn hints(&self, name: &str) -> Option<Value> {
        self.registry.annotations(self.registry.tool(name)?)
    }

    fn twin(&self, of: &str) -> Value {
        let name = advertised_name(of, self.names);
        let mut twin = json!({
            "name": format!("{name}{RAW}"),
            "description": "Call this when JSON must arrive unaltered",
            "inputSchema": {
                "type": "object",
                "properties": {"payload": {"type": "string", "description": "JSON"}},
                "required": ["payload"]
            }
        });
        if let (Some(hints), Some(twin)) = (self.hints(of), twin.as_object_mut()) {
            twin.insert("annotations".into(), hints);
        }
        twin
    }
}

/// Returns the top level of an answer's schema. No field in it is required: an error is an answer too, and some clients
/// check it against this schema.
pub(crate) fn response_outline(response: &Value) -> Value {
    let properties = response.get("properties").and_then(Value::as_object).into_iter().flatten();
    let outlined = properties.map(|(name, schema)| {
        let mut kept = Map::new();
        if let Some(kind) = schema.get("type") {
            kept.insert("type".into(), kind.clone());
        }
        if let Some(items) = schema.get("items").and_then(|items| items.get("type")) {
            kept.insert("items".into(), json!({ "type": items }));
        }
        (name.clone(), Value::Object(kept))
    });
    json!({"type": "object", "properties": outlined.collect::<Map<_, _>>()})
}
