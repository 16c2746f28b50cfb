//! Answers told lately: a question about a version has one answer.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use sdl_model::Incarnation;

use crate::actions::SummaryResponse;
use crate::stamp::Stamp;

/// Answers kept.
const MOST: usize = 32;

/// What an answer depends on: the ledger, its version with what lies over it, and the question as asked.
type Key = (Incarnation, Stamp, String);

/// The answers, the latest last, each with the notes that go with it.
#[derive(Default)]
pub(crate) struct Briefings(Mutex<VecDeque<(Key, SummaryResponse, Vec<String>)>>);

impl Briefings {
    /// The answer to that question, if it was told lately.
    pub(crate) fn get(&self, key: &Key) -> Option<(SummaryResponse, Vec<String>)> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, ..)| known == key).map(|(_, answer, notes)| (answer.clone(), notes.clone()))
    }

    /// Keeps an answer in the place of the oldest.
    pub(crate) fn put(&self, key: Key, answer: SummaryResponse, notes: Vec<String>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, ..)| *known != key);
        if kept.len() >= MOST {
            kept.pop_front();
        }
        kept.push_back((key, answer, notes));
    }
}
