//! A ledger that starts from the rows of another one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use sdl_ledger::{DumpOptions, Error, Lease, Ledger, Options, View};
use sdl_model::{FileId, Version};
use support::{CREATED, Tree, dump, folder, load, no_findings, open, sample, small, soon, step};

/// Opens the ledger in `dir` beside `source`.
fn inherit(dir: &Path, source: &Ledger, options: &Options) -> Ledger {
    Ledger::open(dir, options).unwrap().inherit(source, options).unwrap().ledger
}

/// The rows that nobody sees yet.
fn hidden_dump(ledger: &Ledger) -> String {
    let mut out = Vec::new();
    ledger.read_inherited(|view| view.dump(&mut out, DumpOptions::ALL)).unwrap();
    String::from_utf8(out).unwrap()
}

/// A ledger with a past, of the tree that is returned.
fn with_a_past(dir: &Path) -> (Ledger, Tree) {
    let ledger = open(dir, &small());
    let (first, last) = (sample(5), sample(9));
    load(&ledger, &first).unwrap();
    step(&ledger, &first, &last).unwrap();
    let lease =
        Lease { handle: "h".into(), holds_from: ledger.head().unwrap(), expires_ms: u64::MAX, data: vec![1] };
    ledger.put_lease(&lease).unwrap();
    (ledger, last)
}

#[test]
fn a_copy_has_the_rows_and_nothing_else_of_the_other() {
    let (of_one, of_other) = (folder(), folder());
    let (source, tree) = with_a_past(of_one.path());
    let before = dump(&source);
    let copy = inherit(of_other.path(), &source, &small());
    assert!(copy.is_inherited() && copy.head().is_none());
    assert_eq!(hidden_dump(&copy), before);
    assert_ne!(copy.incarnation(), source.incarnation());

    // Nobody sees a row of the other tree before the first batch.
    assert_eq!(dump(&copy), "");
    let seen = copy.read(soon(), |view| {
        let file = FileId::of(&support::path(1));
        Ok((view.file(file)?, view.files_named("x.py")?, view.counters()?.files, view.named("name1")?))
    });
    let (file, named, files, names) = seen.unwrap();
    assert!(file.is_none() && named.is_empty() && files == 0);
    assert!(matches!(names, sdl_ledger::Named::All(hits) if hits.is_empty()));
    assert!(copy.lease("h").unwrap().is_none());
    let hint = copy.read_inherited(|view| view.stat(FileId::of(&support::path(1)))).unwrap();
    assert!(hint.is_none(), "hints are those of other files");

    let theirs = source.head().unwrap();
    let ours = step(&copy, &tree, &tree).unwrap().expect("a first version, though nothing differs");
    assert!(!copy.is_inherited() && ours > theirs);
    assert_eq!(dump(&copy), before);
    no_findings(&copy);
    let kept = copy.read(soon(), |view| Ok((view.floor(), view.reaches(theirs), view.version_row(theirs)?)));
    let (floor, reaches, row) = kept.unwrap();
    assert!(floor == Some(ours) && !reaches && row.is_none(), "the other's past can't be asked for");
    assert!(matches!(copy.read_inherited(|_| Ok(())), Err(Error::Misuse(_))));
}

#[test]
fn numbers_of_versions_begin_when_the_copy_is_made() {
    let (of_one, of_other, late) = (folder(), folder(), folder());
    let (source, tree) = with_a_past(of_one.path());
    let theirs = source.head().unwrap();
    let copy = inherit(of_other.path(), &source, &small());
    assert_eq!(step(&copy, &tree, &tree).unwrap(), Some(theirs.next()), "on a clock that stands still");
    let later = Options { clock: std::sync::Arc::new(support::Fixed(CREATED + 5_000)), ..small() };
    let copy = inherit(late.path(), &source, &later);
    assert_eq!(step(&copy, &tree, &tree).unwrap(), Some(Version(CREATED + 5_001)));
}

#[test]
fn edits_of_one_never_show_in_the_other() {
    let (of_one, of_other) = (folder(), folder());
    let (source, tree) = with_a_past(of_one.path());
    let copy = inherit(of_other.path(), &source, &small());
    let (mut here, mut there) = (tree.clone(), tree.clone());
    here.remove(&0);
    there.insert(11, tree[&3].clone());
    step(&source, &tree, &here).unwrap();
    step(&copy, &tree, &there).unwrap();
    for (ledger, tree) in [(&source, &here), (&copy, &there)] {
        let fresh = folder();
        let fresh = open(fresh.path(), &small());
        load(&fresh, tree).unwrap();
        assert_eq!(dump(ledger), dump(&fresh));
        no_findings(ledger);
    }
}

