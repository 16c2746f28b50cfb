//! No field that a schema declares is dropped on the way to its handler, whatever way that is.

use std::collections::BTreeMap;

use sdl_tests::generate::{
    Field, as_step, fitting_value, in_snake_case, path_name, schema_fields, stringify_values,
};
use serde_json::{Map, Value, json};

use crate::actions;
use crate::call::action::Namespace;
use crate::call::names;
use crate::call::pipeline::{check_action, check_call, parse_arguments, unwrap_payload};
use crate::call::registry::{Entry, Reads, Registry};
use sdl_contract::Shape;

/// The checked arguments of a call of that tool, as the handler gets them.
fn check_arguments(registry: &Registry, tool: &str, text: &str) -> Result<Value, String> {
    let tool = registry.tool(tool).ok_or(format!("no tool {tool}"))?;
    let value = parse_arguments(text.as_bytes()).map_err(|error| error.refusal.message)?;
    let value = if tool.raw { unwrap_payload(value).map_err(|error| error.refusal.message)? } else { value };
    check_call(registry, tool, value)
        .map(|checked| Value::Object(checked.args))
        .map_err(|error| error.refusal.message)
}

/// The same through a chain of one step.
fn through_chain(registry: &Registry, entry: &Entry, args: &Value) -> Result<Value, String> {
    let chain = json!({"steps": [{"action": entry.def.name, "args": args}]});
    let chain = check_arguments(registry, "sdl_chain", &chain.to_string())?;
    let args = chain.pointer("/steps/0/args").cloned().unwrap_or_default();
    let checked = check_action(registry, entry.def.name, args).map_err(|error| error.refusal.message)?;
    Ok(Value::Object(checked.args))
}

/// The arguments in every way, each with its name.
fn argument_variants(
    registry: &Registry,
    entry: &Entry,
    args: &Value,
) -> Vec<(String, Result<Value, String>)> {
    let name = entry.def.name;
    let tool = names::underscored_name(name);
    let home = if entry.namespace == Namespace::Universal { Namespace::Query } else { entry.namespace };
    let gateway = names::underscored_name(home.name());
    let mut beside = args.clone();
    beside["action"] = name.into();
    let text = args.to_string();
    let mut all = vec![
        (tool.clone(), text.clone()),
        (gateway.clone(), json!({"action": name, "args": args}).to_string()),
        (gateway.clone(), json!({"action": name, "args": text}).to_string()),
        (gateway, beside.to_string()),
        ("sdl_repo_raw".to_owned(), json!({"payload": beside.to_string()}).to_string()),
        (tool.clone(), in_snake_case(&entry.request, args).to_string()),
        (tool.clone(), stringify_values(&entry.request, args).to_string()),
    ];
    if entry.def.mutating {
        let twin = format!("{tool}{}", names::RAW);
        all.push((twin.clone(), json!({ "payload": text }).to_string()));
        all.push((twin, json!({ "payload": args }).to_string()));
    }
    if let (Shape::Object(shape), Some(map)) = (&*entry.shape, args.as_object()) {
        // Each other name that a field has.
        for (field, alias) in shape.fields.iter().flat_map(|f| f.aliases.iter().map(|alias| (&f.name, alias)))
        {
            if let Some(value) = map.get(field) {
                let mut aliased: Map<String, Value> = map.clone();
                aliased.shift_remove(field);
                aliased.insert(alias.clone(), value.clone());
                all.push((tool.clone(), Value::Object(aliased).to_string()));
            }
        }
    }
    let mut out: Vec<(String, Result<Value, String>)> = all
        .into_iter()
        .map(|(tool, text)| (format!("{tool} {text}"), check_arguments(registry, &tool, &text)))
        .collect();
    if name != crate::call::chain::NAME {
        let step = as_step(args);
        out.push(("a step".to_owned(), through_chain(registry, entry, &step)));
        out.push(("a step as text".to_owned(), through_chain(registry, entry, &step.to_string().into())));
    }
    out
}

