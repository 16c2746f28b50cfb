//! Cookies: files whose creation comes through the event stream after everything that happened before it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::inbox::Serial;

/// Issues cookies.
pub(crate) struct Cookies {
    folder: PathBuf,
    /// Begins the names of this process's cookies, because cookies that another process left mean nothing.
    prefix: String,
    state: Mutex<State>,
    issued: Condvar,
}

#[derive(Default)]
struct State {
    /// The last serial that was given out.
    last: u64,
    /// A thread is creating the cookie `last` at this moment.
    busy: bool,
    /// The last serial whose cookie was created or found impossible to create.
    done: u64,
    failed: Option<(u64, io::ErrorKind)>,
}

impl Cookies {
    pub(crate) fn new(folder: PathBuf, token: u64) -> Self {
        Self {
            folder,
            prefix: format!("{}-{token:x}-", std::process::id()),
            state: Mutex::default(),
            issued: Condvar::new(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last serial whose cookie was created.
    pub(crate) fn last_issued(&self) -> Serial {
        Serial(self.lock().done)
    }

    /// The serial in a cookie's name.
    pub(crate) fn parse(&self, name: &str) -> Option<Serial> {
        name.strip_prefix(&self.prefix)?.parse().ok().map(Serial)
    }

    /// Creates a cookie after this call began, or shares one that another caller creates after this call began: callers
    /// who ask while a cookie is being created all share the next. `repair` is called when the folder is missing.
    pub(crate) fn issue(&self, repair: impl Fn() -> io::Result<()>) -> (Serial, io::Result<()>) {
        let mut state = self.lock();
        // The next cookie, because one that is being created now may be older than a change that this caller has
        // seen.
        let mine = state.last + 1;
        while state.done < mine {
            if state.busy {
                state = self.issued.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.busy = true;
            state.last += 1;
            let serial = state.last;
            drop(state);
            let result = self.create(serial, &repair);
            state = self.lock();
            state.busy = false;
            state.done = serial;
            if let Err(error) = result {
                state.failed = Some((serial, error.kind()));
            }
            self.issued.notify_all();
        }
        // A caller that waited may find an even later one done, which is as good.
        let serial = state.done;
        let result = match state.failed {
            Some((failed, kind)) if failed == serial => Err(kind.into()),
            _ => Ok(()),
        };
        (Serial(serial), result)
    }

    fn create(&self, serial: u64, repair: impl Fn() -> io::Result<()>) -> io::Result<()> {
        let path = self.folder.join(format!("{}{serial}", self.prefix));
        match create_and_remove(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                repair()?;
                create_and_remove(&path)
            }
            result => result,
        }
    }

    /// Makes sure that the folder exists and holds no old cookies.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let ours = entry.file_name().to_str().is_some_and(|name| {
                name.split('-').count() == 3 && name.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
            });
            if ours && entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

/// Creates the file and removes it at once, because its event is on its way as soon as it exists.
fn create_and_remove(path: &Path) -> io::Result<()> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    fs::remove_file(path)
}
