//! Every way to ask for a change leaves the same store. The histories of equal worlds are the same calls, written in another way in each: the tool,
//! its raw twin, in snake case with texts in place of all values, through a gateway. Answers and stores are compared to the last byte.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sdl_ledger::Clock;
use sdl_tests::generate::{Call, generate_calls, in_snake_case, stringify_values};
use sdl_tools::{Cancel, ClientRun, Host, NoProgress, Tools};
use serde_json::{Value, json};

use crate::common::World;

/// A clock that changes only when it is set.
struct Hand(AtomicU64);

impl Clock for Hand {
    fn unix_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// How a world is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Tool,
    Twin,
    Loose,
    Gateway,
}

const WAYS: [Way; 4] = [Way::Tool, Way::Twin, Way::Loose, Way::Gateway];

struct Lane {
    way: Way,
    world: World,
    clock: Arc<Hand>,
}

impl Lane {
    fn new(way: Way, shop: &World) -> Self {
        let mut world = World::empty();
        world.share_repo(shop);
        world.session.run = ClientRun::of(1);
        let clock = Arc::new(Hand(AtomicU64::new(1_790_000_000_000)));
        let host = Arc::clone(&world.host) as Arc<dyn Host>;
        world.tools = Tools::with_clock(host, Arc::clone(&clock) as Arc<dyn Clock>);
        Self { way, world: world.with_modules(), clock }
    }

    /// The answer to a call. `text` is no JSON where a value is none. Arguments that are refused are not written in another way, because that may mend
    /// them, or break them otherwise.
    fn ask(&self, action: &Value, text: &str, is_refused: bool) -> Value {
        self.clock.0.fetch_add(1_000, Ordering::SeqCst);
        let tool = action["tool"].as_str().unwrap();
        let schema = &action["inputSchema"];
        let parsed: Option<Value> = serde_json::from_str(text).ok();
        let (tool, text) = match (self.way, parsed.filter(|_| !is_refused)) {
            (Way::Twin, _) => (format!("{tool}_raw"), json!({ "payload": text }).to_string()),
            (Way::Loose, Some(args)) => {
                let args = in_snake_case(schema, &stringify_values(schema, &args));
                (tool.trim_start_matches("sdl_").to_owned(), args.to_string())
            }
            (Way::Gateway, Some(args)) if args.is_object() => {
                let gateway = format!("sdl_{}", action["namespace"].as_str().unwrap());
                (gateway, json!({ "action": action["name"], "args": args }).to_string())
            }
            _ => (tool.to_owned(), text.to_owned()),
        };
        let bytes =
            self.world.tools.call(&self.world.session, &tool, text.as_bytes(), &NoProgress, &Cancel::new());
        let result: Value = serde_json::from_slice(&bytes).expect("JSON");
        json!([result["isError"], result["structuredContent"]])
    }

    /// Everything that agents keep, apart from the answers kept for retries, which are found by the request.
    fn dump(&self) -> BTreeMap<(&'static str, Vec<u8>), String> {
        let mut all = BTreeMap::new();
        for table in sdl_memory::tables::ALL.iter().filter(|table| **table != sdl_memory::tables::REPLIES) {
            let read = |reader: &sdl_ledger::AgentReader<'_>| {
                reader.scan(table, &[0], &mut |key, value| {
                    all.insert((*table, key.to_vec()), value.escape_ascii().to_string());
                    ControlFlow::Continue(())
                })
            };
            self.world.host.agent().read(read).unwrap();
        }
        all
    }
}

/// Ids that the history has made so far, by the field that holds them.
#[derive(Default)]
struct Known(BTreeMap<String, String>);

