//! The history of a repository's files by its commits: messages describe in people's words the topics of the changed
//! files. A task that reads like an old message is often about the same files, and about files that change often. Does
//! no I/O: the caller reads the history.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sdl_model::FileId;

use crate::index::words::{Scratch, each_term};
use crate::message;

/// Most bytes of a message that are read.
const MOST_MESSAGE: usize = 4_096;
/// Number of messages that count for one file: the most similar ones.
const SPEAKERS: usize = 3;
/// The period in which changes are counted as often, in seconds before the newest commit.
const OFTEN: i64 = 365 * 24 * 60 * 60;
const DAY: f32 = 24.0 * 60.0 * 60.0;
/// The age of files that no commit changed, in days.
const NEVER: f32 = 3_000.0;

/// One commit: its time, the terms of its message, the files that it changed.
#[derive(Clone, Debug)]
pub struct PastCommit {
    seconds: i64,
    terms: Box<[Box<str>]>,
    files: Box<[FileId]>,
}

impl PastCommit {
    /// A commit by its time in seconds, its message, and the files that it changed. Takes time proportional to their
    /// sizes.
    pub fn new(seconds: i64, message: &str, files: Vec<FileId>) -> Self {
        let end = message.floor_char_boundary(MOST_MESSAGE.min(message.len()));
        let mut found = BTreeSet::new();
        let mut scratch = Scratch::default();
        for line in message[..end].lines().filter(|line| !message::is_trailer(line)) {
            for word in line.split_whitespace().filter(|word| !word.contains("://")) {
                each_term(word, &mut scratch, &mut |term| {
                    if !message::is_said_of_any(term) && !found.contains(term) {
                        found.insert(Box::from(term));
                    }
                });
            }
        }
        Self { seconds, terms: found.into_iter().collect(), files: files.into() }
    }
}

/// When a file was changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touched {
    /// In this number of commits of the year before the newest commit.
    pub often: u32,
    /// The last time was this number of days before the newest commit.
    pub days: f32,
}

/// The newest commits of a history.
#[derive(Debug, Default)]
pub struct Past {
    commits: Vec<Arc<PastCommit>>,
    /// The commits whose messages have a term.
    with: HashMap<Box<str>, Vec<u32>>,
    /// The lengths of the messages as vectors of their terms' weights.
    lengths: Vec<f32>,
    touched: HashMap<FileId, Touched>,
}

impl Past {
    /// A history of commits, newest first. Takes time proportional to all their terms and files.
    pub fn of(commits: Vec<Arc<PastCommit>>) -> Self {
        let mut past = Self { commits, ..Self::default() };
        let newest = past.commits.first().map_or(0, |commit| commit.seconds);
        for (at, commit) in past.commits.iter().enumerate() {
            for term in &commit.terms {
                past.with.entry(term.clone()).or_default().push(at as u32);
            }
            let ago = newest.saturating_sub(commit.seconds).max(0);
            for file in &commit.files {
                let known = past.touched.entry(*file).or_insert(Touched { often: 0, days: f32::INFINITY });
                known.often += u32::from(ago <= OFTEN);
                known.days = known.days.min(ago as f32 / DAY);
            }
        }
        let length = |commit: &Arc<PastCommit>| {
            let squares = commit.terms.iter().map(|term| past.weight(term).powi(2));
            squares.sum::<f32>().sqrt().max(f32::EPSILON)
        };
        past.lengths = past.commits.iter().map(length).collect();
        past
    }

    /// The number of commits.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Whether there are no commits.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// When a file was changed.
    pub fn touched(&self, file: FileId) -> Touched {
        self.touched.get(&file).copied().unwrap_or(Touched { often: 0, days: NEVER })
    }

