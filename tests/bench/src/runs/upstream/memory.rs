//! The memory of all reference servers for five client sessions: once for all of them, or once for each.

use std::time::{Duration, Instant};

use sdl_tests::TestEnv;
use serde_json::json;

use super::peers::start_peers;
use super::{Folders, report_missing};
use crate::Outcome;
use crate::process::{thread_wakeups, wakeups_since};
use crate::runs::idle::pass_time;
use crate::runs::upstream_soak::{harmless_call, wait_until_known};
use crate::upstream::census::{list_descendants, memory_sums};
use crate::upstream::lab::{Server, reference_servers, server_entries};
use crate::upstream::line_client::{LineClient, STATEFUL};
use crate::upstream::settings::{list_upstreams, write_settings};

const SESSIONS: usize = 5;
/// How long servers are left alone before their memory is read.
const REST: Duration = Duration::from_secs(2);

pub(super) fn print_memory(folders: &Folders) -> Outcome {
    let scratch = tempfile::tempdir()?;
    let (servers, missing) = reference_servers(&folders.servers, scratch.path())?;
    report_missing(&folders.servers, &missing);
    println!("\nMemory of {} servers, each called once in each of {SESSIONS} sessions\n", servers.len());
    println!("| way | processes | resident | shared pages divided | of one set |\n|---|---:|---:|---:|---:|");
    let one = measure_direct(&servers, 1)?;
    print_row("direct, one session", &one, &one);
    let five = measure_direct(&servers, SESSIONS)?;
    print_row(&format!("direct, {SESSIONS} sessions"), &five, &one);
    measure_ours(&servers, &one)?;
    for mut peer in start_peers(&folders.peers, &servers, scratch.path())? {
        // A proxy on standard streams belongs to one client; the others are shared.
        for server in &servers {
            let (tool, args) = harmless_call(&server.key);
            if let Err(error) = peer.call_tool(&server.key, tool, &args) {
                println!("{}: {}: {error}", peer.name, server.key);
            }
        }
        pass_time(REST);
        let Some(pid) = peer.pid() else { continue };
        let mut pids: Vec<u32> = list_descendants(pid).iter().map(|process| process.pid).collect();
        pids.push(pid);
        print_row(&format!("{}, one session", peer.name), &Taken::of(&pids), &one);
    }
    Ok(())
}

struct Taken {
    processes: usize,
    resident: u64,
    divided: u64,
}

impl Taken {
    fn of(pids: &[u32]) -> Self {
        let (resident, divided) = memory_sums(pids);
        Self { processes: pids.len(), resident, divided }
    }
}

fn print_row(way: &str, taken: &Taken, one: &Taken) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "| {way} | {} | {:.0} MB | {:.0} MB | {:.2} |",
        taken.processes,
        megabytes(taken.resident),
        megabytes(taken.divided),
        taken.resident as f64 / one.resident as f64
    );
}

fn measure_direct(servers: &[Server], sessions: usize) -> Outcome<Taken> {
    let mut clients = Vec::new();
    for _ in 0..sessions {
        for server in servers {
            let mut client = LineClient::start(&mut server.direct_command(), STATEFUL)?;
            client.request("tools/list", "{}")?.result()?;
            let (tool, args) = harmless_call(&server.key);
            client.call_tool(tool, &args.to_string())?;
            clients.push(client);
        }
    }
    pass_time(REST);
    let mut pids = Vec::new();
    for client in &clients {
        pids.push(client.pid());
        pids.extend(list_descendants(client.pid()).iter().map(|process| process.pid));
    }
    Ok(Taken::of(&pids))
}

/// The same through one daemon; then without a call for longer than servers are kept.
fn measure_ours(servers: &[Server], one: &Taken) -> Outcome {
    let env = TestEnv::new();
    let idle_stop = 20;
    let entries = server_entries(servers, &json!({"idleStopSeconds": idle_stop}));
    write_settings(&env, &json!({"mcpServers": entries}))?;
    let daemon = env.daemon();
    wait_until_known(&env, servers.len())?;
    let mut shims = Vec::new();
    for _ in 0..SESSIONS {
        let mut shim = env.mcp(&env.home(), &[]);
        shim.list_tools()?;
        for server in servers {
            let (tool, args) = harmless_call(&server.key);
            shim.call(&format!("{}/{tool}", server.key), args)?;
        }
        shims.push(shim);
    }
    pass_time(REST);
    let below = list_descendants(daemon.pid());
    let pids = |wanted: fn(&str) -> bool| -> Vec<u32> {
        below.iter().filter(|process| wanted(&process.name)).map(|process| process.pid).collect()
    };
    let children = pids(|name| name != "sdl-gate");
    print_row("the servers below our gate", &Taken::of(&children), one);
    let mut all = children.clone();
    all.extend(pids(|name| name == "sdl-gate"));
    all.push(daemon.pid());
    print_row("the same with gate and daemon", &Taken::of(&all), one);
    let shim_pids: Vec<u32> = shims.iter().map(sdl_tests::McpClient::pid).collect();
    all.extend(&shim_pids);
    print_row(&format!("the same with {SESSIONS} shims"), &Taken::of(&all), one);
    measure_idle(&env, &daemon, &children, idle_stop)
}

/// Waits until the servers were stopped because nobody called them, and counts the wake-ups after that.
fn measure_idle(env: &TestEnv, daemon: &sdl_tests::Daemon, children: &[u32], idle_stop: u64) -> Outcome {
    let began = Instant::now();
    let deadline = Duration::from_secs(idle_stop + 30);
    let gate = |all: &[crate::upstream::census::Process]| {
        all.iter().find(|one| one.name == "sdl-gate").map(|one| one.pid)
    };
    loop {
        let below = list_descendants(daemon.pid());
        let left = below.iter().filter(|process| children.contains(&process.pid)).count();
        if left == 0 {
            break;
        }
        if began.elapsed() > deadline {
            return Err(format!("{left} idle servers still run after {deadline:?}").into());
        }
        pass_time(Duration::from_millis(250));
    }
    println!("\nidle for {idle_stop} s: all servers were stopped");
    let below = list_descendants(daemon.pid());
    pass_time(REST);
    let pids = [("the daemon", Some(daemon.pid())), ("the gate", gate(&below))];
    let before = pids.map(|(_, pid)| pid.and_then(thread_wakeups).unwrap_or_default());
    let seconds = 30;
    pass_time(Duration::from_secs(seconds));
    for ((name, pid), before) in pids.iter().zip(&before) {
        let woken = pid.and_then(|pid| wakeups_since(pid, before));
        println!(
            "wake-ups of {name} in the next {seconds} s: {}",
            woken.map_or("?".to_owned(), |woken| woken.to_string())
        );
    }
    let states: Vec<String> = list_upstreams(env)?.iter().map(|one| one["state"].to_string()).collect();
    println!("states: {}", states.join(" "));
    Ok(())
}
