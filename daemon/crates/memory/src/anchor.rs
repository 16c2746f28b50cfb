//! Links from a row to the code that it is about.

use sdl_model::SymbolId;
use serde::{Deserialize, Serialize};

/// The code that a row is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Anchors {
    /// Its symbols.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolAnchor>,
    /// Its files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileAnchor>,
    /// The last version of the repository in which the anchors were known to lead somewhere.
    pub version: u64,
}

impl Anchors {
    /// Whether the row is about no code in particular.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.files.is_empty()
    }

    /// Takes over the anchors of another row. Of two to the same symbol the other's counts, because it is the later one. At most
    /// `most` symbols and `most` files are kept.
    pub fn join(&mut self, other: &Self, most: usize) {
        for anchor in &other.symbols {
            let room = self.symbols.len() < most;
            match self.symbols.iter_mut().find(|known| known.id == anchor.id) {
                Some(known) => known.clone_from(anchor),
                None if room => self.symbols.push(anchor.clone()),
                None => {}
            }
        }
        for anchor in &other.files {
            let room = self.files.len() < most;
            match self.files.iter_mut().find(|known| known.path == anchor.path) {
                Some(known) => known.clone_from(anchor),
                None if room => self.files.push(anchor.clone()),
                None => {}
            }
        }
        self.version = self.version.max(other.version);
    }
}

/// A link to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolAnchor {
    /// The symbol.
    pub id: SymbolId,
    /// Its qualified name, for when it is gone.
    pub name: String,
    /// The path of its file, for when it is gone.
    pub file: String,
    /// Its fingerprint when the row was written or confirmed.
    pub fingerprint: u64,
    /// The version in which it was not found any more.
    pub gone: Option<u64>,
    /// Its name when the row was written or confirmed, if that was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The repository, if it is another than the row's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The version in which it had this fingerprint; 0 if that is not known.
    #[serde(default)]
    pub version: u64,
}

/// A link to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileAnchor {
    /// Its path in the repository.
    pub path: String,
    /// The file's own symbol, by which it is followed; none for a file without facts.
    pub module: Option<SymbolId>,
    /// The version in which it was not found any more; 0 for a file that never was there.
    pub gone: Option<u64>,
    /// Its path when the row was written or confirmed, if that was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The repository, if it is another than the row's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}
