//! `session hook`: answers a hook of a client with the messages for its agent.
//!
//! A hook must never be in the way: without a daemon, without a session, and after any failure it prints nothing, and succeeds.

use std::collections::HashSet;
use std::io::Read as _;

use serde_json::{Value, json};

use crate::cli::HookClient;
use crate::output;
use crate::session::Session;

/// Bytes of a hook's input that are read.
const MOST_INPUT: u64 = 4 << 20;
/// Ancestors that are looked at.
const MOST_ANCESTORS: usize = 32;
/// Events after which the model reads what a hook prints.
const READING: [&str; 3] = ["SessionStart", "UserPromptSubmit", "PostToolUse"];
/// The event before the model stops.
const STOP: &str = "Stop";

pub(crate) fn run_hook(client: HookClient) {
    let HookClient::ClaudeCode = client;
    let mut input = String::new();
    let read = std::io::stdin().lock().take(MOST_INPUT).read_to_string(&mut input);
    if read.is_ok()
        && let Some(answer) = serde_json::from_str(&input).ok().and_then(|input: Value| answer_hook(&input))
    {
        output::print_json(&answer);
    }
}

fn answer_hook(input: &Value) -> Option<Value> {
    let event = input["hook_event_name"].as_str()?;
    let stops = event == STOP;
    // It may stop now, because it goes on after a hook already.
    if (!stops && !READING.contains(&event)) || (stops && input["stop_hook_active"] == true) {
        return None;
    }
    let session = Session::existing().ok()?;
    let all = session.call("work/sessions", &json!({})).ok()?;
    let own = ancestors_of(std::process::id());
    let is_own = |one: &&Value| {
        let pid = one["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        pid.and_then(parent_of).is_some_and(|parent| own.contains(&parent))
    };
    // The newest connection, if the client has started the shim more than once.
    let found =
        all["sessions"].as_array()?.iter().filter(is_own).max_by_key(|one| one["connection"].as_u64())?;
    let asked = json!({"connection": found["connection"], "stops": stops});
    let answer = session.call("work/hook", &asked).ok()?;
    let text = answer["text"].as_str()?;
    Some(hook_output(event, text))
}

/// What the client expects of a hook that has something to say.
fn hook_output(event: &str, text: &str) -> Value {
    if event == STOP {
        return json!({"decision": "block", "reason": text});
    }
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

/// The processes that a process descends from.
fn ancestors_of(pid: u32) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut next = parent_of(pid);
    while let Some(pid) = next.filter(|pid| *pid > 1 && found.len() < MOST_ANCESTORS) {
        found.insert(pid);
        next = parent_of(pid);
    }
    found
}

/// The parent of a process.
#[cfg(target_os = "linux")]
fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets that may have any character, so that the last bracket ends it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The parent of a process.
#[cfg(not(target_os = "linux"))]
fn parent_of(pid: u32) -> Option<u32> {
    let pid = pid.to_string();
    let output = std::process::Command::new("ps").args(["-o", "ppid=", "-p", &pid]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_ancestors() {
        let own = std::process::id();
        let parent = parent_of(own).unwrap();
        assert!(ancestors_of(own).contains(&parent) || parent == 1);
        assert_eq!(parent_of(u32::MAX), None);
    }

    #[test]
    fn each_event_has_the_form_that_the_client_reads() {
        assert_eq!(hook_output("Stop", "x"), json!({"decision": "block", "reason": "x"}));
        for event in READING {
            let out = hook_output(event, "x");
            assert_eq!(out["hookSpecificOutput"]["hookEventName"], event);
            assert_eq!(out["hookSpecificOutput"]["additionalContext"], "x");
        }
        for input in [
            json!({}),
            json!({"hook_event_name": "PreCompact"}),
            json!({"hook_event_name": "Stop", "stop_hook_active": true}),
        ] {
            assert_eq!(answer_hook(&input), None);
        }
    }
}
