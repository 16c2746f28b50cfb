//! Calls of upstreams that hang: others' calls must not notice. Rounds without and with them take turns, so that both meet the
//! same machine.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

use super::idle::pass_time;
use super::upstream_soak::wait_until_known;
use crate::figures::{Times, median};
use crate::options::Options;
use crate::upstream::lab::{Server, server_entries};
use crate::upstream::settings::{list_upstreams, write_settings};
use crate::world::World;
use crate::{Outcome, tree};

/// The upstreams whose calls hang. Each runs as many calls at once as an entry without options allows.
const UPSTREAMS: usize = 4;
/// The clients that make these calls.
const CLIENTS: usize = 8;
/// The share by which the slowest twentieth may be slower beside them.
const LIMIT: f64 = 1.2;
/// How long the calls may take to arrive, and to be given up.
const SOON: Duration = Duration::from_secs(30);

pub(crate) fn run_hung(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    match &options.path {
        Some(path) => tree::clone_tree(path, &root)?,
        None => println!("{} made files", tree::make_tree(&root, 300)?.len()),
    }
    let journal = env.path("journal");
    fs::write(&journal, "")?;
    let word = format!("journal={}", journal.display());
    let servers = (1..=UPSTREAMS).map(|at| Server::scripted(&format!("up{at}"), &[&word]));
    let entries = server_entries(&servers.collect::<Outcome<Vec<_>>>()?, &json!({}));
    write_settings(&env, &json!({"mcpServers": entries}))?;
    let (mut world, _) = World::indexed(env, &root)?;
    wait_until_known(&world.env, UPSTREAMS)?;
    let found =
        world.call("symbol_search", json!({"query": "^[a-z_0-9]{6,}$", "regex": true, "limit": 20}))?;
    let results = found["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ids: Vec<Value> = results.iter().map(|one| one["symbolId"].clone()).collect();
    if ids.is_empty() {
        return Err("no symbol to ask for".into());
    }
    let (rounds, calls) = (options.number("rounds", 20), options.number("calls", 200));
    let hung = options.number("hung", 64) as usize;
    // Everything runs for its first time.
    ask_cards(&mut world, &ids, calls)?;
    let (mut alone, mut beside) = (Times::default(), Times::default());
    let mut ratios = Vec::new();
    for _ in 0..rounds {
        let mut one = ask_cards(&mut world, &ids, calls)?;
        let clients = begin_hung(&world.env, &journal, hung)?;
        let mut other = ask_cards(&mut world, &ids, calls)?;
        end_hung(&world.env, clients, &journal)?;
        ratios.push(other.shares().1 / one.shares().1);
        alone.append(one);
        beside.append(other);
    }
    println!("symbol.getCard alone:                 {}", alone.summary());
    println!("symbol.getCard beside {hung} hung calls:  {}", beside.summary());
    let (before, after) = (alone.shares(), beside.shares());
    println!(
        "p50 {:.2} times, p95 {:.2} times as long; p95 round by round: {:.2} times (median of {rounds})",
        after.0 / before.0,
        after.1 / before.1,
        median(&mut ratios)
    );
    if after.1 > before.1 * LIMIT {
        return Err(format!("p95 is above {LIMIT} times").into());
    }
    Ok(())
}

/// Asks for cards, one after another.
fn ask_cards(world: &mut World, ids: &[Value], calls: u64) -> Outcome<Times> {
    let mut times = Times::default();
    for id in ids.iter().cycle().take(calls as usize) {
        times.measure(|| world.call("symbol_getCard", json!({"symbolId": id})))?;
    }
    Ok(times)
}

/// Makes calls that are not answered, and waits until the upstreams have all of them.
fn begin_hung(env: &TestEnv, journal: &Path, count: usize) -> Outcome<Vec<McpClient>> {
    let before = fs::read_to_string(journal)?.lines().count();
    let mut clients: Vec<McpClient> = (0..CLIENTS.min(count)).map(|_| env.mcp(&env.home(), &[])).collect();
    for number in 0..count {
        let Some(client) = clients.get_mut(number % CLIENTS) else { break };
        client.send_call(&format!("up{}/hang", 1 + number % UPSTREAMS), json!({"text": "hung"}))?;
    }
    wait_for(|| Ok(fs::read_to_string(journal)?.lines().count() >= before + count), "the calls to arrive")?;
    Ok(clients)
}

/// Ends the clients, and waits until their calls were given up, so that all calls so far have failed.
fn end_hung(env: &TestEnv, mut clients: Vec<McpClient>, journal: &Path) -> Outcome {
    for client in &mut clients {
        // Their shims would wait for the answers.
        client.kill()?;
    }
    let all = fs::read_to_string(journal)?.lines().count() as u64;
    let failed = || -> Outcome<u64> {
        Ok(list_upstreams(env)?.iter().map(|one| one["failed"].as_u64().unwrap_or(0)).sum())
    };
    wait_for(|| Ok(failed()? >= all), "the calls to be given up")
}

fn wait_for(is_so: impl Fn() -> Outcome<bool>, what: &str) -> Outcome {
    let deadline = Instant::now() + SOON;
    while !is_so()? {
        if Instant::now() > deadline {
            return Err(format!("waited too long for {what}").into());
        }
        pass_time(Duration::from_millis(20));
    }
    Ok(())
}
