//! `action.search`: finds actions by words.

use std::time::Duration;

use schemars::JsonSchema;
use sdl_ledger::{Clock as _, SystemClock};
use sdl_proto::gate::UpstreamState;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::call::action::{Action, ActionDef, Namespace, Render};
use crate::call::answers::{Object, append_block, append_text, begin_line, serialize_object};
use crate::call::budget;
use crate::call::context::Call;
use crate::call::names;
use crate::call::pipeline::RELAY;
use crate::call::registry::{Entry, Registry, RegistryAction};
use crate::call::upstream::{Definition, Listed, View, are_unread};
use crate::host::{Upstreams, read_lists_of};
use crate::parts::all_tools::{AllTools, Among, AnyTool};
use crate::parts::unread::{LastError, Unread, unread_line};
use crate::surface::response_outline;
use crate::{Candidate, Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct ActionSearch;

/// Default number of results.
const LIMIT: u32 = 4;
/// Maximum number of further names: if there are results, and if no word fits. Who finds nothing among these asks in other
/// words.
const MOST_MORE: usize = 12;
const MOST_NAMES: usize = 60;
/// Tokens of a definition above which it is outlined among others.
const LARGE: usize = 1_500;
/// Tokens that the definitions may have together for each result that is asked for. Those that have no room are outlined, the
/// first apart.
const EACH: usize = 500;
/// Tokens of an upstream's advice that are passed on.
const INSTRUCTION_TOKENS: usize = 400;
/// How long a search waits for lists that may be out of date, and how long if fresh ones are asked for.
const PATIENCE: Duration = Duration::from_millis(500);
const FRESH_PATIENCE: Duration = Duration::from_secs(20);
/// Maximum number of upstreams that one search has read.
const MOST_READ: usize = 32;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task or name. What you want to do, in words, or the name of an action.
    #[schemars(length(min = 1, max = 2_000))]
    query: String,
    /// Default 4. Tools to return.
    #[schemars(range(min = 1, max = 40))]
    limit: Option<u32>,
    /// Default all. Whose tools are searched: ours (`own`), those of upstream servers, or both.
    scope: Option<Scope>,
    /// Only this upstream's. Its key.
    #[schemars(length(min = 1, max = 64))]
    upstream: Option<String>,
    /// Default full. How much of each tool is given; `brief` leaves schemas out.
    detail: Option<Detail>,
    /// Read the lists of upstreams again first, which starts those that don't run. Default: only lists that may be out of date.
    fresh: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum Scope {
    All,
    Own,
    Upstream,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum Detail {
    Names,
    Brief,
    Full,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The tools that match, best first.
    results: Vec<Found>,
    /// How many tools match.
    total: usize,
    /// Words of the query that no tool has.
    unmatched: Vec<String>,
    /// Names of further tools that match, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<String>,
    /// Upstreams whose tools could not be searched, because they are not known yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
    /// What upstreams say about their use, by key: once for each client.
    #[serde(skip_serializing_if = "Map::is_empty")]
    instructions: Object,
    /// A call that reaches the first result where its name alone is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_with: Option<Object>,
    /// Whether fewer results than asked for are given, to stay within the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// What to call for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
}

/// One tool, ready to be called.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// The action's name, such as `slice.build`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// The tool to call.
    tool: String,
    /// The upstream whose tool it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<String>,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The same tool with all arguments in one string, `payload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_tool: Option<String>,
    /// Its gateway: `query`, `code`, `repo`, `agent` or `universal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// Whether a call changes anything. Of an upstream's tool this is a hint.
    mutating: bool,
    /// How well it matches; higher is better.
    score: f64,
    /// When to call it, or what it does in its server's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Object>,
    /// True if `inputSchema` has only names, types and values, to leave room for others. A search for the name with `limit` 1 has
    /// all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    outlined: bool,
    /// JSON Schema of its answer, top level only, if it is the only result. `manual` has it in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Object>,
    /// What its server says of its effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Object>,
    /// `ready`, `stopped` (the next call starts it), `failing` and so on: the state of its upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// True if the list that it is from may be out of date.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<bool>,
    /// Milliseconds since that list was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_ms: Option<u64>,
    /// Why that list could not be read lately, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<LastError>,
    /// Present if its definition is not the one that was first seen or approved by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<Changed>,
    /// Why its definition is suspicious: `hiddenCharacters` (left out here), `instructions` (text that tells a model what to
    /// do with other tools or secrets), `otherTools` (names of another server's tools), `ourName`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flags: Vec<&'static str>,
    /// Arguments that work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Object>,
}

/// How a definition differs from the known one.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Changed {
    /// Its fields that differ.
    fields: Vec<String>,
    /// When the new definition came, in Unix milliseconds.
    since_ms: u64,
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
    fn run(cx: &Call<'_>, registry: &Registry, request: Request) -> Result<Response, ToolError> {
        let mut view = cx.view();
        if view.is_empty() {
            refuse_upstream_fields(&request)?;
        } else {
            refresh_lists(cx, &view, &request)?;
            view = cx.view();
        }
        let tools = AllTools::new(cx, registry, &view);
        let among = among(&view, &request)?;
        let limit = request.limit.unwrap_or(LIMIT) as usize;
        let builds_index = view.finder.get().is_none();
        let found = tools.search(&request.query, among, limit);
        if builds_index {
            cx.host.memory_freed();
        }
        let wanted = found.hits.len().min(limit);
        let detail = request.detail.unwrap_or(Detail::Full);
        let states = cx.host.upstreams().map(Upstreams::states).unwrap_or_default();
        let shown = Shown { detail, is_only: wanted == 1, states: &states, now_ms: SystemClock.unix_ms() };
        let results = found.hits.iter().take(wanted).map(|(tool, score)| shown.result(*tool, *score));
        let mut results = results.collect::<Result<Vec<_>, _>>()?;
        let is_outlined = !shown.is_only && outline_rest(&mut results, EACH * limit)?;
        let instructions = instructions_of(cx, &found.hits[..wanted]);
        let unread = Unread::among(&view, among, (&states, shown.now_ms));
        let first = found.hits.first().map(|(tool, _)| *tool);
        let most_more = if found.hits.is_empty() { MOST_NAMES } else { MOST_MORE };
        let with = |count: usize| {
            let rest: Vec<AnyTool<'_>> = if found.hits.is_empty() {
                tools.iter().filter(|tool| matches!(tool, AnyTool::Action(_))).collect()
            } else {
                found.hits.iter().skip(count).map(|(tool, _)| *tool).collect()
            };
            let how_to_resume = match (found.hits.is_empty(), rest.is_empty()) {
                (true, _) => {
                    Some("no word fits; `more` has the names of all actions: search for one of them")
                }
                (false, _) if is_outlined => Some(
                    "`outlined` leaves descriptions of arguments out: search for the tool's name, limit 1",
                ),
                (false, false) => Some("search for a name in `more`, or with a larger limit"),
                (false, true) => None,
            };
            Response {
                results: results.iter().take(count).cloned().collect(),
                total: found.hits.len(),
                unmatched: found.unmatched.clone(),
                more: rest.iter().take(most_more).map(more_name).collect(),
                unread: unread.clone(),
                instructions: instructions.clone(),
                call_with: first.and_then(call_with),
                truncated: count < wanted,
                how_to_resume: how_to_resume.map(str::to_owned),
            }
        };
        let most = budget::DEFAULT_TOKENS - budget::NOTES_TOKENS;
        let count = budget::largest_prefix(wanted, most, |count| Ok(with(count)))?.unwrap_or(0);
        if !view.is_empty() {
            let of_upstreams = results.iter().take(count).filter(|found| found.upstream.is_some());
            let tokens = of_upstreams.map(|found| budget::json_tokens(found).unwrap_or(0)).sum();
            cx.serves(|served| served.found_tokens = Some(tokens));
        }
        Ok(with(count))
    }
}

