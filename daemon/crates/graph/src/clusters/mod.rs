//! Clusters: which files belong together, found in the graph alone.
//!
//! The symbols' edges are summed up by file; the files are grouped so that as much of their weight as possible stays
//! inside the groups (modularity, by local moves in a fixed order and in integers). A symbol's cluster is its file's.
//! All of it is a pure function of the version: order of edits, clocks and hash seeds play no part.

mod cache;
mod label;
mod moves;
mod rows;

use std::collections::HashMap;

use sdl_model::FileId;

pub use cache::ClusterCache;
pub use rows::FileRows;

/// One cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The folder of most of its files, such as `src/api`. If two clusters share a folder, the hub's name is added.
    /// Unique.
    pub label: String,
    /// How many files.
    pub files: u32,
    /// The path of the file with most of the cluster's weight, such as `src/api/server.ts`.
    pub hub: String,
    /// Weight of the edges between its files.
    pub inner: u64,
    /// Weight of the edges to other clusters, the heaviest first: place in [`Clusters::list`], weight.
    pub outer: Vec<(u32, u64)>,
}

impl Cluster {
    /// The share of its weight that stays inside, in percent.
    pub fn cohesion(&self) -> u32 {
        let outer: u64 = self.outer.iter().map(|(_, weight)| weight).sum();
        (self.inner * 100).checked_div(self.inner + outer).unwrap_or(0) as u32
    }
}

/// The clusters of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Most files first.
    pub list: Vec<Cluster>,
    of: HashMap<FileId, u32>,
}

fn in_order(near: HashMap<u32, u64>) -> Vec<(u32, u64)> {
    let mut near: Vec<_> = near.into_iter().collect();
    near.sort_unstable();
    near
}

/// The nodes of each group, which are numbered from zero.
fn by_group(groups: &[u32]) -> Vec<Vec<u32>> {
    let mut members: Vec<Vec<u32>> = Vec::new();
    for (node, group) in (0u32..).zip(groups) {
        let group = *group as usize;
        if members.len() <= group {
            members.resize(group + 1, Vec::new());
        }
        if let Some(members) = members.get_mut(group) {
            members.push(node);
        }
    }
    members
}

/// The weight of all edges within each cluster, and from it to each other one.
fn cluster_weights(
    clusters: usize,
    directed: Vec<(u32, u32, u64)>,
    at: impl Fn(u32) -> Option<u32>,
) -> (Vec<u64>, Vec<HashMap<u32, u64>>) {
    let mut inner = vec![0u64; clusters];
    let mut outer: Vec<HashMap<u32, u64>> = vec![HashMap::new(); clusters];
    for (from, to, weight) in directed {
        let (Some(one), Some(other)) = (at(from), at(to)) else { continue };
        if one != other {
            if let Some(outer) = outer.get_mut(one as usize) {
                *outer.entry(other).or_default() += weight;
            }
        } else if let Some(inner) = inner.get_mut(one as usize) {
            *inner += weight;
        }
    }
    (inner, outer)
}

impl Clusters {
    /// The cluster that a file belongs to; none for a file without edges.
    pub fn of_file(&self, file: FileId) -> Option<&Cluster> {
        self.list.get(*self.of.get(&file)? as usize)
    }

