//! One buffer and its text.

use std::sync::Arc;

use sdl_model::{Facts, FileRow, RelPath};

/// One buffer.
#[derive(Clone)]
pub(super) struct Buffer {
    /// The editor's own count of its changes.
    pub(super) version: u64,
    /// Whether the editor marks it as different from the file.
    pub(super) dirty: bool,
    /// The text that overlays the tree; none if the file itself counts.
    pub(super) text: Option<Text>,
    /// The connection that pushed it.
    pub(super) session: u64,
    pub(super) pushed_ms: u64,
    /// When it expires, if its connection is gone.
    pub(super) until_ms: Option<u64>,
}

/// A buffer's text, read as its file would be.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) bytes: Arc<[u8]>,
    pub(super) path: RelPath,
    /// The row that a version would have for it.
    pub(super) row: Option<FileRow>,
    pub(super) facts: Option<Arc<Facts>>,
}

impl Buffer {
    pub(super) fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.bytes.len())
    }
}
