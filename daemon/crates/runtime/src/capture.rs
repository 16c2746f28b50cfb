//! Keeps a stream's output in bounded space: its beginning, its end, and the number of lines.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Bytes kept of the beginning, and as many of the end.
const HALF: usize = 256 << 10;

/// The kept parts of a stream while it is read.
#[derive(Debug, Default)]
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Line ends in the dropped part between the two.
    dropped_lines: u64,
    dropped_bytes: u64,
}

/// A stream's output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The first lines.
    pub head: Vec<String>,
    /// The last lines, after those that were dropped.
    pub tail: Vec<String>,
    /// How many lines were dropped between them.
    pub dropped: u64,
}

impl Capture {
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        let room = HALF - self.head.len();
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(first);
        bytes = rest;
        self.tail.extend(bytes);
        while self.tail.len() > HALF {
            let gone = self.tail.pop_front();
            self.dropped_bytes += 1;
            self.dropped_lines += u64::from(gone == Some(b'\n'));
        }
    }

    /// Returns the kept output as lines; `mask` removes secrets.
    pub(super) fn finish(self, mask: impl Fn(String) -> String) -> Output {
        let lines = |text: String| mask(text).lines().map(str::to_owned).collect::<Vec<_>>();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let tail: Vec<u8> = self.tail.into();
        if self.dropped_bytes == 0 {
            let whole = [self.head, tail].concat();
            return Output { head: lines(text(&whole)), ..Output::default() };
        }
        // The tail's first line is dropped, because it lost its beginning. The head's last line is marked with `…`,
        // because it lost its end.
        let cut = tail.iter().position(|byte| *byte == b'\n').map_or(tail.len(), |at| at + 1);
        let tail = tail.get(cut..).unwrap_or_default();
        let mut head = lines(text(&self.head));
        let broken = !self.head.ends_with(b"\n");
        if broken && let Some(last) = head.last_mut() {
            last.push('…');
        }
        let dropped = (self.dropped_lines + 1).saturating_sub(u64::from(broken));
        Output { head, tail: lines(text(tail)), dropped }
    }
}

impl Output {
    /// Returns the number of lines, including dropped ones.
    pub fn count(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.dropped
    }

    /// Returns the kept lines, each with its number from 1.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (u64, &str)> {
        let behind = self.head.len() as u64 + self.dropped;
        let head = (1..).zip(&self.head).take(self.head.len()).collect::<Vec<(u64, &String)>>();
        let tail = (behind + 1..).zip(&self.tail).take(self.tail.len()).collect::<Vec<_>>();
        head.into_iter().chain(tail).map(|(number, line)| (number, line.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_much_comes_the_ends_are_kept_and_every_line_is_counted() {
        for (lines, width) in [(3, 5), (10_000, 20), (200_000, 9), (70_000, 40)] {
            let mut capture = Capture::default();
            for number in 1..=lines {
                capture.add(format!("{number:>width$}\n").as_bytes());
            }
            let output = capture.finish(|text| text);
            assert_eq!(output.count(), lines, "{lines} of {width}");
            let all: Vec<(u64, &str)> = output.lines().collect();
            assert_eq!(all.first().map(|(n, line)| (*n, line.trim())), Some((1, "1")));
            assert_eq!(
                all.last().map(|(n, line)| (*n, line.trim().to_owned())),
                Some((lines, lines.to_string()))
            );
            let right =
                |(number, line): &(u64, &str)| line.ends_with('…') || line.trim() == number.to_string();
            assert!(all.iter().all(right));
        }
    }
}
