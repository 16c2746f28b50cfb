//! Locks of the system on open files, waited for with a limit.

use std::fs::File;
use std::io;
use std::sync::mpsc;
use std::time::Duration;

/// Locks `file` if its owner lets go of it within `patience`; none if it does not. Waits in a thread, because waiting
/// for a lock has no time limit. A thread that nobody waits for releases the lock as soon as it gets it.
pub fn lock_within(file: File, patience: Duration) -> io::Result<Option<File>> {
    if patience.is_zero() {
        return Ok(None);
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new().name("file-lock".into()).spawn(move || {
        let locked = file.lock().map(|()| file);
        // If nobody waits any more, the file is closed here, and the lock goes with it.
        let _ = sender.send(locked);
    })?;
    receiver.recv_timeout(patience).ok().transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_taken_when_its_owner_lets_go_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let owner = File::create(&path).unwrap();
        owner.lock().unwrap();
        let open = || File::open(&path).unwrap();
        assert!(lock_within(open(), Duration::ZERO).unwrap().is_none());
        assert!(lock_within(open(), Duration::from_millis(1)).unwrap().is_none());
        drop(owner);
        assert!(lock_within(open(), Duration::from_secs(20)).unwrap().is_some());
    }
}
