//! The cost of calls, and the cost of reading the files instead.
//!
//! A call records its action, its answer's tokens and the files whose symbols or source it served: a few words in
//! memory. Slow work, such as counting the files' tokens and storing, is done in batches beside the calls, and when
//! someone asks for the counts. Calls of tools are counted, resources and completions are not. A file counts once for
//! each session, as for an agent that reads it once and remembers it.

mod count;
mod served;
mod stored_counts;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Host;

pub use count::file_tokens;
pub(crate) use count::{Count, Key, action_rung};
pub(crate) use served::Served;

/// Calls after which a batch is processed.
const BATCH: u64 = 256;
/// Maximum number of files that wait to be counted; no more are added.
const MOST_WAITING: usize = 20_000;
/// Maximum number of files that are remembered as seen by a session; no more are added.
const MOST_SEEN: usize = 20_000;
/// Maximum number of sessions that are kept; the oldest is dropped.
const MOST_SESSIONS: usize = 128;

/// Counts of every session, and of those before.
#[derive(Default)]
pub(crate) struct Usage {
    now: Mutex<Now>,
    /// One batch at a time.
    turn: Mutex<()>,
}

#[derive(Default)]
struct Now {
    sessions: BTreeMap<u64, OneSession>,
    /// Counts that are not stored yet.
    pending: BTreeMap<Key, Count>,
    files: Vec<Waiting>,
    calls: u64,
}

#[derive(Default)]
struct OneSession {
    counts: BTreeMap<Key, Count>,
    seen: HashSet<(String, String)>,
}

/// What came of recording a call.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    pub(crate) is_batch_due: bool,
    /// The files that its session had not got before.
    pub(crate) files: Vec<String>,
}

/// A file whose tokens are still to be counted.
struct Waiting {
    session: u64,
    key: Key,
    path: String,
}

impl Usage {
    /// Records one call. Never fails and never waits for the disk.
    pub(crate) fn note(
        &self,
        session: u64,
        served: Served,
        tokens: usize,
        failed: bool,
        at_ms: u64,
    ) -> Noted {
        let hour = Key::hour_of(at_ms);
        let one = Count { calls: 1, failed: u64::from(failed), tokens: tokens as u64, ..Count::default() };
        let mut now = self.now();
        let Now { sessions, pending, files, calls } = &mut *now;
        let known = sessions.entry(session).or_default();
        let mut add = |key: &Key, count: &Count| {
            pending.entry(key.clone()).or_default().add(count);
            known.counts.entry(key.clone()).or_default().add(count);
        };
        let own = served.action.map(|action| Key {
            repo: served.repo.unwrap_or_default(),
            hour,
            action: action.into(),
        });
        match (&own, served.upstream) {
            (Some(key), _) => add(key, &one),
            (None, Some((upstream, lost))) => {
                add(&Key::of_upstream(&upstream, hour), &Count { file_tokens: lost as u64, ..one });
            }
            (None, None) => return Noted::default(),
        }
        if let Some(tokens) = served.found_tokens {
            add(&Key::of_upstream("", hour), &Count { calls: 1, tokens: tokens as u64, ..Count::default() });
        }
        let mut fresh = Vec::new();
        for (path, key) in served.files.into_iter().zip(own.iter().cycle()) {
            let room = known.seen.len() < MOST_SEEN && files.len() < MOST_WAITING;
            if room && known.seen.insert((key.repo.clone(), path.clone())) {
                fresh.push(path.clone());
                files.push(Waiting { session, key: key.clone(), path });
            }
        }
        while sessions.len() > MOST_SESSIONS {
            sessions.pop_first();
        }
        *calls += 1;
        Noted { is_batch_due: *calls % BATCH == 0, files: fresh }
    }

    /// Counts the waiting files and stores the pending counts. Counts that can't be stored are tried again with the
    /// next batch.
    pub(crate) fn settle(&self, host: &dyn Host) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pending, files) = {
            let mut now = self.now();
            (std::mem::take(&mut now.pending), std::mem::take(&mut now.files))
        };
        for file in files {
            let Some(tokens) = count::file_tokens(host, &file.key.repo, &file.path) else { continue };
            let one = Count { files: 1, file_tokens: tokens, ..Count::default() };
            pending.entry(file.key.clone()).or_default().add(&one);
            if let Some(session) = self.now().sessions.get_mut(&file.session) {
                session.counts.entry(file.key).or_default().add(&one);
            }
        }
        if stored_counts::add_counts(host.agent(), &pending).is_err() {
            let mut now = self.now();
            for (key, count) in pending {
                now.pending.entry(key).or_default().add(&count);
            }
        }
    }

    /// Processes a batch beside the calls.
    pub(crate) fn settle_beside(self: &Arc<Self>, host: &Arc<dyn Host>) {
        let (usage, host) = (Arc::clone(self), Arc::clone(host));
        // If no thread can be started, the batch waits for the next one.
        let _ = std::thread::Builder::new()
            .name("sdl-usage".to_owned())
            .spawn(move || usage.settle(host.as_ref()));
    }

    /// The counts of one session.
    pub(crate) fn of_session(&self, session: u64) -> BTreeMap<Key, Count> {
        self.now().sessions.get(&session).map(|session| session.counts.clone()).unwrap_or_default()
    }

    /// The counts of a repository, or of all, from an hour on.
    pub(crate) fn of_all(
        host: &dyn Host,
        repo: Option<&str>,
    ) -> Result<BTreeMap<Key, Count>, crate::ToolError> {
        stored_counts::read_counts(host.agent(), repo)
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
