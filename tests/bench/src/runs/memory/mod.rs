//! Memories, facts and work at the limits of the store: how long calls take through the shim, and what the modules cost in memory and
//! when there is nothing to do.

mod calls;
mod fill;
mod lines;

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use self::calls::{Asker, measure_calls};
use self::fill::{Filler, Sizes};
use crate::figures::format_megabytes;
use crate::modules::{self, Symbol};
use crate::options::Options;
use crate::random::Random;
use crate::runs::idle::{Rest, pass_time};
use crate::texts::{MOST_WORDS, Vocabulary};
use crate::world::World;
use crate::{Outcome, process, tree};

/// Symbols that rows are about.
const SYMBOLS: usize = 200;
/// A memory has at most 50 anchors.
const ANCHORS: usize = 50;

pub(crate) fn run_memory(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    match &options.path {
        Some(path) => tree::clone_tree(path, &root)?,
        None => println!("{} made files", tree::make_tree(&root, 300)?.len()),
    }
    let (calls, seconds) = (options.number("calls", 300), options.number("seconds", 30));
    let sizes = Sizes {
        memories: options.number("memories", 20_000) as usize,
        triples: options.number("triples", 100_000) as usize,
        activity: options.number("activity", 50_000) as usize,
    };
    let (mut world, _) = World::indexed(env, &root)?;
    let symbols = modules::random_symbols(&world, &mut Random::new(options.number("seed", 1)), SYMBOLS)?;

    let name = symbols.iter().find(|symbol| symbol.name().len() > 4);
    let name = name.map(|symbol| symbol.name().to_owned()).ok_or("no symbol to ask for")?;

    restart_daemon(&mut world)?;
    call_code(&mut world, &name)?;
    let off = Rest::measure(world.daemon.pid(), Duration::from_secs(seconds));

    modules::turn_on(&world.env, &["memory", "kg", "work"])?;
    restart_daemon(&mut world)?;
    call_code(&mut world, &name)?;
    let empty = Rest::measure(world.daemon.pid(), Duration::from_secs(seconds));

    let anchors = made_anchors(&mut world, &symbols)?;
    let vocabulary = Vocabulary::new(MOST_WORDS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let repo = world.repo.clone();
    let random = Random::new(options.number("seed", 1));
    let now_ms = now.as_millis() as u64;
    let mut filler = Filler { vocabulary: &vocabulary, random, repo: &repo, anchors: &anchors, now_ms };
    let filled = filler.make_store(sizes, calls as usize + 10);
    let began = Instant::now();
    import_store(&world, &filled.export)?;
    let importing = memory_text(world.daemon.pid());
    println!(
        "{} memories, {} facts, {} entries of activity: {} of export, imported in {:.1} s; the daemon then has {importing}",
        sizes.memories,
        sizes.triples,
        sizes.activity,
        format_megabytes(filled.export.len() as u64),
        began.elapsed().as_secs_f64()
    );

    restart_daemon(&mut world)?;
    call_code(&mut world, &name)?;
    let full = Rest::measure(world.daemon.pid(), Duration::from_secs(seconds));
    let mut asker =
        Asker { vocabulary: &vocabulary, random: Random::new(7), filled: &filled, symbols: &symbols };
    let mut table = measure_calls(&mut world, &mut asker, calls)?;
    table.print();
    let after = Rest::measure(world.daemon.pid(), Duration::from_secs(seconds));
    println!(
        "\n| daemon, {seconds} s idle | private | resident | CPU | wake-ups | written |\n|---|---:|---:|---:|---:|---:|"
    );
    for (label, rest) in [
        ("modules off", &off),
        ("modules on, nothing kept", &empty),
        ("modules on, the store full", &full),
        ("the same after the calls", &after),
    ] {
        println!("| {label} | {rest} |");
    }
    let verdict: String = world.env.ctl_ok(&["verify", "--memory"]);
    println!("\nverify --memory: {}", verdict.trim());
    Ok(())
}

/// Ends the daemon and starts another, which has all of the tree when this returns.
fn restart_daemon(world: &mut World) -> Outcome {
    world.env.ctl_ok(&["stop"]);
    world.daemon.wait();
    world.daemon = world.env.daemon();
    world.wait_until_indexed().map(drop)
}

/// The calls about code that every daemon gets before its memory is compared, because they load what stays.
fn call_code(world: &mut World, name: &str) -> Outcome {
    let task = format!("fix how {name} handles errors");
    for _ in 0..20 {
        world.call("repo_status", json!({"sync": "require"}))?;
        world.call("symbol_search", json!({"query": task, "limit": 20}))?;
        world.call("agent_orchestrate", json!({"taskText": task, "budget": {"maxTokens": 4_000}}))?;
    }
    Ok(())
}

/// The daemon's own anchors to symbols: it knows their fingerprints.
fn made_anchors(world: &mut World, symbols: &[Symbol]) -> Outcome<Vec<Value>> {
    for (nth, symbols) in symbols.chunks(ANCHORS).enumerate() {
        let ids: Vec<&String> = symbols.iter().map(|symbol| &symbol.id).collect();
        let note = json!({"type": "note", "title": format!("Anchors {nth}"), "content": "To copy.", "symbolIds": ids});
        world.call("memory_store", note)?;
    }
    let mut anchors = Vec::new();
    for line in world.env.ctl_ok(&["memory", "export"]).lines() {
        let line: Value = serde_json::from_str(line)?;
        anchors.extend(line["row"]["anchors"]["symbols"].as_array().cloned().unwrap_or_default());
    }
    Ok(anchors)
}

fn import_store(world: &World, export: &str) -> Outcome {
    let path = world.env.path("export.jsonl");
    fs::write(&path, export)?;
    world.env.ctl_ok(&["memory", "import", &path.display().to_string()]);
    Ok(fs::remove_file(path)?)
}

fn memory_text(pid: u32) -> String {
    let memory = process::memory_use(pid);
    memory.map_or_else(|| "?".to_owned(), |memory| format!("{} private", format_megabytes(memory.anonymous)))
}
