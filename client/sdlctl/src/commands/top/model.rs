//! What `top` knows: the newest state of the daemon, and the calls of the last minute.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::output::{number_at, text_at};

/// How far back times of calls count.
const WINDOW: Duration = Duration::from_mins(1);

/// How far back the rate of calls counts.
const RATE_WINDOW: Duration = Duration::from_secs(10);

/// Calls that are kept at most.
const MOST_CALLS: usize = 100_000;

/// Everything that is known.
#[derive(Default)]
pub(super) struct Model {
    pub(super) status: Value,
    pub(super) sessions: u64,
    /// Processors that the daemon uses: 1.0 is one of them.
    pub(super) processors: Option<f64>,
    used: Option<(Instant, u64)>,
    calls: VecDeque<Seen>,
    /// Since this program began.
    pub(super) total: Totals,
    /// The newest version of each repository.
    versions: BTreeMap<String, Version>,
    pub(super) lost: u64,
    /// Why nothing comes now.
    pub(super) away: Option<String>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) calls: u64,
    pub(super) tokens: u64,
    pub(super) instead: u64,
    pub(super) versions: u64,
}

struct Version {
    name: String,
    ms: u64,
    count: u64,
}

struct Seen {
    at: Instant,
    action: String,
    client: String,
    session: u64,
    us: u64,
    tokens: u64,
    ok: bool,
}

/// The calls of one action, or of one client, in the last minute.
#[derive(Default)]
pub(super) struct Group {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) tokens: u64,
    times: Vec<u64>,
}

impl Group {
    fn add(&mut self, call: &Seen) {
        self.calls += 1;
        self.failed += u64::from(!call.ok);
        self.tokens += call.tokens;
        self.times.push(call.us);
    }

    /// The time in milliseconds that this share of the calls did not exceed.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable();
        let place = (share * times.len() as f64).ceil() as usize;
        times.get(place.saturating_sub(1)).map_or(0.0, |us| *us as f64 / 1_000.0)
    }
}

impl Model {
    /// Takes the state of the daemon.
    pub(super) fn take_status(&mut self, status: Value, sessions: &Value, now: Instant) {
        let used = status["cpuMs"].as_u64();
        if let (Some(used), Some((then, before))) = (used, self.used) {
            let passed = now.saturating_duration_since(then).as_secs_f64();
            // Another process has used less.
            self.processors =
                (passed > 0.0 && used >= before).then(|| (used - before) as f64 / 1_000.0 / passed);
        }
        self.used = used.map(|used| (now, used));
        self.sessions = sessions["sessions"].as_array().map_or(0, Vec::len) as u64;
        self.status = status;
        self.away = None;
    }

    /// Takes an event of the feed.
    pub(super) fn take_event(&mut self, method: &str, event: &Value, now: Instant) {
        match method {
            "feed/version" => {
                self.total.versions += 1;
                let name = text_at(event, "/version").to_owned();
                let id = text_at(event, "/repo").to_owned();
                let count = self.versions.get(&id).map_or(0, |known| known.count) + 1;
                self.versions.insert(id, Version { name, ms: number_at(event, "/ms"), count });
            }
            "feed/call" => {
                let tokens = number_at(event, "/tokens");
                self.total.calls += 1;
                self.total.tokens += tokens;
                self.total.instead += number_at(event, "/instead");
                self.calls.push_back(Seen {
                    at: now,
                    action: text_at(event, "/action").to_owned(),
                    client: text_at(event, "/client").to_owned(),
                    session: number_at(event, "/session"),
                    us: number_at(event, "/us"),
                    tokens,
                    ok: event["ok"] != false,
                });
            }
            "feed/lost" => self.lost += number_at(event, "/count"),
            _ => {}
        }
        self.forget_old(now);
    }

    /// Forgets calls that are too old.
    pub(super) fn forget_old(&mut self, now: Instant) {
        let is_old = |call: &Seen| now.saturating_duration_since(call.at) > WINDOW;
        while self.calls.len() > MOST_CALLS || self.calls.front().is_some_and(is_old) {
            self.calls.pop_front();
        }
    }

    /// Calls in a second, lately.
    pub(super) fn rate(&self, now: Instant) -> f64 {
        let is_new = |call: &&Seen| now.saturating_duration_since(call.at) <= RATE_WINDOW;
        self.calls.iter().rev().take_while(is_new).count() as f64 / RATE_WINDOW.as_secs_f64()
    }

    /// The calls of the last minute by action.
    pub(super) fn by_action(&self) -> BTreeMap<&str, Group> {
        let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
        self.calls.iter().for_each(|call| groups.entry(&call.action).or_default().add(call));
        groups
    }