    /// Groups files by the weight between them.
    pub fn of(rows: &FileRows) -> Self {
        let nodes = rows.by_path();
        let place: HashMap<FileId, u32> =
            nodes.iter().enumerate().map(|(i, (file, _))| (*file, i as u32)).collect();
        // An edge counts for both of its ends.
        let mut near: Vec<HashMap<u32, u64>> = vec![HashMap::new(); nodes.len()];
        let mut directed: Vec<(u32, u32, u64)> = Vec::new();
        for (from, (_, row)) in (0u32..).zip(&nodes) {
            for (to, weight) in &row.out {
                let Some(to) = place.get(to).copied().filter(|to| *to != from) else { continue };
                directed.push((from, to, *weight));
                for (one, other) in [(from, to), (to, from)] {
                    if let Some(near) = near.get_mut(one as usize) {
                        *near.entry(other).or_default() += weight;
                    }
                }
            }
        }
        let near: Vec<Vec<(u32, u64)>> = near.into_iter().map(in_order).collect();
        let mut members = by_group(&moves::find_groups(&near));
        members.retain(|members| members.len() > 1);
        // Members are in order of path, so that the first one tells clusters of one size apart.
        members.sort_by_key(|members| (std::cmp::Reverse(members.len()), members.first().copied()));
        let mut home: Vec<Option<u32>> = vec![None; nodes.len()];
        for (cluster, members) in (0u32..).zip(&members) {
            for node in members {
                if let Some(home) = home.get_mut(*node as usize) {
                    *home = Some(cluster);
                }
            }
        }
        let at = |node: u32| home.get(node as usize).copied().flatten();
        let (inner, outer) = cluster_weights(members.len(), directed, at);
        let path = |node: u32| nodes.get(node as usize).map_or("", |(_, row)| row.path.as_str());
        let hubs: Vec<&str> = members
            .iter()
            .map(|members| {
                let weight = |node: &u32| {
                    let near = near.get(*node as usize).into_iter().flatten();
                    near.filter(|(other, _)| at(*other) == at(*node)).map(|(_, weight)| weight).sum::<u64>()
                };
                let hub = members.iter().copied().max_by_key(|node| (weight(node), std::cmp::Reverse(*node)));
                hub.map_or("", path)
            })
            .collect();
        let paths: Vec<Vec<&str>> =
            members.iter().map(|members| members.iter().map(|node| path(*node)).collect()).collect();
        let labels = label::cluster_labels(&paths, &hubs);
        let list = labels.into_iter().zip(&members).zip(&hubs).zip(inner.into_iter().zip(outer));
        let list = list
            .map(|(((label, members), hub), (inner, outer))| {
                let mut outer: Vec<(u32, u64)> = outer.into_iter().collect();
                outer.sort_unstable_by_key(|(cluster, weight)| (std::cmp::Reverse(*weight), *cluster));
                Cluster { label, files: members.len() as u32, hub: (*hub).to_owned(), inner, outer }
            })
            .collect();
        let of = nodes.iter().zip(&home).filter_map(|((file, _), home)| Some((*file, (*home)?))).collect();
        Self { list, of }
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::RelPath;

    use super::*;

    fn rows(edges: &[(&str, &str, u64)]) -> FileRows {
        let id = |path: &str| FileId::of(&RelPath::new(path).unwrap());
        let mut out: HashMap<&str, Vec<(FileId, u64)>> = HashMap::new();
        for (from, to, weight) in edges {
            out.entry(to).or_default();
            out.entry(from).or_default().push((id(to), *weight));
        }
        let mut rows = FileRows::default();
        for (path, mut to) in out {
            to.sort_unstable();
            rows.set(id(path), path, to);
        }
        rows
    }

    #[test]
    fn files_that_hang_together_are_a_cluster() {
        let edges = [
            ("app/db/a.py", "app/db/b.py", 900),
            ("app/db/b.py", "app/db/c.py", 900),
            ("app/db/c.py", "app/db/a.py", 900),
            ("app/ui/x.py", "app/ui/y.py", 900),
            ("app/ui/y.py", "app/ui/z.py", 900),
            ("app/ui/x.py", "app/ui/z.py", 900),
            ("app/ui/x.py", "app/db/a.py", 100),
        ];
        let clusters = Clusters::of(&rows(&edges));
        let told: Vec<_> =
            clusters.list.iter().map(|c| (c.label.as_str(), c.files, c.cohesion(), c.outer.len())).collect();
        assert_eq!(told, [("app/db", 3, 100, 0), ("app/ui", 3, 96, 1)]);
        let alone = FileId::of(&RelPath::new("README").unwrap());
        assert_eq!(clusters.of_file(alone), None);
        let mut other_way = edges;
        other_way.reverse();
        assert_eq!(Clusters::of(&rows(&other_way)), clusters, "the order of edges plays no part");
        assert_eq!(Clusters::of(&FileRows::default()), Clusters::default());
    }

    #[test]
    fn clusters_of_one_folder_go_by_their_hubs_too() {
        let edges = [
            ("src/a1.py", "src/a.py", 500),
            ("src/a2.py", "src/a.py", 500),
            ("src/b1.py", "src/b.py", 500),
            ("src/b2.py", "src/b.py", 500),
        ];
        let labels: Vec<_> = Clusters::of(&rows(&edges)).list.into_iter().map(|c| c.label).collect();
        assert_eq!(labels, ["src", "src/b"]);
    }
}
