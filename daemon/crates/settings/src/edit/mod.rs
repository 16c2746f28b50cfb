//! Edits of `mcp.json` by a person's command. Keys keep their order, and what we don't know is kept.

mod block;
mod print;

use std::cell::Cell;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use crate::error::SettingsError;
use crate::file::{FILE, ReadError, read_text};
use crate::keys::{fold_key, refuse_key};
use crate::located::read_located;
use crate::node::{Node, nearest_word};
use crate::trust;
use crate::types::{Mode, Settings};

pub use block::{read_block, without_comments};

/// The reason why an edit was not made.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is not accepted as it is.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text, or what it would become, is refused.
    #[error("{0}")]
    Refused(#[from] SettingsError),
    /// There is an entry of this key already.
    #[error("there is an entry {0:?} already; remove it first, or choose another key")]
    Exists(String),
    /// There is no entry of this key.
    #[error("no entry has the key {key:?}{hint}")]
    Missing {
        /// The key.
        key: String,
        /// The nearest key, as the end of a sentence.
        hint: String,
    },
    /// A key that can't be one.
    #[error("{0}")]
    BadKey(String),
    /// The file can't be written.
    #[error("{} can't be written: {error}", path.display())]
    Write {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// What a merge did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Keys of new entries.
    pub added: Vec<String>,
    /// Keys of entries that were replaced.
    pub replaced: Vec<String>,
    /// Keys of entries that were there already and stayed as they were.
    pub kept: Vec<String>,
}

/// The text of `mcp.json`, to be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    root: Map<String, Value>,
}

impl Default for Document {
    fn default() -> Self {
        let root = [("mcpServers".to_owned(), Value::Object(Map::new()))].into_iter().collect();
        Self { root }
    }
}

impl Document {
    /// Reads a text. It has to be strict JSON, and may have other faults, because an edit can be their remedy.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let located = read_located(text).map_err(|fault| SettingsError::of_fault(text, fault))?;
        let patterns = Cell::new(0);
        let root = Node::root(text, &located, &patterns);
        for (key, node) in root.members()? {
            if matches!(key, "mcpServers" | "servers") {
                node.members()?;
            }
        }
        let Value::Object(root) = located.to_value() else { return Ok(Self::default()) };
        Ok(Self { root })
    }

    /// The keys of the entries, in order.
    pub fn keys(&self) -> Vec<&str> {
        self.entries().map(|entries| entries.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The entry of a key, in any spelling.
    pub fn entry(&self, key: &str) -> Option<&Value> {
        self.entries()?.get(&self.spelling(key)?)
    }

    fn entries(&self) -> Option<&Map<String, Value>> {
        self.root.get(self.place()).and_then(Value::as_object)
    }

    fn entries_mut(&mut self) -> Option<&mut Map<String, Value>> {
        let place = self.place();
        let entries = self.root.entry(place).or_insert_with(|| Value::Object(Map::new()));
        entries.as_object_mut()
    }

    fn place(&self) -> &'static str {
        if !self.root.contains_key("mcpServers") && self.root.contains_key("servers") {
            "servers"
        } else {
            "mcpServers"
        }
    }

    /// The key as the text spells it.
    fn spelling(&self, key: &str) -> Option<String> {
        let entries = self.entries()?;
        if entries.contains_key(key) {
            return Some(key.to_owned());
        }
        let folded = fold_key(key);
        entries.keys().find(|known| fold_key(known) == folded).cloned()
    }

    fn known_spelling(&self, key: &str) -> Result<String, EditError> {
        self.spelling(key).ok_or_else(|| {
            let hint = match nearest_word(key, &self.keys()) {
                Some(near) => format!("; did you mean {near:?}?"),
                None if self.keys().is_empty() => "; there are no entries".to_owned(),
                None => format!("; the keys are {}", self.keys().join(", ")),
            };
            EditError::Missing { key: key.to_owned(), hint }
        })
    }

    fn entry_mut(&mut self, key: &str) -> Result<&mut Map<String, Value>, EditError> {
        let key = self.known_spelling(key)?;
        let bad = || EditError::BadKey(format!("the entry {key:?} is no object; correct the file"));
        self.entries_mut()
            .and_then(|entries| entries.get_mut(&key))
            .and_then(Value::as_object_mut)
            .ok_or_else(bad)
    }

    /// Adds an entry at the end.
    pub fn add(&mut self, key: &str, entry: Value) -> Result<(), EditError> {
        if let Some(why) = refuse_key(key) {
            return Err(EditError::BadKey(why));
        }
        if let Some(there) = self.spelling(key) {
            return Err(EditError::Exists(there));
        }
        if let Some(entries) = self.entries_mut() {
            entries.insert(key.to_owned(), entry);
        }
        Ok(())
    }

    /// Removes an entry, and returns it.
    pub fn remove(&mut self, key: &str) -> Result<Value, EditError> {
        let key = self.known_spelling(key)?;
        // In the order of the rest, which a plain removal would change.
        Ok(self.entries_mut().and_then(|entries| entries.shift_remove(&key)).unwrap_or_default())
    }

    /// Enables or disables an entry. Returns whether that was a change.
    pub fn set_enabled(&mut self, key: &str, is_enabled: bool) -> Result<bool, EditError> {
        Ok(enable_entry(self.entry_mut(key)?, is_enabled))
    }

    /// Sets the mode of an entry. Returns whether that was a change.
    pub fn set_mode(&mut self, key: &str, mode: Mode) -> Result<bool, EditError> {
        let entry = self.entry_mut(key)?;
        let own = entry.entry("sdl").or_insert_with(|| Value::Object(Map::new()));
        let word = Value::from(mode.as_str());
        let Some(own) = own.as_object_mut() else {
            return Err(EditError::BadKey(format!("\"sdl\" of {key:?} is no object; correct the file")));
        };
        Ok(own.insert("mode".to_owned(), word.clone()) != Some(word))
    }

    /// Takes over entries, such as those of a pasted block. One whose key is there already is replaced only if
    /// `replaces`, at its place and with its `sdl` object if the new one has none.
    pub fn merge(
        &mut self,
        entries: impl IntoIterator<Item = (String, Value)>,
        replaces: bool,
    ) -> Result<Merged, EditError> {
        let mut merged = Merged::default();
        for (key, mut entry) in entries {
            let Some(there) = self.spelling(&key) else {
                self.add(&key, entry)?;
                merged.added.push(key);
                continue;
            };
            if !replaces {
                merged.kept.push(there);
                continue;
            }
            let old = self.entries_mut().and_then(|entries| entries.get_mut(&there));
            if let Some(old) = old {
                let own = old.get("sdl").cloned();
                if let (Some(own), Some(entry)) = (own, entry.as_object_mut()) {
                    entry.entry("sdl").or_insert(own);
                }
                *old = entry;
            }
            merged.replaced.push(there);
        }
        Ok(merged)
    }

    /// The text to write. An error if it could not be read back.
    pub fn to_text(&self) -> Result<String, SettingsError> {
        let text = print::print_root(&self.root);
        Settings::parse(&text).map(|_| text)
    }
}

