//! A question, read once: its terms, and the times that it names.

use super::spans::{Span, Spans, spans_of};
use super::terms::terms_of;

/// Terms of a question that are looked up; more words don't make it clearer.
const MAX_TERMS: usize = 48;

/// A word of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As the question has it, in lower case.
    pub(super) spelled: String,
    /// The form under which it is looked up.
    pub(super) term: String,
}

/// A question, ready to be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// Its different words, in order.
    pub(super) words: Vec<Word>,
    pub(super) spans: Vec<Span>,
}

impl Question {
    /// Reads a question that is asked at `now_ms`.
    pub(super) fn read(text: &str, now_ms: i64) -> Self {
        let Spans { spans, relative } = spans_of(text, now_ms);
        let mut words: Vec<Word> = Vec::new();
        for spelled in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if relative.contains(&spelled.to_lowercase()) {
                continue;
            }
            let whole = spelled.to_lowercase();
            for term in terms_of(spelled) {
                if words.len() < MAX_TERMS && words.iter().all(|word| word.term != term) {
                    words.push(Word { spelled: whole.clone(), term });
                }
            }
        }
        Self { words, spans }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_its_words_once_and_its_times_apart() {
        let question = Question::read("Why were retries retried last week in fetchAll?", 0);
        let words: Vec<_> =
            question.words.iter().map(|word| (word.spelled.as_str(), word.term.as_str())).collect();
        assert_eq!(words, [("retries", "retri"), ("fetchall", "fetch"), ("fetchall", "fetchal")]);
        assert_eq!(question.spans.len(), 1);
    }
}
