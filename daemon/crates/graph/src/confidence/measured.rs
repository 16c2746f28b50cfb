//! Reads the table of measurements.

use std::collections::HashMap;

use sdl_model::Lang;

/// The texts of the tables: counts of packages, judged by compilers, and of small programs.
pub(super) const TABLES: [&str; 2] = [include_str!("measured.tsv"), include_str!("small_programs.tsv")];

/// The groups of languages that are measured separately, each once.
pub(super) fn language_groups() -> Vec<&'static str> {
    let mut all: Vec<_> = Lang::ALL.into_iter().filter_map(|lang| lang.traits().measured_as).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// How compilers judged edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) right: u32,
    pub(super) wrong: u32,
    /// Calls that the compiler could not resolve.
    pub(super) open: u32,
}

impl Counts {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            wrong: self.wrong + other.wrong,
            open: self.open + other.open,
        }
    }

    /// The share of correct edges, as if `expected` had been seen in `weight` further edges. Open calls count as half
    /// correct, or not at all.
    pub(super) fn share(self, with_open: bool, expected: f64, weight: f64) -> f64 {
        let open = if with_open { f64::from(self.open) } else { 0.0 };
        let right = f64::from(self.right) + open / 2.0;
        let all = f64::from(self.right) + f64::from(self.wrong) + open;
        (right + expected * weight) / (all + weight)
    }
}

/// Counts by rule and group, over both tables. Lines that can't be read are left out; a test checks that there are none.
pub(super) fn measured_counts() -> HashMap<(&'static str, &'static str), Counts> {
    let groups = language_groups();
    let mut all: HashMap<_, Counts> = HashMap::new();
    for (key, counts) in TABLES.iter().flat_map(|table| table.lines()).filter_map(parse_row) {
        if groups.contains(&key.1) {
            let sum = all.entry(key).or_default();
            *sum = sum.plus(counts);
        }
    }
    all
}

fn parse_row(line: &'static str) -> Option<((&'static str, &'static str), Counts)> {
    let mut columns = line.split('\t');
    let (rule, group) = (columns.next()?, columns.next()?);
    let mut count = || columns.next()?.parse().ok();
    Some(((rule, group), Counts { right: count()?, wrong: count()?, open: count()? }))
}