/// Without upstreams there is nothing that these fields could mean.
fn refuse_upstream_fields(request: &Request) -> Result<(), ToolError> {
    let given = [
        ("scope", request.scope.is_some_and(|scope| scope != Scope::Own)),
        ("upstream", request.upstream.is_some()),
        ("fresh", request.fresh.is_some()),
    ];
    let Some((field, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let message =
        "no upstream server is configured; a person can add one with: sdlctl upstream add, or leave this out";
    Err(ToolError::new(Code::ModuleOff, message).at(field))
}

/// Which tools the request is about.
fn among<'a>(view: &View, request: &'a Request) -> Result<Among<'a>, ToolError> {
    match (&request.upstream, request.scope) {
        (Some(key), _) => {
            let folded = sdl_settings::fold_key(key);
            let keys: Vec<&str> = view.upstreams.iter().map(|upstream| &*upstream.key).collect();
            if keys.iter().any(|key| sdl_settings::fold_key(key) == folded) {
                return Ok(Among::Upstream(key));
            }
            let shown: String = key.chars().take(80).collect();
            let message = format!("no upstream has the key {shown:?}; there are {}", keys.join(", "));
            let candidates = keys.into_iter().map(|key| Candidate::of("upstream", key));
            Err(ToolError::invalid("upstream", message).or_one_of(candidates))
        }
        (None, Some(Scope::Own)) => Ok(Among::Actions),
        (None, Some(Scope::Upstream)) => Ok(Among::Upstreams),
        (None, Some(Scope::All) | None) => Ok(Among::All),
    }
}

