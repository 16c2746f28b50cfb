//! Decides who may open a store's folder: one process at a time, and once within it.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::file_lock::lock_within;
use crate::{Error, Result};

/// The folders that are open in this process. They are kept because opening an environment twice in one process
/// breaks LMDB's file locks.
static OPEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// How long to wait for the locks of a process that is ending. The wait is needed because the kernel releases locks
/// in any order: another lock of that process may be free, and let a successor begin, before this one is.
const PREDECESSOR: Duration = Duration::from_secs(2);

const LOCK: &str = "owner.lock";
const RUNNING: &str = "running";
const DAMAGED: &str = "damaged";
const ASIDE: &str = "set-aside";

/// How the last owner of a store left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It closed the store.
    Closed,
    /// Its process died. Everything that it had written is kept.
    Died,
    /// The machine stopped, or may have stopped. Unsynced data may be lost in part.
    Lost,
}

/// The right to have a store's folder open.
pub(super) struct Owner {
    dir: PathBuf,
    /// How the last owner left the store.
    pub(super) left: Left,
    running: bool,
    lock: File,
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    move |source| Error::io(what, path, source)
}

impl Owner {
    /// Creates the folder if need be and takes it.
    pub(super) fn take(dir: &Path) -> Result<Self> {
        create_private(dir).map_err(io_error("create the folder", dir))?;
        let dir = fs::canonicalize(dir).map_err(io_error("find the folder", dir))?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        if open.contains(&dir) {
            return Err(Error::InUse { path: dir });
        }
        let path = dir.join(LOCK);
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(io_error("open the lock", &path))?;
        let lock = match lock.try_lock() {
            Ok(()) => lock,
            Err(TryLockError::WouldBlock) => {
                let freed = lock_within(lock, PREDECESSOR).map_err(io_error("lock", &path))?;
                freed.ok_or_else(|| Error::InUse { path: dir.clone() })?
            }
            // A file system without locks is refused, because LMDB needs them too.
            Err(TryLockError::Error(source)) => {
                return Err(Error::Io { what: "lock", path, source });
            }
        };
        open.insert(dir.clone());
        let left = match fs::read_to_string(dir.join(RUNNING)) {
            Ok(boot) if super::boot::current_boot_id().is_some_and(|id| id == boot) => Left::Died,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Left::Closed,
            Ok(_) | Err(_) => Left::Lost,
        };
        Ok(Self { dir, left, running: false, lock })
    }

    /// The folder, links resolved.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Notes that the store is open, so that the next open knows if this process never closes it.
    pub(super) fn mark_running(&mut self) -> Result<()> {
        let path = self.dir.join(RUNNING);
        fs::write(&path, super::boot::current_boot_id().unwrap_or_default())
            .map_err(io_error("create", &path))?;
        self.running = true;
        Ok(())
    }

    /// Whether there is a data file.
    pub(super) fn has_data(&self) -> bool {
        self.dir.join("data.mdb").exists()
    }

    /// The reason why an earlier owner found the store damaged.
    pub(super) fn damage(&self) -> Option<String> {
        fs::read_to_string(self.dir.join(DAMAGED)).ok()
    }

    /// Notes damage for the next open.
    pub(super) fn note_damage(&self, why: &str) -> Result<()> {
        let path = self.dir.join(DAMAGED);
        fs::write(&path, why).map_err(io_error("write", &path))
    }

    /// Deletes the files that were set aside before.
    pub(super) fn forget_set_aside(&self) -> Result<()> {
        for entry in fs::read_dir(&self.dir).map_err(io_error("list", &self.dir))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(ASIDE) {
                let path = entry.path();
                fs::remove_dir_all(&path).map_err(io_error("delete", &path))?;
            }
        }
        Ok(())
    }

    /// Moves the store's files into a new folder beside them. Nothing is deleted.
    pub(super) fn set_aside(&mut self) -> Result<PathBuf> {
        let aside = (1..u32::MAX)
            .map(|n| self.dir.join(format!("{ASIDE}-{n}")))
            .find(|path| !path.exists())
            .unwrap_or_else(|| self.dir.join(ASIDE));
        create_private(&aside).map_err(io_error("create the folder", &aside))?;
        for name in ["data.mdb", "lock.mdb", DAMAGED] {
            let from = self.dir.join(name);
            if from.exists() {
                fs::rename(&from, aside.join(name)).map_err(io_error("set aside", &from))?;
            }
        }
        self.left = Left::Closed;
        Ok(aside)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.running {
            // An error is ignored, because a file that remains only costs the next start a look at every page.
            let _ = fs::remove_file(self.dir.join(RUNNING));
        }
        // Unlocked explicitly, because closing is not enough: a process that another thread is just starting holds a
        // copy of the handle until it runs its program.
        let _ = self.lock.unlock();
        if let Some(open) = OPEN.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            open.remove(&self.dir);
        }
    }
}

fn create_private(dir: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let mut owner = Owner::take(dir.path()).unwrap();
        assert_eq!(owner.left, Left::Closed);
        owner.mark_running().unwrap();
        let again = dir.path().join("..").join(dir.path().file_name().unwrap());
        assert!(matches!(Owner::take(&again), Err(Error::InUse { .. })), "by any name");
        drop(owner);
        assert_eq!(Owner::take(dir.path()).unwrap().left, Left::Closed);
        fs::write(dir.path().join(RUNNING), "an earlier boot").unwrap();
        assert_eq!(Owner::take(dir.path()).unwrap().left, Left::Lost);
        if let Some(boot) = crate::env::boot::current_boot_id() {
            fs::write(dir.path().join(RUNNING), boot).unwrap();
            assert_eq!(Owner::take(dir.path()).unwrap().left, Left::Died);
        }
    }

    #[test]
    fn set_aside_keeps_everything() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("data.mdb"), "x").unwrap();
        let mut owner = Owner::take(dir.path()).unwrap();
        owner.note_damage("why").unwrap();
        assert_eq!(owner.damage().as_deref(), Some("why"));
        let first = owner.set_aside().unwrap();
        assert_eq!(fs::read_to_string(first.join("data.mdb")).unwrap(), "x");
        assert_eq!(owner.damage(), None);
        assert_ne!(owner.set_aside().unwrap(), first);
    }
}
