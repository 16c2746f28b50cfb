//! The commits that were there before a task's own: `SDL_HISTORIES/<repo_key>.jsonl`, a line
//! `{"commit", "seconds", "message", "files"}` each, newest first. Without that folder there is no history.

use std::sync::Arc;

use sdl_model::{FileId, RelPath};
use sdl_retrieve::past::{NoPast, Past, PastCommit};
use serde_json::Value;

/// As many commits as the daemon looks at, and as many files of one.
const COMMITS: usize = 1_000;
const MOST_FILES: usize = 60;

/// One repository's commits, newest first.
pub(crate) struct History(Vec<(String, Option<Arc<PastCommit>>)>);

impl History {
    /// Of the repository of that key.
    pub(crate) fn of(key: &str) -> Self {
        let Ok(folder) = std::env::var("SDL_HISTORIES") else { return Self(Vec::new()) };
        let text = std::fs::read_to_string(format!("{folder}/{key}.jsonl")).unwrap_or_default();
        let commit = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            let files = line["files"].as_array().map_or(&[][..], Vec::as_slice);
            let ids = files.iter().filter_map(|path| RelPath::new(path.as_str()?));
            let (seconds, message) = (line["seconds"].as_i64().unwrap(), line["message"].as_str().unwrap());
            let told = (files.len() <= MOST_FILES)
                .then(|| PastCommit::new(seconds, message, ids.map(|path| FileId::of(&path)).collect()));
            (line["commit"].as_str().unwrap().to_owned(), told.map(Arc::new))
        };
        Self(text.lines().map(commit).collect())
    }

    /// The history before a task's commit. Nothing if the commit is not in it.
    pub(crate) fn before(&self, task: &Value) -> Result<Arc<Past>, NoPast> {
        let at = self.0.iter().position(|(commit, _)| task["commit"] == **commit).ok_or(NoPast::None)?;
        let commits = self.0[at + 1..].iter().filter_map(|(_, told)| told.clone()).take(COMMITS);
        Ok(Arc::new(Past::of(commits.collect())))
    }
}
