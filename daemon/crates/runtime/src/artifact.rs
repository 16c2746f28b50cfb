//! The output of a command, and lines of it.

use serde::{Deserialize, Serialize};

use crate::Output;

/// Lines shown around a match.
const AROUND: u64 = 2;

/// The output of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Artifact {
    /// When the command ran, in Unix milliseconds.
    pub at_ms: u64,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
}

/// One of the two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// Consecutive lines of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The stream that they are from.
    pub stream: Stream,
    /// The first line, from 1.
    pub from: u64,
    /// The last line.
    pub to: u64,
    /// The lines.
    pub text: String,
}

/// A selection of lines.
pub struct Wanted<'w> {
    /// The stream; both if none.
    pub stream: Option<Stream>,
    /// First and last line.
    pub lines: (u64, u64),
    /// Whether a line matches; none for every line.
    pub finds: Option<&'w dyn Fn(&str) -> bool>,
}

impl Artifact {
    /// Returns the selected lines in order; matches come with a few lines around them, joined where they touch.
    pub fn excerpts(&self, wanted: &Wanted<'_>) -> Vec<Excerpt> {
        let mut found: Vec<Excerpt> = Vec::new();
        for (stream, output) in [(Stream::Stdout, &self.stdout), (Stream::Stderr, &self.stderr)] {
            if wanted.stream.is_some_and(|only| only != stream) {
                continue;
            }
            let (from, to) = wanted.lines;
            let lines: Vec<(u64, &str)> =
                output.lines().filter(|(number, _)| (from..=to).contains(number)).collect();
            let hits: Option<Vec<u64>> = wanted.finds.map(|finds| {
                lines.iter().filter(|(_, line)| finds(line)).map(|(number, _)| *number).collect()
            });
            for (number, line) in lines {
                let near = |hits: &Vec<u64>| {
                    let next = hits.partition_point(|hit| *hit + AROUND < number);
                    hits.get(next).is_some_and(|hit| hit.saturating_sub(AROUND) <= number)
                };
                if hits.as_ref().is_some_and(|hits| !near(hits)) {
                    continue;
                }
                match found.last_mut() {
                    Some(last) if last.stream == stream && last.to + 1 == number => {
                        last.to = number;
                        last.text.push('\n');
                        last.text.push_str(line);
                    }
                    _ => found.push(Excerpt { stream, from: number, to: number, text: line.to_owned() }),
                }
            }
        }
        found
    }
}
