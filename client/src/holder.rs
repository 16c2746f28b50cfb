//! The process that holds a state folder, found by its lock. The lock tells two things: the process id of a daemon
//! that does not answer, and that a daemon has ended, because then the lock is free.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use crate::paths::Paths;

/// The daemon that holds a state folder.
#[derive(Debug)]
pub struct Holder {
    lock: PathBuf,
    pid: Option<u32>,
    /// Refers to this process even after its number was given to another one.
    #[cfg(target_os = "linux")]
    process: Option<rustix::fd::OwnedFd>,
}

/// How to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Asks it to end (`SIGTERM`). It lets its requests finish.
    Terminate,
    /// It is killed.
    Kill,
}

impl Holder {
    /// Whoever holds the lock of the state folder; none if nobody does.
    pub fn of(paths: &Paths) -> io::Result<Option<Self>> {
        let path = paths.instance_lock();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            // A daemon that starts at this moment waits for us.
            Ok(()) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut text = String::new();
        file.take(32).read_to_string(&mut text)?;
        let pid = text.trim().parse().ok().filter(|pid| *pid > 1);
        Ok(Some(Self {
            #[cfg(target_os = "linux")]
            process: pid.and_then(|pid| linux::open_holder(pid, &path).ok()),
            lock: path,
            pid,
        }))
    }

    /// Its process id, if it wrote one.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Waits until the process has ended or, where that can't be observed, until it has released the lock, which is
    /// the last thing it does. Returns false if it has not after `limit`.
    pub fn wait_gone(&self, limit: Duration) -> io::Result<bool> {
        #[cfg(target_os = "linux")]
        if let Some(process) = &self.process {
            return linux::wait_ended(process, limit);
        }
        let file = File::open(&self.lock)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        // A thread waits for the lock, because waiting for a lock has no time limit and a thread can be abandoned.
        std::thread::Builder::new().name("daemon-lock".into()).spawn(move || {
            let taken = file.lock();
            // Release the lock before the message, because the receiver may take it at once.
            drop(file);
            let _ = sender.send(taken);
        })?;
        match receiver.recv_timeout(limit) {
            Ok(result) => result.map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// Ends the process, if it is certain that it holds the lock. The number in the file is not enough, because it
    /// may be that of an old daemon.
    #[cfg(target_os = "linux")]
    pub fn end(&self, how: End) -> io::Result<()> {
        let unsure = || io::Error::new(io::ErrorKind::NotFound, "its process is unknown");
        let process = self.process.as_ref().ok_or_else(unsure)?;
        for signal in how.signals() {
            rustix::process::pidfd_send_signal(process, *signal)?;
        }
        Ok(())
    }

    /// Ends the process that wrote its number into the lock's file, which is still held.
    #[cfg(all(unix, not(target_os = "linux")))]
    pub fn end(&self, how: End) -> io::Result<()> {
        use rustix::process::{Pid, kill_process};

        let pid = self.pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "its number is not known"))?;
        for signal in how.signals() {
            kill_process(pid, *signal)?;
        }
        Ok(())
    }

    /// Not done on Windows.
    #[cfg(windows)]
    pub fn end(&self, _how: End) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::Metadata;
    use std::io;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::OwnedFd;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    /// A handle of the process that wrote its number into the lock's file, if it has that file open.
    pub(super) fn open_holder(number: u32, lock: &Path) -> io::Result<OwnedFd> {
        let unsure = || io::Error::from(io::ErrorKind::NotFound);
        let pid = i32::try_from(number).ok().and_then(Pid::from_raw).ok_or_else(unsure)?;
        // The handle is opened first, because it keeps referring to the process that is checked next, even if that
        // ends.
        let process = pidfd_open(pid, PidfdFlags::empty())?;
        if is_open_in(number, lock)? { Ok(process) } else { Err(unsure()) }
    }

    /// Whether a process has the lock's file open.
    pub(super) fn is_open_in(pid: u32, lock: &Path) -> io::Result<bool> {
        let identity = |meta: Metadata| (meta.dev(), meta.ino());
        let wanted = identity(std::fs::metadata(lock)?);
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"))?;
        Ok(files
            .flatten()
            .any(|file| std::fs::metadata(file.path()).is_ok_and(|meta| identity(meta) == wanted)))
    }

    /// Waits until a process has ended; false if it has not after `limit`.
    pub(super) fn wait_ended(process: &OwnedFd, limit: Duration) -> io::Result<bool> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        let mut ended = [PollFd::new(process, PollFlags::IN)];
        Ok(poll(&mut ended, Some(&limit))? > 0)
    }
}

#[cfg(unix)]
impl End {
    /// The signals to send. A stopped process (`SIGSTOP`) gets `SIGCONT` too, because it handles no other signal
    /// until it continues.
    fn signals(self) -> &'static [rustix::process::Signal] {
        use rustix::process::Signal;

        match self {
            Self::Terminate => &[Signal::TERM, Signal::CONT],
            Self::Kill => &[Signal::KILL],
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn held(pid: u32) -> (tempfile::TempDir, Paths, File) {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().to_owned(), None);
        let mut file = File::create(paths.instance_lock()).unwrap();
        writeln!(file, "{pid}").unwrap();
        file.lock().unwrap();
        (folder, paths, file)
    }

    #[test]
    fn the_holder_is_known_while_it_holds() {
        let (_folder, paths, file) = held(std::process::id());
        let mut holder = Holder::of(&paths).unwrap().unwrap();
        assert_eq!(holder.pid(), Some(std::process::id()));
        assert!(linux::is_open_in(std::process::id(), &paths.instance_lock()).unwrap());
        assert!(!holder.wait_gone(Duration::ZERO).unwrap(), "its process is this one");
        holder.process = None;
        drop(file);
        assert!(holder.wait_gone(Duration::from_secs(60)).unwrap());
        assert!(Holder::of(&paths).unwrap().is_none());
        assert!(Holder::of(&Paths::new("/no/such/folder".into(), None)).unwrap().is_none());
    }

    #[test]
    fn a_process_that_does_not_hold_the_lock_is_not_ended() {
        let mut bystander = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let (_folder, paths, _file) = held(bystander.id());
        let holder = Holder::of(&paths).unwrap().unwrap();
        let refused = holder.end(End::Kill).unwrap_err();
        assert!(refused.to_string().contains("is unknown"), "{refused}");
        assert!(bystander.try_wait().unwrap().is_none(), "it lives");
        bystander.kill().unwrap();
        bystander.wait().unwrap();
    }
}
