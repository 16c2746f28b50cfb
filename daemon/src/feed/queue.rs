//! A bounded queue that never waits: what finds no room is counted, in its place.

use std::collections::VecDeque;

/// An entry of a queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry<T> {
    /// What was pushed.
    One(T),
    /// How many found no room here.
    Lost(u64),
}

/// The queue.
#[derive(Debug)]
pub(super) struct Queue<T> {
    entries: VecDeque<(Entry<T>, usize)>,
    held: usize,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

impl<T> Queue<T> {
    /// A queue for at most `most` entries of together `most_bytes`. A single larger one has room when it is empty.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self { entries: VecDeque::new(), held: 0, bytes: 0, most, most_bytes }
    }

    /// Adds an entry of this many bytes, or counts it as lost. Returns whether it had room.
    pub(super) fn push(&mut self, one: T, bytes: usize) -> bool {
        let fits = self.held == 0 || self.bytes.saturating_add(bytes) <= self.most_bytes;
        if self.held < self.most && fits {
            self.held += 1;
            self.bytes = self.bytes.saturating_add(bytes);
            self.entries.push_back((Entry::One(one), bytes));
            return true;
        }
        self.lose(1);
        false
    }

    /// Counts entries that were lost before they got here.
    pub(super) fn lose(&mut self, count: u64) {
        match self.entries.back_mut() {
            Some((Entry::Lost(known), _)) => *known = known.saturating_add(count),
            _ => self.entries.push_back((Entry::Lost(count), 0)),
        }
    }

    /// Takes the oldest entry.
    pub(super) fn pop(&mut self) -> Option<Entry<T>> {
        let (entry, bytes) = self.entries.pop_front()?;
        if matches!(entry, Entry::One(_)) {
            self.held -= 1;
            self.bytes -= bytes;
        }
        Some(entry)
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries = VecDeque::new();
        self.held = 0;
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entries_that_find_no_room_are_counted_in_their_place() {
        let mut queue = Queue::new(2, 100);
        assert!(queue.push('a', 60));
        assert!(!queue.push('b', 60), "too many bytes");
        assert!(!queue.push('c', 60));
        assert_eq!(queue.pop(), Some(Entry::One('a')));
        assert!(queue.push('d', 1_000), "a large one alone");
        assert_eq!(queue.pop(), Some(Entry::Lost(2)));
        assert_eq!(queue.pop(), Some(Entry::One('d')));
        assert!(queue.push('e', 1) && queue.push('f', 1) && !queue.push('g', 1), "two at most");
        queue.clear();
        assert_eq!(queue.pop(), None);
        assert!(queue.push('h', 1));
    }

    proptest! {
        /// What comes out, with the lost ones counted, is what went in, in order; and no more than the limits is held.
        #[test]
        fn nothing_is_left_out_in_silence(steps in prop::collection::vec((any::<bool>(), 0_usize..40), 0..200)) {
            let mut queue = Queue::new(5, 100);
            let (mut pushed, mut seen) = (0_u64, 0_u64);
            let take = |queue: &mut Queue<u64>, seen: &mut u64| match queue.pop() {
                Some(Entry::One(number)) => {
                    assert_eq!(number, *seen);
                    *seen += 1;
                    true
                }
                Some(Entry::Lost(count)) => {
                    *seen += count;
                    true
                }
                None => false,
            };
            for (is_push, bytes) in steps {
                if is_push {
                    queue.push(pushed, bytes);
                    pushed += 1;
                } else {
                    take(&mut queue, &mut seen);
                }
                prop_assert!(queue.held <= 5 && queue.bytes <= 100 && queue.entries.len() <= 11);
            }
            while take(&mut queue, &mut seen) {}
            prop_assert_eq!((seen, queue.held, queue.bytes), (pushed, 0, 0));
        }
    }
}
