//! Converts bytes to arguments that fit an action's schema, whichever way they came: flat, through a gateway, as a
//! payload.

use serde_json::{Map, Value, json};

use super::checked::Checked;
use crate::call::action::Namespace;
use crate::call::modules::module_off;
use crate::call::names;
use crate::call::registry::{Entry, Registry, To, Tool};
use crate::{Candidate, Code, Explained, ToolError};
use sdl_contract::nearest_names;
use sdl_contract::wrong_type;
use sdl_json::BadJson;

/// Reads the bytes of a call's arguments. Empty input and null mean no arguments.
pub(crate) fn parse_arguments(bytes: &[u8]) -> Result<Value, ToolError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(Map::new()));
    }
    match sdl_json::parse(bytes).map_err(|bad| malformed_json("the arguments", &bad))? {
        Value::Null => Ok(Value::Object(Map::new())),
        value => Ok(value),
    }
}

fn malformed_json(what: &str, bad: &BadJson) -> ToolError {
    ToolError::new(Code::MalformedJson, format!("{what} cannot be read as JSON: {bad}"))
}

/// Takes the payload out of a raw twin's arguments and reads it.
pub(crate) fn unwrap_payload(value: Value) -> Result<Value, ToolError> {
    let Value::Object(mut outer) = value else { return Err(wrong_type("object", &value, "").into()) };
    let payload = outer.shift_remove("payload");
    if let Some(other) = outer.keys().next() {
        let shown: String = other.chars().take(80).collect();
        let message =
            format!("unknown field {shown:?}; a raw tool takes payload alone: put every argument into it");
        return Err(ToolError::new(Code::UnknownField, message)
            .at(shown)
            .or_one_of([Candidate::of("field", "payload")])
            .with("schema", json!({"type": "object", "properties": {"payload": {"type": "string"}}, "required": ["payload"]})));
    }
    match payload {
        Some(Value::String(text)) => parse_arguments(text.as_bytes()).map_err(|error| error.at("payload")),
        Some(value @ Value::Object(_)) => Ok(value),
        Some(Value::Null) | None => {
            let message = "required and missing: payload, a string that holds the JSON arguments";
            Err(ToolError::new(Code::MissingField, message).at("payload"))
        }
        Some(other) => Err(wrong_type("string", &other, "payload").into()),
    }
}

/// Finds the action and checks its arguments against its full schema.
pub(crate) fn check_call(registry: &Registry, tool: Tool, value: Value) -> Result<Checked<'_>, ToolError> {
    let (entry, value, notes) = match tool.to {
        To::Action(i) => {
            let entry = registry.entries().get(i);
            (
                entry.ok_or_else(|| ToolError::internal("looking up an action", "no such place"))?,
                value,
                Vec::new(),
            )
        }
        To::Gateway(gateway) => {
            let (entry, args) = through_gateway(registry, gateway, value)?;
            let home = entry.namespace;
            let wrong = home != gateway && home != Namespace::Universal;
            let note = wrong.then(|| other_gateway_hint(entry));
            (entry, args, note.into_iter().collect())
        }
    };
    check_schema(entry, value, notes)
}

/// Returns the hint for a call of an action through the wrong gateway.
pub(super) fn other_gateway_hint(entry: &Entry) -> String {
    let home = names::underscored_name(entry.namespace.name());
    format!("{} belongs to {home}; it was answered all the same", entry.def.name)
}

/// Checks the arguments of the action with this name.
pub(crate) fn check_action<'a>(
    registry: &'a Registry,
    action: &str,
    value: Value,
) -> Result<Checked<'a>, ToolError> {
    let entry =
        registry.action(action).ok_or_else(|| unknown_action(registry, Namespace::Universal, action))?;
    check_schema(entry, value, Vec::new())
}

