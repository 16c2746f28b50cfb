//! Reading a tree's files.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

use sdl_model::{RelPath, StatHint};

use crate::clock::{Clock, SystemClock};
use crate::crawl::stat_hint;
use crate::disk::{self, RootDir};
use crate::error::ReadError;
use crate::root::CanonicalRoot;

/// A file's bytes, or its size alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRead {
    /// All of it.
    Bytes {
        /// The content.
        bytes: Vec<u8>,
        /// Its `stat` before the first byte was read, so that later writes show.
        stat: StatHint,
    },
    /// It is larger than the limit.
    TooLarge {
        /// Its `stat`.
        stat: StatHint,
    },
}

/// Reads files of one tree. Follows no link, waits for no pipe, opens no device. Cheap to clone, for any thread.
#[derive(Clone)]
pub struct Reader {
    dir: Option<Arc<RootDir>>,
    clock: Arc<dyn Clock>,
}

impl Reader {
    pub(crate) fn new(dir: Option<Arc<RootDir>>, clock: Arc<dyn Clock>) -> Self {
        Self { dir, clock }
    }

    /// For a tree that nobody watches.
    pub fn open(root: &CanonicalRoot) -> io::Result<Self> {
        Ok(Self::new(Some(Arc::new(RootDir::open(root.path())?)), Arc::new(SystemClock)))
    }

    /// Reads a file of up to `limit` bytes.
    pub fn read(&self, path: &RelPath, limit: u64) -> Result<FileRead, ReadError> {
        let dir = self.dir.as_ref().ok_or_else(|| ReadError::Gone(path.clone()))?;
        let read_ns = self.clock.wall_ns();
        let (file, meta) = dir.file(Path::new(path.as_str())).map_err(|error| sort_error(path, error))?;
        let stat = stat_hint(&meta, read_ns);
        if meta.size > limit {
            return Ok(FileRead::TooLarge { stat });
        }
        // One byte more than the size, because then one call also finds the end, and because the file may have grown.
        let mut bytes = Vec::with_capacity(meta.size as usize + 1);
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| sort_error(path, error))?;
        if bytes.len() as u64 > limit {
            return Ok(FileRead::TooLarge { stat });
        }
        Ok(FileRead::Bytes { bytes, stat })
    }
}

fn sort_error(path: &RelPath, error: io::Error) -> ReadError {
    let path = path.clone();
    if disk::is_gone(&error) {
        return ReadError::Gone(path);
    }
    if disk::is_passing(&error) {
        return ReadError::Io { path, error };
    }
    // A folder, a socket, a device without a driver.
    let is_no_file = matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::IsADirectory);
    if is_no_file || disk::is_special(&error) {
        return ReadError::NotAFile(path);
    }
    // Not retried, because without permission, or on a broken disk, the next attempt fails too.
    ReadError::Unreadable(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;
    use crate::root::{RootContext, check_root};

    #[test]
    fn files_up_to_the_limit_are_read_and_nothing_else_is() {
        let temp = tempfile::tempdir().unwrap();
        let root = check_root(temp.path(), &[], &RootContext::default()).unwrap();
        fs::write(temp.path().join("a"), "12345").unwrap();
        fs::create_dir(temp.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("a", temp.path().join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(temp.path().join("socket")).unwrap();
        let reader = Reader::open(&root).unwrap();
        let read = |path: &str, limit| reader.read(&RelPath::new(path).unwrap(), limit);
        let Ok(FileRead::Bytes { bytes, stat }) = read("a", 5) else { panic!("it fits") };
        assert_eq!((bytes.as_slice(), stat.size), (b"12345".as_slice(), 5));
        assert!(stat.read_ns >= stat.mtime_ns - 20_000_000);
        assert!(matches!(read("a", 4), Ok(FileRead::TooLarge { .. })));
        assert!(matches!(read("missing", 5), Err(ReadError::Gone(_))));
        assert!(matches!(read("a/below", 5), Err(ReadError::Gone(_))));
        assert!(
            matches!(read("link", 5), Err(ReadError::Gone(_))),
            "no file of the tree is reached over a link"
        );
        assert!(matches!(read("folder", 5), Err(ReadError::NotAFile(_))));
        assert!(matches!(read("socket", 5), Err(ReadError::NotAFile(_))));
    }
}
