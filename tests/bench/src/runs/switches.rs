//! `git checkout` of thousands of files of a real tree, there and back again, against the first index of that tree.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use sdl_tests::TestEnv;
use serde_json::json;

use super::checkout::{Checkout, make_branches};
use super::drift::check_end;
use super::idle::pass_time;
use crate::figures::{format_megabytes, median};
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, process, tree};

/// After this time, a daemon with nothing to do has given memory back.
const AFTER: Duration = Duration::from_secs(10);

/// How a function is written that can follow the rest of a file: the ending of the file's name, and the texts before and after
/// the function's name.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("c", "\nstatic int ", "(int x)\n{\n\treturn x + 1;\n}\n"),
    ("cpp", "\nstatic int ", "(int x)\n{\n\treturn x + 1;\n}\n"),
    ("cc", "\nstatic int ", "(int x)\n{\n\treturn x + 1;\n}\n"),
    ("rs", "\nfn ", "(x: i32) -> i32 {\n    x + 1\n}\n"),
    ("py", "\n\ndef ", "(x):\n    return x + 1\n"),
    ("ts", "\nfunction ", "(x: number) {\n    return x + 1;\n}\n"),
    ("js", "\nfunction ", "(x) {\n    return x + 1;\n}\n"),
    ("go", "\nfunc ", "(x int) int {\n\treturn x + 1\n}\n"),
];

pub(crate) fn run_switches(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("switches wants a PATH")?;
    let files = usize::try_from(options.number("files", 3000))?;
    if files == 0 {
        return Err("--files wants at least 1".into());
    }
    let rounds = options.number("rounds", 6);
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let copied = tree::copy_tree(&path, &root)?;
    let added = make_branches(&root, || add_functions(&root, files))?;

    let (mut world, time) = World::indexed(env, &root)?;
    let pid = world.daemon.pid();
    let cold = process::cpu_seconds(pid).unwrap_or(f64::NAN);
    println!("{copied} files, first index in {:.1} s, {cold:.1} CPU s", time.as_secs_f64());
    let (mut walls, mut cpus, mut wrong) = (Vec::new(), Vec::new(), 0);
    for round in 0..rounds {
        let branch = if round.is_multiple_of(2) { "other" } else { "main" };
        let checkout = Checkout::make(&mut world, branch)?;
        let right = has_added(&mut world, added, branch == "other")?;
        println!(
            "{added} files to {branch:<6} {}{}{}",
            checkout.describe(),
            if round == 0 { "  (parses)" } else { "  (all facts known)" },
            if right { "" } else { "  WRONG" }
        );
        wrong += u32::from(!right);
        walls.push(checkout.wait.as_secs_f64());
        cpus.push(checkout.cpu);
    }
    println!(
        "medians: synced after {:.1} s, {:.1} CPU s, {:.2} of the first index",
        median(&mut walls),
        median(&mut cpus),
        median(&mut cpus) / cold
    );
    pass_time(AFTER);
    let memory = process::anonymous_bytes(pid).map_or_else(String::new, format_megabytes);
    println!("{} s later: {memory} of anonymous memory", AFTER.as_secs());
    check_end(&world, wrong)
}

/// The start of the name of each added function.
const ADDED: &str = "sdl_bench_added_";

/// Appends a function to this number of files, spread evenly over the tree, or to all. Gives how many they are.
fn add_functions(root: &Path, files: usize) -> Outcome<usize> {
    let mut found = Vec::new();
    for entry in ignore::WalkBuilder::new(root).sort_by_file_path(Path::cmp).build().flatten() {
        let ending = entry.path().extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let function = FUNCTIONS.iter().find(|(of, ..)| *of == ending);
        if let Some((_, before, after)) =
            function.filter(|_| entry.file_type().is_some_and(|kind| kind.is_file()))
        {
            found.push((entry.into_path(), *before, *after));
        }
    }
    let count = files.min(found.len());
    for at in 0..count {
        let Some((path, before, after)) = found.get(at * found.len() / count) else { continue };
        let mut file = OpenOptions::new().append(true).open(path)?;
        write!(file, "{before}{ADDED}{at}{after}")?;
    }
    Ok(count)
}

/// Whether searches for the first, the middle and the last of the added functions find one each, or none.
fn has_added(world: &mut World, added: usize, wanted: bool) -> Outcome<bool> {
    for at in [0, added / 2, added.saturating_sub(1)] {
        let query = json!({"query": format!("{ADDED}{at}"), "exact": true, "limit": 2});
        let page = world.call("symbol_search", query)?;
        if page["results"].as_array().map(Vec::len) != Some(usize::from(wanted)) {
            return Ok(false);
        }
    }
    Ok(true)
}
