//! Finds rows by the words and times of a question.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use sdl_ledger::Result;

use super::alike;
use super::layout::{self, Doc, Part, is_current, time_bytes, time_prefix};
use super::matches::{Matches, Place, RowAt, Scored, keep_best_and_ties};
use super::near::{Candidate, score_with_neighbours};
use super::question::Question;
use super::spans::Span;
use super::text::Lane;
use crate::store::Tables;
use crate::tables::WORDS;

/// Rows that are looked at closely, at least. Four times as many, and so on, if too few of them may be in the answer.
const CLOSELY: usize = 100;
/// Rows that are looked at closely, at most.
const MAX_CLOSELY: usize = 6_400;
/// Rows that are looked at for words to add to the question.
const WIDELY: usize = 50;
/// What a row counts that is all questions: whoever asks does not know.
const QUESTIONS: f32 = 0.5;
/// What a row counts if a word of the question is in its names, for example that of its author.
const NAMED: f32 = 1.2;
/// What a row counts from the time that the question names.
const IN_TIME: f32 = 1.5;
/// What a row counts from the days after it, in which people still tell of it.
const SOON_AFTER: f32 = 1.25;
const SOON_MS: i64 = 7 * 86_400_000;
/// Words of the question that the neighbours of a row without any must have.
const LENT: u32 = 2;

/// Whether a row may be in an answer, by its lane, scope and id.
pub type Keep<'k> = dyn Fn(Lane, &str, &str) -> bool + 'k;

/// A question.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The repositories whose rows are searched; empty for the rows of the user.
    pub scopes: &'a [&'a str],
    /// The kinds of rows.
    pub lanes: &'a [Lane],
    /// The question.
    pub text: &'a str,
    /// The time to which words such as "yesterday" refer, in Unix milliseconds.
    pub now_ms: i64,
    /// Rows from before are left out, in Unix milliseconds.
    pub since_ms: Option<i64>,
    /// Whether a row may be in the answer. Asked in the order of scores, for more rows than are answered.
    pub keep: Option<&'a Keep<'a>>,
    /// Hits, at most.
    pub limit: usize,
}

/// Why a row was found, beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Rows near it in its session have other words of the question.
    Near,
    /// It has words of the rows that answer best.
    Alike,
    /// It is from a time that the question names.
    InTime,
}

/// A row that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The kind of row.
    pub lane: Lane,
    /// The repository; empty for the user.
    pub scope: String,
    /// The row's id.
    pub id: String,
    /// How well it answers; above 0, comparable within one answer.
    pub score: f32,
    /// The words of the question that it has, or words in their place, as the question spells them.
    pub words: Vec<String>,
    /// Other reasons.
    pub reasons: Vec<Reason>,
}

/// How a lane did in a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneHealth {
    /// The kind of row.
    pub lane: Lane,
    /// Rows in the scopes that were searched.
    pub rows: u64,
    /// Those among them that have a word of the question.
    pub matched: u64,
    /// Why the lane could not be searched; none if it was.
    pub trouble: Option<&'static str>,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The best first; those with equal scores the newest first, then by lane, scope and id.
    pub hits: Vec<Hit>,
    /// One for each lane of the question.
    pub lanes: Vec<LaneHealth>,
}

/// Searches rows. The answer is a function of the store and the question alone.
pub fn search(tables: &impl Tables, ask: &Ask<'_>) -> Result<Hits> {
    let trouble = (!is_current(tables)?).then_some("the index of words is of another build; rebuild it");
    let places = if trouble.is_some() { Vec::new() } else { places_of(tables, ask)? };
    let question = Question::read(ask.text, ask.now_ms);
    let matches = Matches::read(tables, &places, &question.words)?;
    let counts = matches.count_rows();
    let lanes = ask.lanes.iter().map(|lane| {
        let searched = places.iter().enumerate().filter(|(_, place)| place.lane == *lane);
        let counted = searched.map(|(at, place)| (u64::from(place.part.rows), counts.get(&at)));
        let (rows, matched) =
            counted.fold((0, 0), |(rows, sum), (all, some)| (rows + all, sum + some.unwrap_or(&0)));
        LaneHealth { lane: *lane, rows, matched, trouble }
    });
    let lanes = lanes.collect();
    let mut search = Search { tables, ask, places, question, matches, docs: RefCell::default() };
    search.widen()?;
    Ok(Hits { hits: search.hits()?, lanes })
}

