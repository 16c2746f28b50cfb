//! [`super`] where only the standard library is at hand. Links are checked for before use, which a swap in between
//! can defeat. The folders' permissions have to prevent that.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{Identity, Kind, Meta};

/// A tree's root folder.
#[derive(Debug)]
pub(crate) struct RootDir {
    path: PathBuf,
    identity: Identity,
}

/// A folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl RootDir {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: identity_of(path)? })
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    pub(crate) fn meta(&self, path: &Path) -> io::Result<Meta> {
        self.check(path)?;
        Ok(meta_of(&fs::symlink_metadata(self.path.join(path))?))
    }

    pub(crate) fn folder(&self, path: &Path) -> io::Result<Folder> {
        if self.meta(path)?.kind != Kind::Folder {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder { path: self.path.join(path) })
    }

    pub(crate) fn file(&self, path: &Path) -> io::Result<(File, Meta)> {
        if self.meta(path)?.kind != Kind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(self.path.join(path))?;
        let meta = meta_of(&file.metadata()?);
        Ok((file, meta))
    }

    /// Refuses a path that leads through a link.
    fn check(&self, path: &Path) -> io::Result<()> {
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            if !fs::symlink_metadata(self.path.join(above))?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        Ok(())
    }
}

impl Folder {
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        identity_of(&self.path)
    }

    pub(crate) fn meta(&self, name: &OsStr) -> io::Result<Meta> {
        Ok(meta_of(&fs::symlink_metadata(self.path.join(name))?))
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.path.join(path)).is_ok()
    }

    pub(crate) fn list(
        &self,
        _buffer: &mut Vec<u8>,
        mut each: impl FnMut(&OsStr, Option<Kind>),
    ) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            each(&entry.file_name(), entry.file_type().ok().map(kind_of));
        }
        Ok(())
    }
}

fn kind_of(kind: fs::FileType) -> Kind {
    if kind.is_symlink() {
        Kind::Symlink
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}

fn meta_of(meta: &Metadata) -> Meta {
    let mtime_ns = meta
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
    Meta {
        kind: kind_of(meta.file_type()),
        size: meta.len(),
        mtime_ns,
        ctime_ns: 0,
        identity: Identity { device: 0, inode: 0 },
    }
}

pub(crate) fn identity_of(path: &Path) -> io::Result<Identity> {
    let meta = meta_of(&fs::symlink_metadata(path)?);
    if meta.kind == Kind::Folder { Ok(meta.identity) } else { Err(io::ErrorKind::NotADirectory.into()) }
}
