//! The result of `tools/list` on each surface.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::call::action::Namespace;
use crate::call::modules::Module;
use crate::call::names::{RAW, advertised_name};
use crate::call::pipeline::RELAY;
use crate::call::registry::{Entry, Registry};
use crate::call::upstream::{Listed, Rules, Target, View};
use crate::{Names, Surface};
use sdl_contract::schema;

/// What a session is to be listed.
#[derive(Clone, Copy)]
pub(crate) struct Listing<'a> {
    pub(crate) surface: Surface,
    pub(crate) output_schemas: bool,
    pub(crate) names: Names,
    /// The tools of upstreams that it sees.
    pub(crate) view: &'a View,
    /// The rules that apply to it.
    pub(crate) rules: Rules<'a>,
}

impl Registry {
    /// The `tools/list` result: `{"tools": […]}`, always in the same order.
    pub(crate) fn list(&self, listing: Listing<'_>) -> Value {
        let writer = Writer { registry: self, listing };
        let mut tools = match listing.surface {
            Surface::Flat => writer.flat(),
            Surface::Gateway => writer.gateways(),
            Surface::Search => vec![writer.search()],
            Surface::Pair => vec![writer.search(), writer.relay()],
        };
        if matches!(listing.surface, Surface::Flat | Surface::Gateway) {
            tools.extend(writer.upstream_tools());
        }
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
                "namespace": entry.namespace.name(),
                "module": entry.module.map(Module::name),
                "mutating": entry.def.mutating,
                "description": entry.def.description,
                "needs": entry.def.needs,
                "aliases": aliases,
                "examples": examples,
                "inputSchema": *entry.request,
                "outputSchema": *entry.response,
            })
        });
        json!({ "actions": actions.collect::<Vec<Value>>() })
    }
}

/// Arguments that barely any call needs, by action (none means every action). Reads wait for writes by default, and the
/// manual comes in the format that models read best. The manual and `action.search` list them.
const UNLISTED: [(&str, &str); 44] = [
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
    ("info", "actions"),
    ("action.search", "scope"),
    ("action.search", "upstream"),
    ("action.search", "detail"),
    ("action.search", "fresh"),
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

/// Fields of answers that only upstreams fill, by action.
const OF_UPSTREAMS: [(&str, &str); 5] = [
    ("action.search", "instructions"),
    ("action.search", "callWith"),
    ("info", "surfaceVersion"),
    ("info", "upstreams"),
    ("usage.stats", "upstream"),
];

/// Optional arguments of all actions of modules, which lists leave out because a call rarely needs them.
const UNLISTED_OF_MODULES: [&str; 12] = [
    "confidence",
    "details",
    "dueAt",
    "expiresAt",
    "idempotencyKey",
    "limit",
    "offset",
    "priority",
    "repoId",
    "scope",
    "supersedes",
    "tags",
];

/// An action whose arguments are, for the most part, those of others: `memory.store` and `lesson.store` list them.
const UPDATE: (&str, [&str; 16]) = (
    "memory.update",
    [
        "alternatives",
        "appliesTo",
        "blockedBy",
        "cause",
        "counterExample",
        "dispatchId",
        "example",
        "files",
        "fix",
        "importance",
        "lessonType",
        "nextSteps",
        "rationale",
        "symbolIds",
        "symptom",
        "taskContext",
    ],
);

/// Shortens the arguments of modules, because there are many: a name and a type, of required ones also the choices. The manual, `action.search` and
/// refusals have the rest.
fn shorten_modules(entry: &Entry, properties: &mut Map<String, Value>) {
    let of_module = |name: &String| entry.module.is_some() || entry.is_of_module(name);
    let required = entry.request.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|field| field == name));
    let is_known_elsewhere = |name: &str| entry.def.name == UPDATE.0 && UPDATE.1.contains(&name);
    properties.retain(|name, _| {
        let rare = UNLISTED_OF_MODULES.contains(&name.as_str()) || is_known_elsewhere(name);
        is_required(name) || !of_module(name) || !rare
    });
    for (name, property) in properties.iter_mut().filter(|(name, _)| of_module(name)) {
        let Some(property) = property.as_object_mut() else { continue };
        if is_required(name) {
            property.shift_remove("description");
        } else {
            property.retain(|key, _| key == "type");
        }
    }
}

/// The upstreams that the search tool names at most.
const MOST_NAMED: usize = 20;

struct Writer<'a> {
    registry: &'a Registry,
    listing: Listing<'a>,
}

