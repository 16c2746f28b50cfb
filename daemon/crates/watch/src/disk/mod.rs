//! Looking at a tree without ever leaving it: everything is opened from the root's own handle, and no symbolic link
//! is followed on the way, also not one that was put there a moment ago.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::ffi::OsStr;
use std::io;

#[cfg(not(unix))]
pub(crate) use portable::{Folder, RootDir, identity_of};
#[cfg(unix)]
pub(crate) use unix::{Folder, RootDir, identity_of};

/// Identifies a file or folder under any of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

impl Identity {
    /// Some systems don't report it.
    pub(crate) fn is_known(&self) -> bool {
        self.inode != 0
    }
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    File,
    Folder,
    Symlink,
    Special,
}

/// The result of `stat`, without following a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
    pub(crate) ctime_ns: i64,
    pub(crate) identity: Identity,
}

/// Whether the entry is gone for good, as far as this tree is concerned.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    // A symbolic link on the way gives a loop error: whatever it leads to is not part of the tree.
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) || has_code(error, LOOP)
}

/// Whether the same call may succeed in a moment, so that the failure says nothing about the tree.
pub(crate) fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{
        Interrupted, OutOfMemory, ResourceBusy, StaleNetworkFileHandle, TimedOut, WouldBlock,
    };
    matches!(
        error.kind(),
        Interrupted | OutOfMemory | ResourceBusy | StaleNetworkFileHandle | TimedOut | WouldBlock
    ) || has_code(error, TOO_MANY_OPEN)
}

/// Whether the path is longer than the system allows.
pub(crate) fn is_too_long(error: &io::Error) -> bool {
    has_code(error, TOO_LONG)
}

/// Whether it is an entry that can't be opened as a file.
pub(crate) fn is_special(error: &io::Error) -> bool {
    has_code(error, NO_FILE)
}

/// Errors that the standard library has no stable names for.
#[cfg(unix)]
const LOOP: &[rustix::io::Errno] = &[rustix::io::Errno::LOOP];
#[cfg(unix)]
const TOO_MANY_OPEN: &[rustix::io::Errno] = &[rustix::io::Errno::MFILE, rustix::io::Errno::NFILE];
#[cfg(unix)]
const NO_FILE: &[rustix::io::Errno] = &[rustix::io::Errno::NXIO, rustix::io::Errno::NODEV];
#[cfg(unix)]
const TOO_LONG: &[rustix::io::Errno] = &[rustix::io::Errno::NAMETOOLONG];
#[cfg(not(unix))]
const TOO_LONG: &[()] = &[];
#[cfg(not(unix))]
const NO_FILE: &[()] = &[];
#[cfg(not(unix))]
const LOOP: &[()] = &[];
#[cfg(not(unix))]
const TOO_MANY_OPEN: &[()] = &[];

#[cfg(unix)]
fn has_code(error: &io::Error, codes: &[rustix::io::Errno]) -> bool {
    rustix::io::Errno::from_io_error(error).is_some_and(|code| codes.contains(&code))
}

#[cfg(not(unix))]
fn has_code(_error: &io::Error, _codes: &[()]) -> bool {
    false
}

/// Bytes that came from a name, as a name again.
pub(crate) fn name_of(bytes: &[u8]) -> &OsStr {
    #[cfg(unix)]
    {
        std::os::unix::ffi::OsStrExt::from_bytes(bytes)
    }
    #[cfg(not(unix))]
    {
        // Names that are not UTF-8 can't be listed through the portable side.
        OsStr::new(std::str::from_utf8(bytes).unwrap_or("\u{fffd}"))
    }
}
