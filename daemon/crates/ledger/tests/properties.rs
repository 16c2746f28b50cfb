//! Random sequences of batches: incremental equals from scratch, and the past is answered as it was.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sdl_ledger::{Ledger, Options, Retention, View};
use sdl_model::{Edge, FileId, FileRow, SymbolId, Version};
use support::{Node, Spec, Tree};

/// A file's number; mostly one of a few, so that batches meet.
fn number() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0_u8..4, 1 => 0_u8..14]
}

fn spec() -> impl Strategy<Value = Node> {
    let def = (0_u8..10, proptest::collection::vec(0_u8..10, 0..3));
    let defs = proptest::collection::vec(def, 0..5);
    let many = (0_u8..3).prop_map(|name| vec![(name, vec![0, 1]); 9]);
    let code = (
        proptest::option::of(0_u8..2),
        prop_oneof![6 => defs, 1 => many],
        proptest::collection::vec(number(), 0..3),
        0_u8..3,
    )
        .prop_map(|(package, defs, imports, padding)| Node::Code(Spec { package, defs, imports, padding }));
    prop_oneof![8 => code, 1 => Just(Node::Skipped), 1 => (0_u8..2).prop_map(Node::Failed)]
}

#[derive(Clone, Debug)]
enum Step {
    /// Files that change in one batch; none: it goes.
    Batch(Vec<(u8, Option<Node>)>),
    /// Files that change in a load of the whole next version.
    Leap(Vec<(u8, Option<Node>)>),
    /// A load of the next version that is dropped.
    LeapDropped(Vec<(u8, Option<Node>)>),
    /// A batch that is dropped.
    Dropped(Vec<(u8, Option<Node>)>),
    /// A load from scratch over an existing ledger.
    Reload,
    Reopen,
    AgeOut(u64),
}

/// Files that change in one batch; none: it goes.
type Edits = Vec<(u8, Option<Node>)>;

fn edits() -> impl Strategy<Value = Edits> {
    proptest::collection::vec((number(), proptest::option::weighted(0.8, spec())), 1..6)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        10 => edits().prop_map(Step::Batch),
        4 => edits().prop_map(Step::Leap),
        1 => edits().prop_map(Step::LeapDropped),
        1 => edits().prop_map(Step::Dropped),
        1 => Just(Step::Reload),
        1 => Just(Step::Reopen),
        1 => (1_u64..5).prop_map(Step::AgeOut),
    ];
    proptest::collection::vec(step, 1..10)
}

/// The contents of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Past {
    files: BTreeMap<FileId, FileRow>,
    edges: BTreeMap<SymbolId, Vec<Edge>>,
}

fn past(ledger: &Ledger, tree: &Tree) -> Past {
    ledger
        .read(support::soon(), |view| {
            let mut past = Past::default();
            for number in tree.keys() {
                let file = FileId::of(&support::path(*number));
                past.files.extend(view.file(file)?.map(|row| (file, row)));
                for symbol in view.symbols_of(file)? {
                    let edges = view.out_edges(symbol)?;
                    if !edges.is_empty() {
                        past.edges.insert(symbol, edges);
                    }
                }
            }
            Ok(past)
        })
        .unwrap()
}

fn apply(tree: &Tree, edits: &[(u8, Option<Node>)]) -> Tree {
    let mut tree = tree.clone();
    for (number, node) in edits {
        match node {
            Some(node) => drop(tree.insert(*number, node.clone())),
            None => drop(tree.remove(number)),
        }
    }
    tree
}

/// Every version that is still kept answers as it did when it was the newest.
fn past_is_as_it_was(ledger: &Ledger, pasts: &BTreeMap<Version, Past>) {
    let files: BTreeSet<FileId> = pasts.values().flat_map(|past| past.files.keys().copied()).collect();
    let symbols: BTreeSet<SymbolId> = pasts.values().flat_map(|past| past.edges.keys().copied()).collect();
    ledger
        .read(support::soon(), |view| {
            let now = &pasts[&view.version()];
            for (version, past) in pasts {
                if !view.reaches(*version) {
                    assert!(view.file_at(FileId(0), *version).is_err());
                    continue;
                }
                for file in &files {
                    assert_eq!(view.file_at(*file, *version)?.as_ref(), past.files.get(file), "{version}");
                }
                for symbol in &symbols {
                    let edges = past.edges.get(symbol).cloned().unwrap_or_default();
                    assert_eq!(view.out_edges_at(*symbol, *version)?, edges, "{version} {symbol}");
                }
                let changes = view.changes_since(*version)?;
                let differing: BTreeSet<FileId> = files
                    .iter()
                    .filter(|file| past.files.get(file) != now.files.get(file))
                    .copied()
                    .collect();
                assert_eq!(changes.files.iter().map(|c| c.file).collect::<BTreeSet<_>>(), differing);
                for change in &changes.files {
                    assert_eq!(change.old.as_ref(), past.files.get(&change.file));
                    assert_eq!(change.new.as_ref(), now.files.get(&change.file));
                }
                let differing: Vec<SymbolId> =
                    symbols.iter().filter(|s| past.edges.get(s) != now.edges.get(s)).copied().collect();
                assert_eq!(changes.edges, differing);
            }
            Ok(())
        })
        .unwrap();
}

