//! Answers cached by question, each with the lookups in the repository that it needed.
//!
//! A derived answer (the place that an import binds, the bases of a class, the return type of a function) is worked out
//! once per batch. Every later user of it depends on all its inputs, so its asks are replayed into the user's record.
//!
//! Answers must not depend on which question came first, or an incremental batch would differ from a fresh one. Three
//! limits could cause that: a cycle is cut where it closes, a chain that is too long is cut where it ends, and the work
//! for one reference is limited. So an answer that such a cut has affected is not kept, unless it was a cycle that begins
//! with the question itself: that answer is used only while no question of the cycle is open. A kept answer also records its
//! depth and its work, and is used only where working it out again would fit. Elsewhere it is worked out again until
//! the limit cuts it. How far that gets decides which asks are recorded, and must not depend on the kept answers.
//!
//! All of this holds only if a question names all inputs of its answer: the closure given to [`super::World::derive`]
//! may read nothing from its surroundings that the question does not name.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::cuts::Cuts;
use super::questions::Question;
use super::stamps::Stamps;
use crate::hash::NumberMap;

/// The limits of the work on a question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Deepest chain of derived questions.
    pub depth: usize,
    /// Most work for one reference, in derived questions and expressions visited.
    pub fuel: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 24, fuel: 16_000 }
    }
}

/// From this number of asks on, they are stored once and shared by all answers that use them.
const MANY: usize = 32;
/// Most such lists of one answer; further ones are copied.
const GROUPS: usize = 8;

/// Numbers an ask within a [`super::World`].
pub(crate) type AskIx = u32;

/// Many asks, such as those for all included files of a file: every lookup there has made them all.
#[derive(Debug)]
struct Group {
    asks: Box<[AskIx]>,
    /// The last file that they were noted for.
    noted: Cell<u32>,
}

/// A kept answer.
#[derive(Clone, Debug)]
pub(super) struct Kept<T> {
    value: T,
    height: usize,
    cost: u32,
    asks: Box<[AskIx]>,
    groups: Box<[Rc<Group>]>,
    /// The questions of the cycles that were cut at this one.
    cycle: Box<[Question]>,
}

impl<T> Kept<T> {
    /// Whether it is the answer while these questions are open.
    fn holds_in(&self, open: &[Frame]) -> bool {
        self.cycle.is_empty() || !open.iter().any(|frame| self.cycle.contains(&frame.question))
    }
}

/// Kept answers of one type of value.
pub(crate) type Memo<T> = RefCell<NumberMap<Question, KeptAnswer<T>>>;
/// A kept answer; opaque outside this module.
pub(crate) struct KeptAnswer<T>(pub(super) Kept<T>);

/// What a kept answer took apart from its asks, for another [`super::World`], where the asks have other numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    height: usize,
    cost: u32,
}

impl<T> KeptAnswer<T> {
    /// Its value, what it took, and all of its asks; an ask may be there twice. None if it holds only while some questions
    /// are not open.
    pub(super) fn into_parts(self) -> Option<(T, Effort, Vec<AskIx>)> {
        let Kept { value, height, cost, asks, groups, cycle } = self.0;
        let asks = asks.iter().chain(groups.iter().flat_map(|group| group.asks.iter())).copied().collect();
        cycle.is_empty().then_some((value, Effort { height, cost }, asks))
    }

    /// The same answer, made of its parts.
    pub(super) fn of_parts(value: T, Effort { height, cost }: Effort, mut asks: Vec<AskIx>) -> Self {
        let mut groups = Vec::new();
        group_if_many(&mut asks, &mut groups);
        let (asks, groups) = (asks.into_boxed_slice(), groups.into_boxed_slice());
        Self(Kept { value, height, cost, asks, groups, cycle: Box::default() })
    }
}

/// Makes many asks a group of their own.
fn group_if_many(asks: &mut Vec<AskIx>, groups: &mut Vec<Rc<Group>>) {
    if asks.len() >= MANY {
        let asks = std::mem::take(asks).into_boxed_slice();
        groups.push(Rc::new(Group { asks, noted: Cell::new(0) }));
    }
}

#[derive(Debug)]
struct Frame {
    question: Question,
    asks: Vec<AskIx>,
    groups: Vec<Rc<Group>>,
    height: usize,
    fuel_before: u32,
    cuts: Cuts,
}

impl Frame {
    fn add(&mut self, group: &Rc<Group>) {
        if self.groups.iter().any(|known| Rc::ptr_eq(known, group)) {
            return;
        }
        if self.groups.len() < GROUPS {
            self.groups.push(Rc::clone(group));
        } else {
            self.asks.extend_from_slice(&group.asks);
        }
    }
}