impl Known {
    fn learn(&mut self, answer: &Value) {
        match answer {
            Value::Object(map) => {
                for (key, value) in map {
                    if let (true, Some(id)) = (key.ends_with("Id"), value.as_str()) {
                        self.0.insert(key.clone(), id.to_owned());
                    }
                    self.learn(value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            _ => {}
        }
    }

    /// A text for a field of that name.
    fn text(&self, field: &str, symbol: &str) -> String {
        let id = |of: &str| self.0.get(of).cloned().unwrap_or_else(|| "none yet".to_owned());
        match field {
            "repoId" => "shop".to_owned(),
            "symbolIds" | "focusSymbols" => symbol.to_owned(),
            "files" | "editedFiles" | "focusPaths" => "src/auth.py".to_owned(),
            "memoryId" => id("memoryId"),
            "tripleId" => id("tripleId"),
            "supersedes" => id("memoryId"),
            "dispatchId" | "retryOf" | "parentId" => id("dispatchId"),
            "assemblyId" => id("assemblyId"),
            "inReplyTo" | "id" => id("messageId"),
            "to" => id("sessionId"),
            "at" | "dueAt" | "validFrom" | "expiresAt" => "2027-02-03T04:05:06+01:00".to_owned(),
            "validTo" => "2028-01-01".to_owned(),
            "object" => "a value".to_owned(),
            _ => "some words".to_owned(),
        }
    }
}

#[test]
fn every_way_to_ask_for_a_change_leaves_the_same_store() {
    let shop = World::shop();
    let lanes: Vec<Lane> = WAYS.into_iter().map(|way| Lane::new(way, &shop)).collect();
    let plain = &lanes[0];
    let symbol = plain.world.repo.symbol("src/auth.py", "validate");
    let described: Value = serde_json::from_slice(&plain.world.tools.describe()).unwrap();
    let kept = ["memory", "lesson", "scratch", "context", "kg", "dispatch", "session", "activity"];
    let is_kept = |action: &&Value| {
        let name = action["name"].as_str().unwrap();
        let family = name.split('.').next().unwrap();
        kept.contains(&family) && (action["mutating"] == true || name == "context.assemble")
    };
    let mut known = Known::default();
    let (mut answered, mut refused, mut faults) = (BTreeMap::new(), 0, Vec::new());
    let ask_all = |action: &Value, text: &str, faults: &mut Vec<String>| {
        let wanted = plain.ask(action, text, false);
        for lane in &lanes[1..] {
            let mut got = lane.ask(action, text, wanted[0] == true);
            if wanted[1]["code"] == "malformedJson" && lane.way == Way::Twin {
                // It says of which field the text is.
                got[1].as_object_mut().unwrap().shift_remove("field");
            }
            if wanted != got {
                faults.push(format!("{:?} {} {text}\n  {got}\n  {wanted}", lane.way, action["name"]));
            }
        }
        wanted
    };
    let all: Vec<&Value> = described["actions"].as_array().unwrap().iter().filter(is_kept).collect();
    let named = |name: &str| *all.iter().find(|action| action["name"] == name).unwrap();
    let mut made = 0;
    for action in &all {
        let name = action["name"].as_str().unwrap();
        let examples = |known: &Known| -> Vec<Value> {
            let id = |of: &str| known.text(of, &symbol);
            let here = |example: &Value| {
                let text = example.to_string().replace("my-repo", "shop").replace("s_0123456789abc", &symbol);
                let text = text.replace("m_0123456789abc", &id("memoryId"));
                let text = text.replace("t_0123456789abc", &id("tripleId"));
                let text = text.replace("d_0123456789abc", &id("dispatchId"));
                let text = text.replace("as_0123456789abc", &id("assemblyId"));
                text.replace("msg_0123456789abc", &id("id"))
            };
            let examples = action["examples"].as_array().unwrap().iter();
            examples.map(|example| serde_json::from_str(&here(example)).unwrap()).collect()
        };
        let count = calls_of(action, &examples(&known), &known, &symbol).len();
        let mut has_ended = true;
        for nth in 0..count {
            // What a call ends, the next one of its kind finds no more.
            if has_ended {
                made += 1;
                let note =
                    json!({"type": "note", "title": format!("Note {made}"), "content": "Tokens expire."});
                let fact = json!({"subject": "auth service", "predicate": "uses", "object": format!("redis {made}")});
                let task = json!({"title": format!("Task {made}"), "brief": "Shorten tokens.", "milestones": ["test"]});
                for (of, args) in [("memory.store", note), ("kg.add", fact), ("dispatch.start", task)] {
                    known.learn(&ask_all(named(of), &args.to_string(), &mut faults)[1]);
                }
                if name == "dispatch.progress" || name == "dispatch.complete" {
                    let claim = json!({"dispatchId": known.text("dispatchId", &symbol)});
                    ask_all(named("dispatch.claim"), &claim.to_string(), &mut faults);
                }
            }
            let call = &calls_of(action, &examples(&known), &known, &symbol)[nth];
            has_ended = false;
            let wanted = ask_all(action, &call.text, &mut faults);
            if wanted[0] == true {
                refused += 1;
            } else {
                has_ended = ["memory.remove", "dispatch.complete", "kg.invalidate"].contains(&name);
                *answered.entry(name.to_owned()).or_insert(0) += 1;
                known.learn(&wanted[1]);
            }
            assert!(faults.len() < 10, "{}", faults.join("\n"));
        }
    }
    let wanted = plain.dump();
    for lane in &lanes[1..] {
        let got = lane.dump();
        let differ: Vec<_> = wanted.iter().filter(|(key, value)| got.get(key) != Some(value)).collect();
        assert!(differ.is_empty() && got.len() == wanted.len(), "{:?}: {differ:?}", lane.way);
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    let silent: Vec<&Value> = all
        .iter()
        .map(|action| &action["name"])
        .filter(|name| !answered.contains_key(name.as_str().unwrap()))
        .collect();
    assert!(silent.is_empty() && answered.len() >= 18, "no call of {silent:?} was answered: {answered:?}");
    assert!(refused > 300, "{refused}");
}

/// The calls of an action, in an order that is always the same. A call that waits would wait for the clock of the test.
fn calls_of(action: &Value, examples: &[Value], known: &Known, symbol: &str) -> Vec<Call> {
    let calls = generate_calls(&action["inputSchema"], examples, &|field| known.text(field, symbol));
    calls.into_iter().filter(|call| !call.text.contains("waitMs")).collect()
}
