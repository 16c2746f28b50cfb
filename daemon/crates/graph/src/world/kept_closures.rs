//! Answers about included files that outlive a world: of two edits of a driver of Linux, both see the same 250 headers.

use std::sync::Arc;

use sdl_ledger::ChangedKeys;

use super::closure::Closure;
use super::memo::{AskIx, Effort, KeptAnswer};
use super::questions::Question;
use crate::hash::{NumberMap, sort_hashes};

/// About the bytes that a file of a closure takes.
const FILE: usize = 40;

/// The answers by question, at most about as many bytes as given.
#[derive(Default)]
pub(super) struct KeptClosures {
    limit: usize,
    weight: usize,
    turn: u64,
    answers: NumberMap<Question, KeptClosure>,
}

struct KeptClosure {
    closure: Arc<Closure>,
    effort: Effort,
    /// The hashes of the questions that it was derived from, sorted.
    asked: Box<[u32]>,
    /// When it was last used.
    turn: u64,
}

impl KeptClosure {
    fn weight(&self) -> usize {
        FILE * self.closure.files().len() + size_of_val(&*self.asked)
    }

    fn has_changed(&self, changed: &ChangedKeys) -> bool {
        let asked = |key: &u32| self.asked.binary_search(key).is_ok();
        changed.keys.iter().any(asked) || changed.pairs.iter().any(|(a, b)| asked(a) && asked(b))
    }
}

impl KeptClosures {
    pub(super) fn with_limit(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Takes an answer out, with the hashes of the questions that it was derived from.
    pub(super) fn take(&mut self, question: &Question) -> Option<(Arc<Closure>, Effort, Box<[u32]>)> {
        let kept = self.answers.remove(question)?;
        self.weight -= kept.weight();
        Some((kept.closure, kept.effort, kept.asked))
    }

    /// Keeps the answers of a world, whose asks have these hashes. If that is too much, those go first that were not used for
    /// longest.
    pub(super) fn put_back(
        &mut self,
        used: NumberMap<Question, KeptAnswer<Arc<Closure>>>,
        ask_hashes: &[u32],
    ) {
        if self.limit == 0 {
            return;
        }
        self.turn += 1;
        for (question, answer) in used {
            let Some((closure, effort, asks)) = answer.into_parts() else { continue };
            let hash = |ask: AskIx| ask_hashes.get(ask as usize).copied();
            let asked = sort_hashes(asks.into_iter().filter_map(hash).collect()).into();
            let kept = KeptClosure { closure, effort, asked, turn: self.turn };
            self.weight += kept.weight();
            if let Some(before) = self.answers.insert(question, kept) {
                self.weight -= before.weight();
            }
        }
        self.shrink_to(self.limit);
    }

    /// Keeps about this many bytes: of those that were used last.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        if self.weight <= bytes {
            return;
        }
        let mut oldest: Vec<(u64, Question)> = self.answers.iter().map(|(q, kept)| (kept.turn, *q)).collect();
        oldest.sort_unstable_by_key(|(turn, _)| *turn);
        for (_, question) in oldest {
            if self.weight <= bytes {
                break;
            }
            self.take(&question);
        }
        self.answers.shrink_to_fit();
    }

    /// Forgets the answers that a change of the tree made others.
    pub(super) fn forget_changed(&mut self, changed: &ChangedKeys) {
        let gone: Vec<Question> =
            self.answers.iter().filter(|(_, kept)| kept.has_changed(changed)).map(|(q, _)| *q).collect();
        for question in gone {
            self.take(&question);
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.weight = 0;
        self.answers.clear();
    }
}
