//! Reading a configuration file within bounds, and writing it in one step.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum size of a file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The ending of a backup's name.
pub const BACKUP_ENDING: &str = ".sdl-backup";

/// Why a file stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// A link that leads nowhere or in a circle.
    #[error("{path} is a link that can't be followed ({source}); repair or remove it", path = .path.display())]
    BadLink {
        /// The link.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A folder, a device or the like.
    #[error("{path} is not a regular file; move it away", path = .path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// Nobody may write to it.
    #[error("{path} is read-only; make it writable, or add the entry by hand", path = .path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// It is too long.
    #[error("{path} has {size} bytes, more than {MAX_FILE_BYTES}; add the entry by hand", path = .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// It is not UTF-8.
    #[error("{path}, line {line}: not UTF-8; save it as UTF-8, then run setup again", path = .path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The system refused.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It is not the same as when the plan was made.
    #[error("{path} was changed by another program meanwhile; run setup again", path = .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

/// The file that a path names: what a link leads to, else the path itself.
pub fn resolve_link(path: &Path) -> Result<PathBuf, FileProblem> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            fs::canonicalize(path).map_err(|source| FileProblem::BadLink { path: path.to_owned(), source })
        }
        _ => Ok(path.to_owned()),
    }
}

/// The text of a file. `None` if there is none.
pub fn read_text(path: &Path) -> Result<Option<String>, FileProblem> {
    let failed = |source| FileProblem::Io { path: path.to_owned(), source };
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed)?,
    };
    if !metadata.is_file() {
        return Err(FileProblem::NotRegular { path: path.to_owned() });
    }
    let too_large = |size| FileProblem::TooLarge { path: path.to_owned(), size };
    if metadata.len() > MAX_FILE_BYTES {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = valid.split(|byte| *byte == b'\n').count();
        FileProblem::NotText { path: path.to_owned(), line }
    })
}

/// Fails if nobody may write to an existing file. Replacing it would be possible all the same.
pub fn check_writable(path: &Path) -> Result<(), FileProblem> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(FileProblem::ReadOnly { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Where the backup of a file goes.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(BACKUP_ENDING);
    path.with_file_name(name)
}

/// Writes a text in one step: other programs see the old file or the new one, also after a crash. The mode stays; a new
/// file, and folders made for it, are `private` or have the usual one. Returns the folders that were made, outermost first.
pub fn write_text(path: &Path, text: &str, private: bool) -> Result<Vec<PathBuf>, FileProblem> {
    let failed = |source| FileProblem::Io { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = make_folders(folder, private).map_err(failed)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sdl-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(if private { 0o600 } else { 0o666 }));
    }
    #[cfg(not(unix))]
    let _ = private;
    let mut file = builder.tempfile_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions()).map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    sync_folder(folder);
    Ok(made)
}

fn make_folders(folder: &Path, private: bool) -> io::Result<Vec<PathBuf>> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let mut made: Vec<PathBuf> = folder.ancestors().take_while(missing).map(Path::to_owned).collect();
    made.reverse();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if private {
        // The daemon trusts no state folder that others may write to, and the usual mode allows that on Debian.
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    #[cfg(not(unix))]
    let _ = private;
    builder.create(folder)?;
    Ok(made)
}

/// Makes a rename last. Not every file system can, and the file is whole either way.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}