/// The questions being worked out, and the asks they have made.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    limits: Limits,
    frames: RefCell<Vec<Frame>>,
    fuel: Cell<u32>,
    /// The files begun so far.
    files: Cell<u32>,
    /// The asks in `record`.
    recorded: RefCell<Stamps>,
    record: RefCell<Vec<AskIx>>,
    /// For [`Self::dedup_asks`].
    distinct: RefCell<Stamps>,
    /// The asks since they were last taken, if somebody wants them.
    noted: Option<RefCell<Noted>>,
}

/// Some of the asks of a file.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    asks: Vec<AskIx>,
    groups: Vec<Rc<Group>>,
}

impl Noted {
    fn note_group(&mut self, group: &Rc<Group>) {
        if !self.groups.iter().any(|known| Rc::ptr_eq(known, group)) {
            self.groups.push(Rc::clone(group));
        }
    }

    /// Adds those of `other`.
    pub(crate) fn add(&mut self, other: Self) {
        self.asks.extend(other.asks);
        other.groups.iter().for_each(|group| self.note_group(group));
    }

    /// The single asks, each once, and the lists that answers share, each with a number that tells it from the others.
    pub(super) fn into_lists(mut self) -> (Vec<AskIx>, Vec<(usize, Vec<AskIx>)>) {
        self.asks.sort_unstable();
        self.asks.dedup();
        let lists = self.groups.iter().map(|group| (Rc::as_ptr(group) as usize, group.asks.to_vec()));
        (self.asks, lists.collect())
    }
}

/// How to continue with a question.
pub(super) enum Turn<T> {
    /// This is the answer.
    Known(T),
    /// Work it out, then call [`Tracker::leave`].
    Compute,
}

impl Tracker {
    /// A tracker that limits work to `limits`.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The same, with the asks of each reference.
    pub(super) fn with_notes(self) -> Self {
        Self { noted: Some(RefCell::default()), ..self }
    }

    /// Whether it notes the asks of each reference.
    pub(super) fn takes_notes(&self) -> bool {
        self.noted.is_some()
    }

    /// Takes the asks that were noted since the last time.
    pub(super) fn take_noted(&self) -> Noted {
        self.noted.as_ref().map(RefCell::take).unwrap_or_default()
    }

    /// Starts a file, with no asks yet.
    pub(super) fn begin_file(&self) {
        self.frames.borrow_mut().clear();
        self.record.borrow_mut().clear();
        self.recorded.borrow_mut().clear();
        self.files.set(self.files.get().wrapping_add(1));
        self.begin_reference();
    }

    /// Starts a reference: fresh fuel.
    pub(super) fn begin_reference(&self) {
        self.fuel.set(self.limits.fuel);
    }

    /// Takes the asks that this file has made so far.
    pub(super) fn take_record(&self) -> Vec<AskIx> {
        std::mem::take(&mut self.record.borrow_mut())
    }

    /// Records an ask for the question being worked out, or for the file.
    pub(super) fn ask(&self, ask: AskIx) {
        let mut frames = self.frames.borrow_mut();
        match frames.last_mut() {
            Some(frame) if frame.asks.last() == Some(&ask) => {}
            Some(frame) => frame.asks.push(ask),
            None => self.ask_for_file(ask),
        }
    }

    fn ask_for_file(&self, ask: AskIx) {
        if let Some(noted) = &self.noted {
            noted.borrow_mut().asks.push(ask);
        }
        self.record_once(ask);
    }

    fn record_once(&self, ask: AskIx) {
        if self.recorded.borrow_mut().insert(ask) {
            self.record.borrow_mut().push(ask);
        }
    }

    /// Removes doubles. Linear in long lists: those of an include closure have thousands of asks.
    fn dedup_asks(&self, asks: &mut Vec<AskIx>) {
        if asks.len() < MANY {
            asks.sort_unstable();
            asks.dedup();
            return;
        }
        let mut distinct = self.distinct.borrow_mut();
        distinct.clear();
        asks.retain(|ask| distinct.insert(*ask));
    }

    /// Makes many asks a list that the users of the answer share. With the lists that it shares itself they may be too many
    /// for a user, which would copy the last one. Then all become one list. For example, the asks for the files that a file
    /// includes contain those for the files that each of these includes.
    fn group_asks(&self, frame: &mut Frame) {
        if frame.asks.len() >= MANY && frame.groups.len() >= GROUPS {
            frame.groups.drain(..).for_each(|group| frame.asks.extend_from_slice(&group.asks));
            self.dedup_asks(&mut frame.asks);
        }
        group_if_many(&mut frame.asks, &mut frame.groups);
    }

