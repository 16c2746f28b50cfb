//! Notes on disk which repositories are being started. A tree may contain a file that ends the process during its
//! start, for example by a stack overflow in a grammar. The next daemon would start it again, end again, and serve
//! nobody. A repository that ended two starts is therefore not started until a person asks for it.
//!
//! A note is written before a start and removed when the start's first batch is processed, or when the daemon ends in
//! good order. A note that is found at the next start belongs to a start that was cut short. Several repositories
//! start at a time, and one of them is enough to end the process. Those with a note are then started one after the
//! other, because only then does the second crash have one cause.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Starts that may be cut short, one after the other, before a repository is set aside.
pub(super) const MOST_DEATHS: u32 = 2;

pub(super) struct Starts {
    folder: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    under_way: HashSet<String>,
    closing: bool,
}

impl Starts {
    /// Keeps its notes in `folder`.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many starts of the repository were cut short since the last complete one.
    pub(super) fn deaths(&self, id: &str) -> u32 {
        match fs::read_to_string(self.folder.join(id)) {
            // An empty note counts as 1, because writing it was cut short.
            Ok(text) => text.trim().parse().unwrap_or(1),
            Err(_) => 0,
        }
    }

    /// The repository is about to be started. If the note can't be written, it is started all the same, because a
    /// full disk is no reason not to serve it.
    pub(super) fn begin(&self, id: &str) {
        self.lock().under_way.insert(id.to_owned());
        if let Err(error) = self.note(id, self.deaths(id) + 1) {
            tracing::warn!(repo = id, %error, "the note that it is being started can't be written");
        }
    }

    fn note(&self, id: &str, deaths: u32) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = File::create(self.folder.join(id))?;
        file.write_all(deaths.to_string().as_bytes())?;
        // Synced, because the machine may go down with the process.
        file.sync_all()?;
        File::open(&self.folder)?.sync_all()
    }

    /// The repository's start is complete, or no longer matters.
    pub(super) fn through(&self, id: &str) {
        if let Err(error) = fs::remove_file(self.folder.join(id))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(repo = id, %error, "the note that it is being started can't be removed");
        }
        self.lock().under_way.remove(id);
        self.changed.notify_all();
    }

    /// Waits until the start is complete; false if the daemon ends first.
    pub(super) fn wait(&self, id: &str) -> bool {
        let goes_on = |state: &mut State| !state.closing && state.under_way.contains(id);
        let state = self.changed.wait_while(self.lock(), goes_on).unwrap_or_else(PoisonError::into_inner);
        !state.closing
    }

    /// The daemon ends in good order: starts under way are not counted as cut short.
    pub(super) fn close(&self) {
        let ids: Vec<String> = {
            let mut state = self.lock();
            state.closing = true;
            state.under_way.iter().cloned().collect()
        };
        self.changed.notify_all();
        for id in ids {
            self.through(&id);
        }
    }

    /// Removes the notes of repositories that are not registered.
    pub(super) fn keep(&self, is_registered: impl Fn(&str) -> bool) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !entry.file_name().to_str().is_some_and(&is_registered) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_that_were_cut_short_are_counted_until_one_is_through() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = || Starts::new(dir.path().join("starting"));
        assert_eq!(daemon().deaths("app"), 0);
        daemon().begin("app");
        daemon().begin("app");
        assert_eq!(daemon().deaths("app"), 2);
        let last = daemon();
        last.begin("app");
        last.through("app");
        assert!(last.wait("app"));
        assert_eq!(daemon().deaths("app"), 0);
    }

    #[test]
    fn an_orderly_end_is_held_against_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let starts = Starts::new(dir.path().join("starting"));
        starts.begin("app");
        starts.close();
        assert!(!starts.wait("app"));
        assert_eq!(starts.deaths("app"), 0);
    }

    #[test]
    fn notes_of_nobody_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let starts = Starts::new(dir.path().join("starting"));
        starts.begin("app");
        starts.begin("gone");
        starts.keep(|id| id == "app");
        assert_eq!((starts.deaths("app"), starts.deaths("gone")), (1, 0));
    }
}
