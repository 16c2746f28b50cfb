//! With the fake watcher: every event by hand, so that each interleaving can be chosen.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use common::{Bench, Ledger, Worker, soon, step};
use sdl_watch::{
    FakeWatcher, Hub, HubConfig, ManualClock, Rescan, RootOptions, Step, Synced, Tree, Waited, WatchError,
    WatchKind,
};

const MS: Duration = Duration::from_millis(1);

/// A tree on the fake watcher, and a clock that moves only by hand.
struct Fixture {
    bench: Bench,
    fake: FakeWatcher,
    clock: Arc<ManualClock>,
    tree: Tree,
    ledger: Ledger,
}

impl Fixture {
    fn new(files: &[&str]) -> Self {
        let fake = FakeWatcher::default();
        let clock = Arc::new(ManualClock::default());
        let bench = Bench::with(|config| {
            Hub::with_source(HubConfig { clock: clock.clone(), ..config }, |sink| fake.start(sink))
        });
        for file in files {
            bench.write(file, "");
        }
        let root = common::canonical(&bench.root);
        let tree = bench.hub.add_root(&root, RootOptions::default());
        let mut fixture = Self { bench, fake, clock, tree, ledger: Ledger::default() };
        assert_eq!(fixture.work(), Some(Rescan::Start));
        fixture
    }

    /// Works on the batch that is ready.
    #[track_caller]
    fn work(&mut self) -> Option<Rescan> {
        match self.tree.inbox().step() {
            Step::Ready(batch) => step(&mut self.tree, &batch, &mut self.ledger).rescan,
            other => panic!("not ready: {other:?}"),
        }
    }

    fn settle(&mut self) -> Option<Rescan> {
        self.clock.advance(30 * MS);
        self.work()
    }

    fn is_idle(&self) -> bool {
        self.tree.inbox().step() == Step::Wait(None)
    }

    /// The state of a barrier at this moment.
    fn state(&self, ticket: sdl_watch::Ticket) -> Waited {
        let now = sdl_watch::Clock::now(&*self.clock);
        self.tree.handle().wait(ticket, now)
    }

    fn event(&self, path: &str) {
        assert!(self.fake.touch_watched(self.bench.path(path)), "{path} is in no watched folder");
    }
}

#[test]
fn a_barrier_waits_for_its_cookie_and_for_what_came_before_it() {
    let mut it = Fixture::new(&["a.rs"]);
    let idle = it.tree.handle().request();
    assert_eq!(it.state(idle), Waited::TimedOut, "its cookie is not through");
    it.fake.deliver_cookies();
    assert_eq!(it.state(idle), Waited::Released, "nothing to do: no worker is needed");
    it.bench.write("a.rs", "changed");
    it.event("a.rs");
    let ticket = it.tree.handle().request();
    assert_eq!(it.state(ticket), Waited::TimedOut);
    it.fake.deliver_cookies();
    assert_eq!(it.state(ticket), Waited::TimedOut, "not committed");
    it.work();
    assert_eq!(it.state(ticket), Waited::Released);
    assert!(it.is_idle());
    assert_eq!(it.ledger.versions, 2);
}

#[test]
fn a_barrier_covers_a_file_in_a_new_folder_that_had_no_event() {
    let mut it = Fixture::new(&[]);
    fs::create_dir(it.bench.path("new")).unwrap();
    it.event("new");
    // Nobody watches the folder yet: this one makes no event.
    it.bench.write("new/deep/a.rs", "1");
    assert!(!it.fake.touch_watched(it.bench.path("new/deep/a.rs")));
    let ticket = it.tree.handle().request();
    it.fake.deliver_cookies();
    it.work();
    assert_eq!(it.state(ticket), Waited::Released);
    assert_eq!(it.ledger.paths(), ["new/deep/a.rs"]);
    it.bench.write("new/deep/b.rs", "2");
    it.event("new/deep/b.rs");
}

