//! The output of commands, kept under handles.

use sdl_ledger::AgentStore;
use sdl_model::ids::stable_hash;
use serde::{Deserialize, Serialize};

use super::Output;
use crate::stored::tables::ARTIFACTS;
use crate::{ToolError, stored};

const LAYOUT: u8 = 1;
/// Outputs kept of one repository; the oldest make room.
const MOST: usize = 20;
/// Lines shown around a line that was found.
const AROUND: u64 = 2;

/// What a command wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Artifact {
    pub(crate) at_ms: u64,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
}

/// Which output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum Stream {
    /// What it answered.
    Stdout,
    /// What it complained about.
    Stderr,
}

/// Lines that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) stream: Stream,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) text: String,
}

/// Which lines are wanted.
pub(crate) struct Wanted<'w> {
    /// Of which stream; both if none.
    pub(crate) stream: Option<Stream>,
    /// First and last line.
    pub(crate) lines: (u64, u64),
    /// Whether a line is one of those looked for; none for every line.
    pub(crate) finds: Option<&'w dyn Fn(&str) -> bool>,
}

/// Keeps an output and returns its handle.
pub(crate) fn keep(store: &AgentStore, repo: &str, artifact: &Artifact) -> Result<String, ToolError> {
    let bytes = stored::to_bytes(LAYOUT, artifact)?;
    Ok(store.write(|writer| {
        let keys = stored::keys(writer, ARTIFACTS, repo)?;
        for oldest in keys.iter().take((keys.len() + 1).saturating_sub(MOST)) {
            writer.delete(ARTIFACTS, oldest)?;
        }
        // In order of time, with the repository mixed in: a handle names one output of all.
        let mut number = artifact.at_ms << 16 | stable_hash(&[repo.as_bytes()]) & 0xffff;
        let handle = loop {
            let handle = format!("art_{}", stored::digits(number));
            if writer.get(ARTIFACTS, &stored::key(repo, &handle))?.is_none() {
                break handle;
            }
            number += 1 << 16;
        };
        writer.put(ARTIFACTS, &stored::key(repo, &handle), &bytes)?;
        Ok(handle)
    })?)
}

/// The output of a handle.
pub(crate) fn find(store: &AgentStore, repo: &str, handle: &str) -> Result<Option<Artifact>, ToolError> {
    let key = stored::key(repo, handle);
    if key.len() > AgentStore::MAX_KEY {
        return Ok(None);
    }
    Ok(store.read(|reader| {
        Ok(reader.get(ARTIFACTS, &key)?.and_then(|bytes| stored::from_bytes(LAYOUT, bytes)))
    })?)
}

impl Artifact {
    /// The lines wanted, in order; found ones with a few around them, joined where they touch.
    pub(crate) fn excerpts(&self, wanted: &Wanted<'_>) -> Vec<Excerpt> {
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