/// Enables or disables an entry by the key that it has, else by `disabled`. Returns whether that was a change.
pub(crate) fn enable_entry(entry: &mut Map<String, Value>, is_enabled: bool) -> bool {
    let before = entry.clone();
    if entry.contains_key("enabled") {
        entry.insert("enabled".to_owned(), Value::Bool(is_enabled));
        entry.shift_remove("disabled");
    } else if is_enabled {
        entry.shift_remove("disabled");
    } else {
        entry.insert("disabled".to_owned(), Value::Bool(true));
    }
    before != *entry
}

/// Changes `mcp.json` of a state folder in one step: a reader sees the old text or the new. Edits of several programs
/// follow each other. Nothing is written if `change` fails, if it changes nothing, or if the result could not be read
/// back.
pub fn update_settings<T>(
    state: &Path,
    change: impl FnOnce(&mut Document) -> Result<T, EditError>,
) -> Result<T, EditError> {
    let path = state.join(FILE);
    let failed = |error: io::Error| EditError::Write { path: path.clone(), error };
    trust::make_folder(state).map_err(failed)?;
    let _turn = take_turn(state).map_err(failed)?;
    trust::check_folder(state).map_err(|why| ReadError::Untrusted { path: state.to_owned(), why })?;
    let before = match read_text(state)? {
        Some(text) => {
            Document::parse(&text).map_err(|error| ReadError::Broken { path: path.clone(), error })?
        }
        None => Document::default(),
    };
    let mut document = before.clone();
    let answer = change(&mut document)?;
    if document != before {
        let text = document.to_text()?;
        trust::write_private(&path, text.as_bytes()).map_err(failed)?;
        trust::sync_folder(state).map_err(failed)?;
    }
    Ok(answer)
}

/// Waits for other edits of the folder. The turn ends when the folder is closed.
#[cfg(unix)]
fn take_turn(state: &Path) -> io::Result<std::fs::File> {
    let folder = std::fs::File::open(state)?;
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// Another edit at the same moment would be lost, which nothing cheap prevents here.
#[cfg(not(unix))]
fn take_turn(_state: &Path) -> io::Result<()> {
    Ok(())
}