/// Has lists that were never read or may be out of date read, as long as that takes little time. Known ones of upstreams that
/// don't run are read only on request.
fn refresh_lists(cx: &Call<'_>, view: &View, request: &Request) -> Result<(), ToolError> {
    let Some(upstreams) = cx.host.upstreams() else { return Ok(()) };
    let (states, now) = (upstreams.states(), SystemClock.unix_ms());
    let runs = |key: &str| states.iter().any(|state| state.key == key && state.state == "ready");
    let wanted = |upstream: &Listed| {
        let age = now.saturating_sub(upstream.confirmed_at_ms());
        let is_old = upstream.may_be_stale() && age > upstream.entry.own.refresh_seconds * 1_000;
        request.fresh == Some(true) || !upstream.is_known() || is_old && runs(&upstream.key)
    };
    let lists = view.upstreams.iter().map(|one| (one, cx.lists_of(one)));
    // To clients that can be asked an upstream may list more, which has to be read once.
    let (mut old, mut is_first) = (Vec::new(), false);
    for (one, of) in lists {
        let new = are_unread(&of, one);
        if (new || wanted(one)) && old.len() < MOST_READ {
            is_first |= new;
            old.push(of);
        }
    }
    if old.is_empty() || request.scope == Some(Scope::Own) {
        return Ok(());
    }
    let patience = if request.fresh == Some(true) || is_first { FRESH_PATIENCE } else { PATIENCE };
    cx.cancel.give_turn_back();
    read_lists_of(upstreams, &old, patience, cx.cancel);
    cx.check()
}

/// The advice of the upstreams among the results that this client has not got yet.
fn instructions_of(cx: &Call<'_>, hits: &[(AnyTool<'_>, f64)]) -> Object {
    let mut found = Object::new();
    for (tool, _) in hits {
        let AnyTool::Upstream(upstream, _) = tool else { continue };
        let Some(text) = upstream.instructions() else { continue };
        if cx.upstream.introduce(cx.session.id, &upstream.key) {
            let (text, _) = sdl_tokens::prefix_within(&text, INSTRUCTION_TOKENS);
            found.insert(upstream.key.to_string(), plain_text(text).into());
        }
    }
    found
}

/// The name of a tool in `more`.
fn more_name(tool: &AnyTool<'_>) -> String {
    match tool {
        AnyTool::Action(entry) => entry.def.name.to_owned(),
        AnyTool::Upstream(..) => tool.name(),
    }
}

