//! Rows of one session explain each other: an answer has few of its question's words, and a talk names its subject once.
//! A word counts for a row by its nearest occurrence in the session, less with each row between.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sdl_ledger::Result;

use super::layout::{self, Part, session_prefix, time_bytes};
use super::matches::{Matches, Place, RowAt, Scored};
use crate::store::Tables;
use crate::tables::WORDS;

/// What a word counts for the next row of the session. More than backwards, because answers follow questions.
const FORTH: f32 = 0.7;
/// What it counts for the row before.
const BACK: f32 = 0.5;
/// Rows further away get nothing: less than a quarter would be left.
const REACH: usize = 4;
/// Rows further away in time are about another matter.
const NEAR_MS: i64 = 3_600_000;
/// Rows of sessions that are read for one question, at most.
const MAX_READ: usize = 8_192;

/// A row that has a word of the question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) scored: Scored,
    pub(super) at_ms: i64,
    pub(super) session: u64,
}

/// Returns the candidates and their neighbours, each scored with what its neighbours lend it.
pub(super) fn score_with_neighbours(
    tables: &impl Tables,
    places: &[Place<'_>],
    matches: &Matches,
    candidates: &[Candidate],
) -> Result<Vec<Scored>> {
    let mut sessions: BTreeMap<(usize, u64), Vec<i64>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for candidate in candidates {
        let (place, _) = candidate.scored.row;
        found.insert(candidate.scored.row, candidate.scored);
        if candidate.session != 0 {
            sessions.entry((place, candidate.session)).or_default().push(candidate.at_ms);
        }
    }
    let mut left = MAX_READ;
    for ((place, session), mut times) in sessions {
        let Some(part) = places.get(place).map(|place| place.part) else { continue };
        times.sort_unstable();
        for (from_ms, to_ms) in windows_of(&times) {
            let run = read_run(tables, part, session, (from_ms, to_ms), &mut left)?;
            let rows: Vec<RowAt> = run.into_iter().map(|doc| (place, doc)).collect();
            score_run(matches, &rows, &mut found);
        }
    }
    Ok(found.into_values().collect())
}

/// Joins times that are near each other.
fn windows_of(times: &[i64]) -> Vec<(i64, i64)> {
    let mut windows: Vec<(i64, i64)> = Vec::new();
    for &time in times {
        let (from, to) = (time.saturating_sub(NEAR_MS), time.saturating_add(NEAR_MS));
        match windows.last_mut() {
            Some(last) if last.1 >= from => last.1 = to,
            _ => windows.push((from, to)),
        }
    }
    windows
}

/// Returns the rows of a session in a window of time, in order.
fn read_run(
    tables: &impl Tables,
    part: Part,
    session: u64,
    (from_ms, to_ms): (i64, i64),
    left: &mut usize,
) -> Result<Vec<u32>> {
    let prefix = session_prefix(part.number, session);
    let from = [&prefix[..], &time_bytes(from_ms)].concat();
    let to = [&prefix[..], &time_bytes(to_ms.saturating_add(1))].concat();
    let mut rows = Vec::new();
    tables.scan_bytes(WORDS, &from, &mut |key, value| {
        if key >= to.as_slice() || *left == 0 {
            return ControlFlow::Break(());
        }
        *left -= 1;
        rows.extend(layout::number(value));
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

/// Scores the rows of a run, in order, that are candidates or near one.
fn score_run(matches: &Matches, run: &[RowAt], found: &mut BTreeMap<RowAt, Scored>) {
    let count = matches.count_words();
    let candidates: Vec<bool> = run.iter().map(|row| found.contains_key(row)).collect();
    let is_near = |at: usize, reach: usize| {
        let last = (at + reach).min(run.len() - 1);
        candidates.get(at.saturating_sub(reach)..=last).is_some_and(|near| near.contains(&true))
    };
    let mut own = vec![0.0_f32; run.len() * count];
    for (at, (row, values)) in run.iter().zip(own.chunks_mut(count.max(1))).enumerate() {
        if is_near(at, 2 * REACH) {
            matches.each_word(*row, |nth, score, _| {
                if let Some(value) = values.get_mut(nth) {
                    *value = score;
                }
            });
        }
    }
    for (at, row) in run.iter().enumerate().filter(|(at, _)| is_near(*at, REACH)) {
        let (first, last) = (at.saturating_sub(REACH), (at + REACH).min(run.len() - 1));
        let (mut score, mut words, mut lent) = (0.0, 0_u64, 0_u64);
        for nth in 0..count {
            let value = |other: usize| own.get(other * count + nth).copied().unwrap_or_default();
            let counts = |other: usize| value(other) * share(other, at);
            let best = (first..=last).map(counts).fold(0.0, f32::max);
            score += best;
            words |= u64::from(value(at) > 0.0) << nth;
            lent |= u64::from(best > 0.0) << nth;
        }
        found.insert(*row, Scored { row: *row, score, words, lent });
    }
}

/// What a word of the row `from` counts for the row `to`.
fn share(from: usize, to: usize) -> f32 {
    let (step, rows) = if from < to { (FORTH, to - from) } else { (BACK, from - to) };
    step.powi(i32::try_from(rows).unwrap_or(i32::MAX))
}
