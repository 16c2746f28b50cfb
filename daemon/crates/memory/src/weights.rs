//! How useful sources and lanes were, by feedback on contexts.
//!
//! The law: a source that was shown in judged contexts counts as used or unused in each, and a count halves in 90 days. With `u` and `s` as the sums, its
//! score is multiplied by `clamp(2(u + 1) / (u + s + 2), 0.5, 1.5)`, which is 1 for a source of which nothing is known; a lane's
//! share by the same with 5 in place of 1. The order of judgements makes no difference, and a context that is judged again counts as judged
//! the last time.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::limits::DAY_MS;
use crate::store::{Change, Tables, scoped_key};
use crate::tables::WEIGHTS;
use crate::{Result, words::Lane};

/// Days after which a count is halved.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Bounds of a factor.
const BOUNDS: (f64, f64) = (0.5, 1.5);
/// The count of a source before anything is known of it: once used, once not, because one vote should not decide.
const PRIOR: f64 = 1.0;
/// The same of a lane.
const LANE_PRIOR: f64 = 5.0;
/// Judged contexts that make up the first and the last rate.
pub const WINDOW: usize = 50;

/// A lane of a context: the lanes of words, and the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The code.
    Code,
    /// What agents keep.
    Kept(Lane),
}

impl Source {
    /// Tells the lane of a source from its id.
    pub fn of_id(id: &str) -> Self {
        match id.split_once('_').map_or("", |(kind, _)| kind) {
            "m" => Self::Kept(Lane::Memory),
            "t" => Self::Kept(Lane::Kg),
            "c" => Self::Kept(Lane::Scratch),
            "d" => Self::Kept(Lane::Dispatch),
            _ => Self::Code,
        }
    }

    fn digit(self) -> u8 {
        match self {
            Self::Code => b'0',
            Self::Kept(lane) => b'1' + lane as u8,
        }
    }
}

/// How often something was shown, as of a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Times that it was used, halved by age.
    pub used: f64,
    /// Times that it was not.
    pub unused: f64,
    at_ms: u64,
}

impl Tally {
    /// The tally at another time.
    #[must_use]
    pub fn at(self, now_ms: u64) -> Self {
        let days = (now_ms as f64 - self.at_ms as f64) / DAY_MS as f64;
        let decay = 0.5_f64.powf(days / HALF_LIFE_DAYS);
        Self { used: self.used * decay, unused: self.unused * decay, at_ms: now_ms }
    }

    /// The factor of a source.
    pub fn factor(self, now_ms: u64) -> f64 {
        self.factor_with(PRIOR, now_ms)
    }

    /// The factor of a lane's share.
    pub fn lane_factor(self, now_ms: u64) -> f64 {
        self.factor_with(LANE_PRIOR, now_ms)
    }

    fn factor_with(self, prior: f64, now_ms: u64) -> f64 {
        let Self { used, unused, .. } = self.at(now_ms);
        (2.0 * (used + prior) / (used + unused + 2.0 * prior)).clamp(BOUNDS.0, BOUNDS.1)
    }
}

/// A judged context.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Judged {
    at_ms: u64,
    number: u64,
    /// Each source, its lane, and whether it was used.
    sources: Vec<(String, u8, bool)>,
}

fn source_key(scope: &str, id: &str) -> Vec<u8> {
    scoped_key(scope, &format!("s{id}"))
}

fn lane_key(scope: &str, lane: u8) -> Vec<u8> {
    [scope.as_bytes(), &[0, b'l', lane]].concat()
}

fn judged_key(scope: &str, context: &str) -> Vec<u8> {
    scoped_key(scope, &format!("j{context}"))
}

fn number_key(scope: &str, number: u64) -> Vec<u8> {
    [scope.as_bytes(), &[0, b'n'], &number.to_be_bytes()].concat()
}

fn read_json<T: serde::de::DeserializeOwned>(tables: &impl Tables, key: &[u8]) -> Result<Option<T>> {
    Ok(tables.get_bytes(WEIGHTS, key)?.and_then(|bytes| serde_json::from_slice(bytes).ok()))
}