#[test]
fn a_tree_that_git_is_at_work_on_is_looked_at_when_git_is_done() {
    let mut it = Fixture::new(&["a.rs"]);
    it.bench.write(".git/HEAD", "ref: refs/heads/main\n");
    it.bench.write(".git/objects/x", "");
    it.bench.write(".git/refs/heads/x", "");
    it.event(".git");
    it.settle();
    it.bench.write(".git/index.lock", "");
    let lock = fs::File::options().write(true).open(it.bench.path(".git/index.lock")).unwrap();
    let now = u64::try_from(sdl_watch::Clock::wall_ns(&*it.clock)).unwrap();
    lock.set_modified(std::time::UNIX_EPOCH + Duration::from_nanos(now)).unwrap();
    it.event("a.rs");
    it.clock.advance(30 * MS);
    assert_eq!(it.tree.inbox().step(), Step::Wait(Some(9970 * MS)));
    fs::remove_file(it.bench.path(".git/index.lock")).unwrap();
    it.event(".git/index.lock");
    assert_eq!(it.tree.inbox().step(), Step::Wait(Some(30 * MS)), "the branch follows");
    it.event(".git/HEAD");
    assert_eq!(it.settle(), None);
    assert_eq!(it.ledger.heads, 3);
}

#[test]
fn overflow_voids_barriers_and_compares_everything() {
    let mut it = Fixture::new(&["a.rs", "sub/b.rs"]);
    it.bench.write("a.rs", "changed without an event");
    fs::remove_file(it.bench.path("sub/b.rs")).unwrap();
    let ticket = it.tree.handle().request();
    it.fake.overflow();
    assert_eq!(it.state(ticket), Waited::Aborted);
    let again = it.tree.handle().request();
    it.fake.deliver_cookies();
    assert_eq!(it.state(again), Waited::TimedOut);
    assert_eq!(it.work(), Some(Rescan::Overflow));
    assert_eq!(it.state(again), Waited::Released);
    assert_eq!(it.ledger.paths(), ["a.rs"]);
    assert_eq!(it.ledger.reads, 3, "the changed file alone is read again");
}

#[test]
fn at_the_limit_of_watches_the_root_is_scanned_and_barriers_hold() {
    let mut it = Fixture::new(&["a/1.rs", "b/2.rs", "c/3.rs"]);
    assert_eq!(it.tree.handle().status().kind, WatchKind::Watching);
    assert_eq!(it.fake.watched().len(), 5, "the root, three folders, the cookies'");
    it.fake.limit(6);
    for folder in ["d", "e"] {
        it.bench.write(&format!("{folder}/4.rs"), "");
        it.event(folder);
    }
    let before = it.tree.handle().request();
    it.fake.deliver_cookies();
    it.work();
    assert_eq!(it.ledger.paths().len(), 5, "the batch itself is whole");
    let status = it.tree.handle().status();
    let WatchKind::Scanning { reason } = status.kind else { panic!("{status:?}") };
    assert!(reason.contains("max_user_watches"), "{reason}");
    assert_eq!((status.watches, it.fake.watched().len()), (0, 1));
    assert_ne!(it.state(before), Waited::TimedOut, "released with its batch, or to be asked for again");

    it.bench.write("d/4.rs", "no event comes");
    let ticket = it.tree.handle().request();
    it.fake.deliver_cookies();
    assert_eq!(it.state(ticket), Waited::TimedOut, "a cookie proves nothing here");
    assert_eq!(it.work(), Some(Rescan::Scanning));
    assert_eq!(it.state(ticket), Waited::Released);
    assert_eq!((it.ledger.rescans, it.ledger.versions), (2, 3));
    assert!(it.is_idle(), "no scan without a barrier");
}

fn reason(it: &Fixture) -> String {
    match it.tree.handle().status().kind {
        WatchKind::Scanning { reason } => reason,
        WatchKind::Watching => panic!("it is watched"),
    }
}

#[test]
fn a_scanned_root_is_watched_again_when_that_can_be_had() {
    let mut it = Fixture::new(&["a/1.rs", "b/2.rs"]);
    it.fake.limit(4);
    it.bench.write("c/3.rs", "");
    it.event("c");
    it.settle();
    assert!(reason(&it).ends_with("with the first scan in 30 s"), "{}", reason(&it));
    let scan = |it: &mut Fixture| {
        let ticket = it.tree.handle().request();
        assert_eq!(it.work(), Some(Rescan::Scanning));
        assert_eq!(it.state(ticket), Waited::Released);
    };

    it.clock.advance(29_000 * MS);
    let calls = it.fake.calls();
    scan(&mut it);
    // At most the cookies' folder: no scan before its time tries anything.
    assert!(it.fake.calls() <= calls + 1);
    it.clock.advance(1_000 * MS);
    assert!(reason(&it).ends_with("with the next scan"), "{}", reason(&it));
    assert!(it.is_idle(), "nothing wakes up for it");
    scan(&mut it);
    assert!(reason(&it).ends_with("with the first scan in 60 s"), "still at the limit: {}", reason(&it));
    assert_eq!((it.tree.handle().status().watches, it.fake.watched().len()), (0, 1));

    it.fake.limit(100);
    it.clock.advance(60_000 * MS);
    it.bench.write("a/1.rs", "while it was scanned");
    scan(&mut it);
    assert_eq!(it.tree.handle().status().kind, WatchKind::Watching);
    assert_eq!(it.fake.watched().len(), 5, "the root, three folders, the cookies'");
    assert_eq!(it.ledger.contents()["a/1.rs"], common::Content::Bytes(b"while it was scanned".to_vec()));

    it.bench.write("c/3.rs", "with an event");
    it.event("c/3.rs");
    let ticket = it.tree.handle().request();
    assert_eq!(it.state(ticket), Waited::TimedOut, "cookies count again");
    it.fake.deliver_cookies();
    assert_eq!(it.work(), None, "no scan any more");
    assert_eq!(it.state(ticket), Waited::Released);
    assert_eq!(it.ledger.contents()["c/3.rs"], common::Content::Bytes(b"with an event".to_vec()));
}

