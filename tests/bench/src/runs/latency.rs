//! The common calls, one after another, through the real shim. The first call of a kind, which may have to compute data
//! that later ones find, is reported separately.

use std::time::Instant;

use serde_json::{Value, json};

use crate::figures::Times;
use crate::options::Options;
use crate::world::{World, text_field};
use crate::{Outcome, tree};

/// Calls that read much are made less often.
const HEAVY: u64 = 20;

pub(crate) fn run_latency(options: &Options) -> Outcome {
    let mut world = World::of_options(options)?;
    let calls = options.number("calls", 500);
    let heavy = calls.min(HEAVY);

    // In this order: nothing that cards need beside the ledger has been made yet.
    let any = world.call("symbol_search", json!({"query": "^[a-z_]{6,}$", "regex": true, "limit": 20}))?;
    let ids: Vec<Value> =
        any["results"].as_array().into_iter().flatten().map(|result| result["symbolId"].clone()).collect();
    let first = ids.first().cloned().ok_or("no symbol to ask for")?;
    measure_action(&mut world, "symbol_getCard", json!({"symbolId": first, "detail": "full"}), calls)?;
    measure_action(&mut world, "symbol_getCards", json!({"symbolIds": ids, "detail": "full"}), heavy)?;
    measure_action(&mut world, "repo_overview", json!({"level": "full"}), heavy)?;

    let name = central_names(&mut world)?.into_iter().next().ok_or("no symbol to ask for")?;
    let id = {
        let found = world.call("symbol_search", json!({"query": name, "limit": 1}))?;
        text_field(found["results"].get(0).unwrap_or(&Value::Null), "symbolId")?
    };
    let slice = world.call("slice_build", json!({"entrySymbols": [id]}))?;
    let known = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"]});
    let task = format!("fix how {name} handles errors");
    for (action, arguments) in [
        ("repo_status", json!({"sync": "none"})),
        ("repo_status", json!({"sync": "require"})),
        ("symbol_search", json!({"query": name})),
        ("symbol_search", json!({"query": format!("how does {name} work with errors"), "limit": 20})),
        ("symbol_getCard", json!({"symbolId": id})),
        ("slice_refresh", known),
        (
            "slice_build",
            json!({"entrySymbols": [id], "budget": {"maxCards": 40, "maxEstimatedTokens": 4000}}),
        ),
        ("slice_build", json!({"taskText": task})),
    ] {
        measure_action(&mut world, action, arguments, calls)?;
    }
    measure_action(&mut world, "context_summary", json!({"query": name}), heavy)?;
    measure_action(&mut world, "context_summary", json!({"query": task, "scope": "task"}), heavy)?;
    measure_action(
        &mut world,
        "agent_orchestrate",
        json!({"taskText": task, "budget": {"maxTokens": 4000}}),
        heavy,
    )?;
    if tree::has_commit(&world.root, "HEAD~1") {
        let ends = json!({"fromVersion": "git:HEAD~1", "toVersion": "git:HEAD"});
        measure_action(&mut world, "delta_get", ends.clone(), heavy)?;
        measure_action(&mut world, "pr_risk_analyze", ends, heavy)?;
    } else {
        println!(
            "delta_get, pr_risk_analyze: not measured. They compare HEAD with the commit before it, and this tree has none; \
             give a git repository with two commits or more (for a shallow clone: git fetch --unshallow)"
        );
    }
    Ok(())
}

fn measure_action(world: &mut World, action: &str, arguments: Value, calls: u64) -> Outcome {
    let began = Instant::now();
    world.call(action, arguments.clone())?;
    let first = began.elapsed().as_secs_f64() * 1e3;
    let mut times = Times::default();
    for _ in 0..calls {
        times.measure(|| world.call(action, arguments.clone()))?;
    }
    println!("{action:<17} first {first:>8.2}  then {}  {}", times.summary(), shorten_arguments(&arguments));
    Ok(())
}

/// Names that much of the tree depends on.
fn central_names(world: &mut World) -> Outcome<Vec<String>> {
    let overview = world.call("repo_overview", json!({"level": "full"}))?;
    let spots = overview["hotspots"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(spots.iter().filter_map(|spot| spot["name"].as_str().map(str::to_owned)).collect())
}

fn shorten_arguments(arguments: &Value) -> String {
    let text = arguments.to_string();
    if text.chars().count() > 70 { text.chars().take(69).chain(['…']).collect() } else { text }
}
