//! Many shims at once, each with its own caller.

use std::thread;
use std::time::Instant;

use sdl_tests::{McpClient, TestEnv};
use serde_json::json;

use crate::figures::{Times, format_megabytes};
use crate::options::Options;
use crate::world::{self, World};
use crate::{Outcome, process, tree};

pub(crate) fn run_clients(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let files = tree::make_tree(&root, 300)?.len();
    let (world, _) = World::indexed(env, &root)?;
    let calls = options.number("calls", 200);

    let mut connecting = Times::default();
    let mut shims = Vec::new();
    for _ in 0..options.number("clients", 16) {
        shims.push(connecting.measure(|| world::connect_shim(&world.env, &root))?);
    }
    println!("start of a shim and handshake: {}", connecting.summary());

    let began = Instant::now();
    let repo = world.repo.as_str();
    let outcomes: Vec<Result<Times, String>> = thread::scope(|scope| {
        let running: Vec<_> = shims
            .iter_mut()
            .enumerate()
            .map(|(number, shim)| {
                scope.spawn(move || {
                    call_actions(shim, repo, number, calls, files).map_err(|error| error.to_string())
                })
            })
            .collect();
        running
            .into_iter()
            .map(|run| run.join().unwrap_or_else(|_| Err("a caller panicked".to_owned())))
            .collect()
    });
    let wall = began.elapsed().as_secs_f64();
    let mut times = Times::default();
    for outcome in outcomes {
        times.append(outcome?);
    }
    println!("{:.0} calls a second: {}", times.len() as f64 / wall, times.summary());

    let shim = shims.first().and_then(|shim| process::memory_use(shim.pid()));
    for (name, memory) in [("daemon", process::memory_use(world.daemon.pid())), ("a shim", shim)] {
        if let Some(memory) = memory {
            println!(
                "{name:<7} {} resident, {} of it private",
                format_megabytes(memory.resident),
                format_megabytes(memory.anonymous)
            );
        }
    }
    Ok(())
}

fn call_actions(shim: &mut McpClient, repo: &str, number: usize, calls: u64, files: usize) -> Outcome<Times> {
    let mut times = Times::default();
    for round in 0..calls as usize {
        let name = format!("step_{}_{}", (number * 31 + round * 7) % files, round % tree::FUNCTIONS);
        let (action, arguments) = match round % 4 {
            0 => ("slice_build", json!({"taskText": format!("change {name}")})),
            1 => ("repo_status", json!({"sync": "require"})),
            _ => ("symbol_search", json!({"query": name, "limit": 5})),
        };
        times.measure(|| world::call_action(shim, repo, action, arguments))?;
    }
    Ok(times)
}