/// Returns the tally of a source.
pub fn source_tally(tables: &impl Tables, scope: &str, id: &str) -> Result<Tally> {
    Ok(read_json(tables, &source_key(scope, id))?.unwrap_or_default())
}

/// Returns the tally of a lane.
pub fn lane_tally(tables: &impl Tables, scope: &str, lane: Source) -> Result<Tally> {
    Ok(read_json(tables, &lane_key(scope, lane.digit()))?.unwrap_or_default())
}

/// Counts the judgement of a context: which of its sources, each with its lane, were used.
pub fn judge_context(
    change: &mut Change<'_, '_>,
    scope: &str,
    context: &str,
    sources: &[(String, Source, bool)],
) -> Result<()> {
    let key = judged_key(scope, context);
    let before: Option<Judged> = read_json(change.tables(), &key)?;
    let number = match &before {
        Some(before) => {
            count_sources(change, scope, before, -1.0)?;
            before.number
        }
        None => 1 + numbers(change.tables(), scope)?.last().copied().unwrap_or(0),
    };
    let sources = sources.iter().map(|(id, lane, used)| (id.clone(), lane.digit(), *used)).collect();
    let judged = Judged { at_ms: change.now_ms(), number, sources };
    count_sources(change, scope, &judged, 1.0)?;
    change.put_bytes(WEIGHTS, &key, &serde_json::to_vec(&judged)?)?;
    change.put_bytes(WEIGHTS, &number_key(scope, number), context.as_bytes())?;
    // Of the judged contexts the first and the last ones are kept.
    let all = numbers(change.tables(), scope)?;
    let excess = all.len().saturating_sub(2 * WINDOW);
    for number in all.iter().skip(WINDOW).take(excess) {
        let key = number_key(scope, *number);
        let context = change.tables().get_bytes(WEIGHTS, &key)?.map(<[u8]>::to_vec).unwrap_or_default();
        change.delete_bytes(WEIGHTS, &key)?;
        change.delete_bytes(WEIGHTS, &judged_key(scope, &String::from_utf8_lossy(&context)))?;
    }
    Ok(())
}

/// Adds the sources of a judged context to the tallies, or takes them away.
fn count_sources(change: &mut Change<'_, '_>, scope: &str, judged: &Judged, sign: f64) -> Result<()> {
    for (id, lane, used) in &judged.sources {
        for key in [source_key(scope, id), lane_key(scope, *lane)] {
            let tally: Tally = read_json(change.tables(), &key)?.unwrap_or_default();
            let mut tally = tally.at(judged.at_ms);
            *(if *used { &mut tally.used } else { &mut tally.unused }) += sign;
            // Not below zero, because the counts were rounded on the way.
            tally.used = tally.used.max(0.0);
            tally.unused = tally.unused.max(0.0);
            change.put_bytes(WEIGHTS, &key, &serde_json::to_vec(&tally)?)?;
        }
    }
    Ok(())
}

