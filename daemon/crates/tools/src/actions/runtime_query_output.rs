//! `runtime.queryOutput`: searches the output of a command.

use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::action::{Action, ActionDef, HostAction, Namespace, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::context::Call;
use crate::call::upstream::artifact_owner;
use crate::stored::artifacts;
use crate::{Code, Explained, ToolError};
use sdl_runtime::{Artifact, Stream, Wanted};

/// See [`ActionDef`].
pub(crate) struct RuntimeQueryOutput;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// From `runtime.execute`.
    #[schemars(length(min = 1, max = 100))]
    artifact_handle: String,
    /// Not needed. If given, it must be the handle's repository.
    repo_id: Option<String>,
    /// Any of these, any case. Lines with one of these words.
    #[serde(default)]
    #[schemars(length(max = 50))]
    query_terms: Vec<String>,
    /// Lines that match.
    #[schemars(length(max = 1_000))]
    regex: Option<String>,
    /// Only these.
    lines: Option<Lines>,
    /// Default: both.
    stream: Option<StreamParam>,
}

/// Which output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum StreamParam {
    /// What it answered.
    Stdout,
    /// What it complained about.
    Stderr,
}

impl StreamParam {
    fn of(stream: Stream) -> Self {
        match stream {
            Stream::Stdout => Self::Stdout,
            Stream::Stderr => Self::Stderr,
        }
    }

