//! Checks the log, and records which faults a person has acknowledged.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;

use sdl_ledger::{AgentStore, Clock as _, Result, SystemClock};
use serde::Serialize;

use super::log::{Additions, Audit, KEPT, State, acknowledged_details};
use super::seal::Stored;
use super::{ACKNOWLEDGED, ANCHOR, Anchor, CUT, Row, key, number};
use crate::stored::tables::AUDIT;

/// Maximum number of faults that one acknowledgement covers.
const MOST_ACKNOWLEDGED: usize = 500;

/// The result of a check of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Whether every fault has been acknowledged.
    pub ok: bool,
    /// Rows checked.
    pub rows: u64,
    /// Rows that were dropped because there were too many.
    pub dropped: u64,
    /// The newest row's hash: note it elsewhere to prove later that nothing was rewritten.
    pub head: String,
    /// Faults that nobody has acknowledged.
    pub faults: Vec<String>,
    /// Faults that a person has acknowledged.
    pub acknowledged: Vec<String>,
}

/// The faults that a row can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Missing,
    Changed,
    Unlinked,
}

impl Wrong {
    fn said(self, first: u64, last: u64) -> String {
        let one = first == last;
        let rows = if one { format!("row {first}") } else { format!("rows {first} to {last}") };
        match (self, one) {
            (Self::Missing, true) => format!("{rows} is missing"),
            (Self::Missing, false) => format!("{rows} are missing"),
            (Self::Changed, true) => format!("{rows} is not what was written"),
            (Self::Changed, false) => format!("{rows} are not what was written"),
            (Self::Unlinked, true) => format!("{rows} does not follow the one before"),
            (Self::Unlinked, false) => format!("{rows} do not follow the ones before"),
        }
    }
}

/// The findings of a walk over the rows.
struct Walk<'a> {
    anchor: &'a Anchor,
    rows: u64,
    seq: u64,
    /// The hash of the previous row; none where it is not known.
    prev: Option<String>,
    wrong: Vec<(Wrong, u64, u64)>,
    cuts: Vec<(u64, String)>,
    acknowledged: HashSet<String>,
}

impl<'a> Walk<'a> {
    fn new(anchor: &'a Anchor) -> Self {
        Self {
            anchor,
            rows: 0,
            seq: anchor.dropped,
            prev: Some(anchor.dropped_hash.clone()),
            wrong: Vec::new(),
            cuts: Vec::new(),
            acknowledged: HashSet::new(),
        }
    }

    fn note(&mut self, wrong: Wrong, first: u64, last: u64) {
        match self.wrong.last_mut() {
            Some((same, _, end)) if *same == wrong && *end + 1 == first => *end = last,
            _ => self.wrong.push((wrong, first, last)),
        }
    }

    fn row(&mut self, at: u64, row: Option<Stored<Row>>) {
        self.rows += 1;
        if at > self.seq + 1 {
            self.note(Wrong::Missing, self.seq + 1, at - 1);
            self.prev = None;
        }
        self.seq = at;
        let Some(Stored { hash, keyed, value: row }) = row.filter(|row| row.value.seq == at) else {
            self.note(Wrong::Changed, at, at);
            self.prev = None;
            return;
        };
        if !keyed && at >= self.anchor.keyed_from {
            self.note(Wrong::Changed, at, at);
            self.prev = None;
            return;
        }
        let follows = self.prev.as_ref().is_none_or(|prev| *prev == row.prev);
        // Rows before a cut are missing, so there is no hash to link to.
        if !follows && row.decision != CUT {
            self.note(Wrong::Unlinked, at, at);
        }
        self.prev = Some(hash);
        match row.decision.as_str() {
            CUT => self.cuts.push((at, row.why.join("; "))),
            ACKNOWLEDGED => {
                let faults = row.details["faults"].as_array().into_iter().flatten();
                self.acknowledged.extend(faults.filter_map(|fault| Some(fault.as_str()?.to_owned())));
            }
            _ => {}
        }
    }

    fn faults(&self) -> impl Iterator<Item = String> {
        let cut = |(seq, why): (u64, &str)| format!("row {seq} says that the log was cut: {why}");
        let wrong = self.wrong.iter().map(|(wrong, first, last)| wrong.said(*first, *last));
        let cuts = self.cuts.iter().map(move |(seq, why)| cut((*seq, why)));
        let gone = self.anchor.cuts.iter().filter(|known| known.seq <= self.anchor.dropped);
        wrong.chain(cuts).chain(gone.map(move |known| cut((known.seq, &known.why))))
    }
}

