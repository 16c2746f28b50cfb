//! What clusters are called.

use std::collections::{HashMap, HashSet};

/// One name for each cluster, from its files' paths: the deepest folder that two thirds of them lie in. Where a bigger
/// cluster has that name, the hub's name stands behind it.
pub(super) fn labels(paths: &[Vec<&str>], hubs: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut out = Vec::with_capacity(paths.len());
    for (i, paths) in paths.iter().enumerate() {
        let (folder, hub) = (folder(paths), hubs.get(i).copied().unwrap_or(""));
        let name = hub.rsplit('/').next().unwrap_or(hub);
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
        let short = if folder.is_empty() { stem.to_owned() } else { folder.to_owned() };
        // A hub's path belongs to one cluster only: the last of these is free.
        let free = [short.clone(), format!("{short}: {stem}"), format!("{short}: {hub}")]
            .into_iter()
            .find(|label| !taken.contains(label));
        let label = free.unwrap_or_else(|| format!("{short}: {hub} {i}"));
        taken.insert(label.clone());
        out.push(label);
    }
    out
}

/// The deepest folder that holds at least two thirds of the files; the root is empty.
fn folder<'p>(paths: &[&'p str]) -> &'p str {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for path in paths {
        for (at, _) in path.match_indices('/') {
            *counts.entry(path.get(..at).unwrap_or("")).or_default() += 1;
        }
    }
    let holds = |count: usize| count * 3 >= paths.len() * 2;
    let folders = counts.into_iter().filter(|(_, count)| holds(*count)).map(|(folder, _)| folder);
    // Two folders that each hold two thirds lie in one another, so that the longest is the deepest.
    folders.max_by_key(|folder| folder.len()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_goes_by_its_deepest_common_folder() {
        assert_eq!(folder(&["a/b/c.py", "a/b/d/e.py", "x.py"]), "a/b");
        assert_eq!(folder(&["a.py", "b/c.py"]), "");
        let some = vec!["src/x.py", "src/y.py"];
        let named = labels(&[some.clone(), some.clone(), some], &["src/x.py", "src/y.py", "src/w/y.py"]);
        assert_eq!(named, ["src", "src: y", "src: src/w/y.py"]);
        assert_eq!(labels(&[vec!["a.py", "b.py"]], &["b.py"]), ["b"]);
    }
}
