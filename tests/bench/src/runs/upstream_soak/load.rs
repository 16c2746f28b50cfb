//! One client's calls, and what became of them.

use std::collections::BTreeMap;

use sdl_tests::McpClient;
use serde_json::{Value, json};

use super::{ILLS, failure_code};
use crate::figures::Times;
use crate::random::Random;

/// The codes that docs and schemas name for calls of upstreams.
pub(crate) const CODES: [&str; 10] = [
    "upstreamDown",
    "upstreamTimeout",
    "upstreamProtocol",
    "upstreamDenied",
    "needsLogin",
    "outcomeUnknown",
    "resultTooLarge",
    "busy",
    "cancelled",
    "misconfigured",
];

/// What became of the calls: how often each (kind of call, outcome), and how long those of healthy servers took.
#[derive(Default)]
pub(crate) struct Tally {
    outcomes: BTreeMap<(String, String), u64>,
    times: Times,
    faults: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        for (what, count) in other.outcomes {
            *self.outcomes.entry(what).or_default() += count;
        }
        self.times.append(other.times);
        self.faults.extend(other.faults);
    }

    pub(crate) fn print(&self) {
        for ((kind, outcome), count) in &self.outcomes {
            println!("  {kind:<10} {outcome:<18} {count}");
        }
        let mut times = Times::default();
        times.append(self.times.clone());
        println!("calls of healthy servers: {}", times.summary());
    }

    /// The first of what may not happen.
    pub(crate) fn faults(&self) -> Vec<String> {
        let more = self.faults.len().saturating_sub(20);
        let mut shown: Vec<String> = self.faults.iter().take(20).cloned().collect();
        if more > 0 {
            shown.push(format!("and {more} more faults"));
        }
        shown
    }
}

/// A client and its dice.
pub(crate) struct Caller {
    client: McpClient,
    healthy: Vec<String>,
    random: Random,
    tally: Tally,
}

impl Caller {
    pub(crate) fn new(client: McpClient, healthy: &[String], seed: u64) -> Self {
        Self { client, healthy: healthy.to_vec(), random: Random::new(seed), tally: Tally::default() }
    }

    pub(crate) fn into_tally(self) -> Tally {
        self.tally
    }

    /// Calls a server that dice chose: every second time a healthy one.
    pub(crate) fn call_once(&mut self) {
        match self.random.below(20) {
            0 => self.search_once(),
            1..=10 => self.call_healthy(),
            _ => self.call_sick(),
        }
        self.client.take_notifications();
    }

    fn search_once(&mut self) {
        let asked = json!({"query": "read a file", "scope": "upstream", "detail": "names"});
        let outcome = self.client.call("sdl_action_search", asked);
        let is_found = |data: &Value| data["results"].as_array().is_some_and(|all| !all.is_empty());
        match outcome {
            Ok(result) if !result.is_error && is_found(&result.data) => self.note("search", "found"),
            other => self.fault("search", &format!("{other:?}")),
        }
    }

    fn call_healthy(&mut self) {
        let at = self.random.below(self.healthy.len() as u64) as usize;
        let Some(key) = self.healthy.get(at).cloned() else { return };
        let (tool, args) = harmless_call(&key);
        let began = std::time::Instant::now();
        let outcome = self.client.call(&format!("{key}/{tool}"), args);
        self.tally.times.push(began.elapsed());
        match outcome {
            // `fetch` has no network here, and says so itself.
            Ok(result) if !result.is_error || failure_code(&result.data).is_none() => {
                self.note("healthy", "answered")
            }
            other => self.fault("healthy", &format!("{key}: {other:?}")),
        }
    }

    fn call_sick(&mut self) {
        let ill = ILLS.get(self.random.below(ILLS.len() as u64) as usize).copied().unwrap_or("die");
        let key = format!("{ill}{}", 1 + self.random.below(4));
        let tool = if self.random.below(3) == 0 { ill } else { "echo" };
        let outcome = self.client.call(&format!("{key}/{tool}"), json!({"text": "x", "count": 20}));
        let kind = if tool == "echo" { format!("{ill}/echo") } else { ill.to_owned() };
        match outcome {
            Ok(result) if !result.is_error => self.note(&kind, "answered"),
            Ok(result) => match failure_code(&result.data) {
                Some(code) if CODES.contains(&code) => self.note(&kind, code),
                other => self.fault(&kind, &format!("{key}: code {other:?}: {}", result.raw)),
            },
            Err(error) => self.fault(&kind, &format!("{key}: {error}")),
        }
    }

    fn note(&mut self, kind: &str, outcome: &str) {
        *self.tally.outcomes.entry((kind.to_owned(), outcome.to_owned())).or_default() += 1;
    }

    fn fault(&mut self, kind: &str, text: &str) {
        self.note(kind, "FAULT");
        let short: String = text.chars().take(600).collect();
        eprintln!("fault: {kind}: {short}");
        self.tally.faults.push(format!("{kind}: {short}"));
    }
}

/// A call of a reference server that changes nothing.
pub(crate) fn harmless_call(key: &str) -> (&'static str, Value) {
    match key {
        "everything" => ("echo", json!({"message": "hello"})),
        "fs" => ("list_allowed_directories", json!({})),
        "memory" => ("read_graph", json!({})),
        "thinking" => (
            "sequentialthinking",
            json!({"thought": "t", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}),
        ),
        "fetch" => ("fetch", json!({"url": "http://127.0.0.1:9/"})),
        "git" => ("git_branch", json!({"repo_path": ".", "branch_type": "local"})),
        "time" => ("get_current_time", json!({"timezone": "UTC"})),
        _ => ("echo", json!({"text": "hello"})),
    }
}
