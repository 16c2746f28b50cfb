//! Whether results of upstream servers reach a client byte for byte, and whether progress, cancelling and changes get through.

mod calls;
mod compare;
mod signals;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sdl_tests::{Program, TestEnv};
use serde_json::json;

use self::calls::{Call, ODD_RESULTS, reference_calls};
use self::compare::{Exchange, read_exchanges};
use crate::Outcome;
use crate::options::Options;
use crate::runs::upstream_soak::wait_until_known;
use crate::upstream::lab::{Server, prepare_state, reference_servers, server_entries};
use crate::upstream::line_client::{LineClient, Reply, STATEFUL, STATELESS};
use crate::upstream::settings::write_settings;

pub(crate) fn run_fidelity(options: &Options) -> Outcome {
    let folder = options.path.clone().ok_or("upstream-fidelity wants the FOLDER of the reference servers")?;
    let env = TestEnv::new();
    let lab = env.path("lab");
    let (mut servers, missing) = reference_servers(&folder, &lab)?;
    println!("{} reference servers; not installed: {missing:?}", servers.len());
    servers.push(Server::scripted("odd", &[])?);
    servers.push(Server::scripted("oddmodern", &["modern"])?);
    let mut calls = reference_calls(&lab.join("files"), &lab.join("repo"));
    calls.retain(|call| servers.iter().any(|server| server.key == call.key));
    for key in ["odd", "oddmodern"] {
        let odd =
            |text: &&str| Call { key, tool: "raw", args: json!({"text": odd_text(key, text)}).to_string() };
        calls.extend(ODD_RESULTS.iter().map(odd));
    }
    let logs = env.path("logs");
    std::fs::create_dir_all(&logs)?;
    let teed: Vec<Server> = servers.iter().map(|server| with_tee(server, &logs)).collect::<Outcome<_>>()?;
    write_settings(&env, &json!({"mcpServers": server_entries(&teed, &json!({}))}))?;
    let _daemon = env.daemon();
    wait_until_known(&env, servers.len())?;
    // The servers work on the same files in the same state each time.
    prepare_state(&lab.join("files"), &lab.join("repo"))?;
    let through = call_through(&env, &calls)?;
    let mut faults = compare_with_servers(&calls, &through, &logs)?;
    prepare_state(&lab.join("files"), &lab.join("repo"))?;
    let _ = std::fs::remove_file(lab.join("memory.jsonl"));
    compare_with_direct(&servers, &calls, &through, &logs)?;
    faults.extend(signals::check_signals(&env)?);
    if faults.is_empty() {
        println!("every result arrived as the server wrote it");
        return Ok(());
    }
    Err(faults.join("\n").into())
}

/// The stateless revision wants a kind of result in each.
fn odd_text(key: &str, text: &str) -> String {
    match text.strip_prefix('{') {
        Some(rest) if key == "oddmodern" => format!(r#"{{"resultType":"complete",{rest}"#),
        _ => text.to_owned(),
    }
}

fn with_tee(server: &Server, logs: &Path) -> Outcome<Server> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut args = vec!["upstream-tee".to_owned(), text(&log_of(logs, &server.key)), text(&server.command)];
    args.extend(server.args.clone());
    Ok(Server { command: std::env::current_exe()?, args, ..server.clone() })
}

fn log_of(logs: &Path, key: &str) -> PathBuf {
    logs.join(format!("{key}.log"))
}

/// The reply to each call through shim, daemon and gate.
fn call_through(env: &TestEnv, calls: &[Call]) -> Outcome<Vec<Reply>> {
    let mut client = LineClient::start(&mut env.command(Program::Shim), STATEFUL)?;
    calls.iter().map(|call| client.call_tool(&format!("{}/{}", call.key, call.tool), &call.args)).collect()
}

/// Compares what the client sent and got with what the server got and wrote.
fn compare_with_servers(calls: &[Call], replies: &[Reply], logs: &Path) -> Outcome<Vec<String>> {
    let mut faults = Vec::new();
    let (mut same, mut errors, mut rewritten) = (0, 0, 0);
    let mut exchanges: BTreeMap<&str, std::vec::IntoIter<Exchange>> = BTreeMap::new();
    for (call, reply) in calls.iter().zip(replies) {
        let name = format!("{}/{}", call.key, call.tool);
        if !exchanges.contains_key(call.key) {
            exchanges.insert(call.key, read_exchanges(&log_of(logs, call.key), "tools/call")?.into_iter());
        }
        let Some(exchange) = exchanges.get_mut(call.key).and_then(Iterator::next) else {
            faults.push(format!("{name}: the server was not called; the client got {reply:?}"));
            continue;
        };
        // They are sent as they were understood: an escaped letter arrives as the letter, a number as it was written.
        if compare::same_values(&exchange.arguments, &call.args)? {
            rewritten += u64::from(exchange.arguments != call.args);
        } else {
            faults.push(format!("{name}: arguments {} arrived as {}", call.args, exchange.arguments));
        }
        match (&exchange.reply, reply) {
            (Some(Reply::Result(wrote)), Reply::Result(got)) if wrote == got => same += 1,
            // An error of the protocol becomes the failure of a tool, which says so.
            (Some(Reply::Error(_)), Reply::Result(got)) if got.contains("upstreamProtocol") => errors += 1,
            (wrote, got) => {
                faults.push(format!("{name}: the server wrote {wrote:?}\n  the client got {got:?}"))
            }
        }
    }
    println!(
        "{} calls: {same} results with the server's bytes, {errors} errors of the protocol told as such; {rewritten} \
         arguments with other escapes",
        calls.len()
    );
    Ok(faults)
}

/// Compares with a client that has each server to itself, in the revision that the gate spoke.
fn compare_with_direct(servers: &[Server], calls: &[Call], through: &[Reply], logs: &Path) -> Outcome {
    let (mut same, mut others) = (0, Vec::new());
    for server in servers {
        let sent = std::fs::read_to_string(log_of(logs, &server.key))?;
        let is_stateless =
            read_exchanges(&log_of(logs, &server.key), "tools/call")?.iter().any(|one| one.is_stateless);
        let revision = if is_stateless { STATELESS } else { STATEFUL };
        println!("{}: {revision}, {} lines in both directions", server.key, sent.lines().count());
        let mut client = LineClient::start(&mut server.direct_command(), revision)?;
        for (call, reply) in calls.iter().zip(through).filter(|(call, _)| call.key == server.key) {
            let direct = client.call_tool(call.tool, &call.args)?;
            match (&direct, reply) {
                (Reply::Result(own), Reply::Result(got)) if own == got => same += 1,
                (Reply::Error(_), Reply::Result(got)) if got.contains("upstreamProtocol") => same += 1,
                (own, got) => others.push(compare::show_difference(call, own, got)),
            }
        }
    }
    println!("beside direct calls in the same state: {same} the same, {} others", others.len());
    for other in others {
        println!("  {other}");
    }
    Ok(())
}
