//! Finds rows by the words and times of a question.

use std::ops::ControlFlow;

use sdl_ledger::Result;

use super::layout::{self, Doc, Part, is_current, time_bytes, time_prefix};
use super::matches::{Matches, Place, Scored};
use super::near::{Candidate, score_with_neighbours};
use super::question::Question;
use super::spans::Span;
use super::text::Lane;
use crate::store::Tables;
use crate::tables::WORDS;

/// Rows that are looked at closely. Four times as many, and so on, if too few of them may be in the answer.
const CLOSELY: usize = 400;
/// Rows that are looked at closely, at most.
const MAX_CLOSELY: usize = 6_400;
/// What a row counts that is all questions: whoever asks does not know.
const QUESTIONS: f32 = 0.5;
/// What a row counts if a word of the question is in its names, for example that of its author.
const NAMED: f32 = 1.2;
/// What a row counts from the time that the question names.
const IN_TIME: f32 = 1.5;
/// What a row counts from the days after it, in which people still tell of it.
const SOON_AFTER: f32 = 1.25;
const SOON_MS: i64 = 7 * 86_400_000;

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
    /// The words of the question that it has, as they were spelled; "near" if its session has others, "time" if it is
    /// from a time that the question names.
    pub why: Vec<String>,
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
    let mut rows = matches.rows();
    let lanes = ask.lanes.iter().map(|lane| {
        let of_lane = |row: &&Scored| places.get(row.row.0).is_some_and(|place| place.lane == *lane);
        let searched = places.iter().filter(|place| place.lane == *lane);
        LaneHealth {
            lane: *lane,
            rows: searched.map(|place| u64::from(place.part.rows)).sum(),
            matched: rows.iter().filter(of_lane).count() as u64,
            trouble,
        }
    });
    let lanes = lanes.collect();
    if question.words.is_empty() {
        rows = rows_of_times(tables, &places, &question.spans)?;
    }
    let search = Search { tables, ask, places, question, matches };
    Ok(Hits { hits: search.hits(&rows)?, lanes })
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

/// Returns rows from the times that a question names, for one that has no other words.
fn rows_of_times(tables: &impl Tables, places: &[Place<'_>], spans: &[Span]) -> Result<Vec<Scored>> {
    let mut rows = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let prefix = time_prefix(place.part.number);
        for span in spans {
            let from = [&prefix[..], &time_bytes(span.from_ms)].concat();
            let to = [&prefix[..], &time_bytes(span.to_ms)].concat();
            tables.scan_bytes(WORDS, &from, &mut |key, value| {
                if key >= to.as_slice() || rows.len() == MAX_CLOSELY {
                    return ControlFlow::Break(());
                }
                let row = layout::number(value).map(|doc| Scored { row: (at, doc), score: 1.0, words: 0 });
                rows.extend(row);
                ControlFlow::Continue(())
            })?;
        }
    }
    Ok(rows)
}

struct Search<'s, T> {
    tables: &'s T,
    ask: &'s Ask<'s>,
    places: Vec<Place<'s>>,
    question: Question,
    matches: Matches,
}

/// A hit, and the time of its row.
type Timed = (Hit, i64);

impl<T: Tables> Search<'_, T> {
    fn hits(&self, rows: &[Scored]) -> Result<Vec<Hit>> {
        let mut most = CLOSELY;
        loop {
            let mut found = self.look_closely(rows, most)?;
            if found.len() >= self.ask.limit || most >= rows.len() || most >= MAX_CLOSELY {
                found.truncate(self.ask.limit);
                return Ok(found.into_iter().map(|(hit, _)| hit).collect());
            }
            most *= 4;
        }
    }

    /// Scores the best `most` rows with their neighbours. Returns those that may be in the answer, the best first.
    fn look_closely(&self, rows: &[Scored], most: usize) -> Result<Vec<Timed>> {
        let mut candidates = Vec::new();
        for row in rows {
            if candidates.len() == most {
                break;
            }
            if let Some(doc) = self.doc(row)?
                && self.is_since(&doc)
            {
                candidates.push(Candidate::new(*row, &doc));
            }
        }
        let mut rows = score_with_neighbours(self.tables, &self.places, &self.matches, &candidates)?;
        rows.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.row.cmp(&b.row)));
        rows.truncate(most);
        let mut found = Vec::new();
        for row in &rows {
            if let Some(doc) = self.doc(row)?
                && self.is_since(&doc)
            {
                found.extend(self.hit(row, &doc));
            }
        }
        found.sort_unstable_by(|(a, a_ms), (b, b_ms)| {
            let by_score = b.score.total_cmp(&a.score).then_with(|| b_ms.cmp(a_ms));
            by_score.then_with(|| (a.lane, &a.scope, &a.id).cmp(&(b.lane, &b.scope, &b.id)))
        });
        if let Some(keep) = self.ask.keep {
            let mut kept = 0;
            found.retain(|(hit, _)| {
                let is_kept = kept < self.ask.limit && keep(hit.lane, &hit.scope, &hit.id);
                kept += usize::from(is_kept);
                is_kept
            });
        }
        Ok(found)
    }

    fn doc(&self, row: &Scored) -> Result<Option<Doc<'_>>> {
        let (place, doc) = row.row;
        self.places.get(place).map_or(Ok(None), |place| place.part.doc(self.tables, doc))
    }

    fn is_since(&self, doc: &Doc<'_>) -> bool {
        self.ask.since_ms.is_none_or(|since| doc.at_ms >= since)
    }

    fn hit(&self, row: &Scored, doc: &Doc<'_>) -> Option<Timed> {
        let place = self.places.get(row.row.0)?;
        let (mut is_named, mut own) = (false, 0.0);
        self.matches.each_word(row.row, |_, score, named| {
            is_named |= named;
            own += score;
        });
        let asked = 1.0 - (1.0 - QUESTIONS) * f32::from(doc.asks) / 255.0;
        let time = self.question.spans.iter().map(|span| time_factor(span, doc.at_ms)).fold(1.0, f32::max);
        let has = |(nth, _): &(usize, _)| row.words >> nth & 1 == 1;
        let words = self.question.words.iter().enumerate().filter(has);
        let mut why: Vec<String> = words.map(|(_, word)| word.spelled.clone()).collect();
        why.dedup();
        // Sums of the same numbers in another order differ by less.
        why.extend((row.score > own * 1.001).then(|| "near".to_owned()));
        why.extend((time > 1.0).then(|| "time".to_owned()));
        let hit = Hit {
            lane: place.lane,
            scope: place.scope.to_owned(),
            id: doc.id.to_owned(),
            score: row.score * asked * time * if is_named { NAMED } else { 1.0 },
            why,
        };
        Some((hit, doc.at_ms))
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
