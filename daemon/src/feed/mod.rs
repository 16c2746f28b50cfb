//! The live feed: what the daemon does, for a person's programs that follow it.
//!
//! ```text
//! workers ─note─> lane of changes ─┐ describe ┌─> queue of a follower ─> its connection
//! calls   ─note─> lane of calls   ─┴─────────>┴─> queue of a follower ─> its connection
//! ```
//!
//! * Noting never waits: an atomic look while nobody follows, else a short lock. Reading the ledger and counting is done by a
//!   thread for each lane, which runs only while somebody follows.
//! * Each version reaches each follower once and in order. A follower learns at its beginning which version each repository
//!   has, such as `v1770600000000`, and gets only newer ones. Events that found no room are one `feed/lost` in their place.
//! * Nothing here holds a repository open: notes hold it weakly.

mod follower;
mod lane;
mod methods;
mod queue;
mod symbols;
mod tell;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sdl_model::{Incarnation, Version};
use sdl_tools::{CallEnded, Repo as _};
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::index::now_ms;
use crate::repo::Repo;
use lane::Lane;
use queue::Entry;

pub use follower::{FeedEvent, Follower, Wanted};
pub use methods::{Followed, follow_session};

/// Followers at most.
pub const MOST_FOLLOWERS: usize = 32;

/// Notes that wait to be described at most, in each lane.
const MOST_NOTES: usize = 4_096;

const VERSION: &str = "feed/version";
const STATUS: &str = "feed/status";
const CALL: &str = "feed/call";
const LOST: &str = "feed/lost";

/// The feed of one daemon.
pub struct Feed {
    engine: Weak<Engine>,
    /// How many follow, and how many of them want calls.
    following: AtomicUsize,
    calling: AtomicUsize,
    closed: AtomicBool,
    followers: Mutex<Vec<Place>>,
    changes: Lane<Change>,
    calls: Lane<CallEnded>,
}

/// A follower, and what it knows.
struct Place {
    follower: Arc<Follower>,
    /// The newest version of each repository that it has.
    versions: HashMap<String, (Incarnation, Version)>,
    /// The state of each repository that it got last.
    states: HashMap<String, Value>,
}

/// What happened to a repository.
enum Change {
    /// Somebody came who wants to begin with the newest versions.
    Followed(Weak<Follower>),
    Committed(Committed),
    /// Its state may be another one.
    State(Weak<Repo>),
    /// It was removed, or taken out of service.
    Gone(String),
}

/// A version that was committed.
struct Committed {
    repo: Weak<Repo>,
    id: String,
    incarnation: Incarnation,
    version: Version,
    at_ms: u64,
    /// From the first event of the watcher to the commit; none for a version from before somebody followed.
    took: Option<Duration>,
}

/// Why somebody can't follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MOST_FOLLOWERS} programs follow the daemon already; end one of them, such as an sdlctl watch")]
pub struct TooManyFollowers;

impl Feed {
    /// A feed that nobody follows.
    pub fn new(engine: Weak<Engine>) -> Arc<Self> {
        Arc::new(Self {
            engine,
            following: AtomicUsize::new(0),
            calling: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            followers: Mutex::default(),
            changes: Lane::new(MOST_NOTES),
            calls: Lane::new(MOST_NOTES),
        })
    }

    /// Whether anybody follows.
    pub fn is_followed(&self) -> bool {
        self.following.load(Ordering::SeqCst) > 0
    }

    /// Whether anybody wants to hear of calls.
    pub fn wants_calls(&self) -> bool {
        self.calling.load(Ordering::SeqCst) > 0
    }

    /// Notes a version that was committed `took` after the first event that led to it. For the repository's worker.
    pub fn note_version(&self, repo: &Arc<Repo>, version: Version, took: Duration) {
        if self.is_followed() {
            self.changes.note(Change::Committed(Committed {
                repo: Arc::downgrade(repo),
                id: repo.id().to_owned(),
                incarnation: repo.ledger().incarnation(),
                version,
                at_ms: now_ms(),
                took: Some(took),
            }));
        }
    }

    /// Notes that the state of a repository may be another one.
    pub fn note_state(&self, repo: &Weak<Repo>) {
        if self.is_followed() {
            self.changes.note(Change::State(Weak::clone(repo)));
        }
    }

    /// Notes that a repository is not served any more.
    pub fn note_gone(&self, id: &str) {
        if self.is_followed() {
            self.changes.note(Change::Gone(id.to_owned()));
        }
    }