    fn stream(self) -> Stream {
        match self {
            Self::Stdout => Stream::Stdout,
            Self::Stderr => Stream::Stderr,
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Lines {
    /// From 1. First line.
    #[schemars(range(min = 1))]
    from: Option<u64>,
    /// Last line.
    #[schemars(range(min = 1))]
    to: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The lines, with two lines of context.
    excerpts: Vec<Part>,
    /// True if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Part {
    /// `stdout` or `stderr`.
    #[schemars(with = "String")]
    stream: StreamParam,
    /// First line.
    from: u64,
    /// Last line.
    to: u64,
    /// The text.
    text: String,
}

impl Action for RuntimeQueryOutput {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "runtime.queryOutput",
        namespace: Namespace::Agent,
        mutating: false,
        description: "Call this when a command's digest leaves out the lines that you need",
        needs: "artifactHandle",
        examples: &[
            r#"{"artifactHandle":"art_0123456789abc","queryTerms":["error","panicked"]}"#,
            r#"{"artifactHandle":"art_0123456789abc","lines":{"from":100,"to":180},"stream":"stdout"}"#,
        ],
        aliases: &[],
    };
}

/// Maximum number of characters of a line that are shown.
const WIDTH: usize = 1_000;

impl HostAction for RuntimeQueryOutput {
    fn run(cx: &Call<'_>, request: Request) -> Result<Response, ToolError> {
        let artifact = find_artifact(cx, &request)?;
        let bad = |e: regex::Error| ToolError::invalid("regex", format!("not a regular expression: {e}"));
        let build = |pattern: &String| RegexBuilder::new(pattern).size_limit(1 << 20).build().map_err(bad);
        let regex = request.regex.as_ref().map(build).transpose()?;
        let terms: Vec<String> = request.query_terms.iter().map(|term| term.to_lowercase()).collect();
        if terms.iter().any(String::is_empty) {
            return Err(ToolError::invalid("queryTerms", "a term has at least one character"));
        }
        let finds = |text: &str| {
            regex.as_ref().is_some_and(|regex| regex.is_match(text))
                || !terms.is_empty() && {
                    let text = text.to_lowercase();
                    terms.iter().any(|term| text.contains(term))
                }
        };
        let from = request.lines.and_then(|lines| lines.from).unwrap_or(1);
        let to = request.lines.and_then(|lines| lines.to).unwrap_or(u64::MAX);
        if from > to {
            return Err(ToolError::invalid("lines.to", "lines.to must not be below lines.from"));
        }
        let every = regex.is_none() && terms.is_empty();
        let wanted = Wanted {
            stream: request.stream.map(StreamParam::stream),
            lines: (from, to),
            finds: (!every).then_some(&finds as &dyn Fn(&str) -> bool),
        };
        cx.check()?;
        within_budget(&artifact, &wanted)
    }
}

/// Returns as many of the lines as an answer holds.
fn within_budget(artifact: &Artifact, wanted: &Wanted<'_>) -> Result<Response, ToolError> {
    let lines = found_lines(artifact, wanted);
    let with = |count: usize| Response::of(&lines, count, wanted);
    let most = budget::DEFAULT_TOKENS - budget::NOTES_TOKENS;
    let count = budget::largest_prefix(lines.len(), most, |count| Ok(with(count)))?;
    Ok(with(count.unwrap_or(0)))
}

/// A line of the output.
struct Line {
    stream: Stream,
    number: u64,
    text: String,
    /// Whether an excerpt begins here.
    begins: bool,
}

/// Returns the lines of all excerpts, each cut to its width.
fn found_lines(artifact: &Artifact, wanted: &Wanted<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    for excerpt in artifact.excerpts(wanted) {
        for (number, text) in (excerpt.from..).zip(excerpt.text.split('\n')) {
            let text = text.chars().take(WIDTH).collect();
            lines.push(Line { stream: excerpt.stream, number, text, begins: number == excerpt.from });
        }
    }
    lines
}

impl Response {
    /// The answer with the first `count` of the lines.
    fn of(lines: &[Line], count: usize, wanted: &Wanted<'_>) -> Self {
        let mut excerpts: Vec<Part> = Vec::new();
        for line in lines.iter().take(count) {
            match excerpts.last_mut().filter(|_| !line.begins) {
                Some(part) => {
                    part.text.push('\n');
                    part.text.push_str(&line.text);
                    part.to = line.number;
                }
                None => excerpts.push(Part {
                    stream: StreamParam::of(line.stream),
                    from: line.number,
                    to: line.number,
                    text: line.text.clone(),
                }),
            }
        }
        let next = lines.get(count);
        let how_to_resume = next.map(|next| {
            let then = match next.stream {
                Stream::Stdout if wanted.stream.is_none() => ", then stream: stderr",
                _ => "",
            };
            let (name, number) = (next.stream.name(), next.number);
            format!("the same call with stream: {name} and lines.from: {number}{then}")
        });
        Self { excerpts, truncated: next.map(|_| true), how_to_resume }
    }
}

/// Returns the output that the handle names, in whichever repository it is.
fn find_artifact(cx: &Call<'_>, request: &Request) -> Result<Artifact, ToolError> {
    let handle = request.artifact_handle.as_str();
    for repo in cx.host.repos() {
        cx.check()?;
        let Some(found) = artifacts::find(cx.host.agent(), repo.id(), handle)? else { continue };
        if request.repo_id.as_deref().is_some_and(|given| given != repo.id()) {
            let message = format!("the handle belongs to repository {:?}; leave repoId out", repo.id());
            return Err(ToolError::invalid("repoId", message));
        }
        cx.serves(|served| served.repo = Some(repo.id().to_owned()));
        return Ok(found);
    }
    for upstream in &cx.view().upstreams {
        let owner = artifact_owner(&upstream.key);
        if let Some(found) = artifacts::find(cx.host.agent(), &owner, handle)? {
            return Ok(found);
        }
    }
    let shown: String = handle.chars().take(40).collect();
    let message = format!(
        "{shown:?} names no output: the last 20 of a repository are kept; run the command again with runtime.execute"
    );
    Err(ToolError::new(Code::UnknownHandle, message).at("artifactHandle").next(
        Call::tool("manual"),
        json!({ "actions": ["runtime.execute"] }),
        "says how to run a command",
    ))
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        for Part { stream, from, to, text: lines } in &self.excerpts {
            let name = stream.stream().name();
            begin_line(&mut text, format_args!("{name} {from}-{to}:"));
            append_block(&mut text, lines);
        }
        if let Some(how) = &self.how_to_resume {
            begin_line(&mut text, format_args!("… more: {how}"));
        }
        if text.is_empty() { "no such lines".to_owned() } else { text }
    }
}