impl Audit {
    /// Checks that every row is unchanged, that it follows the one before, that none is missing, and that the log ends
    /// where it was left.
    pub fn verify(&self, store: &AgentStore) -> Result<Verified> {
        self.check(&mut self.lock(), store)
    }

    /// Acknowledges all current faults on behalf of a person: they are not reported any more. The acknowledgement is a
    /// row as well. Returns the result of the check.
    pub fn acknowledge(&self, store: &AgentStore, who: &Row, reason: &str) -> Result<Verified> {
        let mut state = self.lock();
        let found = self.check(&mut state, store)?;
        if found.ok {
            return Ok(found);
        }
        // A log whose end doesn't fit gets its cut row first, so that the cut is acknowledged too.
        self.mend_ends(&mut state, store)?;
        let found = self.check(&mut state, store)?;
        let faults: Vec<String> =
            found.faults.iter().chain(&found.acknowledged).take(MOST_ACKNOWLEDGED).cloned().collect();
        let row = Row {
            at_ms: SystemClock.unix_ms(),
            action: "audit.acknowledge".to_owned(),
            decision: ACKNOWLEDGED.to_owned(),
            why: vec!["a person acknowledged the damage of the log".to_owned()],
            details: acknowledged_details(&faults, reason),
            ..who.clone()
        };
        self.write(&mut state, store, &Additions { rows: &[row], ..Additions::default() }, KEPT)?;
        self.check(&mut state, store)?;
        Ok(found)
    }

    fn check(&self, state: &mut State, store: &AgentStore) -> Result<Verified> {
        let anchor = &state.anchor;
        let mut walk = Walk::new(anchor);
        let mut ends = Vec::new();
        store.read(|reader| {
            match reader.get(AUDIT, &key(ANCHOR))?.map(|bytes| state.seal.decoded::<Anchor>(bytes)) {
                None if anchor.head == 0 => {}
                None => ends.push("the end of the log is missing".to_owned()),
                Some(Some(stored)) if stored.keyed && stored.value == *anchor => {}
                Some(_) => ends.push("the end of the log is not what was written".to_owned()),
            }
            reader.scan(AUDIT, &key(ANCHOR + 1), &mut |at, bytes| {
                walk.row(number(at), state.seal.decoded(bytes));
                ControlFlow::Continue(())
            })
        })?;
        if walk.seq != anchor.head || walk.prev.as_ref().is_some_and(|prev| *prev != anchor.head_hash) {
            ends.push(format!("the log ends with row {}; row {} was written", walk.seq, anchor.head));
        }
        match self.head(&state.seal) {
            Ok(Some(head)) if head == *anchor => {}
            Ok(None) if anchor.head == 0 => {}
            Ok(None) => ends.push("the second copy of the log's end is missing".to_owned()),
            Ok(Some(_)) => ends.push("the second copy of the log's end is another one".to_owned()),
            Err(why) => ends.push(format!("the second copy of the log's end {why}")),
        }
        if !self.key_holds(&state.seal) {
            ends.push("the key of the log is missing or another one".to_owned());
        }
        ends.extend(self.set_aside());
        let (mut faults, mut known) = (Vec::new(), Vec::new());
        for fault in walk.faults().chain(ends) {
            if walk.acknowledged.contains(&fault) {
                known.push(fault);
            } else {
                faults.push(fault);
            }
        }
        let found = Verified {
            ok: faults.is_empty(),
            rows: walk.rows,
            dropped: anchor.dropped,
            head: anchor.head_hash.clone(),
            faults,
            acknowledged: known,
        };
        state.found.clone_from(&found.faults);
        Ok(found)
    }

    /// Returns the stores that were set aside as damaged: their rows are not in the log.
    fn set_aside(&self) -> Vec<String> {
        let mut found: Vec<String> = fs::read_dir(&self.store_dir)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("set-aside"))
            .map(|entry| format!("a damaged store was set aside: {}", entry.path().display()))
            .collect();
        found.sort_unstable();
        found
    }
}
