//! Counts how often each rule is right, by group of languages, and writes the table that the resolver reads, for
//! example `import   ecma    912     3       0`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use sdl_model::Lang;

use super::corpus::Corpus;
use super::format_percent;
use super::place::Candidate;
use super::score::score_edges;
use crate::output::{self, style_bold};

/// The verdicts of the truth on a rule's edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    right: usize,
    wrong: usize,
    /// Calls that the compiler could not resolve.
    open: usize,
}

/// Counts by rule and group.
#[derive(Default)]
pub(super) struct Calibration {
    counts: BTreeMap<(String, String), Counts>,
}

impl Calibration {
    /// Adds the edges of a corpus in that language.
    pub(super) fn add(&mut self, lang: &str, corpus: &Corpus, edges: &[Candidate]) {
        let mut by_rule: BTreeMap<&str, Vec<(usize, &Candidate)>> = BTreeMap::new();
        for (number, edge) in edges.iter().enumerate() {
            by_rule.entry(&edge.strategy).or_default().push((number, edge));
        }
        for (rule, edges) in by_rule {
            let tally = score_edges(corpus, edges);
            let counts = self.counts.entry((rule.to_owned(), language_group(lang).to_owned())).or_default();
            counts.right += tally.right;
            counts.wrong += tally.wrong;
            counts.open += tally.unknown;
        }
        self.counts.retain(|_, counts| *counts != Counts::default());
    }

    /// For people.
    pub(super) fn show(&self) {
        output::print_line(&style_bold(&format!(
            "{:<16} {:<8} {:>7} {:>6} {:>6} {:>10}",
            "strategy", "group", "right", "wrong", "open", "precision"
        )));
        for ((rule, group), counts) in &self.counts {
            output::print_line(&format!(
                "{rule:<16} {group:<8} {:>7} {:>6} {:>6} {:>10}",
                counts.right,
                counts.wrong,
                counts.open,
                format_percent(counts.right, counts.right + counts.wrong),
            ));
        }
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let row = |((rule, group), counts): (&(String, String), &Counts)| json!({ "strategy": rule, "group": group, "right": counts.right, "wrong": counts.wrong, "open": counts.open });
        self.counts.iter().map(row).collect()
    }

    /// The table that the resolver takes its confidences from.
    pub(super) fn table(&self) -> String {
        let mut out = "# Written by `sdlctl bench edges TRUTH --table FILE`: what compilers said of each rule's edges.\n\
                       # rule\tgroup\tright\twrong\topen\n"
            .to_owned();
        for ((rule, group), counts) in &self.counts {
            let _ = writeln!(out, "{rule}\t{group}\t{}\t{}\t{}", counts.right, counts.wrong, counts.open);
        }
        out
    }
}

/// Languages that resolve alike are measured together.
fn language_group(lang: &str) -> &str {
    Lang::from_name(lang).and_then(|lang| lang.traits().measured_as).unwrap_or(lang)
}
