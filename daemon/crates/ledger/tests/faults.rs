//! Full maps, full disks, crashes and damage: the ledger stays at its last committed version, and goes on from there.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use sdl_ledger::{Error, FactsStore, Fault, FaultPoint, Faults, How, Ledger, Options, View, encode_facts};
use sdl_model::{Cause, Version};
use support::{Node, Spec, Tree, dump, folder, leap, load, no_findings, open, sample, small, soon, step};

/// Fails, or does something, at chosen points.
type Plan = Box<dyn FnMut(FaultPoint) -> Option<Fault> + Send>;

#[derive(Default)]
struct Switch(Mutex<Option<Plan>>);

impl Switch {
    fn set(&self, plan: impl FnMut(FaultPoint) -> Option<Fault> + Send + 'static) {
        *self.0.lock().unwrap() = Some(Box::new(plan));
    }

    fn off(&self) {
        *self.0.lock().unwrap() = None;
    }
}

impl Faults for Switch {
    fn at(&self, point: FaultPoint) -> Option<Fault> {
        self.0.lock().unwrap().as_mut().and_then(|plan| plan(point))
    }
}

fn with_faults() -> (Options, Arc<Switch>) {
    let switch = Arc::new(Switch::default());
    (Options { faults: Some(Arc::clone(&switch) as Arc<dyn Faults>), ..small() }, switch)
}

/// The tree after `n` batches.
fn tree_after(n: u64) -> Tree {
    let mut tree = sample(8);
    for i in 0..n {
        let number = (i % 5) as u8;
        let spec = Spec {
            package: Some((i % 3) as u8),
            defs: vec![(number, vec![(i % 7) as u8, 1]), ((i % 9) as u8, vec![2])],
            imports: vec![(i % 4) as u8],
            padding: i as u8,
        };
        tree.insert(number, Node::Code(spec));
    }
    tree
}

fn equals_fresh(ledger: &Ledger, tree: &Tree) {
    let dir = folder();
    let fresh = open(dir.path(), &small());
    load(&fresh, tree).unwrap();
    no_findings(ledger);
    assert_eq!(dump(ledger), dump(&fresh));
}

#[test]
fn a_full_map_at_any_record_only_costs_a_retry() {
    let dir = folder();
    let (options, switch) = with_faults();
    let ledger = open(dir.path(), &options);
    load(&ledger, &sample(8)).unwrap();
    for n in 0..16 {
        let mut failed = false;
        switch.set(move |point| {
            let full = point == FaultPoint::Put(n * 7) && !failed;
            failed |= full;
            full.then_some(Fault::MapFull)
        });
        step(&ledger, &tree_after(n), &tree_after(n + 1)).unwrap();
        switch.off();
    }
    equals_fresh(&ledger, &tree_after(16));
}

#[test]
fn without_the_retry_the_caller_learns_that_the_map_grows() {
    let dir = folder();
    let (options, switch) = with_faults();
    let ledger = open(dir.path(), &options);
    let before = ledger.stats().unwrap().map_bytes;
    switch.set(|point| (point == FaultPoint::Put(5)).then_some(Fault::MapFull));
    let mut batch = ledger.batch().unwrap();
    let error = support::fill(&mut batch, &Tree::new(), &sample(3)).unwrap_err();
    assert!(matches!(error, Error::MapFull { .. }), "{error}");
    drop(batch);
    switch.off();
    assert_eq!(ledger.head(), None);
    step(&ledger, &Tree::new(), &sample(3)).unwrap().unwrap();
    assert_eq!(ledger.stats().unwrap().map_bytes, 2 * before);
}

#[test]
fn a_map_that_cannot_grow_is_given_up_and_opened_again() {
    let dir = folder();
    let (options, switch) = with_faults();
    let ledger = open(dir.path(), &options);
    load(&ledger, &sample(3)).unwrap();
    // Until the address space is used up.
    switch.set(|point| (point == FaultPoint::Put(0)).then_some(Fault::MapFull));
    step(&ledger, &sample(3), &sample(4)).unwrap_err();
    switch.off();
    let error = step(&ledger, &sample(3), &sample(4)).unwrap_err();
    assert!(error.needs_reopen() && !error.is_damage(), "{error}");
    assert!(ledger.read(soon(), |view| view.files_named("x.py")).is_err());
    drop(ledger);
    equals_fresh(&open(dir.path(), &small()), &sample(3));
}

