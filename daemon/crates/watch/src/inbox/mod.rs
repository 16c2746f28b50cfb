//! The pending hints for one repository's worker.
//!
//! The watcher's handler writes into it and never waits for anything but its short lock; the worker takes everything at
//! once. The inbox holds only hints: paths that may have changed. The worker looks for itself.

mod batch;
mod busy;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Clock;

use busy::GitLock;

pub use batch::{Batch, Limits, Rescan, Serial, Settle, Step, Turn, Waited};

/// The number of an attempt to process the pending changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt(u64);

struct State {
    dirty: HashSet<PathBuf>,
    dirty_bytes: usize,
    rescan: Option<Rescan>,
    head_changed: bool,
    index_changed: bool,
    /// When the first and the last of the pending changes came.
    pending: Option<(Instant, Instant)>,
    /// After a failure: not before this time.
    not_before: Option<Instant>,
    /// Somebody asked for a comparison, with newer knowledge than the current batch can have.
    asked: bool,
    /// The highest barrier that has come through, after the changes before it.
    arrived: Serial,
    /// The highest that somebody waits for.
    wanted: Serial,
    released: Serial,
    /// Taken and not released yet.
    taken: Option<Serial>,
    /// How many batches were taken, and the last one that could not be committed.
    attempts: u64,
    failed: u64,
    /// Counts the times that events were lost.
    epoch: u64,
    /// Counts the times that the lock of git's index came or went.
    git_moves: u64,
    /// The last time that it did so.
    git_moved: Instant,
    scanning: bool,
    closed: bool,
}

/// What a look at git's lock saw.
struct Git {
    /// [`State::git_moves`] before the look.
    moves: u64,
    busy: bool,
}

/// One repository's pending changes and barriers.
pub struct Inbox {
    state: Mutex<State>,
    /// Wakes the worker.
    work: Condvar,
    /// Wakes those who wait for a barrier.
    waiters: Condvar,
    settle: Settle,
    limits: Limits,
    clock: Arc<dyn Clock>,
    git_lock: GitLock,
    /// Threads that wait for a barrier of any inbox of this hub.
    waiting: Arc<AtomicUsize>,
}

/// How long the worker is kept from a batch that it took and dropped.
const RETRY: Duration = Duration::from_secs(1);

impl Inbox {
    /// Creates an inbox whose first batch is a rescan.
    pub(crate) fn new(
        settle: Settle,
        limits: Limits,
        clock: Arc<dyn Clock>,
        waiting: Arc<AtomicUsize>,
    ) -> Self {
        // The first comparison waits for nothing.
        let before = clock.now();
        Self {
            state: Mutex::new(State {
                dirty: HashSet::new(),
                dirty_bytes: 0,
                rescan: Some(Rescan::Start),
                head_changed: true,
                index_changed: false,
                pending: Some((before, before)),
                not_before: None,
                asked: false,
                arrived: Serial(0),
                wanted: Serial(0),
                released: Serial(0),
                taken: None,
                attempts: 0,
                failed: 0,
                epoch: 0,
                git_moves: 0,
                git_moved: before,
                scanning: false,
                closed: false,
            }),
            work: Condvar::new(),
            waiters: Condvar::new(),
            settle,
            limits,
            clock,
            git_lock: GitLock::default(),
            waiting,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing below panics between two related writes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that `path` (relative to the root, empty for the root itself) may have changed.
    pub fn touch(&self, path: &Path) {
        if path.as_os_str().is_empty() {
            return self.ask_rescan(Rescan::Root);
        }
        let now = self.clock.now();
        let mut state = self.lock();
        if state.rescan.is_none() && !state.dirty.contains(path) {
            let bytes = path.as_os_str().len();
            if state.dirty.len() >= self.limits.paths || state.dirty_bytes + bytes > self.limits.bytes {
                state.collapse(Rescan::TooManyChanges);
            } else {
                state.dirty_bytes += bytes;
                state.dirty.insert(path.to_owned());
            }
        }
        self.changed(&mut state, now);
    }

    /// Notes that git's HEAD may have moved.
    pub fn touch_head(&self) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.head_changed = true;
        self.changed(&mut state, now);
    }

    /// Notes that git's index may have changed.
    pub fn touch_index(&self) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.index_changed = true;
        self.changed(&mut state, now);
    }

