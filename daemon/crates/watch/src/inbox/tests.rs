use super::*;
use crate::clock::ManualClock;

const MS: Duration = Duration::from_millis(1);

struct Fixture {
    clock: Arc<ManualClock>,
    inbox: Arc<Inbox>,
    waiting: Arc<AtomicUsize>,
}

impl Fixture {
    /// An inbox whose first rescan is done.
    fn new(limits: Limits) -> Self {
        let clock = Arc::new(ManualClock::default());
        let waiting = Arc::new(AtomicUsize::new(0));
        let inbox = Arc::new(Inbox::new(Settle::default(), limits, clock.clone(), waiting.clone()));
        let fixture = Self { clock, inbox, waiting };
        let first = fixture.ready();
        assert_eq!((first.rescan, first.head_changed), (Some(Rescan::Start), true));
        fixture.inbox.release(first.serial);
        fixture
    }

    fn touch(&self, path: &str) {
        self.inbox.touch(Path::new(path));
    }

    #[track_caller]
    fn ready(&self) -> Batch {
        match self.inbox.step() {
            Step::Ready(batch) => batch,
            other => panic!("not ready: {other:?}"),
        }
    }

    /// As [`Inbox::wait_released`] begins, without blocking.
    fn want(&self, serial: u64) {
        assert_eq!(self.inbox.wait_released(Serial(serial), self.clock.now()), Waited::TimedOut);
    }

    fn released(&self, serial: u64) -> bool {
        self.inbox.wait_released(Serial(serial), self.clock.now()) == Waited::Released
    }
}

#[test]
fn a_burst_settles_into_one_sorted_batch() {
    let it = Fixture::new(Limits::default());
    assert_eq!(it.inbox.step(), Step::Wait(None), "idle means no timer");
    it.touch("b");
    assert_eq!(it.inbox.step(), Step::Wait(Some(30 * MS)));
    it.clock.advance(20 * MS);
    it.touch("a");
    it.touch("b");
    it.clock.advance(20 * MS);
    assert_eq!(it.inbox.step(), Step::Wait(Some(10 * MS)));
    it.clock.advance(10 * MS);
    let batch = it.ready();
    assert_eq!(batch.dirty, [Path::new("a"), Path::new("b")]);
    assert_eq!((batch.rescan, batch.head_changed), (None, false));
}

#[test]
fn endless_changes_do_not_put_a_batch_off_for_ever() {
    let it = Fixture::new(Limits::default());
    for _ in 0..25 {
        it.touch("log");
        it.clock.advance(20 * MS);
    }
    assert_eq!(it.ready().dirty.len(), 1);
}

#[test]
fn a_barrier_cuts_settling_short_when_its_cookie_has_come_through() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    it.want(1);
    assert_eq!(
        it.inbox.step(),
        Step::Wait(Some(30 * MS)),
        "the changes before the cookie may not all be here"
    );
    it.inbox.arrive(Serial(1));
    let batch = it.ready();
    assert_eq!((batch.dirty.len(), batch.serial), (1, Serial(1)));
    assert!(!it.released(1), "not before it is committed");
    it.inbox.release(batch.serial);
    assert!(it.released(1));
}

#[test]
fn a_cookie_that_comes_through_later_is_not_released_with_the_batch() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    it.inbox.arrive(Serial(1));
    it.clock.advance(30 * MS);
    let batch = it.ready();
    it.touch("b");
    it.inbox.arrive(Serial(2));
    it.inbox.release(batch.serial);
    assert!(it.released(1) && !it.released(2));
    let batch = it.ready();
    assert_eq!(batch.dirty, [Path::new("b")], "somebody waits now");
    it.inbox.release(batch.serial);
    assert!(it.released(2));
}

#[test]
fn with_nothing_to_do_a_cookie_is_released_without_the_worker() {
    let it = Fixture::new(Limits::default());
    it.inbox.arrive(Serial(4));
    assert!(it.released(3) && it.released(4) && !it.released(5));
}

#[test]
fn a_cookie_after_a_running_batch_is_released_when_the_batch_is_committed() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    it.clock.advance(30 * MS);
    let batch = it.ready();
    it.inbox.arrive(Serial(1));
    assert!(!it.released(1), "what came before it is being worked on");
    it.inbox.release(batch.serial);
    assert_eq!(it.inbox.step(), Step::Wait(None));
    assert!(it.released(1));
}

#[test]
fn nobody_waiting_means_that_cookies_wake_nobody() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    it.inbox.arrive(Serial(1));
    assert_eq!(it.inbox.step(), Step::Wait(Some(30 * MS)), "another repository's cookie cuts nothing short");
}

