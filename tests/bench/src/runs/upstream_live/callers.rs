//! Clients that call all the time, and list their tools again after each `list_changed`.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sdl_tests::McpClient;
use serde_json::json;

use crate::Outcome;
use crate::runs::idle::pass_time;

/// The pause between two calls of a client.
const PAUSE: Duration = Duration::from_millis(15);

/// How many tools of the servers that change a client is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) moving: usize,
    pub(super) extra: usize,
}

/// A client got `list_changed`, and this is its list since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) client: usize,
    /// When the new list had arrived.
    pub(super) at: Instant,
    pub(super) view: View,
}

#[derive(Default)]
struct Notes {
    heard: Vec<Heard>,
    calls: u64,
    failed: Vec<String>,
    is_over: bool,
}

/// What all clients saw.
#[derive(Default)]
pub(super) struct Shared {
    notes: Mutex<Notes>,
    more: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn end(&self) {
        self.lock().is_over = true;
    }

    pub(super) fn calls(&self) -> (u64, Vec<String>) {
        let notes = self.lock();
        (notes.calls, notes.failed.clone())
    }

    pub(super) fn heard(&self, wanted: impl Fn(&Heard) -> bool) -> Vec<Heard> {
        self.lock().heard.iter().filter(|one| wanted(one)).copied().collect()
    }

    /// Waits until `find` finds something in what was heard.
    pub(super) fn wait_for<T>(&self, most: Duration, find: impl Fn(&[Heard]) -> Option<T>) -> Option<T> {
        let until = Instant::now() + most;
        let mut notes = self.lock();
        loop {
            if let Some(found) = find(&notes.heard) {
                return Some(found);
            }
            let left = until.checked_duration_since(Instant::now())?;
            notes = self.more.wait_timeout(notes, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A client.
pub(super) struct Caller<'a> {
    number: usize,
    client: McpClient,
    shared: &'a Shared,
}

impl<'a> Caller<'a> {
    pub(super) fn new(number: usize, client: McpClient, shared: &'a Shared) -> Self {
        Self { number, client, shared }
    }

    pub(super) fn call_until_over(&mut self) {
        // The daemon sends `list_changed` only to clients that have a list.
        if let Err(error) = self.client.list_tools() {
            self.shared.lock().failed.push(error.to_string());
        }
        while !self.shared.lock().is_over {
            let outcome = self.call_once();
            let mut notes = self.shared.lock();
            notes.calls += 1;
            if let Err(error) = outcome {
                notes.failed.push(error.to_string());
            }
            drop(notes);
            pass_time(PAUSE);
        }
    }

    fn call_once(&mut self) -> Outcome {
        let answer = self.client.call("steady/echo", json!({"text": "x"}))?;
        let told = self.client.take_notifications();
        if told.iter().any(|one| one["method"] == "notifications/tools/list_changed") {
            let tools = self.client.list_tools()?;
            let count = |prefix: &str| {
                tools
                    .iter()
                    .filter(|tool| tool["name"].as_str().is_some_and(|name| name.starts_with(prefix)))
                    .count()
            };
            let view = View { moving: count("moving_"), extra: count("extra_") };
            self.shared.lock().heard.push(Heard { client: self.number, at: Instant::now(), view });
            self.shared.more.notify_all();
        }
        if answer.is_error { Err(answer.raw.to_string().into()) } else { Ok(()) }
    }
}
