//! The source of events: the system's watcher under one small interface.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::disk;
#[cfg(target_os = "linux")]
use crate::quiet::Quiet;
use crate::router::Sink;

/// The reasons why a folder could not be watched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// It is not there (any more), or is no folder.
    #[error("there is nothing to watch at this path")]
    Gone,
    /// The system's limit is reached.
    #[error(
        "the system's limit of watched folders is reached; raise fs.inotify.max_user_watches \
         (for example `sudo sysctl fs.inotify.max_user_watches=1048576`)"
    )]
    Limit,
    /// Anything else.
    #[error("the system's watcher failed: {0}")]
    Failed(String),
}

/// A set of watched folders, each without the contents of its own folders.
pub trait Source: Send {
    /// Watches a folder. Once this returns, every change of the folder's entries reaches the sink. Watching a
    /// watched folder again is no error and makes sure that it is watched.
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError>;
    /// Stops watching a folder; nothing happens if it is not watched.
    fn unwatch(&mut self, folder: &Path);
}

/// The system's own watcher.
pub struct SystemSource {
    watcher: RecommendedWatcher,
    #[cfg(target_os = "linux")]
    quiet: Hush,
}

/// Only the first watched folder shows whether open events can be kept out of the queue.
#[cfg(target_os = "linux")]
enum Hush {
    Untried,
    Impossible,
    Possible(Quiet),
}

#[cfg(target_os = "linux")]
impl Hush {
    fn hush(&mut self, folder: &Path) {
        if matches!(self, Self::Untried) {
            *self = Quiet::find(folder).map_or(Self::Impossible, Self::Possible);
        }
        if let Self::Possible(quiet) = self {
            quiet.hush(folder);
        }
    }
}

impl SystemSource {
    /// Starts it; its events go to `sink`, on a thread of its own.
    pub fn start(sink: Sink) -> Result<Self, WatchError> {
        let watcher = notify::recommended_watcher(move |event| deliver_event(&sink, event))
            .map_err(|error| WatchError::Failed(error.to_string()))?;
        Ok(Self {
            watcher,
            #[cfg(target_os = "linux")]
            quiet: Hush::Untried,
        })
    }
}

/// Runs on the watcher's thread: nothing here may wait.
fn deliver_event(sink: &Sink, event: notify::Result<notify::Event>) {
    match event {
        Ok(event) if event.need_rescan() => sink.overflow(),
        // Opening and reading are ignored, because they change nothing. The end of a write is not, because it is the
        // only trace of one through a memory mapping.
        Ok(event)
            if matches!(event.kind, EventKind::Access(_))
                && event.kind != EventKind::Access(AccessKind::Close(AccessMode::Write)) => {}
        Ok(event) => event.paths.iter().for_each(|path| sink.touched(path)),
        Err(error) => sink.failed(&error),
    }
}

impl Source for SystemSource {
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError> {
        // Panics are caught, because the watcher library panics in our thread if its own has died.
        match catch_unwind(AssertUnwindSafe(|| self.watcher.watch(folder, RecursiveMode::NonRecursive))) {
            Ok(Ok(())) => {
                #[cfg(target_os = "linux")]
                self.quiet.hush(folder);
                Ok(())
            }
            Ok(Err(error)) => Err(match error.kind {
                notify::ErrorKind::MaxFilesWatch => WatchError::Limit,
                notify::ErrorKind::PathNotFound => WatchError::Gone,
                notify::ErrorKind::Io(io) if is_gone(&io) => WatchError::Gone,
                _ => WatchError::Failed(error.to_string()),
            }),
            Err(_) => Err(WatchError::Failed("its thread has ended".into())),
        }
    }

    fn unwatch(&mut self, folder: &Path) {
        // "Not found" is as good as done: the watcher drops deleted folders by itself.
        let _ = catch_unwind(AssertUnwindSafe(|| self.watcher.unwatch(folder)));
    }
}

/// A folder that may not be listed can't be watched either; its listing says so.
fn is_gone(error: &std::io::Error) -> bool {
    disk::is_gone(error) || error.kind() == std::io::ErrorKind::PermissionDenied
}
