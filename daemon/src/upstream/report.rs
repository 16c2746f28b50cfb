//! Upstreams as a person sees them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sdl_proto::gate::UpstreamState;
use sdl_settings::{Transport, Upstream};
use serde_json::{Map, Value, json};

/// The calls of an upstream whose times are kept.
const KEPT: usize = 200;

/// How long the last calls of each upstream took.
#[derive(Default)]
pub(super) struct Times(Mutex<HashMap<String, Calls>>);

/// The calls of one upstream since the daemon started.
#[derive(Default)]
struct Calls {
    all: u64,
    failed: u64,
    times: VecDeque<Duration>,
}

/// The calls, and the milliseconds within which half of the calls, and all but a twentieth, were answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shares {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
}

impl Times {
    /// Adds a call and its time.
    pub(super) fn note(&self, key: &str, time: Duration, is_failed: bool) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = all.entry(key.to_owned()).or_default();
        calls.all += 1;
        calls.failed += u64::from(is_failed);
        if calls.times.len() == KEPT {
            calls.times.pop_front();
        }
        calls.times.push_back(time);
    }

    /// The shares of each upstream that was called.
    pub(super) fn shares(&self) -> HashMap<String, Shares> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |calls: &Calls| {
            let mut sorted: Vec<Duration> = calls.times.iter().copied().collect();
            sorted.sort_unstable();
            let at = |share: usize| {
                let place = (sorted.len() * share).div_ceil(100).saturating_sub(1);
                let time = sorted.get(place).copied().unwrap_or_default();
                (time.as_secs_f64() * 100_000.0).round() / 100.0
            };
            Shares { calls: calls.all, failed: calls.failed, p50_ms: at(50), p95_ms: at(95) }
        };
        all.iter().map(|(key, calls)| (key.clone(), of(calls))).collect()
    }
}

/// One upstream as JSON. `known` is what the tools know of its lists; `now_ms` are Unix milliseconds.
pub(super) fn describe_one(
    upstream: &Upstream,
    state: Option<&UpstreamState>,
    known: Option<&Value>,
    shares: Option<&Shares>,
    now_ms: u64,
) -> Value {
    let mut all = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            all.insert(name.to_owned(), value);
        }
    };
    put("key", Some(upstream.key.clone().into()));
    let idle = match known {
        _ if !upstream.enabled => "off",
        Some(known) if known["known"] == true => "stopped",
        _ => "new",
    };
    put("state", Some(state.map_or(idle, |state| state.state.as_str()).into()));
    put(
        "transport",
        Some(if matches!(upstream.transport, Transport::Stdio { .. }) { "stdio" } else { "http" }.into()),
    );
    put("mode", Some(upstream.own.mode.as_str().into()));
    put("about", upstream.own.about.clone().map(Value::from));
    let counts = ["prompts", "resources", "resourceTemplates"];
    let figures = [
        "tools",
        "tokens",
        "tokensWhole",
        "tokensListed",
        "readAtMs",
        "held",
        "changed",
        "flags",
        "stale",
        "skipped",
        "unread",
    ];
    for part in figures.into_iter().chain(counts) {
        put(part, known.and_then(|known| known.get(part)).cloned());
    }
    if let Some(state) = state {
        put("pid", state.pid.map(Value::from));
        put("rssMb", state.rss_kb.map(|kb| (kb / 1_024).into()));
        put("era", state.era.clone().map(Value::from));
        put("restarts", Some(state.restarts.into()));
        put("lastError", state.last_error.clone().map(Value::from));
        put("lastErrorAgeMs", state.last_error_at_ms.map(|at| now_ms.saturating_sub(at).into()));
        put("nextAttemptMs", state.next_attempt_ms.map(Value::from));
        put("counts", (!state.counts.is_empty()).then(|| json!(state.counts)));
    }
    put("calls", Some(shares.map_or(0, |shares| shares.calls).into()));
    put("failed", Some(shares.map_or(0, |shares| shares.failed).into()));
    put("p50Ms", shares.map(|shares| shares.p50_ms.into()));
    put("p95Ms", shares.map(|shares| shares.p95_ms.into()));
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_last_calls() {
        let times = Times::default();
        times.note("fs", Duration::from_secs(9), true);
        for ms in 1..=200 {
            times.note("fs", Duration::from_millis(ms), false);
        }
        assert_eq!(times.shares()["fs"], Shares { calls: 201, failed: 1, p50_ms: 100.0, p95_ms: 190.0 });
    }
}