#[test]
fn a_full_disk_leaves_the_last_version_and_room_brings_the_next() {
    let dir = folder();
    let (options, switch) = with_faults();
    let ledger = open(dir.path(), &options);
    load(&ledger, &tree_after(0)).unwrap();
    let (head, before) = (ledger.head(), dump(&ledger));
    for point in [FaultPoint::BeforeCommit, FaultPoint::Put(0), FaultPoint::Put(11)] {
        switch.set(move |at| (at == point).then_some(Fault::DiskFull));
        for _ in 0..3 {
            let failed = step(&ledger, &tree_after(0), &tree_after(9)).unwrap_err();
            assert!(matches!(failed, Error::DiskFull { .. }), "{failed}");
        }
        assert_eq!((ledger.head(), &dump(&ledger)), (head, &before));
    }
    switch.off();
    assert_eq!(step(&ledger, &tree_after(0), &tree_after(9)).unwrap(), head.map(Version::next));
    equals_fresh(&ledger, &tree_after(9));
}

#[test]
fn a_load_that_fails_leaves_an_empty_ledger_that_can_be_filled() {
    let dir = folder();
    let (options, switch) = with_faults();
    let mut ledger = open(dir.path(), &options);
    for n in [3, 30, 300] {
        switch.set(move |at| (at == FaultPoint::Put(n)).then_some(Fault::DiskFull));
        let _ = load(&ledger, &sample(8)).map(|_| switch.off());
        switch.off();
        drop(ledger);
        ledger = open(dir.path(), &options);
    }
    let mut bulk = ledger.bulk().unwrap();
    bulk.add_file(&support::update(0, sample(8).get(&0))).unwrap();
    bulk.files_done().unwrap();
    assert!(matches!(ledger.batch(), Err(Error::Misuse(_))), "nothing may come between");
    assert!(ledger.read(soon(), |view| view.files_named("x.py")).unwrap().is_empty());
    drop(bulk);
    // Staged rows are not part of the version that a batch makes.
    step(&ledger, &Tree::new(), &tree_after(2)).unwrap().unwrap();
    equals_fresh(&ledger, &tree_after(2));
}

#[test]
fn a_next_version_that_fails_at_any_commit_leaves_the_newest_and_its_past() {
    let (before, after) = (tree_after(0), tree_after(40));
    let mut failures = 0;
    loop {
        let dir = folder();
        let (options, switch) = with_faults();
        let mut ledger = open(dir.path(), &options);
        load(&ledger, &before).unwrap();
        let (head, whole) = (ledger.head().unwrap(), dump(&ledger));
        let mut commits = 0;
        switch.set(move |at| {
            commits += u32::from(at == FaultPoint::BeforeCommit);
            (at == FaultPoint::BeforeCommit && commits > failures).then_some(Fault::DiskFull)
        });
        let finished = leap(&ledger, &before, &after, true);
        switch.off();
        if finished.is_ok() {
            equals_fresh(&ledger, &after);
            assert!(failures > 10, "{failures} commits: the test fails too few");
            return;
        }
        failures += 1;
        if ledger.head() == Some(head) {
            assert_eq!(dump(&ledger), whole);
            // Half of the time the process ends too.
            if failures % 2 == 0 {
                drop(ledger);
                ledger = open(dir.path(), &options);
            }
            let middle = tree_after(1);
            step(&ledger, &before, &middle).unwrap().unwrap();
            equals_fresh(&ledger, &middle);
            support::no_findings(&ledger);
            let changes = ledger.read(soon(), |view| view.changes_since(head)).unwrap();
            assert_eq!(
                changes.files.len(),
                1,
                "what was written ahead is not taken for the past: {changes:?}"
            );
        } else {
            // The version is there; only the tables of the one before were not emptied.
            equals_fresh(&ledger, &after);
            leap(&ledger, &after, &before, true).unwrap();
            equals_fresh(&ledger, &before);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::copy(from.join("data.mdb"), to.join("data.mdb")).unwrap();
}

#[test]
fn a_crash_before_a_commit_leaves_the_version_before_it() {
    let dir = folder();
    let copies = folder();
    let (options, switch) = with_faults();
    let ledger = open(dir.path(), &options);
    load(&ledger, &tree_after(0)).unwrap();
    let (home, away) = (dir.path().to_owned(), copies.path().to_owned());
    let mut taken = 0;
    switch.set(move |point| {
        if point == FaultPoint::BeforeCommit || point == FaultPoint::AfterCommit {
            copy(&home, &away.join(taken.to_string()));
            taken += 1;
        }
        None
    });
    for n in 0..4 {
        step(&ledger, &tree_after(n), &tree_after(n + 1)).unwrap().unwrap();
    }
    switch.off();
    for taken in 0..8_u64 {
        let copy = open(&copies.path().join(taken.to_string()), &small());
        equals_fresh(&copy, &tree_after(taken.div_ceil(2)));
    }
}

/// Not a test: the process that [`a_killed_writer_leaves_a_whole_version`] kills.
#[test]
#[ignore = "run by another test"]
fn child_that_writes() {
    let Ok(dir) = std::env::var("SDL_TEST_LEDGER") else { return };
    let ledger = open(Path::new(&dir), &small());
    let first = support::CREATED + 1;
    let mut n = match ledger.head() {
        Some(head) => head.0 - first,
        None => load(&ledger, &tree_after(0)).unwrap().0 - first,
    };
    loop {
        step(&ledger, &tree_after(n), &tree_after(n + 1)).unwrap();
        n += 1;
        println!("\ncommitted {n}");
    }
}

#[test]
fn a_killed_writer_leaves_a_whole_version() {
    let dir = folder();
    let mut least = 0;
    for round in 0..6 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_writes", "--ignored", "--nocapture"])
            .env("SDL_TEST_LEDGER", dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut commits =
            lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("committed ")?.parse().ok());
        least = commits.nth(1 + round * 3).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let opened = Ledger::open(dir.path(), &small()).unwrap();
        assert_eq!(opened.how, How::Existing);
        let n = opened.ledger.head().unwrap().0 - support::CREATED - 1;
        assert!(n >= least, "{n} < {least}: what was reported as committed is there");
        equals_fresh(&opened.ledger, &tree_after(n));
    }
    assert!(least > 0);
}

/// Damages a closed ledger and opens it again.
fn damaged(damage: impl FnOnce(&Path)) -> (tempfile::TempDir, PathBuf, String) {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &tree_after(0)).unwrap();
    for n in 0..20 {
        step(&ledger, &tree_after(n), &tree_after(n + 1)).unwrap();
    }
    drop(ledger);
    damage(dir.path());
    let opened = Ledger::open(dir.path(), &small()).unwrap();
    let How::Rebuilt { set_aside, why } = opened.how else { panic!("{:?}", opened.how) };
    assert_eq!(opened.ledger.head(), None);
    load(&opened.ledger, &tree_after(1)).unwrap();
    equals_fresh(&opened.ledger, &tree_after(1));
    (dir, set_aside, why)
}

