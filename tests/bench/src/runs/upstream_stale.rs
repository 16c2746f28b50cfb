//! Lists that can't be read, and tools that are new: no tool may get lost, and old lists are marked.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

use super::idle::pass_time;
use super::upstream_soak::wait_until_known;
use crate::Outcome;
use crate::options::Options;
use crate::upstream::lab::Server;
use crate::upstream::scripted::TOOLS;
use crate::upstream::settings::write_settings;

/// The time within which a tool that was announced has to be found.
const SOON: Duration = Duration::from_millis(500);
/// The age at which a list is read again.
const REFRESH: u64 = 5;

pub(crate) fn run_stale(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let lists = env.path("lists");
    let word = format!("lists={}", lists.display());
    let servers = [
        Server::scripted("half", &["fails-every=2", &word])?,
        Server::scripted("tells", &[])?,
        Server::scripted("silent", &["silent"])?,
    ];
    let entries = crate::upstream::lab::server_entries(&servers, &json!({"refreshSeconds": REFRESH}));
    write_settings(&env, &json!({"mcpServers": entries}))?;
    let _daemon = env.daemon();
    wait_until_known(&env, servers.len())?;
    let mut client = env.mcp(&env.home(), &[]);
    new_tool(&mut client, "tells")?;
    new_tool(&mut client, "silent")?;
    fail_half(&mut client, &lists, options.number("rounds", 200))
}

/// A search that finds all tools of an upstream.
fn search_all(client: &mut McpClient, key: &str, fresh: bool) -> Outcome<Value> {
    let query = format!("{} extra", TOOLS.join(" "));
    let asked = json!({
        "query": query, "scope": "upstream", "upstream": key, "limit": 20, "detail": "brief", "fresh": fresh,
    });
    let answer = client.call("sdl_action_search", asked)?;
    if answer.is_error { Err(answer.raw.to_string().into()) } else { Ok(answer.data) }
}

/// The tools of an answer, those that are only named too.
fn found_tools(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let more = answer["more"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = results.iter().map(|one| &one["tool"]).chain(more);
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Every second list fails.
fn fail_half(client: &mut McpClient, lists: &Path, rounds: u64) -> Outcome {
    let (mut failed, mut marked, mut fresh) = (0_u64, 0_u64, 0_u64);
    let mut wrong = Vec::new();
    for round in 1..=rounds {
        let before = fs::read_to_string(lists)?.lines().count();
        let answer = search_all(client, "half", true)?;
        let after: Vec<String> = fs::read_to_string(lists)?.lines().map(str::to_owned).collect();
        let found = found_tools(&answer);
        let lost: Vec<&str> =
            TOOLS.into_iter().filter(|tool| !found.contains(&format!("half_{tool}"))).collect();
        if !lost.is_empty() {
            return Err(format!("round {round}: lost {lost:?}: {answer}").into());
        }
        let is_marked =
            answer["results"].as_array().is_some_and(|all| all.iter().all(|one| one["stale"] == true));
        // In a round in which no list was read the last one counts.
        let is_failed = after.last().is_some_and(|last| last == "failed");
        failed += u64::from(is_failed);
        marked += u64::from(is_failed && is_marked);
        fresh += u64::from(!is_failed && !is_marked);
        if is_failed != is_marked {
            wrong.push(format!(
                "round {round}: {} lists read, failed {is_failed}, marked {is_marked}",
                after.len() - before
            ));
        }
    }
    println!(
        "{rounds} rounds: no tool lost; {failed} lists failed, {marked} of them marked as old; {fresh} good ones not marked"
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{} rounds: {}", wrong.len(), wrong.join("\n")).into())
    }
}

/// A tool that is new is callable at once, and found soon where the server announces it, else with the next reading.
fn new_tool(client: &mut McpClient, key: &str) -> Outcome {
    search_all(client, key, true)?;
    client.call(&format!("{key}/change"), json!({}))?.ok();
    let began = Instant::now();
    let called = client.call(&format!("{key}/extra"), json!({}))?;
    println!(
        "{key}: called by its name after {:.0} ms: {}",
        began.elapsed().as_secs_f64() * 1e3,
        !called.is_error
    );
    let extra = format!("{key}_extra");
    let mut took = None;
    while took.is_none() && began.elapsed() < Duration::from_secs(REFRESH * 3) {
        let answer = search_all(client, key, false)?;
        if found_tools(&answer).contains(&extra) {
            took = Some(began.elapsed());
        }
        pass_time(Duration::from_millis(20));
    }
    let took = took.ok_or_else(|| format!("{key}: the new tool is not found"))?;
    println!("{key}: found after {:.0} ms", took.as_secs_f64() * 1e3);
    if called.is_error {
        return Err(format!("{key}: not callable at once: {}", called.raw).into());
    }
    if key == "tells" && took > SOON {
        Err(format!("{key}: found only after {took:?}").into())
    } else {
        Ok(())
    }
}
