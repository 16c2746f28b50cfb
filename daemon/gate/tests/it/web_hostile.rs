//! What goes wrong with upstreams over HTTP, and what the caller gets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sdl_proto::code;
use sdl_proto::gate::FromGate;
use serde_json::{Value, json};

use crate::harness::{Gate, Lists, peak_memory};
use crate::listen::{AGAIN, CUT, listen, whole};

/// The bodies of the requests that came.
type Bodies = Arc<Mutex<Vec<String>>>;

/// A server whose lists are as its words say, and whose calls are answered with the text that they have as an argument.
struct Hostile {
    url: String,
    bodies: Bodies,
}

impl Hostile {
    async fn start(words: &'static [&'static str]) -> Self {
        let bodies = Bodies::default();
        let seen = Arc::clone(&bodies);
        let address = listen(move |head, body| {
            seen.lock().unwrap().push(body.to_owned());
            respond(words, head, body)
        });
        Self { url: format!("http://{}/mcp", address.await), bodies }
    }

    fn entry(&self) -> Value {
        json!({ "type": "http", "url": self.url })
    }

    /// The messages that came with this method or in answer to this id.
    fn messages(&self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let bodies = self.bodies.lock().unwrap();
        bodies.iter().filter_map(|body| serde_json::from_str(body).ok()).filter(|one| fits(one)).collect()
    }
}

fn respond(words: &[&str], head: &str, body: &str) -> String {
    if !head.starts_with("POST") {
        return whole("405 Method Not Allowed", "", "");
    }
    let message: Value = serde_json::from_str(body).unwrap();
    let (id, params) = (&message["id"], &message["params"]);
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => return whole("400 Bad Request", "", "what?"),
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "web", "version": "1" },
        }),
        "tools/list" => list(words, params),
        // Of the same length, because the text states it.
        "tools/call" => {
            let text = params["arguments"]["text"].as_str().unwrap();
            return text.replace("IDID", &format!("{:>4}", id.to_string()));
        }
        _ => return whole("202 Accepted", "", ""),
    };
    json_page(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
}

fn list(words: &[&str], params: &Value) -> Value {
    let page = params["cursor"].as_str().map_or(0, |cursor| cursor.parse::<u64>().unwrap());
    let tool = |name: String| json!({ "name": name, "inputSchema": { "type": "object" } });
    let mut list = json!({ "tools": [tool(format!("tool{page}"))] });
    for word in words {
        match *word {
            "cursor-loop" => list["nextCursor"] = ((page + 1) % 3).to_string().into(),
            "endless-pages" => list["nextCursor"] = (page + 1).to_string().into(),
            "many" => {
                let first = page * 1_000;
                let tools = (first..10_001.min(first + 1_000)).map(|at| tool(format!("tool{at}")));
                list["tools"] = tools.collect();
                if first + 1_000 < 10_001 {
                    list["nextCursor"] = (page + 1).to_string().into();
                }
            }
            "odd" => {
                let mut big = tool("big".to_owned());
                big["description"] = "d".repeat(5 << 20).into();
                let more = [tool("tool0".to_owned()), tool(String::new()), json!(7), big];
                list["tools"].as_array_mut().unwrap().extend(more);
            }
            _ => panic!("{word}"),
        }
    }
    list
}

const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":IDID,"result":{"content":[]}}"#;

fn json_page(body: &str) -> String {
    whole("200 OK", JSON, body)
}

fn event_page(messages: &[&str]) -> String {
    let events: String = messages.iter().map(|message| format!("data: {message}\n\n")).collect();
    whole("200 OK", EVENTS, &events)
}

/// A head that does not state the length of its body.
fn open_page(kind: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{kind}Connection: close\r\n\r\n")
}

async fn gate_for(web: &Hostile) -> Gate {
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": web.entry() })).await;
    gate.call("tool0", json!({ "text": json_page(ANSWER) })).await.unwrap();
    gate
}

/// The code with which a call fails. The next one works.
async fn code_of(gate: &mut Gate, response: &str) -> String {
    let error = gate.call_err("tool0", json!({ "text": response })).await;
    let next = gate.call("tool0", json!({ "text": json_page(ANSWER) })).await;
    assert!(next.is_ok(), "{response:.80}: {next:?}");
    error.code
}

#[tokio::test]
async fn an_answer_that_breaks_off_at_any_byte_has_an_unknown_outcome() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    for page in [json_page(ANSWER), event_page(&[ANSWER])] {
        for bytes in 0..page.len() {
            let cut = format!("{}{CUT}", &page[..bytes]);
            let code = code_of(&mut gate, &cut).await;
            assert_eq!(code, code::OUTCOME_UNKNOWN, "{cut:?}");
        }
        assert!(gate.call("tool0", json!({ "text": format!("{page}{CUT}") })).await.is_ok());
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn an_answer_without_end_is_too_large_and_takes_no_memory() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    let pid = gate.process.as_ref().unwrap().id().unwrap();
    let before = peak_memory(pid);
    let block = "x".repeat(1 << 16);
    let comments = ": still here\n".repeat(4_096);
    for (start, again) in [
        (open_page(JSON), block.clone()),
        (format!("{}data: ", open_page(EVENTS)), block.clone()),
        (open_page(EVENTS), comments),
    ] {
        let code = code_of(&mut gate, &format!("{start}{AGAIN}{again}")).await;
        assert_eq!(code, code::RESULT_TOO_LARGE, "{start:?}");
    }
    // The tail of a refusal is not read to its end either.
    let refusal = format!("HTTP/1.1 400 Bad Request\r\n{JSON}Connection: close\r\n\r\n{AGAIN}{block}");
    assert_eq!(code_of(&mut gate, &refusal).await, code::RESULT_TOO_LARGE);
    let grown = (peak_memory(pid) - before) / 1_024;
    assert!(grown < 64, "{grown} MiB");
    gate.hang_up().await;
}