/// A call of the first result for clients that refuse its name.
fn call_with(tool: AnyTool<'_>) -> Option<Object> {
    let AnyTool::Upstream(_, definition) = tool else { return None };
    let required = definition.input_schema().get("required").and_then(Value::as_array);
    let args: Object = required
        .into_iter()
        .flatten()
        .filter_map(|name| Some((name.as_str()?.to_owned(), Value::from("…"))))
        .collect();
    let call = json!({"tool": Call::tool(RELAY), "args": {"tool": definition.advertised, "args": args}});
    call.as_object().cloned()
}

/// How results are shown.
struct Shown<'a> {
    detail: Detail,
    /// Whether there is one result alone, which is given whole.
    is_only: bool,
    states: &'a [UpstreamState],
    now_ms: u64,
}

impl Shown<'_> {
    fn result(&self, tool: AnyTool<'_>, score: f64) -> Result<Found, ToolError> {
        let score = (score * 1_000.0).round() / 1_000.0;
        let mut found = match tool {
            AnyTool::Action(entry) => action_result(entry, score, self.is_only)?,
            AnyTool::Upstream(upstream, tool) => self.upstream_result(upstream, tool, score),
        };
        if self.detail != Detail::Full {
            (found.input_schema, found.output_schema) = (None, None);
            found.description = found.description.map(|text| first_paragraph(&text).to_owned());
            found.examples.clear();
        }
        if self.detail == Detail::Names {
            (found.description, found.annotations) = (None, None);
        }
        Ok(found)
    }

    fn upstream_result(&self, upstream: &Listed, tool: &Definition, score: f64) -> Found {
        let reported = self.states.iter().find(|state| state.key == *upstream.key);
        let state = reported.map_or("stopped", |state| state.state.as_str());
        let age = self.now_ms.saturating_sub(upstream.confirmed_at_ms());
        let is_old = upstream.may_be_stale() && age > upstream.entry.own.refresh_seconds * 1_000;
        let is_failed = upstream.is_unread() || matches!(state, "failing" | "needsLogin" | "misconfigured");
        let is_stale = is_old || is_failed;
        let object = |part: &str| tool.object.get(part).and_then(Value::as_object).cloned();
        Found {
            tool: tool.advertised.clone(),
            upstream: Some(upstream.key.to_string()),
            title: tool.title().map(plain_text),
            mutating: tool.hints.read_only != Some(true),
            score,
            description: Some(plain_text(tool.description())),
            input_schema: object("inputSchema").map(sdl_contract::schema::without_echoes),
            annotations: hints_of(tool),
            state: Some(state.to_owned()),
            stale: is_stale.then_some(true),
            age_ms: is_stale.then_some(age),
            last_error: reported.filter(|_| is_failed).and_then(|state| LastError::of(state, self.now_ms)),
            changed: tool
                .change
                .as_ref()
                .map(|change| Changed { fields: change.fields.clone(), since_ms: change.since_ms }),
            flags: tool.flag_names(),
            ..Found::default()
        }
    }
}

/// What a server says of a tool's effects, without the title, which is given beside it.
fn hints_of(tool: &Definition) -> Option<Object> {
    let mut hints = tool.object.get("annotations").and_then(Value::as_object).cloned()?;
    if hints.get("title").and_then(Value::as_str) == tool.title() {
        hints.shift_remove("title");
    }
    (!hints.is_empty()).then_some(hints)
}

/// Outlines the definitions that are huge, and those after the first that have no room among `tokens`. Returns whether any was.
fn outline_rest(results: &mut [Found], tokens: usize) -> Result<bool, ToolError> {
    let mut used = 0;
    for (at, found) in results.iter_mut().enumerate().filter(|(_, found)| found.input_schema.is_some()) {
        let takes = budget::json_tokens(&*found)?;
        if takes > LARGE || (at > 0 && used + takes > tokens) {
            found.input_schema = found.input_schema.take().map(outline_schema);
            found.examples.truncate(1);
            found.outlined = true;
            used += budget::json_tokens(&*found)?;
        } else {
            used += takes;
        }
    }
    Ok(results.iter().any(|found| found.outlined))
}

