//! Completions: ids of repositories and names of symbols, and whatever upstreams complete.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::errors::ProtocolError;
use super::params::read_params;
use super::prompts::{find_prompt, is_own_prompt};
use super::request::{Request, outgoing_params};
use super::resources::find_resource;
use crate::call::pipeline::{Asked, Subject};
use crate::call::upstream::{Offers, Prompt, Shelf};

/// Maximum number of that the protocol lets one answer have.
const MOST: usize = 100;

#[derive(Deserialize)]
struct Complete {
    #[serde(default, rename = "ref")]
    reference: Value,
    argument: Argument,
    #[serde(default)]
    context: Context,
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

#[derive(Default, Deserialize)]
struct Context {
    #[serde(default)]
    arguments: Map<String, Value>,
}

pub(super) fn run_complete(request: &Request<'_>, params: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let asked: Complete = read_params(params)?;
    match find_reference(request, &asked.reference)? {
        Some(found) => forward_complete(request, params, asked, &found),
        None => Ok(complete_own(request, &asked).to_string().into_bytes()),
    }
}

/// What completions are asked for, if it is an upstream's.
enum Found {
    Prompt(Prompt),
    Resource(Arc<str>, String),
}

fn find_reference(
    request: &Request<'_>,
    reference: &Value,
) -> Result<Option<(Arc<Offers>, Found)>, ProtocolError> {
    let part = |name: &str| reference.get(name).and_then(Value::as_str);
    let offers = request.offers();
    if offers.is_empty() {
        return Ok(None);
    }
    match (part("type"), part("name"), part("uri")) {
        (Some("ref/prompt"), Some(name), _) if !is_own_prompt(name) => {
            let found = find_prompt(request, name, false)?;
            Ok(found.map(|(offers, prompt)| (offers, Found::Prompt(prompt))))
        }
        (Some("ref/resource"), _, Some(uri)) => {
            let found = find_resource(request, &offers, uri, Shelf::reference)?;
            Ok(found.map(|(key, uri)| (offers, Found::Resource(key, uri))))
        }
        _ => Ok(None),
    }
}

fn forward_complete(
    request: &Request<'_>,
    params: &[u8],
    asked: Complete,
    (offers, found): &(Arc<Offers>, Found),
) -> Result<Vec<u8>, ProtocolError> {
    let (key, member, own, subject) = match found {
        Found::Prompt(prompt) => (&prompt.key, "name", &prompt.name, Subject::Prompt(prompt)),
        Found::Resource(key, uri) => (key, "uri", uri, Subject::Resource(uri)),
    };
    if offers.upstream(key).is_none_or(|upstream| !upstream.has_capability("completions")) {
        return Ok(completion(&[], 0).to_string().into_bytes());
    }
    let mut params = outgoing_params(params, &["ref", "argument", "context"])?;
    if let Some(Value::Object(reference)) = params.get_mut("ref") {
        reference.insert(member.to_owned(), own.as_str().into());
    }
    let mut args = asked.context.arguments;
    args.insert(asked.argument.name, asked.argument.value.into());
    request.forward(offers, &Asked { key, method: "completion/complete", subject, args, params })
}

fn complete_own(request: &Request<'_>, asked: &Complete) -> Value {
    let begun = asked.argument.value.as_str();
    let mut found: Vec<String> = match asked.argument.name.as_str() {
        "repoId" => {
            let repos = request.repos();
            repos.iter().map(|repo| repo.id().to_owned()).filter(|id| id.starts_with(begun)).collect()
        }
        "symbol" | "symbolId" if !begun.trim().is_empty() => {
            complete_symbols(request, begun, asked.context.arguments.get("repoId"))
        }
        // Nothing is known of other arguments.
        _ => Vec::new(),
    };
    let total = found.len();
    found.truncate(MOST);
    completion(&found, total)
}

fn completion(values: &[String], total: usize) -> Value {
    json!({"completion": {"values": values, "total": total, "hasMore": total > values.len()}})
}

/// Returns the names of symbols with this prefix, best first. If a search is not possible, returns no names instead of
/// an error.
fn complete_symbols(request: &Request<'_>, begun: &str, repo: Option<&Value>) -> Vec<String> {
    let begun: String = begun.chars().take(200).collect();
    let mut args = json!({"query": begun, "limit": 300, "sync": "none"});
    if let (Some(repo), Some(args)) = (repo, args.as_object_mut()) {
        args.insert("repoId".into(), repo.clone());
    }
    let Ok(answer) = request.call("symbol.search", &args) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    let lower = begun.to_lowercase();
    for hit in answer.get("results").and_then(Value::as_array).into_iter().flatten() {
        for key in ["name", "qualifiedName"] {
            let Some(name) = hit.get(key).and_then(Value::as_str) else { continue };
            if name.to_lowercase().starts_with(&lower) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
                break;
            }
        }
    }
    names
}
