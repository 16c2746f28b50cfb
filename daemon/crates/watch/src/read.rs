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
        /// What `stat` said before the first byte was read: what is written later shows.
        stat: StatHint,
    },
    /// It is larger than what was asked for.
    TooLarge {
        /// What `stat` said.
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
        let (file, meta) = dir.file(Path::new(path.as_str())).map_err(|error| sort(path, error))?;
        let stat = stat_hint(&meta, read_ns);
        if meta.size > limit {
            return Ok(FileRead::TooLarge { stat });
        }
        // One byte more than there should be, to see the end without another call; and it may have grown.
        let mut bytes = Vec::with_capacity(meta.size as usize + 1);
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| sort(path, error))?;
        if bytes.len() as u64 > limit {
            return Ok(FileRead::TooLarge { stat });
        }
        Ok(FileRead::Bytes { bytes, stat })
    }
}

fn sort(path: &RelPath, error: io::Error) -> ReadError {
    let path = path.clone();
    if disk::is_gone(&error) {
        return ReadError::Gone(path);
    }
    if disk::is_passing(&error) {
        return ReadError::Io { path, error };
    }
    match error.kind() {
        // A folder, a socket, a device without a driver.
        ErrorKind::InvalidInput | ErrorKind::IsADirectory => ReadError::NotAFile(path),
        ErrorKind::PermissionDenied => ReadError::Unreadable(path),
        _ => ReadError::Io { path, error },
    }
}
