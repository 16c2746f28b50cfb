//! How often each rule is right, in percent.
//!
//! `measured.tsv` holds what compilers said of each rule's edges, by family of languages; `sdlctl bench edges --table`
//! writes it. A confidence is the share that was right, held back where little was seen:
//!
//! * A rule as a whole starts from what a rule of its kind may be expected to be worth (`prior`), as if that had been
//!   seen in [`WEIGHT`] edges more.
//! * A family starts from the rule as a whole in the same way.
//! * A language that no truth covers gets the least of the families in which the rule was seen often enough.
//! * For rules that go by the name alone, a call that the compiler could not resolve either counts as half right.
//! * Nothing is called surer than [`MOST`], and what is one of several not surer than [`MOST_AMBIGUOUS`]: that truth
//!   counts the overloads of a function as one.
//!
//! That is additive smoothing, as in Good (1965), "The Estimation of Probabilities". Does no I/O: the table is part of the
//! program.

mod measured;

use std::sync::LazyLock;

use sdl_model::{Lang, Resolution, Strategy};

use crate::strategies::{self, Rule};
use measured::{Counts, Family};

/// The highest confidence.
const MOST: u8 = 99;
/// The highest confidence of an edge that is one of several.
const MOST_AMBIGUOUS: u8 = 75;
/// How many edges the expectation stands for.
const WEIGHT: f64 = 4.0;
/// A family with fewer edges tells nothing of languages that no truth covers.
const OFTEN: u32 = 20;

/// Confidences by number of the rule and by family; the last place of each row is for all other languages.
type Table = Vec<[u8; Family::ALL.len() + 1]>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows = measured::rows();
    let most = strategies::ALL.iter().map(|rule| usize::from(rule.number)).max().unwrap_or(0);
    let mut table = vec![[0; Family::ALL.len() + 1]; most + 1];
    for rule in strategies::ALL {
        let seen = |family: Family| rows.get(&(rule.name, family)).copied().unwrap_or_default();
        table[usize::from(rule.number)] = values(rule, seen);
    }
    table
});

/// The measured precision of a rule in a language, in percent.
pub fn of(strategy: Strategy, lang: Lang) -> u8 {
    let place = Family::of(lang).map_or(Family::ALL.len(), |family| family as usize);
    TABLE.get(usize::from(strategy.0)).map_or(0, |row| row[place])
}

fn values(rule: &Rule, seen: impl Fn(Family) -> Counts) -> [u8; Family::ALL.len() + 1] {
    let by_name = rule.goes_by_name();
    let most = if rule.resolution == Resolution::Ambiguous { MOST_AMBIGUOUS } else { MOST };
    let whole = Family::ALL.iter().map(|family| seen(*family)).fold(Counts::default(), Counts::plus);
    let value = whole.share(by_name, prior(rule), WEIGHT);
    let mut row = [percent(value, most); Family::ALL.len() + 1];
    let mut least = value;
    for family in Family::ALL {
        let counts = seen(family);
        let own = counts.share(by_name, value, WEIGHT);
        row[family as usize] = percent(own, most);
        if counts.right + counts.wrong >= OFTEN {
            least = least.min(own);
        }
    }
    row[Family::ALL.len()] = percent(least, most);
    row
}

fn percent(share: f64, most: u8) -> u8 {
    // The cast is of a number from 1 to 99.
    (share * 100.0).floor().clamp(1.0, f64::from(most)) as u8
}

/// What a rule is taken to be worth before anything was seen of it.
fn prior(rule: &Rule) -> f64 {
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
                assert!((1..=MOST).contains(&of(rule.strategy(), lang)), "{}", rule.name);
            }
        }
    }

    #[test]
    fn the_table_names_rules_and_families_that_exist() {
        let lines = measured::LINES.lines().filter(|line| !line.starts_with('#')).count();
        let rows = measured::rows();
        assert_eq!(rows.len(), lines, "a line that is not understood, or one twice");
        for (name, _) in rows.keys() {
            assert!(strategies::ALL.iter().any(|rule| rule.name == *name), "{name}");
        }
    }

    #[test]
    fn little_seen_moves_little() {
        let rule = strategies::scope::RULE;
        let once = |family| {
            if family == Family::Go { Counts { right: 0, wrong: 1, open: 0 } } else { Counts::default() }
        };
        let row = values(&rule, once);
        assert!(row[Family::Go as usize] > 40, "{row:?}");
        let often = |family| {
            if family == Family::Go { Counts { right: 10, wrong: 90, open: 0 } } else { Counts::default() }
        };
        let row = values(&rule, often);
        assert!(row[Family::Go as usize] < 15, "{row:?}");
        assert_eq!(row[Family::ALL.len()], row[Family::Go as usize], "a language never seen is not surer");
    }

    #[test]
    fn an_open_call_speaks_only_against_a_guess() {
        let counts = |family| {
            if family == Family::Go { Counts { right: 50, wrong: 0, open: 50 } } else { Counts::default() }
        };
        assert!(values(&strategies::unique_method::RULE, counts)[Family::Go as usize] < 80);
        assert!(values(&strategies::stated::RULE, counts)[Family::Go as usize] > 95);
    }
}
