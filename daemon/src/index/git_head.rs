//! Where git's HEAD points, read by gix. Runs no git, writes nothing.

use std::path::Path;

use sdl_model::GitHead;

/// Reads HEAD of the work tree at `root`; none if it is no git work tree or its HEAD can't be read.
pub fn read(root: &Path) -> Option<GitHead> {
    if !root.join(".git").exists() {
        return None;
    }
    let repo = gix::open_opts(root, gix::open::Options::isolated())
        .inspect_err(|error| tracing::debug!(?root, %error, "not readable as a git work tree"))
        .ok()?;
    let branch = repo.head_name().ok().flatten().map(|name| name.shorten().to_string());
    let commit = repo.head_commit().ok();
    let commit_time = commit.as_ref().and_then(|commit| commit.time().ok()).map(|time| time.seconds);
    Some(GitHead { branch, commit: commit.map(|commit| commit.id.to_string()), commit_time })
}
