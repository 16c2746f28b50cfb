//! How the index is stored. One table, in which the first byte of a key tells the kind of entry:
//!
//! | key | value | |
//! |---|---|---|
//! | `p` scope 0 lane | number, next document, documents | a **part**: the rows of one lane in one scope |
//! | `n` | number | that of the next part |
//! | `i` part id | document | the number of a row in its part |
//! | `d` part document | time, session, share of questions, id | the row of a number |
//! | `f` part document | term 0 weight… | the terms of a row |
//! | `s` part session time id | document | the rows of a session, in order |
//! | `t` part time id | document | the rows of a part, in order |
//! | `w` part term 0 chunk | (document, weight)… | 256 documents of a part, as far as they have the term |
//!
//! Terms come before chunks, so that a word is found by one scan. Documents are packed by chunks, because a common word
//! in 50,000 rows is then 200 entries.

use std::collections::BTreeMap;

use sdl_ledger::{AgentWriter, Result};

use super::text::{Lane, Texts};
use super::weigh::{Weight, share_of_questions};
use crate::store::Tables;
use crate::tables::{MEMORY_META, WORDS};

/// The number of this layout and of the rules of terms and weights. An index of another one has to be made again.
const LAYOUT: u8 = 2;
const LAYOUT_KEY: &[u8] = b"words";

/// Documents of one chunk.
pub(super) const CHUNK: usize = 256;
/// Bytes of a document in a chunk: its place, its weight.
const POSTING_BYTES: usize = 3;

/// The rows of one lane in one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) number: u32,
    /// The number of the next row.
    pub(super) next: u32,
    /// How many rows there are.
    pub(super) rows: u32,
}

/// The entry of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doc<'t> {
    pub(super) at_ms: i64,
    /// A hash of the session; 0 for none.
    pub(super) session: u64,
    /// The share of its terms that are in questions, from 0 to 255.
    pub(super) asks: u8,
    pub(super) id: &'t str,
}

/// The key of the number of the next part.
pub(super) const NEXT_PART: &[u8] = b"n";

/// Whether the index is of this build's layout. An empty store has none and counts as current.
pub fn is_current(tables: &impl Tables) -> Result<bool> {
    match tables.get_bytes(MEMORY_META, LAYOUT_KEY)? {
        Some(layout) => Ok(layout == [LAYOUT]),
        None => Ok(tables.count_rows(WORDS)? == 0),
    }
}

/// Returns how many rows of some lanes a scope has. Reads one value for each lane.
pub fn count_lanes(tables: &impl Tables, scope: &str, lanes: &[Lane]) -> Result<u64> {
    let mut count = 0;
    for lane in lanes {
        count += Part::find(tables, scope, *lane)?.map_or(0, |part| u64::from(part.rows));
    }
    Ok(count)
}

/// Notes that the index is of this build's layout.
pub(super) fn set_current(writer: &mut AgentWriter<'_>) -> Result<()> {
    writer.put(MEMORY_META, LAYOUT_KEY, &[LAYOUT])
}

pub(super) fn part_key(scope: &str, lane: Lane) -> Vec<u8> {
    [b"p", scope.as_bytes(), &[0, lane as u8]].concat()
}

pub(super) fn id_key(part: u32, id: &str) -> Vec<u8> {
    [b"i", &part.to_be_bytes()[..], id.as_bytes()].concat()
}

pub(super) fn doc_key(part: u32, doc: u32) -> Vec<u8> {
    [b"d", &part.to_be_bytes()[..], &doc.to_be_bytes()].concat()
}

/// The key of the terms of a row.
pub(super) fn row_terms_key(part: u32, doc: u32) -> Vec<u8> {
    [b"f", &part.to_be_bytes()[..], &doc.to_be_bytes()].concat()
}

/// The beginning of the keys of a session's rows.
pub(super) fn session_prefix(part: u32, session: u64) -> Vec<u8> {
    [b"s", &part.to_be_bytes()[..], &session.to_be_bytes()].concat()
}

pub(super) fn session_key(part: u32, doc: &Doc<'_>) -> Vec<u8> {
    [&session_prefix(part, doc.session)[..], &time_bytes(doc.at_ms), doc.id.as_bytes()].concat()
}

/// The beginning of the keys of a part's rows in the order of time.
pub(super) fn time_prefix(part: u32) -> Vec<u8> {
    [b"t", &part.to_be_bytes()[..]].concat()
}

