//! The first index of parts of a tree, each twice as large as the one before: what a file costs as trees grow.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sdl_tests::TestEnv;

use super::cold::{Runs, parse_all, stored_bytes};
use super::idle::pass_time;
use crate::figures::{format_megabytes, median};
use crate::options::Options;
use crate::world::{World, text_field};
use crate::{Outcome, process};

/// How often memory is looked at.
const EVERY: Duration = Duration::from_millis(50);
/// The longest bar of the plot, in characters.
const LONGEST_BAR: f64 = 50.0;

pub(crate) fn run_growth(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("growth wants a PATH")?;
    let sizes = u32::try_from(options.number("sizes", 5))?.clamp(1, 16);
    let files = files_by_folder(&path);
    let mut costs = Vec::new();
    println!(
        "| files | source | seconds | CPU s | of bare parsing | peak of anonymous memory | afterwards | on disk |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
    for size in (0..sizes).rev() {
        let cost = measure_part(&path, &files[..files.len() >> size])?;
        println!("{}", cost.row());
        costs.push(cost);
    }
    print_plot("CPU milliseconds", &costs, |cost| cost.cpu * 1e3);
    print_plot("CPU milliseconds of bare parsing", &costs, |cost| cost.parsing * 1e3);
    print_plot("kilobytes of anonymous memory at the peak", &costs, |cost| cost.peak as f64 / 1e3);
    print_plot("kilobytes on disk", &costs, |cost| cost.stored as f64 / 1e3);
    Ok(())
}

/// What the first index of a part took.
struct Cost {
    files: usize,
    source: u64,
    wall: f64,
    cpu: f64,
    /// CPU seconds of parsing the same files with tree-sitter and nothing else.
    parsing: f64,
    peak: u64,
    after: u64,
    stored: u64,
}

impl Cost {
    fn row(&self) -> String {
        format!(
            "| {} | {} | {:.1} | {:.1} | {:.2} times | {} | {} | {} |",
            self.files,
            format_megabytes(self.source),
            self.wall,
            self.cpu,
            self.cpu / self.parsing,
            format_megabytes(self.peak),
            format_megabytes(self.after),
            format_megabytes(self.stored)
        )
    }
}

/// Prints what each file costs, as a bar for each part.
fn print_plot(name: &str, costs: &[Cost], of: impl Fn(&Cost) -> f64) {
    let each = |cost: &Cost| of(cost) / cost.files.max(1) as f64;
    let most = costs.iter().map(each).fold(f64::EPSILON, f64::max);
    println!("\n{name}, for each file:");
    for cost in costs {
        let bar = "#".repeat((each(cost) / most * LONGEST_BAR).round() as usize);
        println!("{:>8} files  {:>8.2}  {bar}", cost.files, each(cost));
    }
}

/// The files of a tree from its root, those of a folder together and the folders in an order that has nothing to do with their
/// names. So the first half of them is much like the whole.
fn files_by_folder(root: &Path) -> Vec<PathBuf> {
    let mut folders: BTreeMap<(u64, PathBuf), Vec<PathBuf>> = BTreeMap::new();
    for entry in ignore::WalkBuilder::new(root).build().flatten() {
        let Ok(path) = entry.path().strip_prefix(root) else { continue };
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            let order = sdl_model::ids::stable_hash(&[folder.as_os_str().as_encoded_bytes()]);
            folders.entry((order, folder)).or_default().push(path.to_owned());
        }
    }
    folders.into_values().flatten().collect()
}

fn measure_part(from: &Path, files: &[PathBuf]) -> Outcome<Cost> {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let mut source = 0;
    for file in files {
        let to = root.join(file);
        fs::create_dir_all(to.parent().unwrap_or(&root))?;
        source += fs::copy(from.join(file), to)?;
    }
    let mut bare = Runs::default();
    parse_all(&root, &mut bare);
    let empty = env.repo("empty", "");
    let (mut world, _) = World::indexed(env, &empty)?;
    let pid = world.daemon.pid();
    let cpu = process::cpu_seconds(pid).unwrap_or(f64::NAN);
    let (end, ended) = mpsc::channel::<()>();
    let sampler = thread::spawn(move || {
        let mut peak = 0;
        while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            peak = peak.max(process::anonymous_bytes(pid).unwrap_or(0));
        }
        peak
    });
    let began = Instant::now();
    let indexed = index_tree(&mut world, &root);
    drop(end);
    let peak = sampler.join().map_err(|_| "the sampler of memory panicked")?;
    indexed?;
    let wall = began.elapsed().as_secs_f64();
    let cpu = process::cpu_seconds(pid).unwrap_or(f64::NAN) - cpu;
    // Memory goes back to the system after a few quiet seconds.
    pass_time(Duration::from_secs(10));
    let state = world.env.state_dir();
    Ok(Cost {
        files: files.len(),
        source,
        wall,
        cpu,
        parsing: median(&mut bare.cpu),
        peak,
        after: process::anonymous_bytes(pid).unwrap_or(0),
        stored: stored_bytes(&state.join("facts")) + stored_bytes(&state.join("repos")),
    })
}

fn index_tree(world: &mut World, root: &Path) -> Outcome {
    world.repo = String::new();
    let registered = world.call("repo_register", serde_json::json!({"rootPath": root}))?;
    world.repo = text_field(&registered, "repoId")?;
    world.wait_until_indexed()?;
    Ok(())
}
