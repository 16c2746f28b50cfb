//! The output of a command, and lines of it.

use serde::{Deserialize, Serialize};

use crate::Output;

/// Lines shown around a line that was found.
const AROUND: u64 = 2;

/// What a command wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Artifact {
    /// When, in Unix milliseconds.
    pub at_ms: u64,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
}

/// Which output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What it answered.
    Stdout,
    /// What it complained about.
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

/// Lines that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Of which stream.
    pub stream: Stream,
    /// The first line, from 1.
    pub from: u64,
    /// The last line.
    pub to: u64,
    /// The lines.
    pub text: String,
}

/// Which lines are wanted.
pub struct Wanted<'w> {
    /// Of which stream; both if none.
    pub stream: Option<Stream>,
    /// First and last line.
    pub lines: (u64, u64),
    /// Whether a line is one of those looked for; none for every line.
    pub finds: Option<&'w dyn Fn(&str) -> bool>,
}

impl Artifact {
    /// The lines wanted, in order; found ones with a few around them, joined where they touch.
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
