//! Completions: ids of repositories and names of symbols.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::errors::ProtocolError;
use super::request::Request;

/// Maximum number of that the protocol lets one answer have.
const MOST: usize = 100;

#[derive(Deserialize)]
pub(super) struct Complete {
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

pub(super) fn run_complete(request: &Request<'_>, asked: &Complete) -> Result<Value, ProtocolError> {
    let begun = asked.argument.value.as_str();
    let mut found: Vec<String> = match asked.argument.name.as_str() {
        "repoId" => {
            let repos = request.services.host.repos();
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
    Ok(json!({"completion": {"values": found, "total": total, "hasMore": total > MOST}}))
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
