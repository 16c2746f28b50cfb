//! What we made, so that removal gives back the bytes from before.
//!
//! It is kept in `setup.json` in the state folder. Without it our entry can still be removed, but not the maps and files
//! that we made for it, because they could be a person's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::file::{self, FileProblem};

/// The name of the file.
pub const RECORD_FILE: &str = "setup.json";

/// All files that we changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// By the path of the file.
    pub files: BTreeMap<PathBuf, FileRecord>,
}

/// One file that we changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The hash of the text that we wrote.
    pub hash: String,
    /// How that text became the one from before.
    pub undo: Option<Splice>,
    /// Whether there was no file before.
    pub created: bool,
    /// Folders that were made for it, outermost first.
    pub folders: Vec<PathBuf>,
    /// For each client how many of the keys that lead to its servers we made.
    pub made: BTreeMap<String, usize>,
}

/// One replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// The first byte.
    pub start: usize,
    /// The length of our text there, in bytes.
    pub length: usize,
    /// What was there before.
    pub removed: String,
}

/// Why the record can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It can't be read or written.
    #[error(transparent)]
    File(#[from] FileProblem),
    /// It is not what we wrote.
    #[error("{path} is damaged ({why}); move it away, then run setup again", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The parser's words.
        why: String,
    },
}

impl Records {
    /// Reads them from the state folder; none if there is no file.
    pub fn load(state: &Path) -> Result<Self, RecordError> {
        let path = state.join(RECORD_FILE);
        let Some(text) = file::read_text(&path)? else { return Ok(Self::default()) };
        serde_json::from_str(&text).map_err(|error| RecordError::Damaged { path, why: error.to_string() })
    }

    /// Writes them into the state folder.
    pub fn save(&self, state: &Path) -> Result<(), RecordError> {
        let path = state.join(RECORD_FILE);
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| RecordError::Damaged { path: path.clone(), why: error.to_string() })?;
        file::write_text(&path, &format!("{text}\n"), true)?;
        Ok(())
    }
}

impl FileRecord {
    /// The text from before we changed it, if nobody changed it since. `Some(None)` if there was no file.
    pub fn original(&self, text: &str) -> Option<Option<String>> {
        if self.hash != hash_text(text) {
            return None;
        }
        if self.created {
            return Some(None);
        }
        let undo = self.undo.as_ref()?;
        let before = text.get(..undo.start)?;
        let after = text.get(undo.start.checked_add(undo.length)?..)?;
        Some(Some(format!("{before}{}{after}", undo.removed)))
    }
}

impl Splice {
    /// The way back from `after` to `before`.
    pub fn between(before: &str, after: &str) -> Self {
        let same = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
        let start = floor_boundary(before, after, same);
        let rest = before.len().min(after.len()) - start;
        let tail = before.bytes().rev().zip(after.bytes().rev()).take(rest);
        let mut end = tail.take_while(|(one, other)| one == other).count();
        while !before.is_char_boundary(before.len() - end) || !after.is_char_boundary(after.len() - end) {
            end -= 1;
        }
        let removed = before.get(start..before.len() - end).unwrap_or_default().to_owned();
        Self { start, length: after.len() - end - start, removed }
    }
}

fn floor_boundary(before: &str, after: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| before.is_char_boundary(*at) && after.is_char_boundary(*at)).unwrap_or(0)
}

/// The hash by which a text is recognized.
pub fn hash_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
