//! The weight between files: all that clusters are made from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use sdl_ledger::{Result, Snapshot, View as _};
use sdl_model::{Edge, EdgeKind, FileId, Resolution, Version};

/// A file and what its symbols lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) path: String,
    /// Other files, sorted, and the weight of the edges into each.
    pub(super) out: Vec<(FileId, u64)>,
}

/// The weight between the files of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRows(HashMap<FileId, Row>);

impl FileRows {
    /// Of every file of a version.
    pub fn read(snapshot: &Snapshot<'_>) -> Result<Self> {
        let mut files = Vec::new();
        snapshot.files_under("", &mut |file, path| {
            files.push((file, path.to_owned()));
            ControlFlow::Continue(())
        })?;
        let mut rows = Self::default();
        for (file, path) in files {
            let out = outgoing_files(snapshot, file)?;
            rows.set(file, &path, out);
        }
        Ok(rows)
    }

    /// Brings the rows of `from` up to the snapshot's version; whether any changed.
    pub(super) fn advance(&mut self, snapshot: &Snapshot<'_>, from: Version) -> Result<bool> {
        let changes = snapshot.changes_since(from)?;
        let mut touched: BTreeMap<FileId, Option<String>> = BTreeMap::new();
        for change in &changes.files {
            touched.insert(change.file, change.new.as_ref().map(|row| row.path.as_str().to_owned()));
        }
        let mut sources: BTreeSet<FileId> = BTreeSet::new();
        for symbol in &changes.edges {
            sources.extend(snapshot.symbol_file(*symbol)?);
        }
        for file in sources {
            if let std::collections::btree_map::Entry::Vacant(place) = touched.entry(file) {
                place.insert(snapshot.file(file)?.map(|row| row.path.as_str().to_owned()));
            }
        }
        let mut changed = false;
        for (file, path) in touched {
            let row = match path {
                Some(path) => Some(Row { path, out: outgoing_files(snapshot, file)? }),
                None => None,
            };
            if self.0.get(&file) != row.as_ref() {
                changed = true;
                match row {
                    Some(row) => drop(self.0.insert(file, row)),
                    None => drop(self.0.remove(&file)),
                }
            }
        }
        Ok(changed)
    }

    pub(super) fn set(&mut self, file: FileId, path: &str, out: Vec<(FileId, u64)>) {
        self.0.insert(file, Row { path: path.to_owned(), out });
    }

    /// Every row, in order of path.
    pub(super) fn by_path(&self) -> Vec<(FileId, &Row)> {
        let mut rows: Vec<(FileId, &Row)> = self.0.iter().map(|(file, row)| (*file, row)).collect();
        rows.sort_unstable_by(|a, b| a.1.path.cmp(&b.1.path));
        rows
    }
}

/// The files that one file's symbols lead to, sorted, with weights.
fn outgoing_files(snapshot: &Snapshot<'_>, file: FileId) -> Result<Vec<(FileId, u64)>> {
    let mut sums: BTreeMap<FileId, u64> = BTreeMap::new();
    for symbol in snapshot.symbols_of(file)? {
        for edge in snapshot.out_edges(symbol)? {
            let Some(target) = snapshot.symbol_file(edge.to)?.filter(|target| *target != file) else {
                continue;
            };
            *sums.entry(target).or_default() += edge_weight(&edge);
        }
    }
    Ok(sums.into_iter().filter(|(_, weight)| *weight > 0).collect())
}

/// The weight of an edge: as in slices, less where it is not certain. In thousandths, because sums of integers do not
/// round.
fn edge_weight(edge: &Edge) -> u64 {
    let kind = match edge.kind {
        EdgeKind::Call => 10,
        EdgeKind::Implements => 9,
        EdgeKind::Config => 8,
        EdgeKind::Import => 6,
        EdgeKind::Ref => 3,
    };
    let weight = kind * u64::from(edge.confidence);
    if edge.resolution == Resolution::Ambiguous { weight / 2 } else { weight }
}
