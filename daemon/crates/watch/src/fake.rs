//! A watcher moved by hand, so that everything above it can be tested without timing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::router::Sink;
use crate::source::{Source, WatchError};

#[derive(Default)]
struct State {
    sink: Option<Sink>,
    watched: BTreeSet<PathBuf>,
    limit: Option<usize>,
    calls: usize,
}

/// A watcher that reports only the events that a test gives it. Clones share their state.
///
/// ```no_run
/// # use sdl_watch::{FakeWatcher, Hub, HubConfig};
/// let fake = FakeWatcher::default();
/// let hub = Hub::with_source(HubConfig::new("/run/user/1000/sdl/cookies"), |sink| fake.start(sink));
/// fake.touch("/repo/src/lib.rs");
/// fake.overflow();
/// ```
#[derive(Clone, Default)]
pub struct FakeWatcher(Arc<Mutex<State>>);

impl FakeWatcher {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects it to a hub: pass this to [`crate::Hub::with_source`].
    pub fn start(&self, sink: Sink) -> Result<Box<dyn Source>, WatchError> {
        self.lock().sink = Some(sink);
        Ok(Box::new(self.clone()))
    }

    fn sink(&self) -> Option<Sink> {
        // A clone, so that the lock is not held while the sink runs.
        self.lock().sink.clone()
    }

    /// Reports a change at an absolute path, whether or not its folder is watched.
    pub fn touch(&self, path: impl AsRef<Path>) {
        if let Some(sink) = self.sink() {
            sink.touched(path.as_ref());
        }
    }

    /// Reports a change at an absolute path if its folder (or the path itself) is watched; returns whether it is.
    pub fn touch_watched(&self, path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        let watched = {
            let state = self.lock();
            state.watched.contains(path) || path.parent().is_some_and(|dir| state.watched.contains(dir))
        };
        if watched {
            self.touch(path);
        }
        watched
    }

    /// Lets all cookies through that were asked for up to now.
    pub fn deliver_cookies(&self) {
        if let Some(sink) = self.sink() {
            sink.deliver_issued_cookies();
        }
    }

    /// Reports lost events.
    pub fn overflow(&self) {
        if let Some(sink) = self.sink() {
            sink.overflow();
        }
    }

    /// Refuses to watch more than this many folders.
    pub fn limit(&self, folders: usize) {
        self.lock().limit = Some(folders);
    }

    /// The watched folders.
    pub fn watched(&self) -> Vec<PathBuf> {
        self.lock().watched.iter().cloned().collect()
    }

    /// How often a watch was asked for.
    pub fn calls(&self) -> usize {
        self.lock().calls
    }
}

impl Source for FakeWatcher {
    fn watch(&mut self, folder: &Path) -> Result<(), WatchError> {
        let mut state = self.lock();
        state.calls += 1;
        if state.watched.contains(folder) {
            return Ok(());
        }
        if state.limit.is_some_and(|limit| state.watched.len() >= limit) {
            return Err(WatchError::Limit);
        }
        state.watched.insert(folder.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, folder: &Path) {
        self.lock().watched.remove(folder);
    }
}
