//! The first index of a tree against bare tree-sitter parsing of the same files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use sdl_tests::TestEnv;
use tree_sitter::{Language, Parser};

use crate::figures::{format_megabytes, median};
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, grammars, process, tree};

pub(crate) fn run_cold(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("cold wants a PATH")?;
    let rounds = options.number("rounds", 3);
    let mut bare = Runs::default();
    let mut sdl = Runs::default();
    for round in 0..rounds.max(1) {
        let env = TestEnv::new();
        let root = env.repo("tree", "");
        let copied = tree::copy_tree(&path, &root)?;
        let parsed = parse_all(&root, &mut bare);
        if round == 0 {
            println!("{copied} files copied, {} parsed, {}", parsed.files, format_megabytes(parsed.bytes));
        }
        measure_index(env, &root, &mut sdl)?;
    }
    println!("bare parse   {}", bare.summary());
    println!("first index  {}", sdl.summary());
    println!(
        "ratio        wall {:.2}, CPU {:.2}",
        median(&mut sdl.wall) / median(&mut bare.wall),
        median(&mut sdl.cpu) / median(&mut bare.cpu)
    );
    Ok(())
}

/// Wall and CPU seconds of each round.
#[derive(Default)]
pub(super) struct Runs {
    wall: Vec<f64>,
    pub(super) cpu: Vec<f64>,
}

impl Runs {
    fn summary(&mut self) -> String {
        format!(
            "wall {:.3} s, CPU {:.3} s (medians of {})",
            median(&mut self.wall),
            median(&mut self.cpu),
            self.wall.len()
        )
    }
}

fn measure_index(env: TestEnv, root: &Path, runs: &mut Runs) -> Outcome {
    // The daemon is started beforehand: the cost of a process is not the cost of an index.
    let empty = env.repo("empty", "");
    let (mut world, _) = World::indexed(env, &empty)?;
    let pid = world.daemon.pid();
    let cpu = process::cpu_seconds(pid);
    let began = Instant::now();
    world.repo = String::new();
    let registered = world.call("repo_register", serde_json::json!({"rootPath": root}))?;
    world.repo = crate::world::text_field(&registered, "repoId")?;
    world.wait_until_indexed()?;
    runs.wall.push(began.elapsed().as_secs_f64());
    runs.cpu.push(process::cpu_seconds(pid).zip(cpu).map_or(f64::NAN, |(after, before)| after - before));
    if let Some(memory) = process::memory_use(pid) {
        let on_disk = |folder: &str| format_megabytes(stored_bytes(&world.env.state_dir().join(folder)));
        println!(
            "daemon: {} resident, {} of it private, peak {}; on disk: facts {}, ledger {}",
            format_megabytes(memory.resident),
            format_megabytes(memory.anonymous),
            format_megabytes(memory.peak),
            on_disk("facts"),
            on_disk("repos")
        );
    }
    Ok(())
}

/// Bytes of the databases below a folder, as far as the disk holds them.
pub(super) fn stored_bytes(folder: &Path) -> u64 {
    let files = ignore::WalkBuilder::new(folder).standard_filters(false).build().flatten();
    let sizes =
        files.filter(|entry| entry.file_name() == "data.mdb").filter_map(|entry| entry.metadata().ok());
    sizes.map(|file| file.len()).sum()
}

/// The number of files and bytes that were parsed.
pub(super) struct Parsed {
    files: usize,
    bytes: u64,
}

/// Walks, reads and parses on as many threads as the daemon may use.
pub(super) fn parse_all(root: &Path, runs: &mut Runs) -> Parsed {
    let me = std::process::id();
    let cpu = process::cpu_seconds(me);
    let began = Instant::now();
    let files: Vec<(PathBuf, Language)> = ignore::WalkBuilder::new(root)
        .build()
        .flatten()
        .filter_map(|entry| {
            grammars::file_grammar(entry.path()).map(|language| (entry.into_path(), language))
        })
        .collect();
    let sizes: Vec<u64> = files
        .par_iter()
        .filter_map(|(path, language)| {
            let bytes = fs::read(path).ok().filter(|bytes| bytes.len() <= 2 << 20)?;
            let mut parser = Parser::new();
            parser.set_language(language).ok()?;
            parser.parse(&bytes, None)?;
            Some(bytes.len() as u64)
        })
        .collect();
    runs.wall.push(began.elapsed().as_secs_f64());
    runs.cpu.push(process::cpu_seconds(me).zip(cpu).map_or(f64::NAN, |(after, before)| after - before));
    Parsed { files: sizes.len(), bytes: sizes.iter().sum() }
}