    /// Notes a call that has ended.
    pub fn note_call(&self, call: CallEnded) {
        if self.wants_calls() {
            self.calls.note(call);
        }
    }

    /// Adds a follower. The answer says the state and the version of each repository that it follows; it is sent what
    /// comes after that. Without [`Feed::run`] events wait until [`Feed::step`].
    pub fn add_follower(&self, wanted: Wanted) -> Result<(Arc<Follower>, Value), TooManyFollowers> {
        let mut places = self.lock();
        if places.len() >= MOST_FOLLOWERS {
            return Err(TooManyFollowers);
        }
        // Before the versions are read: a worker that sees nobody has committed its version before.
        self.following.fetch_add(1, Ordering::SeqCst);
        self.calling.fetch_add(usize::from(wanted.calls), Ordering::SeqCst);
        let mut place = Place {
            follower: Arc::new(Follower::new(wanted)),
            versions: HashMap::new(),
            states: HashMap::new(),
        };
        // Before the versions are read as well, so that the newest ones go before any that the answer does not name.
        if place.follower.wanted.recent > 0 {
            self.changes.note(Change::Followed(Arc::downgrade(&place.follower)));
        }
        let mut repos = Vec::new();
        let all = self.engine.upgrade().map(|engine| engine.all_repos()).unwrap_or_default();
        for repo in all.iter().filter(|repo| place.follower.wanted.has(repo.id())) {
            let version = repo.head_version();
            if let Some(version) = version {
                place.versions.insert(repo.id().to_owned(), (repo.ledger().incarnation(), version));
            }
            let mut state = tell::describe_state(repo);
            place.states.insert(repo.id().to_owned(), state.clone());
            state["version"] = version.map(|version| version.to_string()).into();
            repos.push(state);
        }
        let follower = Arc::clone(&place.follower);
        places.push(place);
        Ok((follower, json!({ "repos": repos, "followers": places.len() })))
    }

    /// Ends a follower. It is sent nothing any more.
    pub fn remove_follower(&self, follower: &Arc<Follower>) {
        let mut places = self.lock();
        let before = places.len();
        places.retain(|place| !Arc::ptr_eq(&place.follower, follower));
        if places.len() < before {
            self.following.fetch_sub(1, Ordering::SeqCst);
            self.calling.fetch_sub(usize::from(follower.wanted.calls), Ordering::SeqCst);
        }
        drop(places);
        follower.end();
        self.changes.wake();
        self.calls.wake();
    }