    /// Asks for a comparison of the whole tree.
    pub fn ask_rescan(&self, reason: Rescan) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.collapse(reason);
        // The back-off ends, because the caller may know that the cause of the last failure is gone.
        state.not_before = None;
        state.asked = true;
        self.changed(&mut state, now);
        self.work.notify_one();
    }

    /// Events were lost: everything is compared, and barriers under way are void.
    pub(crate) fn lost_events(&self, reason: Rescan) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.collapse(reason);
        state.epoch += 1;
        self.changed(&mut state, now);
        self.waiters.notify_all();
    }

    /// From now on no event is trusted: barriers are served by scans.
    pub(crate) fn start_scanning(&self) {
        let mut state = self.lock();
        state.scanning = true;
        state.epoch += 1;
        self.waiters.notify_all();
    }

    /// Events are trusted again: the whole tree is watched, and a comparison that began after that is done or under
    /// way. A barrier that waits for a scan is released by that comparison all the same.
    pub(crate) fn stop_scanning(&self) {
        self.lock().scanning = false;
    }

    /// Barriers under way are void (their cookie may be gone); nothing else was lost.
    pub(crate) fn abort_barriers(&self) {
        self.lock().epoch += 1;
        self.waiters.notify_all();
    }

    /// Whether the tree is compared for each barrier instead of watched.
    pub fn is_scanning(&self) -> bool {
        self.lock().scanning
    }

    fn changed(&self, state: &mut State, now: Instant) {
        if let Some((_, last)) = &mut state.pending {
            *last = now;
        } else {
            state.pending = Some((now, now));
            self.work.notify_one();
        }
    }

    /// A cookie came through: all changes before it are in here already.
    pub fn arrive(&self, serial: Serial) {
        let mut state = self.lock();
        if !state.scanning {
            self.arrive_locked(&mut state, serial);
        }
    }

    fn arrive_locked(&self, state: &mut State, serial: Serial) {
        state.arrived = state.arrived.max(serial);
        if !self.release_if_idle(state) && state.urgent() {
            self.work.notify_one();
        }
    }

    /// Serves a barrier by a scan that starts after this call.
    pub(crate) fn arrive_by_scan(&self, serial: Serial) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.collapse(Rescan::Scanning);
        state.not_before = None;
        state.asked = true;
        self.changed(&mut state, now);
        self.arrive_locked(&mut state, serial);
    }

    /// With nothing pending and no batch at work, everything that has arrived is committed.
    fn release_if_idle(&self, state: &mut State) -> bool {
        let idle = state.pending.is_none() && state.taken.is_none();
        if idle && state.arrived > state.released {
            state.released = state.arrived;
            self.waiters.notify_all();
        }
        idle
    }

    /// Takes the batch that is ready at this moment. A batch that was taken before and not released counts as failed.
    pub fn step(&self) -> Step {
        let git = self.look_at_git();
        self.step_locked(&mut self.lock(), git.busy)
    }

    /// Looks whether git is at work on the tree, for a batch that is pending. Reads the disk, so the state must not be
    /// locked.
    fn look_at_git(&self) -> Git {
        let (moves, pending) = {
            let state = self.lock();
            (state.git_moves, state.pending.is_some())
        };
        Git { moves, busy: pending && self.git_lock.is_held(self.clock.wall_ns(), self.settle.git) }
    }

    /// Names the lock file of the tree's index, if git has one: while it exists, changes are gathered for longer, so
    /// that a checkout becomes one batch. See [`Settle::git`].
    pub(crate) fn set_git_lock(&self, path: Option<PathBuf>) {
        self.git_lock.set_path(path);
    }

    /// The lock file came or went: a batch that was put off because of it may be ready.
    pub(crate) fn touch_git_lock(&self) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.git_moves += 1;
        state.git_moved = now;
        // Without changes there is nothing to put off, and a worker that waits for quiet would begin again.
        if state.pending.is_some() {
            self.work.notify_one();
        }
    }

    /// The time at which the changes from `first` to `last` have settled.
    fn settled_at(&self, state: &State, first: Instant, last: Instant, busy: bool) -> Instant {
        let settled = (last + self.settle.quiet).min(first + self.settle.most);
        let at_most = first + self.settle.git;
        if state.asked {
            // Whoever asked for a comparison gets it, whether git is done or not.
            settled
        } else if busy {
            settled.max(at_most)
        } else {
            // Git moves HEAD right after it gave the lock back.
            settled.max((state.git_moved + self.settle.quiet).min(at_most))
        }
    }

    fn step_locked(&self, state: &mut State, busy: bool) -> Step {
        let now = self.clock.now();
        if state.closed {
            return Step::Closed;
        }
        if state.taken.take().is_some() {
            state.collapse(Rescan::Failed);
            state.pending.get_or_insert((now, now));
            state.not_before = Some(now + RETRY);
        }
        if self.release_if_idle(state) {
            return Step::Wait(None);
        }
        let Some((first, last)) = state.pending else { return Step::Wait(None) };
        let mut due = if state.urgent() || state.rescan == Some(Rescan::Start) {
            now
        } else if state.rescan.is_some() && self.waiting.load(Ordering::Relaxed) > 0 {
            // Wait for the full settle time, because somebody waits for another repository, whose worker should have
            // the machine.
            first + self.settle.most
        } else {
            self.settled_at(state, first, last, busy)
        };
        if let Some(not_before) = state.not_before {
            due = due.max(not_before);
        }
        if due > now {
            return Step::Wait(Some(due - now));
        }
        state.pending = None;
        state.not_before = None;
        state.asked = false;
        state.taken = Some(state.arrived);
        state.attempts += 1;
        state.dirty_bytes = 0;
        let mut dirty: Vec<PathBuf> = std::mem::take(&mut state.dirty).into_iter().collect();
        dirty.sort_unstable();
        Step::Ready(Batch {
            dirty,
            rescan: state.rescan.take(),
            head_changed: std::mem::take(&mut state.head_changed),
            index_changed: std::mem::take(&mut state.index_changed),
            serial: state.arrived,
            waited: now.saturating_duration_since(first),
        })
    }

    /// Blocks until there is work; `None` when the root was removed. For the one worker.
    pub fn next(&self) -> Option<Batch> {
        loop {
            match self.next_turn(None) {
                Turn::Work(batch) => return Some(batch),
                Turn::Quiet => {}
                Turn::Closed => return None,
            }
        }
    }

    /// Blocks until there is work, or until there was none for as long as `quiet`. For the one worker.
    pub fn next_turn(&self, quiet: Option<Duration>) -> Turn {
        loop {
            let git = self.look_at_git();
            let mut state = self.lock();
            if state.git_moves != git.moves {
                continue;
            }
            match self.step_locked(&mut state, git.busy) {
                Step::Ready(batch) => return Turn::Work(batch),
                Step::Closed => return Turn::Closed,
                Step::Wait(None) => match quiet {
                    None => drop(self.work.wait(state).unwrap_or_else(PoisonError::into_inner)),
                    Some(quiet) => {
                        let waited = self.work.wait_timeout(state, quiet);
                        if waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
                            return Turn::Quiet;
                        }
                    }
                },
                Step::Wait(Some(time)) => {
                    drop(self.work.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    /// The batch with this serial is committed.
    pub fn release(&self, serial: Serial) {
        let mut state = self.lock();
        state.taken = None;
        state.released = state.released.max(serial);
        self.waiters.notify_all();
    }

    /// The batch could not be committed: the whole tree is compared again, not before `after` has passed.
    pub fn fail(&self, after: Duration) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.taken = None;
        state.failed = state.attempts;
        state.collapse(Rescan::Failed);
        state.head_changed = true;
        state.not_before = (!state.asked).then(|| now + after);
        self.changed(&mut state, now);
        self.waiters.notify_all();
    }

    /// After a failure: pending changes are tried again at once instead of after a while. Returns the number of the
    /// attempt that begins after this call.
    pub(crate) fn try_now(&self) -> Attempt {
        let now = self.clock.now();
        let mut state = self.lock();
        if state.not_before.take().is_some() || state.taken.is_some() {
            // A new rescan is asked for, because the batch at work may have begun before the change that the caller
            // knows about.
            state.collapse(Rescan::Requested);
            state.asked = true;
            self.changed(&mut state, now);
            self.work.notify_one();
        }
        Attempt(state.attempts + 1)
    }

    /// Counts the times that events were lost. Read it before asking for a cookie.
    pub fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    /// Whether this barrier's cookie has come through, committed or not.
    pub fn has_arrived(&self, serial: Serial) -> bool {
        self.lock().arrived >= serial
    }

    /// Waits until `serial` is released. Does not notice lost events; see [`Self::wait_epoch`].
    pub fn wait_released(&self, serial: Serial, deadline: Instant) -> Waited {
        self.wait(serial, None, None, deadline)
    }

    /// Waits until `serial` is released, or until events are lost after `epoch` was read.
    pub fn wait_epoch(&self, serial: Serial, epoch: u64, deadline: Instant) -> Waited {
        self.wait(serial, Some(epoch), None, deadline)
    }

    /// As [`Self::wait_epoch`], and no longer than until `attempt` or a later one has failed.
    pub(crate) fn wait_attempt(
        &self,
        serial: Serial,
        epoch: u64,
        attempt: Option<Attempt>,
        deadline: Instant,
    ) -> Waited {
        self.wait(serial, Some(epoch), attempt, deadline)
    }

    /// Announces that somebody will wait for `serial`: work before it becomes urgent.
    pub(crate) fn want(&self, serial: Serial) {
        self.want_locked(&mut self.lock(), serial);
    }

    fn want_locked(&self, state: &mut State, serial: Serial) {
        state.wanted = state.wanted.max(serial);
        if !self.release_if_idle(state) && state.urgent() {
            self.work.notify_one();
        }
    }

    fn wait(
        &self,
        serial: Serial,
        epoch: Option<u64>,
        attempt: Option<Attempt>,
        deadline: Instant,
    ) -> Waited {
        let _waiting = Waiting::new(&self.waiting);
        let mut state = self.lock();
        self.want_locked(&mut state, serial);
        loop {
            if state.released >= serial {
                return Waited::Released;
            }
            if state.closed {
                return Waited::Closed;
            }
            if epoch.is_some_and(|epoch| epoch != state.epoch) {
                return Waited::Aborted;
            }
            if attempt.is_some_and(|attempt| state.failed >= attempt.0) {
                return Waited::Failed;
            }
            let Some(left) = deadline.checked_duration_since(self.clock.now()).filter(|left| !left.is_zero())
            else {
                return Waited::TimedOut;
            };
            state = self.waiters.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the worker and everyone who waits.
    pub fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
        self.waiters.notify_all();
    }
}

impl State {
    fn collapse(&mut self, reason: Rescan) {
        // `Start` is kept, because the first index stays the first index, whatever happens before it begins.
        if self.rescan != Some(Rescan::Start) {
            self.rescan = Some(reason);
        }
        self.dirty = HashSet::new();
        self.dirty_bytes = 0;
    }

    /// A barrier that somebody waits for has come through, and work is before it.
    fn urgent(&self) -> bool {
        self.arrived > self.released && self.wanted > self.released
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Inbox")
            .field("dirty", &state.dirty.len())
            .field("rescan", &state.rescan)
            .field("arrived", &state.arrived)
            .field("released", &state.released)
            .finish_non_exhaustive()
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
