//! Repositories that are registered and not served: they could not be opened, or were set aside. They stay in the list
//! of repositories, and their ledgers stay where they are.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sdl_tools::host::{Absence, Unserved};
use sdl_tools::{Code, Explained, ToolError};
use sdl_watch::check_root;

use super::starts::MOST_DEATHS;
use super::{Engine, read_lock, write_lock};
use crate::repo::Repo;
use crate::repo::catalog::Entry;

/// One that is not served.
#[derive(Clone)]
pub(super) struct Absent {
    pub(super) entry: Entry,
    why: String,
    absence: Absence,
}

impl Absent {
    pub(super) fn to_unserved(&self) -> Unserved {
        let Self { entry, why, absence } = self;
        Unserved { id: entry.repo_id.clone(), root: entry.root.clone(), why: why.clone(), absence: *absence }
    }
}

impl Engine {
    /// Starts the repositories that are registered.
    pub(super) fn start_all(self: &Arc<Self>, entries: Vec<Entry>) {
        self.starts.keep(|id| entries.iter().any(|entry| entry.repo_id == id));
        let mut suspects = Vec::new();
        for entry in entries {
            match self.starts.deaths(&entry.repo_id) {
                0 => {
                    self.start_registered(entry);
                }
                deaths if deaths < MOST_DEATHS => suspects.push(entry),
                deaths => {
                    let why = format!("the daemon died {deaths} times while it was started");
                    self.leave_out(entry, why, Absence::SetAside);
                }
            }
        }
        self.start_suspects(suspects);
    }

    /// Starts one after the other, each when the one before it is through.
    fn start_suspects(self: &Arc<Self>, suspects: Vec<Entry>) {
        let mut suspects = suspects.into_iter();
        let Some(first) = suspects.next() else { return };
        let id = first.repo_id.clone();
        self.start_registered(first);
        let later: Vec<Entry> = suspects.collect();
        for entry in &later {
            let why = format!("the daemon died while it was started; {id} is started first");
            write_lock(&self.absent).push(Absent { entry: entry.clone(), why, absence: Absence::Opening });
        }
        let engine = Arc::downgrade(self);
        let start = move || {
            let mut before = id;
            for entry in later {
                // Held for the wait: an engine that closes ends it.
                let Some(engine) = engine.upgrade() else { return };
                if !engine.starts.wait(&before) {
                    return;
                }
                before.clone_from(&entry.repo_id);
                // Unless it was forgotten, or started already.
                if engine.is_absent(&before) {
                    let _ = engine.retry(&entry);
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("starts".into()).spawn(start) {
            self.warn(format!("some repositories are not served until the daemon is restarted: {error}"));
        }
    }

    fn start_registered(&self, entry: Entry) {
        if let Err(why) = self.try_start(&entry) {
            self.leave_out(entry, why, Absence::Failed);
        }
    }

    fn try_start(&self, entry: &Entry) -> Result<Arc<Repo>, String> {
        let root = check_root(&entry.root, &[], &self.root_context()).map_err(|error| error.to_string())?;
        self.start_repo(entry.clone(), root).map_err(|error| error.to_string())
    }

    /// Starts a repository that is not served. It is in one list or in both, never in none, because the stored list
    /// must not lose it.
    fn retry(&self, entry: &Entry) -> Result<Arc<Repo>, String> {
        let started = self.try_start(entry);
        match &started {
            Ok(_) => {
                self.forget_absent(&entry.repo_id);
            }
            Err(why) => {
                for absent in
                    write_lock(&self.absent).iter_mut().filter(|at| at.entry.repo_id == entry.repo_id)
                {
                    absent.why.clone_from(why);
                    absent.absence = Absence::Failed;
                }
            }
        }
        started
    }

    fn leave_out(&self, entry: Entry, why: String, absence: Absence) {
        self.warn(format!("repository {} is not served: {why}", entry.repo_id));
        write_lock(&self.absent).push(Absent { entry, why, absence });
    }

    fn is_absent(&self, id: &str) -> bool {
        read_lock(&self.absent).iter().any(|absent| absent.entry.repo_id == id)
    }

    /// Forgets a repository that is not served; false if there is none of that id.
    pub(super) fn forget_absent(&self, id: &str) -> bool {
        let mut absent = write_lock(&self.absent);
        let before = absent.len();
        absent.retain(|absent| absent.entry.repo_id != id);
        absent.len() < before
    }

    /// The repository that is not served and has this root.
    pub(super) fn absent_at(&self, root: &Path) -> Option<Unserved> {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        read_lock(&self.absent).iter().find(|absent| absent.entry.root == root).map(Absent::to_unserved)
    }

    /// Starts a repository again that is not served, because a person asked for it. Its crashes are forgotten, because
    /// the tree may have been repaired.
    pub(super) fn start_absent(&self, id: &str) -> Result<Arc<Repo>, ToolError> {
        let unavailable = |why: String| ToolError::new(Code::Unavailable, why);
        let entry =
            read_lock(&self.absent).iter().find(|at| at.entry.repo_id == id).map(|at| at.entry.clone());
        let entry = entry.ok_or_else(|| unavailable(format!("{id} is being started already")))?;
        self.starts.through(id);
        self.retry(&entry).map_err(unavailable)
    }

    /// Has the repository at `root` started again if it is set aside; its id. Only for people, because a client that
    /// could ask for it could crash the daemon as often as it likes.
    pub fn revive(&self, root: &Path) -> Result<Option<String>, ToolError> {
        match self.absent_at(root) {
            Some(absent) if absent.absence == Absence::SetAside => {
                self.start_absent(&absent.id).map(|repo| Some(repo.entry().repo_id.clone()))
            }
            _ => Ok(None),
        }
    }
}
