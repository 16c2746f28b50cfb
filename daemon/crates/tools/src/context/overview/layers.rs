//! Layers: which folders depend on which.

use std::collections::{BTreeMap, BTreeSet};

use super::Folder;

/// Returns the folders in layers, the lowest (which depends on no other) first. Folders that depend on each other in a
/// circle are in one layer. Between two folders only the stronger direction counts, so that one stray import does not
/// merge a stack into a circle.
pub(crate) fn folder_layers(folders: &BTreeMap<String, Folder>) -> Vec<Vec<String>> {
    let names: Vec<&String> = folders.keys().collect();
    let weight = |from: &str, to: &str| folders.get(from).and_then(|f| f.out.get(to)).copied().unwrap_or(0);
    let below: Vec<BTreeSet<usize>> = names
        .iter()
        .map(|from| {
            let on =
                |to: &&String| from != to && weight(from, to) > 0 && weight(from, to) >= weight(to, from);
            names.iter().enumerate().filter(|(_, to)| on(to)).map(|(i, _)| i).collect()
        })
        .collect();
    let reach: Vec<BTreeSet<usize>> = (0..names.len()).map(|start| reachable_from(start, &below)).collect();
    let mut height: BTreeMap<usize, usize> = BTreeMap::new();
    // Folders that reach fewer others come first: in this order, all dependencies of a folder are placed before it.
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|i| (reach.get(*i).map_or(0, BTreeSet::len), *i));
    for i in order {
        let Some(reached) = reach.get(i) else { continue };
        let circle = |other: &usize| reach.get(*other).is_some_and(|back| back.contains(&i));
        let on = reached.iter().filter(|other| !circle(other)).filter_map(|other| height.get(other)).max();
        height.insert(i, on.map_or(0, |height| height + 1));
    }
    let mut out: Vec<Vec<String>> = Vec::new();
    for (i, height) in height {
        if out.len() <= height {
            out.resize(height + 1, Vec::new());
        }
        if let (Some(layer), Some(name)) = (out.get_mut(height), names.get(i)) {
            layer.push((*name).clone());
        }
    }
    out.retain(|layer| !layer.is_empty());
    out
}

fn reachable_from(start: usize, below: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![start];
    while let Some(at) = todo.pop() {
        for next in below.get(at).into_iter().flatten() {
            if seen.insert(*next) {
                todo.push(*next);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(edges: &[(&str, &str, u64)]) -> BTreeMap<String, Folder> {
        let mut all: BTreeMap<String, Folder> = BTreeMap::new();
        for (from, to, count) in edges {
            all.entry((*to).to_owned()).or_default();
            all.entry((*from).to_owned()).or_default().out.insert((*to).to_owned(), *count);
        }
        all
    }

    #[test]
    fn folders_stand_on_what_they_use() {
        let all = folders(&[("app", "db", 9), ("app", "util", 3), ("db", "util", 2), ("util", "app", 1)]);
        assert_eq!(
            folder_layers(&all),
            [vec!["util"], vec!["db"], vec!["app"]],
            "the stray edge does not count"
        );
        let circle = folders(&[("a", "b", 5), ("b", "c", 5), ("c", "a", 5), ("d", "a", 1)]);
        assert_eq!(folder_layers(&circle), [vec!["a", "b", "c"], vec!["d"]]);
        assert!(folder_layers(&BTreeMap::new()).is_empty());
    }
}