    fn ask_group_for_file(&self, group: &Rc<Group>) {
        if let Some(noted) = &self.noted {
            noted.borrow_mut().note_group(group);
        }
        if group.noted.replace(self.files.get()) != self.files.get() {
            group.asks.iter().for_each(|ask| self.record_once(*ask));
        }
    }

    /// Spends `work`. Returns whether any remains.
    pub(super) fn spend(&self, work: u32) -> bool {
        self.fuel.set(self.fuel.get().saturating_sub(work));
        self.fuel.get() > 0
    }

    /// Whether the reference ran out of work. Its result must then be discarded.
    pub(super) fn is_spent(&self) -> bool {
        self.fuel.get() == 0
    }

    /// Begins a question. `kept` is its kept answer, `none` the answer where a chain is cut.
    pub(super) fn enter<T: Clone>(&self, question: Question, kept: Option<&Kept<T>>, none: T) -> Turn<T> {
        let mut frames = self.frames.borrow_mut();
        if let Some(kept) = kept
            && frames.len() + kept.height < self.limits.depth
            && kept.cost < self.fuel.get()
            && kept.holds_in(&frames)
        {
            match frames.last_mut() {
                Some(frame) => {
                    frame.height = frame.height.max(kept.height + 1);
                    frame.asks.extend_from_slice(&kept.asks);
                    kept.groups.iter().for_each(|group| frame.add(group));
                }
                None => {
                    kept.asks.iter().for_each(|ask| self.ask_for_file(*ask));
                    kept.groups.iter().for_each(|group| self.ask_group_for_file(group));
                }
            }
            self.spend(kept.cost);
            return Turn::Known(kept.value.clone());
        }
        let fits = frames.len() < self.limits.depth && self.spend(question.work());
        let place = frames.iter().position(|frame| frame.question == question);
        if !fits || place.is_some() {
            if let Some(frame) = frames.last_mut() {
                match place {
                    Some(place) if fits => {
                        frame.cuts.note_cycle(place);
                        frame.height = frame.height.max(1);
                    }
                    _ => frame.cuts.note_limit(),
                }
            }
            return Turn::Known(none);
        }
        let fuel_before = self.fuel.get() + question.work();
        let (asks, groups, cuts) = (Vec::new(), Vec::new(), Cuts::default());
        frames.push(Frame { question, asks, groups, height: 0, fuel_before, cuts });
        Turn::Compute
    }

