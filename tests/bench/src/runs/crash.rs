//! `kill -9` at random instants of the work. After each, a new daemon has to find a whole ledger, never older than the last
//! answer given, and to catch up with the tree.

use std::time::Duration;

use sdl_tests::TestEnv;
use serde_json::json;

use crate::Outcome;
use crate::options::Options;
use crate::random::Random;
use crate::tree::{self, FUNCTIONS, Module};
use crate::world::{self, World, check_synced, symbol_id, version_number};

/// Longest wait before a kill. A batch of a few files is written well within it.
const LONGEST: u64 = 60_000;

pub(crate) fn run_crash(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let mut modules = tree::make_tree(&root, 100)?;
    let (mut world, _) = World::indexed(env, &root)?;
    let outcome = run_rounds(options, &mut world, &mut modules);
    if outcome.is_err() {
        let log = world.env.daemon_log();
        let start = log.len().saturating_sub(4_000);
        eprintln!("--- the end of the daemon's log ---\n{}", log.get(start..).unwrap_or(&log));
    }
    outcome
}

fn run_rounds(options: &Options, world: &mut World, modules: &mut [Module]) -> Outcome {
    let root = world.root.clone();
    let mut random = Random::new(options.number("seed", 1));
    let rounds = options.number("rounds", 200);
    let verify_every = options.number("verify-every", 10).max(1);
    let mut seen = world.head()?;
    for round in 1..=rounds {
        // Work in the making: some files change, and nobody waits for it.
        let mut edited = Vec::new();
        for _ in 0..=random.below(8) {
            let at = random.below(modules.len() as u64) as usize;
            let Some(module) = modules.get_mut(at) else { continue };
            let function = 1 + random.below(FUNCTIONS as u64 - 2) as usize;
            module.renames[function] += 1;
            module.literals[function] = random.next();
            module.write(&root)?;
            edited.push((at, function));
        }
        // Half of the time the batch is forced by a request, and the kill comes during it.
        let asked = random.below(2) == 0;
        if asked {
            let arguments = json!({"repoId": world.repo, "sync": "require"});
            world.client.send_call("sdl_repo_status", arguments)?;
        }
        super::idle::pass_time(Duration::from_micros(random.below(LONGEST)));
        if asked {
            // A shim that waits for an answer would start the next daemon at once, and this one wants to hold it.
            world.client.kill()?;
        }
        world.daemon.kill();

        // Another daemon takes over; a shim that lived through it has to find it by itself.
        world.daemon = world.env.daemon();
        if asked {
            world.client = world::connect_shim(&world.env, &root)?;
        }
        let status = world.call("repo_status", json!({"sync": "require", "syncTimeoutMs": 30_000}))?;
        check_synced(&status)?;
        let head = version_number(&world::text_field(&status, "ledgerVersion")?)?;
        if head < seen {
            return Err(format!("round {round}: the ledger went back from v{seen} to v{head}").into());
        }
        seen = head;
        for (at, function) in edited {
            let Some(module) = modules.get(at) else { continue };
            symbol_id(world, &module.function(function))
                .map_err(|error| format!("round {round}: {error}"))?;
        }
        if round % verify_every == 0 {
            let output = world.env.ctl(&["verify", "--repo", &world.repo]);
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stdout);
                return Err(format!("round {round}: sdlctl verify: {}\n{said}", output.status).into());
            }
        }
    }
    println!("{rounds} kills: every start found a whole ledger and caught up; the head is v{seen}");
    Ok(())
}
