//! `hook`, also spelled `session hook`: answers a hook of a client with what the ledger knows, and the messages for its agent.
//!
//! A hook must never be in the way. Without a daemon, without an answer in time and after any failure it prints nothing, and succeeds. It
//! starts no daemon.

mod ancestors;
mod event;
mod patch;
mod shell;

use std::io::Read as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sdl_client::{CallOptions, Client};
use serde_json::{Value, json};

use crate::cli::HookClient;
use crate::output;
use crate::session::{daemon_paths, make_runtime, own_hello};
use ancestors::ancestors_of;
use event::{Event, Kind, Tool};

/// Bytes of a hook's input that are read.
const MOST_INPUT: u64 = 16 << 20;
/// How long the client may take to write it.
const INPUT_WAIT: Duration = Duration::from_secs(1);
/// How long the daemon has for a reminder about a search or a file, and for messages.
const READ_LIMIT: Duration = Duration::from_millis(200);
/// How long it has for one about an edit, which it has to see first.
const EDIT_LIMIT: Duration = Duration::from_millis(1_500);
/// Of these times, what the way to the daemon and back may take.
const ON_THE_WAY: Duration = Duration::from_millis(40);

pub(crate) fn run_hook(client: HookClient) {
    let answer = read_input().and_then(|input| {
        let input: Value = serde_json::from_slice(&input).ok()?;
        answer_hook(client, &input)
    });
    if let Some(answer) = answer {
        // A reader that has gone away hears nothing.
        let _ = output::print_live_json(&answer);
    }
}

/// The input of the hook. None if the client does not end it.
fn read_input() -> Option<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    // A thread of its own, because reading has no deadline. It ends with the process.
    thread::spawn(move || {
        let mut input = Vec::new();
        let read = std::io::stdin().lock().take(MOST_INPUT).read_to_end(&mut input);
        let _ = sender.send(read.is_ok().then_some(input));
    });
    receiver.recv_timeout(INPUT_WAIT).ok().flatten()
}

fn answer_hook(client: HookClient, input: &Value) -> Option<Value> {
    let event = Event::read(client, input)?;
    let limit = if event.tool == Some(Tool::Edit) { EDIT_LIMIT } else { READ_LIMIT };
    let ancestors = ancestors_of(std::process::id());
    let within = u64::try_from(limit.saturating_sub(ON_THE_WAY).as_millis()).ok()?;
    let asked = event.to_request(client, &ancestors, within);
    let text = ask_daemon(&asked, limit)?;
    Some(hook_output(&event, &text))
}

/// Asks the daemon, if one runs and answers in time.
fn ask_daemon(asked: &Value, limit: Duration) -> Option<String> {
    let paths = daemon_paths().ok()?;
    // Without a socket there is nothing to wait for.
    if cfg!(unix) && !paths.socket().exists() {
        return None;
    }
    let runtime = make_runtime().ok()?;
    let asking = async {
        let client = Client::connect(paths.socket(), own_hello()).await.ok()?;
        client.call("hook/remind", asked.to_string(), CallOptions::mutation()).await.ok()
    };
    let answer = runtime.block_on(async { tokio::time::timeout(limit, asking).await.ok().flatten() })?;
    let answer: Value = serde_json::from_slice(&answer).ok()?;
    answer["text"].as_str().map(str::to_owned)
}

/// What the client expects of a hook that has something to say. Every client that is known here reads the same form.
fn hook_output(event: &Event, text: &str) -> Value {
    if event.kind == Kind::Stop {
        return json!({"decision": "block", "reason": text});
    }
    json!({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_has_the_form_that_the_client_reads() {
        let stop = Event::read(HookClient::ClaudeCode, &json!({"hook_event_name": "Stop"})).unwrap();
        assert_eq!(hook_output(&stop, "x"), json!({"decision": "block", "reason": "x"}));
        for (client, name) in [
            (HookClient::ClaudeCode, "SessionStart"),
            (HookClient::ClaudeCode, "SubagentStart"),
            (HookClient::ClaudeCode, "UserPromptSubmit"),
            (HookClient::ClaudeCode, "PostToolUse"),
            (HookClient::Codex, "PostToolUse"),
            (HookClient::GeminiCli, "AfterTool"),
            (HookClient::QwenCode, "PostToolUse"),
        ] {
            let event = Event::read(client, &json!({"hook_event_name": name})).unwrap();
            let wanted = json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "x"}});
            assert_eq!(hook_output(&event, "x"), wanted);
        }
    }
}
