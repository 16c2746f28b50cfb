//! The suite's fixtures as an MCP server on standard input and output, of either era.
//!
//! Up to 2025-11-25 it asks its client by requests during the call, since 2026-07-28 in its answer.

use std::collections::HashMap;
use std::io::{self, BufRead as _, Write as _};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::asks::{Asks, Fault, Question, Signer, answer_text};
use crate::fixtures;

/// The members of a request's `_meta` that the protocol has for itself.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Between two reports of progress.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until standard input ends.
pub(crate) fn serve() -> io::Result<()> {
    let (_silent, never) = channel();
    let mut server = Server {
        signer: Signer::new(),
        client: json!({}),
        is_stateless: true,
        listeners: Vec::new(),
        open: HashMap::new(),
        asked: 0,
        never,
    };
    for line in io::stdin().lock().lines() {
        if let Ok(message) = serde_json::from_str(&line?) {
            server.take(&message)?;
        }
    }
    Ok(())
}

struct Server {
    signer: Signer,
    /// What the client of `initialize` can do.
    client: Value,
    /// Whether there was no `initialize`.
    is_stateless: bool,
    /// The subscriptions that are open.
    listeners: Vec<Value>,
    /// The calls that wait for an answer, by the id of the question.
    open: HashMap<String, Waiting>,
    asked: u64,
    /// To wait a while.
    never: Receiver<()>,
}

/// A call that waits for answers, in the era of requests.
struct Waiting {
    call: Value,
    tool: String,
    round: u8,
    /// The name of the question that is out, and those that come after it.
    name: &'static str,
    rest: Vec<Question>,
    answers: Map<String, Value>,
}

fn say(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()
}

fn notify(what: &str, params: &Value) -> io::Result<()> {
    say(&json!({"jsonrpc": "2.0", "method": format!("notifications/{what}"), "params": params}))
}

