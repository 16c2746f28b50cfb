//! Many git worktrees of one repository: the cost of each, whether they stay apart, and what remains of removed ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

use super::idle::pass_time;
use crate::figures::{format_megabytes, median};
use crate::options::Options;
use crate::world::{World, call_action, check_synced, connect_shim, text_field};
use crate::{Outcome, process, tree};

/// How long removed worktrees may take to be forgotten.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) fn run_worktrees(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("worktrees wants a PATH")?;
    let count = options.number("count", 100) as usize;
    let env = TestEnv::new();
    let root = env.repo("main", "");
    tree::clone_tree(&path, &root)?;
    if !tree::has_commit(&root, "HEAD") {
        git(&root, &["init", "-q"])?;
        git(&root, &["add", "."])?;
        git(&root, &["commit", "-q", "-m", "all"])?;
    }
    let folder = env.path("trees");
    let trees: Vec<PathBuf> = (0..count).map(|number| folder.join(format!("t{number}"))).collect();
    for tree in &trees {
        git(&root, &["worktree", "add", "-q", "--detach", &tree.to_string_lossy()])?;
    }
    let (mut world, took) = World::indexed(env, &root)?;
    let cpu = process::cpu_seconds(world.daemon.pid()).unwrap_or(f64::NAN);
    let (_, watches) = status_of(&mut world.client, "")?;
    println!(
        "main tree: {:.2} s, CPU {cpu:.2} s since the daemon's start, {} of ledger, {watches} watches",
        took.as_secs_f64(),
        format_megabytes(ledger_bytes(&world)?)
    );
    let costs = add_all(&world, &trees)?;
    costs.print();
    stay_apart(&mut world, &trees, &costs.ids)?;
    remove_all(&mut world, &trees)?;
    Ok(())
}

/// What the worktrees cost.
#[derive(Default)]
struct Costs {
    ids: Vec<String>,
    wall: Vec<f64>,
    cpu: Vec<f64>,
    /// Bytes of the ledger's files.
    stored: Vec<f64>,
    /// Bytes by which the disk's free space fell for all of them.
    taken: Option<u64>,
    watches: Vec<f64>,
}

impl Costs {
    fn print(&self) {
        let middle = |numbers: &[f64]| median(&mut numbers.to_vec());
        let most = |numbers: &[f64]| numbers.iter().copied().fold(0.0, f64::max);
        println!(
            "{} worktrees, each from the start of a shim in it to an answer that is in sync:",
            self.ids.len()
        );
        println!("  seconds        median {:.3}, most {:.3}", middle(&self.wall), most(&self.wall));
        println!("  CPU seconds    median {:.3}, most {:.3}", middle(&self.cpu), most(&self.cpu));
        println!("  ledger         median {}", format_megabytes(middle(&self.stored) as u64));
        if let (Some(taken), count @ 1..) = (self.taken, self.ids.len() as u64) {
            println!(
                "  disk taken     {} for each, shared blocks counted once",
                format_megabytes(taken / count)
            );
        }
        println!("  watches        median {:.0}, most {:.0}", middle(&self.watches), most(&self.watches));
    }
}

/// Has each of them registered by a first question from inside.
fn add_all(world: &World, trees: &[PathBuf]) -> Outcome<Costs> {
    let mut costs = Costs::default();
    let pid = world.daemon.pid();
    let free = free_bytes(&world.env.state_dir());
    let mut before = ledger_bytes(world)?;
    for tree in trees {
        let (began, cpu) = (Instant::now(), process::cpu_seconds(pid));
        let mut client = connect_shim(&world.env, tree)?;
        client.timeout = Duration::from_mins(10);
        call_action(&mut client, "", "index_refresh", json!({"mode": "incremental"}))?;
        let (id, watches) = status_of(&mut client, "")?;
        costs.wall.push(began.elapsed().as_secs_f64());
        costs.cpu.push(process::cpu_seconds(pid).zip(cpu).map_or(f64::NAN, |(after, before)| after - before));
        let now = ledger_bytes(world)?;
        costs.stored.push(now.saturating_sub(before) as f64);
        before = now;
        costs.watches.push(watches as f64);
        costs.ids.push(id);
    }
    costs.taken =
        free.zip(free_bytes(&world.env.state_dir())).map(|(before, after)| before.saturating_sub(after));
    let different: BTreeSet<&String> = costs.ids.iter().collect();
    if different.len() != trees.len() {
        return Err(format!("{} repositories for {} worktrees", different.len(), trees.len()).into());
    }
    Ok(costs)
}