pub(super) fn time_key(part: u32, doc: &Doc<'_>) -> Vec<u8> {
    [&time_prefix(part)[..], &time_bytes(doc.at_ms), doc.id.as_bytes()].concat()
}

/// The beginning of the keys of a term's chunks.
pub(super) fn term_prefix(part: u32, term: &str) -> Vec<u8> {
    [b"w", &part.to_be_bytes()[..], term.as_bytes(), &[0]].concat()
}

/// The beginning of the keys of the terms that begin so.
pub(super) fn terms_prefix(part: u32, beginning: &str) -> Vec<u8> {
    [b"w", &part.to_be_bytes()[..], beginning.as_bytes()].concat()
}

/// A key after all chunks of a term and before those of the next one.
pub(super) fn after_term(part: u32, term: &str) -> Vec<u8> {
    [&terms_prefix(part, term)[..], &[1]].concat()
}

/// Returns the term of a key of [`chunk_key`].
pub(super) fn term_of(key: &[u8]) -> Option<&str> {
    let rest = key.get(5..)?;
    std::str::from_utf8(rest.split(|byte| *byte == 0).next()?).ok()
}

pub(super) fn chunk_key(part: u32, term: &str, doc: u32) -> Vec<u8> {
    let chunk = doc / CHUNK as u32;
    [&term_prefix(part, term)[..], &chunk.to_be_bytes()].concat()
}

/// Returns the chunk that a key of [`chunk_key`] ends with.
pub(super) fn chunk_of(key: &[u8]) -> u32 {
    key.last_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// A time as bytes in the order of times.
pub(super) fn time_bytes(at_ms: i64) -> [u8; 8] {
    (at_ms ^ i64::MIN).to_be_bytes()
}

/// Returns the hash of a session; 0 for none.
fn hash_session(session: Option<&str>) -> u64 {
    let hash = session.map(|session| blake3::hash(session.as_bytes()));
    hash.and_then(|hash| hash.as_bytes().first_chunk::<8>().copied())
        .map_or(0, |b| u64::from_le_bytes(b).max(1))
}

/// Returns the entry of a row with these texts.
pub(super) fn doc_of<'t>(id: &'t str, texts: &Texts) -> Doc<'t> {
    let session = hash_session(texts.session.as_deref());
    Doc { at_ms: texts.at_ms, session, asks: share_of_questions(texts), id }
}

impl Part {
    /// Returns the part of a lane in a scope, if it has or had rows.
    pub(super) fn find(tables: &impl Tables, scope: &str, lane: Lane) -> Result<Option<Self>> {
        Ok(tables.get_bytes(WORDS, &part_key(scope, lane))?.and_then(Self::read))
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let [number, next, rows] = numbers(bytes)?;
        Some(Self { number, next, rows })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.number.to_le_bytes(), self.next.to_le_bytes(), self.rows.to_le_bytes()].concat()
    }

    /// Returns the number of a row.
    pub(super) fn number_of(&self, tables: &impl Tables, id: &str) -> Result<Option<u32>> {
        Ok(tables.get_bytes(WORDS, &id_key(self.number, id))?.and_then(number))
    }

    /// Returns the row of a number.
    pub(super) fn doc<'t>(&self, tables: &'t impl Tables, doc: u32) -> Result<Option<Doc<'t>>> {
        Ok(tables.get_bytes(WORDS, &doc_key(self.number, doc))?.and_then(Doc::read))
    }
}

impl<'t> Doc<'t> {
    pub(super) fn read(bytes: &'t [u8]) -> Option<Self> {
        let (at_ms, rest) = bytes.split_first_chunk::<8>()?;
        let (session, rest) = rest.split_first_chunk::<8>()?;
        let (asks, id) = rest.split_first()?;
        let (at_ms, session) = (i64::from_le_bytes(*at_ms), u64::from_le_bytes(*session));
        Some(Self { at_ms, session, asks: *asks, id: std::str::from_utf8(id).ok()? })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        [&self.at_ms.to_le_bytes()[..], &self.session.to_le_bytes(), &[self.asks], self.id.as_bytes()]
            .concat()
    }
}

/// Reads a number.
pub(super) fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn numbers<const N: usize>(bytes: &[u8]) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut chunks = bytes.chunks_exact(4);
    for one in &mut found {
        *one = number(chunks.next()?)?;
    }
    Some(found)
}

