//! `action.search`: finds actions by words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, Render};
use crate::call::answers::{Object, append_text, begin_line, serialize_object};
use crate::call::budget;
use crate::call::context::Call;
use crate::call::names;
use crate::call::registry::{Entry, Registry, RegistryAction};
use crate::surface::response_outline;

/// See [`ActionDef`].
pub(crate) struct ActionSearch;

/// Default number of results.
const LIMIT: u32 = 4;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task or name. What you want to do, in words, or the name of an action.
    #[schemars(length(min = 1, max = 2_000))]
    query: String,
    /// Default 4. Actions to return.
    #[schemars(range(min = 1, max = 40))]
    limit: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The actions that match, best first.
    results: Vec<Found>,
    /// How many actions match.
    total: usize,
    /// Words of the query that no action has.
    unmatched: Vec<String>,
    /// Names of further actions that match, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<String>,
    /// Whether fewer results than asked for are given, to stay within the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// What to call for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
}

/// One action, ready to be called.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// The action's name, such as `slice.build`.
    action: String,
    /// The tool to call.
    tool: String,
    /// The same tool with all arguments in one string, `payload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_tool: Option<String>,
    /// Its gateway: `query`, `code`, `repo`, `agent` or `universal`.
    namespace: String,
    /// Whether a call changes anything.
    mutating: bool,
    /// How well it matches; higher is better.
    score: f64,
    /// When to call it.
    description: String,
    /// JSON Schema of its arguments.
    input_schema: Object,
    /// JSON Schema of its answer, top level only. `manual` has it in full.
    output_schema: Object,
    /// Arguments that work.
    examples: Vec<Object>,
}

impl Action for ActionSearch {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "action.search",
        namespace: Namespace::Universal,
        mutating: false,
        description: "Call this when you need a tool, or its full schema: finds actions by words or name",
        needs: "query",
        examples: &[r#"{"query":"what changed since a version"}"#, r#"{"query":"slice.refresh","limit":1}"#],
        aliases: &[],
    };
}

impl RegistryAction for ActionSearch {
    fn run(_: &Call<'_>, registry: &Registry, request: Request) -> Result<Response, ToolError> {
        let found = registry.finder().search(&request.query);
        let entries: Vec<(&Entry, f64)> = found
            .hits
            .iter()
            .filter_map(|(at, score)| Some((registry.entries().get(*at)?, *score)))
            .collect();
        let wanted = entries.len().min(request.limit.unwrap_or(LIMIT) as usize);
        let results = entries.iter().take(wanted).map(|(entry, score)| search_result(entry, *score));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let with = |count: usize| {
            let rest = if entries.is_empty() {
                registry.entries().iter().collect()
            } else {
                entries.iter().skip(count).map(|(entry, _)| *entry).collect::<Vec<_>>()
            };
            let how_to_resume = match (entries.is_empty(), rest.is_empty()) {
                (true, _) => {
                    Some("no word fits; `more` has the names of all actions: search for one of them")
                }
                (false, false) => Some("search for a name in `more`, or with a larger limit"),
                (false, true) => None,
            };
            Response {
                results: results.iter().take(count).cloned().collect(),
                total: entries.len(),
                unmatched: found.unmatched.clone(),
                more: rest.iter().map(|entry| entry.def.name.to_owned()).collect(),
                truncated: count < wanted,
                how_to_resume: how_to_resume.map(str::to_owned),
            }
        };
        let most = budget::DEFAULT_TOKENS - budget::NOTES_TOKENS;
        let count = budget::largest_prefix(wanted, most, |count| Ok(with(count)))?;
        Ok(with(count.unwrap_or(0)))
    }
}

fn search_result(entry: &Entry, score: f64) -> Result<Found, ToolError> {
    let def = &entry.def;
    let tool = names::underscored_name(def.name);
    let examples = def.examples.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
    Ok(Found {
        action: def.name.to_owned(),
        raw_tool: def.mutating.then(|| format!("{tool}{}", names::RAW)),
        tool,
        namespace: def.namespace.name().to_owned(),
        mutating: def.mutating,
        score: (score * 1_000.0).round() / 1_000.0,
        description: def.description.to_owned(),
        input_schema: serialize_object(&entry.request)?,
        output_schema: serialize_object(&response_outline(&entry.response))?,
        examples,
    })
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} of {} actions", self.results.len(), self.total);
        for found in &self.results {
            text.push('\n');
            begin_line(&mut text, format_args!("{} {}", found.tool, found.description));
            let required = found.input_schema.get("required").and_then(Value::as_array);
            let properties = found.input_schema.get("properties").and_then(Value::as_object);
            for (name, schema) in properties.into_iter().flatten() {
                let must = required.is_some_and(|all| all.iter().any(|one| one == name));
                let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
                begin_line(&mut text, format_args!("  {name}{}: {kind}", if must { "!" } else { "" }));
                if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
                    let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
                    append_text(&mut text, format_args!(" {}", choices.join("|")));
                }
            }
            if let Some(example) = found.examples.first() {
                begin_line(&mut text, format_args!("  e.g. {}", Value::Object(example.clone())));
            }
        }
        if !self.unmatched.is_empty() {
            text.push('\n');
            begin_line(&mut text, format_args!("no action has: {}", self.unmatched.join(", ")));
        }
        if !self.more.is_empty() {
            text.push('\n');
            begin_line(&mut text, format_args!("more: {}", self.more.join(", ")));
        }
        if let Some(how) = &self.how_to_resume {
            begin_line(&mut text, format_args!("{how}"));
        }
        text
    }
}
