//! Compares the index with the rows, and makes it again.

use std::ops::ControlFlow;

use sdl_ledger::{AgentWriter, Result};

use super::index::note_row;
use super::layout::{
    self, Part, chunk_key, doc_of, posting_of, row_terms_key, session_key, terms_bytes, time_key,
};
use super::text::{Lane, Texts};
use super::weigh::weigh_terms;
use crate::store::{Row, Tables, from_bytes};
use crate::tables::WORDS;

/// Rows that are read at a time.
const BATCH: usize = 256;
/// Faults that a verdict names.
const MAX_FAULTS: usize = 20;

/// A row as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The kind of row.
    pub lane: Lane,
    /// The repository; empty for the user.
    pub scope: String,
    /// The row's id.
    pub id: String,
    /// Its text.
    pub texts: Texts,
}

/// Reads some rows of a table, from a key on. Returns them, and the key from which to read the next ones.
pub type Batch<T> = fn(&T, &[u8]) -> Result<(Vec<Known>, Option<Vec<u8>>)>;

/// What [`verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Rows that were looked at.
    pub rows: u64,
    /// Terms of those rows.
    pub terms: u64,
    /// The first faults, each in a sentence. None if the index is right.
    pub faults: Vec<String>,
}

/// A [`Batch`] of the rows of a type.
pub fn batch_of<R: Row, T: Tables>(tables: &T, from: &[u8]) -> Result<(Vec<Known>, Option<Vec<u8>>)> {
    let (mut rows, mut next) = (Vec::new(), None);
    tables.scan_bytes(R::TABLE, from, &mut |key, value| {
        if rows.len() == BATCH {
            next = Some(key.to_vec());
            return ControlFlow::Break(());
        }
        if let Some(row) = from_bytes::<R>(value)
            && let Some(lane) = row.lane()
        {
            let (scope, id) = (row.scope().to_owned(), row.id().to_owned());
            rows.push(Known { lane, scope, id, texts: row.texts() });
        }
        ControlFlow::Continue(())
    })?;
    Ok((rows, next))
}

/// Compares the index with the rows: every row has its entries with the right weights, and there are no others.
pub fn verify<T: Tables>(tables: &T, kinds: &[Batch<T>]) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    // Entries that the rows ought to have, by their first byte: if every one is there, and there are as many, there is
    // no other.
    let mut wanted = Entries::default();
    each_row(tables, kinds, &mut |row| verify_row(tables, &row, &mut wanted, &mut verdict))?;
    let mut found = Entries::default();
    let mut parts = Vec::new();
    tables.scan_bytes(WORDS, &[0], &mut |key, value| {
        match key.first() {
            Some(b'd') => found.rows += 1,
            Some(b'i') => found.ids += 1,
            Some(b'f') => found.lists += 1,
            Some(b's') => found.sessions += 1,
            Some(b't') => found.times += 1,
            Some(b'w') => layout::each_posting(value, |_, _| found.terms += 1),
            Some(b'p') => parts.extend(Part::read(value)),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    if found != wanted {
        verdict.note(|| format!("the rows have {wanted:?}, the index has {found:?}"));
    }
    let counted: u64 = parts.iter().map(|part| u64::from(part.rows)).sum();
    if counted != verdict.rows {
        let rows = verdict.rows;
        verdict.note(|| format!("{counted} rows are counted, {rows} are there"));
    }
    verdict.terms = wanted.terms;
    Ok(verdict)
}

/// Makes the index again from the rows.
pub fn rebuild<'s>(writer: &mut AgentWriter<'s>, kinds: &[Batch<AgentWriter<'s>>]) -> Result<u64> {
    loop {
        let mut keys = Vec::new();
        writer.scan(WORDS, &[0], &mut |key, _| {
            keys.push(key.to_vec());
            if keys.len() < BATCH { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        for key in &keys {
            writer.delete(WORDS, key)?;
        }
        if keys.is_empty() {
            break;
        }
    }
    layout::set_current(writer)?;
    let mut count = 0;
    for kind in kinds {
        let mut from = Some(vec![0]);
        while let Some(key) = from {
            let (rows, next) = kind(writer, &key)?;
            for row in rows {
                note_row(writer, row.lane, &row.scope, &row.id, None, Some(&row.texts))?;
                count += 1;
            }
            from = next;
        }
    }
    Ok(count)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Entries {
    rows: u64,
    ids: u64,
    lists: u64,
    sessions: u64,
    times: u64,
    terms: u64,
}

impl Verdict {
    fn note(&mut self, fault: impl FnOnce() -> String) {
        if self.faults.len() < MAX_FAULTS {
            let fault = fault();
            self.faults.push(fault);
        }
    }
}

fn each_row<T: Tables>(
    tables: &T,
    kinds: &[Batch<T>],
    each: &mut dyn FnMut(Known) -> Result<()>,
) -> Result<()> {
    for kind in kinds {
        let mut from = Some(vec![0]);
        while let Some(key) = from {
            let (rows, next) = kind(tables, &key)?;
            rows.into_iter().try_for_each(&mut *each)?;
            from = next;
        }
    }
    Ok(())
}

fn verify_row(tables: &impl Tables, row: &Known, wanted: &mut Entries, verdict: &mut Verdict) -> Result<()> {
    let Known { lane, scope, id, texts } = row;
    verdict.rows += 1;
    wanted.rows += 1;
    wanted.ids += 1;
    wanted.lists += 1;
    wanted.times += 1;
    let doc = doc_of(id, texts);
    let part = Part::find(tables, scope, *lane)?;
    let number = part.map(|part| part.number_of(tables, id)).transpose()?.flatten();
    let (Some(part), Some(number)) = (part, number) else {
        verdict.note(|| format!("{id} is not in the index"));
        return Ok(());
    };
    let is =
        |key: &[u8]| Ok::<_, sdl_ledger::Error>(tables.get_bytes(WORDS, key)? == Some(&number.to_le_bytes()));
    let mut right = part.doc(tables, number)? == Some(doc) && is(&time_key(part.number, &doc))?;
    if doc.session != 0 {
        wanted.sessions += 1;
        right &= is(&session_key(part.number, &doc))?;
    }
    if !right {
        verdict.note(|| format!("{id} is in the index with another time or session"));
    }
    let terms = weigh_terms(texts);
    let list = tables.get_bytes(WORDS, &row_terms_key(part.number, number))?;
    if list != Some(&terms_bytes(&terms)) {
        verdict.note(|| format!("{id} is in the index with another list of terms"));
    }
    for (term, weight) in terms {
        wanted.terms += 1;
        let chunk = tables.get_bytes(WORDS, &chunk_key(part.number, &term, number))?.unwrap_or_default();
        let held = posting_of(chunk, number);
        if held != Some(weight) {
            verdict.note(|| format!("{id}: the weight of {term:?} is {held:?} in place of {weight:?}"));
        }
    }
    Ok(())
}
