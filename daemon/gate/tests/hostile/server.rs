//! A server for tests that misbehaves on request.
//!
//! Words on its command line say how it starts and what it lists; the name of a called tool says what it does then.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::zombie_processes,
    reason = "a server that misbehaves"
)]

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "sleeper") {
        // A process that others forgot.
        loop {
            std::thread::park();
        }
    }
    let mut server = Server {
        words,
        changes: 0,
        next_ask: 0,
        is_listened_to: false,
        listener: Value::Null,
        eaten: Vec::new(),
    };
    if let Some(code) = server.word("exit=") {
        eprintln!("cannot start: no configuration");
        std::process::exit(code.parse().unwrap());
    }
    if server.has("silent") {
        loop {
            std::thread::park();
        }
    }
    let mut lines = io::stdin().lock().lines();
    while let Some(Ok(line)) = lines.next() {
        if let Some(path) = server.word("journal=") {
            let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
            writeln!(file, "{line}").unwrap();
        }
        let message: Value = serde_json::from_str(&line).unwrap();
        server.take(&message, &mut lines);
    }
    if server.has("stays") {
        loop {
            std::thread::park();
        }
    }
}

struct Server {
    words: Vec<String>,
    /// How often the list of tools has changed.
    changes: u64,
    next_ask: u64,
    /// Whether somebody subscribed to changes.
    is_listened_to: bool,
    /// The id of that request.
    listener: Value,
    eaten: Vec<u8>,
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    // A reader that is gone is no concern of ours.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn answer(id: &Value, result: &str) {
    say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
}

fn text_result(text: &str) -> String {
    json!({ "content": [{ "type": "text", "text": text }] }).to_string()
}

impl Server {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    fn word(&self, prefix: &str) -> Option<String> {
        self.words.iter().find_map(|word| word.strip_prefix(prefix)).map(str::to_owned)
    }

    fn take(&mut self, message: &Value, lines: &mut impl Iterator<Item = io::Result<String>>) {
        let (method, id) = (message["method"].as_str().unwrap_or_default(), &message["id"]);
        let params = &message["params"];
        match method {
            "server/discover" => self.discover(id),
            "initialize" => self.initialize(id, params),
            "notifications/initialized" => {
                if self.has("changes-at-once") {
                    say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
                }
                if self.has("asks-at-once") {
                    say(r#"{"jsonrpc":"2.0","id":"r1","method":"roots/list"}"#);
                }
            }
            "tools/list" => self.list_tools(id, params),
            "prompts/list" => answer(id, r#"{"prompts":[{"name":"p"}]}"#),
            "resources/list" => answer(id, r#"{"resources":[{"uri":"a://b","name":"b"}]}"#),
            "resources/templates/list" => {
                answer(id, r#"{"resourceTemplates":[{"uriTemplate":"a://{x}","name":"x"}]}"#);
            }
            "tools/call" => {
                let name = params["name"].as_str().unwrap_or_default().to_owned();
                self.call(&name, id, params, lines);
            }
            "subscriptions/listen" if self.has("listens-not") => {
                let error = json!({ "code": -32603, "message": "no more listeners" });
                say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
            }
            "subscriptions/listen" => {
                self.is_listened_to = true;
                self.listener = id.clone();
                let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
                let params = json!({ "_meta": meta, "notifications": params["notifications"] });
                say(&json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params,
                })
                .to_string());
            }
            _ if method.starts_with("notifications/") || id.is_null() || method.is_empty() => {}
            _ => answer(id, &text_result(method)),
        }
    }

    fn capabilities() -> Value {
        json!({ "tools": { "listChanged": true }, "prompts": {}, "resources": {} })
    }

    fn discover(&self, id: &Value) {
        if self.has("ignores-discover") {
            return;
        }
        if !self.has("modern") {
            let error = json!({ "code": -32601, "message": "no such method" });
            return say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
        }
        let result = json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": Self::capabilities(),
            "ttlMs": 0, "cacheScope": "private", "instructions": "be kind",
        });
        answer(id, &result.to_string());
    }