    /// Ends all followers and threads, for the end of the daemon.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let followers: Vec<_> = self.lock().iter().map(|place| Arc::clone(&place.follower)).collect();
        followers.iter().for_each(|follower| self.remove_follower(follower));
    }

    /// Starts the threads that describe what was noted, as far as they are wanted and don't run.
    pub fn run(self: &Arc<Self>) -> std::io::Result<()> {
        let spawn = |name: &str, run: fn(&Self)| {
            let feed = Arc::clone(self);
            std::thread::Builder::new().name(name.to_owned()).spawn(move || run(&feed)).map(|_| ())
        };
        if self.is_followed() {
            self.changes.ensure(|| spawn("feed", Self::run_changes))?;
        }
        if self.wants_calls() {
            self.calls.ensure(|| spawn("feed of calls", Self::run_calls))?;
        }
        Ok(())
    }

    /// Describes the oldest thing that was noted, for its followers. False if there is none.
    pub fn step(&self) -> bool {
        if let Some(entry) = self.changes.take() {
            self.tell_change(entry);
            return true;
        }
        let Some(entry) = self.calls.take() else { return false };
        self.tell_call(entry);
        true
    }

    fn run_changes(&self) {
        let wanted = || self.is_followed() && !self.closed.load(Ordering::SeqCst);
        while let Some(entry) = self.changes.next(wanted) {
            self.tell_change(entry);
        }
    }

    fn run_calls(&self) {
        let wanted = || self.wants_calls() && !self.closed.load(Ordering::SeqCst);
        while let Some(entry) = self.calls.next(wanted) {
            self.tell_call(entry);
        }
    }

    fn tell_change(&self, entry: Entry<Change>) {
        match entry {
            Entry::One(Change::Followed(follower)) => {
                if let Some(follower) = follower.upgrade() {
                    self.tell_recent(&follower);
                }
            }
            Entry::One(Change::Committed(committed)) => self.tell_version(&committed),
            Entry::One(Change::State(repo)) => {
                if let Some(repo) = repo.upgrade() {
                    self.tell_state(repo.id(), &tell::describe_state(&repo));
                }
            }
            Entry::One(Change::Gone(id)) => {
                let unserved = self.engine.upgrade().map(|engine| engine.unserved_reason(&id));
                let state = match unserved.flatten() {
                    Some(why) => json!({ "repo": id, "state": "failed", "health": "failed", "reason": why }),
                    None => json!({ "repo": id, "state": "removed" }),
                };
                self.tell_state(&id, &state);
            }
            Entry::Lost(count) => self.lock().iter().for_each(|place| place.follower.lose(count)),
        }
    }

    fn tell_version(&self, committed: &Committed) {
        let Some(engine) = self.engine.upgrade() else { return };
        let is_news = |place: &Place| {
            let known = place.versions.get(&committed.id);
            let is_known = known.is_some_and(|(incarnation, version)| {
                *incarnation == committed.incarnation && *version >= committed.version
            });
            !is_known && place.follower.wanted.has(&committed.id)
        };
        if !self.lock().iter().any(is_news) {
            return;
        }
        // Not under the lock, because it reads the ledger. Only this thread tells of versions, so that nothing changes meanwhile
        // but who follows; who came meanwhile knows this version.
        let event = to_event(VERSION, &tell::describe_version(committed, engine.as_ref()));
        for place in self.lock().iter_mut() {
            if is_news(place) {
                place.versions.insert(committed.id.clone(), (committed.incarnation, committed.version));
                place.follower.push(event.clone());
            }
        }
    }

    /// Sends the newest versions up to those in the answer to the follower, the oldest first.
    fn tell_recent(&self, follower: &Arc<Follower>) {
        let Some(engine) = self.engine.upgrade() else { return };
        let places = self.lock();
        let place = places.iter().find(|place| Arc::ptr_eq(&place.follower, follower));
        // This thread has sent it no version yet, because its beginning was noted first.
        let Some(known) = place.map(|place| place.versions.clone()) else { return };
        drop(places);
        let mut recent = Vec::new();
        for repo in engine.all_repos() {
            let Some((incarnation, version)) = known.get(repo.id()) else { continue };
            match tell::newest_versions(&repo, (*incarnation, *version), follower.wanted.recent) {
                Ok(versions) => recent.extend(versions),
                Err(error) => tracing::warn!(repo = repo.id(), %error, "the newest versions can't be read"),
            }
        }
        recent.sort_by_key(|one| one.at_ms);
        let first = recent.len().saturating_sub(follower.wanted.recent);
        for one in recent.iter().skip(first) {
            follower.push(to_event(VERSION, &tell::describe_version(one, engine.as_ref())));
        }
    }

    fn tell_state(&self, id: &str, state: &Value) {
        let mut event = None;
        for place in self.lock().iter_mut().filter(|place| place.follower.wanted.has(id)) {
            if place.states.get(id) == Some(state) {
                continue;
            }
            place.states.insert(id.to_owned(), state.clone());
            let event = event.get_or_insert_with(|| {
                let mut state = state.clone();
                state["at"] = now_ms().into();
                to_event(STATUS, &state)
            });
            place.follower.push(event.clone());
        }
    }

    fn tell_call(&self, entry: Entry<CallEnded>) {
        let Some(engine) = self.engine.upgrade() else { return };
        let places = || self.lock();
        match entry {
            Entry::One(call) => {
                let wants = |follower: &Follower| {
                    let is_about = |repos: &_| call.repo.as_ref().is_some_and(|repo| contains(repos, repo));
                    follower.wanted.calls && follower.wanted.repos.as_ref().is_none_or(is_about)
                };
                let event = to_event(CALL, &tell::describe_call(&call, engine.as_ref()));
                let places = places();
                let wanting = places.iter().filter(|place| wants(&place.follower));
                wanting.for_each(|place| place.follower.push(event.clone()));
            }
            Entry::Lost(count) => {
                let places = places();
                let wanting = places.iter().filter(|place| place.follower.wanted.calls);
                wanting.for_each(|place| place.follower.lose(count));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        self.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn contains(repos: &std::collections::BTreeSet<String>, repo: &str) -> bool {
    repos.contains(repo)
}

fn to_event(method: &'static str, params: &Value) -> FeedEvent {
    FeedEvent { method, params: params.to_string().into_bytes().into() }
}
