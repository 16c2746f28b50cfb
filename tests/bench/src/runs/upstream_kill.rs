//! `kill -9` of the daemon while calls of upstreams run. Afterwards no child may be left, and no call may have happened twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

use super::idle::pass_time;
use super::upstream_soak::{failure_code, known_tools, wait_for_ends, wait_until_known};
use crate::Outcome;
use crate::options::Options;
use crate::random::Random;
use crate::upstream::census::{describe_process, find_descendant, list_descendants, list_outside};
use crate::upstream::lab::Server;
use crate::upstream::settings::{ask_ctl, write_settings};

/// The upstreams, of which each gets three or so of a round's calls.
const UPSTREAMS: usize = 7;
/// The calls that are under way at a kill.
const CALLS: usize = 20;
/// Longest time of a call, in milliseconds.
const LONGEST: u64 = 60;
/// How long a new daemon may take to be rid of the children of the former.
const FAREWELL: Duration = Duration::from_secs(15);

/// What became of all calls.
#[derive(Default)]
struct Seen {
    codes: BTreeMap<String, u64>,
    answered: Vec<String>,
}

pub(crate) fn run_kill(options: &Options) -> Outcome {
    let rounds = options.number("rounds", 100);
    let env = TestEnv::new();
    let journal = env.path("journal");
    let word = format!("journal={}", journal.display());
    let servers = journal_servers(&word)?;
    let entries = crate::upstream::lab::server_entries(&servers, &json!({}));
    write_settings(&env, &json!({"mcpServers": entries}))?;
    let mut random = Random::new(options.number("seed", 1));
    // The shim starts the daemons, as it does for clients.
    let mut client = env.mcp(&env.home(), &[]);
    wait_until_known(&env, UPSTREAMS)?;
    let known = known_tools(&env)?;
    let mut seen = Seen::default();
    for round in 1..=rounds {
        one_kill(&env, &mut client, &mut random, round, &mut seen)?;
        find_orphans(&env, &word).map_err(|error| format!("round {round}: {error}"))?;
        if known_tools(&env)? != known {
            return Err(format!("round {round}: the tools are others now").into());
        }
    }
    check_journal(&journal, &seen)?;
    check_stores(&env)?;
    println!("{rounds} kills under {CALLS} calls on {UPSTREAMS} upstreams: {:?}", seen.codes);
    println!("no child left, no call twice, tools and audit log whole");
    Ok(())
}

/// Servers that note each call. The last one has to be killed.
fn journal_servers(word: &str) -> Outcome<Vec<Server>> {
    let words = |at: usize| if at == UPSTREAMS { vec![word, "stays"] } else { vec![word] };
    (1..=UPSTREAMS).map(|at| Server::scripted(&format!("up{at}"), &words(at))).collect()
}

fn one_kill(
    env: &TestEnv,
    client: &mut McpClient,
    random: &mut Random,
    round: u64,
    seen: &mut Seen,
) -> Outcome {
    let pid = daemon_pid(env)?;
    let mut open = Vec::new();
    for number in 0..CALLS {
        let text = format!("{round}.{number}");
        let tool = format!("up{}/count", 1 + number % UPSTREAMS);
        let id = client.send_call(&tool, json!({"text": text, "ms": random.below(LONGEST)}))?;
        open.push((id, text));
    }
    pass_time(Duration::from_micros(random.below(LONGEST * 1_000)));
    let daemon: Vec<_> = describe_process(pid).into_iter().collect();
    let below = list_descendants(pid);
    let gate = find_descendant(pid, "sdl-gate");
    let gate = gate.ok_or_else(|| format!("round {round}: the daemon {pid} has no gate"))?;
    let mut victims = vec!["-9".to_owned(), pid.to_string()];
    // Sometimes the gate goes with it, and only the next one can end its children.
    if random.below(2) == 0 {
        victims.push(gate.to_string());
    }
    if !Command::new("kill").args(&victims).status()?.success() {
        return Err(format!("round {round}: the daemon {pid} was gone already").into());
    }
    if !wait_for_ends(&daemon, FAREWELL).is_empty() {
        return Err(format!("round {round}: the daemon survived").into());
    }
    for (id, text) in open {
        let result = client.wait_call(id).map_err(|error| format!("round {round}, call {text}: {error}"))?;
        let code = if result.is_error { failure_code(&result.data).unwrap_or("none") } else { "answered" };
        match code {
            "answered" => seen.answered.push(text),
            // What may have happened is not known; what did not leave may be tried again by the caller.
            "outcomeUnknown" | "upstreamDown" | "unreachable" => {}
            other => return Err(format!("round {round}, call {text}: code {other}: {}", result.raw).into()),
        }
        *seen.codes.entry(code.to_owned()).or_default() += 1;
    }
    // The next daemon runs once this is answered.
    let text = format!("{round}.after");
    let result = client.call("up1/count", json!({"text": text, "ms": 0}))?;
    if result.is_error {
        return Err(format!("round {round}: the next daemon does not call: {}", result.raw).into());
    }
    seen.answered.push(text);
    let left = wait_for_ends(&below, FAREWELL);
    if left.is_empty() { Ok(()) } else { Err(format!("round {round}: {left:?} are left").into()) }
}

/// Nothing may run that no gate has started but an earlier one: a server, or a process that is to become one.
fn find_orphans(env: &TestEnv, word: &str) -> Outcome {
    let of_gates = |line: &[&str]| line.contains(&word) || line.starts_with(&["sdl-gate", "child"]);
    let orphans = wait_for_ends(&list_outside(daemon_pid(env)?, of_gates), FAREWELL);
    if orphans.is_empty() { Ok(()) } else { Err(format!("{orphans:?} are left").into()) }
}

fn daemon_pid(env: &TestEnv) -> Outcome<u32> {
    let status = ask_ctl(env, &["status"])?;
    let pid = status["pid"].as_u64().ok_or_else(|| format!("no pid in {status}"))?;
    Ok(u32::try_from(pid)?)
}

/// Each call that was answered happened once, and none twice.
fn check_journal(journal: &Path, seen: &Seen) -> Outcome {
    let text = fs::read_to_string(PathBuf::from(journal))?;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for line in text.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    if !twice.is_empty() {
        return Err(format!("calls that happened more than once: {twice:?}").into());
    }
    let absent: Vec<_> = seen.answered.iter().filter(|text| !counts.contains_key(text.as_str())).collect();
    if !absent.is_empty() {
        return Err(format!("calls that were answered and did not happen: {absent:?}").into());
    }
    println!("{} calls answered, {} took effect", seen.answered.len(), counts.len());
    Ok(())
}

fn check_stores(env: &TestEnv) -> Outcome {
    let verified = env.ctl(&["audit", "verify"]);
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    if !verified.status.success() {
        return Err(format!("sdlctl audit verify: {said}").into());
    }
    println!("sdlctl audit verify: {}", said.trim());
    let status: Value = ask_ctl(env, &["status"])?;
    if status["healthy"] != true {
        return Err(format!("the daemon is not healthy: {status}").into());
    }
    Ok(())
}
