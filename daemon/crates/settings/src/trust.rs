//! Files in the daemon's state folder that decide permissions or prove past actions. They are read with care and
//! written whole.
//!
//! A file is opened without following a link and without waiting for a writer, so that a symbolic link or a FIFO of the
//! same name has no effect. The checks are on the opened file, not on its name.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// The permissions that make a file untrusted.
#[derive(Clone, Copy)]
enum Refused {
    /// Others can write it.
    #[cfg_attr(not(unix), allow(dead_code, reason = "Windows has no such permissions"))]
    Writable = 0o022,
    /// Others can read or write it.
    #[cfg_attr(not(unix), allow(dead_code, reason = "Windows has no such permissions"))]
    Readable = 0o077,
}

/// Reads a file of at most `most` bytes that only its owner (this user or root) can write. None if there is no such
/// file. The error says why an existing file is not accepted.
pub fn read_private(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    read_checked(path, most, Refused::Writable)
}

/// Reads a file as [`read_private`] does, and one that others can read is not accepted either.
pub fn read_secret(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    read_checked(path, most, Refused::Readable)
}

fn read_checked(path: &Path, most: u64, refused: Refused) -> Result<Option<Vec<u8>>, String> {
    let file = match open_private(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("can't be opened: {error}")),
    };
    if let Some(why) = distrust_reason(&file, refused) {
        return Err(why.to_owned());
    }
    // Of the right size at once, because a buffer that grows leaves copies in memory that nobody overwrites.
    let length = file.metadata().map_or(0, |about| about.len()).min(most);
    let mut bytes = Vec::with_capacity(length as usize + 1);
    match file.take(most + 1).read_to_end(&mut bytes) {
        Ok(read) if read as u64 <= most => Ok(Some(bytes)),
        Ok(_) => Err(format!("has more than {most} bytes")),
        Err(error) => Err(format!("can't be read: {error}")),
    }
}

/// Writes a file that only this user can read or write. It is replaced in one step: a reader, or a restart after a
/// crash, sees the old content or the new.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes the names in a folder durable, such as one that a file was just renamed to.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Checks that a folder, or the one that a link leads to, belongs to this user or root and that nobody else can write
/// in it. Who can write in a folder can replace its files.
#[cfg(unix)]
pub fn check_folder(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(path).map_err(|error| format!("can't be looked at: {error}"))?;
    if !about.is_dir() {
        return Err("is not a folder".to_owned());
    }
    if is_foreign(about.uid()) {
        return Err("belongs to someone else".to_owned());
    }
    if about.mode() & 0o022 != 0 {
        return Err("can be written by others; chmod 700 it".to_owned());
    }
    Ok(())
}

/// Checks that a folder exists. The access lists of a user's folders keep others out by themselves.
#[cfg(not(unix))]
pub fn check_folder(path: &Path) -> Result<(), String> {
    if path.is_dir() { Ok(()) } else { Err("is not a folder".to_owned()) }
}

#[cfg(unix)]
fn is_foreign(owner: u32) -> bool {
    owner != rustix::process::geteuid().as_raw() && owner != 0
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

/// Returns why someone else may have written the file, or can read it.
#[cfg(unix)]
fn distrust_reason(file: &File, refused: Refused) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let Ok(about) = file.metadata() else { return Some("can't be looked at") };
    if !about.is_file() {
        return Some("is not a regular file");
    }
    if is_foreign(about.uid()) {
        return Some("belongs to someone else");
    }
    let why = match refused {
        Refused::Writable => "can be written by others; chmod 600 it",
        Refused::Readable => "can be read or written by others; chmod 600 it",
    };
    (about.mode() & refused as u32 != 0).then_some(why)
}

#[cfg(not(unix))]
fn distrust_reason(file: &File, _refused: Refused) -> Option<&'static str> {
    (!file.metadata().is_ok_and(|about| about.is_file())).then_some("is not a regular file")
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "the helpers of a test fail it")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

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
        set_mode(&path, 0o620);
        assert!(read_private(&path, 10).unwrap_err().contains("written by others"));
        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(read_private(&link, 10).unwrap_err().contains("symbolic link"));
        assert!(read_private(dir.path(), 10).unwrap_err().contains("not a regular file"));
    }

    #[test]
    fn a_secret_that_others_can_read_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("TOKEN");
        write_private(&path, b"secret").unwrap();
        assert_eq!(read_secret(&path, 10), Ok(Some(b"secret".to_vec())));
        set_mode(&path, 0o640);
        assert!(read_secret(&path, 10).unwrap_err().contains("read or written by others"));
        assert_eq!(read_private(&path, 10), Ok(Some(b"secret".to_vec())));
    }

    #[test]
    fn a_folder_that_others_can_write_in_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        set_mode(dir.path(), 0o700);
        assert_eq!(check_folder(dir.path()), Ok(()));
        let link = dir.path().join("link");
        let inner = dir.path().join("inner");
        make_folder(&inner).unwrap();
        symlink(&inner, &link).unwrap();
        assert_eq!(check_folder(&link), Ok(()));
        set_mode(&inner, 0o770);
        assert!(check_folder(&link).unwrap_err().contains("chmod 700"));
        assert!(check_folder(&dir.path().join("none")).is_err());
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
