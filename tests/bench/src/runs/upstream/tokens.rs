//! The tokens of one task: the list of tools, one search for a tool, and one call of it.

use std::path::Path;

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

use super::report_missing;
use crate::Outcome;
use crate::runs::tokens::value_tokens;
use crate::runs::upstream_soak::wait_until_known;
use crate::upstream::lab::{Server, reference_servers, server_entries};
use crate::upstream::line_client::{LineClient, STATEFUL};
use crate::upstream::settings::write_settings;

/// The tokens of a definition, and of a list that only has the search, in the usual estimate.
const ESTIMATE: (usize, usize) = (120, 50);

/// A set of servers, and a task for which one of their tools is right.
struct Task<'a> {
    shown: &'a str,
    servers: Vec<Server>,
    query: &'a str,
    key: &'a str,
    tool: &'a str,
    args: Value,
}

/// The tokens of the parts of a task.
struct Parts {
    list: usize,
    search: usize,
    call: usize,
}

impl Parts {
    fn sum(&self) -> usize {
        self.list + self.search + self.call
    }
}

pub(super) fn print_tokens(folder: &Path) -> Outcome {
    let lab = tempfile::tempdir()?;
    let (all, missing) = reference_servers(folder, lab.path())?;
    report_missing(folder, &missing);
    let files = lab.path().join("files");
    let one: Vec<Server> = all.iter().filter(|server| server.key == "fs").cloned().collect();
    let made = vec![Server::scripted("office", &["tools=200"])?];
    let tasks = [
        Task {
            shown: "fs",
            servers: one,
            query: "show what is in a folder",
            key: "fs",
            tool: "list_directory",
            args: json!({"path": files}),
        },
        Task {
            shown: "all reference servers",
            servers: all,
            query: "what time is it in Tokyo",
            key: "time",
            tool: "get_current_time",
            args: json!({"timezone": "Asia/Tokyo"}),
        },
        Task {
            shown: "200 made tools",
            servers: made,
            query: "put an old invoice into the archive",
            key: "office",
            tool: "archive_invoice",
            args: json!({"invoice_id": "17"}),
        },
    ];
    println!("\n| servers | way | tools listed | list | search | call | task | spared | its place |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for task in &tasks {
        if task.servers.iter().any(|server| server.key == task.key) {
            print_task(task)?;
        }
    }
    Ok(())
}

fn print_task(task: &Task<'_>) -> Outcome {
    let (tools, direct) = measure_direct(task)?;
    print_row(task, "as it is", tools, &direct, &direct, "");
    let own = list_without_upstreams()?;
    let env = TestEnv::new();
    write_settings(&env, &json!({"mcpServers": server_entries(&task.servers, &json!({}))}))?;
    let _daemon = env.daemon();
    wait_until_known(&env, task.servers.len())?;
    for surface in ["gateway", "search", "pair"] {
        let mut client = env.mcp(&env.home(), &["--surface", surface]);
        let (listed, parts, place) = measure_surface(&mut client, task, surface)?;
        let place = place.map_or("not found".to_owned(), |place| place.to_string());
        print_row(task, &format!("`{surface}`"), listed, &parts, &direct, &place);
        if surface == "gateway" {
            let more =
                Parts { list: parts.list.saturating_sub(value_tokens(&Value::from(own.clone()))), ..parts };
            let listed = listed.saturating_sub(own.len());
            print_row(task, "`gateway`, what upstreams add", listed, &more, &direct, &place);
        }
    }
    let (each, stub) = ESTIMATE;
    let estimate = 1.0 - (stub + 5 * each) as f64 / (tools * each) as f64;
    println!(
        "| {} | by the usual estimate, five results | 1 | | | | | {:.1} % | |",
        task.shown,
        estimate * 100.0
    );
    Ok(())
}

/// The tools that `gateway` lists for code alone.
fn list_without_upstreams() -> Outcome<Vec<Value>> {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let mut client = env.mcp(&env.home(), &["--surface", "gateway"]);
    Ok(client.list_tools()?)
}

fn print_row(task: &Task<'_>, way: &str, tools: usize, parts: &Parts, direct: &Parts, place: &str) {
    let sum = parts.sum();
    let spared = (1.0 - sum as f64 / direct.sum() as f64) * 100.0;
    let Parts { list, search, call } = parts;
    println!(
        "| {} | {way} | {tools} | {list} | {search} | {call} | {sum} | {spared:.1} % | {place} |",
        task.shown
    );
}

/// Each server by itself, as a client without us has it.
fn measure_direct(task: &Task<'_>) -> Outcome<(usize, Parts)> {
    let (mut tools, mut parts) = (0, Parts { list: 0, search: 0, call: 0 });
    for server in &task.servers {
        let mut client = LineClient::start(&mut server.direct_command(), STATEFUL)?;
        let list: Value = serde_json::from_str(&client.request("tools/list", "{}")?.result()?)?;
        tools += list["tools"].as_array().map_or(0, Vec::len);
        parts.list += value_tokens(&list["tools"]);
        if server.key == task.key {
            let answer = client.call_tool(task.tool, &task.args.to_string())?.result()?;
            parts.call = call_tokens(task.tool, &task.args, &serde_json::from_str(&answer)?);
        }
    }
    Ok((tools, parts))
}

/// The same through one surface, and the place of the right tool in the search's answer.
fn measure_surface(
    client: &mut McpClient,
    task: &Task<'_>,
    surface: &str,
) -> Outcome<(usize, Parts, Option<usize>)> {
    let tools = client.list_tools()?;
    let list = value_tokens(&Value::Array(tools.clone()));
    let asked = json!({"query": task.query});
    let found = client.call("sdl_action_search", asked.clone())?;
    let name = format!("{}_{}", task.key, task.tool);
    let results = found.data["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let place = results.iter().position(|result| result["tool"] == name.as_str()).map(|at| at + 1);
    let search =
        value_tokens(&json!({"name": "sdl_action_search", "arguments": asked})) + value_tokens(&found.data);
    // The two surfaces that list it call by `sdl_tool_call`, because many clients refuse names that are not in their list.
    let (tool, args) = match surface {
        "search" => (name, task.args.clone()),
        _ => ("sdl_tool_call".to_owned(), json!({"tool": name, "args": task.args})),
    };
    let answer = client.call(&tool, args.clone())?;
    if answer.is_error {
        return Err(format!("{tool}: {}", answer.raw).into());
    }
    Ok((tools.len(), Parts { list, search, call: call_tokens(&tool, &args, &answer.raw) }, place))
}

/// The tokens of a call: the request that a model writes, and the answer's content.
fn call_tokens(tool: &str, args: &Value, answer: &Value) -> usize {
    value_tokens(&json!({"name": tool, "arguments": args})) + value_tokens(&answer["content"])
}
