//! The names of clusters.

use std::collections::{HashMap, HashSet};

/// File names without meaning. Such files are named by their folder.
const NAMELESS: [&str; 6] = ["__init__", "index", "lib", "main", "mod", "package"];

/// One name for each cluster, from its files' paths: the deepest folder that contains two thirds of them and the hub,
/// else the hub's name. Where a bigger cluster has that name, the hub's name is added after it.
pub(super) fn cluster_labels(paths: &[Vec<&str>], hubs: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut out = Vec::with_capacity(paths.len());
    for (i, paths) in paths.iter().enumerate() {
        let (folder, hub) = (majority_folder(paths), hubs.get(i).copied().unwrap_or(""));
        let whole = path_label(hub);
        let leads = !folder.is_empty() && hub.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let short = if leads { folder.to_owned() } else { whole.to_owned() };
        // A hub's path belongs to one cluster only: the last of these is free.
        let free = [short.clone(), whole.to_owned(), format!("{short}: {hub}")]
            .into_iter()
            .find(|label| !taken.contains(label));
        let label = free.unwrap_or_else(|| format!("{short}: {hub} {i}"));
        taken.insert(label.clone());
        out.push(label);
    }
    out
}

/// A path without its extension, or its folder if the file's name has no meaning.
fn path_label(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    if NAMELESS.contains(&stem) && !folder.is_empty() {
        return folder;
    }
    let end = path.len() - name.len() + name.find(stem).unwrap_or(0) + stem.len();
    path.get(..end).unwrap_or(path)
}

/// The deepest folder that holds at least two thirds of the files; the root is empty.
fn majority_folder<'p>(paths: &[&'p str]) -> &'p str {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for path in paths {
        for (at, _) in path.match_indices('/') {
            *counts.entry(path.get(..at).unwrap_or("")).or_default() += 1;
        }
    }
    let holds = |count: usize| count * 3 >= paths.len() * 2;
    let folders = counts.into_iter().filter(|(_, count)| holds(*count)).map(|(folder, _)| folder);
    // Two folders that each hold two thirds contain one another, so the longest is the deepest.
    folders.max_by_key(|folder| folder.len()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_goes_by_its_deepest_common_folder() {
        assert_eq!(majority_folder(&["a/b/c.py", "a/b/d/e.py", "x.py"]), "a/b");
        assert_eq!(majority_folder(&["a.py", "b/c.py"]), "");
        let some = vec!["src/x.py", "src/y.py"];
        let named =
            cluster_labels(&[some.clone(), some.clone(), some], &["src/x.py", "src/y.py", "src/w/y.py"]);
        assert_eq!(named, ["src", "src/y", "src/w/y"]);
        assert_eq!(cluster_labels(&[vec!["a.py", "b.py"]], &["b.py"]), ["b"]);
        let tested = vec!["tests/a.py", "tests/b.py", "tests/c.py", "app/db/__init__.py"];
        assert_eq!(cluster_labels(&[tested], &["app/db/__init__.py"]), ["app/db"], "not what only tests it");
        assert_eq!(
            cluster_labels(&[vec!["app/db/query.py", "lib/x.py"]], &["app/db/query.py"]),
            ["app/db/query"]
        );
        assert_eq!(
            [path_label(".bashrc"), path_label("a/.x.y"), path_label("lib.rs")],
            [".bashrc", "a/.x", "lib"]
        );
    }
}
