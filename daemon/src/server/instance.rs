//! One daemon for one state folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::time::Duration;

use sdl_client::{Paths, PathsError};
use sdl_ledger::lock_within;

/// Proof that no other daemon works on this state folder. Hold it until the ledgers are closed.
///
/// The lock is the operating system's, on an open file, because such a lock ends with the process, even after a
/// crash. The file holds the process's number, for stopping a daemon that does not answer.
#[derive(Debug)]
pub struct Instance {
    _file: File,
}

/// The reasons why this daemon may not run.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// The folders can't be used.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// Another daemon has the folder.
    #[error("another daemon{} has the state folder {folder}", .pid.map_or_else(String::new, |pid| format!(" (process {pid})")), folder = .folder.display())]
    Held {
        /// The folder.
        folder: PathBuf,
        /// The process that holds it, as far as known.
        pid: Option<u32>,
    },
    /// The lock can't be taken for some other reason.
    #[error("lock file {path}: {source}", path = .path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Instance {
    /// Makes the folders and takes the lock, waiting at most `patience` for a predecessor that is about to end.
    pub fn acquire(paths: &Paths, patience: Duration) -> Result<Self, InstanceError> {
        paths.create()?;
        let path = paths.instance_lock();
        let failed = |source| InstanceError::Io { path: path.clone(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let pid = holder_pid(&mut file);
                file = lock_within(file, patience)
                    .map_err(failed)?
                    .ok_or_else(|| InstanceError::Held { folder: paths.state().to_owned(), pid })?;
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Only after the lock is taken, because a predecessor may still create and remove entries of the folder.
        paths.tighten()?;
        file.set_len(0).map_err(failed)?;
        file.rewind().map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn holder_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_daemon_is_refused_and_told_who_holds_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        let first = Instance::acquire(&paths, Duration::ZERO).unwrap();
        let error = Instance::acquire(&paths, Duration::ZERO).unwrap_err();
        assert!(
            matches!(error, InstanceError::Held { pid: Some(pid), .. } if pid == std::process::id()),
            "{error}"
        );
        drop(first);
        Instance::acquire(&paths, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_successor_waits_for_a_predecessor_that_ends() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        let first = Instance::acquire(&paths, Duration::ZERO).unwrap();
        std::thread::scope(|scope| {
            let next = scope.spawn(|| Instance::acquire(&paths, Duration::from_secs(20)));
            drop(first);
            next.join().unwrap().unwrap();
        });
    }
}
