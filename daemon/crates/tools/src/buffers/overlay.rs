//! Buffers over a version, as a layer that reads like a version of its own.

use std::collections::HashMap;
use std::sync::Arc;

use sdl_ledger::{Snapshot, View};
use sdl_model::{FileId, Incarnation, Version};
use sdl_retrieve::layer::{Layer, StateFile, Terms};

use super::held::Text;
use crate::action::Call;
use crate::{Repo, ToolError};

/// Unsaved buffers over one version.
pub(crate) struct Overlay {
    /// Tells it from others over the same version.
    pub(crate) seq: u64,
    /// How many files have a buffer.
    pub(crate) files: usize,
    /// What is otherwise than in the version.
    pub(crate) layer: Arc<Layer>,
    pub(super) place: (Incarnation, Version),
    texts: HashMap<FileId, Arc<[u8]>>,
}

impl Overlay {
    /// A file's unsaved text.
    pub(crate) fn text(&self, file: FileId) -> Option<&Arc<[u8]>> {
        self.texts.get(&file)
    }
}

/// Lays these texts over the snapshot's version. A text that says what the version says changes nothing.
pub(super) fn make(
    call: &Call<'_>,
    repo: &dyn Repo,
    snapshot: &Snapshot<'_>,
    seq: u64,
    texts: &[Text],
) -> Result<Overlay, ToolError> {
    let mut differing: Vec<StateFile> = Vec::new();
    let mut by_file = HashMap::new();
    for Text { bytes, file } in texts {
        let id = FileId::of(&file.path);
        let below = snapshot.file(id)?;
        // What lies on the disk and is not in the version is left out by the tree's rules, and so is its buffer.
        let left_out = below.is_none() && repo.root().join(file.path.as_str()).symlink_metadata().is_ok();
        if left_out {
            continue;
        }
        by_file.insert(id, Arc::clone(bytes));
        if below != file.row {
            differing.push(file.clone());
        }
    }
    let layer = Layer::of_state(repo.facts(), &differing, snapshot, &|| call.check())?;
    let terms = Terms::of(repo.facts(), &differing, snapshot)?;
    Ok(Overlay {
        seq,
        files: texts.len(),
        layer: Arc::new(layer.with_terms(terms)),
        place: (snapshot.incarnation(), snapshot.version()),
        texts: by_file,
    })
}