impl Server {
    fn take(&mut self, message: &Value) -> io::Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else { return self.take_answer(message) };
        if id.is_null() {
            return Ok(());
        }
        if method == "subscriptions/listen" {
            self.listeners.push(id.clone());
            let params = json!({"_meta": {SUBSCRIPTION: id}, "notifications": params["notifications"]});
            return notify("subscriptions/acknowledged", &params);
        }
        if let "tools/call" | "prompts/get" = method {
            return self.call(id, params);
        }
        let result = match method {
            "initialize" => {
                (self.client, self.is_stateless) = (params["capabilities"].clone(), false);
                Ok(json!({
                    "protocolVersion": params["protocolVersion"], "capabilities": capabilities(),
                    "serverInfo": {"name": "suite", "version": "1"},
                }))
            }
            "server/discover" => Ok(json!({
                "supportedVersions": ["2026-07-28"], "capabilities": capabilities(), "ttlMs": 0, "cacheScope": "private",
            })),
            "ping" => Ok(json!({})),
            method => fixtures::list(method, params, changes("tools"), changes("prompts")),
        };
        match result {
            Ok(result) => self.answer(id, result),
            Err(_) if method == "resources/read" => {
                let code = if self.is_stateless { -32602 } else { -32002 };
                let data = json!({"uri": params["uri"]});
                fail(id, Fault { code, message: "no such resource".to_owned(), data })
            }
            Err(fault) => fail(id, fault),
        }
    }

    fn answer(&self, id: &Value, mut result: Value) -> io::Result<()> {
        if self.is_stateless && result.get("resultType").is_none() {
            result["resultType"] = "complete".into();
        }
        say(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    /// A list has changed.
    fn announce(&self, list: &str) -> io::Result<()> {
        let what = format!("{list}/list_changed");
        if !self.is_stateless {
            return notify(&what, &json!({}));
        }
        self.listeners.iter().try_for_each(|id| notify(&what, &json!({"_meta": {SUBSCRIPTION: id}})))
    }

    fn call(&mut self, id: &Value, params: &Value) -> io::Result<()> {
        let (name, args) = (params["name"].as_str().unwrap_or_default(), &params["arguments"]);
        let client = if self.is_stateless { &params["_meta"][CAPABILITIES] } else { &self.client };
        let asks = self.signer.read(name, params["requestState"].as_str()).and_then(|round| {
            let asks = self.signer.asks(name, round, args, client)?;
            Ok(asks.map(|asks| (round, asks)))
        });
        let (round, asks) = match asks {
            Ok(Some(asks)) => asks,
            Ok(None) => return self.answer_at_once(id, params, name, args),
            Err(fault) => return fail(id, fault),
        };
        if !self.is_stateless {
            let waiting = Waiting {
                call: id.clone(),
                tool: name.to_owned(),
                round,
                name: "",
                rest: asks.questions,
                answers: Map::new(),
            };
            return self.ask_next(waiting);
        }
        let responses = &params["inputResponses"];
        let is_answered = asks.questions.iter().all(|one| one.is_answered_by(&responses[one.name]));
        // Whoever keeps a state wants it back.
        let is_done = is_answered && (asks.state.is_none() || round > 0);
        if !is_done {
            return self.ask_in_answer(id, asks);
        }
        let answers = responses.as_object().cloned().unwrap_or_default();
        self.answer(id, complete(name, &answers))
    }

    fn ask_in_answer(&self, id: &Value, asks: Asks) -> io::Result<()> {
        let request =
            |one: Question| (one.name.to_owned(), json!({"method": one.method, "params": one.params}));
        let requests: Map<String, Value> = asks.questions.into_iter().map(request).collect();
        let mut result = json!({"resultType": "input_required", "inputRequests": requests});
        if let Some(state) = asks.state {
            result["requestState"] = state.into();
        }
        self.answer(id, result)
    }

    /// Sends the next question of a call, or its answer.
    fn ask_next(&mut self, mut waiting: Waiting) -> io::Result<()> {
        if waiting.rest.is_empty() {
            return self.answer(&waiting.call, complete(&waiting.tool, &waiting.answers));
        }
        let Question { name, method, params } = waiting.rest.remove(0);
        self.asked += 1;
        let ask = format!("ask{}", self.asked);
        waiting.name = name;
        self.open.insert(ask.clone(), waiting);
        say(&json!({"jsonrpc": "2.0", "id": ask, "method": method, "params": params}))
    }

    fn take_answer(&mut self, message: &Value) -> io::Result<()> {
        let Some(mut waiting) = message["id"].as_str().and_then(|id| self.open.remove(id)) else {
            return Ok(());
        };
        if let Some(error) = message.get("error") {
            let text = format!("the client did not answer: {}", error["message"]);
            return self.answer(&waiting.call, fixtures::failed(&text));
        }
        waiting.answers.insert(waiting.name.to_owned(), message["result"].clone());
        if waiting.rest.is_empty() {
            let next = self.signer.asks(&waiting.tool, waiting.round + 1, &Value::Null, &self.client);
            let is_round = waiting.tool == "test_input_required_result_multi_round" && waiting.round == 0;
            if let (true, Ok(Some(next))) = (is_round, next) {
                (waiting.rest, waiting.round) = (next.questions, 1);
            }
        }
        self.ask_next(waiting)
    }

    /// Answers a call of a tool or a prompt that asks nothing.
    fn answer_at_once(&self, id: &Value, params: &Value, name: &str, args: &Value) -> io::Result<()> {
        let token = &params["_meta"]["progressToken"];
        if name == "test_tool_with_progress" && !token.is_null() {
            for at in [0, 50, 100] {
                // Reports of one call that come in quick succession are passed on as one.
                let _ = self.never.recv_timeout(PAUSE);
                notify("progress", &json!({"progressToken": token, "progress": at, "total": 100}))?;
            }
        }
        for (tool, list) in [("test_trigger_tool_change", "tools"), ("test_trigger_prompt_change", "prompts")]
        {
            if name == tool {
                std::fs::write(list, (changes(list) + 1).to_string())?;
                self.announce(list)?;
            }
        }
        match fixtures::call(name, args) {
            Ok(result) => self.answer(id, result),
            Err(fault) => fail(id, fault),
        }
    }
}

/// How often a list has changed. In a file of this server's own folder, because several processes of it may run.
fn changes(list: &str) -> u64 {
    std::fs::read_to_string(list).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn fail(id: &Value, fault: Fault) -> io::Result<()> {
    let mut error = json!({"code": fault.code, "message": fault.message});
    if !fault.data.is_null() {
        error["data"] = fault.data;
    }
    say(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

fn capabilities() -> Value {
    json!({
        "tools": {"listChanged": true}, "prompts": {"listChanged": true}, "resources": {"listChanged": true},
        "completions": {},
    })
}

/// The result of something that has got its answers.
fn complete(name: &str, answers: &Map<String, Value>) -> Value {
    let text = json!({"type": "text", "text": answer_text(name, answers)});
    if name == "test_input_required_result_prompt" {
        return json!({"messages": [{"role": "user", "content": text}]});
    }
    json!({"content": [text]})
}
