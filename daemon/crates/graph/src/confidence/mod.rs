//! How often each rule is right, in percent.
//!
//! `measured.tsv` holds the compilers' judgement of each rule's edges, by group of languages; `sdlctl bench edges
//! --table` writes it. `small_programs.tsv` beside it has the rules for calls that no name in the text shows, about
//! which compilers say nothing. A confidence is the share of correct edges, reduced where few were seen:
//!
//! * A rule as a whole starts from the precision expected of a rule of its kind (`prior`), as if that had been seen in
//!   [`WEIGHT`] further edges.
//! * A group starts from the rule as a whole in the same way. For example, 3 of 3 correct edges in Go do not give 99
//!   % if the rule has 80 % elsewhere.
//! * A language without measurements gets the lowest value of the groups in which the rule was seen often enough.
//! * For rules that use the name alone, a call that the compiler could not resolve either counts as half right.
//! * No confidence is higher than [`MOST`], and for one of several targets not higher than [`MOST_AMBIGUOUS`], because
//!   the measurements count the overloads of a function as one.
//!
//! This is additive smoothing, as in Good (1965), "The Estimation of Probabilities". Does no I/O: the table is part of
//! the program.

mod measured;

use std::sync::LazyLock;

use sdl_model::{Lang, Resolution, Strategy};

use crate::strategies::{self, Rule};
use measured::Counts;

/// The highest confidence.
const MOST: u8 = 99;
/// The highest confidence of an edge to one of several targets.
const MOST_AMBIGUOUS: u8 = 75;
/// The number of edges that the expectation counts for.
const WEIGHT: f64 = 4.0;
/// A group with fewer edges is not used for languages without measurements.
const OFTEN: u32 = 20;

/// Confidences by number of the rule and of the language.
type Table = Vec<Vec<u8>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows = measured::measured_counts();
    let most = strategies::ALL.iter().map(|rule| usize::from(rule.number)).max().unwrap_or(0);
    let mut table = vec![Vec::new(); most + 1];
    for rule in strategies::ALL {
        let values = Values::of(rule, |group| rows.get(&(rule.name, group)).copied().unwrap_or_default());
        let numbers = Lang::ALL.into_iter().map(|lang| lang as usize).max().unwrap_or(0);
        let mut row = vec![values.unmeasured; numbers + 1];
        for lang in Lang::ALL {
            row[lang as usize] = values.for_group(lang.traits().measured_as);
        }
        table[usize::from(rule.number)] = row;
    }
    table
});

/// The measured precision of a rule in a language, in percent.
pub fn measured_precision(strategy: Strategy, lang: Lang) -> u8 {
    let row = TABLE.get(usize::from(strategy.0));
    row.and_then(|row| row.get(lang as usize)).copied().unwrap_or(0)
}

/// The confidences of one rule.
struct Values {
    by_group: Vec<(&'static str, u8)>,
    /// In a language without measurements.
    unmeasured: u8,
}

impl Values {
    fn of(rule: &Rule, seen: impl Fn(&'static str) -> Counts) -> Self {
        let by_name = rule.goes_by_name();
        let most = if rule.resolution == Resolution::Ambiguous { MOST_AMBIGUOUS } else { MOST };
        let groups = measured::language_groups();
        let whole = groups.iter().map(|group| seen(group)).fold(Counts::default(), Counts::plus);
        let value = whole.share(by_name, prior_precision(rule), WEIGHT);
        let mut least = value;
        let mut by_group = Vec::new();
        for group in groups {
            let counts = seen(group);
            let own = counts.share(by_name, value, WEIGHT);
            by_group.push((group, to_percent(own, most)));
            if counts.right + counts.wrong >= OFTEN {
                least = least.min(own);
            }
        }
        Self { by_group, unmeasured: to_percent(least, most) }
    }

    fn for_group(&self, wanted: Option<&str>) -> u8 {
        let found = self.by_group.iter().find(|(group, _)| Some(*group) == wanted);
        found.map_or(self.unmeasured, |(_, value)| *value)
    }
}

fn to_percent(share: f64, most: u8) -> u8 {
    // The cast is of a number from 1 to 99.
    (share * 100.0).floor().clamp(1.0, f64::from(most)) as u8
}

/// The precision assumed for a rule before any measurement.
fn prior_precision(rule: &Rule) -> f64 {
    match rule.resolution {
        Resolution::Exact => 0.95,
        Resolution::Inferred if rule.goes_by_name() => 0.4,
        Resolution::Inferred => 0.75,
        Resolution::Ambiguous => 0.3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_value() {
        for rule in strategies::ALL {
            for lang in Lang::ALL {
                assert!((1..=MOST).contains(&measured_precision(rule.strategy(), lang)), "{}", rule.name);
            }
        }
    }

    #[test]
    fn the_table_names_rules_and_groups_that_exist() {
        let rows = measured::measured_counts();
        for table in measured::TABLES {
            let mut seen = std::collections::HashSet::new();
            for line in table.lines().filter(|line| !line.starts_with('#')) {
                let mut columns = line.split('\t');
                let key = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
                assert!(rows.contains_key(&key), "a line that is not understood: {line}");
                assert!(seen.insert(key), "a line twice: {line}");
            }
        }
        for (name, _) in rows.keys() {
            assert!(strategies::ALL.iter().any(|rule| rule.name == *name), "{name}");
        }
    }

    fn of_go(rule: &Rule, go: Counts) -> Values {
        Values::of(rule, |group| if group == "go" { go } else { Counts::default() })
    }

    #[test]
    fn little_seen_moves_little() {
        let rule = strategies::SCOPE;
        let once = of_go(&rule, Counts { right: 0, wrong: 1, open: 0 });
        assert!(once.for_group(Some("go")) > 40);
        let often = of_go(&rule, Counts { right: 10, wrong: 90, open: 0 });
        assert!(often.for_group(Some("go")) < 15);
        assert_eq!(often.unmeasured, often.for_group(Some("go")), "a language never seen is not surer");
    }

    #[test]
    fn an_open_call_speaks_only_against_a_guess() {
        let counts = Counts { right: 50, wrong: 0, open: 50 };
        assert!(of_go(&strategies::UNIQUE_METHOD, counts).for_group(Some("go")) < 80);
        assert!(of_go(&strategies::STATED, counts).for_group(Some("go")) > 95);
    }
}
