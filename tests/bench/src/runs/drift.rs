//! Whether a tree that was edited over and over has the ledger of one that was indexed once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sdl_graph::testing::edits::{Random, edit_tree};
use sdl_tests::TestEnv;
use serde_json::{Value, json};

use crate::options::Options;
use crate::world::World;
use crate::{Outcome, tree};

/// Largest file that is edited, in bytes.
const MAX_BYTES: u64 = 256 << 10;
/// How often a barrier is tried again on a busy machine.
const SYNCS: usize = 10;
/// How the names of files end that are edited.
const EXTENSIONS: &[&str] = &[
    "bash", "c", "cc", "cpp", "cs", "cts", "cxx", "dart", "ex", "exs", "go", "h", "hh", "hpp", "java", "js",
    "json", "jsx", "kt", "kts", "lua", "mjs", "mod", "mts", "php", "proto", "py", "pyi", "R", "r", "rb",
    "rs", "scala", "sh", "svelte", "swift", "toml", "ts", "tsx", "vue", "zig",
];

/// The texts to edit, by path.
fn read_texts(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in ignore::WalkBuilder::new(root).build().flatten() {
        let path = entry.path();
        let is_code =
            path.extension().and_then(|end| end.to_str()).is_some_and(|end| EXTENSIONS.contains(&end));
        if !is_code || !entry.metadata().is_ok_and(|of| of.is_file() && of.len() <= MAX_BYTES) {
            continue;
        }
        let rel = path.strip_prefix(root).ok().and_then(Path::to_str);
        if let (Some(rel), Ok(text)) = (rel, fs::read_to_string(path)) {
            found.insert(rel.to_owned(), text);
        }
    }
    found
}

fn write_edit(root: &Path, path: &str, text: Option<&String>) -> Outcome {
    let target = root.join(path);
    match text {
        Some(text) => {
            fs::create_dir_all(target.parent().unwrap_or(root))?;
            fs::write(target, text)?;
        }
        None if target.exists() => fs::remove_file(target)?,
        None => {}
    }
    Ok(())
}

/// Waits until the ledger has every edit, so that the next one makes a version of its own.
pub(super) fn wait_settled(world: &mut World) -> Outcome {
    let mut failure = None;
    for _ in 0..SYNCS {
        match world.call("repo_status", json!({"sync": "require", "syncTimeoutMs": 30_000})) {
            Ok(_) => return Ok(()),
            Err(error) => failure = Some(error),
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Fails if `sdlctl verify` finds a difference, or if answers were wrong before.
pub(super) fn check_end(world: &World, wrong: u32) -> Outcome {
    let found = verify_differences(world)?;
    if !found.is_empty() {
        return Err(format!("the ledger differs:\n{}", found.join("\n")).into());
    }
    println!("`sdlctl verify`: identical to a fresh index");
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} answers were wrong").into()) }
}

/// The differences that `sdlctl verify` found.
fn verify_differences(world: &World) -> Outcome<Vec<String>> {
    let output = world.env.ctl(&["verify", "--json", "--repo", &world.repo]);
    let answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("verify: {}", String::from_utf8_lossy(&output.stderr)))?;
    if answer["identical"] == true {
        return Ok(Vec::new());
    }
    let lines = ["differences", "findings"]
        .iter()
        .flat_map(|name| answer[*name].as_array().cloned().unwrap_or_default());
    Ok(lines.map(|line| line.as_str().unwrap_or_default().to_owned()).collect())
}

pub(crate) fn run_drift(options: &Options) -> Outcome {
    let path = options.path.as_ref().ok_or("drift PATH: the tree to edit a copy of")?;
    let edits = options.number("edits", 100);
    let every = options.number("every", 25).max(1);
    let mut random = Random::new(options.number("seed", 1));
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::clone_tree(path, &root)?;
    let original = read_texts(&root);
    let mut texts = original.clone();
    let (mut world, time) = World::indexed(env, &root)?;
    let first = world.head()?;
    println!("{}: {} files to edit, indexed in {:.1} s", path.display(), original.len(), time.as_secs_f64());
    let mut since = Vec::new();
    for edit in 1..=edits {
        let changed = edit_tree(&mut texts, &original, &mut random);
        for path in &changed {
            write_edit(&root, path, texts.get(path))?;
        }
        since.push(changed);
        wait_settled(&mut world)?;
        if edit % every == 0 || edit == edits {
            let found = verify_differences(&world)?;
            if !found.is_empty() {
                let shown = found.join("\n");
                return Err(
                    format!("after {edit} edits the ledger differs; the last: {since:?}\n{shown}").into()
                );
            }
            since.clear();
        }
    }
    println!("{edits} edits, {} versions: identical to a fresh index", world.head()? - first);
    Ok(())
}
