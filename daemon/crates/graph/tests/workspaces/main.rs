//! Resolution as a function of the tree alone. Generated workspaces consist of several packages that import each other
//! in cycles. After each random edit, the edges and the asked questions must be the same, whichever way they were
//! reached. Each language is a file in this folder and a test of its own.
//!
//! `SDL_WORKSPACES` sets how many histories each language goes through.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that has no result must fail")]

mod dialects;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dialects::Dialect;
use sdl_graph::testing::edits::{Random, edit_tree};
use sdl_graph::testing::{Repo, is_touched};
use sdl_graph::{KeptIndexes, Limits};
use sdl_ledger::Resolved;
use sdl_model::RelPath;

/// Histories of each language by default.
const HISTORIES: u64 = 6;
/// Edits of one history.
const EDITS: usize = 10;

/// Limits that some questions run into. They apply in every other history.
const TIGHT: Limits = Limits { depth: 9, fuel: 120 };

/// Bytes to keep from one edit to the next: all, or some.
const KEPT: [usize; 2] = [1 << 30, 300_000];

type Known = BTreeMap<RelPath, Resolved>;

fn write(repo: &mut Repo, path: &str, text: &str) {
    let path = RelPath::new(path).unwrap();
    match sdl_lang::detect_lang(&path, text.as_bytes()) {
        Some(_) => support::add(repo, path.as_str(), text),
        None => repo.remove(&path),
    }
}

/// A workspace that holds some of the dialect's files.
fn workspace(dialect: &Dialect, random: &mut Random) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = dialect.manifests().into_iter().collect();
    for path in dialect.paths() {
        if random.below(4) > 0 {
            let text = dialect.file(&path, random);
            texts.insert(path, text);
        }
    }
    texts
}

/// Edits a workspace. Half of the time a file is written again, as after a change of its imports and base types.
fn edit(
    dialect: &Dialect,
    texts: &mut BTreeMap<String, String>,
    original: &BTreeMap<String, String>,
    random: &mut Random,
) -> Vec<String> {
    if random.below(2) == 0 {
        return edit_tree(texts, original, random);
    }
    let path = random.one_of(&dialect.paths()).unwrap().clone();
    let text = dialect.file(&path, random);
    texts.insert(path.clone(), text);
    vec![path]
}

fn assert_same(what: &str, expected: &Known, found: &Known) {
    for (path, found) in found {
        let expected = &expected[path];
        assert_eq!(expected.edges, found.edges, "{what}: edges of {path}");
        let missing = expected.asked.iter().filter(|key| !found.asked.contains(key)).count();
        let added = found.asked.iter().filter(|key| !expected.asked.contains(key)).count();
        assert_eq!(
            (missing, added),
            (0, 0),
            "{what}: questions of {path} that are missing, and that are new"
        );
        assert_eq!(expected, found, "{what}: {path}");
    }
}

/// One workspace and its edits.
fn live(dialect: &Dialect, seed: u64) {
    let mut random = Random::new(seed);
    let original = workspace(dialect, &mut random);
    let mut texts = original.clone();
    let mut repo = Repo::default();
    if seed % 2 == 1 {
        repo.limits = TIGHT;
    }
    for (path, text) in &texts {
        write(&mut repo, path, text);
    }
    // What a daemon keeps from one edit to the next.
    let mut kept = KeptIndexes::with_limit(KEPT[seed as usize / 2 % KEPT.len()]);
    let mut known = repo.resolve_with(&mut kept, |_| true).unwrap();
    for step in 0..EDITS {
        let before = repo.answers();
        let mut changed = BTreeSet::new();
        for _ in 0..=random.below(2) {
            for path in edit(dialect, &mut texts, &original, &mut random) {
                match texts.get(&path) {
                    Some(text) => write(&mut repo, &path, text),
                    None => repo.remove(&RelPath::new(&path).unwrap()),
                }
                changed.insert(RelPath::new(&path).unwrap());
            }
        }
        let changed_keys = before.differing(&repo.answers());
        known.retain(|path, _| repo.facts(path).is_some());
        let is_dirty = |path: &RelPath| {
            changed.contains(path) || known.get(path).is_none_or(|one| is_touched(&one.asked, &changed_keys))
        };
        kept.forget_changed(&changed_keys);
        let again = repo.resolve_with(&mut kept, is_dirty).unwrap();
        known.extend(again);
        let fresh = repo.resolve(|_| true).unwrap();
        let at = format!("{}, history {seed}, edit {step} of {changed:?}", dialect.name);
        assert_eq!(known.len(), fresh.len(), "{at}");
        assert_same(&format!("{at}: kept against fresh"), &fresh, &known);
        let mut order: Vec<RelPath> = fresh.keys().cloned().collect();
        for ix in (1..order.len()).rev() {
            order.swap(ix, random.below(ix + 1));
        }
        assert_same(&format!("{at}: another order"), &fresh, &repo.resolve_in_order(&order).unwrap());
        for path in order.iter().take(3) {
            assert_same(&format!("{at}: alone"), &fresh, &repo.resolve_in_order([path]).unwrap());
        }
    }
}

fn resolves_alike(path: &Path) -> datatest_stable::Result<()> {
    let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a name that is no text")?;
    let dialect = Dialect::read(name, &std::fs::read_to_string(path)?);
    let histories = std::env::var("SDL_WORKSPACES").map_or(HISTORIES, |text| text.parse().unwrap());
    for seed in 0..histories {
        live(&dialect, seed);
    }
    Ok(())
}

datatest_stable::harness! {
    { test = resolves_alike, root = "tests/workspaces", pattern = r"\.txt$" },
}
