//! Where a question leads back to itself, the inner one gets no answer: the cycle is cut.
//!
//! `f` returns `g()` and `g` returns `f()`. If the result of `f` is asked for, that of `g` is worked out without that of
//! `f`. If `g` is asked for, it is the other way around. So the inner answer depends on the questions that are open, and
//! is not kept. The outer one is the answer that anybody gets who asks for it while no question of the cycle is open.

use super::questions::Question;

/// Most questions in the cycles through one whose answer is kept.
const MEMBERS: usize = 8;

/// The cuts that affect the answer of an open question.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// A limit cut an answer that it uses.
    by_limit: bool,
    /// Where a cycle was cut: the place of that question among the open ones, the outermost first.
    outermost: Option<usize>,
    /// The questions inside it that are in such a cycle. Beyond [`MEMBERS`], one more than that.
    members: Vec<Question>,
}

impl Cuts {
    /// Notes that an inner question was cut by a limit.
    pub(super) fn note_limit(&mut self) {
        self.by_limit = true;
    }

    /// Notes that an inner question was the one at `place`, which is open.
    pub(super) fn note_cycle(&mut self, place: usize) {
        self.outermost = Some(self.outermost.map_or(place, |at| at.min(place)));
    }

    /// Ends `question`, which is the open one at `place`, and hands the cuts to the one `around` that they still affect.
    /// Returns the questions of the cycles that were cut at this one, or none if its answer must not be kept.
    pub(super) fn end(
        mut self,
        question: Question,
        place: usize,
        around: Option<&mut Self>,
    ) -> Option<Box<[Question]>> {
        if self.outermost.is_some() {
            self.members.push(question);
        }
        let further_out = self.outermost.filter(|at| *at < place);
        if let Some(around) = around {
            around.by_limit |= self.by_limit;
            if let Some(place) = further_out {
                around.note_cycle(place);
                self.members.iter().for_each(|member| around.add_member(*member));
            }
        }
        let may_keep = !self.by_limit && further_out.is_none() && self.members.len() <= MEMBERS;
        may_keep.then(|| self.members.into())
    }

    fn add_member(&mut self, member: Question) {
        if self.members.len() <= MEMBERS && !self.members.contains(&member) {
            self.members.push(member);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::memo::{AskIx, Kept, Limits, Tracker, Turn};
    use super::*;

    /// Questions whose answers are made from those of others: by number, the ones that each asks.
    type Maze = Vec<Vec<u32>>;

    /// One who answers the questions of a maze.
    struct Walker<'m> {
        maze: &'m Maze,
        tracker: Tracker,
        /// None if nothing is kept.
        kept: Option<RefCell<HashMap<u32, Kept<u64>>>>,
    }

    impl<'m> Walker<'m> {
        fn new(maze: &'m Maze, limits: Limits, keeps: bool) -> Self {
            Self { maze, tracker: Tracker::new(limits), kept: keeps.then(RefCell::default) }
        }

        fn answer(&self, number: u32) -> u64 {
            let question = Question::Local(number);
            let kept = self.kept.as_ref().and_then(|kept| kept.borrow().get(&number).cloned());
            if let Turn::Known(value) = self.tracker.enter(question, kept.as_ref(), 0) {
                return value;
            }
            // None, some, or enough for a list that is shared.
            (0..number % 3 * 20).for_each(|ask| self.tracker.ask(number * 50 + ask));
            let mut value = u64::from(number) + 1;
            for next in &self.maze[number as usize] {
                value = value.wrapping_mul(31).wrapping_add(self.answer(*next)) ^ (value >> 7);
            }
            if let (Some(answer), Some(kept)) = (self.tracker.leave(&value), &self.kept) {
                kept.borrow_mut().insert(number, answer);
            }
            value
        }

        /// The answer for a file that asks nothing else, unless the work was too much, and the asks that it takes.
        fn ask_alone(&self, number: u32) -> (Option<u64>, Vec<AskIx>) {
            self.tracker.begin_file();
            let value = Some(self.answer(number)).filter(|_| !self.tracker.is_spent());
            let mut asks = self.tracker.take_record();
            asks.sort_unstable();
            (value, asks)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

        #[test]
        fn kept_answers_are_those_without_keeping(
            maze in prop::collection::vec(prop::collection::vec(0..12_u32, 0..4), 12),
            order in prop::collection::vec(0..12_u32, 1..12),
            depth in 2..16_usize,
            fuel in prop_oneof![Just(2_000), 5..200_u32],
        ) {
            let limits = Limits { depth, fuel };
            let walker = Walker::new(&maze, limits, true);
            for number in order {
                prop_assert_eq!(
                    walker.ask_alone(number),
                    Walker::new(&maze, limits, false).ask_alone(number),
                    "question {}", number
                );
            }
        }
    }
}
