//! What a child writes to its standard error, and the oddities of its answers, in a file of bounded size.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;

use crate::flag::Flag;
use crate::mask::Masks;

/// A file that has grown beyond this becomes the older one, in place of the one before.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Lines of standard error that an error shows.
const LAST_LINES: usize = 5;

/// A longer line is split.
const MAX_LINE_BYTES: usize = 8 << 10;

/// Notes that wait for the file. More are lost.
const MAX_NOTES: usize = 64;

/// The log of one connection.
#[derive(Clone)]
pub(crate) struct Log {
    notes: mpsc::Sender<String>,
    last: Arc<Mutex<VecDeque<String>>>,
    /// Raised when standard error is closed and everything of it is in `last`.
    pub(crate) over: Flag,
}

impl Log {
    /// Writes `stderr`, if there is one, and notes to the file at `path`.
    pub(crate) fn start<R>(path: PathBuf, masks: Masks, stderr: Option<R>) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
    {
        let (notes, waiting) = mpsc::channel(MAX_NOTES);
        let log = Self { notes, last: Arc::default(), over: Flag::default() };
        let writer = Writer { path, masks, last: Arc::clone(&log.last) };
        tokio::spawn(write_log(writer, stderr, waiting, log.over.clone()));
        log
    }

    /// Adds a line of our own.
    pub(crate) fn note(&self, text: &str) {
        let _ = self.notes.try_send(text.to_owned());
    }

    /// The last lines of standard error, masked.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

struct Writer {
    path: PathBuf,
    masks: Masks,
    last: Arc<Mutex<VecDeque<String>>>,
}

async fn write_log<R>(writer: Writer, mut stderr: Option<R>, mut notes: mpsc::Receiver<String>, over: Flag)
where
    R: AsyncRead + Unpin + Send + 'static,
{
    let mut partial = Vec::new();
    if stderr.is_none() {
        over.raise();
    }
    let mut is_noted = true;
    while stderr.is_some() || is_noted {
        let read = async {
            match &mut stderr {
                Some(stderr) => stderr.read_buf(&mut partial).await,
                None => std::future::pending().await,
            }
        };
        let text = tokio::select! {
            read = read => {
                let is_over = read.is_err() || matches!(read, Ok(0));
                let text = writer.take_lines(&mut partial, is_over);
                if is_over {
                    stderr = None;
                    over.raise();
                }
                text
            }
            note = notes.recv(), if is_noted => match note {
                Some(note) => format!("[sdl] {}\n", writer.masks.mask(&note.replace('\n', " "))),
                None => {
                    is_noted = false;
                    continue;
                }
            },
        };
        if !text.is_empty() {
            let path = writer.path.clone();
            // A disk that is slow holds up the child's standard error, and nothing else.
            let _ = tokio::task::spawn_blocking(move || append_text(&path, &text)).await;
        }
    }
}

impl Writer {
    /// Takes whole lines out of `bytes`, masked, and remembers the last ones.
    fn take_lines(&self, bytes: &mut Vec<u8>, is_over: bool) -> String {
        let end = match memchr::memrchr(b'\n', bytes) {
            Some(at) => at + 1,
            None if is_over || bytes.len() > MAX_LINE_BYTES => bytes.len(),
            None => 0,
        };
        let end = if is_over { bytes.len() } else { end };
        let taken: Vec<u8> = bytes.drain(..end).collect();
        if taken.is_empty() {
            return String::new();
        }
        let text = self.masks.mask_owned(String::from_utf8_lossy(&taken).into_owned());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if last.len() == LAST_LINES {
                last.pop_front();
            }
            last.push_back(line.chars().take(500).collect());
        }
        if text.ends_with('\n') { text } else { text + "\n" }
    }
}

fn append_text(path: &Path, text: &str) -> io::Result<()> {
    let mut file = open_log(path)?;
    if file.metadata()?.len() > MAX_FILE_BYTES {
        std::fs::rename(path, path.with_extension("log.1"))?;
        file = open_log(path)?;
    }
    file.write_all(text.as_bytes())
}

fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_masked_and_the_file_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("upstream-a.log");
        let masks = Masks::default();
        masks.add(["s3cr3t-token".to_owned()]);
        let line = format!("token s3cr3t-token {}\n", "x".repeat(1_000));
        let text = line.repeat(3_000) + "the end without a line feed";
        let log = Log::start(path.clone(), masks, Some(std::io::Cursor::new(text.into_bytes())));
        log.over.raised().await;
        assert_eq!(log.last_lines().last().unwrap(), "the end without a line feed");
        assert!(log.last_lines()[0].starts_with("token *** x"));
        let (old, over) = (path.with_extension("log.1"), log.over.clone());
        drop(log);
        over.raised().await;
        for file in [path, old] {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            assert!(!text.contains("s3cr3t"), "{}", file.display());
            assert!(text.len() as u64 <= 2 * MAX_FILE_BYTES);
        }
    }
}
