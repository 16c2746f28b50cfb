//! A branch switch that changes many files at once, there and back again.

use std::time::Instant;

use sdl_tests::{TestEnv, fixture};
use serde_json::json;

use crate::options::Options;
use crate::world::{World, check_synced};
use crate::{Outcome, process, tree};

pub(crate) fn run_burst(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let files = options.number("files", 300) as usize;
    let git = |args: &[&str]| fixture::run_git(&root, args).ok_or("this run needs git");
    let mut modules = tree::make_tree(&root, files)?;
    git(&["init", "--quiet"])?;
    git(&["add", "."])?;
    git(&["commit", "--quiet", "-m", "one"])?;
    git(&["checkout", "--quiet", "-b", "other"])?;
    for module in &mut modules {
        module.literals = [7; tree::FUNCTIONS];
        module.renames[1] += 1;
        module.write(&root)?;
    }
    git(&["commit", "--quiet", "-a", "-m", "two"])?;
    git(&["checkout", "--quiet", "main"])?;

    let (mut world, time) = World::indexed(env, &root)?;
    println!("{files} made files, indexed in {:.2} s", time.as_secs_f64());
    let mut before = world.head()?;
    for (round, branch) in ["other", "main", "other", "main"].into_iter().enumerate() {
        let cpu = process::cpu_seconds(world.daemon.pid());
        let began = Instant::now();
        git(&["checkout", "--quiet", branch])?;
        let checked_out = began.elapsed();
        let status = world.call("repo_status", json!({"sync": "require", "syncTimeoutMs": 30_000}))?;
        let total = began.elapsed();
        check_synced(&status)?;
        let head = world.head()?;
        let cpu = process::cpu_seconds(world.daemon.pid())
            .zip(cpu)
            .map_or(f64::NAN, |(after, before)| after - before);
        println!(
            "to {branch:<6} git {:>6.0} ms, then synced in {:>6.0} ms, {} version(s), {cpu:.2} CPU s{}",
            checked_out.as_secs_f64() * 1e3,
            total.saturating_sub(checked_out).as_secs_f64() * 1e3,
            head - before,
            if round == 0 { "  (parses)" } else { "  (all facts known)" }
        );
        before = head;
        let name = if branch == "other" { "step_0_1_again1" } else { "step_0_1" };
        crate::world::symbol_id(&mut world, name)?;
    }
    Ok(())
}
