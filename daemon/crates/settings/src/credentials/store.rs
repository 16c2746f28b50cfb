//! The files of credentials.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

use super::{FOLDER, MAX_CREDENTIAL_BYTES, check_credential};
use crate::secret::Secret;
use crate::template::is_name;
use crate::trust;

const UNFINISHED: &str = ".new";

/// Stores a credential under a name, in place of one that is there. An error says why it can't be one.
pub fn store_credential(state: &Path, name: &str, secret: &Secret) -> Result<()> {
    let refused = |why: String| Err(Error::new(ErrorKind::InvalidInput, why));
    // A file is written under such a name before it gets its own.
    if !is_name(name) || name.ends_with(UNFINISHED) {
        return refused(format!(
            "{name:?} can't be the name of a credential: letters, digits, '_', '-' and '.' are allowed, the first is a \
             letter or '_', and the end is not \"{UNFINISHED}\""
        ));
    }
    if let Err(why) = check_credential(secret) {
        return refused(format!("{name} {why}"));
    }
    if secret.expose().len() as u64 > MAX_CREDENTIAL_BYTES {
        return refused(format!("{name} has more than {MAX_CREDENTIAL_BYTES} bytes"));
    }
    let folder = state.join(FOLDER);
    trust::make_folder(&folder)?;
    trust::check_folder(&folder)
        .map_err(|why| Error::new(ErrorKind::PermissionDenied, format!("{} {why}", folder.display())))?;
    trust::write_private(&folder.join(name), secret.expose().as_bytes())?;
    trust::sync_folder(&folder)
}

/// The names of the stored credentials, in order.
pub fn list_credentials(state: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(state.join(FOLDER)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let is_finished = |name: &&str| is_name(name) && !name.ends_with(UNFINISHED);
        names.extend(name.to_str().filter(is_finished).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes a stored credential. Returns whether there was one.
pub fn remove_credential(state: &Path, name: &str) -> Result<bool> {
    if !is_name(name) {
        return Ok(false);
    }
    match fs::remove_file(state.join(FOLDER).join(name)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
