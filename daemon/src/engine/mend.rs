//! Repositories whose ledgers have to be opened again while the daemon runs: a damaged ledger is set aside and
//! rebuilt; a ledger that closed itself is opened unchanged.
//!
//! The repository leaves the list of served ones at once, so that no new request reads the ledger. When the last
//! request that holds it is done, its folder is free, and the repository is started as at the daemon's start. Requests
//! for it meanwhile get an error that says to ask again. That time is short: no request holds a ledger for long.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sdl_tools::Repo as _;
use sdl_tools::host::{Absence, Unserved};
use sdl_watch::CanonicalRoot;

use super::{Engine, write_lock};
use crate::repo::catalog::Entry;
use crate::repo::{Ailment, OpenError, Repo};

/// How often a damaged ledger is rebuilt in the life of a daemon. The number is small because each rebuild leaves a
/// damaged copy on a disk that is probably at fault.
const REBUILDS: u32 = 3;

/// How long to wait before a ledger that could not be opened is tried again; doubles with each further failure.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(32);

/// The repositories that are out of service for the moment.
#[derive(Default)]
pub(super) struct Mending {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    out: BTreeMap<String, Out>,
    rebuilds: BTreeMap<String, u32>,
    closing: bool,
}

struct Out {
    entry: Entry,
    why: String,
}

impl Mending {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The repositories that are out of service, each with the reason.
    pub(super) fn list(&self) -> Vec<Unserved> {
        let state = self.lock();
        let out = state.out.iter();
        out.map(|(id, out)| Unserved {
            id: id.clone(),
            root: out.entry.root.clone(),
            why: out.why.clone(),
            absence: Absence::Opening,
        })
        .collect()
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.lock().out.values().map(|out| out.entry.clone()).collect()
    }

    /// Gives up on a repository that is to be forgotten; false if it is not out of service.
    pub(super) fn forget(&self, id: &str) -> bool {
        let gone = self.lock().out.remove(id).is_some();
        self.changed.notify_all();
        gone
    }

    /// From now on no ledger is opened any more.
    pub(super) fn close(&self) {
        self.lock().closing = true;
        self.changed.notify_all();
    }

    /// Waits before the next try; false if there is to be none.
    fn wait(&self, id: &str, time: Duration) -> bool {
        let is_wanted = |state: &mut State| !state.closing && state.out.contains_key(id);
        let waited = self.changed.wait_timeout_while(self.lock(), time, is_wanted);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        is_wanted(&mut state)
    }
}

impl Engine {
    /// A repository's ledger needs repair: takes the repository out of service until it is done. False if it stays in
    /// service unrepaired: its worker must try again later.
    pub(super) fn take_over(self: Arc<Self>, ill: &Repo, ailment: &Ailment) -> bool {
        let id = ill.id().to_owned();
        let why = match ailment {
            Ailment::Damaged(why) => format!("its ledger is damaged ({why}); it is set aside and rebuilt"),
            Ailment::Shut(why) => format!("its ledger is opened again ({why})"),
            Ailment::FactsMissing(why) => {
                self.warn(format!(
                    "stored facts of {id} were damaged ({why}); they are extracted again from its files"
                ));
                return false;
            }
            Ailment::FactsDamaged(_) => return false,
        };
        let repo = {
            let mut mending = self.mending.lock();
            let mut repos = write_lock(&self.repos);
            if mending.closing || !repos.get(&id).is_some_and(|repo| std::ptr::eq(&raw const **repo, ill)) {
                return false;
            }
            if matches!(ailment, Ailment::Damaged(_)) {
                let rebuilds = mending.rebuilds.entry(id.clone()).or_default();
                if *rebuilds >= REBUILDS {
                    return false;
                }
                *rebuilds += 1;
            }
            let Some(repo) = repos.remove(&id) else { return false };
            mending.out.insert(id.clone(), Out { entry: repo.entry().clone(), why: why.clone() });
            repo
        };
        tracing::error!(repo = id, "{why}");
        self.feed.note_gone(&id);
        let engine = self.clone();
        let begun = std::thread::Builder::new().name(format!("mend {id}")).spawn(move || engine.mend(repo));
        if let Err(error) = begun {
            self.warn(format!("repository {id} is not served until the daemon is restarted: {error}"));
        }
        true
    }

    fn mend(&self, repo: Arc<Repo>) {
        let id = repo.id().to_owned();
        let root = repo.canonical_root().clone();
        let entry = repo.entry().clone();
        repo.close();
        let gone = repo.gone();
        drop(repo);
        // Ends when the last request has let go of the repository, and with it of the ledger's folder.
        let _ = gone.map(|gone| gone.recv());
        let mut wait = FIRST_WAIT;
        loop {
            if !self.mending.lock().out.contains_key(&id) {
                return;
            }
            match self.start_mended(&entry, &root) {
                Ok(()) => return,
                Err(error) => {
                    tracing::error!(repo = id, %error, "the ledger can't be opened; the daemon will retry");
                    if let Some(out) = self.mending.lock().out.get_mut(&id) {
                        out.why = format!("its ledger can't be opened: {error}");
                    }
                }
            }
            if !self.mending.wait(&id, wait) {
                return;
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn start_mended(&self, entry: &Entry, root: &CanonicalRoot) -> Result<(), OpenError> {
        let repo = self.open_repo(entry.clone(), root.clone())?;
        let mut mending = self.mending.lock();
        if mending.closing || mending.out.remove(&entry.repo_id).is_none() {
            drop(mending);
            repo.close();
            return Ok(());
        }
        write_lock(&self.repos).insert(entry.repo_id.clone(), repo);
        Ok(())
    }
}