fn places_of<'a>(tables: &impl Tables, ask: &Ask<'a>) -> Result<Vec<Place<'a>>> {
    let mut places = Vec::new();
    for &lane in ask.lanes {
        for &scope in ask.scopes {
            if let Some(part) = Part::find(tables, scope, lane)? {
                places.push(Place { lane, scope, part });
            }
        }
    }
    Ok(places)
}

/// Returns rows from the times that a question names, for one that has no other words. The newest of each time, because
/// there may be many since a day long ago.
fn rows_of_times(tables: &impl Tables, places: &[Place<'_>], spans: &[Span]) -> Result<Vec<Scored>> {
    let mut found = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let prefix = time_prefix(place.part.number);
        for span in spans {
            let from = [&prefix[..], &time_bytes(span.from_ms)].concat();
            let to = [&prefix[..], &time_bytes(span.to_ms)].concat();
            let mut newest = VecDeque::new();
            tables.scan_bytes(WORDS, &from, &mut |key, value| {
                if key >= to.as_slice() {
                    return ControlFlow::Break(());
                }
                newest.extend(layout::number(value));
                if newest.len() > MAX_CLOSELY {
                    newest.pop_front();
                }
                ControlFlow::Continue(())
            })?;
            found.extend(newest.into_iter().map(|doc| Scored {
                row: (at, doc),
                score: 1.0,
                words: 0,
                lent: 0,
            }));
        }
    }
    Ok(found)
}

struct Search<'s, T> {
    tables: &'s T,
    ask: &'s Ask<'s>,
    places: Vec<Place<'s>>,
    question: Question,
    matches: Matches,
    /// The entries that were read, because the best rows are looked at for their words first, and again for the answer.
    docs: RefCell<HashMap<RowAt, Option<Doc<'s>>>>,
}

/// A row of an answer.
struct Ranked<'s> {
    place: Place<'s>,
    doc: Doc<'s>,
    scored: Scored,
    is_in_time: bool,
}

impl<'s, T: Tables> Search<'s, T> {
    /// Adds words of the rows that answer best.
    fn widen(&mut self) -> Result<()> {
        let best = self.look_closely(self.matches.best_rows(WIDELY))?;
        let best: Vec<Scored> = best.iter().take(alike::BEST).map(|found| found.scored).collect();
        alike::add_words(self.tables, &self.places, &self.question.words, &best, &mut self.matches)
    }

    fn hits(&self) -> Result<Vec<Hit>> {
        let mut most = CLOSELY.max(2 * self.ask.limit);
        loop {
            let rows = if self.question.words.is_empty() {
                rows_of_times(self.tables, &self.places, &self.question.spans)?
            } else {
                self.matches.best_rows(most)
            };
            let is_all = rows.len() < most || most >= MAX_CLOSELY;
            let mut found = self.look_closely(rows)?;
            self.keep_only(&mut found);
            if found.len() >= self.ask.limit || is_all {
                found.truncate(self.ask.limit);
                return Ok(found.iter().map(|found| self.hit(found)).collect());
            }
            most *= 4;
        }
    }

    fn keep_only(&self, found: &mut Vec<Ranked<'s>>) {
        let Some(keep) = self.ask.keep else { return };
        let mut kept = 0;
        found.retain(|Ranked { place, doc, .. }| {
            let is_kept = kept < self.ask.limit && keep(place.lane, place.scope, doc.id);
            kept += usize::from(is_kept);
            is_kept
        });
    }