impl Writer<'_> {
    fn flat(&self) -> Vec<Value> {
        let mut tools = Vec::new();
        for entry in self.registry.entries().iter().filter(|entry| self.is_listed(entry)) {
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
            let inside: Vec<&Entry> =
                self.registry.of(namespace).filter(|entry| self.is_listed(entry)).collect();
            if inside.is_empty() {
                continue;
            }
            tools.push(self.gateway(namespace, &inside));
            if inside.iter().any(|entry| entry.def.mutating) {
                twins.push(self.twin(namespace.name()));
            }
        }
        for entry in self.registry.of(Namespace::Universal).filter(|entry| self.is_listed(entry)) {
            tools.push(self.action(entry));
            if entry.def.mutating {
                twins.push(self.twin(entry.def.name));
            }
        }
        tools.extend(twins);
        tools
    }

    /// Whether an action is listed: the rules let some call of it through, and it is of use here.
    fn is_listed(&self, entry: &Entry) -> bool {
        let useful = entry.def.name != RELAY || !self.listing.view.is_empty();
        useful && self.listing.rules.sees(Target::action(entry.def.name, entry.def.mutating))
    }

    /// The tools of upstreams that are listed.
    fn upstream_tools(&self) -> Vec<Value> {
        let Listing { view, rules, output_schemas, .. } = self.listing;
        let shown = view.tools.iter().filter(|tool| {
            view.upstream_of(tool)
                .is_some_and(|upstream| upstream.is_passed_through(rules.mode(upstream.entry.own.mode)))
        });
        shown.map(|tool| tool.listed(output_schemas)).collect()
    }

    /// What the search tool says of upstreams: keys, counts, and a person's own words. Nothing that an upstream wrote.
    fn also_finds(&self) -> String {
        let view = self.listing.view;
        if view.is_empty() {
            return String::new();
        }
        let of = |upstream: &Listed| view.tools.iter().filter(|tool| tool.key == upstream.key).count();
        // Those that were never read are named without a number. Those that have no tools are not named.
        let name = |upstream: &Arc<Listed>| {
            let count = upstream.is_known().then(|| of(upstream));
            let parts = [count.map(|count| count.to_string()), upstream.entry.own.about.clone()];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let said = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(": ")) };
            (count != Some(0)).then(|| format!("{}{said}", upstream.key))
        };
        let mut named: Vec<String> = view.upstreams.iter().filter_map(name).collect();
        if named.is_empty() {
            return String::new();
        }
        let more = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        format!("; also tools of {}{more}", named.join(", "))
    }

    /// Returns the tool that calls any tool, in few words.
    fn relay(&self) -> Value {
        json!({
            "name": advertised_name(RELAY, self.listing.names),
            "description": "Call this when you found a tool",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "tool": {"type": "string", "description": "Name"},
                    "args": {"type": "object", "description": "Arguments"}
                },
                "required": ["tool"]
            }
        })
    }

    /// Returns the only tool of this surface, which finds the others.
    fn search(&self) -> Value {
        let also = self.also_finds();
        json!({
            "name": advertised_name("action.search", self.listing.names),
            "description": format!("Call this when you need code tools: finds tools by name{also}"),
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
        tool.insert("name".into(), advertised_name(entry.def.name, self.listing.names).into());
        let also = if entry.def.name == "action.search" { self.also_finds() } else { String::new() };
        tool.insert("description".into(), format!("{}{also}", entry.def.description).into());
        let mut input = schema::terse_schema(&entry.request);
        if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
            let unlisted = |name: &str| {
                UNLISTED.iter().any(|(action, field)| *field == name && [entry.def.name, ""].contains(action))
            };
            properties.retain(|name, _| !unlisted(name));
            shorten_modules(entry, properties);
            for name in UNOPENED {
                if let Some(property) = properties.get_mut(name).and_then(Value::as_object_mut) {
                    property.shift_remove("properties");
                }
            }
        }
        tool.insert("inputSchema".into(), input);
        if self.listing.output_schemas {
            let mut outline = response_outline(&entry.response);
            if self.listing.view.is_empty()
                && let Some(properties) = outline.get_mut("properties").and_then(Value::as_object_mut)
            {
                properties.retain(|name, _| !OF_UPSTREAMS.contains(&(entry.def.name, name)));
            }
            tool.insert("outputSchema".into(), outline);
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
            Namespace::Agent if inside.iter().any(|entry| entry.def.name.starts_with("memory.")) => {
                "you need a task, a command or a memory"
            }
            Namespace::Agent | Namespace::Universal => "you need a task or a command",
            Namespace::Memory => "a task needs earlier knowledge, or you learned something",
            Namespace::Kg => "facts change over time: who, what, since when",
            Namespace::Work => "other agents work here too",
        };
        let actions: Vec<String> =
            inside.iter().map(|entry| format!("{}({})", entry.def.name, entry.def.needs)).collect();
        json!({
            "name": advertised_name(namespace.name(), self.listing.names),
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
        let name = advertised_name(of, self.listing.names);
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
