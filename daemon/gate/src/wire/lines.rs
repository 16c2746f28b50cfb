//! Lines of a child, in bounded memory.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::wire::MAX_MESSAGE_BYTES;

/// A buffer that has grown beyond this is given back.
const KEEP_CAPACITY: usize = 64 << 10;

/// The step in which the buffer grows once it is large, so that it never holds twice what it needs.
const STEP: usize = 1 << 20;

/// A line without an end is given up after this many bytes.
const MAX_SKIPPED_BYTES: usize = 4 * MAX_MESSAGE_BYTES;

/// What was read.
pub(crate) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// The beginning of a line that is too long. Its rest is skipped.
    TooLong(Vec<u8>),
    /// A line that is far too long.
    Endless,
    /// Nothing comes any more.
    Over,
}

/// Splits what a child writes into lines.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// There is no end of line before this offset.
    scanned: usize,
    /// Bytes of the line that is being skipped.
    skipping: Option<usize>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), scanned: 0, skipping: None }
    }

    /// The next line. Safe to be dropped at any point: bytes that were read stay in the buffer.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            let room = self.buffer.capacity() - self.buffer.len();
            if room == 0 {
                self.buffer.reserve_exact(self.buffer.len().clamp(4 << 10, STEP));
            }
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                return Ok(Line::Over);
            }
        }
    }

    fn take_line(&mut self) -> Option<Line> {
        loop {
            let Some(at) = memchr::memchr(b'\n', self.buffer.get(self.scanned..)?) else {
                self.scanned = self.buffer.len();
                return self.take_excess();
            };
            let end = self.scanned + at;
            let rest = self.buffer.get(end + 1..)?.to_vec();
            self.buffer.truncate(end);
            let mut line = std::mem::replace(&mut self.buffer, rest);
            self.scanned = 0;
            if self.skipping.take().is_none() {
                if line.len() > MAX_MESSAGE_BYTES {
                    line.truncate(KEEP_CAPACITY);
                    return Some(Line::TooLong(line));
                }
                return Some(Line::Whole(line));
            }
        }
    }

    /// Deals with a line that has no end yet.
    fn take_excess(&mut self) -> Option<Line> {
        if let Some(skipped) = &mut self.skipping {
            *skipped += self.buffer.len();
            let is_endless = *skipped > MAX_SKIPPED_BYTES;
            self.clear();
            return is_endless.then_some(Line::Endless);
        }
        if self.buffer.len() <= MAX_MESSAGE_BYTES {
            return None;
        }
        self.skipping = Some(self.buffer.len());
        let head = self.buffer.get(..KEEP_CAPACITY).unwrap_or_default().to_vec();
        self.clear();
        Some(Line::TooLong(head))
    }

    fn clear(&mut self) {
        self.scanned = 0;
        self.buffer.clear();
        self.buffer.shrink_to(KEEP_CAPACITY);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(bytes);
        let mut seen = Vec::new();
        loop {
            seen.push(match lines.next().await.unwrap() {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong(head) => format!("too long: {}", head.len()),
                Line::Endless => "endless".to_owned(),
                Line::Over => return seen,
            });
        }
    }

    #[tokio::test]
    async fn lines_come_whole_and_what_is_too_long_is_skipped() {
        assert_eq!(all(b"a\n\nbc\nrest").await, ["a", "", "bc"]);
        let long = [vec![b'x'; MAX_MESSAGE_BYTES + 1], b"\nnext\n".to_vec()].concat();
        assert_eq!(all(&long).await, ["too long: 65536", "next"]);
        let longest = [vec![b'x'; MAX_MESSAGE_BYTES], b"\nnext\n".to_vec()].concat();
        let lines = all(&longest).await;
        assert_eq!((lines[0].len(), lines[1].as_str()), (MAX_MESSAGE_BYTES, "next"));
    }

    #[tokio::test]
    async fn a_line_without_an_end_takes_bounded_memory_and_is_given_up() {
        let mut lines = Lines::new(tokio::io::repeat(b'x'));
        assert!(matches!(lines.next().await.unwrap(), Line::TooLong(_)));
        assert!(lines.buffer.capacity() <= MAX_MESSAGE_BYTES + 2 * STEP);
        assert!(matches!(lines.next().await.unwrap(), Line::Endless));
        assert!(lines.buffer.capacity() <= KEEP_CAPACITY);
    }
}
