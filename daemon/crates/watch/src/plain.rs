//! Opens files that somebody else wrote and that are outside of a tree's own handle: git's data, and ignore files above
//! the tree. Such a file may be anything, so it is checked before it is opened, opened without waiting, and checked
//! again: a pipe must not block the reader, a device must not be read without end.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// The kind of entry at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// There is nothing.
    Nothing,
    /// A regular file of at most the size that was asked for.
    File,
    /// A folder.
    Folder,
    /// Anything else; the text names it for people.
    Other(String),
}

/// Looks at `path`. Opens nothing and follows no link at its end.
pub(crate) fn look_at(path: &Path, most: u64) -> Plain {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Plain::Folder,
        Ok(meta) => file_fault(&meta, most).map_or(Plain::File, Plain::Other),
        Err(error) if is_absent(&error) => Plain::Nothing,
        Err(error) => Plain::Other(format!("can't be looked at ({error})")),
    }
}

/// The fault of a file, if it has one.
fn file_fault(meta: &Metadata, most: u64) -> Option<String> {
    if meta.file_type().is_symlink() {
        Some("is a symbolic link".to_owned())
    } else if !meta.is_file() {
        Some("is not a regular file".to_owned())
    } else if meta.len() > most {
        Some(format!("is larger than {most} bytes"))
    } else {
        None
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a link at the end of a path leads anywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// A link counts as missing, because its author could have it lead anywhere, for example to `~/.ssh/id_rsa`.
    Refused,
    /// The user's own settings may be links.
    Followed,
}

fn refused_error(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Opens a regular file of at most `most` bytes: none if there is no file. Never waits. The file may grow afterwards.
pub(crate) fn open_checked(path: &Path, most: u64, links: Links) -> io::Result<Option<File>> {
    if links == Links::Refused {
        match look_at(path, most) {
            Plain::Nothing => return Ok(None),
            Plain::File => {}
            Plain::Folder => return Err(refused_error("is a folder".to_owned())),
            Plain::Other(why) => return Err(refused_error(why)),
        }
    }
    let file = match open_plain(path, links) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    match file_fault(&file.metadata()?, most) {
        Some(why) => Err(refused_error(why)),
        None => Ok(Some(file)),
    }
}

/// Reads a regular file of at most `most` bytes: none if there is no file. Never waits.
pub(crate) fn read_plain(path: &Path, most: u64, links: Links) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open_checked(path, most, links)? else { return Ok(None) };
    let mut bytes = Vec::new();
    // One byte more is read than expected, because the file may have grown, or is in `/proc`, where files have no
    // size.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused_error(format!("is larger than {most} bytes")));
    }
    Ok(Some(bytes))
}

#[cfg(unix)]
fn open_plain(path: &Path, links: Links) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    let follow = if links == Links::Refused { OFlags::NOFOLLOW } else { OFlags::empty() };
    // NONBLOCK, because the open would otherwise hang on a pipe that nobody writes to.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | follow;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_plain(path: &Path, _links: Links) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        fs::write(at("file"), "four").unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("/dev/zero", at("zeros")).unwrap();
        let pipe = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), pipe, rustix::fs::Mode::RWXU, 0).unwrap();

        assert_eq!(read_plain(&at("file"), 4, Links::Refused).unwrap().unwrap(), b"four");
        assert!(read_plain(&at("missing"), 4, Links::Refused).unwrap().is_none());
        assert!(read_plain(&at("file/below"), 4, Links::Refused).unwrap().is_none());
        for (name, most, why) in [
            ("file", 3, "is larger than 3 bytes"),
            ("folder", 4, "is a folder"),
            ("link", 4, "is a symbolic link"),
            ("zeros", 4, "is a symbolic link"),
            ("pipe", 4, "is not a regular file"),
        ] {
            assert_eq!(read_plain(&at(name), most, Links::Refused).unwrap_err().to_string(), why, "{name}");
        }
        assert_eq!(read_plain(&at("link"), 4, Links::Followed).unwrap().unwrap(), b"four");
        for name in ["zeros", "pipe"] {
            let error = read_plain(&at(name), 4, Links::Followed).unwrap_err();
            assert_eq!(error.to_string(), "is not a regular file", "{name}");
        }
    }
}