fn check_schema(entry: &Entry, value: Value, notes: Vec<String>) -> Result<Checked<'_>, ToolError> {
    match entry.shape.check(value, "") {
        Ok(Value::Object(args)) => {
            check_branch(entry, &args)?;
            Ok(Checked { entry, args, notes })
        }
        Ok(other) => Err(wrong_type("object", &other, "").into()),
        // The error includes the current schema, because a caller with an unknown field may hold a stale one.
        Err(error) if error.code == Code::UnknownField => {
            let off = error.about.field.as_deref().and_then(|field| entry.field_off(field));
            Err(off.unwrap_or_else(|| error.with("schema", Value::clone(&entry.request)).into()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks that the arguments have the fields of their branch, where they depend on one of them.
fn check_branch(entry: &Entry, args: &Map<String, Value>) -> Result<(), ToolError> {
    let Some(union) = &entry.union else { return Ok(()) };
    union.check(args).map_err(|error| match error.code {
        Code::UnknownField => error.with("schema", Value::clone(&entry.request)).into(),
        _ => error.into(),
    })
}

/// Returns the action that a gateway call asks for, without checking its arguments.
fn gateway_action<'a>(registry: &'a Registry, tool: Tool, bytes: &[u8]) -> Option<&'a Entry> {
    let value = parse_arguments(bytes).ok()?;
    let value = if tool.raw { unwrap_payload(value).ok()? } else { value };
    let value = unpack_object(value).ok()?;
    registry.action(value.get("action")?.as_str()?)
}

/// Whether a call can change something: it asks for an action that can, and is not a chain of steps that only read.
/// `has_upstreams` says whether a step that is no action of ours may be a tool of an upstream.
pub(crate) fn is_mutating(registry: &Registry, tool: Tool, bytes: &[u8], has_upstreams: bool) -> bool {
    let entry = match tool.to {
        To::Action(at) => registry.entries().get(at),
        To::Gateway(_) => gateway_action(registry, tool, bytes),
    };
    let Some(entry) = entry.filter(|entry| entry.def.mutating) else { return false };
    let Some(only_reads) = entry.only_reads else { return true };
    let read = || {
        let value = parse_arguments(bytes)?;
        let value = if tool.raw { unwrap_payload(value)? } else { value };
        check_call(registry, tool, value)
    };
    // A chain that is refused might be understood by another release.
    !read().is_ok_and(|checked| only_reads(registry, &checked.args, has_upstreams))
}

/// Returns an object, also from a string that contains one.
fn unpack_object(value: Value) -> Result<Value, ToolError> {
    match value {
        Value::String(text) => {
            sdl_json::parse(text.as_bytes()).map_err(|bad| malformed_json("the arguments", &bad))
        }
        value => Ok(value),
    }
}

/// The first pass: extracts `action`, and everything that is in `args` or beside it.
fn through_gateway(
    registry: &Registry,
    gateway: Namespace,
    value: Value,
) -> Result<(&Entry, Value), ToolError> {
    let Value::Object(mut outer) = unpack_object(value)? else {
        return Err(ToolError::new(Code::WrongType, "the arguments must be an object with an action"));
    };
    let entry = match outer.shift_remove("action") {
        Some(Value::String(name)) => {
            registry.action(&name).ok_or_else(|| unknown_action(registry, gateway, &name))?
        }
        Some(Value::Null) | None => return Err(no_action(registry, gateway)),
        Some(other) => return Err(wrong_type("string", &other, "action").into()),
    };
    // An action may have an argument `args` of its own. Where that is a list, anything but an object beside `action` is
    // that argument, and stays where it is; where it is an object, it is so if another argument is beside it.
    let own = entry.request.pointer("/properties/args").is_some();
    let own_object =
        own && entry.request.pointer("/properties/args/type").is_some_and(|kind| kind == "object");
    if own_object && outer.keys().any(|key| key != "args") {
        return Ok((entry, Value::Object(outer)));
    }
    let inner = match outer.get("args").cloned().map(unpack_object) {
        Some(Ok(Value::Object(inner))) => {
            outer.shift_remove("args");
            inner
        }
        Some(_) if own => Map::new(),
        None | Some(Ok(Value::Null)) => {
            outer.shift_remove("args");
            Map::new()
        }
        Some(other) => return Err(wrong_type("object", &other?, "args").into()),
    };
    for (key, value) in inner {
        if outer.contains_key(&key) {
            let shown: String = key.chars().take(80).collect();
            let message = format!("{shown:?} is given both in args and beside action; give it once");
            return Err(ToolError::invalid(shown, message));
        }
        outer.insert(key, value);
    }
    Ok((entry, Value::Object(outer)))
}

fn no_action(registry: &Registry, gateway: Namespace) -> ToolError {
    let names: Vec<&str> = registry.of(gateway).map(|entry| entry.def.name).collect();
    ToolError::new(Code::MissingField, format!("required and missing: action, one of {}", names.join(", ")))
        .at("action")
        .or_one_of(names.into_iter().map(|name| Candidate::of("action", name)))
}

/// Returns the actions that may be meant: those with a similar name, else those that match its words.
pub(super) fn likely_actions<'r>(registry: &'r Registry, name: &str) -> Vec<&'r str> {
    let near =
        nearest_names(&names::fold_name(name), registry.entries().iter().map(|entry| entry.def.name), 3);
    if !near.is_empty() {
        return near;
    }
    let words: String = names::fold_name(name).replace('_', " ").chars().take(200).collect();
    let found = registry.finder().search(&words);
    let hits = found.hits.iter().filter_map(|(at, _)| Some(registry.entries().get(*at)?.def.name));
    let (mut meant, others): (Vec<_>, Vec<_>) = hits.partition(|hit| {
        // `symbol.find` means `symbol.search` before `action.search`, because its first part matches.
        hit.split_once('.').is_some_and(|(family, _)| words.split(' ').any(|word| word == family))
    });
    meant.extend(others);
    meant.truncate(3);
    meant
}

fn unknown_action(registry: &Registry, gateway: Namespace, name: &str) -> ToolError {
    if let Some(module) = registry.module_of_name(name) {
        return module_off(&names::underscored_name(&names::fold_name(name)), module).at("action");
    }
    let shown: String = name.chars().take(80).collect();
    let mut near = likely_actions(registry, name);
    let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    if near.is_empty() {
        near = registry.of(gateway).map(|entry| entry.def.name).collect();
    }
    ToolError::new(Code::UnknownAction, format!("no action is called {shown:?}{hint}"))
        .at("action")
        .or_one_of(near.into_iter().map(|name| Candidate::of("action", name)))
}
