//! Resolving what a change can touch gives what resolving everything gives.

#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod pool;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use pool::{GROUPS, POOL};
use proptest::prelude::*;
use sdl_graph::KeptIndexes;
use sdl_graph::testing::{Repo, is_touched};
use sdl_ledger::Resolved;
use sdl_model::RelPath;

fn in_group(group: usize, name: &str) -> bool {
    match GROUPS[group] {
        "" => GROUPS[1..].iter().all(|other| !name.starts_with(other)),
        prefix => name.starts_with(prefix),
    }
}

#[derive(Clone, Debug)]
struct Edit {
    file: usize,
    /// None removes the file.
    text: Option<usize>,
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    (0..GROUPS.len()).prop_flat_map(|group| {
        let files: Vec<usize> = (0..POOL.len()).filter(|file| in_group(group, POOL[*file].0)).collect();
        let edit = (prop::sample::select(files), prop::option::weighted(0.85, 0..4usize))
            .prop_map(|(file, text)| Edit { file, text: text.map(|text| text % POOL[file].1.len()) });
        prop::collection::vec(prop::collection::vec(edit, 1..4), 1..8)
    })
}

fn apply(repo: &mut Repo, batch: &[Edit]) -> BTreeSet<RelPath> {
    let mut changed = BTreeSet::new();
    for edit in batch {
        let (name, texts) = POOL[edit.file];
        let path = RelPath::new(name).unwrap();
        match edit.text {
            Some(text) => support::add(repo, name, texts[text]),
            None => repo.remove(&path),
        }
        changed.insert(path);
    }
    changed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 900, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_fresh(history in edits(), bytes in prop_oneof![Just(0), Just(80_000), Just(1 << 30)]) {
        let mut repo = Repo::default();
        let mut kept = KeptIndexes::with_limit(bytes);
        let mut known: BTreeMap<RelPath, Resolved> = BTreeMap::new();
        for batch in history {
            let before = repo.answers();
            let changed = apply(&mut repo, &batch);
            let differing = before.differing(&repo.answers());
            kept.forget_changed(&differing);
            known.retain(|path, _| repo.facts(path).is_some());
            let dirty: BTreeSet<RelPath> = repo
                .files()
                .map(|(path, _)| path.clone())
                .filter(|path| {
                    changed.contains(path)
                        || known.get(path).is_none_or(|one| is_touched(&one.asked, &differing))
                })
                .collect();
            let again = repo.resolve_with(&mut kept, |path| dirty.contains(path)).unwrap();
            known.extend(again);
            let fresh = repo.resolve(|_| true).unwrap();
            prop_assert_eq!(&known, &fresh);
            // One file at a time, without what a batch remembers.
            for (path, one) in &fresh {
                let alone = repo.resolve(|other| other == path).unwrap();
                prop_assert_eq!(&alone[path], one, "{}", path);
            }
        }
    }
}

#[test]
fn files_of_one_crate_share_an_answer_and_not_its_questions() {
    let mut repo = Repo::default();
    support::add(&mut repo, "Cargo.toml", "[workspace]\nmembers = [\"*\"]\n");
    support::add(&mut repo, "a/Cargo.toml", "[package]\nname = \"a\"\n");
    support::add(&mut repo, "b/Cargo.toml", "[package]\nname = \"b\"\n");
    support::add(&mut repo, "b/src/lib.rs", "pub struct B;\n");
    let paths = ["a/src/lib.rs", "a/src/deep/deeper/x.rs", "a/src/other/y.rs"];
    for path in paths {
        support::add(&mut repo, path, "use b::B;\nfn f(_: B) {}\n");
    }
    let together = repo.resolve(|_| true).unwrap();
    for path in paths.map(|path| RelPath::new(path).unwrap()) {
        let alone = repo.resolve_in_order([&path]).unwrap();
        assert_eq!(alone[&path], together[&path], "{path}");
        let outer = RelPath::new(paths[1]).unwrap();
        let last = repo.resolve_in_order([&outer, &path]).unwrap();
        assert_eq!(last[&path], together[&path], "{path} after {outer}");
    }
}
