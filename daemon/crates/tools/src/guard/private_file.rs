//! Files in the daemon's state folder that decide permissions or prove past actions. They are read with care and
//! written whole.
//!
//! A file is opened without following a link and without waiting for a writer, so that a symbolic link or a FIFO of the
//! same name has no effect. The checks are on the opened file, not on its name.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// Reads a file of at most `most` bytes that only its owner (this user or root) can write. None if there is no such
/// file. The error says why an existing file is not accepted.
pub(crate) fn read_private(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    let file = match open_private(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("can't be opened: {error}")),
    };
    if let Some(why) = distrust_reason(&file) {
        return Err(why.to_owned());
    }
    let mut bytes = Vec::new();
    match file.take(most + 1).read_to_end(&mut bytes) {
        Ok(read) if read as u64 <= most => Ok(Some(bytes)),
        Ok(_) => Err(format!("has more than {most} bytes")),
        Err(error) => Err(format!("can't be read: {error}")),
    }
}

/// Writes a file that only this user can read or write. It is replaced in one step: a reader, or a restart after a
/// crash, sees the old content or the new.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let fresh = path.with_file_name(name);
    // Removes a file that a crash or another user may have left.
    let _ = fs::remove_file(&fresh);
    let mut file = create_private(&fresh)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    fs::rename(&fresh, path)
}

/// Creates a folder that only this user can enter, if it does not exist.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn open_private(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    opened.map(File::from).map_err(|error| match error {
        rustix::io::Errno::LOOP => io::Error::other("it is a symbolic link"),
        error => error.into(),
    })
}

#[cfg(not(unix))]
fn open_private(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns why someone else may have written the file.
#[cfg(unix)]
fn distrust_reason(file: &File) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let Ok(about) = file.metadata() else { return Some("can't be looked at") };
    if !about.is_file() {
        return Some("is not a regular file");
    }
    if about.uid() != rustix::process::geteuid().as_raw() && about.uid() != 0 {
        return Some("belongs to someone else");
    }
    (about.mode() & 0o022 != 0).then_some("can be written by others; chmod 600 it")
}

#[cfg(not(unix))]
fn distrust_reason(file: &File) -> Option<&'static str> {
    (!file.metadata().is_ok_and(|about| about.is_file())).then_some("is not a regular file")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_a_regular_file_that_others_cannot_write_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings");
        assert_eq!(read_private(&path, 10), Ok(None));
        write_private(&path, b"first").unwrap();
        write_private(&path, b"second").unwrap();
        assert_eq!(read_private(&path, 10), Ok(Some(b"second".to_vec())));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(read_private(&path, 5).unwrap_err().contains("more than 5"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(read_private(&path, 10).unwrap_err().contains("written by others"));
        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(read_private(&link, 10).unwrap_err().contains("symbolic link"));
        assert!(read_private(dir.path(), 10).unwrap_err().contains("not a regular file"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_without_a_writer_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(read_private(&fifo, 10).unwrap_err().contains("not a regular file"));
    }
}