fn run(steps: Vec<Step>) {
    let dir = support::folder();
    let retention = Retention { versions: 4, ..Retention::default() };
    let options = Options { retention, ..support::small() };
    let mut ledger = support::open(dir.path(), &options);
    let mut tree = Tree::new();
    let mut pasts = BTreeMap::new();
    for step in steps {
        match step {
            Step::Batch(edits) => {
                let after = apply(&tree, &edits);
                let before = ledger.head();
                let version = support::step(&ledger, &tree, &after).unwrap();
                assert_eq!(version.is_none(), before.is_some() && tree == after, "a version for a change");
                assert!(ledger.head() > before || version.is_none(), "numbers grow");
                tree = after;
            }
            Step::Leap(edits) | Step::LeapDropped(edits) if ledger.head().is_none() => {
                assert!(ledger.bulk_next().is_err(), "{edits:?} have no version to follow");
            }
            Step::Leap(edits) => {
                let (before, after) = (ledger.head(), apply(&tree, &edits));
                let version = support::leap(&ledger, &tree, &after, true).unwrap();
                assert!(version > before && version == ledger.head(), "numbers grow");
                tree = after;
            }
            Step::LeapDropped(edits) => {
                let left = support::leap(&ledger, &tree, &apply(&tree, &edits), false).unwrap();
                assert_eq!(left, None);
            }
            Step::Dropped(edits) => {
                let mut batch = ledger.batch().unwrap();
                let filled = support::fill(&mut batch, &tree, &apply(&tree, &edits));
                assert!(matches!(filled, Ok(()) | Err(sdl_ledger::Error::MapFull { .. })));
            }
            Step::Reload => {
                pasts.clear();
                support::load(&ledger, &tree).unwrap();
            }
            Step::Reopen => {
                drop(ledger);
                // As after a crash: every page is looked at, and none is found wanting.
                std::fs::write(dir.path().join("running"), "").unwrap();
                let opened = Ledger::open(dir.path(), &options).unwrap();
                assert_eq!(opened.how, sdl_ledger::How::Existing);
                ledger = opened.ledger;
            }
            Step::AgeOut(now) => {
                let aged = ledger.age_out(now).unwrap();
                let kept = ledger.stats().unwrap().versions;
                assert!(kept <= 4 && (aged.floor.is_some() || kept == 0));
            }
        }
        support::no_findings(&ledger);
        let Some(head) = ledger.head() else { continue };
        let now = past(&ledger, &tree);
        if let Some(known) = pasts.insert(head, now.clone()) {
            assert_eq!(known, now, "one version has one content");
        }
        past_is_as_it_was(&ledger, &pasts);
        let other = support::folder();
        // Half of the time with so little memory that rows are written in many parts.
        let gather_bytes = if pasts.len() % 2 == 0 { 300 } else { options.gather_bytes };
        let fresh = support::open(other.path(), &Options { gather_bytes, ..options.clone() });
        support::load(&fresh, &tree).unwrap();
        support::no_findings(&fresh);
        assert_eq!(support::dump(&ledger), support::dump(&fresh), "incremental equals from scratch");
        assert_eq!(ledger.digest().unwrap(), fresh.digest().unwrap());
    }
}

/// Commits edits one batch after the other, and compares with an index from scratch each time.
fn commit_all(ledger: &Ledger, mut tree: Tree, batches: &[Edits]) -> Tree {
    for edits in batches {
        let after = apply(&tree, edits);
        support::step(ledger, &tree, &after).unwrap();
        tree = after;
        let other = support::folder();
        let fresh = support::open(other.path(), &support::small());
        support::load(&fresh, &tree).unwrap();
        support::no_findings(ledger);
        assert_eq!(support::dump(ledger), support::dump(&fresh), "an inherited ledger equals a fresh one");
    }
    tree
}

/// Otherwise the histories below would not have the case.
#[test]
fn two_paths_share_a_mark() {
    let marks = [2, 3].map(|number| FileId::of(&support::path(number)).0 >> 32);
    assert_eq!(marks[0], marks[1]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_from_scratch_and_the_past_stays(steps in steps()) {
        run(steps);
    }

    #[test]
    fn two_ledgers_of_one_origin_go_their_own_ways(
        before in proptest::collection::vec(edits(), 1..4),
        here in proptest::collection::vec(edits(), 1..4),
        there in proptest::collection::vec(edits(), 1..4),
    ) {
        let (of_one, of_other) = (support::folder(), support::folder());
        let source = support::open(of_one.path(), &support::small());
        let tree = commit_all(&source, Tree::new(), &before);
        let (then, past_then) = (source.head().unwrap(), past(&source, &tree));
        let opened = Ledger::open(of_other.path(), &support::small()).unwrap();
        let copy = opened.inherit(&source, &support::small()).unwrap().ledger;
        prop_assert!(copy.is_inherited());
        let ours = commit_all(&source, tree.clone(), &here);
        let theirs = commit_all(&copy, tree, &there);
        let (kept, copied) = (support::dump(&source), support::dump(&copy));
        prop_assert_eq!(kept == copied, ours == theirs);
        let pasts = BTreeMap::from([(then, past_then), (source.head().unwrap(), past(&source, &ours))]);
        past_is_as_it_was(&source, &pasts);
        prop_assert!(copy.read(support::soon(), |view| Ok(!view.reaches(then))).unwrap());
    }
}
