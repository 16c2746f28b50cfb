//! Copies an environment's newest state while the environment is in use.
//!
//! Where the file system can, the copy shares the blocks of the original until one of them is written. That is done
//! with the writer kept out, so the file is at rest.
//!
//! Elsewhere the bytes are copied. Only the two pages that name the newest state are read with the writer kept out.
//! A read transaction that begins at the same moment then keeps LMDB from reusing any page of that state, so the other
//! pages are copied while the writer goes on. Pages that are torn meanwhile belong to no state that the copy names.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::Env;
use crate::{Error, Result};

/// The file that holds an environment's pages.
pub(crate) const DATA: &str = "data.mdb";

/// LMDB begins a file with two pages that name a state each, in turns.
const HEADS: usize = 2;

impl Env {
    /// Copies the newest committed state into a new file at `to`, and syncs it. Returns whether the copy shares its
    /// blocks with the original.
    ///
    /// # Errors
    /// If a file can't be read or written. A part of the copy may be there then.
    pub(crate) fn copy_data(&self, to: &Path) -> Result<bool> {
        let writer = self.write()?;
        let from = self.path().join(DATA);
        if share_blocks(&from, to) {
            drop(writer);
            sync_file(to).map_err(|source| Error::io("sync", to, source))?;
            return Ok(true);
        }
        let failed = |source| Error::io("copy", &from, source);
        let mut source = File::open(&from).map_err(failed)?;
        let mut heads = vec![0; HEADS * self.page_size()?];
        source.read_exact(&mut heads).map_err(failed)?;
        let used = self.used_bytes()?;
        let state = self.read(None)?;
        drop(writer);
        copy_pages(source, &heads, used, to).map_err(failed)?;
        drop(state);
        Ok(false)
    }
}

fn copy_pages(source: File, heads: &[u8], used: u64, to: &Path) -> io::Result<()> {
    let mut target = private_file(to)?;
    target.write_all(heads)?;
    let rest = used.saturating_sub(heads.len() as u64);
    io::copy(&mut source.take(rest), &mut target)?;
    // The original may be shorter than its header says, because pages at its end were never written.
    target.set_len(used)?;
    target.seek(SeekFrom::Start(0))?;
    target.sync_all()
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Makes `to` a file that shares all blocks of `from`; false where the file system can't, and `to` is not there then.
fn share_blocks(from: &Path, to: &Path) -> bool {
    let shared = try_share(from, to);
    if let Err(error) = &shared {
        tracing::debug!(%error, "the file system does not share blocks between files");
        let _ = fs::remove_file(to);
    }
    shared.is_ok()
}

#[cfg(target_os = "linux")]
fn try_share(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::ioctl_ficlone(private_file(to)?, File::open(from)?)?)
}

#[cfg(target_vendor = "apple")]
fn try_share(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, CloneFlags, fclonefileat};
    Ok(fclonefileat(File::open(from)?, CWD, to, CloneFlags::empty())?)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn try_share(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
