//! `sdl-bench upstream-server`: an MCP server over standard streams whose tools misbehave when they are called so.
//!
//! Words on the command line: `tools=200` lists that many made tools, `journal=FILE` gets the text of each call of `count`
//! and `hang`, `fails-every=2` fails every second list, `modern` speaks 2026-07-28 too, `stays` outlives
//! the end of the input, `lists=FILE` gets a line for each list, `silent` announces no changes.

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Outcome;

/// The tools that every server of this kind lists.
pub(crate) const TOOLS: [&str; 11] =
    ["echo", "count", "raw", "line", "slow", "steps", "hang", "die", "flood", "noise", "change"];

/// What tools of the made list do, and to what.
const VERBS: [&str; 10] =
    ["create", "get", "list", "update", "delete", "search", "archive", "export", "assign", "share"];
const NOUNS: [&str; 20] = [
    "invoice",
    "customer",
    "ticket",
    "order",
    "shipment",
    "employee",
    "contract",
    "campaign",
    "meeting",
    "report",
    "warehouse",
    "vehicle",
    "booking",
    "patient",
    "course",
    "recipe",
    "sensor",
    "payment",
    "article",
    "project",
];

struct Server {
    words: Vec<String>,
    /// Lists asked for so far.
    lists: u64,
    /// Whether the tool that comes and goes is there.
    has_extra: bool,
    /// Whether somebody subscribed to changes.
    is_listened_to: bool,
}

/// Serves until the end of the input.
pub(crate) fn serve_scripted(words: &[String]) -> Outcome {
    let mut server = Server { words: words.to_vec(), lists: 0, has_extra: false, is_listened_to: false };
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if server.take_message(&message)?.is_break() {
            return Err("asked to die".into());
        }
    }
    if server.has("stays") {
        // One that does not end with its input, as some servers don't.
        loop {
            thread::park();
        }
    }
    Ok(())
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    // A reader that is gone is no concern of ours.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn answer(id: &Value, result: &str) {
    say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
}

