//! Descriptions of actions for readers, made from the registry in three forms.

mod markdown;
mod schemas;
mod topics;
mod typescript;
mod writing;

use serde_json::{Map, Value, json};

use crate::call::names;
use crate::call::registry::{Entry, Registry};
use crate::surface::response_outline;

pub(crate) use markdown::action_page;
pub(crate) use topics::{TOPICS, Topic, find_topic, topics_of};
pub(crate) use writing::Depth;

/// The format of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Markdown,
    TypeScript,
    Json,
}

/// Describes one action.
pub(crate) fn describe_action(entry: &Entry, form: Form, depth: Depth) -> String {
    match form {
        Form::Markdown => markdown::write_action(entry, depth),
        Form::TypeScript => typescript::write_action(entry, depth),
        Form::Json => json_of(entry, depth).to_string(),
    }
}

/// Explains a topic that is not an action.
pub(crate) fn explain_topic(topic: &Topic, form: Form, depth: Depth) -> String {
    let (name, about) = (topic.name, topic.about);
    match (form, depth) {
        (Form::Markdown, Depth::Compact) => format!("- `{name}` {about}"),
        (Form::Markdown, _) => topic.text.to_owned(),
        (Form::TypeScript, Depth::Compact) => format!("// {name}: {about}"),
        (Form::TypeScript, _) => format!("/*\n{}\n*/", topic.text.replace("*/", "* /")),
        (Form::Json, Depth::Compact) => json!({"topic": name, "description": about}).to_string(),
        (Form::Json, _) => json!({"topic": name, "description": about, "text": topic.text}).to_string(),
    }
}

/// Joins descriptions.
pub(crate) fn join_parts(parts: &[String], form: Form) -> String {
    match form {
        Form::Json => format!("[{}]", parts.join(",")),
        Form::Markdown | Form::TypeScript => parts.join("\n"),
    }
}

fn json_of(entry: &Entry, depth: Depth) -> Value {
    let def = &entry.def;
    let mut out = Map::new();
    out.insert("action".into(), def.name.into());
    out.insert("tool".into(), names::underscored_name(def.name).into());
    out.insert("description".into(), def.description.into());
    if depth == Depth::Compact {
        out.insert("needs".into(), def.needs.into());
        return Value::Object(out);
    }
    out.insert("mutating".into(), def.mutating.into());
    let full = depth == Depth::Full;
    out.insert(
        "inputSchema".into(),
        if full { Value::clone(&entry.request) } else { sdl_contract::schema::terse_schema(&entry.request) },
    );
    out.insert(
        "outputSchema".into(),
        if full { Value::clone(&entry.response) } else { response_outline(&entry.response) },
    );
    if full {
        let examples = def.examples.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
        out.insert("examples".into(), examples.collect());
        let aliases = def.aliases.iter().map(|(alias, field)| ((*alias).to_owned(), json!(field)));
        out.insert("aliases".into(), Value::Object(aliases.collect()));
    }
    Value::Object(out)
}

/// Returns a page for each action, and one that lists them: file names and texts.
pub(crate) fn manual_pages(registry: &Registry) -> Vec<(String, String)> {
    let mut out = vec![("README.md".to_owned(), markdown::action_index(registry))];
    out.extend(registry.entries().iter().map(|entry| (format!("{}.md", entry.def.name), action_page(entry))));
    out
}
