//! Any bytes as any tool's arguments: `cargo +nightly fuzz run --fuzz-dir tests/fuzz --features link arguments`. Whatever comes in, a well-formed result goes
//! out, and none that blames the daemon.

#![no_main]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fault that is found ends the run"
)]

#[path = "../../../daemon/crates/tools/tests/it/common/mod.rs"]
mod common;

use std::sync::LazyLock;

use common::World;
use libfuzzer_sys::fuzz_target;
use sdl_tools::{Cancel, NoProgress};
use serde_json::Value;

static WORLD: LazyLock<(World, Vec<String>)> = LazyLock::new(|| {
    let world = World::shop();
    let described: Value = serde_json::from_slice(&world.tools.describe()).unwrap();
    let actions = described["actions"].as_array().unwrap().iter();
    let mut names: Vec<String> = actions.map(|action| action["tool"].as_str().unwrap().to_owned()).collect();
    names.extend(["sdl_query", "sdl_repo", "sdl_repo_raw", "sdl_index_refresh_raw"].map(str::to_owned));
    (world, names)
});

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let (world, names) = &*WORLD;
    let name = &names[usize::from(choice) % names.len()];
    let result = world.tools.call(&world.session, name, bytes, &NoProgress, &Cancel::new());
    let result: Value = serde_json::from_slice(&result).expect("JSON");
    common::schema::assert_call_tool_result(&result);
    assert_ne!(result["structuredContent"]["code"], "internal", "{name}: {result}");
});
