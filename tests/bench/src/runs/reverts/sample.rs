//! A repository's history to commits that went wrong, each with one beside it that did not.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use crate::Outcome;

/// Newest commits that are looked at.
const LOOKED_AT: usize = 20_000;
/// How far from a commit, in commits, the one beside it may be.
const NEAR: usize = 300;
/// Lines of code that a commit may touch.
const LINES: std::ops::RangeInclusive<u32> = 3..=1_500;
/// The words before the name of a commit that is undone or to blame.
const BLAMES: &[&str] = &[
    "this reverts commit",
    "reverts commit",
    "fixes:",
    "fixes commit",
    "regression from",
    "regression in",
    "regression since",
    "regression introduced in",
    "regression introduced by",
    "introduced in",
    "introduced by",
    "introduced with",
    "broken by",
    "broken in",
    "broken since",
    "broke in",
    "bug from",
];
/// How the names of files with code end.
const CODE: &[&str] = &[
    "c", "h", "cc", "cpp", "hpp", "cs", "go", "java", "js", "jsx", "mjs", "kt", "php", "py", "rb", "rs",
    "sh", "ts", "tsx",
];

/// A commit with one parent.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) id: String,
    pub(super) parent: String,
    /// Lines of code that it adds or takes away.
    pub(super) lines: u32,
    message: String,
}

/// A commit that went wrong, by whose word, and another.
pub(super) struct Pair {
    pub(super) bad: Commit,
    pub(super) by: String,
    pub(super) other: Commit,
}

/// The newest `wanted` commits that went wrong, newest first: each is compared from a state near the last one.
pub(super) fn sample_pairs(root: &Path, wanted: usize) -> Outcome<Vec<Pair>> {
    let commits = newest_commits(root)?;
    let blamed = blamed_commits(&commits);
    let mut taken: HashSet<usize> = HashSet::new();
    let mut pairs = Vec::new();
    for (at, bad) in commits.iter().enumerate() {
        let Some(by) = blamed.get(&at).filter(|_| is_plain(bad)) else { continue };
        // First as alike in size, then as near in the history as possible.
        let distance = |other: usize| {
            let ratio = f64::from(bad.lines) / f64::from(commits[other].lines);
            ((ratio.ln().abs() * 10.0) as u32, other.abs_diff(at))
        };
        let near = at.saturating_sub(NEAR)..(at + NEAR).min(commits.len());
        let other = near
            .filter(|other| {
                !blamed.contains_key(other) && !taken.contains(other) && is_plain(&commits[*other])
            })
            .min_by_key(|other| distance(*other));
        let Some(other) = other else { continue };
        taken.insert(other);
        pairs.push(Pair { bad: bad.clone(), by: commits[*by].id.clone(), other: commits[other].clone() });
        if pairs.len() == wanted {
            break;
        }
    }
    Ok(pairs)
}

/// Whether a commit is of a size to be looked at and does not itself undo one.
fn is_plain(commit: &Commit) -> bool {
    let subject = commit.message.lines().next().unwrap_or_default().to_lowercase();
    LINES.contains(&commit.lines) && !subject.contains("revert")
}

/// The newest commits with one parent, newest first.
fn newest_commits(root: &Path) -> Outcome<Vec<Commit>> {
    let most = format!("-n{LOOKED_AT}");
    let args = [
        "log",
        "--no-merges",
        "--no-renames",
        "--numstat",
        "--format=%x01%H %P%x02%B%x03",
        &most,
        "HEAD",
        "--",
    ];
    // Only code is asked for: a copy of a history may lack its largest files.
    let code = CODE.iter().map(|ending| format!("*.{ending}"));
    let done = Command::new("git").args(args).args(code).current_dir(root).output()?;
    if !done.status.success() {
        return Err(format!("git log: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    let log = String::from_utf8_lossy(&done.stdout).into_owned();
    let commits = log.split('\u{1}').filter_map(|entry| {
        let (ids, rest) = entry.split_once('\u{2}')?;
        let (message, stat) = rest.split_once('\u{3}')?;
        let (id, parent) = ids.split_once(' ')?;
        let lines = stat.lines().filter_map(code_lines).sum();
        Some(Commit { id: id.to_owned(), parent: parent.to_owned(), lines, message: message.to_owned() })
    });
    Ok(commits.filter(|commit| !commit.parent.contains(' ')).collect())
}

/// The changed lines that one line of `--numstat` counts, if it is for code.
fn code_lines(stat: &str) -> Option<u32> {
    let mut parts = stat.split('\t');
    let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let lines = added.parse::<u32>().ok()? + removed.parse::<u32>().ok()?;
    CODE.contains(&ending).then_some(lines)
}

/// The positions of commits that a later one names as undone or to blame, each with the position of the later one.
fn blamed_commits(commits: &[Commit]) -> HashMap<usize, usize> {
    let mut sorted: Vec<(&str, usize)> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id.as_str(), at)).collect();
    sorted.sort_unstable();
    let mut blamed = HashMap::new();
    for (by, commit) in commits.iter().enumerate() {
        for name in blamed_names(&commit.message) {
            let first = sorted.partition_point(|(id, _)| *id < name.as_str());
            let Some((id, at)) = sorted.get(first) else { continue };
            // Newest first: a later commit has a lower position.
            if id.starts_with(&name) && by < *at {
                blamed.entry(*at).or_insert(by);
            }
        }
    }
    blamed
}

/// The commits that a message blames.
fn blamed_names(message: &str) -> Vec<String> {
    let text = message.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut found = Vec::new();
    for blame in BLAMES {
        for (at, _) in text.match_indices(blame) {
            let rest = text.get(at + blame.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches([' ', ':', '`', '(']);
            let rest = rest.strip_prefix("commit ").unwrap_or(rest);
            let name: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            if (7..=40).contains(&name.len()) && name.bytes().any(|byte| byte.is_ascii_digit()) {
                found.push(name);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::blamed_names;

    #[test]
    fn blame_is_read_from_a_message() {
        let revert = "Revert \"Add x\"\n\nThis reverts commit\n0a1b2c3d4e5f60718293a4b5c6d7e8f901234567.";
        assert_eq!(blamed_names(revert), ["0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"; 2]);
        assert_eq!(blamed_names("f: fix it\n\nRegression from 12ab34cd\nFixes: deadbeef1 (\"x\")").len(), 2);
        assert!(blamed_names("Fixes #1234567, see 12ab34cd").is_empty());
    }
}
