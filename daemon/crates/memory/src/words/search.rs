//! Finds rows by the words of a question.

use std::collections::HashMap;
use std::ops::ControlFlow;

use sdl_ledger::Result;

use super::layout::{self, CHUNK, Part, is_current, term_prefix};
use super::terms::terms_of;
use super::text::Lane;
use super::weigh::WEIGHT_UNIT;
use crate::store::Tables;
use crate::tables::WORDS;

/// Terms of a question that are looked up; more words don't make it clearer.
const MAX_TERMS: usize = 64;
/// Rows whose entries are read for one question, at most.
const MAX_READ: usize = 5_000;

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
    /// The words of the question that it has.
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
    /// The best first; those with equal scores by lane, scope and id.
    pub hits: Vec<Hit>,
    /// One for each lane of the question.
    pub lanes: Vec<LaneHealth>,
}

/// A part that is searched, and where it comes from.
struct Place<'a> {
    lane: Lane,
    scope: &'a str,
    part: Part,
}

/// Searches rows. The answer is a function of the rows and the question alone.
pub fn search(tables: &impl Tables, ask: &Ask<'_>) -> Result<Hits> {
    let trouble = (!is_current(tables)?).then_some("the index of words is of another build; rebuild it");
    let places = if trouble.is_some() { Vec::new() } else { places_of(tables, ask)? };
    let mut terms = Vec::new();
    for term in terms_of(ask.text) {
        if terms.len() < MAX_TERMS && !terms.contains(&term) {
            terms.push(term);
        }
    }
    let scored = score_rows(tables, &places, &terms)?;
    let lanes = ask.lanes.iter().map(|lane| {
        let of_lane = |at: usize| places.get(at).is_some_and(|place| place.lane == *lane);
        let rows = places.iter().filter(|place| place.lane == *lane);
        LaneHealth {
            lane: *lane,
            rows: rows.map(|place| u64::from(place.part.rows)).sum(),
            matched: scored.iter().filter(|row| of_lane(row.place)).count() as u64,
            trouble,
        }
    });
    let lanes = lanes.collect();
    Ok(Hits { hits: pick_hits(tables, ask, (&places, &terms), scored)?, lanes })
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

/// A row that has a word of the question.
struct Scored {
    place: usize,
    doc: u32,
    score: f32,
    terms: u64,
}

/// The score of each row of a chunk, and the terms that it has: one bit for each.
type Sums = [(f32, u64); CHUNK];

/// Scores of rows by place and chunk, because rows are few chunks however they are spread.
#[derive(Default)]
struct Scores {
    chunks: HashMap<(usize, u32), Box<Sums>>,
}

impl Scores {
    fn add(&mut self, place: usize, chunk: u32, at: u8, (score, bit): (f32, u64)) {
        let rows = self.chunks.entry((place, chunk)).or_insert_with(|| Box::new([(0.0, 0); CHUNK]));
        if let Some((sum, terms)) = rows.get_mut(usize::from(at)) {
            *sum += score;
            *terms |= bit;
        }
    }

    fn into_rows(self) -> Vec<Scored> {
        let mut found = Vec::new();
        for ((place, chunk), rows) in self.chunks {
            let rows = rows.iter().enumerate().filter(|(_, (score, _))| *score > 0.0);
            found.extend(rows.map(|(at, (score, terms))| {
                let doc = chunk * CHUNK as u32 + at as u32;
                Scored { place, doc, score: *score, terms: *terms }
            }));
        }
        found
    }
}

/// Scores every row that has a term: BM25F, where a term counts by how few of all searched rows have it.
fn score_rows(tables: &impl Tables, places: &[Place<'_>], terms: &[String]) -> Result<Vec<Scored>> {
    let rows: u32 = places.iter().map(|place| place.part.rows).sum();
    let mut scores = Scores::default();
    for (nth, term) in terms.iter().enumerate() {
        let mut found: Vec<(usize, u32, u8, u16)> = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let prefix = term_prefix(place.part.number, term);
            tables.scan_bytes(WORDS, &prefix, &mut |key, chunk| {
                if !key.starts_with(&prefix) {
                    return ControlFlow::Break(());
                }
                let number = layout::chunk_of(key);
                layout::each_posting(chunk, |doc, weight| found.push((at, number, doc, weight)));
                ControlFlow::Continue(())
            })?;
        }
        let rarity = inverse_frequency(rows, found.len());
        for (place, chunk, doc, weight) in found {
            scores.add(place, chunk, doc, (rarity * f32::from(weight) / WEIGHT_UNIT, 1 << nth));
        }
    }
    Ok(scores.into_rows())
}

/// How much a term counts of which `having` of all `rows` have one. Never below 0.
fn inverse_frequency(rows: u32, having: usize) -> f32 {
    let (rows, having) = (rows as f32, having as f32);
    (1.0 + (rows - having + 0.5).max(0.0) / (having + 0.5)).ln()
}

fn pick_hits(
    tables: &impl Tables,
    ask: &Ask<'_>,
    (places, terms): (&[Place<'_>], &[String]),
    mut scored: Vec<Scored>,
) -> Result<Vec<Hit>> {
    scored.sort_unstable_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.place, a.doc).cmp(&(b.place, b.doc)))
    });
    let mut hits = Vec::new();
    for row in scored.iter().take(MAX_READ) {
        // Rows with the score of the last hit are read too, because their ids decide which come first.
        if hits.len() >= ask.limit && hits.last().is_some_and(|last: &Hit| last.score > row.score) {
            break;
        }
        let Some(place) = places.get(row.place) else { continue };
        let Some(doc) = place.part.doc(tables, row.doc)? else { continue };
        if ask.since_ms.is_some_and(|since| doc.at_ms < since)
            || ask.keep.is_some_and(|keep| !keep(place.lane, place.scope, doc.id))
        {
            continue;
        }
        let has = |(nth, _): &(usize, &String)| row.terms >> nth & 1 == 1;
        hits.push(Hit {
            lane: place.lane,
            scope: place.scope.to_owned(),
            id: doc.id.to_owned(),
            score: row.score,
            why: terms.iter().enumerate().filter(has).map(|(_, term)| term.clone()).collect(),
        });
    }
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.lane, &a.scope, &a.id).cmp(&(b.lane, &b.scope, &b.id)))
    });
    hits.truncate(ask.limit);
    Ok(hits)
}