#[test]
fn what_changes_while_a_root_is_watched_again_is_not_lost() {
    let mut it = Fixture::new(&["a/1.rs", "b/2.rs"]);
    it.fake.limit(0);
    it.bench.write("c/3.rs", "");
    it.event("c");
    it.settle();
    it.fake.limit(100);
    it.clock.advance(30_000 * MS);
    let first = it.tree.handle().request();
    let Step::Ready(batch) = it.tree.inbox().step() else { panic!("somebody waits") };
    let changes = it.tree.changes(&batch, &it.ledger).unwrap();
    // Unseen by the scan, but the folder is watched by now; and a barrier that is asked for with a cookie.
    it.bench.write("a/1.rs", "2");
    it.event("a/1.rs");
    let second = it.tree.handle().request();
    it.ledger.apply(&it.tree.reader(), &changes);
    it.tree.finish(&batch, &changes);
    assert_eq!((it.state(first), it.state(second)), (Waited::Released, Waited::TimedOut));
    it.fake.deliver_cookies();
    assert_eq!(it.work(), None);
    assert_eq!(it.state(second), Waited::Released);
    assert_eq!(it.ledger.contents()["a/1.rs"], common::Content::Bytes(b"2".to_vec()));
}

#[test]
fn a_watcher_that_could_not_be_started_is_started_later() {
    let fake = FakeWatcher::default();
    let clock = Arc::new(ManualClock::default());
    let refusals = Arc::new(AtomicUsize::new(2));
    let bench = Bench::with(|config| {
        let fake = fake.clone();
        Hub::with_start(HubConfig { clock: clock.clone(), ..config }, move |sink| {
            match refusals.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
                Ok(_) => Err(WatchError::Failed("no inotify instances are left".into())),
                Err(_) => fake.start(sink),
            }
        })
    });
    bench.write("a/1.rs", "");
    let tree = bench.hub.add_root(&common::canonical(&bench.root), RootOptions::default());
    let mut it = Fixture { bench, fake, clock, tree, ledger: Ledger::default() };
    assert_eq!(it.work(), Some(Rescan::Start));
    assert!(
        reason(&it).contains("no inotify instances are left; watching is tried again"),
        "{}",
        reason(&it)
    );
    it.clock.advance(30_000 * MS);
    let ticket = it.tree.handle().request();
    it.work();
    assert_eq!(it.state(ticket), Waited::Released);
    assert_eq!(it.tree.handle().status().kind, WatchKind::Watching);
    it.bench.write("a/1.rs", "2");
    it.event("a/1.rs");
    let ticket = it.tree.handle().request();
    it.fake.deliver_cookies();
    it.work();
    assert_eq!(it.state(ticket), Waited::Released);
}

#[test]
fn without_a_watcher_everything_is_scanned() {
    let bench = Bench::with(|config| {
        Hub::with_source(config, |_| Err(WatchError::Failed("no inotify instances are left".into())))
    });
    bench.write("a.rs", "1");
    let worker = bench.worker();
    worker.check("first index");
    let WatchKind::Scanning { reason } = worker.handle.status().kind else { panic!("it can't watch") };
    assert!(reason.contains("no inotify instances"), "{reason}");
    bench.write("a.rs", "2");
    worker.check("scanned");
    assert_eq!(worker.ledger.lock().unwrap().versions, 2);
}

