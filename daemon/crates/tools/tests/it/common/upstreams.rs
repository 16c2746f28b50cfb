//! Upstreams that answer as a test says.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sdl_proto::gate::{Owner, UpstreamState};
use sdl_tools::host::{Event, Exchange, ListsOf, Outgoing, Reply, Upstreams};
use sdl_tools::{Cancel, Code, Explained, Progress, ToolError};
use serde_json::{Value, json};

use super::World;

/// Answers to questions, by their numbers.
type Replies = Arc<Mutex<Vec<(u64, Result<String, String>)>>>;

/// Upstreams that answer as a test says.
#[derive(Default)]
pub(crate) struct FakeUpstreams {
    /// The answer of each tool, prompt or resource, by its own name or URI: the text of a result, or an error.
    pub(crate) answers: Mutex<BTreeMap<String, Result<String, ToolError>>>,
    /// The requests that arrived: key, owner, parameters.
    pub(crate) sent: Mutex<Vec<(String, Owner, String)>>,
    /// The methods of the same requests.
    pub(crate) methods: Mutex<Vec<String>>,
    /// Upstreams that were read again.
    pub(crate) read: Mutex<Vec<String>>,
    pub(crate) secrets: Mutex<Vec<String>>,
    /// What happens to each call of a tool, in the order of the calls; before [`FakeUpstreams::answers`].
    pub(crate) events: Mutex<BTreeMap<String, VecDeque<Vec<Event>>>>,
    /// The capabilities that came with each request.
    pub(crate) clients: Mutex<Vec<Value>>,
    /// The answers to questions, by their numbers.
    pub(crate) replies: Replies,
    pub(crate) states: Mutex<Vec<UpstreamState>>,
}

/// A request to such an upstream.
struct FakeExchange {
    events: VecDeque<Event>,
    replies: Replies,
}

impl Exchange for FakeExchange {
    fn next_event(&mut self, _progress: &dyn Progress, _cancel: &Cancel) -> Result<Event, ToolError> {
        self.events.pop_front().ok_or_else(|| ToolError::new(Code::UpstreamTimeout, "nothing more happens"))
    }

    fn reply_to(&self, question: u64) -> Reply {
        let replies = Arc::clone(&self.replies);
        Box::new(move |answer| {
            let answer = answer.map(|bytes| String::from_utf8(bytes).unwrap());
            replies.lock().unwrap().push((question, answer));
        })
    }
}

impl Upstreams for FakeUpstreams {
    fn begin(&self, request: &Outgoing<'_>) -> Result<Box<dyn Exchange>, ToolError> {
        let sent = (request.key.to_owned(), request.owner.clone(), request.params.clone());
        self.sent.lock().unwrap().push(sent);
        self.clients.lock().unwrap().push(Value::Object(request.client.clone()));
        self.methods.lock().unwrap().push(request.method.to_owned());
        let params: Value = serde_json::from_str(&request.params).unwrap();
        let subject = if params["ref"].is_object() { &params["ref"] } else { &params };
        let name = subject.get("name").or_else(|| subject.get("uri")).unwrap();
        let tool = name.as_str().unwrap();
        let replies = Arc::clone(&self.replies);
        if let Some(events) = self.events.lock().unwrap().get_mut(tool).and_then(VecDeque::pop_front) {
            return Ok(Box::new(FakeExchange { events: events.into(), replies }));
        }
        let answers = self.answers.lock().unwrap();
        let answer = match answers.get(tool) {
            Some(answer) => answer.clone().map(String::into_bytes),
            None => Err(ToolError::new(Code::UpstreamDown, "it does not run")),
        };
        Ok(Box::new(FakeExchange { events: vec![Event::Answered(answer?)].into(), replies }))
    }

    fn read_lists(&self, of: &ListsOf<'_>, _patience: Duration, _cancel: &Cancel) -> Result<(), ToolError> {
        self.read.lock().unwrap().push(of.key.to_owned());
        Ok(())
    }

    fn states(&self) -> Vec<UpstreamState> {
        self.states.lock().unwrap().clone()
    }

    fn secrets(&self) -> Vec<String> {
        self.secrets.lock().unwrap().clone()
    }
}

impl World {
    /// Puts an `mcp.json` in force.
    pub(crate) fn configure(&self, settings: &Value) {
        let settings = sdl_settings::Settings::parse(&settings.to_string()).unwrap().settings;
        self.tools.configure_upstreams(settings.into()).unwrap();
        let _ = self.host.upstreams.set(FakeUpstreams::default());
    }

    /// Lets the start of an upstream fail at this time, in Unix milliseconds.
    pub(crate) fn fails(&self, key: &str, error: &str, at_ms: u64) {
        let state = UpstreamState {
            key: key.to_owned(),
            owner: Owner::Shared,
            state: "failing".to_owned(),
            pid: None,
            rss_kb: None,
            era: None,
            restarts: 0,
            calls: 0,
            failed: 0,
            in_flight: 0,
            waiting: 0,
            last_error: Some(error.to_owned()),
            last_error_at_ms: Some(at_ms),
            next_attempt_ms: None,
            counts: BTreeMap::new(),
        };
        *self.host.upstreams.get().unwrap().states.lock().unwrap() = vec![state];
    }

    /// Lets an upstream list these tools.
    pub(crate) fn lists(&self, key: &str, tools: &Value) {
        self.lists_all(key, &json!({ "tools": tools }));
    }

    /// Lets an upstream list this, and nothing else.
    pub(crate) fn lists_all(&self, key: &str, lists: &Value) {
        self.lists_at(key, lists, 1);
    }

    /// The same at this time, in Unix milliseconds.
    pub(crate) fn lists_at(&self, key: &str, lists: &Value, now_ms: u64) {
        let mut all = json!({
            "era": "2025-11-25", "tools": [], "prompts": [], "resources": [], "resourceTemplates": [], "oversize": [],
            "skipped": {}, "announces": {"tools": true, "prompts": false, "resources": false}, "unread": {}
        });
        for (name, value) in lists.as_object().unwrap() {
            all[name] = value.clone();
        }
        self.tools.take_lists(key, all.to_string().as_bytes(), now_ms).unwrap();
    }

    /// Lets a tool, prompt or resource of an upstream answer with this text of a result.
    pub(crate) fn answers(&self, tool: &str, result: &str) {
        let upstreams = self.host.upstreams.get().unwrap();
        upstreams.answers.lock().unwrap().insert(tool.to_owned(), Ok(result.to_owned()));
    }

    /// The bytes of the result of a call.
    pub(crate) fn bytes(&self, tool: &str, args: &str) -> String {
        let progress = sdl_tools::NoProgress;
        let bytes = self.tools.call(&self.session, tool, args.as_bytes(), &progress, &Cancel::new());
        String::from_utf8(bytes).unwrap()
    }

    /// Lets these things happen to the next call of a tool.
    pub(crate) fn happens(&self, tool: &str, events: Vec<Event>) {
        let upstreams = self.host.upstreams.get().unwrap();
        upstreams.events.lock().unwrap().entry(tool.to_owned()).or_default().push_back(events);
    }

    /// The rows of the log, at most the last 100, in their order.
    pub(crate) fn log_rows(&self) -> Vec<sdl_tools::audit::Row> {
        let host = &*self.host;
        let shown = sdl_tools::Host::audit(host).show(sdl_tools::Host::agent(host), None, 100).unwrap();
        let mut rows: Vec<_> = shown.into_iter().map(|shown| shown.row).collect();
        rows.sort_by_key(|row| row.seq);
        rows
    }
}
