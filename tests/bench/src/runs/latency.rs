//! The common calls, one after another, through the real shim.

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use crate::figures::Times;
use crate::options::Options;
use crate::world::{World, text};
use crate::{Outcome, tree};

pub(crate) fn run(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    match &options.path {
        Some(path) => println!("{} files of {}", tree::copy(path, &root)?, path.display()),
        None => println!("{} made files", tree::make(&root, 300)?.len()),
    }
    let (mut world, time) = World::indexed(env, &root)?;
    println!("indexed in {:.2} s", time.as_secs_f64());

    let names = names(&mut world)?;
    let name = names.first().ok_or("no symbol to ask for")?;
    let id = {
        let found = world.call("symbol_search", json!({"query": name, "limit": 1}))?;
        text(found["results"].get(0).unwrap_or(&Value::Null), "symbolId")?
    };
    let slice = world.call("slice_build", json!({"entrySymbols": [id]}))?;
    let known = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"]});
    let calls = options.number("calls", 500);
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
        ("slice_build", json!({"taskText": format!("fix how {name} handles errors")})),
    ] {
        let mut times = Times::default();
        for _ in 0..calls {
            times.measure(|| world.call(action, arguments.clone()))?;
        }
        println!("{action:<16} {}  {}", times.summary(), shorten(&arguments));
    }
    Ok(())
}

/// Names that much of the tree depends on.
fn names(world: &mut World) -> Outcome<Vec<String>> {
    let overview = world.call("repo_overview", json!({"level": "full"}))?;
    let spots = overview["hotspots"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(spots.iter().filter_map(|spot| spot["name"].as_str().map(str::to_owned)).collect())
}

fn shorten(arguments: &Value) -> String {
    let text = arguments.to_string();
    if text.chars().count() > 70 { text.chars().take(69).chain(['…']).collect() } else { text }
}
