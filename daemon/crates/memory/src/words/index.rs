//! Keeps the index right when a row changes.

use std::collections::BTreeMap;

use sdl_ledger::{AgentWriter, Result};

use super::layout::{
    self, Doc, NEXT_PART, Part, chunk_key, doc_key, doc_of, id_key, is_current, part_key, row_terms_key,
    session_key, set_current, terms_bytes, time_key, weights_of, with_posting,
};
use super::text::{Lane, Texts};
use super::weigh::{Weight, weigh_terms};
use crate::tables::WORDS;

/// Changes the words of a row: from those of `before` to those of `after`. Part of the transaction that changes the
/// row. Touches only terms whose weight changes.
pub fn note_row(
    writer: &mut AgentWriter<'_>,
    lane: Lane,
    scope: &str,
    id: &str,
    before: Option<&Texts>,
    after: Option<&Texts>,
) -> Result<()> {
    // An index of another layout is made again as a whole.
    if before == after || !is_current(writer)? {
        return Ok(());
    }
    let part = Part::find(writer, scope, lane)?;
    let known = part.map(|part| part.number_of(writer, id)).transpose()?.flatten();
    if known.is_none() && after.is_none() {
        return Ok(());
    }
    let mut part = match part {
        Some(part) => part,
        None => new_part(writer)?,
    };
    let doc = known.unwrap_or(part.next);
    note_terms(writer, part.number, doc, after)?;
    note_doc(writer, part.number, doc, id, after)?;
    match (known.is_some(), after.is_some()) {
        (false, true) => {
            part.next += 1;
            part.rows += 1;
        }
        (true, false) => part.rows -= part.rows.min(1),
        _ => return Ok(()),
    }
    writer.put(WORDS, &part_key(scope, lane), &part.bytes())
}

fn new_part(writer: &mut AgentWriter<'_>) -> Result<Part> {
    let number = writer.get(WORDS, NEXT_PART)?.and_then(layout::number).unwrap_or_default();
    if number == 0 {
        set_current(writer)?;
    }
    writer.put(WORDS, NEXT_PART, &(number + 1).to_le_bytes())?;
    Ok(Part { number, next: 0, rows: 0 })
}

/// Changes the entries that say which row a number is.
fn note_doc(
    writer: &mut AgentWriter<'_>,
    part: u32,
    doc: u32,
    id: &str,
    after: Option<&Texts>,
) -> Result<()> {
    let old = writer.get(WORDS, &doc_key(part, doc))?.map(<[u8]>::to_vec);
    let old = old.as_deref().and_then(Doc::read);
    let new = after.map(|texts| doc_of(id, texts));
    if old == new {
        return Ok(());
    }
    if let Some(old) = &old {
        writer.delete(WORDS, &time_key(part, old))?;
        writer.delete(WORDS, &session_key(part, old))?;
    }
    let number = doc.to_le_bytes();
    let Some(new) = new else {
        writer.delete(WORDS, &id_key(part, id))?;
        writer.delete(WORDS, &doc_key(part, doc))?;
        return Ok(());
    };
    if old.is_none() {
        writer.put(WORDS, &id_key(part, id), &number)?;
    }
    writer.put(WORDS, &doc_key(part, doc), &new.bytes())?;
    writer.put(WORDS, &time_key(part, &new), &number)?;
    if new.session != 0 {
        writer.put(WORDS, &session_key(part, &new), &number)?;
    }
    Ok(())
}

/// Changes the chunks of the terms of a row. The old ones are those that the index has of it.
fn note_terms(writer: &mut AgentWriter<'_>, part: u32, doc: u32, after: Option<&Texts>) -> Result<()> {
    let key = row_terms_key(part, doc);
    let old = writer.get(WORDS, &key)?.unwrap_or_default();
    let old: BTreeMap<String, Weight> =
        weights_of(old).map(|(term, weight)| (term.to_owned(), weight)).collect();
    let new = after.map(weigh_terms).unwrap_or_default();
    let gone = old.keys().filter(|term| !new.contains_key(*term)).map(|term| (term, None));
    let changed = new.iter().filter(|(term, weight)| old.get(*term) != Some(*weight));
    for (term, weight) in gone.chain(changed.map(|(term, weight)| (term, Some(*weight)))) {
        let key = chunk_key(part, term, doc);
        let chunk = writer.get(WORDS, &key)?.unwrap_or_default();
        let chunk = with_posting(chunk, doc, weight);
        if chunk.is_empty() {
            writer.delete(WORDS, &key)?;
        } else {
            writer.put(WORDS, &key, &chunk)?;
        }
    }
    if after.is_some() {
        writer.put(WORDS, &key, &terms_bytes(&new))
    } else {
        writer.delete(WORDS, &key)?;
        Ok(())
    }
}