#[test]
fn one_scan_of_many_waiting() {
    let mut it = Fixture::new(&["a.rs"]);
    it.fake.limit(0);
    it.bench.write("new/a.rs", "");
    it.event("new");
    it.settle();
    let tickets: Vec<_> = (0..5).map(|_| it.tree.handle().request()).collect();
    assert_eq!(it.state(tickets[4]), Waited::TimedOut);
    it.work();
    assert!(tickets.iter().all(|ticket| it.state(*ticket) == Waited::Released));
    assert!(it.is_idle());
}

#[test]
fn a_barrier_asked_for_during_a_scan_gets_a_scan_of_its_own() {
    let mut it = Fixture::new(&["a.rs"]);
    it.fake.limit(0);
    it.bench.write("new/a.rs", "");
    it.event("new");
    it.settle();
    let first = it.tree.handle().request();
    assert_eq!(it.state(first), Waited::TimedOut);
    let Step::Ready(batch) = it.tree.inbox().step() else { panic!("somebody waits") };
    let changes = it.tree.changes(&batch, &it.ledger).unwrap();
    // Written unseen by the scan, before the second barrier.
    it.bench.write("a.rs", "2");
    let second = it.tree.handle().request();
    it.ledger.apply(&it.tree.reader(), &changes);
    it.tree.finish(&batch, &changes);
    assert_eq!((it.state(first), it.state(second)), (Waited::Released, Waited::TimedOut));
    it.work();
    assert_eq!(it.state(second), Waited::Released);
    assert_eq!(it.ledger.contents()["a.rs"], common::Content::Bytes(b"2".to_vec()));
}

#[test]
fn a_failed_commit_releases_nothing_and_is_made_up_for() {
    let mut it = Fixture::new(&["a.rs"]);
    it.bench.write("a.rs", "2");
    it.event("a.rs");
    let ticket = it.tree.handle().request();
    it.fake.deliver_cookies();
    assert_eq!(it.state(ticket), Waited::TimedOut);
    let Step::Ready(batch) = it.tree.inbox().step() else { panic!("somebody waits") };
    it.tree.changes(&batch, &it.ledger).unwrap();
    it.tree.failed();
    assert_eq!(it.state(ticket), Waited::TimedOut);
    assert!(matches!(it.tree.inbox().step(), Step::Wait(Some(_))));
    it.clock.advance(1000 * MS);
    assert_eq!(it.work(), Some(Rescan::Failed));
    assert_eq!(it.state(ticket), Waited::Released);
    assert_eq!(it.ledger.contents()["a.rs"], common::Content::Bytes(b"2".to_vec()));
}

#[test]
fn who_asks_after_a_failure_has_it_tried_once_and_at_once() {
    let mut it = Fixture::new(&["a.rs"]);
    // Long past any answer; the clock does not move, so no back-off ever ends by itself.
    let deadline = sdl_watch::Clock::now(&*it.clock) + Duration::from_secs(20);
    let next = |it: &Fixture| loop {
        it.fake.deliver_cookies();
        match it.tree.inbox().step() {
            Step::Ready(batch) => return batch,
            _ => std::thread::yield_now(),
        }
    };
    let fail = |it: &mut Fixture| {
        next(it);
        it.tree.failed();
        assert!(matches!(it.tree.inbox().step(), Step::Wait(Some(_))), "left alone, it waits");
    };
    it.bench.write("a.rs", "2");
    it.event("a.rs");
    it.clock.advance(30 * MS);
    fail(&mut it);
    for _ in 0..2 {
        let handle = it.tree.handle().clone();
        let asker = std::thread::spawn(move || handle.sync_now(deadline));
        fail(&mut it);
        assert_eq!(asker.join().unwrap(), Synced::Failed);
    }
    let handle = it.tree.handle().clone();
    let asker = std::thread::spawn(move || handle.sync_now(deadline));
    let batch = next(&it);
    step(&mut it.tree, &batch, &mut it.ledger);
    while !asker.is_finished() {
        it.fake.deliver_cookies();
        std::thread::yield_now();
    }
    assert_eq!(asker.join().unwrap(), Synced::Confirmed);
    assert_eq!(it.ledger.contents()["a.rs"], common::Content::Bytes(b"2".to_vec()));
}

#[test]
fn events_for_ignored_files_change_nothing() {
    let mut it = Fixture::new(&["a.rs", "node_modules/x.js"]);
    it.bench.write(".gitignore", "*.log\n");
    it.event(".gitignore");
    it.settle();
    let versions = it.ledger.versions;
    it.bench.write("b.log", "");
    it.event("b.log");
    // A late event from below a folder that is no longer watched.
    it.fake.touch(it.bench.path("node_modules/x.js"));
    it.settle();
    assert_eq!(it.ledger.versions, versions);
    assert!(!it.fake.watched().contains(&it.bench.path("node_modules")));
}