fn overwrite(dir: &Path, at: u64, bytes: &[u8]) {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = fs::File::options().write(true).open(dir.join("data.mdb")).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn garbage_is_set_aside() {
    let (_dir, aside, _) = damaged(|dir| fs::write(dir.join("data.mdb"), vec![7; 100_000]).unwrap());
    assert_eq!(fs::read(aside.join("data.mdb")).unwrap(), vec![7; 100_000], "renamed, not deleted");
    let (_dir, _, why) = damaged(|dir| overwrite(dir, 0, &[0; 4096]));
    assert!(why.contains("does not begin as"), "{why}");
}

#[test]
fn a_file_that_was_cut_off_is_set_aside() {
    for part in [3, 10, 19] {
        let (_dir, _, why) = damaged(|dir| {
            let file = fs::File::options().write(true).open(dir.join("data.mdb")).unwrap();
            let pages = file.metadata().unwrap().len() / 4096;
            file.set_len(pages * part / 20 * 4096).unwrap();
        });
        assert!(why.contains("ends at byte"), "{why}");
    }
}

#[test]
fn damaged_pages_are_found_after_a_crash() {
    let mut found = 0;
    for page in 2..30 {
        let dir = folder();
        let ledger = open(dir.path(), &small());
        load(&ledger, &tree_after(0)).unwrap();
        step(&ledger, &tree_after(0), &tree_after(3)).unwrap();
        drop(ledger);
        overwrite(dir.path(), page * 4096, &[0xa5; 4096]);
        fs::write(dir.path().join("running"), "").unwrap();
        let opened = Ledger::open(dir.path(), &small()).unwrap();
        // Pages that nothing uses may hold anything.
        match opened.how {
            How::Rebuilt { .. } => found += 1,
            How::Existing => equals_fresh(&opened.ledger, &tree_after(3)),
            how => panic!("{how:?}"),
        }
    }
    assert!(found > 3, "{found}");
}

#[test]
fn a_sound_ledger_survives_a_look_at_its_pages() {
    let dir = folder();
    let mut tree = Tree::new();
    for round in 0..12 {
        let opened = Ledger::open(dir.path(), &small()).unwrap();
        assert!(matches!(opened.how, How::Created | How::Existing), "{:?}", opened.how);
        let after = tree_after(round * 7);
        step(&opened.ledger, &tree, &after).unwrap();
        tree = after;
        drop(opened);
        fs::write(dir.path().join("running"), "").unwrap();
    }
    equals_fresh(&open(dir.path(), &small()), &tree);
}

#[test]
fn a_condemned_ledger_is_set_aside_with_the_reason() {
    let (_dir, _, why) = damaged(|dir| {
        let ledger = open(dir, &small());
        ledger.condemn("table files: nonsense").unwrap();
    });
    assert_eq!(why, "table files: nonsense");
}

#[test]
fn damage_met_while_writing_is_reported_as_damage() {
    let dir = folder();
    let (options, switch) = with_faults();
    let ledger = open(dir.path(), &options);
    switch.set(|at| (at == FaultPoint::Put(4)).then_some(Fault::Damage));
    let error = step(&ledger, &Tree::new(), &sample(2)).unwrap_err();
    assert!(error.is_damage(), "{error}");
    switch.off();
    assert!(!step(&ledger, &Tree::new(), &sample(2)).is_err_and(|error| error.is_damage()));
}

#[test]
fn facts_survive_full_maps_and_disks() {
    let dir = folder();
    let (options, switch) = with_faults();
    let (store, _) = FactsStore::open(dir.path(), &options).unwrap();
    let specs: Vec<Spec> = (0..60)
        .map(|n| Spec { package: Some(n), defs: vec![(n % 9, vec![1; 200])], imports: vec![], padding: 0 })
        .collect();
    let rows: Vec<_> = specs
        .iter()
        .map(|spec| (support::facts_key(spec), encode_facts(&support::facts(spec)).unwrap()))
        .collect();
    switch.set(|at| (at == FaultPoint::BeforeCommit).then_some(Fault::DiskFull));
    assert!(matches!(store.put_encoded(&rows), Err(Error::DiskFull { .. })));
    assert!(!store.has(&rows[0].0).unwrap());
    let mut once = true;
    switch.set(move |at| (at == FaultPoint::Put(9) && std::mem::take(&mut once)).then_some(Fault::MapFull));
    assert_eq!(store.put_encoded(&rows).unwrap(), 60);
    switch.off();
    for (spec, (key, _)) in specs.iter().zip(&rows) {
        assert_eq!(store.facts(key).unwrap().as_ref(), Some(&support::facts(spec)));
    }
}

/// Facts are synced when their store is closed: what only the system's memory held is not trusted after the machine
/// stopped, and is after a process died.
#[test]
fn facts_are_kept_after_a_crash_and_made_again_after_a_power_failure() {
    let dir = folder();
    let spec = Spec { package: None, defs: vec![(1, vec![1])], imports: vec![], padding: 0 };
    let (key, facts) = (support::facts_key(&spec), support::facts(&spec));
    let reopened = |boot: &str| {
        let (store, _) = FactsStore::open(dir.path(), &small()).unwrap();
        store.put_many(&[(key, &facts)]).unwrap();
        let told = fs::read_to_string(dir.path().join("running")).unwrap();
        drop(store);
        fs::write(dir.path().join("running"), if boot.is_empty() { told.clone() } else { boot.to_owned() })
            .unwrap();
        let (store, how) = FactsStore::open(dir.path(), &small()).unwrap();
        (how, store.has(&key).unwrap(), !told.is_empty())
    };
    let (how, kept, told) = reopened("");
    // A system that does not tell one run of the machine from the next has each commit synced.
    assert!(!told || how == How::Existing && kept, "{how:?}");
    for _ in 0..3 {
        let (how, kept, _) = reopened("an earlier boot");
        assert!(matches!(how, How::Rebuilt { .. }) && !kept, "{how:?}");
    }
    let kept = fs::read_dir(dir.path()).unwrap().flatten();
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("set-aside")).count();
    assert_eq!(kept, 1, "only the last is kept");
}

#[test]
fn only_the_head_moved() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(2)).unwrap();
    let head = sdl_model::GitHead { branch: Some("main".into()), commit: None, commit_time: None };
    let version = ledger.batch().unwrap().commit(Cause::Head, Some(&head), 1).unwrap();
    assert_eq!(version, ledger.head());
    assert_eq!(ledger.batch().unwrap().commit(Cause::Head, Some(&head), 2).unwrap(), None);
    ledger
        .read(soon(), |view| {
            let row = view.version_row(view.version())?.unwrap();
            assert_eq!((row.head, row.cause, row.changes.len()), (Some(head), Cause::Head, 0));
            Ok(())
        })
        .unwrap();
}
