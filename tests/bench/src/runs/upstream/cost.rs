//! The time of one call, directly and through each proxy. The ways take turns, so that noise meets all of them.

use std::time::Duration;

use sdl_tests::{Program, TestEnv};
use serde_json::{Value, json};

use super::peers::{Peer, start_peers};
use super::{Folders, report_missing};
use crate::Outcome;
use crate::figures::Times;
use crate::options::Options;
use crate::runs::upstream_soak::wait_until_known;
use crate::upstream::lab::{Server, reference_servers, server_entries};
use crate::upstream::line_client::{LineClient, STATEFUL};
use crate::upstream::settings::write_settings;

/// Calls of one way before the next has its turn.
const TURN: u64 = 20;
/// A way that took this long gets no more turns. For example, one that starts the server again for each call.
const MOST_TIME: Duration = Duration::from_secs(20);

/// A way to a server.
enum Way {
    /// The client's own connection; the tools have this in front of their names.
    Line(Box<LineClient>, String),
    Proxy(Peer),
}

impl Way {
    fn call_tool(&mut self, key: &str, tool: &str, arguments: &Value) -> Outcome {
        match self {
            Self::Line(client, prefix) => {
                let result =
                    client.call_tool(&format!("{prefix}{tool}"), &arguments.to_string())?.result()?;
                if result.contains(r#""isError":true"#) {
                    return Err(result.into());
                }
                Ok(())
            }
            Self::Proxy(peer) => peer.call_tool(key, tool, arguments),
        }
    }
}

pub(super) fn print_costs(folders: &Folders, options: &Options) -> Outcome {
    let scratch = tempfile::tempdir()?;
    let (all, missing) = reference_servers(&folders.servers, scratch.path())?;
    report_missing(&folders.servers, &missing);
    let mut servers: Vec<Server> = all.into_iter().filter(|server| server.key == "everything").collect();
    servers.push(Server::scripted("plain", &[])?);
    let calls = options.number("calls", 1_000);
    // Kept until the end: dropping one ends its daemon.
    let (quiet, loud) = (TestEnv::new(), TestEnv::new());
    let _daemons = [(&quiet, "denied"), (&loud, "all")].map(|(env, rows)| start_daemon(env, &servers, rows));
    let peers = start_peers(&folders.peers, &servers, scratch.path())?;
    let mut proxies: Vec<(String, Way)> =
        peers.into_iter().map(|peer| (peer.name.to_owned(), Way::Proxy(peer))).collect();
    for server in &servers {
        let own = |env: &TestEnv| -> Outcome<Way> {
            let mut shim = env.command(Program::Shim);
            Ok(Way::Line(Box::new(LineClient::start(&mut shim, STATEFUL)?), format!("{}/", server.key)))
        };
        let direct = LineClient::start(&mut server.direct_command(), STATEFUL)?;
        let mut ways = vec![
            ("direct".to_owned(), Way::Line(Box::new(direct), String::new())),
            ("sdl, no audit rows".to_owned(), own(&quiet)?),
            ("sdl".to_owned(), own(&loud)?),
        ];
        ways.append(&mut proxies);
        compare_ways(server, &mut ways, calls)?;
        proxies = ways.split_off(3);
    }
    Ok(())
}

fn start_daemon(env: &TestEnv, servers: &[Server], rows: &str) -> Outcome<sdl_tests::Daemon> {
    let entries = server_entries(servers, &json!({}));
    write_settings(env, &json!({"mcpServers": entries, "sdl": {"audit": {"calls": rows}}}))?;
    let daemon = env.daemon();
    wait_until_known(env, servers.len())?;
    Ok(daemon)
}

fn compare_ways(server: &Server, ways: &mut [(String, Way)], calls: u64) -> Outcome {
    let text = "x".repeat(100);
    let (tool, arguments) = ("echo", json!({"text": text, "message": text}));
    let mut times: Vec<Times> = ways.iter().map(|_| Times::default()).collect();
    for (name, way) in ways.iter_mut() {
        way.call_tool(&server.key, tool, &arguments).map_err(|error| format!("{name}: {error}"))?;
    }
    for _ in 0..calls.div_ceil(TURN) {
        for ((name, way), times) in ways.iter_mut().zip(&mut times) {
            for _ in 0..TURN {
                if times.total() > MOST_TIME {
                    break;
                }
                times
                    .measure(|| way.call_tool(&server.key, tool, &arguments))
                    .map_err(|error| format!("{name}: {error}"))?;
            }
        }
    }
    println!("\n`{}`\n", server.key);
    println!("| way | calls | p50 | p95 | more than direct, p50 | p95 | p50 : direct |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let direct = times.first_mut().map_or((f64::NAN, f64::NAN), Times::shares);
    for ((name, _), times) in ways.iter().zip(&mut times) {
        let (p50, p95) = times.shares();
        println!(
            "| {name} | {} | {p50:.2} ms | {p95:.2} ms | {:.2} ms | {:.2} ms | {:.1} |",
            times.len(),
            p50 - direct.0,
            p95 - direct.1,
            p50 / direct.0
        );
    }
    Ok(())
}
