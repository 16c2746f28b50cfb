//! The file on the disk.

use std::path::{Path, PathBuf};

use crate::error::SettingsError;
use crate::parse::{MAX_BYTES, Parsed};
use crate::trust;
use crate::types::Settings;

/// The name of the file in the state folder.
pub const FILE: &str = "mcp.json";

/// A file that was read and understood.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// Its text.
    pub text: String,
    /// What it states.
    pub parsed: Parsed,
}

/// The reason why a file is not in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It can't be read, or someone else may have written it.
    #[error("{} {why}", path.display())]
    Untrusted {
        /// The file, or its folder.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// It is not understood.
    #[error("{}: {error}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first fault.
        error: SettingsError,
    },
}

/// Reads `mcp.json` of a state folder; none if there is none. Folder and file have to belong to this user or root, and
/// nobody else may be able to write them, because the file decides which programs run.
pub fn read_settings(state: &Path) -> Result<Option<SettingsFile>, ReadError> {
    let Some(text) = read_text(state)? else { return Ok(None) };
    match Settings::parse(&text) {
        Ok(parsed) => Ok(Some(SettingsFile { text, parsed })),
        Err(error) => Err(ReadError::Broken { path: state.join(FILE), error }),
    }
}

/// Reads the text of a trusted `mcp.json`; none if there is none.
pub(crate) fn read_text(state: &Path) -> Result<Option<String>, ReadError> {
    let path = state.join(FILE);
    let untrusted = |path: &Path, why: String| ReadError::Untrusted { path: path.to_owned(), why };
    let Some(bytes) = trust::read_private(&path, MAX_BYTES as u64).map_err(|why| untrusted(&path, why))?
    else {
        return Ok(None);
    };
    trust::check_folder(state).map_err(|why| untrusted(state, why))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let valid = String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default()).into_owned();
            let error = SettingsError::at(&valid, at, "", "the text is not UTF-8 here; save it as UTF-8");
            Err(ReadError::Broken { path, error })
        }
    }
}