/// Names, types and listed values of the arguments alone.
fn outline_schema(schema: Object) -> Object {
    let mut outlined = Object::new();
    outlined.insert("type".into(), "object".into());
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let properties: Object = properties
        .map(|(name, property)| {
            let kept = ["type", "enum"].into_iter();
            let kept: Object =
                kept.filter_map(|key| Some((key.to_owned(), property.get(key)?.clone()))).collect();
            (name.clone(), kept.into())
        })
        .collect();
    outlined.insert("properties".into(), properties.into());
    if let Some(required) = schema.get("required") {
        outlined.insert("required".into(), required.clone());
    }
    outlined
}

/// The text up to its first line end: what a server says first.
fn first_paragraph(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default().trim_end()
}

/// The text without white space at its ends.
fn plain_text(text: &str) -> String {
    text.trim().to_owned()
}

fn action_result(entry: &Entry, score: f64, is_only: bool) -> Result<Found, ToolError> {
    let def = &entry.def;
    let tool = names::underscored_name(def.name);
    // Needed to read an answer rather than to choose and call a tool.
    let output_schema = is_only.then(|| serialize_object(&response_outline(&entry.response))).transpose()?;
    Ok(Found {
        action: Some(def.name.to_owned()),
        raw_tool: def.mutating.then(|| format!("{tool}{}", names::RAW)),
        tool,
        namespace: Some(entry.namespace.name().to_owned()),
        mutating: def.mutating,
        score,
        description: Some(def.description.to_owned()),
        input_schema: Some(serialize_object(&*entry.request)?),
        output_schema,
        examples: def.examples.iter().filter_map(|text| serde_json::from_str(text).ok()).collect(),
        ..Found::default()
    })
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!("{} of {} tools", self.results.len(), self.total);
        for found in &self.results {
            text.push('\n');
            let description = found.description.as_deref().map(first_paragraph).unwrap_or_default();
            begin_line(&mut text, format_args!("{} {description}", found.tool));
            if let Some(upstream) = &found.upstream {
                let state = found.state.as_deref().unwrap_or_default();
                let stale = if found.stale == Some(true) { ", list may be out of date" } else { "" };
                begin_line(&mut text, format_args!("  of {upstream}: {state}{stale}"));
                if let Some(LastError { message, age_ms }) = &found.last_error {
                    begin_line(&mut text, format_args!("  {} s ago: {message}", age_ms / 1_000));
                }
            }
            if let Some(changed) = &found.changed {
                begin_line(&mut text, format_args!("  changed, not approved: {}", changed.fields.join(", ")));
            }
            if !found.flags.is_empty() {
                begin_line(&mut text, format_args!("  flagged: {}", found.flags.join(", ")));
            }
            if let Some(schema) = &found.input_schema {
                append_arguments(&mut text, schema);
            }
            if found.outlined {
                begin_line(&mut text, format_args!("  outlined"));
            }
            if let Some(example) = found.examples.first() {
                begin_line(&mut text, format_args!("  e.g. {}", Value::Object(example.clone())));
            }
        }
        for (key, instructions) in &self.instructions {
            text.push('\n');
            begin_line(&mut text, format_args!("{key} says about its use:"));
            append_block(&mut text, instructions.as_str().unwrap_or_default());
        }
        if !self.unmatched.is_empty() {
            text.push('\n');
            begin_line(&mut text, format_args!("no tool has: {}", self.unmatched.join(", ")));
        }
        if !self.more.is_empty() {
            text.push('\n');
            begin_line(&mut text, format_args!("more: {}", self.more.join(", ")));
        }
        if !self.unread.is_empty() {
            begin_line(&mut text, format_args!("{}", unread_line(&self.unread)));
        }
        if let Some(how) = &self.how_to_resume {
            begin_line(&mut text, format_args!("{how}"));
        }
        text
    }
}

fn append_arguments(text: &mut String, schema: &Object) {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let must = required.is_some_and(|all| all.iter().any(|one| one == name));
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
        begin_line(text, format_args!("  {name}{}: {kind}", if must { "!" } else { "" }));
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            append_text(text, format_args!(" {}", choices.join("|")));
        }
    }
}