#[test]
fn the_longest_root_gets_the_event() {
    let fake = FakeWatcher::default();
    let bench = Bench::with(|config| Hub::with_source(config, |sink| fake.start(sink)));
    for folder in ["r/in", "r-2"] {
        fs::create_dir_all(bench.path(folder)).unwrap();
    }
    let add = |path: &str| bench.hub.add_root(&common::canonical(&bench.path(path)), RootOptions::default());
    let mut trees = [add("r"), add("r/in"), add("r-2")];
    for tree in &mut trees {
        let Some(batch) = tree.inbox().next() else { panic!("closed") };
        step(tree, &batch, &mut Ledger::default());
    }
    let dirty = |at: usize| match trees[at].inbox().next() {
        Some(batch) => batch.dirty,
        None => panic!("closed"),
    };
    fake.touch(bench.path("r/in/a"));
    fake.touch(bench.path("r/inner"));
    fake.touch(bench.path("r-2/b"));
    assert_eq!(dirty(0), [Path::new("inner")]);
    assert_eq!(dirty(1), [Path::new("a")]);
    assert_eq!(dirty(2), [Path::new("b")]);
}

#[test]
fn sync_asks_again_when_events_were_lost() {
    let fake = FakeWatcher::default();
    let bench = Bench::with(|config| Hub::with_source(config, |sink| fake.start(sink)));
    bench.write("a.rs", "1");
    let worker = Worker::start(&bench.hub, &bench.root, RootOptions::default());
    let handle = worker.handle.clone();
    let asker = std::thread::spawn(move || handle.sync(soon()));
    // Until it has asked, and asked again.
    let mut overflows = 0;
    while !asker.is_finished() {
        if overflows < 3 {
            fake.overflow();
            overflows += 1;
        } else {
            fake.deliver_cookies();
        }
        std::thread::yield_now();
    }
    assert_eq!(asker.join().unwrap(), Synced::Confirmed);
}

#[test]
fn a_lost_cookie_is_made_again() {
    let fake = FakeWatcher::default();
    let bench = Bench::with(|config| {
        let config = HubConfig { cookie_patience: 20 * MS, ..config };
        Hub::with_source(config, |sink| fake.start(sink))
    });
    let worker = Worker::start(&bench.hub, &bench.root, RootOptions::default());
    let calls = fake.calls();
    let handle = worker.handle.clone();
    let asker = std::thread::spawn(move || handle.sync(soon()));
    while fake.calls() < calls + 3 {
        std::thread::yield_now();
    }
    fake.deliver_cookies();
    while !asker.is_finished() {
        fake.deliver_cookies();
        std::thread::yield_now();
    }
    assert_eq!(asker.join().unwrap(), Synced::Confirmed);
    let late = Instant::now() + 50 * MS;
    assert_eq!(worker.handle.sync(late), Synced::TimedOut, "no cookie comes through: nothing is confirmed");
}

#[test]
fn a_cookie_that_cannot_be_made_is_replaced_by_a_scan() {
    let mut it = Fixture::new(&["a.rs"]);
    let state = it.bench.outside().join("state");
    fs::remove_dir_all(&state).unwrap();
    fs::write(&state, "a file in place of the folder").unwrap();
    it.bench.write("a.rs", "2");
    let ticket = it.tree.handle().request();
    assert_eq!(it.state(ticket), Waited::TimedOut);
    assert_eq!(it.work(), Some(Rescan::Scanning));
    assert_eq!(it.state(ticket), Waited::Released);
    assert_eq!(it.ledger.versions, 2);
    assert_eq!(it.tree.handle().status().kind, WatchKind::Watching);
}

#[test]
fn removing_a_root_ends_its_watches_its_worker_and_its_barriers() {
    let it = Fixture::new(&["a/b.rs"]);
    let ticket = it.tree.handle().request();
    it.bench.hub.remove_root(it.tree.handle().id());
    assert_eq!(it.state(ticket), Waited::Closed);
    assert_eq!(it.tree.inbox().next(), None);
    assert_eq!(it.fake.watched().len(), 1);
    assert!(it.bench.hub.roots().is_empty());
    it.fake.touch(it.bench.path("a/b.rs"));
}
