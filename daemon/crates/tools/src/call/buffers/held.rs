//! The buffers of all repositories, and how long each overlays its tree.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_ledger::{Clock, Snapshot, SystemClock, View};
use sdl_model::{FileId, FileRow, RelPath, Version};
use sdl_retrieve::layer::Layer;

use super::buffer::{Buffer, Text};
use super::overlay::{self, Overlay};
use crate::{Cancel, Code, Explained, Repo, ToolError};

/// How long a buffer outlives its connection, in milliseconds. It does so because an editor that reconnects should
/// find its buffers again.
const GRACE_MS: u64 = 30_000;
/// Maximum number of buffers of one repository.
const MOST_FILES: usize = 256;
/// Maximum number of bytes of text in the buffers of one repository.
const MOST_BYTES: usize = 32 << 20;
/// Maximum number of states of one repository that are kept for comparison.
const KEPT_STATES: usize = 16;

/// The buffers of one repository.
#[derive(Default)]
struct Desk {
    /// Grows with each change of the overlay. Starts at the current time, so that no two daemons give out the same
    /// number.
    seq: u64,
    buffers: BTreeMap<RelPath, Buffer>,
    /// The state that was read last: the next one is built from it.
    newest: Option<Arc<Overlay>>,
    /// States that were read lately: the layer over each version.
    states: VecDeque<(Version, u64, Arc<Layer>)>,
}

impl Desk {
    fn changed(&mut self, now: u64) -> u64 {
        self.seq = self.seq.saturating_add(1).max(now);
        self.seq
    }

    /// Drops buffers whose time is over.
    fn sweep(&mut self, now: u64) {
        let before = self.buffers.len();
        self.buffers.retain(|_, buffer| buffer.until_ms.is_none_or(|until| now < until));
        if self.buffers.len() != before {
            self.changed(now);
        }
    }

    fn lying(&self) -> impl Iterator<Item = &Text> {
        self.buffers.values().filter_map(|buffer| buffer.text.as_ref())
    }
}

/// A buffer, as `buffer.status` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) file: String,
    pub(crate) version: u64,
    pub(crate) dirty: bool,
    pub(crate) age_ms: u64,
}

/// The result of comparing the buffers with the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// Files whose buffers were equal to them and no longer overlay the tree.
    pub(crate) dropped: Vec<String>,
    /// Files whose buffers differ from them.
    pub(crate) diverged: Vec<String>,
}

/// The buffers of all repositories.
pub(crate) struct Buffers {
    clock: Arc<dyn Clock>,
    /// By root, because a repository that is forgotten and registered again under another id is the same tree.
    desks: Mutex<HashMap<PathBuf, Desk>>,
}

impl Default for Buffers {
    fn default() -> Self {
        Self::new(Arc::new(SystemClock))
    }
}

