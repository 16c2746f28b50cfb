//! `manual`: describes the actions, from the registry itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, Render};
use crate::call::answers::begin_line;
use crate::call::budget;
use crate::call::context::Call;
use crate::call::registry::{Entry, Registry, RegistryAction};
use crate::surface::manual::{
    Depth, Form, TOPICS, Topic, describe_action, explain_topic, find_topic, join_parts, topics_of,
};
use crate::{Candidate, Code, Explained, ToolError};
use sdl_contract::nearest_names;

/// See [`ActionDef`].
pub(crate) struct Manual;

/// Maximum number of actions that a query finds.
const FOUND: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task, or `wire` for formats. What you want to do, in words; `wire` explains how answers are written.
    #[schemars(length(min = 1, max = 2_000))]
    query: Option<String>,
    /// Names. Of actions, such as ["slice.build"], or of pages: ["wire"].
    #[schemars(length(max = 100))]
    actions: Option<Vec<String>>,
    /// Default markdown.
    format: Option<Format>,
    /// How much to tell. `compact`: a line each; `standard`: with arguments; `full`: everything. Default
    /// `full`; `compact` if neither `query` nor `actions` is given.
    detail: Option<Detail>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Markdown,
    Typescript,
    Json,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Detail {
    Compact,
    Standard,
    Full,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The manual, in the format asked for.
    content: String,
    /// Tokens of `content`.
    tokens: usize,
    /// The actions that it describes.
    actions: Vec<String>,
    /// Pages that it contains in addition, such as `wire`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topics: Vec<String>,
    /// Words of the query that no action has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmatched: Vec<String>,
    /// Actions that did not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<String>,
    /// How to get those.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
}

impl Action for Manual {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "manual",
        namespace: Namespace::Universal,
        mutating: false,
        description: "Call this when you want the actions' arguments and answers explained",
        needs: "",
        examples: &[
            "{}",
            r#"{"actions":["slice.build"],"format":"typescript"}"#,
            r#"{"query":"what changed","detail":"standard"}"#,
            r#"{"query":"wire format"}"#,
        ],
        aliases: &[],
    };
}

impl RegistryAction for Manual {
    fn run(_: &Call<'_>, registry: &Registry, request: Request) -> Result<Response, ToolError> {
        let mut unmatched = Vec::new();
        let mut chosen: Vec<&Entry> = Vec::new();
        let mut topics: Vec<&Topic> = Vec::new();
        for (i, name) in request.actions.iter().flatten().enumerate() {
            if let Some(topic) = find_topic(name) {
                topics.push(topic);
                continue;
            }
            let entry = registry.action(name).ok_or_else(|| unknown_action(registry, i, name))?;
            if !chosen.iter().any(|held| held.def.name == entry.def.name) {
                chosen.push(entry);
            }
        }
        if let Some(query) = &request.query {
            topics.extend(topics_of(query));
            let found = registry.finder().search(query);
            unmatched = found.unmatched;
            let hits = found.hits.iter().filter_map(|(at, _)| registry.entries().get(*at));
            for entry in hits.take(FOUND) {
                if !chosen.iter().any(|held| held.def.name == entry.def.name) {
                    chosen.push(entry);
                }
            }
        }
        let all = request.query.is_none() && request.actions.as_ref().is_none_or(Vec::is_empty);
        if all {
            chosen = registry.entries().iter().collect();
            topics = TOPICS.iter().collect();
        }
        let depth = match request.detail {
            Some(Detail::Compact) => Depth::Compact,
            Some(Detail::Standard) => Depth::Standard,
            Some(Detail::Full) => Depth::Full,
            None if all => Depth::Compact,
            None => Depth::Full,
        };
        let form = match request.format.unwrap_or_default() {
            Format::Markdown => Form::Markdown,
            Format::Typescript => Form::TypeScript,
            Format::Json => Form::Json,
        };
        // If a page is asked for, the actions that match its words are only named, because the caller wants that
        // page.
        let depth = (if topics.is_empty() || all { depth } else { Depth::Compact }, depth);
        write_descriptions(&topics, &chosen, form, depth, &unmatched)
    }
}

/// Writes as many descriptions as fit. The first is shortened if it doesn't fit alone.
fn write_descriptions(
    topics: &[&Topic],
    chosen: &[&Entry],
    form: Form,
    (depth, of_topics): (Depth, Depth),
    unmatched: &[String],
) -> Result<Response, ToolError> {
    let explained: Vec<String> = topics.iter().map(|topic| explain_topic(topic, form, of_topics)).collect();
    let with = |described: &[String]| {
        let name = |entry: &&Entry| entry.def.name.to_owned();
        let more: Vec<String> = chosen.iter().skip(described.len()).map(name).collect();
        let content = join_parts(&[&explained, described].concat(), form);
        Response {
            tokens: budget::text_tokens(&content),
            actions: chosen.iter().take(described.len()).map(name).collect(),
            topics: topics.iter().map(|topic| topic.name.to_owned()).collect(),
            how_to_resume: (!more.is_empty()).then(|| "ask for those in `more` by `actions`".to_owned()),
            content,
            unmatched: unmatched.to_vec(),
            more,
        }
    };
    let most = budget::DEFAULT_TOKENS - budget::NOTES_TOKENS;
    let described: Vec<String> = chosen.iter().map(|entry| describe_action(entry, form, depth)).collect();
    let first = |count: usize| described.get(..count).unwrap_or_default();
    let count = budget::largest_prefix(chosen.len(), most, |count| Ok(with(first(count))))?.unwrap_or(0);
    if let (0, [], Some(alone)) = (count, topics, chosen.first()) {
        for lesser in [Depth::Standard, Depth::Compact].into_iter().filter(|lesser| *lesser < depth) {
            let response = with(&[describe_action(alone, form, lesser)]);
            if budget::json_tokens(&response)? <= most {
                return Ok(response);
            }
        }
    }
    Ok(with(first(count)))
}

fn unknown_action(registry: &Registry, at: usize, name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    let near = nearest_names(name, registry.entries().iter().map(|entry| entry.def.name), 3);
    let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    ToolError::new(Code::UnknownAction, format!("no action is called {shown:?}{hint}"))
        .at(format!("actions[{at}]"))
        .or_one_of(near.into_iter().map(|name| Candidate::of("actions", name)))
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = self.content.clone();
        if !self.unmatched.is_empty() {
            text.push('\n');
            begin_line(&mut text, format_args!("no action has: {}", self.unmatched.join(", ")));
        }
        if !self.more.is_empty() {
            text.push('\n');
            begin_line(&mut text, format_args!("more: {}", self.more.join(", ")));
        }
        text
    }
}