    /// How similar the commits that changed a file are to a text of these terms: the cosine between the two, with less
    /// weight for commits that changed many files, added up over the most similar. Only files with any similarity are
    /// included.
    pub(crate) fn alike<'t>(&self, text: impl Iterator<Item = (&'t str, f32)>) -> HashMap<FileId, f32> {
        let mut alike = vec![0.0_f32; self.commits.len()];
        let mut squares = 0.0;
        for (term, weight) in text {
            let Some(with) = self.with.get(term) else { continue };
            let own = self.weight(term);
            squares += (weight * own).powi(2);
            for &at in with {
                if let Some(sum) = alike.get_mut(at as usize) {
                    *sum += weight * own * own;
                }
            }
        }
        let length = squares.sqrt().max(f32::EPSILON);
        let mut of_files: HashMap<FileId, [f32; SPEAKERS]> = HashMap::new();
        for ((commit, sum), of_commit) in self.commits.iter().zip(alike).zip(&self.lengths) {
            if sum <= 0.0 {
                continue;
            }
            let value = sum / (length * of_commit) / (1.0 + (commit.files.len() as f32).ln());
            for file in &commit.files {
                let best = of_files.entry(*file).or_default();
                if let Some(last) = best.last_mut().filter(|last| **last < value) {
                    *last = value;
                    best.sort_unstable_by(|a, b| b.total_cmp(a));
                }
            }
        }
        of_files.into_iter().map(|(file, best)| (file, best.iter().sum())).collect()
    }

    /// How distinctive a term is. Terms that are rare in messages have a higher weight.
    fn weight(&self, term: &str) -> f32 {
        let with = self.with.get(term).map_or(0, Vec::len) as f32;
        (1.0 + self.commits.len() as f32 / (with + 0.5)).ln()
    }
}

/// Why no history is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPast {
    /// There is no history, or it can't be read.
    None,
    /// It is being read.
    Pending,
}

/// Returns the history up to a version when it is needed.
pub type FindPast<'a> = dyn Fn() -> Result<Arc<Past>, NoPast> + 'a;

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: i64 = 1_700_000_000;

    fn file(number: u64) -> FileId {
        FileId(number)
    }

    fn commit(days: i64, message: &str, files: &[u64]) -> Arc<PastCommit> {
        let seconds = TODAY - days * 24 * 60 * 60;
        Arc::new(PastCommit::new(seconds, message, files.iter().copied().map(file).collect()))
    }

    fn alike(past: &Past, text: &str) -> Vec<(u64, i32)> {
        let words = crate::index::word_terms(text);
        let found = past.alike(words.iter().map(|(_, term)| (term.as_str(), 1.0)));
        let mut found: Vec<_> = found.into_iter().map(|(f, v)| (f.0, (v * 100.0).round() as i32)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_text_finds_the_files_of_messages_like_it() {
        let past = Past::of(vec![
            commit(0, "Round totals of the cart", &[1]),
            commit(1, "Fix the cart's totals", &[1, 2]),
            commit(2, "Send mails later", &[3]),
        ]);
        let found = alike(&past, "Wrong totals in the cart");
        assert_eq!(found.iter().map(|(file, _)| *file).collect::<Vec<_>>(), [1, 2]);
        assert!(found[0].1 > 2 * found[1].1, "{found:?}: two messages, one of them about this file alone");
        assert_eq!(alike(&past, "mails"), [(3, alike(&past, "mails")[0].1)]);
        assert_eq!(alike(&past, "nothing that was said"), []);
    }

    #[test]
    fn what_is_said_of_any_change_and_trailers_find_nothing() {
        let past = Past::of(vec![commit(0, "Fix it\n\nSigned-off-by: Ann Cart <ann@cart.example>", &[1])]);
        assert_eq!(alike(&past, "fix the cart"), []);
    }

    #[test]
    fn a_message_is_like_itself() {
        let past = Past::of(vec![commit(0, "totals cart", &[1]), commit(0, "mails", &[2])]);
        assert_eq!(alike(&past, "cart totals"), [(1, 100)]);
    }

    #[test]
    fn files_are_touched_often_and_lately_as_seen_from_the_newest_commit() {
        let past = Past::of(vec![commit(10, "a", &[1]), commit(40, "b", &[1, 2]), commit(800, "c", &[1, 3])]);
        assert_eq!(past.touched(file(1)), Touched { often: 2, days: 0.0 });
        assert_eq!(past.touched(file(2)), Touched { often: 1, days: 30.0 });
        assert_eq!(past.touched(file(3)), Touched { often: 0, days: 790.0 });
        assert_eq!(past.touched(file(4)), Touched { often: 0, days: NEVER });
        assert!(Past::of(Vec::new()).is_empty());
    }

    #[test]
    fn long_messages_are_cut_at_a_character() {
        let commit = PastCommit::new(0, &"ä".repeat(MOST_MESSAGE), Vec::new());
        assert!(!commit.terms.is_empty());
    }
}
