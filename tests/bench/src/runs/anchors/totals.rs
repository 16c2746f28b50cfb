//! Counts of the comparisons, and the differences.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::asks::{Rows, Said};
use super::oracle::Traced;
use crate::figures::Times;
use crate::modules::Symbol;

/// Versions that the daemon looks through for the beginning of a stale time.
const LOOKED_AT: u64 = 50;
/// Rows that it names at most.
const NAMED: usize = 10;
/// Differences of one kind that are printed.
const SHOWN: usize = 6;

/// A commit, and all of them.
pub(super) struct Commit<'a> {
    pub(super) id: &'a str,
    pub(super) number: usize,
    pub(super) all: &'a [&'a str],
}

#[derive(Default)]
pub(super) struct Totals {
    /// The version after each commit, that of the first one before all.
    heads: Vec<u64>,
    states: usize,
    equal: usize,
    unclear: usize,
    by_state: BTreeMap<&'static str, usize>,
    since: usize,
    since_equal: usize,
    since_before: usize,
    staled: usize,
    staled_equal: usize,
    staled_cut: usize,
    staled_rows: usize,
    renames: usize,
    /// Symbols that were renamed and edited in one commit, and followed.
    pub(super) edited: usize,
    /// Versions from which on rows are stale, and those of them that name another commit.
    versions: BTreeSet<u64>,
    misnamed: BTreeSet<u64>,
    differences: BTreeMap<String, usize>,
    pub(super) delta_times: Times,
}

impl Totals {
    pub(super) fn new(head: u64) -> Self {
        Self { heads: vec![head], ..Self::default() }
    }

    /// Takes the version after the next commit. Returns the one before, and this one.
    pub(super) fn step_to(&mut self, head: u64) -> (u64, u64) {
        let before = self.heads.last().copied().unwrap_or(head);
        self.heads.push(head);
        (before, head)
    }

    /// Compares the rows that a commit made stale.
    pub(super) fn compare_staled(
        &mut self,
        at: &Commit<'_>,
        rows: &Rows,
        traced: &[Traced],
        staled: &[String],
    ) {
        self.renames += traced.iter().filter(|symbol| symbol.moved).count();
        self.staled += 1;
        let is_cut = staled.len() == NAMED;
        self.staled_cut += usize::from(is_cut);
        let mut is_equal = true;
        for ids in [&rows.memories, &rows.facts] {
            for (id, symbol) in ids.iter().zip(traced).filter(|(_, symbol)| !symbol.is_unclear) {
                let is_named = staled.contains(id);
                self.staled_rows += usize::from(symbol.flipped);
                if is_named == symbol.flipped || (is_cut && !is_named) {
                    continue;
                }
                is_equal = false;
                let kind = match (is_named, symbol.is_trivial) {
                    (true, _) => "staled: names a row that did not become stale",
                    (false, true) => {
                        "staled: leaves out a row whose comments, documentation or layout changed"
                    }
                    (false, false) => "staled: leaves out a row",
                };
                self.differ(
                    at,
                    kind,
                    &format!("{} {}: {:?}", symbol.place().file, symbol.place().name(), symbol.state),
                );
            }
        }
        self.staled_equal += usize::from(is_equal);
    }

    /// `staleOnly` has exactly the stale ones of the whole list.
    pub(super) fn compare_listed(
        &mut self,
        at: &Commit<'_>,
        rows: &Rows,
        all: &HashMap<String, Said>,
        stale: &HashMap<String, Said>,
    ) {
        let is_stale = |said: &Said| said.state == "changed" || said.state == "gone";
        let listed = all.iter().filter(|(_, said)| is_stale(said)).map(|(id, _)| id).collect::<HashSet<_>>();
        if listed != stale.keys().collect() || all.len() != rows.memories.len() {
            self.differ(at, "staleOnly is another set", &format!("{} and {}", listed.len(), stale.len()));
        }
    }

    /// Compares the state of a row's symbol, and since when it is stale.
    pub(super) fn compare_state(
        &mut self,
        at: &Commit<'_>,
        kind: &str,
        (symbol, traced): (&Symbol, &Traced),
        said: Option<&Said>,
    ) {
        if traced.is_unclear {
            self.unclear += 1;
            return;
        }
        self.states += 1;
        let expected = traced.state.name();
        *self.by_state.entry(expected).or_default() += 1;
        let shown = said.map_or("not found", |said| said.state.as_str());
        let example = || format!("{} {} {}, said {said:?}", symbol.file, symbol.kind, symbol.qualified);
        if shown != expected {
            return self.differ(at, &format!("{kind}: {expected} is shown as {shown}"), &example());
        }
        self.equal += 1;
        let Some(from) = traced.stale_from else { return };
        self.since += 1;
        match self.check_since(at, from, said.and_then(|said| said.since.as_ref())) {
            None => self.since_equal += 1,
            Some(fault) => self.differ(at, &format!("{kind}: staleSince {fault}"), &example()),
        }
    }

    /// The fault of a `staleSince`, if it has one.
    fn check_since(&mut self, at: &Commit<'_>, from: usize, since: Option<&Value>) -> Option<&'static str> {
        let Some(since) = since else { return Some("is missing") };
        let version = since["version"].as_str().and_then(|text| text.strip_prefix('v')?.parse::<u64>().ok());
        let Some(version) = version else { return Some("has no version") };
        let head = self.heads.last().copied().unwrap_or(0);
        let before = self.heads.get(from).copied().unwrap_or(0);
        if since["before"] == true {
            self.since_before += 1;
            // Versions count up by one. A commit may make several.
            return (head - before <= LOOKED_AT).then_some("says before too early");
        }
        if version <= before || self.heads.get(from + 1).is_none_or(|head| version > *head) {
            return Some("names another version");
        }
        self.versions.insert(version);
        if since["commit"].as_str() == at.all.get(from).copied() {
            return None;
        }
        self.misnamed.insert(version);
        Some("names another commit")
    }

    fn differ(&mut self, at: &Commit<'_>, kind: &str, example: &str) {
        let count = self.differences.entry(kind.to_owned()).or_default();
        *count += 1;
        if *count <= SHOWN {
            println!("{} ({}) {kind}: {example}", at.id.get(..10).unwrap_or_default(), at.number);
        }
    }

    pub(super) fn print(&mut self, traced: &[Traced]) {
        let moved = self.heads.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let made = self.heads.last().zip(self.heads.first()).map_or(0, |(last, first)| last - first);
        println!("{moved} of the commits made {made} versions; delta.get {}", self.delta_times.summary());
        println!(
            "states: {} compared, {} equal, {} unclear to the oracle",
            self.states, self.equal, self.unclear
        );
        println!("  of them {:?}", self.by_state);
        println!(
            "staleSince: {} compared, {} equal, {} of them say before",
            self.since, self.since_equal, self.since_before
        );
        println!(
            "staled: {} commits compared, {} equal, {} of them cut at {NAMED}; {} rows",
            self.staled, self.staled_equal, self.staled_cut, self.staled_rows
        );
        println!("  {} versions, {} of which name another commit", self.versions.len(), self.misnamed.len());
        println!("renames and moves: {}, and {} with an edit", self.renames, self.edited);
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        traced.iter().for_each(|symbol| *last.entry(symbol.state.name()).or_default() += 1);
        println!(
            "in the last commit: {last:?}, {} unclear",
            traced.iter().filter(|one| one.is_unclear).count()
        );
        for (kind, count) in &self.differences {
            println!("DIFFERENCE {kind}: {count}");
        }
    }

    pub(super) fn is_wrong(&self) -> bool {
        !self.differences.is_empty()
    }
}