/// Writes a file with a function of its own into each, and the main tree. Each must be found in its tree and in no other.
fn stay_apart(world: &mut World, trees: &[PathBuf], ids: &[String]) -> Outcome {
    let main = world.repo.clone();
    let (root, client) = (world.root.clone(), &mut world.client);
    let all: Vec<(&Path, &str)> = std::iter::once((root.as_path(), main.as_str()))
        .chain(trees.iter().map(PathBuf::as_path).zip(ids.iter().map(String::as_str)))
        .collect();
    for (number, (tree, _)) in all.iter().enumerate() {
        fs::write(tree.join("sdl_bench_own.py"), format!("def sdl_bench_own_{number}():\n    return 1\n"))?;
    }
    let mut asked = 0;
    for (number, (_, id)) in all.iter().enumerate() {
        let neighbours = [number, (number + 1) % all.len(), (number + all.len() - 1) % all.len(), 0];
        for other in BTreeSet::from(neighbours) {
            let query = format!("sdl_bench_own_{other}");
            let arguments = json!({"query": query, "exact": true, "sync": "require"});
            let found = call_action(client, id, "symbol_search", arguments)?;
            check_synced(&found)?;
            if found["total"] != u64::from(other == number) {
                return Err(format!("{id} has {} of {query}: {found}", found["total"]).into());
            }
            asked += 1;
        }
    }
    println!("{asked} questions about edits: each was found in its own tree, and in no other");
    Ok(())
}

fn remove_all(world: &mut World, trees: &[PathBuf]) -> Outcome {
    for tree in trees {
        git(&world.root, &["worktree", "remove", "--force", &tree.to_string_lossy()])?;
    }
    let began = Instant::now();
    let repos = world.env.state_dir().join("repos");
    let left = loop {
        let left = fs::read_dir(&repos)?.count();
        if left <= 1 || began.elapsed() > PATIENCE {
            break left.saturating_sub(1);
        }
        pass_time(Duration::from_millis(100));
    };
    println!(
        "removed: {left} of {} ledgers are left after {:.1} s; {} of ledgers",
        trees.len(),
        began.elapsed().as_secs_f64(),
        format_megabytes(ledger_bytes(world)?)
    );
    if left > 0 {
        return Err("a removed worktree is not forgotten".into());
    }
    check_synced(&world.call("repo_status", json!({"sync": "require"}))?)
}

/// The id of the repository that a client is in, and how many folders of it are watched.
fn status_of(client: &mut McpClient, repo: &str) -> Outcome<(String, u64)> {
    let status: Value = call_action(client, repo, "repo_status", json!({"sync": "require"}))?;
    check_synced(&status)?;
    let watches = status["watcher"]["watches"].as_u64().ok_or("no number of watches")?;
    Ok((text_field(&status, "repoId")?, watches))
}

/// Bytes of the data files of all ledgers.
fn ledger_bytes(world: &World) -> Outcome<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(world.env.state_dir().join("repos"))? {
        // One that is being removed may be gone.
        sum += fs::metadata(entry?.path().join("data.mdb")).map_or(0, |meta| meta.len());
    }
    Ok(sum)
}

/// Free bytes of the disk, as `df` reports them.
fn free_bytes(at: &Path) -> Option<u64> {
    let output = Command::new("df").args(["-Pk"]).arg(at).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let blocks: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(blocks * 1024)
}

fn git(at: &Path, arguments: &[&str]) -> Outcome {
    let settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(settings).args(arguments).current_dir(at).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}
