//! How an answer was found: every lane reports its work, also when it found nothing.

use sdl_model::SymbolId;
use serde::{Deserialize, Serialize};

use crate::names;

/// The outcome of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LaneStatus {
    /// It ran and found something.
    Ok,
    /// It ran and found nothing.
    Empty,
    /// The request gave it nothing to do.
    Skipped,
    /// This build or machine does not have it.
    Unavailable,
    /// It stopped at a limit. The symbols found before are used.
    Limited,
}

/// The work of one lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneReport {
    /// Its name.
    pub lane: String,
    /// Its outcome.
    pub status: LaneStatus,
    /// The number of symbols it proposed.
    pub candidates: u64,
    /// Any further remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A symbol that a slice starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartSymbol {
    /// The symbol.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// The lanes that proposed it.
    pub lanes: Vec<String>,
}

/// How an answer was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Every lane, in a fixed order.
    pub lanes: Vec<LaneReport>,
    /// Words of the query that occur nowhere in the index, for example misspelled ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched_terms: Vec<String>,
    /// The best symbols that a slice starts from, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start_symbols: Vec<StartSymbol>,
    /// Whether more symbols fit the request's words than were taken.
    #[serde(skip)]
    pub limited: bool,
    /// Parts of the request that pointed to nothing, for the answer's notes.
    #[serde(skip)]
    pub missed: Vec<Missed>,
}

/// A part of a request that pointed to nothing, such as a path in `editedFiles` that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The name of the field.
    pub field: &'static str,
    /// Why it had no effect.
    pub why: String,
}

impl Evidence {
    /// Records a lane that ran.
    pub fn ran(&mut self, lane: &str, candidates: usize) {
        let status = if candidates == 0 { LaneStatus::Empty } else { LaneStatus::Ok };
        self.push(lane, status, candidates, None);
    }

    /// Whether one of two lanes proposed anything.
    pub(crate) fn found(&self, one: &str, other: &str) -> bool {
        self.lanes.iter().any(|lane| (lane.lane == one || lane.lane == other) && lane.candidates > 0)
    }

    /// Records that a part of the request pointed to nothing.
    pub(crate) fn miss(&mut self, field: &'static str, why: impl Into<String>) {
        self.missed.push(Missed { field, why: why.into() });
    }

    /// Records a lane that had nothing to do.
    pub fn skipped(&mut self, lane: &str) {
        self.push(lane, LaneStatus::Skipped, 0, None);
    }

    /// Records a lane in full.
    pub fn push(&mut self, lane: &str, status: LaneStatus, candidates: usize, note: Option<String>) {
        self.lanes.push(LaneReport { lane: lane.to_owned(), status, candidates: candidates as u64, note });
    }
}