#[test]
fn a_ledger_with_a_version_inherits_nothing_and_an_empty_one_leaves_nothing() {
    let (of_one, of_other, of_empty) = (folder(), folder(), folder());
    let (source, _) = with_a_past(of_one.path());
    let own = sample(3);
    load(&open(of_other.path(), &small()), &own).unwrap();
    let kept = inherit(of_other.path(), &source, &small());
    assert!(!kept.is_inherited() && kept.head().is_some());
    drop(kept);

    let empty = open(of_empty.path(), &small());
    let of_third = folder();
    let third = inherit(of_third.path(), &empty, &small());
    assert!(!third.is_inherited() && third.head().is_none(), "it is empty, and works");
    load(&third, &own).unwrap();
    no_findings(&third);
}

#[test]
fn what_a_crash_leaves_is_nothing_or_all() {
    let (of_one, of_other) = (folder(), folder());
    let (source, tree) = with_a_past(of_one.path());
    let dir = of_other.path();
    let nursery = dir.join("inherit");
    // In the middle of the copy.
    let data = fs::read(of_one.path().join("data.mdb")).unwrap();
    for part in [0, 5_000, data.len() / 2, data.len()] {
        fs::create_dir_all(&nursery).unwrap();
        fs::write(nursery.join("data.mdb"), &data[..part]).unwrap();
        let opened = open(dir, &small());
        assert!(opened.head().is_none() && !opened.is_inherited());
        assert!(!nursery.exists(), "it is removed");
    }
    // After it, and before the first batch.
    fs::create_dir_all(&nursery).unwrap();
    fs::write(nursery.join("data.mdb"), &data[..5_000]).unwrap();
    drop(inherit(dir, &source, &small()));
    let opened = open(dir, &small());
    assert!(opened.head().is_none() && !opened.is_inherited() && dump(&opened).is_empty());
    assert!(opened.batch().unwrap().stat(FileId::of(&support::path(1))).unwrap().is_none());
    drop(opened);
    // Again, and from there on as if nothing had been.
    let copy = inherit(dir, &source, &small());
    step(&copy, &tree, &tree).unwrap();
    assert_eq!(dump(&copy), dump(&source));
    drop(copy);
    fs::write(dir.join("running"), "").unwrap();
    let opened = Ledger::open(dir, &small()).unwrap();
    assert_eq!(opened.how, sdl_ledger::How::Existing);
    assert_eq!(dump(&opened.ledger), dump(&source));
}

#[test]
fn a_load_from_scratch_replaces_what_was_inherited() {
    let (of_one, of_other, of_fresh) = (folder(), folder(), folder());
    let (source, _) = with_a_past(of_one.path());
    let copy = inherit(of_other.path(), &source, &small());
    let other = sample(4);
    load(&copy, &other).unwrap();
    assert!(!copy.is_inherited());
    let fresh = open(of_fresh.path(), &small());
    load(&fresh, &other).unwrap();
    assert_eq!(dump(&copy), dump(&fresh));
    no_findings(&copy);
}

#[test]
fn a_copy_that_is_made_while_the_other_writes_is_of_one_version() {
    let of_one = folder();
    let source = open(of_one.path(), &Options { map_size: 8 << 20, ..small() });
    let trees: Vec<Tree> = (3..11).map(sample).collect();
    load(&source, &trees[0]).unwrap();
    let known: BTreeSet<String> = trees
        .iter()
        .map(|tree| {
            let fresh = folder();
            let fresh = open(fresh.path(), &small());
            load(&fresh, tree).unwrap();
            dump(&fresh)
        })
        .collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut at = 0;
            while !done.load(Ordering::Relaxed) {
                let next = (at + 3) % trees.len();
                step(&source, &trees[at], &trees[next]).unwrap();
                at = next;
            }
        });
        for _ in 0..30 {
            let dir = folder();
            let copy = inherit(dir.path(), &source, &small());
            assert!(known.contains(&hidden_dump(&copy)));
        }
        done.store(true, Ordering::Relaxed);
    });
}
