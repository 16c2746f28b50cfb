//! Reads git's HEAD.

use std::path::Path;

use sdl_model::GitHead;

use crate::git::{self, GitError};

/// Reads HEAD of the work tree that `root` is, or is a folder of; none if there is none.
pub fn read_head(root: &Path) -> Result<Option<GitHead>, GitError> {
    let Some(opened) = git::open_repository(root)? else { return Ok(None) };
    let repo = &opened.repo;
    let branch = repo.head_name().ok().flatten().map(|name| name.shorten().to_string());
    let commit = repo.head_commit().ok();
    let commit_time = commit.as_ref().and_then(|commit| commit.time().ok()).map(|time| time.seconds);
    Ok(Some(GitHead { branch, commit: commit.map(|commit| commit.id.to_string()), commit_time }))
}
