//! The Unix side of [`super`].

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};

use super::{Identity, Kind, Meta};

/// Opens the path itself, whatever it is, without the right to read it.
#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::NONBLOCK;

/// A tree's root folder, held open.
#[derive(Debug)]
pub(crate) struct RootDir {
    fd: OwnedFd,
    identity: Identity,
}

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
}

impl RootDir {
    /// Opens the folder at an absolute path that contains no symbolic link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        let identity = meta_of(&rustix::fs::fstat(&fd)?).identity;
        Ok(Self { fd, identity })
    }

    /// The folder's identity.
    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// The entry at a path relative to the root.
    pub(crate) fn meta(&self, path: &Path) -> io::Result<Meta> {
        if path.as_os_str().is_empty() {
            return Ok(meta_of(&rustix::fs::fstat(&self.fd)?));
        }
        #[cfg(target_os = "linux")]
        {
            let fd = self.open_beneath(path, LOOK | OFlags::NOFOLLOW)?;
            Ok(meta_of(&rustix::fs::fstat(fd)?))
        }
        #[cfg(not(target_os = "linux"))]
        {
            let parent = self.open_parent(path)?;
            let parent = parent.as_ref().map_or(self.fd.as_fd(), AsFd::as_fd);
            let name = path.file_name().ok_or(rustix::io::Errno::INVAL)?;
            Ok(meta_of(&rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?))
        }
    }

    /// Opens a folder for listing.
    pub(crate) fn folder(&self, path: &Path) -> io::Result<Folder> {
        let fd = if path.as_os_str().is_empty() {
            rustix::fs::openat(
                &self.fd,
                ".",
                OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )?
        } else {
            self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)?
        };
        Ok(Folder { fd })
    }

    /// Opens a regular file for reading; anything else is refused without being touched.
    pub(crate) fn file(&self, path: &Path) -> io::Result<(File, Meta)> {
        // NONBLOCK, because the open would otherwise hang on a pipe that nobody writes to.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let fd = self.open_beneath(path, flags)?;
        let meta = meta_of(&rustix::fs::fstat(&fd)?);
        if meta.kind != Kind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok((File::from(fd), meta))
    }

    fn open_beneath(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        if let Some(result) = try_openat2(self.fd.as_fd(), path, flags) {
            return Ok(result?);
        }
        let parent = self.open_parent(path)?;
        let name = path.file_name().ok_or(rustix::io::Errno::INVAL)?;
        let parent = parent.as_ref().map_or(self.fd.as_fd(), AsFd::as_fd);
        Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?)
    }

    /// Opens the folder that holds `path`, one part after the other; none if it is the root.
    fn open_parent(&self, path: &Path) -> io::Result<Option<OwnedFd>> {
        let mut at: Option<OwnedFd> = None;
        let Some(parent) = path.parent() else { return Ok(None) };
        for part in parent.components() {
            let Component::Normal(name) = part else { return Err(rustix::io::Errno::INVAL.into()) };
            let flags = LOOK | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let here = at.as_ref().map_or(self.fd.as_fd(), AsFd::as_fd);
            at = Some(rustix::fs::openat(here, name, flags, Mode::empty())?);
        }
        Ok(at)
    }
}