    /// Scores rows with their neighbours. Returns as many, the best first, and those that are as good as the last: which
    /// of them has the lower number says nothing about them.
    fn look_closely(&self, rows: Vec<Scored>) -> Result<Vec<Ranked<'s>>> {
        let most = rows.len();
        let mut candidates = Vec::with_capacity(most);
        let mut known = HashMap::with_capacity(most);
        for scored in rows {
            if let Some((place, doc)) = self.row(&scored)? {
                candidates.push(Candidate { scored, at_ms: doc.at_ms, session: doc.session });
                known.insert(scored.row, (place, doc));
            }
        }
        let mut rows = score_with_neighbours(self.tables, &self.places, &self.matches, &candidates)?;
        // First, because a neighbour that is no answer must not push one out.
        rows.retain(|row| self.is_asked(row));
        keep_best_and_ties(&mut rows, most);
        let mut found = Vec::with_capacity(rows.len());
        for scored in rows {
            let row = match known.remove(&scored.row) {
                Some(row) => Some(row),
                None => self.row(&scored)?,
            };
            found.extend(row.map(|(place, doc)| self.rank(place, doc, scored)));
        }
        found.sort_unstable_by(|a, b| {
            let by_score = b.scored.score.total_cmp(&a.scored.score);
            let by_time = by_score.then_with(|| b.doc.at_ms.cmp(&a.doc.at_ms));
            let key = |found: &Ranked<'s>| (found.place.lane, found.place.scope, found.doc.id);
            by_time.then_with(|| key(a).cmp(&key(b)))
        });
        Ok(found)
    }

    /// The bits of the question's own words.
    fn own_words(&self) -> u64 {
        (1 << self.question.words.len()) - 1
    }

    /// Whether a row has a word of the question, or its neighbours have enough of them. One word of a neighbour says nothing about a row: notes of one
    /// session may be about anything. Neither do added words.
    fn is_asked(&self, scored: &Scored) -> bool {
        let own = self.own_words();
        let is_said = scored.words & own != 0;
        self.question.words.is_empty() || is_said || (scored.lent & own).count_ones() >= LENT
    }

    /// Returns where a row is and its entry, if it is not too old.
    fn row(&self, scored: &Scored) -> Result<Option<(Place<'s>, Doc<'s>)>> {
        let (at, number) = scored.row;
        let Some(place) = self.places.get(at) else { return Ok(None) };
        let doc = match self.docs.borrow_mut().entry(scored.row) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place_for) => *place_for.insert(place.part.doc(self.tables, number)?),
        };
        let is_since = |doc: &Doc<'_>| self.ask.since_ms.is_none_or(|since| doc.at_ms >= since);
        Ok(doc.filter(is_since).map(|doc| (*place, doc)))
    }

    /// Weighs a row by its entry, its names and its time.
    fn rank(&self, place: Place<'s>, doc: Doc<'s>, mut scored: Scored) -> Ranked<'s> {
        let mut is_named = false;
        self.matches.each_word(scored.row, |_, _, named| is_named |= named);
        let asked = 1.0 - (1.0 - QUESTIONS) * f32::from(doc.asks) / 255.0;
        let time = self.question.spans.iter().map(|span| time_factor(span, doc.at_ms)).fold(1.0, f32::max);
        scored.score *= asked * time * if is_named { NAMED } else { 1.0 };
        Ranked { place, doc, scored, is_in_time: time > 1.0 }
    }

    fn hit(&self, found: &Ranked<'_>) -> Hit {
        let bits = found.scored.words;
        let words = self.question.words.iter().enumerate().filter(|(nth, _)| bits >> nth & 1 == 1);
        let mut words: Vec<String> = words.map(|(_, word)| word.spelled.clone()).collect();
        words.dedup();
        let is_alike = bits >> self.question.words.len() != 0;
        let is_near = found.scored.lent & !bits & self.own_words() != 0;
        let reasons =
            [(is_near, Reason::Near), (is_alike, Reason::Alike), (found.is_in_time, Reason::InTime)];
        let reasons = reasons.into_iter().filter_map(|(holds, reason)| holds.then_some(reason)).collect();
        Hit {
            lane: found.place.lane,
            scope: found.place.scope.to_owned(),
            id: found.doc.id.to_owned(),
            score: found.scored.score,
            words,
            reasons,
        }
    }
}

fn time_factor(span: &Span, at_ms: i64) -> f32 {
    if (span.from_ms..span.to_ms).contains(&at_ms) {
        IN_TIME
    } else if (span.to_ms..span.to_ms.saturating_add(SOON_MS)).contains(&at_ms) {
        SOON_AFTER
    } else {
        1.0
    }
}
