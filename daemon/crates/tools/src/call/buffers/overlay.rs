//! Buffers over a version, as a state that reads like a version of its own.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sdl_ledger::{Snapshot, View};
use sdl_model::{Facts, FileId, FileRow, Incarnation, Version};
use sdl_retrieve::layer::{Done, Layer, Origin, Search, State, StateFile};

use super::buffer::Text;
use crate::{Cancel, Repo, ToolError};

/// Unsaved buffers over one version.
pub(crate) struct Overlay {
    /// Distinguishes it from others over the same version.
    pub(crate) seq: u64,
    /// How many files have a buffer.
    pub(crate) files: usize,
    /// Its differences from the version.
    pub(crate) layer: Arc<Layer>,
    /// The search over it.
    pub(crate) search: Search,
    pub(super) place: (Incarnation, Version),
    state: State,
    texts: HashMap<FileId, Arc<[u8]>>,
}

impl Overlay {
    /// Returns a file's unsaved text.
    pub(crate) fn text(&self, file: FileId) -> Option<&Arc<[u8]>> {
        self.texts.get(&file)
    }
}

/// The facts of the texts. They are not stored anywhere else.
struct Texts<'a> {
    facts: HashMap<FileId, Arc<Facts>>,
    cancel: &'a Cancel,
}

impl Origin for Texts<'_> {
    type Error = ToolError;

    fn facts(&self, file: FileId, _: &mut FileRow) -> Result<Option<Arc<Facts>>, ToolError> {
        Ok(self.facts.get(&file).cloned())
    }

    fn check(&self) -> Result<(), ToolError> {
        Ok(self.cancel.check()?)
    }
}

/// Overlays the snapshot's version with these texts. Continues from the state of `before` if that is over the same
/// version. A text that equals the version's changes nothing.
pub(super) fn make_overlay(
    repo: &dyn Repo,
    cancel: &Cancel,
    snapshot: &Snapshot<'_>,
    (seq, texts): (u64, &[Text]),
    before: Option<&Overlay>,
) -> Result<Overlay, ToolError> {
    let mut differing = BTreeMap::new();
    let mut origin = Texts { facts: HashMap::new(), cancel };
    let mut by_file = HashMap::new();
    for Text { bytes, path, row, facts } in texts {
        let id = FileId::of(path);
        let below = snapshot.file(id)?;
        // A file that is on the disk but not in the version is excluded by the tree's rules, and so is its buffer.
        let left_out = below.is_none() && repo.root().join(path.as_str()).symlink_metadata().is_ok();
        if left_out {
            continue;
        }
        by_file.insert(id, Arc::clone(bytes));
        if below == *row {
            continue;
        }
        differing.insert(id, StateFile { path: path.clone(), row: row.clone() });
        if let Some(facts) = facts {
            origin.facts.insert(id, Arc::clone(facts));
        }
    }
    let place = (snapshot.incarnation(), snapshot.version());
    let nothing = State::default();
    let base = before.filter(|before| before.place == place).map_or(&nothing, |before| &before.state);
    let apart = base.apart(&differing);
    let stores = (repo.facts(), snapshot);
    let state = base.with(differing, &apart, stores, &origin, &mut Done::new())?;
    let search = Search::of(&state, &origin.facts, repo.facts(), snapshot)?;
    let layer = Arc::clone(state.layer());
    Ok(Overlay { seq, files: texts.len(), layer, search, place, state, texts: by_file })
}