/// Returns the terms of a row with their weights as they are stored.
pub(super) fn terms_bytes(terms: &BTreeMap<String, Weight>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (term, weight) in terms {
        bytes.extend(term.as_bytes());
        bytes.push(0);
        bytes.extend(weight.0.to_le_bytes());
    }
    bytes
}

/// Reads the value of a key of [`row_terms_key`].
pub(super) fn weights_of(mut bytes: &[u8]) -> impl Iterator<Item = (&str, Weight)> {
    std::iter::from_fn(move || {
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let (term, rest) = bytes.split_at(end);
        let (weight, rest) = rest.get(1..)?.split_first_chunk::<2>()?;
        bytes = rest;
        Some((std::str::from_utf8(term).ok()?, Weight(u16::from_le_bytes(*weight))))
    })
}

/// Calls `each` with the place in its chunk, and the weight, of each document of a chunk.
pub(super) fn each_posting(chunk: &[u8], mut each: impl FnMut(u8, Weight)) {
    for posting in chunk.chunks_exact(POSTING_BYTES) {
        if let [place, low, high] = *posting {
            each(place, Weight(u16::from_le_bytes([low, high])));
        }
    }
}

/// How many documents a chunk has.
pub(super) fn count_postings(chunk: &[u8]) -> usize {
    chunk.len() / POSTING_BYTES
}

/// Returns the weight of a document in a chunk.
pub(super) fn posting_of(chunk: &[u8], doc: u32) -> Option<Weight> {
    let mut found = None;
    each_posting(chunk, |place, weight| {
        if place == place_of(doc) {
            found = Some(weight);
        }
    });
    found
}

/// Returns a chunk with another weight of a document, or without it.
pub(super) fn with_posting(chunk: &[u8], doc: u32, weight: Option<Weight>) -> Vec<u8> {
    let place = place_of(doc);
    let mut bytes = Vec::with_capacity(chunk.len() + POSTING_BYTES);
    let mut left = weight;
    let push = |bytes: &mut Vec<u8>, place: u8, weight: Weight| {
        bytes.push(place);
        bytes.extend(weight.0.to_le_bytes());
    };
    each_posting(chunk, |at, other| {
        if at >= place
            && let Some(weight) = left.take()
        {
            push(&mut bytes, place, weight);
        }
        if at != place {
            push(&mut bytes, at, other);
        }
    });
    if let Some(weight) = left {
        push(&mut bytes, place, weight);
    }
    bytes
}

fn place_of(doc: u32) -> u8 {
    (doc % CHUNK as u32) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_stays_sorted_and_holds_each_document_once() {
        let mut chunk = Vec::new();
        for (doc, weight) in [(700, Some(3)), (513, Some(1)), (600, Some(2)), (600, Some(5)), (513, None)] {
            chunk = with_posting(&chunk, doc, weight.map(Weight));
        }
        let mut found = Vec::new();
        each_posting(&chunk, |place, weight| found.push((place, weight.0)));
        assert_eq!(found, [(88, 5), (188, 3)]);
        assert_eq!((posting_of(&chunk, 600), posting_of(&chunk, 513)), (Some(Weight(5)), None));
        assert!(with_posting(&with_posting(&chunk, 600, None), 700, None).is_empty());
    }

    #[test]
    fn the_terms_of_a_row_are_read_again() {
        let terms = BTreeMap::from([("a".to_owned(), Weight(0)), ("bc".to_owned(), Weight(0x8100))]);
        let bytes = terms_bytes(&terms);
        assert_eq!(weights_of(&bytes).collect::<Vec<_>>(), [("a", Weight(0)), ("bc", Weight(0x8100))]);
    }

    #[test]
    fn times_are_in_order_as_bytes() {
        let times = [i64::MIN, -1, 0, 1, 1_770_000_000_000, i64::MAX].map(time_bytes);
        assert!(times.is_sorted());
    }

    #[test]
    fn what_is_kept_of_a_row_is_read_again() {
        let doc = Doc { at_ms: -5, session: hash_session(Some("ses_1")), asks: 9, id: "m_1" };
        assert_eq!(Doc::read(&doc.bytes()), Some(doc));
        let part = Part { number: 7, next: 300, rows: 2 };
        assert_eq!(Part::read(&part.bytes()), Some(part));
        let key = chunk_key(7, "word", 300);
        assert_eq!((chunk_of(&key), term_of(&key)), (1, Some("word")));
        assert!(key < after_term(7, "word") && after_term(7, "word") < chunk_key(7, "words", 0));
    }
}
