//! A localization task: a commit's message, and the definitions that it changed. Scores a ranked list against it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// A task.
#[derive(Deserialize)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) repo_key: String,
    /// The commit's message.
    pub(super) query: String,
    /// Whether a target's name is in it.
    #[serde(default)]
    pub(super) leaky: bool,
    pub(super) targets: Vec<Target>,
}

/// A definition that the commit changed.
#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) path: String,
    pub(super) name: String,
    start_line: u32,
    /// How many definitions of the file have this name, and where they start.
    #[serde(default)]
    same_name_in_file: u32,
    #[serde(default)]
    same_name_starts: Vec<u32>,
    /// Names that count as well, for example of a function around it or inside it.
    #[serde(default)]
    accept: Vec<String>,
}

/// A definition that was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Found {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) start_line: u32,
}

/// The scores of a list. Shares are from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scores {
    pub(super) at_5: f64,
    pub(super) at_10: f64,
    pub(super) at_20: f64,
    pub(super) all: f64,
    pub(super) hit_at_10: f64,
    pub(super) reciprocal_rank: f64,
    pub(super) files_at_5: f64,
}

/// Scores a list, best first.
pub(super) fn score_ranking(task: &Task, ranked: &[Found]) -> Scores {
    let mut seen = HashSet::new();
    let ranked: Vec<&Found> = ranked.iter().filter(|found| seen.insert(*found)).collect();
    let rank = |target: &Target| ranked.iter().position(|found| hits_target(target, found)).map(|at| at + 1);
    let ranks: Vec<Option<usize>> = task.targets.iter().map(rank).collect();
    let within = |most: usize| {
        let count = ranks.iter().flatten().filter(|rank| **rank <= most).count();
        count as f64 / ranks.len().max(1) as f64
    };
    let best = ranks.iter().flatten().min().copied();
    let mut files: Vec<&str> = Vec::new();
    for found in &ranked {
        if !files.contains(&found.path.as_str()) {
            files.push(&found.path);
        }
    }
    let wanted: HashSet<&str> = task.targets.iter().map(|target| target.path.as_str()).collect();
    let first_files = files.iter().take(5).filter(|path| wanted.contains(*path)).count();
    Scores {
        at_5: within(5),
        at_10: within(10),
        at_20: within(20),
        all: within(usize::MAX),
        hit_at_10: f64::from(u8::from(best.is_some_and(|rank| rank <= 10))),
        reciprocal_rank: best.map_or(0.0, |rank| 1.0 / rank as f64),
        files_at_5: first_files as f64 / wanted.len().max(1) as f64,
    }
}

/// Whether a definition is the target.
fn hits_target(target: &Target, found: &Found) -> bool {
    if found.path != target.path {
        return false;
    }
    let name = simple_name(&found.name);
    if name != simple_name(&target.name) {
        return target.accept.iter().any(|other| simple_name(other) == name);
    }
    target.same_name_in_file < 2
        || meant_start(found.start_line, &target.same_name_starts) == Some(target.start_line)
}

/// Which of several definitions of one name starts at a line: the nearest within ten lines, else the next one below.
fn meant_start(line: u32, starts: &[u32]) -> Option<u32> {
    let near = starts.iter().copied().min_by_key(|start| start.abs_diff(line))?;
    if near.abs_diff(line) <= 10 {
        return Some(near);
    }
    starts.iter().copied().filter(|start| *start > line).min().or_else(|| starts.iter().copied().max())
}

/// The last part of a name, whatever separator the language uses: `close` of `Session.close`, `Session::close` or
/// `Session#close`.
fn simple_name(name: &str) -> &str {
    let last = name.rsplit("::").next().unwrap_or(name);
    last.rsplit(['.', '#', '/']).next().unwrap_or(last).trim_matches(['`', '"', '\'', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, name: &str, start_line: u32) -> Found {
        Found { path: path.into(), name: name.into(), start_line }
    }

    fn task() -> Task {
        serde_json::from_str(
            r#"{"id":"1","repo_key":"shop","query":"fix it","targets":[
                {"path":"a.py","name":"add","start_line":10,"same_name_in_file":2,"same_name_starts":[10,50]},
                {"path":"b.py","name":"Cart.pay","start_line":5,"accept":["inner"]}]}"#,
        )
        .unwrap()
    }

    #[test]
    fn ranks_files_and_repeats() {
        let list = [
            found("c.py", "x", 1),
            found("c.py", "x", 1),
            found("b.py", "pay", 5),
            found("a.py", "Cart.add", 12),
        ];
        let scores = score_ranking(&task(), &list);
        assert_eq!((scores.at_5, scores.all, scores.hit_at_10), (1.0, 1.0, 1.0));
        assert!((scores.reciprocal_rank - 0.5).abs() < 1e-9, "a repeat takes no rank");
        assert!((scores.files_at_5 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn definitions_of_one_name_are_distinguished_by_line() {
        assert!(score_ranking(&task(), &[found("a.py", "add", 48)]).all < 0.1, "that is the other one");
        assert!(score_ranking(&task(), &[found("a.py", "add", 12)]).all > 0.4);
        assert_eq!(meant_start(30, &[10, 50]), Some(50));
        assert_eq!(meant_start(90, &[10, 50]), Some(50));
    }

    #[test]
    fn what_is_inside_is_as_good() {
        assert!(score_ranking(&task(), &[found("b.py", "pay.inner", 7)]).all > 0.4);
        assert!(score_ranking(&task(), &[found("b.py", "other", 7)]).all < 0.1);
    }
}
