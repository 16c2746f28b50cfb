//! When facts hold: the law, as functions of the rows of one subject, one predicate and one world.

use super::index::FactEntry;
use super::names::NameHash;

/// An interval in which a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The row's place.
    pub(super) place: usize,
    pub(super) from: i64,
    pub(super) to: i64,
}

/// An interval in which an object holds, by one row or by several that touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) object: NameHash,
    pub(super) from: i64,
    pub(super) to: i64,
    /// The places of the rows, in the order of their beginnings.
    pub(super) places: Vec<usize>,
}

impl Run {
    /// The place of the row that holds at `time`; of the last one, if none does.
    pub(super) fn place_at(&self, time: Option<i64>, spans: &[Span]) -> usize {
        let last = self.places.last().copied().unwrap_or_default();
        let Some(time) = time else { return last };
        let holds = |place: &&usize| {
            find_span(spans, **place).is_some_and(|span| span.from <= time && time < span.to)
        };
        self.places.iter().find(holds).copied().unwrap_or(last)
    }
}

/// Returns the interval of the row at a place. `spans` are in the order of places.
pub(super) fn find_span(spans: &[Span], place: usize) -> Option<Span> {
    let at = spans.binary_search_by_key(&place, |span| span.place).ok()?;
    spans.get(at).copied()
}

/// Sorts rows into the order of their beginnings. Of two exclusive rows with one beginning the later one counts.
pub(super) fn sort_entries(entries: &mut [FactEntry]) {
    entries.sort_by(|a, b| (a.from, a.recorded, &a.id).cmp(&(b.from, b.recorded, &b.id)));
}

/// Returns the intervals of the rows that were believed at `known`, in order. `entries` are sorted. Rows that hold at no time
/// have none.
pub(super) fn effective_spans(entries: &[FactEntry], known: i64) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut next_exclusive = i64::MAX;
    for (place, entry) in entries.iter().enumerate().rev() {
        if !entry.is_believed(known) {
            continue;
        }
        let mut to = entry.own_end(known);
        if entry.exclusive {
            to = to.min(next_exclusive);
            next_exclusive = entry.from;
        }
        if entry.from < to {
            spans.push(Span { place, from: entry.from, to });
        }
    }
    spans.reverse();
    spans
}

/// Joins intervals of one object that touch or overlap. In the order of their beginnings.
pub(super) fn join_spans(entries: &[FactEntry], spans: &[Span]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut latest: std::collections::HashMap<NameHash, usize> = std::collections::HashMap::new();
    for span in spans {
        let Some(entry) = entries.get(span.place) else { continue };
        let known = latest.get(&entry.object).and_then(|at| runs.get_mut(*at));
        match known.filter(|run| span.from <= run.to) {
            Some(run) => {
                run.to = run.to.max(span.to);
                run.places.push(span.place);
            }
            None => {
                latest.insert(entry.object, runs.len());
                runs.push(Run {
                    object: entry.object,
                    from: span.from,
                    to: span.to,
                    places: vec![span.place],
                });
            }
        }
    }
    runs
}