/// Arguments with two values of a field in turn; only one where it can have no other.
fn argument_pairs(entry: &Entry, field: &Field) -> Vec<Value> {
    let example: Value = serde_json::from_str(entry.def.examples[0]).unwrap();
    let texts: [&dyn Fn(&str) -> String; 2] = [&|_| "one".to_owned(), &|_| "another".to_owned()];
    let mut out: Vec<Value> = Vec::new();
    for (i, text) in texts.into_iter().enumerate() {
        let mut value = fitting_value(&field.schema, "", text);
        if i == 1 {
            value = other_value(&field.schema, value);
        }
        let mut args = in_branch(entry, field, example.clone(), &value, text);
        sdl_tests::generate::put_value(&mut args, &entry.request, &field.path, value, text);
        if !out.contains(&args) {
            out.push(args);
        }
    }
    out
}

/// The example in the branch that has the field, with the fields that the branch needs.
fn in_branch(
    entry: &Entry,
    field: &Field,
    mut args: Value,
    value: &Value,
    text: &dyn Fn(&str) -> String,
) -> Value {
    let (Some(union), Some(sdl_tests::generate::Step::Key(name))) = (&entry.union, field.path.first()) else {
        return args;
    };
    let now = args[union.tag()].as_str().unwrap_or_default().to_owned();
    let with = union.branches_with(name);
    let wanted = match value.as_str() {
        Some(tag) if name == union.tag() => tag.to_owned(),
        _ if with.is_empty() || with.contains(&now.as_str()) => return args,
        _ => with[0].to_owned(),
    };
    let Some(fields) = args.as_object_mut() else { return args };
    for name in union.fields_of(&now) {
        fields.shift_remove(name);
    }
    fields.insert(union.tag().to_owned(), wanted.clone().into());
    for name in union.required_of(&wanted) {
        fields.insert(name.to_owned(), fitting_value(&entry.request["properties"][name], "", text));
    }
    args
}

/// Another value of the same schema.
fn other_value(schema: &Value, value: Value) -> Value {
    match (schema["enum"].as_array(), value) {
        (Some(choices), _) => choices[0].clone(),
        (_, Value::Bool(is)) => (!is).into(),
        (_, Value::Number(n)) if schema["type"] == "integer" => {
            let n = n.as_i64().unwrap();
            let most = schema["maximum"].as_f64().map_or(i64::MAX, |most| most as i64);
            if n < most { n + 1 } else { n - 1 }.into()
        }
        (_, Value::Number(_)) => json!(0.75),
        (_, Value::Array(items)) => {
            items.into_iter().map(|item| other_value(&schema["items"], item)).collect()
        }
        (_, value) => value,
    }
}

/// Returns the value at a field's path, in the first item of lists.
fn value_read<'r>(reads: &'r Reads, field: &Field) -> Option<&'r Value> {
    reads.get(&path_name(&field.path).replace("[]", "[0]"))
}

#[test]
fn every_declared_field_reaches_its_handler_by_every_way() {
    let registry = Registry::new(actions::all());
    let (mut faults, mut shown) = (Vec::new(), BTreeMap::new());
    for entry in registry.entries() {
        for field in schema_fields(&entry.request) {
            let mut values = Vec::new();
            for args in argument_pairs(entry, &field) {
                let ways = argument_variants(&registry, entry, &args);
                let flat = ways.first().unwrap().1.clone();
                for (way, got) in &ways {
                    *shown.entry(entry.def.name).or_insert(0) += 1;
                    if *got != flat || got.is_err() {
                        faults.push(format!("{way}: {got:?}, not {flat:?}"));
                    }
                }
                let Ok(Value::Object(args)) = flat else { continue };
                match (entry.reads)(args) {
                    Ok(reads) => values.extend(value_read(&reads, &field).cloned()),
                    Err(error) => faults.push(format!("{}: {error}", entry.def.name)),
                }
            }
            let wanted = argument_pairs(entry, &field).len();
            values.dedup();
            if values.len() != wanted {
                faults.push(format!("{} {}: read as {values:?}", entry.def.name, field.name()));
            }
        }
        assert!(shown.contains_key(entry.def.name) || entry.request["properties"].is_null());
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
