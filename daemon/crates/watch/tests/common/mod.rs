//! A repository's worker as small as it can be: the "ledger" is a map from path to content.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "only tests call this")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sdl_model::{SkipReason, StatHint};
use sdl_watch::{
    Batch, CanonicalRoot, Changes, Crawl, FileRead, Hub, HubConfig, Known, KnownFile, ReadError, Reader,
    RootContext, RootOptions, Synced, Tree, TreeHandle, check_root,
};

/// The known content of a file: its bytes, or the reason why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    Skipped(SkipReason),
}

#[derive(Clone, Default)]
pub(crate) struct Ledger {
    pub(crate) files: BTreeMap<String, (StatHint, Content)>,
    /// How often a file was read.
    pub(crate) reads: usize,
    /// Batches that changed anything.
    pub(crate) versions: usize,
    /// Batches.
    pub(crate) batches: usize,
    pub(crate) rescans: usize,
    pub(crate) heads: usize,
}

impl Known for Ledger {
    type Error = Infallible;

    fn file(&self, path: &str) -> Result<Option<KnownFile>, Infallible> {
        Ok(self.files.get(path).map(|(stat, _)| KnownFile { stat: Some(*stat) }))
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(&str, KnownFile)) -> Result<(), Infallible> {
        let range = self.files.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        for (path, (stat, _)) in range.take_while(|(path, _)| path.starts_with(prefix)) {
            each(path, KnownFile { stat: Some(*stat) });
        }
        Ok(())
    }
}

impl Ledger {
    pub(crate) fn apply(&mut self, reader: &Reader, changes: &Changes) {
        let before = self.contents();
        for path in &changes.removed {
            assert!(self.files.remove(path.as_str()).is_some(), "{path} was not known");
        }
        for found in &changes.candidates {
            let path = found.path.as_str().to_owned();
            let entry = match found.skip {
                Some(reason) => (found.stat, Content::Skipped(reason)),
                None => match reader.read(&found.path, 1 << 20) {
                    Ok(FileRead::Bytes { bytes, stat }) => (stat, Content::Bytes(bytes)),
                    Ok(FileRead::TooLarge { stat }) => (stat, Content::Skipped(SkipReason::TooLarge)),
                    // Its event is on the way.
                    Err(ReadError::Gone(_) | ReadError::NotAFile(_)) => {
                        self.files.remove(&path);
                        continue;
                    }
                    Err(_) => (found.stat, Content::Skipped(SkipReason::Unreadable)),
                },
            };
            self.reads += 1;
            self.files.insert(path, entry);
        }
        self.batches += 1;
        self.rescans += usize::from(changes.rescan.is_some());
        self.heads += usize::from(changes.head_changed);
        self.versions += usize::from(before != self.contents());
    }

    pub(crate) fn contents(&self) -> BTreeMap<String, Content> {
        self.files.iter().map(|(path, (_, content))| (path.clone(), content.clone())).collect()
    }

    pub(crate) fn paths(&self) -> Vec<&str> {
        self.files.keys().map(String::as_str).collect()
    }
}

/// A worker thread on a real tree.
pub(crate) struct Worker {
    pub(crate) handle: TreeHandle,
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    thread: Option<JoinHandle<()>>,
    pub(crate) hub: Hub,
}

impl Worker {
    pub(crate) fn start(hub: &Hub, root: &Path, options: RootOptions) -> Self {
        let root = check_root(root, &[], &RootContext::default()).unwrap();
        let mut tree = hub.add_root(&root, options);
        let handle = tree.handle().clone();
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let shared = ledger.clone();
        let thread = std::thread::spawn(move || {
            while let Some(batch) = tree.inbox().next() {
                step(&mut tree, &batch, &mut shared.lock().unwrap());
            }
        });
        Self { handle, ledger, thread: Some(thread), hub: hub.clone() }
    }

    /// Waits for the barrier and compares what the worker knows with a fresh look at the tree.
    #[track_caller]
    pub(crate) fn check(&self, what: &str) {
        assert_eq!(self.handle.sync(soon()), Synced::Confirmed, "{what}");
        let fresh = fresh(self.handle.root(), &RootOptions::default());
        let known = self.ledger.lock().unwrap().contents();
        if fresh != known {
            let missing: Vec<_> =
                fresh.iter().filter(|(path, c)| known.get(*path) != Some(c)).map(|(p, _)| p).collect();
            let extra: Vec<_> = known.keys().filter(|path| !fresh.contains_key(*path)).collect();
            panic!("{what}: not seen {missing:?}, still known {extra:?}");
        }
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        assert_eq!(self.handle.sync(soon()), Synced::Confirmed);
        self.ledger.lock().unwrap().files.keys().cloned().collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.hub.remove_root(self.handle.id());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the worker panicked");
        }
    }
}

pub(crate) fn step(tree: &mut Tree, batch: &Batch, ledger: &mut Ledger) -> Changes {
    let changes = tree.changes(batch, &*ledger).unwrap();
    ledger.apply(&tree.reader(), &changes);
    tree.finish(batch, &changes);
    changes
}

/// Runs git in a folder, without anybody's settings.
pub(crate) fn git(at: &Path, arguments: &[&str]) {
    let output = git_outcome(at, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// As [`git`], but ignores failures.
pub(crate) fn git_outcome(at: &Path, arguments: &[&str]) -> std::process::Output {
    std::process::Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap()
}

/// A deadline that only a broken barrier meets.
pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// The content of a fresh index of the tree.
pub(crate) fn fresh(root: &Path, options: &RootOptions) -> BTreeMap<String, Content> {
    let canonical = canonical(root);
    let listing = Crawl::new(&canonical, options).unwrap().run();
    assert!(listing.found.is_sorted_by(|a, b| a.path < b.path));
    let content = |path: &str, skip| match skip {
        Some(reason) => Content::Skipped(reason),
        None => Content::Bytes(fs::read(root.join(path)).unwrap()),
    };
    listing.found.iter().map(|it| (it.path.to_string(), content(it.path.as_str(), it.skip))).collect()
}

pub(crate) fn canonical(root: &Path) -> CanonicalRoot {
    check_root(root, &[], &RootContext::default()).unwrap()
}

/// A temporary folder with a tree and a folder for cookies in it, and a hub on the real watcher.
pub(crate) struct Bench {
    temp: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) hub: Hub,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Hub::start)
    }

    pub(crate) fn with(start: impl FnOnce(HubConfig) -> Hub) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let root = top.join("repo");
        fs::create_dir(&root).unwrap();
        let hub = start(HubConfig::new(top.join("state/cookies")));
        Self { temp, root, hub }
    }

    pub(crate) fn worker(&self) -> Worker {
        Worker::start(&self.hub, &self.root, RootOptions::default())
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}
