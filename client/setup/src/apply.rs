//! Writes what was planned.

use std::fs;
use std::path::PathBuf;

use crate::file::{self, FileProblem};
use crate::plan::FileChange;
use crate::record::Records;

/// What was done to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The backup that was made of it.
    pub backup: Option<PathBuf>,
}

/// Writes one file, or deletes it if only we were in it, and brings the records up to date. The caller saves them.
pub fn apply_change(change: &FileChange, records: &mut Records) -> Result<Applied, FileProblem> {
    if file::read_text(&change.path)? != change.before {
        return Err(FileProblem::Changed { path: change.path.clone() });
    }
    let Some(after) = &change.after else {
        return delete_file(change, records);
    };
    let backup = back_up(change)?;
    let made = file::write_text(&change.path, after, change.is_private)?;
    match &change.record {
        Some(record) => {
            let mut record = record.clone();
            // Another file may have left its folders to this one since the plan was made.
            if let Some(old) = records.files.get(&change.path) {
                record.folders.clone_from(&old.folders);
            }
            record.folders.extend(made);
            records.files.insert(change.path.clone(), record);
        }
        None => {
            records.files.remove(&change.path);
        }
    }
    if change.is_restored {
        drop_backup(change, after);
    }
    Ok(Applied { backup })
}

/// Keeps the text from before our first change. An older backup stays as it is.
fn back_up(change: &FileChange) -> Result<Option<PathBuf>, FileProblem> {
    let path = file::backup_path(&change.path);
    match &change.before {
        Some(before) if change.is_pristine && path.symlink_metadata().is_err() => {
            file::write_text(&path, before, true)?;
            if let Ok(metadata) = fs::metadata(&change.path) {
                let _ = fs::set_permissions(&path, metadata.permissions());
            }
            Ok(Some(path))
        }
        _ => Ok(None),
    }
}

/// Removes a backup that says what the file says again.
fn drop_backup(change: &FileChange, text: &str) {
    let path = file::backup_path(&change.path);
    if file::read_text(&path).is_ok_and(|backup| backup.as_deref() == Some(text)) {
        let _ = fs::remove_file(path);
    }
}

fn delete_file(change: &FileChange, records: &mut Records) -> Result<Applied, FileProblem> {
    let failed = |source| FileProblem::Io { path: change.path.clone(), source };
    fs::remove_file(&change.path).map_err(failed)?;
    let folders = records.files.remove(&change.path).map(|record| record.folders).unwrap_or_default();
    for folder in folders.into_iter().rev() {
        // Fails if anything else is in it, as it should.
        if fs::remove_dir(&folder).is_err() {
            hand_over(folder, records);
        }
    }
    Ok(Applied::default())
}

/// Leaves a folder that we made to another file of ours in it, which goes later.
fn hand_over(folder: PathBuf, records: &mut Records) {
    let heir = records.files.iter_mut().find(|(path, _)| path.starts_with(&folder));
    if let Some((_, record)) = heir
        && !record.folders.contains(&folder)
    {
        record.folders.insert(0, folder);
    }
}
