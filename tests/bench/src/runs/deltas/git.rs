//! Git's view of a commit: the files it touches, and the lines.

use std::path::Path;
use std::process::Command;

use crate::Outcome;

/// A file that two commits have otherwise, and at which lines.
pub(super) struct FileDiff {
    pub(super) path: String,
    /// First line and number of lines, in the older file. Without lines: between that line and the next.
    pub(super) old: Vec<(u32, u32)>,
    /// The same in the newer one.
    pub(super) new: Vec<(u32, u32)>,
}

/// Runs git in `root`, which has to succeed.
pub(in crate::runs) fn run_git(root: &Path, args: &[&str]) -> Outcome<Vec<u8>> {
    let done =
        Command::new("git").args(["-c", "core.quotePath=false"]).args(args).current_dir(root).output()?;
    if !done.status.success() {
        return Err(format!("git {args:?}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(done.stdout)
}

/// The same, its output as text.
pub(in crate::runs) fn git_text(root: &Path, args: &[&str]) -> Outcome<String> {
    Ok(String::from_utf8_lossy(&run_git(root, args)?).trim().to_owned())
}

/// The newest commits with exactly one parent, each with that, newest first.
pub(super) fn newest_commits(root: &Path, most: usize) -> Outcome<Vec<(String, String)>> {
    let most = format!("-n{most}");
    let log = git_text(root, &["log", "--no-merges", "--format=%H %P", &most, "HEAD"])?;
    let pairs = log.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs.map(|(commit, parent)| (commit.to_owned(), parent.to_owned())).collect())
}

/// The bytes of a file in a commit; none if it is not there.
pub(in crate::runs) fn read_blob(root: &Path, commit: &str, path: &str) -> Option<Vec<u8>> {
    run_git(root, &["cat-file", "blob", &format!("{commit}:{path}")]).ok()
}

/// The lines that differ. A renamed file is one that went and one that came.
pub(super) fn diff_commits(root: &Path, from: &str, to: &str) -> Outcome<Vec<FileDiff>> {
    let args = ["diff", "-U0", "--no-renames", "--no-color", "--no-ext-diff", "--diff-algorithm=histogram"];
    let out = run_git(root, &[&args[..], &[from, to]].concat())?;
    let out = String::from_utf8_lossy(&out);
    let mut files: Vec<FileDiff> = Vec::new();
    // Lines of a hunk's body that are still to come: they can look like anything.
    let mut body = 0;
    let mut old_path = "";
    for line in out.lines() {
        if body > 0 {
            body -= u32::from(!line.starts_with('\\'));
        } else if let Some(path) = line.strip_prefix("--- ") {
            old_path = path;
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.strip_prefix("b/").or_else(|| old_path.strip_prefix("a/")).unwrap_or(path);
            // Git ends a name that has spaces with a tab.
            let path = path.trim_end_matches('\t').to_owned();
            files.push(FileDiff { path, old: Vec::new(), new: Vec::new() });
        } else if let Some((ranges, _)) = line.strip_prefix("@@ -").and_then(|rest| rest.split_once(" @@")) {
            let (old, new) = ranges.split_once(" +").ok_or("a hunk without a second range")?;
            let (old, new) = (parse_range(old)?, parse_range(new)?);
            body = old.1 + new.1;
            let file = files.last_mut().ok_or("a hunk without a file")?;
            file.old.push(old);
            file.new.push(new);
        }
    }
    Ok(files)
}

fn parse_range(text: &str) -> Outcome<(u32, u32)> {
    let (line, count) = text.split_once(',').unwrap_or((text, "1"));
    Ok((line.parse()?, count.parse()?))
}