#[tokio::test]
async fn a_head_that_is_too_long_has_no_answer() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    let long = format!("X-Long: {}\r\n", "x".repeat(1 << 20));
    let many: String = (0..2_000).map(|at| format!("X-{at}: 1\r\n")).collect();
    let endless = format!("HTTP/1.1 200 OK\r\nX-Long: {AGAIN}{}", "x".repeat(1 << 16));
    for page in [whole("200 OK", &format!("{JSON}{long}"), ANSWER), whole("200 OK", &many, ANSWER), endless] {
        let code = code_of(&mut gate, &page).await;
        assert_eq!(code, code::OUTCOME_UNKNOWN, "{page:.60}");
    }
    gate.hang_up().await;
}

#[tokio::test]
async fn redirects_that_go_round_end() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    let count = || web.bodies.lock().unwrap().len();
    let before = count();
    let round = whole("307 Temporary Redirect", "Location: /mcp\r\n", "");
    assert_eq!(code_of(&mut gate, &round).await, code::UPSTREAM_PROTOCOL);
    assert!(count() - before < 20, "{}", count() - before);
    let away = whole("307 Temporary Redirect", "Location: file:///etc/passwd\r\n", "");
    assert_eq!(code_of(&mut gate, &away).await, code::UPSTREAM_PROTOCOL);
    gate.hang_up().await;
}

#[tokio::test]
async fn the_first_answer_counts_and_a_burst_changes_none() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    let second = ANSWER.replace("[]", "[2]");
    let twice = event_page(&[ANSWER, &second, &second]);
    assert_eq!(gate.call("tool0", json!({ "text": twice })).await.unwrap(), r#"{"content":[]}"#);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b"}}"#;
    let stray = r#"{"jsonrpc":"2.0","id":1000000,"result":{}}"#;
    let mut messages = vec![note; 20_000];
    messages.extend([stray; 90]);
    messages.push(ANSWER);
    assert!(gate.call("tool0", json!({ "text": event_page(&messages) })).await.is_ok());
    let counts = gate.wait(|message| match message {
        FromGate::State(now) if now.counts.contains_key("unknownId") => Some(now.counts.clone()),
        _ => None,
    });
    let counts = counts.await;
    assert_eq!((counts["otherNotification"], counts["unknownId"]), (20_000, 90));
    gate.hang_up().await;
}

#[tokio::test]
async fn a_burst_of_changes_is_read_once_or_twice() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    let readings = || web.messages(|one| one["method"] == "tools/list").len();
    let before = readings();
    let change = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let mut messages = vec![change; 500];
    messages.push(ANSWER);
    gate.call("tool0", json!({ "text": event_page(&messages) })).await.unwrap();
    gate.next_lists().await;
    gate.read_lists().await.unwrap();
    assert!(readings() - before <= 4, "{}", readings() - before);
    gate.hang_up().await;
}

#[tokio::test]
async fn a_question_that_is_not_allowed_is_refused_and_the_answer_comes() {
    let web = Hostile::start(&[]).await;
    let mut gate = gate_for(&web).await;
    let ask =
        r#"{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"Your password?"}}"#;
    assert!(gate.call("tool0", json!({ "text": event_page(&[ask, ANSWER]) })).await.is_ok());
    let answers = || web.messages(|one| one["id"] == "q1" && one.get("method").is_none());
    let refused = async {
        while answers().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(15), refused).await.unwrap();
    assert!(answers()[0]["error"].is_object(), "{:?}", answers());
    assert_eq!(gate.count_seen(|message| matches!(message, FromGate::Ask { .. })), 0);
    gate.hang_up().await;
}

async fn lists_of(words: &'static [&'static str]) -> Lists {
    let web = Hostile::start(words).await;
    let mut gate = Gate::start().await;
    gate.configure(json!({ "a": web.entry() })).await;
    let lists = gate.read_lists().await.unwrap();
    gate.hang_up().await;
    lists
}

#[tokio::test]
async fn lists_over_http_have_the_same_limits() {
    let counted = |lists: &Lists| (lists.tools.len(), lists.skipped.clone());
    let one = |reason: &str| BTreeMap::from([(reason.to_owned(), 1)]);
    // The first page comes twice, because the cursor that leads back to it is new.
    let round = BTreeMap::from([("cursor".to_owned(), 1), ("duplicate".to_owned(), 1)]);
    assert_eq!(counted(&lists_of(&["cursor-loop"]).await), (3, round));
    assert_eq!(counted(&lists_of(&["endless-pages"]).await), (200, one("cursor")));
    assert_eq!(counted(&lists_of(&["many"]).await), (10_000, one("tooMany")));
    let odd = lists_of(&["odd"]).await;
    assert_eq!(odd.oversize, ["big"]);
    assert_eq!(odd.tools.len(), 2);
    let reasons: Vec<&str> = odd.skipped.keys().map(String::as_str).collect();
    assert_eq!(reasons, ["badName", "duplicate", "malformed"]);
}
