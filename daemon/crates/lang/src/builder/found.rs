//! The content of a manifest in the making.

use sdl_model::facts::ManifestKind;

/// Maximum number of entries of one manifest.
const MAX_ENTRIES: usize = 2_000;
/// Longest text of an entry.
const MAX_TEXT: usize = 400;

/// The content of a manifest.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) kind: ManifestKind,
    pub(crate) name: Option<String>,
    pub(crate) entries: Vec<(String, String)>,
}

impl Found {
    pub(crate) fn new(kind: ManifestKind) -> Self {
        Self { kind, name: None, entries: Vec::new() }
    }

    pub(crate) fn add(&mut self, key: impl Into<String>, value: &str) {
        let key = key.into();
        if self.entries.len() < MAX_ENTRIES && key.len() <= MAX_TEXT && value.len() <= MAX_TEXT {
            self.entries.push((key, value.to_owned()));
        }
    }
}