/// One system call (`openat2`) instead of one per part of the path; `None` where the kernel or a sandbox does not
/// have it.
#[cfg(target_os = "linux")]
fn try_openat2(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Option<rustix::io::Result<OwnedFd>> {
    use rustix::fs::ResolveFlags;
    use rustix::io::Errno;
    use std::sync::atomic::{AtomicBool, Ordering};

    static MISSING: AtomicBool = AtomicBool::new(false);
    if MISSING.load(Ordering::Relaxed) {
        return None;
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, path, flags, Mode::empty(), resolve) {
        Err(Errno::NOSYS) => {
            MISSING.store(true, Ordering::Relaxed);
            None
        }
        // A sandbox says the same in this way; or it is an error that the other way will meet as well.
        Err(Errno::PERM | Errno::AGAIN) => None,
        result => Some(result),
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Folder {
    /// The folder's identity.
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        Ok(meta_of(&rustix::fs::fstat(&self.fd)?).identity)
    }

    /// The kind of the entry `name`.
    pub(crate) fn meta(&self, name: &OsStr) -> io::Result<Meta> {
        Ok(meta_of(&rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Whether there is an entry at this path below the folder. Links are not followed at its end.
    pub(crate) fn has(&self, path: &str) -> bool {
        rustix::fs::statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Calls `each` with every entry's name, and its kind where the file system reports it for free.
    pub(crate) fn list(
        &self,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(&OsStr, Option<Kind>),
    ) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            buffer.clear();
            buffer.reserve(32 << 10);
            let mut entries = rustix::fs::RawDir::new(&self.fd, buffer.spare_capacity_mut());
            while let Some(entry) = entries.next() {
                let entry = entry?;
                let name = entry.file_name().to_bytes();
                if name != b"." && name != b".." {
                    each(OsStr::from_bytes(name), kind_hint(entry.file_type()));
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = buffer;
            for entry in rustix::fs::Dir::read_from(&self.fd)? {
                let entry = entry?;
                let name = entry.file_name().to_bytes();
                if name != b"." && name != b".." {
                    each(OsStr::from_bytes(name), kind_hint(entry.file_type()));
                }
            }
        }
        Ok(())
    }
}

fn kind_hint(kind: FileType) -> Option<Kind> {
    match kind {
        FileType::Unknown => None,
        kind => Some(kind_of(kind)),
    }
}

fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Special,
    }
}

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_cast,
    reason = "the fields have other widths on other systems"
)]
fn meta_of(stat: &Stat) -> Meta {
    let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    Meta {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime_ns: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime_ns: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        identity: Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
    }
}

/// The folder at an absolute path, if it is a folder and no link.
pub(crate) fn identity_of(path: &Path) -> io::Result<Identity> {
    let meta = meta_of(&rustix::fs::lstat(path)?);
    if meta.kind == Kind::Folder { Ok(meta.identity) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_on_the_way_and_at_the_end_are_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("root/a/b")).unwrap();
        fs::create_dir(top.join("outside")).unwrap();
        fs::write(top.join("outside/secret"), "").unwrap();
        fs::write(top.join("root/a/b/file"), "four").unwrap();
        symlink("../outside", top.join("root/out")).unwrap();
        symlink("b/file", top.join("root/a/link")).unwrap();
        let root = RootDir::open(&top.join("root")).unwrap();
        let kind = |path: &str| root.meta(Path::new(path)).map(|meta| meta.kind).ok();
        assert_eq!(kind(""), Some(Kind::Folder));
        assert_eq!(kind("a/b/file"), Some(Kind::File));
        assert_eq!((kind("out"), kind("a/link")), (Some(Kind::Symlink), Some(Kind::Symlink)));
        for path in ["out/secret", "../outside/secret", "a/../../outside/secret", "/etc/passwd", "missing/x"]
        {
            assert!(root.meta(Path::new(path)).is_err(), "{path}");
            assert!(root.file(Path::new(path)).is_err(), "{path}");
        }
        assert!(root.folder(Path::new("out")).is_err() && root.file(Path::new("a/link")).is_err());
        assert!(root.file(Path::new("a/b")).is_err());
        assert_eq!(root.file(Path::new("a/b/file")).unwrap().1.size, 4);
        assert!(RootDir::open(&top.join("root/out")).is_err());
    }

    #[test]
    fn part_by_part_does_the_same_without_the_new_system_call() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("a/b")).unwrap();
        symlink("a", top.join("link")).unwrap();
        let root = RootDir::open(&top).unwrap();
        let parent = |path: &str| root.open_parent(Path::new(path));
        assert!(parent("file").unwrap().is_none());
        let identity = meta_of(&rustix::fs::fstat(parent("a/b/file").unwrap().unwrap()).unwrap()).identity;
        assert_eq!(identity, identity_of(&top.join("a/b")).unwrap());
        for path in ["link/b/file", "../x/y", "/etc/passwd", "a/missing/x"] {
            assert!(parent(path).is_err(), "{path}");
        }
    }
}