/// The numbers of the judged contexts that are kept, in order.
fn numbers(tables: &impl Tables, scope: &str) -> Result<Vec<u64>> {
    let prefix = [scope.as_bytes(), &[0, b'n']].concat();
    let mut found = Vec::new();
    tables.scan_bytes(WEIGHTS, &prefix, &mut |key, _| {
        let Some(number) = key.strip_prefix(prefix.as_slice()) else { return ControlFlow::Break(()) };
        found.extend(number.try_into().map(u64::from_be_bytes));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Which part of the sources was used, in the first judged contexts of a scope and in the last ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Judged contexts that are kept.
    pub contexts: usize,
    /// Of the first 50.
    pub first: f64,
    /// Of the last 50.
    pub last: f64,
}

/// Returns these rates; none before the first judgement.
pub fn used_rates(tables: &impl Tables, scope: &str) -> Result<Option<Rates>> {
    let mut rates = Vec::new();
    for number in numbers(tables, scope)? {
        let context = tables.get_bytes(WEIGHTS, &number_key(scope, number))?.unwrap_or_default();
        let key = judged_key(scope, &String::from_utf8_lossy(context));
        if let Some(judged) = read_json::<Judged>(tables, &key)?.filter(|judged| !judged.sources.is_empty()) {
            let used = judged.sources.iter().filter(|(_, _, used)| *used).count();
            rates.push(used as f64 / judged.sources.len() as f64);
        }
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let window = WINDOW.min(rates.len());
    Ok((window > 0).then(|| Rates {
        contexts: rates.len(),
        first: mean(&rates[..window]),
        last: mean(&rates[rates.len() - window..]),
    }))
}

#[cfg(test)]
mod tests {
    use sdl_ledger::{AgentStore, Options};

    use super::*;
    use crate::Author;
    use crate::store::{Asked, change_store};

    struct Bed(AgentStore, #[allow(dead_code, reason = "held")] tempfile::TempDir);

    impl Bed {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            Self(AgentStore::open(dir.path(), crate::tables::ALL, &Options::default()).unwrap().0, dir)
        }

        fn judge(&self, now_ms: u64, context: &str, sources: &[(&str, bool)]) {
            let by = Author::default();
            let asked = Asked { by: &by, now_ms, once: None };
            let sources: Vec<_> =
                sources.iter().map(|(id, used)| ((*id).to_owned(), Source::of_id(id), *used)).collect();
            change_store(&self.0, &asked, |change| judge_context(change, "r", context, &sources)).unwrap();
        }

        fn tally(&self, id: &str) -> Tally {
            self.0.read(|reader| Ok(source_tally(reader, "r", id))).unwrap().unwrap()
        }
    }

    #[test]
    fn factors_are_bounded_and_one_without_evidence() {
        assert_eq!(Tally::default().factor(5).to_bits(), 1.0_f64.to_bits());
        let tally = |used, unused| Tally { used, unused, at_ms: 5 };
        assert!((tally(1.0, 0.0).factor(5) - 4.0 / 3.0).abs() < 1e-9);
        assert!((tally(900.0, 0.0).factor(5) - 1.5).abs() < 1e-9);
        assert!((tally(0.0, 900.0).factor(5) - 0.5).abs() < 1e-9);
        assert!((tally(0.0, 5.0).lane_factor(5) - 10.0 / 15.0).abs() < 1e-9);
        let later = tally(1.0, 1.0).at(5 + 90 * DAY_MS);
        assert!((later.used - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_last_judgement_of_a_context_counts_and_order_does_not() {
        let (a, b) = (Bed::new(), Bed::new());
        let day = DAY_MS;
        a.judge(day, "as_1", &[("m_1", false), ("s_1", true)]);
        a.judge(3 * day, "as_2", &[("m_1", true)]);
        a.judge(9 * day, "as_1", &[("m_1", true)]);
        b.judge(9 * day, "as_1", &[("m_1", true)]);
        b.judge(3 * day, "as_2", &[("m_1", true)]);
        for id in ["m_1", "s_1"] {
            let (one, other) = (a.tally(id).at(9 * day), b.tally(id).at(9 * day));
            assert!((one.used - other.used).abs() < 1e-9 && (one.unused - other.unused).abs() < 1e-9, "{id}");
        }
        let lane = Source::Kept(Lane::Memory);
        let lane = a.0.read(|reader| Ok(lane_tally(reader, "r", lane))).unwrap().unwrap();
        assert!(lane.used > 1.9);
    }

    #[test]
    fn rates_are_of_the_first_and_the_last_contexts() {
        let bed = Bed::new();
        for i in 0..(3 * WINDOW as u64) {
            bed.judge(i, &format!("as_{i}"), &[("m_1", i >= 2 * WINDOW as u64), ("m_2", true)]);
        }
        let rates = bed.0.read(|reader| Ok(used_rates(reader, "r"))).unwrap().unwrap().unwrap();
        assert_eq!(rates.contexts, 2 * WINDOW);
        assert!((rates.first - 0.5).abs() < 1e-9 && (rates.last - 1.0).abs() < 1e-9, "{rates:?}");
    }
}