    /// The calls of the last minute by connection and client.
    pub(super) fn by_client(&self) -> BTreeMap<(u64, &str), Group> {
        let mut groups: BTreeMap<(u64, &str), Group> = BTreeMap::new();
        self.calls.iter().for_each(|call| groups.entry((call.session, &call.client)).or_default().add(call));
        groups
    }

    /// A repository's newest version, how long it took, and how many were made since this program began.
    pub(super) fn version_of<'a>(&'a self, repo: &'a Value) -> (&'a str, Option<u64>, u64) {
        match self.versions.get(text_at(repo, "/repoId")) {
            Some(version) => (&version.name, Some(version.ms), version.count),
            None => (text_at(repo, "/ledgerVersion"), None, 0),
        }
    }

    /// Everything as one JSON object.
    pub(super) fn snapshot(&self, now: Instant, at_ms: u64) -> Value {
        let actions: serde_json::Map<String, Value> = self
            .by_action()
            .into_iter()
            .map(|(action, group)| {
                let shown = json!({ "calls": group.calls, "failed": group.failed, "tokens": group.tokens,
                    "p50Ms": group.quantile(0.5), "p95Ms": group.quantile(0.95) });
                (action.to_owned(), shown)
            })
            .collect();
        let repos: Vec<Value> = self.status["repos"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|repo| {
                json!({ "repo": repo["repoId"], "state": repo["state"], "health": repo["health"],
                    "version": self.version_of(repo).0, "progress": repo["progress"] })
            })
            .collect();
        json!({
            "at": at_ms,
            "away": self.away,
            "pid": self.status["pid"],
            "memory": self.status["memory"],
            "processors": self.processors,
            "callsPerSecond": self.rate(now),
            "sessions": self.sessions,
            "actions": actions,
            "repos": repos,
            "upstreams": self.status["upstreams"]["upstreams"],
            "since": { "calls": self.total.calls, "tokens": self.total.tokens, "instead": self.total.instead,
                "versions": self.total.versions, "lost": self.lost },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(action: &str, us: u64, ok: bool) -> Value {
        json!({"action": action, "client": "a", "session": 1, "us": us, "tokens": 10, "ok": ok, "instead": 5})
    }

    #[test]
    fn times_are_those_of_the_last_minute() {
        let start = Instant::now();
        let mut model = Model::default();
        for us in 1..=100 {
            model.take_event("feed/call", &call("symbol.search", us * 1_000, us > 2), start);
        }
        let groups = model.by_action();
        let group = &groups["symbol.search"];
        assert_eq!((group.calls, group.failed, group.tokens), (100, 2, 1_000));
        assert!((group.quantile(0.5) - 50.0).abs() < 1e-9 && (group.quantile(0.95) - 95.0).abs() < 1e-9);
        assert!((model.rate(start) - 10.0).abs() < 1e-9);
        assert!(model.rate(start + Duration::from_secs(11)) < 1e-9);
        model.forget_old(start + Duration::from_secs(61));
        assert!(model.by_action().is_empty() && model.by_client().is_empty());
        assert_eq!((model.total.calls, model.total.tokens, model.total.instead), (100, 1_000, 500));
        assert!((Group::default().quantile(0.5)).abs() < 1e-9, "no calls, no times");
    }

    #[test]
    fn processors_are_the_time_used_between_two_looks() {
        let start = Instant::now();
        let mut model = Model::default();
        let look = |model: &mut Model, used: u64, second: u64| {
            let now = start + Duration::from_secs(second);
            model.take_status(json!({ "cpuMs": used }), &json!({"sessions": [{}, {}]}), now);
            model.processors
        };
        assert_eq!(look(&mut model, 1_000, 0), None);
        assert_eq!(look(&mut model, 1_500, 1), Some(0.5));
        assert_eq!(look(&mut model, 20, 2), None, "another process");
        assert_eq!(model.sessions, 2);
    }

    #[test]
    fn versions_of_the_feed_are_newer_than_the_status() {
        let mut model = Model::default();
        let repo = json!({"repoId": "app", "ledgerVersion": "v1"});
        assert_eq!(model.version_of(&repo), ("v1", None, 0));
        let event = json!({"repo": "app", "version": "v2", "ms": 9});
        model.take_event("feed/version", &event, Instant::now());
        assert_eq!(model.version_of(&repo), ("v2", Some(9), 1));
        let snapshot = model.snapshot(Instant::now(), 7);
        assert_eq!((&snapshot["at"], &snapshot["since"]["versions"]), (&json!(7), &json!(1)));
    }
}