    fn initialize(&self, id: &Value, params: &Value) {
        if self.has("not-mcp") {
            return answer(id, r#""hello""#);
        }
        let era = &params["protocolVersion"];
        let result = json!({
            "protocolVersion": era, "capabilities": Self::capabilities(),
            "serverInfo": { "name": "hostile", "version": "1" }, "instructions": "be kind",
        });
        answer(id, &result.to_string());
    }

    fn list_tools(&self, id: &Value, params: &Value) {
        if self.has("lists-fail") {
            let error = json!({ "code": -32603, "message": "the catalogue is closed" });
            return say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
        }
        let page = params["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u64>().unwrap());
        let tool = |name: String| json!({ "name": name, "inputSchema": { "type": "object" } });
        let mut tools = vec![tool("echo".to_owned())];
        let mut next = None;
        if let Some(count) = self.word("tools=") {
            let count: u64 = count.parse().unwrap();
            let first = page * 1_000;
            tools = (first..count.min(first + 1_000)).map(|at| tool(format!("tool{at}"))).collect();
            next = (first + 1_000 < count).then(|| page + 1);
        }
        if self.has("cursor-loop") {
            tools = vec![tool(format!("tool{page}"))];
            next = Some((page + 1) % 3);
        }
        if self.has("endless-pages") {
            tools = vec![tool(format!("tool{page}"))];
            next = Some(page + 1);
        }
        if self.has("odd-names") {
            tools.extend([tool("echo".to_owned()), tool(String::new()), tool("n".repeat(129)), json!(7)]);
        }
        if self.has("big-schema") {
            tools.push(json!({
                "name": "big", "description": "d".repeat(5 << 20), "inputSchema": { "type": "object" },
            }));
        }
        tools.extend((0..self.changes).map(|at| tool(format!("new{at}"))));
        let mut text = serde_json::to_string(&tools).unwrap();
        if self.has("deep-schema") {
            let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
            text.pop();
            text.push_str(&format!(r#",{{"name":"deep","inputSchema":{{"x":{deep}}}}}]"#));
        }
        if self.has("odd-text") {
            text = String::from(
                r#"[ {"name":"odd", "z":1.50e+3,"a":12345678901234567890,"inputSchema":{"b":1,"a":2}} ]"#,
            );
        }
        let next = next.map(|next| format!(r#","nextCursor":"{next}""#)).unwrap_or_default();
        answer(id, &format!(r#"{{"tools":{text}{next}}}"#));
    }

    fn call(
        &mut self,
        name: &str,
        id: &Value,
        params: &Value,
        lines: &mut impl Iterator<Item = io::Result<String>>,
    ) {
        let args = &params["arguments"];
        let count = args["count"].as_u64().unwrap_or(1);
        let text = args["text"].as_str().unwrap_or_default();
        match name {
            "echo" => answer(id, &json!({ "content": [], "params": params }).to_string()),
            // The given text, as the result or as a whole line.
            "raw" => answer(id, text),
            "line" => say(&text.replace("$ID", &id.to_string())),
            "hang" => {}
            "die" => {
                for at in 0..7 {
                    eprintln!("last words {at} {text}");
                }
                std::process::exit(3);
            }
            "die-at" => {
                let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, text_result(text));
                print!("{}", &line[..count as usize]);
                io::stdout().flush().unwrap();
                std::process::exit(4);
            }
            "flood" => {
                let block = vec![b'x'; 1 << 16];
                let mut out = io::stdout().lock();
                for _ in 0..count * 16 {
                    if out.write_all(&block).is_err() {
                        return;
                    }
                }
            }
            "long" => answer(id, &text_result(&"x".repeat((count as usize) << 20))),
            "noise" => {
                for line in ["hello", "", "[1,2]", "\"text\"", "{\"a\":1}", "{broken", "\u{feff}x"] {
                    say(line);
                }
                answer(id, &text_result("after noise"));
            }
            "twice" => (0..=count).for_each(|at| answer(id, &text_result(&at.to_string()))),
            "strays" => {
                (0..count).for_each(|at| answer(&json!(1_000_000 + at), "{}"));
                answer(id, &text_result("after strays"));
            }
            "notify" => {
                let line = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b"}}"#;
                (0..count).for_each(|_| say(line));
                answer(id, &text_result("after notifications"));
            }
            "notify-for-ever" => loop {
                let line = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b"}}"#;
                if writeln!(io::stdout().lock(), "{line}").is_err() {
                    return;
                }
            },
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for value in args["values"].as_array().unwrap() {
                    let params = json!({ "progressToken": token, "progress": value, "message": "on it" });
                    say(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
                        .to_string());
                }
                if args["hang"] != true {
                    answer(id, &text_result("done"));
                }
            }
            "ask" => self.ask(id, args, lines),
            "change" => {
                self.changes += 1;
                let line = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
                if self.is_listened_to || !self.has("modern") {
                    (0..count).for_each(|_| say(line));
                }
                answer(id, &text_result("changed"));
            }
            // Ends the subscription, and changes the list that nobody listens to any more.
            "stop-telling" => {
                self.is_listened_to = false;
                let meta = json!({ "io.modelcontextprotocol/subscriptionId": self.listener });
                let result = json!({ "resultType": "complete", "_meta": meta });
                answer(&self.listener, &result.to_string());
                answer(id, &text_result("told no more"));
            }
            "fork" => {
                let exe = std::env::current_exe().unwrap();
                let child = std::process::Command::new(exe).arg("sleeper").spawn().unwrap();
                answer(id, &text_result(&child.id().to_string()));
            }
            "eat" => {
                // Every page is written to, so that it is resident.
                self.eaten = vec![1; (count as usize) << 20];
                answer(id, &text_result(&self.eaten.len().to_string()));
            }
            "where" => {
                let folder = std::env::current_dir().unwrap();
                let names: Vec<String> =
                    std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
                answer(id, &json!({ "content": [], "cwd": folder, "env": names }).to_string());
            }
            _ => {
                let error = json!({ "code": -32602, "message": "no such tool", "data": { "tool": name } });
                say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
            }
        }
    }

    /// Asks the client, and answers the call with what it says.
    fn ask(&mut self, id: &Value, args: &Value, lines: &mut impl Iterator<Item = io::Result<String>>) {
        self.next_ask += 1;
        let ask = format!("ask{}", self.next_ask);
        let request =
            json!({ "jsonrpc": "2.0", "id": ask, "method": args["method"], "params": args["params"] });
        say(&request.to_string());
        for line in lines {
            let line = line.unwrap();
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["id"] == json!(ask) {
                return answer(id, &json!({ "content": [], "reply": reply, "line": line }).to_string());
            }
        }
    }
}