impl Buffers {
    /// Creates an empty set of buffers that uses `clock`.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, desks: Mutex::default() }
    }

    /// Locks the desks. A poisoned lock is used anyway, because nothing that is done under it can leave a desk half
    /// changed.
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Desk>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` on a repository's buffers, without the expired ones.
    fn on<T>(&self, repo: &dyn Repo, work: impl FnOnce(&mut Desk, u64) -> T) -> T {
        let now = self.clock.unix_ms();
        let mut desks = self.lock();
        let desk = desks.entry(repo.root().to_owned()).or_default();
        desk.sweep(now);
        work(desk, now)
    }

    /// Returns the buffer of a file as it was pushed last.
    pub(super) fn known(&self, repo: &dyn Repo, path: &RelPath) -> Option<Buffer> {
        self.on(repo, |desk, _| desk.buffers.get(path).cloned())
    }

    /// Replaces a file's buffer with the one that was pushed now, or ends it. Returns the new number of the overlay.
    pub(super) fn set(&self, repo: &dyn Repo, path: &RelPath, new: Option<Buffer>) -> Result<u64, ToolError> {
        self.on(repo, |desk, now| {
            let buffer = new.map(|buffer| Buffer { pushed_ms: now, ..buffer });
            let old = desk.buffers.get(path);
            if let Some(buffer) = &buffer {
                let files = desk.buffers.len() + usize::from(old.is_none());
                let held: usize = desk.buffers.values().map(Buffer::bytes).sum();
                let bytes = held - old.map_or(0, Buffer::bytes) + buffer.bytes();
                if files > MOST_FILES || bytes > MOST_BYTES {
                    let message = format!(
                        "a repository takes {MOST_FILES} buffers of {} MB together; close some with eventType close",
                        MOST_BYTES >> 20
                    );
                    return Err(ToolError::new(Code::Conflict, message).at("filePath"));
                }
            }
            let lay = old.and_then(|old| old.text.as_ref()).map(|text| &text.row);
            let lies = buffer.as_ref().and_then(|new| new.text.as_ref()).map(|text| &text.row);
            let same = lay == lies;
            match buffer {
                Some(buffer) => drop(desk.buffers.insert(path.clone(), buffer)),
                None => drop(desk.buffers.remove(path)),
            }
            Ok(if same && desk.seq > 0 { desk.seq } else { desk.changed(now) })
        })
    }

    /// Handles the end of a connection: its buffers expire after a grace period.
    pub(crate) fn session_ended(&self, session: u64) {
        let until = self.clock.unix_ms().saturating_add(GRACE_MS);
        let mut desks = self.lock();
        for buffer in desks.values_mut().flat_map(|desk| desk.buffers.values_mut()) {
            if buffer.session == session {
                buffer.until_ms = Some(until);
            }
        }
    }

    /// Returns every buffer, sorted by path, and the number of the overlay.
    pub(crate) fn shown(&self, repo: &dyn Repo) -> (Vec<Shown>, u64) {
        self.on(repo, |desk, now| {
            let shown = desk.buffers.iter().map(|(path, buffer)| Shown {
                file: path.as_str().to_owned(),
                version: buffer.version,
                dirty: buffer.dirty,
                age_ms: now.saturating_sub(buffer.pushed_ms),
            });
            (shown.collect(), desk.seq)
        })
    }

    /// Returns the overlay's number and how many files it has; none if no buffer overlays the tree.
    pub(crate) fn lying(&self, repo: &dyn Repo) -> Option<(u64, usize)> {
        self.on(repo, |desk, _| {
            let files = desk.lying().count();
            (files > 0).then_some((desk.seq, files))
        })
    }

    /// Drops the buffers that are equal to their files according to `row`, and names the others.
    pub(crate) fn checkpoint(
        &self,
        repo: &dyn Repo,
        row: impl Fn(FileId) -> Result<Option<FileRow>, ToolError>,
    ) -> Result<Checkpoint, ToolError> {
        self.on(repo, |desk, now| {
            let mut found = Checkpoint::default();
            for (path, buffer) in &mut desk.buffers {
                let Some(text) = &buffer.text else { continue };
                let name = path.as_str().to_owned();
                if row(FileId::of(path))? == text.row {
                    (buffer.text, buffer.dirty) = (None, false);
                    found.dropped.push(name);
                } else {
                    found.diverged.push(name);
                }
            }
            if !found.dropped.is_empty() {
                desk.changed(now);
            }
            Ok(found)
        })
    }

    /// Returns the overlay over the snapshot's version; none if there is none.
    pub(crate) fn over(
        &self,
        repo: &dyn Repo,
        cancel: &Cancel,
        snapshot: &Snapshot<'_>,
    ) -> Result<Option<Arc<Overlay>>, ToolError> {
        let place = (snapshot.incarnation(), snapshot.version());
        let lying = self.on(repo, |desk, _| {
            let texts: Vec<Text> = desk.lying().cloned().collect();
            if texts.is_empty() {
                desk.newest = None;
            }
            (desk.seq, texts, desk.newest.clone())
        });
        let (seq, texts, before) = lying;
        if texts.is_empty() || snapshot.head().is_none() {
            return Ok(None);
        }
        if let Some(known) = before.as_ref().filter(|known| (known.place, known.seq) == (place, seq)) {
            return Ok(Some(Arc::clone(known)));
        }
        let made = Arc::new(overlay::make_overlay(repo, cancel, snapshot, (seq, &texts), before.as_deref())?);
        self.on(repo, |desk, _| {
            if desk.seq == seq {
                desk.newest = Some(Arc::clone(&made));
            }
            desk.states.retain(|(version, of, _)| (*version, *of) != (place.1, seq));
            if desk.states.len() >= KEPT_STATES {
                desk.states.pop_front();
            }
            desk.states.push_back((place.1, seq, Arc::clone(&made.layer)));
        });
        Ok(Some(made))
    }

    /// Returns the layer that overlaid a version in an earlier answer, if it is still known.
    pub(crate) fn state(&self, repo: &dyn Repo, version: Version, seq: u64) -> Option<Arc<Layer>> {
        self.on(repo, |desk, _| {
            let found = desk.states.iter().find(|(at, of, _)| (*at, *of) == (version, seq));
            found.map(|(.., layer)| Arc::clone(layer))
        })
    }
}