fn fail(id: &Value, code: i64, message: &str) {
    let error = json!({"code": code, "message": message});
    say(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
}

fn notify(method: &str, params: &Value) {
    say(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
}

fn text_result(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

fn append_line(path: &str, text: &str) -> Outcome {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(file.write_all(format!("{text}\n").as_bytes())?)
}

type Flow = std::ops::ControlFlow<()>;

impl Server {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    fn word(&self, prefix: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(prefix))
    }

    fn take_message(&mut self, message: &Value) -> Outcome<Flow> {
        let (method, id, params) =
            (message["method"].as_str().unwrap_or_default(), &message["id"], &message["params"]);
        let capabilities = json!({"tools": {"listChanged": !self.has("silent")}});
        match method {
            "server/discover" if self.has("modern") => {
                let result = json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                    "ttlMs": 0, "cacheScope": "private",
                });
                answer(id, &result.to_string());
            }
            "initialize" => {
                let result = json!({
                    "protocolVersion": params["protocolVersion"], "capabilities": capabilities,
                    "serverInfo": {"name": "scripted", "version": "1"},
                });
                answer(id, &result.to_string());
            }
            "subscriptions/listen" => {
                self.is_listened_to = true;
                let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
                let accepted = json!({"_meta": meta, "notifications": params["notifications"]});
                notify("notifications/subscriptions/acknowledged", &accepted);
            }
            "tools/list" => self.list_tools(id)?,
            "tools/call" => return self.call_tool(id, params),
            _ if id.is_null() || method.is_empty() => {}
            _ => fail(id, -32601, "no such method"),
        }
        Ok(Flow::Continue(()))
    }

    fn list_tools(&mut self, id: &Value) -> Outcome {
        self.lists += 1;
        let every: u64 = self.word("fails-every=").map_or(Ok(0), str::parse)?;
        let is_failing = every > 0 && self.lists.is_multiple_of(every);
        if let Some(path) = self.word("lists=") {
            append_line(path, if is_failing { "failed" } else { "ok" })?;
        }
        if is_failing {
            fail(id, -32603, "the catalogue is closed");
            return Ok(());
        }
        let made: usize = self.word("tools=").map_or(Ok(0), str::parse)?;
        let mut tools: Vec<Value> = (0..made).map(made_tool).collect();
        if made == 0 {
            let plain = |name: &str| json!({"name": name, "description": format!("Does {name}"), "inputSchema": {"type": "object"}});
            tools.extend(TOOLS.into_iter().map(plain));
            tools.extend(self.has_extra.then(|| plain("extra")));
        }
        let mut result = json!({"tools": tools});
        if self.has("modern") {
            result["resultType"] = "complete".into();
            result["ttlMs"] = 0.into();
            result["cacheScope"] = "private".into();
        }
        answer(id, &result.to_string());
        Ok(())
    }

    fn call_tool(&mut self, id: &Value, params: &Value) -> Outcome<Flow> {
        let args = &params["arguments"];
        let text = args["text"].as_str().unwrap_or_default();
        let count = args["count"].as_u64().unwrap_or(1);
        match params["name"].as_str().unwrap_or_default() {
            "echo" => answer(id, &text_result(text)),
            // Notes its effect before it answers: a call that is repeated is there twice.
            "count" => {
                if let Some(path) = self.word("journal=") {
                    append_line(path, text)?;
                }
                answer_later(
                    id.clone(),
                    text_result(text),
                    Duration::from_millis(args["ms"].as_u64().unwrap_or(0)),
                );
            }
            // The given text, as the result or as a whole line.
            "raw" => answer(id, text),
            "line" => say(&text.replace("$ID", &id.to_string())),
            "slow" => answer_later(id.clone(), text_result("slow"), Duration::from_millis(count)),
            "steps" => {
                let token = &params["_meta"]["progressToken"];
                for step in 1..=count {
                    notify(
                        "notifications/progress",
                        &json!({"progressToken": token, "progress": step, "total": count}),
                    );
                }
                answer(id, &text_result("done"));
            }
            "hang" => {
                if let Some(path) = self.word("journal=") {
                    append_line(path, text)?;
                }
            }
            "die" => {
                eprintln!("asked to die");
                return Ok(Flow::Break(()));
            }
            "flood" => flood_output(count),
            "noise" => {
                ["hello", "", "[1,2]", "\"text\"", "{\"a\":1}", "{broken"].into_iter().for_each(say);
                answer(id, &text_result("after noise"));
            }
            "change" => {
                self.has_extra = !self.has_extra;
                if !self.has("silent") && (self.is_listened_to || !self.has("modern")) {
                    notify("notifications/tools/list_changed", &json!({}));
                }
                answer(id, &text_result("changed"));
            }
            "extra" if self.has_extra => answer(id, &text_result("extra")),
            _ if self.word("tools=").is_some() => answer(id, &text_result("done")),
            _ => fail(id, -32602, "no such tool"),
        }
        Ok(Flow::Continue(()))
    }
}

/// Answers after a time, while other calls go on.
fn answer_later(id: Value, result: String, time: Duration) {
    if time.is_zero() {
        return answer(&id, &result);
    }
    thread::spawn(move || {
        let (_sender, receiver) = channel::<()>();
        let _ = receiver.recv_timeout(time);
        answer(&id, &result);
    });
}

/// Writes that many MiB without an end of a line.
fn flood_output(megabytes: u64) {
    let block = vec![b'x'; 1 << 16];
    let mut out = io::stdout().lock();
    for _ in 0..megabytes * 16 {
        if out.write_all(&block).is_err() {
            return;
        }
    }
}

/// A tool of about the size that real ones have, for example `create_invoice`.
fn made_tool(number: usize) -> Value {
    let verb = VERBS[number % VERBS.len()];
    let noun = NOUNS[number / VERBS.len() % NOUNS.len()];
    json!({
        "name": format!("{verb}_{noun}"),
        "description": format!(
            "Use this to {verb} one {noun} or several of them. Returns the {noun} with its id, state and dates."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                format!("{noun}_id"): {"type": "string", "description": format!("The id of the {noun}")},
                "fields": {"type": "array", "items": {"type": "string"}, "description": "The fields to return"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
                "dry_run": {"type": "boolean", "description": "Only tell what would be done"},
            },
            "required": [format!("{noun}_id")],
        },
        "annotations": {"readOnlyHint": matches!(verb, "get" | "list" | "search" | "export")},
    })
}