    /// Ends a question with its answer. Returns the answer to keep, unless a cut affected it that depends on the open
    /// questions.
    pub(super) fn leave<T: Clone>(&self, value: &T) -> Option<Kept<T>> {
        let mut frames = self.frames.borrow_mut();
        let mut frame = frames.pop()?;
        self.dedup_asks(&mut frame.asks);
        let place = frames.len();
        let around = frames.last_mut().map(|around| &mut around.cuts);
        let cycle =
            std::mem::take(&mut frame.cuts).end(frame.question, place, around).filter(|_| !self.is_spent());
        if cycle.is_some() {
            self.group_asks(&mut frame);
        }
        match frames.last_mut() {
            Some(parent) => {
                parent.asks.extend_from_slice(&frame.asks);
                frame.groups.iter().for_each(|group| parent.add(group));
                parent.height = parent.height.max(frame.height + 1);
            }
            None => {
                frame.asks.iter().for_each(|ask| self.ask_for_file(*ask));
                frame.groups.iter().for_each(|group| self.ask_group_for_file(group));
            }
        }
        cycle.map(|cycle| Kept {
            value: value.clone(),
            height: frame.height,
            cost: frame.fuel_before - self.fuel.get(),
            asks: frame.asks.into_boxed_slice(),
            groups: frame.groups.into_boxed_slice(),
            cycle,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(number: u32) -> Question {
        Question::Local(number)
    }

    #[test]
    fn of_a_cycle_only_the_answer_of_the_outermost_question_is_kept() {
        let tracker = Tracker::default();
        tracker.begin_file();
        assert!(matches!(tracker.enter::<u8>(q(1), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter::<u8>(q(2), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter::<u8>(q(1), None, 0), Turn::Known(0)), "a cycle");
        tracker.ask(7);
        assert!(tracker.leave(&5).is_none(), "it was made without an answer to the question around it");
        let kept = tracker.leave(&6).unwrap();
        assert_eq!(tracker.take_record(), [7]);
        assert!(matches!(tracker.enter(q(1), Some(&kept), 0), Turn::Known(6)));
        assert!(matches!(tracker.enter::<u8>(q(2), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter(q(1), Some(&kept), 0), Turn::Compute), "its cycle is open");
    }

    #[test]
    fn an_answer_that_a_limit_cut_is_not_kept() {
        let tracker = Tracker::new(Limits { depth: 2, ..Limits::default() });
        tracker.begin_file();
        assert!(matches!(tracker.enter::<u8>(q(1), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter::<u8>(q(2), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter::<u8>(q(3), None, 0), Turn::Known(0)), "too deep");
        assert!(tracker.leave(&5).is_none());
        assert!(tracker.leave(&6).is_none(), "it was made from a cut answer");
    }

    #[test]
    fn asks_are_replayed() {
        let tracker = Tracker::default();
        tracker.begin_file();
        assert!(matches!(tracker.enter::<u8>(q(1), None, 0), Turn::Compute));
        tracker.ask(3);
        tracker.ask(4);
        let kept = tracker.leave(&9).unwrap();
        tracker.begin_file();
        assert!(matches!(tracker.enter(q(1), Some(&kept), 0), Turn::Known(9)));
        tracker.ask(4);
        assert_eq!(tracker.take_record(), [3, 4]);
    }

    #[test]
    fn what_exceeds_the_work_left_asks_the_same_kept_or_not() {
        let tracker = Tracker::default();
        let question = |kept: Option<&Kept<u8>>| {
            if let Turn::Known(value) = tracker.enter(q(1), kept, 0) {
                return (value, None);
            }
            tracker.ask(3);
            if tracker.spend(100) {
                tracker.ask(4);
            }
            (9, tracker.leave(&9))
        };
        tracker.begin_file();
        let kept = question(None).1.unwrap();
        for left in [50, 101, 102, 200] {
            let mut asked = Vec::new();
            for kept in [None, Some(&kept)] {
                tracker.begin_file();
                tracker.spend(tracker.limits.fuel - left);
                question(kept);
                asked.push((tracker.take_record(), tracker.is_spent()));
            }
            assert_eq!(asked[0], asked[1], "with {left} left");
        }
    }

    #[test]
    fn many_asks_are_noted_once_a_file() {
        let tracker = Tracker::default();
        tracker.begin_file();
        assert!(matches!(tracker.enter::<u8>(q(1), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter::<u8>(q(2), None, 0), Turn::Compute));
        (0..MANY as u32).for_each(|ask| tracker.ask(ask));
        let inner = tracker.leave(&1).unwrap();
        tracker.ask(1_000);
        let outer = tracker.leave(&2).unwrap();
        assert_eq!((outer.asks.len(), outer.groups.len()), (1, 1));
        for _ in 0..2 {
            tracker.begin_file();
            assert!(matches!(tracker.enter(q(2), Some(&inner), 0), Turn::Known(1)));
            assert!(matches!(tracker.enter(q(1), Some(&outer), 0), Turn::Known(2)));
            let all: Vec<AskIx> = (0..MANY as u32).chain([1_000]).collect();
            assert_eq!(tracker.take_record(), all);
        }
    }

    #[test]
    fn too_many_lists_become_one() {
        let tracker = Tracker::default();
        tracker.begin_file();
        let many = MANY as u32;
        assert!(matches!(tracker.enter::<u8>(q(0), None, 0), Turn::Compute));
        for number in 1..=GROUPS as u32 {
            assert!(matches!(tracker.enter::<u8>(q(number), None, 0), Turn::Compute));
            (number * many..(number + 1) * many).for_each(|ask| tracker.ask(ask));
            tracker.leave(&1).unwrap();
        }
        (0..many).for_each(|ask| tracker.ask(ask));
        let base = tracker.leave(&2).unwrap();
        assert_eq!((base.asks.len(), base.groups.len()), (0, 1));
        tracker.begin_file();
        assert!(matches!(tracker.enter::<u8>(q(100), None, 0), Turn::Compute));
        assert!(matches!(tracker.enter(q(0), Some(&base), 0), Turn::Known(2)));
        let user = tracker.leave(&3).unwrap();
        assert!(user.asks.is_empty() && Rc::ptr_eq(&user.groups[0], &base.groups[0]), "{user:?}");
        let mut asks = tracker.take_record();
        asks.sort_unstable();
        assert_eq!(asks, (0..(GROUPS as u32 + 1) * many).collect::<Vec<_>>());
    }

    #[test]
    fn long_chains_and_long_work_end() {
        let tracker = Tracker::default();
        tracker.begin_file();
        let depth =
            (0..1000).take_while(|i| matches!(tracker.enter::<u8>(q(*i), None, 0), Turn::Compute)).count();
        assert_eq!(depth, Limits::default().depth);
        for _ in 0..depth {
            assert!(tracker.leave(&1).is_none());
        }
        while tracker.spend(1) {}
        assert!(tracker.is_spent());
        assert!(matches!(tracker.enter::<u8>(q(1), None, 0), Turn::Known(0)));
        tracker.begin_reference();
        assert!(!tracker.is_spent());
    }
}