#[test]
fn too_many_paths_become_a_rescan() {
    let it = Fixture::new(Limits { paths: 3, bytes: 1000 });
    for path in ["a", "b", "c", "a"] {
        it.touch(path);
    }
    it.clock.advance(30 * MS);
    let batch = it.ready();
    assert_eq!((batch.dirty.len(), batch.rescan), (3, None));
    it.inbox.release(batch.serial);
    for path in ["a", "b", "c", "d", "e"] {
        it.touch(path);
    }
    it.clock.advance(30 * MS);
    let batch = it.ready();
    assert_eq!((batch.dirty.len(), batch.rescan), (0, Some(Rescan::TooManyChanges)));
    it.inbox.release(batch.serial);
    it.inbox.touch(Path::new(&"x".repeat(1001)));
    it.clock.advance(30 * MS);
    assert_eq!(it.ready().rescan, Some(Rescan::TooManyChanges), "bytes count as well");
}

#[test]
fn a_batch_that_was_not_released_is_looked_at_again_later() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    it.clock.advance(30 * MS);
    it.inbox.arrive(Serial(1));
    let _dropped = it.ready();
    assert_eq!(it.inbox.step(), Step::Wait(Some(RETRY)));
    it.want(1);
    assert!(matches!(it.inbox.step(), Step::Wait(Some(_))), "no waiter turns a failure into a busy loop");
    it.clock.advance(RETRY);
    let batch = it.ready();
    assert_eq!(batch.rescan, Some(Rescan::Failed));
    it.inbox.fail(10 * RETRY);
    it.clock.advance(9 * RETRY);
    assert_eq!(it.inbox.step(), Step::Wait(Some(RETRY)));
    assert!(!it.released(1));
    it.inbox.ask_rescan(Rescan::Requested);
    it.clock.advance(30 * MS);
    let batch = it.ready();
    it.inbox.release(batch.serial);
    assert!(it.released(1));
}

#[test]
fn a_comparison_asked_for_during_a_failing_batch_is_not_put_off() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    it.clock.advance(30 * MS);
    it.ready();
    it.inbox.ask_rescan(Rescan::Root);
    it.inbox.fail(10 * RETRY);
    it.clock.advance(30 * MS);
    it.ready();
    it.inbox.fail(RETRY);
    assert_eq!(it.inbox.step(), Step::Wait(Some(RETRY)), "the next failure is");
}

#[test]
fn lost_events_abort_who_waits_and_leave_a_rescan() {
    let it = Fixture::new(Limits::default());
    it.touch("a");
    let epoch = it.inbox.epoch();
    it.inbox.lost_events(Rescan::Overflow);
    assert_eq!(it.inbox.wait_epoch(Serial(1), epoch, it.clock.now()), Waited::Aborted);
    it.clock.advance(30 * MS);
    let batch = it.ready();
    assert_eq!((batch.dirty.len(), batch.rescan), (0, Some(Rescan::Overflow)));
}

#[test]
fn a_rescan_gives_way_to_repositories_that_somebody_waits_for() {
    let it = Fixture::new(Limits::default());
    it.inbox.lost_events(Rescan::Overflow);
    it.waiting.fetch_add(1, Ordering::Relaxed);
    it.clock.advance(100 * MS);
    assert_eq!(it.inbox.step(), Step::Wait(Some(400 * MS)));
    it.inbox.arrive(Serial(1));
    it.want(1);
    assert_eq!(it.ready().rescan, Some(Rescan::Overflow), "somebody waits for this one");
}

#[test]
fn a_scanning_inbox_trusts_no_cookie() {
    let it = Fixture::new(Limits::default());
    it.inbox.start_scanning();
    it.inbox.arrive(Serial(1));
    assert!(!it.released(1));
    it.inbox.arrive_by_scan(Serial(2));
    assert!(!it.released(1));
    let batch = it.ready();
    assert_eq!((batch.rescan, batch.serial), (Some(Rescan::Scanning), Serial(2)));
    it.inbox.release(batch.serial);
    assert!(it.released(2));
    it.want(3);
    it.inbox.arrive_by_scan(Serial(3));
    assert_eq!(it.ready().rescan, Some(Rescan::Scanning), "each barrier has its own scan");
}

#[test]
fn a_worker_hears_of_quiet_and_of_work_after_it() {
    let it = Fixture::new(Limits::default());
    let turn = |quiet| it.inbox.next_turn(Some(quiet));
    assert_eq!(turn(MS), Turn::Quiet);
    it.touch("a");
    it.clock.advance(30 * MS);
    assert!(matches!(turn(Duration::from_mins(1)), Turn::Work(_)));
    it.inbox.close();
    assert_eq!(turn(MS), Turn::Closed);
}

/// A lock of git's, as old as the fixture's clock says.
struct Lock(tempfile::TempDir);

impl Lock {
    fn lock_path(&self) -> PathBuf {
        self.0.path().join("index.lock")
    }

