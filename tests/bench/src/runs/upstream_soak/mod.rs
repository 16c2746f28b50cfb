//! Clients that call healthy and sick upstreams for a long time, and what that leaves: memory, processes, tools and codes.

mod load;
mod watch;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sdl_tests::{Daemon, TestEnv};
use serde_json::{Value, json};

pub(crate) use self::load::harmless_call;
use self::load::{Caller, Tally};
use self::watch::Sample;
use super::idle::pass_time;
use crate::Outcome;
use crate::options::Options;
use crate::upstream::census::{Process, list_descendants};
use crate::upstream::lab::{Server, reference_servers, server_entries};
use crate::upstream::scripted;
use crate::upstream::settings::{ask_ctl, list_upstreams, write_settings};

/// How the scripted servers are sick; there are four of each kind.
pub(crate) const ILLS: [&str; 5] = ["die", "hang", "flood", "change", "noise"];
/// How long processes may take to end after the daemon was stopped.
const FAREWELL: Duration = Duration::from_secs(20);

pub(crate) fn run_soak(options: &Options) -> Outcome {
    let folder = options.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let time = Duration::from_secs(options.number("seconds", 120));
    let env = TestEnv::new();
    let (healthy, missing) = reference_servers(&folder, &env.path("lab"))?;
    println!("{} reference servers, not installed: {missing:?}; 20 scripted ones", healthy.len());
    let sick = scripted_servers()?;
    let mut entries = server_entries(&healthy, &json!({}));
    let short = json!({"timeoutMs": 1500, "maxTotalMs": 3000});
    for server in &sick {
        entries[&server.key] = server.entry(&short);
    }
    write_settings(&env, &json!({"mcpServers": entries}))?;
    let mut daemon = env.daemon();
    wait_until_known(&env, healthy.len() + sick.len())?;
    let known = known_tools(&env)?;
    let (tally, samples) = run_load(options, &env, &daemon, &healthy, time)?;
    tally.print();
    let mut faults = tally.faults();
    faults.extend(watch::judge_memory(&samples));
    let after = known_tools(&env)?;
    faults.extend(lost_tools(&known, &after));
    faults.extend(stop_all(&env, &mut daemon));
    if faults.is_empty() {
        println!("nothing lost, nothing left, every failure has a documented code");
        return Ok(());
    }
    Err(faults.join("\n").into())
}

fn scripted_servers() -> Outcome<Vec<Server>> {
    let numbered = ILLS.iter().flat_map(|ill| (1..=4).map(move |number| format!("{ill}{number}")));
    numbered.map(|key| Server::scripted(&key, &[])).collect()
}

/// Waits until all lists were read once.
pub(crate) fn wait_until_known(env: &TestEnv, count: usize) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let all = list_upstreams(env)?;
        let known = all.iter().filter(|one| one["tools"].as_u64().is_some_and(|tools| tools > 0)).count();
        if known >= count {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("of {count} upstreams only {known} were read: {all:?}").into());
        }
        pass_time(Duration::from_millis(200));
    }
}

/// The tools of each upstream, as `KEY/TOOL`.
pub(crate) fn known_tools(env: &TestEnv) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    for one in list_upstreams(env)? {
        let key = one["key"].as_str().unwrap_or_default();
        let listed = ask_ctl(env, &["upstream", "tools", key])?;
        let tools = listed["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.extend(tools.iter().map(|tool| format!("{key}/{}", tool["name"].as_str().unwrap_or_default())));
    }
    Ok(all)
}

/// The tools that were there before and are not any more. One tool of the servers that change comes and goes.
fn lost_tools(before: &[String], after: &[String]) -> Vec<String> {
    let scripted = ILLS.iter().flat_map(|ill| (1..=4).map(move |number| format!("{ill}{number}")));
    let wanted = scripted.flat_map(|key| scripted::TOOLS.map(|tool| format!("{key}/{tool}")));
    let all = before.iter().filter(|tool| !tool.ends_with("/extra")).cloned().chain(wanted);
    let lost: Vec<String> = all.filter(|tool| !after.contains(tool)).collect();
    println!("tools: {} before, {} after, lost: {lost:?}", before.len(), after.len());
    lost.into_iter().map(|tool| format!("lost tool {tool}")).collect()
}

/// Calls for as long as wanted, and looks at the processes meanwhile.
fn run_load(
    options: &Options,
    env: &TestEnv,
    daemon: &Daemon,
    healthy: &[Server],
    time: Duration,
) -> Outcome<(Tally, Vec<Sample>)> {
    let clients = options.number("clients", 8);
    let per_minute = options.number("per-minute", 60).max(1);
    let is_over = AtomicBool::new(false);
    let healthy: Vec<String> = healthy.iter().map(|server| server.key.clone()).collect();
    thread::scope(|scope| {
        let mut running = Vec::new();
        for number in 0..clients {
            let mut caller =
                Caller::new(env.mcp(&env.home(), &[]), &healthy, options.number("seed", 1) + number);
            let is_over = &is_over;
            let pause = Duration::from_secs(60) / per_minute as u32;
            running.push(scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    caller.call_once();
                    pass_time(pause);
                }
                caller.into_tally()
            }));
        }
        let samples = watch::watch_processes(daemon.pid(), time);
        is_over.store(true, Ordering::Relaxed);
        let mut tally = Tally::default();
        for run in running {
            tally.add(run.join().map_err(|_| "a caller panicked")?);
        }
        Ok((tally, samples))
    })
}

/// Stops the daemon and waits for the end of all that it started.
fn stop_all(env: &TestEnv, daemon: &mut Daemon) -> Vec<String> {
    let before = list_descendants(daemon.pid());
    env.ctl(&["stop"]);
    daemon.wait();
    let left = wait_for_ends(&before, FAREWELL);
    println!("processes below the daemon: {} before the stop, {} after it", before.len(), left.len());
    left.into_iter().map(|process| format!("process {} ({}) is left", process.pid, process.name)).collect()
}

/// The processes that still run after that time.
pub(crate) fn wait_for_ends(all: &[Process], most: Duration) -> Vec<Process> {
    let deadline = Instant::now() + most;
    loop {
        let left: Vec<Process> = all.iter().filter(|process| process.is_alive()).cloned().collect();
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        pass_time(Duration::from_millis(50));
    }
}

/// The code of a failure, as a client reads it.
pub(crate) fn failure_code(data: &Value) -> Option<&str> {
    data["code"].as_str()
}
