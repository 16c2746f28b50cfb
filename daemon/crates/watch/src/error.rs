//! The errors of this crate.

use std::io;
use std::path::PathBuf;

use sdl_model::RelPath;

/// The reasons why a folder can't be a repository's root. The user can fix them.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each message says what its variant is")]
pub enum RootError {
    #[error("{path} does not exist; give the path of a folder that holds source code")]
    Missing { path: PathBuf },
    #[error("{path} is not a folder; give the folder that holds the source code")]
    NotAFolder { path: PathBuf },
    #[error("{path} can't be opened ({error}); {}", unreadable_hint(error))]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{path} is the root of a file system; give the folder of one project below it")]
    FileSystemRoot { path: PathBuf },
    #[error("{path} holds no files: it shows {what}; give the folder of one project")]
    MadeUp { path: PathBuf, what: &'static str },
    #[error("{path} is a home folder; give the folder of one project below it")]
    Home { path: PathBuf },
    #[error("{path} holds home folders; give the folder of one project below it")]
    HoldsHome { path: PathBuf },
    #[error("{path} holds the daemon's own state in {state}; give another folder, or move the state")]
    HoldsState { path: PathBuf, state: PathBuf },
    #[error("the path {path:?} is not valid UTF-8; rename the folder")]
    NonUtf8 { path: PathBuf },
    #[error(
        "{path} is in {outer}, which is a repository already; use that one (a git worktree may be inside another)"
    )]
    Inside { path: PathBuf, outer: PathBuf },
    #[error("{path} holds {inner}, which is a repository already; remove that one first")]
    Holds { path: PathBuf, inner: PathBuf },
    #[error("{path} is inside git's own data; give the folder of the work tree")]
    GitData { path: PathBuf },
}

/// The advice for a folder that can't be opened.
fn unreadable_hint(error: &io::Error) -> &'static str {
    if crate::disk::is_passing(error) {
        "the folder is as it was: try again when the system has room"
    } else {
        "make it readable for this user"
    }
}

/// A place that could not be looked at. It is listed, and the rest goes on.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", if path.is_empty() { "the root" } else { path })]
pub struct Problem {
    /// The path relative to the root, with bytes that are not UTF-8 replaced; empty for the root.
    pub path: String,
    /// The system's error.
    pub error: io::Error,
    /// The previous state must be kept, and looked at again: the error says nothing about the tree.
    pub passing: bool,
}

/// The reasons why a file's bytes can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It does not exist, or a part of its path is not a folder.
    #[error("{0} does not exist")]
    Gone(RelPath),
    /// It is not a regular file, for example a pipe.
    #[error("{0} is not a regular file")]
    NotAFile(RelPath),
    /// This user may not read it, or the disk is broken there.
    #[error("{0} is not readable")]
    Unreadable(RelPath),
    /// The system is out of a resource, such as file descriptors. Trying again may help.
    #[error("{path} can't be read: {error}")]
    Io {
        /// The file.
        path: RelPath,
        /// The system's error.
        error: io::Error,
    },
}