    fn take_lock(&self, it: &Fixture) {
        let now = u64::try_from(it.clock.wall_ns()).unwrap();
        let file = std::fs::File::create(self.lock_path()).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_nanos(now)).unwrap();
    }

    fn remove_lock(&self) {
        std::fs::remove_file(self.lock_path()).unwrap();
    }
}

/// An inbox of a tree with git, which holds no lock yet.
fn with_lock() -> (Fixture, Lock) {
    let it = Fixture::new(Limits::default());
    let lock = Lock(tempfile::tempdir().unwrap());
    it.inbox.set_git_lock(Some(lock.lock_path()));
    (it, lock)
}

#[test]
fn a_checkout_is_one_batch_however_long_git_writes() {
    let (it, lock) = with_lock();
    lock.take_lock(&it);
    for at in 0..100 {
        it.touch(&format!("{at}"));
        it.clock.advance(40 * MS);
        assert!(matches!(it.inbox.step(), Step::Wait(Some(_))), "git is not done");
    }
    lock.remove_lock();
    it.inbox.touch_git_lock();
    it.inbox.touch_index();
    assert_eq!(it.inbox.step(), Step::Wait(Some(30 * MS)), "git moves HEAD last");
    it.inbox.touch_head();
    it.clock.advance(30 * MS);
    let batch = it.ready();
    assert_eq!((batch.dirty.len(), batch.head_changed), (100, true));
}

#[test]
fn a_lock_that_goes_without_a_word_puts_nothing_off() {
    let (it, lock) = with_lock();
    lock.take_lock(&it);
    it.touch("a");
    it.clock.advance(30 * MS);
    assert!(matches!(it.inbox.step(), Step::Wait(Some(_))));
    lock.remove_lock();
    assert_eq!(it.ready().dirty.len(), 1);
}

#[test]
fn who_waits_does_not_wait_for_git() {
    let (it, lock) = with_lock();
    lock.take_lock(&it);
    it.touch("a");
    it.inbox.arrive(Serial(1));
    it.want(1);
    it.inbox.release(it.ready().serial);
    it.touch("b");
    it.clock.advance(30 * MS);
    assert!(matches!(it.inbox.step(), Step::Wait(Some(_))), "nobody waits");
    it.inbox.ask_rescan(Rescan::Requested);
    it.clock.advance(30 * MS);
    assert_eq!(it.ready().rescan, Some(Rescan::Requested));
}

#[test]
fn git_puts_a_batch_off_for_ten_seconds_at_most() {
    [true, false].into_iter().for_each(check_longest_wait);
}

fn check_longest_wait(ends_held: bool) {
    let (it, lock) = with_lock();
    it.touch("a");
    for _ in 0..200 {
        // As a rebase does, which holds the lock again and again.
        lock.take_lock(&it);
        it.inbox.touch_git_lock();
        assert!(matches!(it.inbox.step(), Step::Wait(Some(_))));
        it.clock.advance(50 * MS);
    }
    // Held or just given back.
    if ends_held {
        lock.take_lock(&it);
    } else {
        lock.remove_lock();
    }
    it.inbox.touch_git_lock();
    assert_eq!(it.ready().waited, Duration::from_secs(10), "{ends_held}");
}

#[test]
fn a_worker_wakes_when_git_is_done() {
    let (it, lock) = with_lock();
    lock.take_lock(&it);
    it.touch("a");
    it.clock.advance(30 * MS);
    let worker = std::thread::spawn({
        let inbox = it.inbox.clone();
        move || inbox.next()
    });
    lock.remove_lock();
    // The worker may look before the lock goes or after it.
    it.inbox.touch_git_lock();
    it.clock.advance(30 * MS);
    assert_eq!(worker.join().unwrap().unwrap().dirty.len(), 1);
}

#[test]
fn a_lock_that_a_crash_left_puts_nothing_off() {
    let (it, lock) = with_lock();
    lock.take_lock(&it);
    it.clock.advance(Duration::from_secs(10));
    it.touch("a");
    it.clock.advance(30 * MS);
    assert_eq!(it.ready().dirty.len(), 1);
}

#[test]
fn closing_ends_everybody() {
    let it = Fixture::new(Limits::default());
    let waiter = std::thread::spawn({
        let inbox = it.inbox.clone();
        move || inbox.wait_released(Serial(9), Instant::now() + Duration::from_mins(1))
    });
    let worker = std::thread::spawn({
        let inbox = it.inbox.clone();
        move || inbox.next()
    });
    it.inbox.close();
    assert_eq!(waiter.join().unwrap(), Waited::Closed);
    assert_eq!(worker.join().unwrap(), None);
    assert_eq!(it.inbox.step(), Step::Closed);
}

#[test]
fn a_change_of_the_root_itself_is_a_rescan() {
    let it = Fixture::new(Limits::default());
    it.touch("");
    it.clock.advance(30 * MS);
    assert_eq!(it.ready().rescan, Some(Rescan::Root));
}
