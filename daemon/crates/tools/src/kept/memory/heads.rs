//! Selects the best memories by the fields of their heads, where neither words nor code are asked for.

use std::cmp::Ordering;

use sdl_memory::notes::NoteHead;

use super::TaskType;
use super::rank::{SortBy, Standing, in_order};

/// Memories that are collected, at least, before the worst are cut off.
const CUT_AT: usize = 64;

/// A memory that is asked for without words or code.
#[derive(Clone, Debug)]
pub(super) struct RankedHead {
    pub(super) scope: String,
    pub(super) id: String,
    pub(super) standing: HeadOrder,
}

/// What the order of [`RankedHead`]s depends on, which is that of [`sort_memories`].
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadOrder {
    pub(super) score: f64,
    updated_ms: u64,
    confidence: f64,
}

impl HeadOrder {
    /// Returns how two memories follow each other but for their ids.
    fn compare(&self, other: &Self, sort: SortBy) -> Ordering {
        let by_score = || other.score.total_cmp(&self.score);
        let by_time = || other.updated_ms.cmp(&self.updated_ms);
        let by_confidence = || other.confidence.total_cmp(&self.confidence);
        in_order(sort, by_score, by_time, by_confidence)
    }
}

/// The best of the memories that are asked for without words or code. Takes the time of a comparison for each that is not among them.
#[derive(Debug)]
pub(super) struct BestHeads {
    sort: SortBy,
    task: Option<TaskType>,
    now_ms: u64,
    need: usize,
    found: Vec<RankedHead>,
    /// The last that may be among the best; none while there is room.
    last: Option<HeadOrder>,
    /// How many were added.
    pub(super) total: usize,
}

impl BestHeads {
    pub(super) fn new((sort, task): (SortBy, Option<TaskType>), need: usize, now_ms: u64) -> Self {
        Self { sort, task, now_ms, need, found: Vec::new(), last: None, total: 0 }
    }

    /// Adds a memory.
    pub(super) fn add(&mut self, head: &NoteHead<'_>) {
        self.total += 1;
        let NoteHead { kind, updated_ms, confidence, is_superseded, .. } = *head;
        let score = Standing { kind, updated_ms, confidence, is_current: !is_superseded };
        let standing = HeadOrder { score: score.score(1.0, self.task, self.now_ms), updated_ms, confidence };
        if self.last.is_some_and(|last| standing.compare(&last, self.sort).is_gt()) {
            return;
        }
        let (scope, id) = (head.scope.to_owned(), head.id.to_owned());
        self.found.push(RankedHead { scope, id, standing });
        // Twice as many as are wanted are kept, because cutting them off each time would be most of the work.
        if self.found.len() > 2 * self.need.max(CUT_AT) {
            self.cut_off();
            self.last = self.found.last().map(|last| last.standing);
        }
    }

    /// Returns the best, in order.
    pub(super) fn best(mut self) -> Vec<RankedHead> {
        self.cut_off();
        self.found
    }

    fn cut_off(&mut self) {
        let sort = self.sort;
        let by_id = |a: &RankedHead, b: &RankedHead| a.id.cmp(&b.id);
        self.found.sort_unstable_by(|a, b| a.standing.compare(&b.standing, sort).then_with(|| by_id(a, b)));
        self.found.truncate(self.need);
    }
}
