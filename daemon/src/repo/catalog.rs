//! The list of registered repositories, kept in one small JSON file in the state folder.
//!
//! Written whole to a neighbour and renamed into place, because then a crash leaves either the old list or the new
//! one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::worktree::Worktree;

/// One registered repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id.
    pub repo_id: String,
    /// Its root, absolute, links resolved.
    pub root: PathBuf,
    /// Extra patterns to exclude.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Languages to read; empty: all.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Files larger than this are skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_bytes: Option<u64>,
    /// The linked worktree that the root is in, when it was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
}

impl Entry {
    /// Looks up the worktree again. The known one stays if the folder has no git data any more, because its removal is
    /// recognized by that.
    pub fn look_at_worktree(&mut self) {
        match Worktree::around(&self.root) {
            Some(found) => self.worktree = Some(found),
            None if self.worktree.as_ref().is_some_and(|known| known.top.join(".git").is_dir()) => {
                self.worktree = None;
            }
            None => {}
        }
    }
}

/// The errors of the list.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It can't be read or written.
    #[error("the list at {path:?} can't be {what}: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// The operation.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// Its content is not as this program wrote it.
    #[error(
        "the list at {path:?} is not valid ({source}); repair or remove it, then make its entries again with sdlctl"
    )]
    Invalid {
        /// Where.
        path: PathBuf,
        /// The fault.
        source: serde_json::Error,
    },
}

/// Reads the list; empty if there is none yet.
pub fn load_catalog(path: &Path) -> Result<Vec<Entry>, Error> {
    load_settings(path)
}

/// Reads a small file of settings; empty if there is none yet.
pub fn load_settings<T: DeserializeOwned + Default>(path: &Path) -> Result<T, Error> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
        Err(source) => return Err(Error::Io { path: path.to_owned(), what: "read", source }),
    };
    serde_json::from_slice(&bytes).map_err(|source| Error::Invalid { path: path.to_owned(), source })
}

/// Writes the list.
pub fn store_catalog(path: &Path, entries: &[Entry]) -> Result<(), Error> {
    store_settings(path, entries)
}

/// Writes a small file of settings.
pub fn store_settings<T: Serialize + ?Sized>(path: &Path, settings: &T) -> Result<(), Error> {
    let io = |source| Error::Io { path: path.to_owned(), what: "written", source };
    let text = serde_json::to_vec_pretty(settings)
        .map_err(|source| Error::Invalid { path: path.to_owned(), source })?;
    let next = path.with_extension("json.new");
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    // For the user alone, because it reveals where the projects are.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&next).map_err(io)?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(io)?;
    fs::rename(&next, path).map_err(io)
}

/// Returns a free id for a repository in `root`: the folder's name in plain letters, followed by a number if it is
/// taken. For example `shop`, then `shop-2`.
pub fn free_id(root: &Path, taken: impl Fn(&str) -> bool) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches(['-', '.']).chars().take(60).collect::<String>();
    let base = if plain.is_empty() { "repo".to_owned() } else { plain };
    if !taken(&base) {
        return base;
    }
    (2..=u32::MAX).map(|n| format!("{base}-{n}")).find(|id| !taken(id)).unwrap_or(base)
}

/// Whether `id` can name a repository. The rules are strict because the id is also a folder's name in the state
/// folder.
pub fn is_valid_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 64
        && !id.starts_with(['.', '-'])
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_being_stored() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("repos.json");
        assert_eq!(load_catalog(&path).unwrap(), []);
        let entry = Entry {
            repo_id: "a".into(),
            root: "/tmp/a".into(),
            ignore: vec!["gen/".into()],
            languages: vec![],
            max_file_bytes: Some(1),
            worktree: None,
        };
        store_catalog(&path, std::slice::from_ref(&entry)).unwrap();
        assert_eq!(load_catalog(&path).unwrap(), [entry]);
        fs::write(&path, "{").unwrap();
        assert!(load_catalog(&path).unwrap_err().to_string().contains("repair or remove it"));
    }

    #[test]
    fn ids_are_plain_and_free() {
        assert_eq!(free_id(Path::new("/x/My App"), |_| false), "my-app");
        assert_eq!(free_id(Path::new("/x/a"), |id| id == "a"), "a-2");
        assert_eq!(free_id(Path::new("/"), |_| false), "repo");
        assert!(is_valid_id("a-2") && !is_valid_id("../x") && !is_valid_id(""));
    }
}
