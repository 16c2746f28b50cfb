//! Keeps the kernel from reporting that files are opened.
//!
//! The watcher library always asks for open events. We drop them first thing, but they go through the kernel's queue
//! all the same: a parallel search through a large tree can fill it, and then changes are lost and everything has to be
//! compared. The kernel allows the mask of a watch to be replaced by adding the watch again. This module does that
//! through a second handle on the library's own inotify instance. Where that handle can't be had, open events stay in
//! the queue, and nothing else is lost.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, WatchFlags};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

use crate::disk::identity_of;

/// A second handle on the library's inotify instance.
pub(crate) struct Quiet {
    inotify: OwnedFd,
}

impl Quiet {
    /// Finds the instance by a folder that nothing else in this process watches.
    pub(crate) fn find(folder: &Path) -> Option<Self> {
        let inode = identity_of(folder).ok()?.inode;
        let watches = |fd: &str| {
            let needle = format!(" ino:{inode:x} ");
            fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).is_ok_and(|info| {
                info.lines().any(|line| line.starts_with("inotify ") && line.contains(&needle))
            })
        };
        let mut found = None;
        for entry in fs::read_dir("/proc/self/fd").ok()?.flatten() {
            let name = entry.file_name();
            let Some(fd) = name.to_str() else { continue };
            let is_inotify =
                fs::read_link(entry.path()).is_ok_and(|at| at == Path::new("anon_inode:inotify"));
            if is_inotify && watches(fd) && found.replace(fd.to_owned()).is_some() {
                return None;
            }
        }
        let number = found?.parse().ok()?;
        let process = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
        let inotify = pidfd_getfd(process, number, PidfdGetfdFlags::empty()).ok()?;
        // Checked again, because the number may mean another file by now.
        let same = watches(&std::os::fd::AsRawFd::as_raw_fd(&inotify).to_string());
        same.then_some(Self { inotify })
    }

    /// Narrows the mask of a folder that the library has just begun to watch.
    pub(crate) fn hush(&self, folder: &Path) {
        let mask = WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MODIFY
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        // If it fails, the folder is as loud as before. If the path is another folder by now, whoever asked for the
        // watch will notice, and an event that the library can't place is dropped by it.
        let _ = inotify::add_watch(&self.inotify, folder, mask);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use notify::{RecursiveMode, Watcher as _};

    use super::*;

    #[test]
    fn opening_is_not_reported_and_writing_is() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().canonicalize().unwrap();
        let file = folder.join("a");
        fs::write(&file, "1").unwrap();
        let (send, receive) = mpsc::channel();
        let mut watcher = notify::recommended_watcher(send).unwrap();
        watcher.watch(&folder, RecursiveMode::NonRecursive).unwrap();
        let quiet = Quiet::find(&folder).unwrap();
        quiet.hush(&folder);
        fs::read(&file).unwrap();
        fs::read_dir(&folder).unwrap().count();
        fs::write(&file, "2").unwrap();
        let first = receive.recv().unwrap().unwrap();
        assert!(first.kind.is_modify(), "{first:?}");
        watcher.unwatch(&folder).unwrap();
        assert!(Quiet::find(&folder).is_none(), "nothing watches it now");
    }
}
