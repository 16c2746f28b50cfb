//! Sorted rows in a file without a name: where a load keeps what it gathers beyond its share of memory.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::gathered::EachGathered;
use crate::{Error, Result};

/// Memory for writing a run.
const WRITE_BUFFER: usize = 1 << 20;
/// Memory for reading each run while they are merged.
const READ_BUFFER: usize = 64 << 10;

/// Runs of rows, each in order of key, in one file. The system removes the file when this is dropped, or when the process
/// dies.
pub(super) struct Runs {
    file: File,
    dir: PathBuf,
    /// Where each run ends.
    ends: Vec<u64>,
}

impl Runs {
    /// Creates the file in `dir`.
    pub(super) fn create(dir: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(dir).map_err(|error| Error::io("create a file in", dir, error))?;
        Ok(Self { file, dir: dir.to_owned(), ends: Vec::new() })
    }

    /// Adds a run: the rows that `give` passes on, in order of key.
    pub(super) fn add_run(&mut self, give: impl FnOnce(EachGathered<'_>) -> Result<()>) -> Result<()> {
        let failed = |error| Error::io("write a temporary file in", &self.dir, error);
        (&self.file).seek(SeekFrom::End(0)).map_err(failed)?;
        let mut out = BufWriter::with_capacity(WRITE_BUFFER, &self.file);
        give(&mut |key, value| write_row(&mut out, key, value).map_err(failed))?;
        out.flush().map_err(failed)?;
        drop(out);
        self.ends.push((&self.file).stream_position().map_err(failed)?);
        Ok(())
    }

    /// Every row of all runs, in order of key. Rows of one key come in any order.
    pub(super) fn merge(&self, each: EachGathered<'_>) -> Result<()> {
        let failed = |error| Error::io("read a temporary file in", &self.dir, error);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let mut heads = BinaryHeap::with_capacity(self.ends.len());
        for (start, end) in starts.zip(&self.ends) {
            let part = Part { file: &self.file, at: start, end: *end };
            let mut head = Head::new(part);
            if head.advance().map_err(failed)? {
                heads.push(Reverse(head));
            }
        }
        while let Some(mut first) = heads.peek_mut() {
            each(&first.0.key, &first.0.value)?;
            if !first.0.advance().map_err(failed)? {
                PeekMut::pop(first);
            }
        }
        Ok(())
    }
}

fn write_row(out: &mut impl Write, key: &[u8], value: &[u8]) -> io::Result<()> {
    out.write_all(&(key.len() as u16).to_le_bytes())?;
    out.write_all(&(value.len() as u32).to_le_bytes())?;
    out.write_all(key)?;
    out.write_all(value)
}

/// A part of a file.
struct Part<'f> {
    file: &'f File,
    at: u64,
    end: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let read = read_at(self.file, &mut buffer[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// The next row of a run.
struct Head<'f> {
    key: Vec<u8>,
    value: Vec<u8>,
    rest: BufReader<Part<'f>>,
}

impl<'f> Head<'f> {
    fn new(part: Part<'f>) -> Self {
        Self { key: Vec::new(), value: Vec::new(), rest: BufReader::with_capacity(READ_BUFFER, part) }
    }

    /// Goes to the next row; whether there is one.
    fn advance(&mut self) -> io::Result<bool> {
        let mut sizes = [0; 6];
        let part = self.rest.get_ref();
        if part.at >= part.end && self.rest.buffer().is_empty() {
            return Ok(false);
        }
        self.rest.read_exact(&mut sizes)?;
        let [k0, k1, v0, v1, v2, v3] = sizes;
        self.key.resize(usize::from(u16::from_le_bytes([k0, k1])), 0);
        self.value.resize(u32::from_le_bytes([v0, v1, v2, v3]) as usize, 0);
        self.rest.read_exact(&mut self.key)?;
        self.rest.read_exact(&mut self.value)?;
        Ok(true)
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Head<'_> {}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(runs: &Runs) -> Vec<(String, String)> {
        let mut seen = Vec::new();
        runs.merge(&mut |key, value| {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            seen.push((text(key), text(value)));
            Ok(())
        })
        .unwrap();
        seen
    }

    #[test]
    fn runs_are_merged_in_order_of_key() {
        let dir = tempfile::tempdir().unwrap();
        let mut runs = Runs::create(dir.path()).unwrap();
        assert!(rows_of(&runs).is_empty());
        let long = "x".repeat(3 * READ_BUFFER);
        for run in [&[("a", "1"), ("c", long.as_str())][..], &[], &[("b", ""), ("c", "2"), ("d", "3")]] {
            runs.add_run(|each| {
                run.iter().try_for_each(|(key, value)| each(key.as_bytes(), value.as_bytes()))
            })
            .unwrap();
        }
        let mut rows = rows_of(&runs);
        rows.sort();
        assert_eq!(rows.iter().map(|(key, _)| key.as_str()).collect::<String>(), "abccd");
        assert_eq!(rows_of(&runs).len(), 5, "they can be read again");
        assert!(rows.iter().any(|(_, value)| *value == long));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the file has no name");
    }
}
